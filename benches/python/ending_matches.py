"""Matches of agents with solved endings in the full game, for the page that `endings.py` writes.

Rows that are in `benches/ending_matches.csv` already are not played again. A row is one seed of a match, and takes a
second to three minutes of CPU time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from rows import Row, completed

import stier
from stier.experiments import header, line

TABLE = Path(__file__).resolve().parents[1] / "ending_matches.csv"
KEY = ("agent", "opponent", "tricks", "attack_tricks", "gadget", "seed")

#: Agents by their names on the page.
AGENTS = {"network": "network:choose=sample", "mmds": "mmds:step=100,rollouts=450", "best": "best"}
#: An opponent that simulates the agent, guided by the network.
RESPONDER = "lbr:continuation=network,margin=1"
#: Agent, opponent, tricks of an ending without and after an attack, gadget, deals for each seed, and seeds.
MATCHES = [
    ("network", "network", 1, 1, "resolve", 4000, 10),
    ("network", "network", 2, 1, "resolve", 4000, 10),
    ("network", "network", 3, 2, "resolve", 4000, 10),
    ("network", "network", 3, 2, "unsafe", 4000, 10),
    ("network", "network", 4, 2, "resolve", 2000, 5),
    ("network", "best", 0, 0, "", 2000, 5),
    ("network", "best", 3, 2, "resolve", 2000, 5),
    ("network", "best", 3, 2, "unsafe", 2000, 5),
    ("mmds", "mmds", 3, 2, "resolve", 1000, 5),
    ("mmds", "mmds", 3, 2, "unsafe", 1000, 5),
    ("best", "best", 3, 2, "resolve", 1000, 5),
    ("best", "best", 3, 2, "unsafe", 1000, 5),
    ("network", "lbr", 0, 0, "", 1000, 2),
    ("network", "lbr", 3, 2, "resolve", 1000, 2),
    ("network", "lbr", 3, 2, "unsafe", 1000, 2),
]
#: All matches with the same seed have the same deals.
FIRST_SEED = 70_000_001


def wanted() -> Iterator[tuple[str, ...]]:
    """The keys of all rows."""
    for *key, _, seeds in MATCHES:
        yield from ((*map(str, key), str(FIRST_SEED + seed)) for seed in range(seeds))


def measured(*key: str) -> Row:
    """The row of a key: points per bout of the agent, and the half width of the 95 % interval."""
    name, opponent, tricks, attack_tricks, gadget, seed = key
    deals = next(deals for *match, deals, _ in MATCHES if [*map(str, match)] == [*key[:-1]])
    agent = AGENTS[name]
    if gadget:
        agent += f"{',' if ':' in agent else ':'}endings=ranges,ending_tricks={tricks}"
        agent += f",attack_tricks={attack_tricks},gadget={gadget}"
    before = time.process_time()
    if opponent == "lbr":
        gained = stier.exploit("schwinget", agent, RESPONDER, deals=deals, seed=int(seed), threads=1)
        mean, ci95 = -gained.gain, gained.ci95
    else:
        found = stier.pit("schwinget", [agent, AGENTS[opponent]], deals=deals, seed=int(seed), threads=1)
        mean, ci95 = found.mean[0], found.ci95[0]
    seconds = time.process_time() - before
    figures = {"mean": f"{mean:.5f}", "ci95": f"{ci95:.5f}", "cpu_seconds": f"{seconds:.0f}"}
    return dict(zip(KEY, key, strict=True)) | {"deals": str(deals)} | figures


def table() -> str:
    """A line for each match, with all seeds together and the two that are farthest apart."""
    found = pd.read_csv(TABLE, keep_default_na=False)
    text = header(["agent", "opponent", "tricks", "after an attack", "gadget", "deals", "points", "seeds"], 5)
    for key, rows in found.groupby([*KEY[:-1]], sort=False):
        ci95 = np.sqrt(np.square(rows["ci95"]).sum()) / len(rows)
        least, most = rows["mean"].min(), rows["mean"].max()
        cells = [*map(str, key), f"{rows['deals'].sum():,}", f"{rows['mean'].mean():+.3f} ± {ci95:.3f}"]
        text += line([*cells, f"{least:+.3f} to {most:+.3f}"])
    return text


def main() -> None:
    """Plays what is missing in the table."""
    os.nice(10)
    completed(TABLE, KEY, wanted(), measured)


if __name__ == "__main__":
    main()
