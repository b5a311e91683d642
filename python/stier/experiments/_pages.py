"""Pages of results: reports, the answers that rank agents, and pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from math import isnan
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
import pandas as pd

from stier._files import write, write_text
from stier.ratings import estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Report:
    """The result of an experiment: a text, tables and figures.

    Attributes:
        markdown: The page, which is the text unless another one is set.
        tables: pandas frames by name.
        figures: Functions that draw the figures, by name.
    """

    #: The name of the page as a file.
    page: ClassVar[str] = "page.md"
    #: The number of rows from which a table is saved as Parquet.
    large: ClassVar[int] = 1_000

    def __init__(
        self,
        text: str,
        tables: Mapping[str, pd.DataFrame],
        figures: Mapping[str, Callable[[], Figure]] | None = None,
        digits: int | None = 6,
    ) -> None:
        self._text = self.markdown = text
        self._digits = None if digits is None else f"%.{digits}g"
        self.tables: dict[str, Any] = dict(tables)
        self.figures: dict[str, Any] = dict(figures or {})

    def __str__(self) -> str:
        """The text."""
        return self._text

    def __repr__(self) -> str:
        return f"<stier.experiments.{type(self).__name__}: {', '.join(self.tables)}>"

    def save(self, folder: str | Path, page: str | Path | None = None) -> list[Path]:
        """Writes the tables, small ones as CSV and large ones as Parquet, and the page, and returns the files."""
        paths: list[Path] = []
        for name, table in self.tables.items():
            if len(table) < self.large:
                paths.append(Path(folder) / f"{name}.csv")
                write_text(paths[-1], table.to_csv(index=False, float_format=self._digits, lineterminator="\n"))
            else:
                paths.append(Path(folder) / f"{name}.parquet")
                write(paths[-1], partial(table.to_parquet, index=False, compression="zstd"))
        paths.append(Path(folder) / self.page if page is None else Path(page))
        write_text(paths[-1], self.markdown)
        return paths

    def draw(self, folder: str | Path) -> list[Path]:
        """Draws the figures as PNG and returns the files. Needs the extra ``plots``."""
        import_module("stier.plots")  # or says what to install
        from matplotlib import pyplot

        paths = []
        for name, make in self.figures.items():
            paths.append(Path(folder) / f"{name}.png")
            figure: Any = make()
            # Without the version of matplotlib in it, the same picture is the same file.
            save = partial(figure.savefig, format="png", dpi=130, metadata={"Software": None})
            write(paths[-1], save)
            pyplot.close(figure)
        return paths


#: A value and the ends of its 95 % interval: equal to it if it is exact, not numbers if it has none.
Estimated: TypeAlias = tuple[float, float, float]
#: Estimated values by game and agent.
Ranks: TypeAlias = Mapping[str, Mapping[str, Estimated]]


@dataclass(frozen=True)
class Answer:
    """The answer that results give to a question: its text and its picture come from the ranks.

    Attributes:
        question: The title of the page.
        measure: The value by which they are ranked, such as ``mean return``.
        ranks: The values of the agents by game, each with the ends of its 95 % interval. These are equal to it where it
            is exact, and not numbers where it has no interval.
        lowest: True if the lowest value is the best.
        sure: Three sentences: what was compared, what could change the answer, and what is not known.
        details: Everything else, folded, by heading.
        figures: Functions that draw further figures, by name.
    """

    question: str
    measure: str
    ranks: Ranks
    lowest: bool
    sure: Sequence[str]
    details: Mapping[str, str]
    figures: Mapping[str, Callable[[], Figure]] = field(default_factory=dict)

    def ranked(self) -> dict[str, dict[str, Estimated]]:
        """Returns the ranks of the games that have any, the best first."""
        sign = 1 if self.lowest else -1
        found = {game: [one for one in own.items() if not isnan(one[1][0])] for game, own in self.ranks.items()}
        return {game: dict(sorted(own, key=lambda one: sign * one[1][0])) for game, own in found.items() if own}

    def text(self) -> str:
        """Returns sentences that name the best agents, the next ones, and how many of them may be as good."""
        ranked, what = self.ranked(), f"the {'lowest' if self.lowest else 'highest'} {self.measure}"
        if not ranked:
            return "Nothing has been measured yet."
        close = sum(self._are_close(*list(own.values())[:2]) for own in ranked.values())
        if len(ranked) == 1:
            game, own = next(iter(ranked.items()))
            (first, value), *others = ((f"`{name}`", interval(*estimated)) for name, estimated in own.items())
            text = f"{first} has {what}{f' in `{game}`' if game else ''}: {value}."
            text += f" The next is {others[0][0]}, with {others[0][1]}." if others else ""
            return f"{text} The results do not tell the two apart." if close else text
        bests = [(own, next(iter(own.values()))[0]) for own in ranked.values()]
        firsts = Counter(name for own, best in bests for name, (value, *_) in own.items() if value == best)
        most = max(firsts.values())
        *equal, last = [f"`{name}`" for name, count in firsts.items() if count == most]
        named = f"{', '.join(equal)} and {last} each have" if equal else f"{last} has"
        known = f"The results tell the first from the next in {len(ranked) - close or 'none'} of these games."
        return f"{named} {what} in {most} of {len(ranked)} games. {known}"

    def _are_close(self, first: Estimated, *others: Estimated) -> bool:
        """Returns true if the interval of the next agent overlaps that of the first, or one has none."""
        return any(not (first[2] < one[1] if self.lowest else one[2] < first[1]) for one in others)


def interval(value: float, low: float, high: float, *, digits: int = 2) -> str:
    """Returns a value and its interval as text, such as ``0.12 (0.08 to 0.16)``; without one if it has none."""
    ends = "" if isnan(low) or low == high else f" ({low:.{digits}f} to {high:.{digits}f})"
    return f"{value:.{digits}f}{ends}"


def mean_of(seeds: pd.DataFrame, *, logs: bool = False) -> Estimated:
    """Returns the mean over seeds of the column ``value``, by their logarithms if asked, and its interval.

    Fewer than three seeds have the half width in the column ``ci95``, over deals.
    """
    logs = logs and bool((seeds["value"] > 0).all())
    values = np.log(seeds["value"]) if logs else seeds["value"]
    half = estimate(values).ci95 if len(values) > 2 else float(pd.to_numeric(seeds["ci95"]).mean())
    ends = values.mean() + np.array([0, -half, half])
    mean, low, high = map(float, np.exp(ends) if logs else ends)
    return mean, low, high


def bars(ranked: Ranks, title: str, label: str) -> Figure:
    """Draws a panel for each game with a bar and its interval for each agent, the first on top (see `Answer`)."""
    from matplotlib import pyplot as plt

    from stier import plots

    height = 1.3 + sum(0.4 + 0.22 * len(own) for own in ranked.values())
    ratios = [len(own) for own in ranked.values()]
    figure, panels = plt.subplots(
        len(ranked), figsize=(7.2, height), layout="constrained", squeeze=False, height_ratios=ratios
    )
    for axes, (name, own) in zip(panels[:, 0], ranked.items(), strict=True):
        values, *ends = np.array(list(own.values())).T
        halves = np.nan_to_num(abs(np.array(ends) - values))
        axes.barh(list(own), values, xerr=halves, color=plots.COLOURS[0], ecolor="0.3", capsize=2)
        axes.set_title(name, fontsize=9)
        axes.invert_yaxis()
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.3, axis="x")
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle("\n".join(wrap(title, 90)), fontsize=10)
    figure.supxlabel(label, fontsize=9)
    return figure


def drawn(name: str, shown: Any, **options: Any) -> Figure:
    """Draws a figure by the function of `stier.plots` with this name."""
    from stier import plots

    figure: Figure = getattr(plots, name)(shown, **options).figure
    return figure


def as_file(text: str) -> str:
    """Returns a text as a part of the name of a file."""
    return re.sub(r"\W+", "_", text).strip("_")


def page(
    question: str,
    answer: str,
    *,
    picture: str | None = None,
    sure: Sequence[str] = (),
    command: str = "",
    details: Mapping[str, str] | None = None,
) -> str:
    """Returns a page in the form of all pages of results, in Markdown.

    Args:
        question: The title.
        answer: At most three sentences, without more than three intervals.
        picture: A picture as Markdown, whose title is the finding.
        sure: Three sentences: what was compared, what could change the answer, and what is not known.
        command: The command that repeats it.
        details: Everything else, folded, by heading.
    """
    text = f"# {question}\n\n{answer.strip()}\n\n" + (f"{picture}\n\n" if picture else "")
    text += "".join(["## How sure?\n\n", *(f"- {one}\n" for one in sure), "\n"]) if sure else ""
    text += f"## Repeat it\n\n```sh\n{command}\n```\n" if command else ""
    for heading, own in (details or {}).items():
        text += f"\n<details>\n<summary>{heading}</summary>\n\n{own.strip()}\n\n</details>\n"
    return f"{text.strip()}\n"


def line(cells: Iterable[object]) -> str:
    """Returns a line of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |\n"


def header(names: Sequence[str], left: int = 1) -> str:
    """Returns the first two lines of a Markdown table; all columns but the first ones are numbers."""
    return line(names) + line(["---"] * left + ["---:"] * (len(names) - left))
