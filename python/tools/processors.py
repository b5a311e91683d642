"""Runs an installed package as on older processors: the same results on one of 2008, an error on one before.

Takes the interpreter of an environment with the package. Needs qemu-x86_64 (Debian: qemu-user).
"""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import hashlib
import stier

agents = ["random", "ismcts:iterations=40", "ismcts:iterations=40,selection=regret_matching", "pimc:worlds=5"]
for name in stier.registered_names():
    game = stier.load_game(name)
    result = stier.pit(game, agents[-game.num_players():], deals=3, seed=1)
    seen = hashlib.sha256()
    for seed in range(20):
        state = game.new_initial_state(seed=seed)
        while not state.is_terminal():
            seen.update(state.observation_tensor(state.current_player()).tobytes())
            state.apply_action(state.legal_actions()[seed % len(state.legal_actions())])
    print(name, *result.mean, seen.hexdigest()[:16])
print("network", *stier.pit("schwinget", ["network", "greedy"], deals=20).mean)
print("solution", stier.solve("kuhn_poker", iterations=100).value)
"""

#: The processors of the emulator, by their names; NumPy's OpenBLAS must be told, too.
OLD, TOO_OLD = "Nehalem", "core2duo"


def run(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"} | variables
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def main(python: str) -> None:
    here = run(python, "-c", PROGRAM)
    if here.returncode:
        sys.exit(here.stderr)
    old = run("qemu-x86_64", "-cpu", OLD, python, "-c", PROGRAM, OPENBLAS_CORETYPE=OLD)
    if old.returncode or old.stdout != here.stdout:
        sys.exit(f"not the same on {OLD}:\n{here.stdout}\n{old.stdout}{old.stderr}")
    older = run("qemu-x86_64", "-cpu", TOO_OLD, python, "-c", "import stier; stier.load_game")
    if "ImportError: this processor is too old" not in older.stderr:
        sys.exit(f"no readable error on {TOO_OLD}:\n{older.stderr}")
    print(f"the same results on {OLD}, a readable error on {TOO_OLD}:\n{here.stdout}", end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
