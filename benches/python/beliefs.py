"""The cost of particles in Schwinget: beliefs over all hands of the opponent beside beliefs from samples of histories.

Prints three tables of `benches/BOUNDS.md`: how well beliefs predict the hand, what the decisions of a search are worth
that uses them, and their CPU time in real play. Bouts are kept in ``out/beliefs`` and not played again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from inference import GAME, Positions, belief_losses, interval
from measure import machine

import stier
from stier.ratings import estimate

OUT = Path("out/beliefs")
#: The first deal of each table.
HANDS, DECISIONS, SECONDS = 0, 1_000_001, 70_000_000
#: The searches of the table of decisions; the first is compared with the others.
SEARCH = "mmds:step=100,rollouts=450"
SEARCHES = {
    "all hands": f"{SEARCH},beliefs=exact",
    "1,000 histories": SEARCH,
    "1,000 histories, 560 rollouts": "mmds:step=100,rollouts=560",
    "200 histories": f"{SEARCH},particles=200",
    "chance alone": f"{SEARCH},beliefs=uniform",
    "the network": "network",
}
#: The players of the bouts, and for each a judge of the actions where searches differ: a search with more rollouts,
#: other random numbers and the right beliefs about this player.
JUDGE = "mmds:step=100,rollouts=10000,beliefs=exact"
JUDGES = {"network:choose=sample": JUDGE, "network": f"{JUDGE},model_temperature=0.000001"}
#: Searches that do hardly more than to infer, whose time is measured.
INFERRING = {
    "all hands": "mmds:rollouts=1,beliefs=exact",
    "1,000 histories": "mmds:rollouts=1",
    "chance alone": "mmds:rollouts=1,beliefs=uniform",
}


def decisions(seed: int, player: str, asked: dict[str, str]) -> Iterator[tuple[stier.State, dict[str, stier.Agent]]]:
    """Each decision with a choice in a bout, and the agents of that seat that are asked about it."""
    game = stier.load_game(GAME)
    state = game.new_initial_state(seed=seed)
    players = [stier.load_agent(player, game, seed=2 * seed + seat) for seat in range(2)]
    agents = [
        {name: stier.load_agent(text, game, seed=2 * seed + seat) for name, text in asked.items()} for seat in range(2)
    ]
    while not state.is_terminal():
        seat = state.current_player()
        if len(state.legal_actions()) > 1:
            yield state, agents[seat]
        state.apply_action(players[seat].step(state))


def judged(seed: int, player: str) -> dict[str, Any]:
    """The points that each search loses in a bout against the first, by the judge."""
    judge = stier.load_agent(JUDGES[player], GAME, seed=10**9 + seed)
    lost = dict.fromkeys(SEARCHES, 0.0)
    number = 0
    for state, agents in decisions(seed, player, SEARCHES):
        number += 1
        chosen = {name: agent.step(state) for name, agent in agents.items()}
        if len(set(chosen.values())) > 1:
            values = {found.action: found.value for found in judge.search(state).actions}
            first = chosen["all hands"]
            for name, action in chosen.items():
                lost[name] += (values[first] - values[action]) / 2
    return {"decisions": number, "lost": lost}


def timed(seed: int, player: str) -> list[dict[str, Any]]:
    """The CPU milliseconds of the decisions of a bout, by the agent that infers."""
    rows = []
    for state, agents in decisions(seed, player, INFERRING):
        row: dict[str, Any] = {"seat": state.current_player()}
        row |= {name: state.facts(row["seat"])[name] for name in ("pile", "attacker")}
        for name, agent in agents.items():
            before = time.process_time()
            agent.step(state)
            row[name] = 1000 * (time.process_time() - before)
        rows.append(row)
    return rows


def kept(name: str, seeds: range, measure: Any) -> list[Any]:
    """The measurements of the bouts, from the file of the table or anew if another build or other agents made it."""
    OUT.mkdir(parents=True, exist_ok=True)
    made_by = repr((machine(), SEARCHES, JUDGES, INFERRING))
    file = OUT / f"{name}-{hashlib.sha256(made_by.encode()).hexdigest()[:8]}.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    known = dict(json.loads(line) for line in lines)
    for seed in seeds:
        if seed not in known:
            known[seed] = measure(seed)
            with file.open("a", encoding="utf-8") as out:
                out.write(f"{json.dumps([seed, known[seed]])}\n")
    return [known[seed] for seed in seeds]


def print_hands(bouts: int) -> None:
    """The log loss of the beliefs about each unseen card, in nats per position: see `inference.py`."""
    game = stier.load_game(GAME)
    states: list[stier.State] = []
    seeds: list[int] = []
    positions = Positions(
        game, range(HANDS, HANDS + bouts), lambda state, seed: (states.append(state.clone()), seeds.append(seed))[0]
    )
    first = None
    for name in ("all hands", "1,000 histories", "200 histories", "chance alone"):
        losses = belief_losses(game, SEARCHES[name], states, positions)
        first = losses if first is None else first
        print(f"| {name} | {losses.mean():.3f} | {interval(losses - first, np.array(seeds))} |", flush=True)


def print_decisions(bouts: int) -> None:
    """Points per bout that each search loses against the first."""
    for player in JUDGES:
        file = f"decisions-{player.partition('=')[2] or 'best'}"
        rows = kept(file, range(DECISIONS, DECISIONS + bouts), lambda seed, player=player: judged(seed, player))
        number = sum(row["decisions"] for row in rows)
        print(f"`{player}`: {number:,} decisions in {bouts:,} bouts")
        for name in list(SEARCHES)[1:]:
            lost = estimate([row["lost"][name] for row in rows])
            print(f"| {name} | {lost.mean:+.4f} ± {lost.ci95:.4f} |")


def print_seconds(bouts: int) -> None:
    """Milliseconds of CPU per decision, without those of the search, for each player and by the pile."""
    for player in ("network", SEARCHES["all hands"]):
        name = player.partition(":")[0]
        found = kept(
            f"seconds-{name}", range(SECONDS, SECONDS + bouts), lambda seed, player=player: timed(seed, player)
        )
        rows = [row for bout in found for row in bout]
        groups: dict[str, list[Any]] = {"all": rows, "seat 0": [], "seat 1": []}
        for row in sorted(rows, key=lambda row: (row["attacker"] is not None, -row["pile"])):
            groups[f"seat {row['seat']}"].append(row)
            attacked = ", after an attack" if row["attacker"] is not None else ""
            groups.setdefault(f"pile of {row['pile']}{attacked}", []).append(row)
        for label, own in groups.items():
            cells = []
            for kind in ("all hands", "1,000 histories"):
                times = np.array([row[kind] - row["chance alone"] for row in own])
                cells.append(f"{times.mean():.1f} | {np.median(times):.1f} | {times.max():.1f}")
            print(f"| `{name}`, {label} | {len(own):,} | {' | '.join(cells)} |")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tables = {"hands": print_hands, "decisions": print_decisions, "seconds": print_seconds}
    parser.add_argument("table", choices=tables)
    parser.add_argument("--bouts", type=int, default=1_000, help="bouts to play (%(default)s)")
    options = parser.parse_args()
    tables[options.table](options.bouts)


if __name__ == "__main__":
    main()
