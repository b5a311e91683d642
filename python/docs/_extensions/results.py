"""Directives that make result pages from the tables under ``benches``."""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import stier
from stier.experiments import interval

BENCHES = Path(__file__).parents[3] / "benches"
sys.path.append(str(BENCHES))

from strength import Sums  # noqa: E402

PLAIN = "ismcts"


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
    return mean[0], f"| `{agent}` | {sums.deals} | {interval(*mean)} | {sums.wins()} |"


def setup(app: Sphinx) -> dict[str, bool]:
    """Name the directives."""
    app.add_directive("strength", Strength)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
