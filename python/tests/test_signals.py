"""Ctrl-C: answered at once, whatever is running."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time

import pytest

#: The promise is 100 ms; machines under test are busy.
PATIENCE = 0.3

PRELUDE = """
import tempfile, threading, time
import stier
{imports}
game = stier.load_game("schwinget")
small = stier.load_game("schwinget", suits=2, values=3, counter=False, hand_size=1, set_aside=3)
state = game.new_initial_state(seed=7)
print("go", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print(time.time(), flush=True)
"""

#: A hundred leaves at which a player may hold 3060 hands.
LEAVES = """
import stier.public
deck = "schwinget:suits=4,values=5,hand_size=4,set_aside=2,referee=off,counter=off"
tree = stier.public.PublicTree(deck, depth=1, values=lambda player, ranges: ranges[player])
policies = tree.policies_of("random")
"""

LONG = {
    "search": "stier.load_agent('ismcts:iterations=1000000000', game).step(state)",
    "search by time": "stier.load_agent('ismcts:time_ms=60000', game).search(state)",
    "search on several threads": "stier.load_agent('ismcts:iterations=1000000000,threads=2', game).step(state)",
    "many games": "stier.pit(game, ['random', 'greedy'], deals=5 * 10**6)",
    "many games with progress": "stier.pit(game, ['random', 'greedy'], deals=5 * 10**6, progress=True)",
    "an experiment": (
        "stier.experiments.run(stier.experiments.Experiment('schwinget', ['ismcts:iterations=1000000000', 'random']), "
        "tempfile.mkdtemp(), threads=1)"
    ),
    "properties": "stier.playing.properties(game, deals=10**6, progress=True)",
    "properties of one deal": "stier.playing.properties(game, deals=1, games=10**6)",
    "long decisions in a game": "stier.pit(game, ['ismcts:iterations=1000000000'] * 2)",
    "solving": "stier.solve(small, iterations=10**9, target=1e-300, progress=True)",
    "enumerating": (
        "stier.solve(stier.load_game('schwinget', suits=2, values=5, referee=False, hand_size=1, set_aside=3),"
        " max_histories=10**9)"
    ),
    "sampling": "stier.solve(small, 'external_sampling', iterations=10**9)",
    "asking everywhere": "stier.solving.nash_conv(small, 'ismcts:iterations=10000000')",
    "asking a callable everywhere": "stier.solving.nash_conv(small, lambda state: time.sleep(60))",
    "many searches": "stier.search_many('ismcts:iterations=100000', [state] * 10**5, progress=True)",
    "many worlds": "stier.resample_many(state, 10**8, histories=True)",
    "lanes against searchers": (
        "envs = stier.VectorEnv(game, 64, opponents='ismcts:iterations=1000000'); envs.step(envs.sample_actions())"
    ),
    "public states with leaves": "[tree.follow(policies) for _ in range(1000)]",
    "callables": "stier.pit(game, [lambda state: state.legal_actions()[0], 'random'], deals=5 * 10**6)",
    "a callable that sleeps": "stier.pit(game, [lambda state: time.sleep(60), 'random'])",
    "a callable that searches": (
        "stier.pit(game, [stier.load_agent('ismcts:iterations=1000000000', game).step, 'random'])"
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
@pytest.mark.parametrize("work", LONG.values(), ids=LONG.keys())
def test_ctrl_c_is_answered(work: str) -> None:
    if "experiments" in work:
        pytest.importorskip("pyarrow")
    imports = "import stier.experiments" if "experiments" in work else LEAVES if "tree" in work else ""
    script = textwrap.dedent(PRELUDE).format(work=work, imports=imports)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "go\n"
            time.sleep(0.3)
            assert process.poll() is None
            sent = time.time()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 0, err
    assert float(out) - sent < PATIENCE
