"""Learned responders where the exact best response is known: the share of the exploitability that they find.

Prints the rows of a table in `benches/BOUNDS.md`, or those that are named. The network's responder is trained in two
ways: as the others, and from twice the decisions with a lower entropy bonus at the end (``network-longer``). Trainings
are kept in ``out/responders`` and continue from there.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import stier
import stier.train
from stier.solving import GameTree

OUT = Path("out/responders")
#: By name: a game, the decisions that a responder learns from, and the number of seeds of a searching agent.
DECKS = {
    "small": ("schwinget:scoring=schwinger,suits=2,values=3,referee=off,hand_size=2,set_aside=1", 4_000_000, 48),
    "large": ("schwinget:suits=2,values=4,referee=off,hand_size=2,set_aside=3", 5_000_000, 24),
}
ROWS = (
    "greedy",
    "rule:when=always",
    "ismcts:iterations=100",
    "network",
    "network-longer",
)
#: The decisions that the exploited network has learned from, and its settings, whatever the defaults are.
NETWORK_STEPS = 8_000_000
RECIPE = {"minibatches": 4, "entropy_decay": 0.9, "final_entropy_coefficient": 0.01, "symmetry": False}
#: The deals of the measurement.
DEALS = 5000


def main() -> None:
    """Trains and measures the responders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", choices=[*ROWS, []], help="agents to exploit (all)")
    parser.add_argument("--deck", choices=DECKS, help="one deck (both)")
    parser.add_argument("--seed", type=int, default=0, help="of the responders' trainings (0)")
    options = parser.parse_args()
    for name in [options.deck] if options.deck else DECKS:
        game, steps, seeds = DECKS[name]
        tree = GameTree(game)
        exact = stier.train.Exact(tree)
        for row in options.rows or ROWS:
            agent = row
            settings: dict[str, Any] = {"steps": steps, "symmetry": False, "deals": DEALS, "evaluations": 1}
            if row.startswith("network"):
                file = OUT / name / "exploited" / "network.safetensors"
                stier.train.learn(game, steps=NETWORK_STEPS, folder=file.parent, against=(), evaluations=1, **RECIPE)
                agent = f"network:path={file},choose=sample"
                settings["initial"] = file
            if row == "network-longer":
                settings |= {"steps": 2 * steps, "final_entropy_coefficient": 0.0005}
            # On average over the agent's random numbers: what plays in a match.
            policy = tree.policy_of(agent, seeds=seeds).probabilities()
            truth = tree.policy(policy).exploitability
            folder = OUT / name / f"{row.partition(':')[0]}-{options.seed}"
            found = stier.train.best_response(game, agent, folder=folder, seed=options.seed, **settings)
            own = [exact.probabilities(found.trained.network, choose) for choose in ("best", "sample")]
            shares = " | ".join(f"{100 * exact.gain(policy, one) / truth:.1f} %" for one in own)
            seconds = found.trained.log[-1]["cpu_seconds"]
            cells = [name, f"`{row}`", str(options.seed), f"{truth:.4f}", shares]
            cells += [f"{found.gain:+.4f} ± {found.ci95:.4f}", f"{seconds:.0f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    start = time.process_time()
    main()
    print(f"{time.process_time() - start:.0f} CPU seconds in all")
