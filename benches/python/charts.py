"""Draws the pictures of pages from their own tables: `charts.py` draws all, `charts.py ranges compile` those two.

The title of a picture is calculated from the figures that it shows, and stands in the page, too. Programs that write
such a page call `illustrated` and `draw`; pages that are kept by hand get their pictures by this program.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, mean
from textwrap import wrap
from typing import Any

from stier._files import write_text
from stier.experiments import save_picture

BENCHES = Path(__file__).resolve().parents[1]
#: The places of games in `stier.plots.COLOURS`, as in games.png.
GAMES = {"schweins_galopp": 0, "schwimmen": 1, "schwinget": 2, "up_and_down": 3}
#: A number in a cell, without its digits' commas.
NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")

Line = dict[str, str]


@dataclass
class Chart:
    """Bars by row: the finding, the meaning of a bar's length, and the lengths of each series, None without a bar.

    Attributes:
        title: The finding.
        label: The meaning of the lengths.
        rows: The names of the rows, from above.
        series: Lengths by name. A single series has no legend.
        halves: Half the widths of the intervals of the only series.
        points: Single measurements of each row of the only series.
        dots: True for dots in place of bars.
        log: True for a logarithmic axis.
        line: A length to compare with, which is drawn as a line.
        form: Makes the text beside each bar; without it there is none.
        colours: The places of the series in `stier.plots.COLOURS`, in their order if left out.
    """

    title: str
    label: str
    rows: Sequence[str]
    series: Mapping[str, Sequence[float | None]]
    halves: Sequence[float] | None = None
    points: Sequence[Sequence[float]] | None = None
    dots: bool = False
    log: bool = False
    line: float | None = None
    form: Callable[[float], str] | None = None
    colours: Sequence[int] | None = None

    def draw(self) -> Any:
        """Draws it, 8 inches wide."""
        from matplotlib import pyplot as plt

        from stier.plots import COLOURS

        thick = 0.8 / len(self.series)
        height = 1.3 + len(self.rows) * (0.32 if self.dots else max(0.32, 0.17 * len(self.series)))
        figure, axes = plt.subplots(figsize=(8, height), layout="constrained")
        for number, (name, lengths) in enumerate(self.series.items()):
            colour = COLOURS[number if self.colours is None else self.colours[number]]
            shift = 0.0 if self.dots else thick * (number - (len(self.series) - 1) / 2)
            there = [(row + shift, length) for row, length in enumerate(lengths) if length is not None]
            places, values = zip(*there, strict=True)
            if self.dots:
                axes.plot(values, places, "osD^"[number % 4], color=colour, label=name, markersize=6)
            else:
                begin = (self.line if self.log else 0) or 0
                axes.barh(places, [value - begin for value in values], thick, left=begin, color=colour, label=name)
            if self.form is not None:
                for row, (place, value) in enumerate(there):
                    end = max([value, self.line or 0, *(self.points[row] if self.points else [])])
                    gap = {"xytext": (4, 0), "textcoords": "offset points"}
                    axes.annotate(self.form(value), (end, place), **gap, va="center", size=8)
        (first, *_) = self.series.values()
        if self.halves is not None:
            axes.errorbar(first, range(len(first)), xerr=self.halves, fmt="none", ecolor="0.3", capsize=3)
        for row, found in enumerate(self.points or []):
            axes.plot(found, [row] * len(found), "|", color="0.2", markersize=9)
        if self.line is not None:
            axes.axvline(self.line, color="0.4", linewidth=0.9)
        axes.set_yticks(range(len(self.rows)), self.rows, fontsize=9)
        axes.set_ylim(len(self.rows) - 0.4, -0.6)
        axes.margins(x=0.08)
        if self.log:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.minorticks_off()
        axes.set_xlabel(self.label, fontsize=9)
        axes.grid(alpha=0.3, axis="x")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        if len(self.series) > 1:
            figure.legend(loc="outside lower center", ncols=min(4, len(self.series)), frameon=False, fontsize=9)
        # A figure and its sign of percent stay in one line.
        title = self.title.replace(" %", "\N{NO-BREAK SPACE}%")
        lines = -(-len(title) // 85)
        figure.suptitle("\n".join(wrap(title, 85 if lines == 1 else len(title) // lines + 8)), fontsize=11)
        return figure


def table(page: str, *columns: str, after: str = "") -> list[Line]:
    """Returns the lines of the first table with these columns, by column; the first one after a text if it is given."""
    assert after in page, after
    for block in re.findall(r"(?:^\|.*\n?)+", page[page.index(after) :], re.MULTILINE):
        head, _, *rest = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines())
        if {*columns} <= {*head}:
            return [dict(zip(head, cells, strict=True)) for cells in rest]
    raise ValueError(f"no table with {', '.join(columns)}")


def numbers(cell: str) -> list[float]:
    """Returns the numbers in a cell."""
    return [float(one.replace(",", "")) for one in NUMBER.findall(cell)]


def number(cell: str) -> float:
    """Returns the first number in a cell."""
    return numbers(cell)[0]


def brief(value: float) -> str:
    """Returns a factor with the digits that mean something."""
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def span(values: Sequence[float | None]) -> str:
    """Returns the least and the most of some factors."""
    there = [value for value in values if value is not None]
    return f"{brief(min(there))} to {brief(max(there))}"


def audit(page: str) -> Chart:
    """The games with findings, and how many of the compared worlds each finding is about."""
    kinds = {"leaks": "shown to the player to move", "leaks to seats not to move": "shown to other seats"}
    drawn = "impossible worlds drawn"
    found: dict[str, dict[str, float]] = {}
    tested = 0
    for library in re.findall(r"<summary>((?:OpenSpiel|PettingZoo|RLCard) [\d.]+)</summary>", page):
        for row in table(page, "game", "leaks", after=f"<summary>{library}</summary>"):
            tested += 1
            own = {}
            for column, kind in kinds.items():
                shares = re.findall(r"\(([\d,]+) of ([\d,]+), seed", row.get(column, ""))
                if shares:
                    own[kind] = max(100 * number(part) / number(whole) for part, whole in shares)
            if "%" in row["impossible worlds"] and number(row["impossible worlds"]):
                own[drawn] = sum(map(float, re.findall(r"([\d.]+) %", row["impossible worlds"])))
            if own:
                found[f"{row['game'].strip('`')} ({library.split()[0]})"] = own
    series = {kind: [own.get(kind) for own in found.values()] for kind in (*kinds.values(), drawn)}
    return Chart(
        f"{len(found)} of {tested} games show hidden information or draw impossible worlds",
        "% of the compared worlds with a difference, or of the drawn worlds that are impossible",
        list(found),
        {kind: lengths for kind, lengths in series.items() if any(lengths)},
        form="{:.3g} %".format,
    )


def compile_times(page: str) -> Chart:
    """The seconds of `make demo`, by commit: means over runs, and the runs."""
    row = next(row for row in table(page, "aim") if row[""].startswith("`make demo`, from"))
    runs = {
        commit: numbers(cell.partition(" s")[0]) for commit, cell in row.items() if cell and commit not in ("", "aim")
    }
    means = [mean(times) for times in runs.values()]
    return Chart(
        f"make demo takes {means[-1]:.0f} seconds on average instead of {means[0]:.0f}",
        "seconds of make demo from a bare clone, by commit: means, and lines for single runs",
        list(runs),
        {"": means},
        points=[times if len(times) > 1 else [] for times in runs.values()],
        form="{:.0f}".format,
    )


def coverage(page: str) -> Chart:
    """The lowest shares of samples in which intervals hold the mean, by the probability of no loss."""
    kinds = ("Means of two returns", "Means of other returns")
    two, other = (table(page, "often", "Student %", after=f"<summary>{kind}</summary>") for kind in kinds)
    rows, held = [], {name: [] for name in ("Stier", "Student")}
    for name, lines in (("wins and losses", two), ("other returns", other)):
        for often in dict.fromkeys(row["often"] for row in lines):
            rows.append(f"{name}, {100 - 100 * float(often):.3g} % losses")
            for method, shares in held.items():
                shares.append(min(number(row[f"{method} %"]) for row in lines if row["often"] == often))
    return Chart(
        f"Where losses are rare, Student's intervals hold in as few as {min(held['Student']):.0f} % of samples, "
        f"Stier's in at least {min(held['Stier']):.0f} %",
        "% of samples whose 95 % interval holds the true mean, at the least",
        rows,
        held,
        line=95,
        form="{:.0f}".format,
    )


def endings(page: str) -> Chart:
    """The part of NashConv that solved endings leave, by deck, without a gadget and with `resolve`."""
    names = {"unsafe": "no gadget (unsafe)", "resolve, share 0.1": "", "resolve, share 0": ""}
    lines = table(page, "alone", *names)
    series = {label or name: [number(row[name]) for row in lines] for name, label in names.items()}
    without, *safe = series.values()
    low, high = (find([one for own in safe for one in own]) for find in (min, max))
    return Chart(
        f"In 20 iterations, endings solved with the gadget resolve leave {low:.0f} to {high:.0f} % of NashConv, "
        f"without a gadget up to {max(without):.0f} %",
        "% of the network's NashConv that is left, mean of five networks",
        [f"deck {row['deck']}: {row['tricks solved']} tricks solved" for row in lines],
        series,
        line=100,
        form="{:.0f} %".format,
        colours=(1, 0, 4),
    )


def networks(page: str) -> Chart:
    """The match of each network with its teacher."""
    lines = table(page, "match", "deals")
    found = [numbers(row["match"]) for row in lines]
    most = -min(mean - half for mean, half in found)
    assert most < 0.01, most
    return Chart(
        "No network is weaker than its teacher by 0.01 points per game or more",
        "mean return against the teacher, in thousandths of a point per game, with 95 % intervals",
        [row["game"] for row in lines],
        {"": [1000 * mean for mean, _ in found]},
        halves=[1000 * half for _, half in found],
        dots=True,
        line=0,
    )


def portable(page: str) -> Chart:
    """The time that each benchmark takes more in the build for all processors."""
    lines = table(page, "benchmark", "Schwinget")
    times = {row["benchmark"]: [number(cell) for name, cell in row.items() if name != "benchmark"] for row in lines}

    def longer(start: str) -> str:
        found = [time for name, own in times.items() if name.startswith(start) for time in own]
        return f"{100 * geometric_mean(found) - 100:.0f} %"

    order = sorted(times, key=lambda name: ("playout", "ismcts", "encode").index(name.partition("/")[0]))
    return Chart(
        f"One build for all processors: playouts take {longer('playout')} longer, searches {longer('ismcts')}, "
        f"encodings {longer('encode')}",
        "% longer than with a build for modern processors alone, geometric mean over four games",
        order,
        {"": [100 * geometric_mean(times[name]) - 100 for name in order]},
        line=0,
        form="{:.0f} %".format,
    )


def python_games(page: str) -> Chart:
    """The factors by which games in Python take longer than those in Rust."""
    columns = {
        "decisions/s": "a decision",
        "ISMCTS iterations/s": "an iteration of ISMCTS",
        "new histories/s": "a position that was not seen before",
    }
    lines = table(page, "game", *columns)
    pairs = {
        row["game"].strip("`").rpartition(":")[2]: (row, rust)
        for row, rust in zip(lines[::2], lines[1::2], strict=True)
    }
    series = {name: [number(r[column]) / number(p[column]) for column in columns] for name, (p, r) in pairs.items()}
    factors = [factor for own in series.values() for factor in own]
    return Chart(
        f"Games in Python take {min(factors):.1f} to {max(factors):.1f} times as long as games in Rust",
        "times as long as in a game written in Rust, logarithmic",
        list(columns.values()),
        series,
        log=True,
        line=1,
        form="{:.1f}".format,
        colours=(0, 1, 2),
    )


def ranges(page: str) -> Chart:
    """The CPU seconds in which decks are solved, the smallest above."""
    lines = sorted(table(page, "information sets", "s to begin"), key=lambda row: number(row["information sets"]))
    seconds = [number(row["s to begin"]) + number(row["s to iterate"]) for row in lines]
    return Chart(
        f"A deck of {number(lines[-1]['information sets']) / 1e6:.0f} million information sets is solved in "
        f"{seconds[-1]:.0f} CPU seconds",
        "CPU seconds on one thread, with those to begin",
        [f"{row['deck']}: {row['information sets']} sets" for row in lines],
        {"": seconds},
        form="{:.2g}".format,
    )


def results(page: str) -> Chart:
    """The work of one core per second, by game."""
    scale = {"k": 1e3, "M": 1e6}
    lines = table(page, "per second")
    series = {game: [number(row[f"`{game}`"]) * scale[row[f"`{game}`"][-1]] for row in lines] for game in GAMES}
    stepped = next(n for n, row in enumerate(lines) if "stepped from Python" in row["per second"])
    low, high = (find(own[stepped] for own in series.values()) / 1e6 for find in (min, max))
    return Chart(
        f"From Python, one core makes {low:.0f} to {high:.0f} million decisions per second",
        "per second on one core, logarithmic",
        ["\n".join(wrap(row["per second"], 48)) for row in lines],
        series,
        dots=True,
        log=True,
        colours=list(GAMES.values()),
    )


def solving(page: str) -> Chart:
    """The factors by which games are solved faster than by the other packages."""
    others = ("OpenSpiel", "LiteEFG")
    lines = table(page, "game", "Stier", after="<summary>Until NashConv")
    series = {
        other: [number(row[other]) / number(row["Stier"]) if row[other] != "-" else None for row in lines]
        for other in others
        if other in lines[0]
    }
    faster = " and ".join(f"{span(lengths)} times as fast as {other}" for other, lengths in series.items())
    return Chart(
        f"stier.solve is {faster}",
        "times the CPU seconds of stier.solve until the same NashConv, logarithmic",
        [row["game"] for row in lines],
        series,
        log=True,
        line=1,
        form=brief,
    )


#: The pages by the names of their pictures, with what makes them.
CHARTS: dict[str, Callable[[str], Chart]] = {
    "audit": audit,
    "compile": compile_times,
    "coverage": coverage,
    "endings": endings,
    "networks": networks,
    "portable": portable,
    "python_games": python_games,
    "ranges": ranges,
    "results": results,
    "solving": solving,
}


def illustrated(name: str, page: str) -> str:
    """Returns a page with its picture before its second heading, in place of the one that is there."""
    line = f"![{CHARTS[name](page).title}]({name}.png)\n\n"
    page = re.sub(rf"^!\[.*\]\({name}\.png\)\n\n", "", page, flags=re.MULTILINE)
    return page.replace("## How sure?", line + "## How sure?", 1)


def draw(name: str, page: str) -> None:
    """Draws the picture of a page."""
    from matplotlib import pyplot

    figure = CHARTS[name](page).draw()
    save_picture(figure, BENCHES / f"{name}.png")
    pyplot.close(figure)


def main() -> None:
    """Draws the pictures of the pages that are named, or of all, and puts their titles into the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(CHARTS), metavar="NAME", help=", ".join(CHARTS))
    for name in parser.parse_args().names:
        path = BENCHES / f"{name.upper()}.md"
        page = illustrated(name, path.read_text("utf-8"))
        draw(name, page)
        write_text(path, page)


if __name__ == "__main__":
    main()
