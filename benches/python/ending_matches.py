"""Matches of agents with solved endings in the full game, for the page that `endings.py` writes.

Rows that are in `benches/ending_matches.csv` already are not played again. A row is one seed of a match. It takes a
second to three minutes of CPU time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from rows import Row, completed

import stier
from stier.experiments import markdown_table

TABLE = Path(__file__).resolve().parents[1] / "ending_matches.csv"
KEY = ("agent", "opponent", "tricks", "gadget", "by", "seed")

#: Agents by their names on the page.
AGENTS = {"network": "network:choose=sample", "mmds": "mmds:step=100,rollouts=450", "best": "best"}
#: An opponent that simulates the agent, guided by the network.
RESPONDER = "lbr:continuation=network,margin=1"
#: Agent, opponent, tricks of an ending after an attack, gadget, how it is measured, deals for each seed, and seeds.
MATCHES = [
    ("network", "network", 2, "resolve", "expected", 2000, 5),
    ("network", "network", 2, "unsafe", "expected", 2000, 5),
    ("network", "network", 3, "resolve", "expected", 200, 5),
    ("network", "network", 3, "unsafe", "expected", 200, 2),
    ("network", "network", 2, "resolve", "matches", 4000, 10),
    ("network", "network", 2, "unsafe", "matches", 4000, 10),
    ("network", "best", 0, "", "matches", 2000, 5),
    ("network", "best", 2, "resolve", "matches", 2000, 5),
    ("network", "best", 2, "unsafe", "matches", 2000, 5),
    ("mmds", "mmds", 2, "resolve", "matches", 1000, 5),
    ("mmds", "mmds", 2, "unsafe", "matches", 1000, 5),
    ("best", "best", 2, "resolve", "matches", 1000, 5),
    ("best", "best", 2, "unsafe", "matches", 1000, 5),
    ("network", "lbr", 0, "", "matches", 1000, 2),
    ("network", "lbr", 2, "resolve", "matches", 1000, 2),
    ("network", "lbr", 2, "unsafe", "matches", 1000, 2),
]
#: All matches with the same seed have the same deals.
FIRST_SEED = 70_000_001
#: The actions that are not cards begin here.
ATTACK = 26


def wanted() -> Iterator[tuple[str, ...]]:
    """The keys of all rows."""
    for *key, _, seeds in MATCHES:
        yield from ((*map(str, key), str(FIRST_SEED + seed)) for seed in range(seeds))


def expected(state: stier.State, agents: Sequence[stier.Agent]) -> float:
    """The expected return of the first seat, where no chance is left. All decisions of a bout are asked for."""
    if state.is_terminal():
        return float(state.returns()[0])
    policy, _ = agents[state.current_player()].step_with_policy(state)
    return sum(share * expected(state.child(action), agents) for action, share in policy if share > 0)


def begins_ending(state: stier.State, tricks: int) -> bool:
    """True if an ending begins: a trick after an attack with at most so many left."""
    facts, actions = state.facts(0), state.legal_actions()
    return facts["attacker"] is not None and facts["led"] is None and max(actions) < ATTACK and len(actions) <= tricks


def gains(agent: str, opponent: str, tricks: int, deals: int, seed: int) -> npt.NDArray[np.float64]:
    """By deal: what an agent that plays as its opponent until then gains by endings, as a mean over both seats."""
    game = stier.load_game("schwinget")
    own, other = stier.load_agent(agent, game), stier.load_agent(opponent, game)
    found = np.zeros(deals)
    for deal in range(deals):
        random = np.random.default_rng([seed, deal])
        state = game.new_initial_state(seed=int(random.integers(2**32)))
        while not (state.is_terminal() or begins_ending(state, tricks)):
            actions, shares = zip(*other.step_with_policy(state)[0], strict=True)
            state.apply_action(int(random.choice(actions, p=np.divide(shares, np.sum(shares)))))
        # Where no ending began, both are the same.
        if not state.is_terminal():
            found[deal] = (expected(state, [own, other]) - expected(state, [other, own])) / 2
    return found


def measured(*key: str) -> Row:
    """The row of a key: points per bout of the agent, and the half width of the 95 % interval."""
    name, opponent, tricks, gadget, by, seed = key
    deals = next(deals for *match, deals, _ in MATCHES if [*map(str, match)] == [*key[:-1]])
    agent = AGENTS[name]
    if gadget:
        agent += f"{',' if ':' in agent else ':'}endings=ranges,attack_tricks={tricks},gadget={gadget}"
    before = time.process_time()
    if by == "expected":
        found = gains(agent, AGENTS[opponent], int(tricks), deals, int(seed))
        mean, ci95, _ = stier.ratings.estimate(found)
    elif opponent == "lbr":
        gained = stier.exploit("schwinget", agent, RESPONDER, deals=deals, seed=int(seed), threads=1)
        mean, ci95 = -gained.gain, gained.ci95
    else:
        match = stier.pit("schwinget", [agent, AGENTS[opponent]], deals=deals, seed=int(seed), threads=1)
        mean, ci95 = match.mean[0], match.ci95[0]
    seconds = time.process_time() - before
    figures = {"mean": f"{mean:.5f}", "ci95": f"{ci95:.5f}", "cpu_seconds": f"{seconds:.0f}"}
    return dict(zip(KEY, key, strict=True)) | {"deals": str(deals)} | figures


def table() -> str:
    """A line for each match, with all seeds together and the two that are farthest apart."""
    found = pd.read_csv(TABLE, keep_default_na=False)
    lines = []
    for key, rows in found.groupby([*KEY[:-1]], sort=False):
        ci95 = np.sqrt(np.square(rows["ci95"]).sum()) / len(rows)
        least, most = rows["mean"].min(), rows["mean"].max()
        cells = [*map(str, key), f"{rows['deals'].sum():,}", f"{rows['mean'].mean():+.3f} ± {ci95:.3f}"]
        lines.append([*cells, f"{least:+.3f} to {most:+.3f}"])
    return markdown_table(["agent", "opponent", "tricks", "gadget", "by", "deals", "points", "seeds"], lines, left=5)


def answer() -> str:
    """The gains of the network by endings against itself, in a sentence; all are above 0 by 95 % intervals."""
    found = pd.read_csv(TABLE, keep_default_na=False).query("by == 'expected'")

    def points(tricks: int, gadget: str) -> str:
        rows = found[(found["tricks"] == tricks) & (found["gadget"] == gadget)]
        gain, ci95 = rows["mean"].mean(), np.sqrt(np.square(rows["ci95"]).sum()) / len(rows)
        assert gain > ci95, (tricks, gadget)
        return f"{gain:.2f}"

    return (
        f"In the full game the network against itself gains {points(2, 'resolve')} points per bout by two tricks "
        f"solved after an attack ({points(2, 'unsafe')} without a gadget), and {points(3, 'resolve')} by three."
    )


def main() -> None:
    """Plays what is missing in the table."""
    os.nice(10)
    completed(TABLE, KEY, wanted(), measured)


if __name__ == "__main__":
    main()
