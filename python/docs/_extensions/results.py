"""Directives that make result pages from the tables under ``benches``."""

from __future__ import annotations

import csv
import re
import sys
from collections import defaultdict
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import stier

BENCHES = Path(__file__).parents[3] / "benches"
sys.path.append(str(BENCHES))

from strength import Sums  # noqa: E402

PLAIN = "ismcts"

GAMES = ("schweins_galopp", "schwimmen", "schwinget", "up_and_down")
#: What is measured for each game, and the name of its benchmark.
HEADLINES = {
    "decisions and random events of random play, in Rust": "playout/{}/random",
    "states drawn from what a player knows, in Rust": "sample/{}/state",
    "iterations of ISMCTS, each played to the end": "ismcts/{}/random-10k",
    "decisions in 1,024 games stepped from Python, with observations and masks": "vector/{}/python-float32",
    "the same with random opponents in the other seats": "vector/{}/python-opponents",
    "states drawn from Python, with all holdings": "worlds/{}/python-holdings",
    "decisions of a single game through PettingZoo": "python/{}/pettingzoo",
    "decisions of a single game through Gymnasium": "python/{}/gymnasium",
    "decisions of PPO, played and learned from": "train/{}/ppo-cpu",
}


class _Page(SphinxDirective):
    """Markdown made from a table when the page is read; the page is made again when the table changes."""

    table: str

    def markdown(self, path: Path) -> str:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        path = BENCHES / self.table
        self.env.note_dependency(str(path))
        return self.parse_text_to_nodes(self.markdown(path))


class Strength(_Page):
    """Every agent against plain ISMCTS: a table for each game and thinking time, the strongest agent first."""

    table = "strength.csv"

    def markdown(self, path: Path) -> str:
        groups: dict[tuple[str, int], list[tuple[float, str]]] = defaultdict(list)
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if PLAIN in (row["agent"], row["opponent"]):
                    mean, line = _against_plain(row)
                    groups[row["game"], int(row["time_ms"])].append((mean, line))
        head = "| agent | deals | mean return | decided games won |\n| --- | ---: | ---: | ---: |\n"
        return "\n\n".join(
            f"**`{game}`, {time} ms per decision**\n\n{head}"
            + "\n".join(line for _, line in sorted(lines, key=lambda one: -one[0]))
            for (game, time), lines in sorted(groups.items())
        )


def _against_plain(row: dict[str, str]) -> tuple[float, str]:
    """Returns the mean return of an agent against plain ISMCTS, and its line, from either side of a match."""
    sums = Sums(int(row["deals"]), *(float(row[name]) for name in Sums._fields[1:]))
    agent = row["agent"]
    if row["opponent"] != PLAIN:
        agent, sums = row["opponent"], sums.turned(0.0)
    mean = sums.mean(stier.load_game(row["game"]))
    return sums.returns / sums.deals, f"| `{agent}` | {sums.deals} | {mean} | {sums.wins()} |"


class Speed(_Page):
    """The figures that matter most, from the table of all benchmarks."""

    table = "RESULTS.md"

    def markdown(self, path: Path) -> str:
        rows = re.findall(r"^\| ([\w/-]+) \|.*\| ([^|]+) \|$", path.read_text("utf-8"), re.MULTILINE)
        speeds = dict(rows)
        lines = [f"| per second | {' | '.join(f'`{game}`' for game in GAMES)} |", "| --- | ---: | ---: | ---: | ---: |"]
        for about, name in HEADLINES.items():
            lines.append(f"| {about} | {' | '.join(speeds[name.format(game)] for game in GAMES)} |")
        return "\n".join(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Name the directives."""
    app.add_directive("strength", Strength)
    app.add_directive("speed", Speed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
