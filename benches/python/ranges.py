"""Decks of Schwinget solved on public states: writes `RANGES.md` and `ranges.png`.

Each figure is from a process of its own, with one thread and in CPU time. It takes about ten minutes.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from charts import draw, illustrated
from measure import machine

import stier
from stier.experiments import markdown_table, page

HERE = Path(__file__).resolve().parents[1]

#: The decks by name, with their iterations.
DECKS = {
    "2x4, hand 2, aside 3": ("suits=2,values=4,hand_size=2,set_aside=3,referee=off", 200),
    "2x4, hand 3, aside 1": ("suits=2,values=4,hand_size=3,set_aside=1,referee=off", 200),
    "2x4, hand 2, aside 2, referee and counter": ("suits=2,values=4,hand_size=2,set_aside=2", 200),
    "2x5, hand 2, aside 3": ("suits=2,values=5,hand_size=2,set_aside=3,referee=off", 150),
    "2x5, hand 3, aside 3": ("suits=2,values=5,hand_size=3,set_aside=3,referee=off", 100),
    "3x4, hand 2, aside 5": ("suits=3,values=4,hand_size=2,set_aside=5,referee=off", 60),
    "4x3, hand 2, aside 5": ("suits=4,values=3,hand_size=2,set_aside=5,referee=off", 60),
    "4x4, hand 2, aside 8, no counter": ("suits=4,values=4,hand_size=2,set_aside=8,referee=off,counter=off", 60),
}
#: The decks whose memory is shown by cause.
CAUSES = ["2x4, hand 3, aside 1", "2x5, hand 2, aside 3", "3x4, hand 2, aside 5", "4x4, hand 2, aside 8, no counter"]
#: The deck that the tree of histories solves, too, and that of the answer.
SMALL, LARGE = "2x4, hand 2, aside 3", "2x5, hand 2, aside 3"


def solved(name: str, ranges: bool) -> dict[str, Any]:
    """Solves a deck in this process."""
    rules, iterations = DECKS[name]
    game = stier.load_game(f"schwinget:{rules},scoring=schwinger")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    first = stier.solve(game, iterations=1, ranges=ranges, threads=1).exploitability
    built = time.process_time() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    found = stier.solve(game, iterations=1 + iterations, ranges=ranges, threads=1)
    spent = time.process_time() - start
    return {
        "states": found.public_states or found.histories,
        "sets": found.information_sets,
        "iterations": iterations,
        "building": built,
        "seconds": max(spent - built, 0.0),
        "value": found.value,
        "exploitability": found.exploitability,
        "first": first,
        "megabytes": (after - before) / 1000,
        "memory": found.memory,
    }


def causes(rows: dict[str, dict[str, Any]]) -> str:
    """Returns the table of estimated memory, by cause, beside that of the process."""
    names = list(rows[LARGE]["memory"])
    lines = []
    for name in CAUSES:
        parts = [size / 1e6 for size in rows[name]["memory"].values()]
        cells = [f"{part:,.1f}" for part in [*parts, sum(parts)]]
        lines.append([name, *cells, f"{rows[name]['megabytes']:,.0f}"])
    return markdown_table(["MB by estimate", *names, "together", "the process"], lines).strip()


def ranges(rows: dict[str, dict[str, Any]], tree: dict[str, Any], where: list[str]) -> str:
    """Returns the page."""
    names = [
        "deck",
        "public states",
        "information sets",
        "iterations",
        "s to begin",
        "s to iterate",
        "MB",
        "value",
        "exploitability",
        "of uniform play's",
    ]
    lines = []
    for name, row in rows.items():
        cells = (
            f"{row['states']:,}",
            f"{row['sets']:,}",
            row["iterations"],
            f"{row['building']:.2g}",
            f"{row['seconds']:.3g}",
            f"{row['megabytes']:,.0f}",
        )
        rest = (
            f"{row['value']:+.4f}",
            f"{row['exploitability']:.1e}",
            f"{row['exploitability'] / row['first']:.1e}",
        )
        lines.append([name, *cells, *rest])
    table = markdown_table(names, lines)
    large, small = rows[LARGE], rows[SMALL]
    largest = max(rows.values(), key=lambda row: row["sets"])

    def solved_in(row: dict[str, Any]) -> str:
        return f"{row['building'] + row['seconds']:.0f} CPU seconds"

    def left(row: dict[str, Any]) -> str:
        return f"{100 * row['exploitability'] / row['first']:.2f} %"

    text = page(
        "How large a Schwinget can be solved?",
        f"At least a deck of {largest['sets'] / 1e6:.0f} million information sets: on public states with ranges of "
        f"hands it is solved in {solved_in(largest)}, to {left(largest)} of the exploitability of uniform play. A deck "
        f"of {large['sets'] / 1e6:.1f} million comes to {left(large)} in {solved_in(large)}. Where the tree of "
        f"histories can solve a deck, too, it takes {tree['seconds'] / small['seconds']:.0f} times as long for the "
        "same iterations.",
        sure=[
            "CFR+ on one thread, CPU time, `scoring=schwinger`; exploitability is measured exactly. A deck of *2x5* "
            "has two suits of five and a counter, if nothing else is said. *Information sets* are those on public "
            "states, where suits of which nothing has been seen count once and the order of draws does not count.",
            "The processor: public states of one shape stand side by side in its vector registers.",
            "The full deck, which is too large: what equilibria do changes with the deck (`ATTACK.md`).",
        ],
        command="python benches/python/ranges.py   # ten minutes",
        details={
            "All decks": f"*MB* are what solving adds to the process at its peak.\n\n{table}",
            "Where the memory goes": causes(rows),
            "The tree of histories": f"{SMALL}: {tree['sets']:,} information sets, {tree['seconds']:.3g} CPU seconds "
            f"for {tree['iterations']} iterations, value {tree['value']:+.4f}, exploitability "
            f"{tree['exploitability']:.1e}.",
            "Where and when": "\n".join(where),
        },
    )
    return illustrated("ranges", text)


def elsewhere(name: str, *, ranges: bool) -> dict[str, Any]:
    """Solves a deck in a process of its own."""
    words = [sys.executable, __file__, name, "ranges" if ranges else "tree"]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    print(f"{name}: {done.stdout.strip()}", flush=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    """Measures and writes the page."""
    if len(sys.argv) > 1:
        print(json.dumps(solved(sys.argv[1], sys.argv[2] == "ranges")))
        return
    rows = {name: elsewhere(name, ranges=True) for name in DECKS}
    text = ranges(rows, elsewhere(SMALL, ranges=False), machine())
    (HERE / "RANGES.md").write_text(text, "utf-8")
    draw("ranges", text)


if __name__ == "__main__":
    main()
