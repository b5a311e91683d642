"""Pages of results: reports, the answers that rank agents, and pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from io import BytesIO
from math import hypot, isnan
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from stier._files import write, write_text
from stier._output import counted, first_sentence, in_words
from stier.errors import ArgumentError
from stier.ratings import estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: The most colours of a picture: lines and letters keep smooth edges, and the file is a third as large.
COLOURS_OF_PICTURES = 64
#: The three points about the answer of a page.
HEADS = ("What was compared", "What could change the answer", "What is not known")


class Report:
    """The result of an experiment: a text, tables and figures.

    Attributes:
        markdown: The page, which is the text unless another one is set.
        tables: pandas frames by name.
        figures: Functions that draw the figures, by name.
        question: The question of the page, which `stier run` prints with the answer; empty if it has none.
        answer: The answer, without Markdown.
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
        *,
        question: str = "",
        answer: str = "",
    ) -> None:
        self._text: str = text
        self.markdown: str = text
        self._digits = None if digits is None else f"%.{digits}g"
        self.tables: dict[str, Any] = dict(tables)
        self.figures: dict[str, Any] = dict(figures or {})
        self.question: str = question
        self.answer: str = answer

    def __str__(self) -> str:
        """The text."""
        return self._text

    def __repr__(self) -> str:
        return f"<stier.experiments.{type(self).__name__}: {', '.join(self.tables)}>"

    def save(self, folder: str | Path, page: str | Path | None = None) -> list[Path]:
        """Writes the tables, small ones as CSV and large ones as Parquet, and the page, and returns the files."""
        paths: list[Path] = []
        for name, table in self.tables.items():
            to_csv = partial(table.to_csv, float_format=self._digits, lineterminator="\n")
            small, large = ("csv", to_csv), ("parquet", partial(table.to_parquet, compression="zstd"))
            ending, make = small if len(table) < self.large else large
            paths.append(Path(folder) / f"{name}.{ending}")
            write(paths[-1], partial(make, index=False))
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
            save_picture(figure, paths[-1])
            pyplot.close(figure)
        return paths


def save_picture(figure: Figure, path: str | Path) -> None:
    """Writes a figure of matplotlib as PNG with 64 colours. The same figure always gives the same file.

    `Report.draw` saves the figures of a report in this way.
    """
    from PIL import Image

    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=130, transparent=False)
    few = Image.open(drawn).convert("RGB").quantize(COLOURS_OF_PICTURES, Image.Quantize.MEDIANCUT)
    write(Path(path), partial(few.save, format="PNG", optimize=True))


class Interval(NamedTuple):
    """A value and the ends of its 95 % interval: equal to it if it is exact, not numbers if not known."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Interval:
        """Makes a value that is known."""
        return cls(value, value, value)

    @classmethod
    def around(cls, mean: float, ci95: float) -> Interval:
        """Makes the interval of a mean from half its width."""
        return cls(mean, mean - ci95, mean + ci95)

    @classmethod
    def mean(cls, values: npt.ArrayLike, *, logs: bool = False) -> Interval:
        """Makes the mean of independent values, geometric by `logs`, with Student's interval from three values on.

        Raises `ArgumentError` for a value that is not finite, or that is not above 0 and has no logarithm.
        """
        numbers = np.asarray(values, dtype=np.float64).ravel()
        if logs and not (numbers > 0).all():
            raise ArgumentError(f"values must be above 0 for logs, got {numbers[~(numbers > 0)][0]:g}")
        found = estimate(np.log(numbers) if logs else numbers)
        half = found.ci95 if len(numbers) > 2 else np.nan
        ends = found.mean + np.array([0, -half, half])
        return cls(*map(float, np.exp(ends) if logs else ends))

    def times(self, factor: float) -> Interval:
        """Returns the value and the ends times a factor above 0."""
        return Interval(*(factor * end for end in self))

    def is_above(self, other: Interval) -> bool:
        """Returns true if the interval of the difference is above 0; the values are taken as independent."""
        return self.value - other.value > hypot(self.value - self.low, other.high - other.value)

    def __format__(self, digits: str) -> str:
        """The value and the ends, such as ``0.12 (0.08 to 0.16)``; the value alone if it has no other ends."""
        digits = digits or ".2f"
        ends = "" if isnan(self.low) or self.low == self.high else f" ({self.low:{digits}} to {self.high:{digits}})"
        return f"{self.value:{digits}}{ends}"

    def __str__(self) -> str:
        """The same with two digits."""
        return f"{self}"


#: Values by game and agent.
Ranks: TypeAlias = Mapping[str, Mapping[str, Interval]]


@dataclass(frozen=True)
class Answer:
    """The answer that results give to a question: its text and its picture come from the ranks.

    Attributes:
        question: The title of the page.
        measure: The value by which they are ranked, such as ``mean return``.
        ranks: The values of the agents by game, each with its interval.
        lowest: True if the lowest value is the best.
        sure: Three sentences: what was compared, what could change the answer, and what is not known.
        details: Everything else, folded, by heading.
        figures: Functions that draw further figures, by name.
        leads: By game and two agents that met: the mean return of the first one less that of the second one in their
            own match. Where the two met, it decides whether the first is ahead, and otherwise the ranks do.
        apart: Games whose agents did not meet the same opponents equally often. Their ranks are not used.
        picture: Draws the picture of the answer, in place of the ranks.
    """

    question: str
    measure: str
    ranks: Ranks
    lowest: bool
    sure: Sequence[str]
    details: Mapping[str, str]
    figures: Mapping[str, Callable[[], Figure]] = field(default_factory=dict)
    leads: Mapping[str, Mapping[tuple[str, str], Interval]] = field(default_factory=dict)
    apart: Collection[str] = ()
    picture: Callable[[], Figure] | None = None

    def ranked(self) -> dict[str, dict[str, Interval]]:
        """Returns the ranks of the games that have any to compare, the best first."""
        sign = 1 if self.lowest else -1
        found = {game: [one for one in own.items() if not isnan(one[1].value)] for game, own in self.ranks.items()}
        ranked = {game: dict(sorted(own, key=lambda one: sign * one[1].value)) for game, own in found.items() if own}
        return {game: own for game, own in ranked.items() if game not in self.apart}

    def text(self) -> str:
        """Returns sentences that name the best agents, and say if intervals show that they are ahead of all others."""
        ranked, what = self.ranked(), f"the {'lowest' if self.lowest else 'highest'} {self.measure}"
        compared = {game: own for game, own in ranked.items() if len(own) > 1}
        why = "the agents did not meet the same opponents equally often, so that their means are not compared."
        apart = f"In {_listed(self.apart)}, {why}" if self.apart else ""
        if not compared:
            alone = [(f" in `{game}`" * bool(game), *own.popitem()) for game, own in ranked.items()]
            said = [f"For `{name}`{where}, the {self.measure} is {value}." for where, name, value in alone]
            return " ".join([*said, *[apart] * bool(apart)]) or "Nothing has been measured yet."
        games = len(compared) + len(self.apart)
        shows = any(map(self._has_intervals, compared))
        bests, most = _firsts(compared)
        if games == 1:
            game, own = next(iter(compared.items()))
            first, second = list(own)[:2]
            best = f"{what}{f' in `{game}`' * bool(game)}: {own[first]}."
            if len(bests) > 1 and not shows:
                return f"{_listed(bests)} have {best}"
            text = f"`{first}` has {best} The next is `{second}`, with {own[second]}."
            return f"{text}{f' {self.finding()}.' * shows}"
        one = f"`{bests[0]}`" if len(bests) == 1 else "the first"
        named = f"{one} has" if len(bests) == 1 else f"{_listed(bests)} each have"
        clear = [next(iter(own)) for game, own in compared.items() if not self.near(game)]
        ahead = clear if len(bests) > 1 else [name for name in clear if name in bests]
        text = f"{named} {what} in {most} of {games} games."
        shown = f" By 95 % intervals, {one} is ahead of all others in {len(ahead) or 'none'} of {games} games."
        return f"{text}{shown * shows} {apart}".strip()

    def finding(self) -> str:
        """Returns the answer in a few words, as the title of its picture."""
        compared = {game: own for game, own in self.ranked().items() if len(own) > 1}
        if len(compared) != 1:
            bests, most = _firsts(compared)
            lead = f"lead{'s' * (len(bests) == 1)} in {most} of {len(compared)} games"
            return f"{_listed(bests)} {lead}" if bests else title_of(self.text())
        game, own = next(iter(compared.items()))
        first, second, near = *list(own)[:2], self.near(game)
        best = f"the {'lowest' if self.lowest else 'highest'} {self.measure}"
        if not self._has_intervals(game):
            firsts, _ = _firsts({game: own})
            return f"`{first}` has {best}" if len(firsts) == 1 else f"{_listed(firsts)} have {best}"
        if second in near:
            return f"The results do not tell `{first}` from {_listed(near)}"
        others = "all others" if len(own) > 2 and not near else f"`{second}`"
        return f"`{first}` is ahead of {others}{f', but not clearly of {_listed(near)}' * bool(near)}"

    def _has_intervals(self, game: str) -> bool:
        """Returns true if a value of a game has an interval, which could show who is ahead."""
        return any(own.low < own.high for own in self.ranked()[game].values()) or bool(self.leads.get(game))

    def near(self, game: str) -> list[str]:
        """Returns the agents of a game that the best is not ahead of: in their own match, or else by the ranks."""
        (best, first), *others = self.ranked()[game].items()
        leads = self.leads.get(game, {})

        def is_behind(name: str, own: Interval) -> bool:
            if (best, name) in leads:
                return leads[best, name].low > 0
            return own.is_above(first) if self.lowest else first.is_above(own)

        return [name for name, own in others if not is_behind(name, own)]


def _firsts(compared: Ranks) -> tuple[list[str], int]:
    """Returns the agents that are first in the most games, and in how many they are."""
    bests = [(own, next(iter(own.values())).value) for own in compared.values()]
    firsts = Counter(name for own, best in bests for name, (value, *_) in own.items() if value == best)
    most = max(firsts.values(), default=0)
    return [name for name, count in firsts.items() if count == most], most


def _listed(names: Iterable[str]) -> str:
    """Returns at most three names in a sentence, as code."""
    return in_words([f"`{name}`" for name in names], most=3)


def bars(ranked: Ranks, title: str, label: str) -> Figure:
    """Draws a panel for each game with a bar and its interval for each agent, the first on top (see `Answer`)."""
    from stier import plots

    height = 1.3 + sum(0.4 + 0.22 * len(own) for own in ranked.values())
    ratios = [len(own) for own in ranked.values()]
    figure, axes = plots.panels((len(ranked), 1), (7.2, height), title, grid="x", height_ratios=ratios)
    for ax, (name, own) in zip(axes, ranked.items(), strict=True):
        plots.bars(own, ax, title=name)
    figure.supxlabel(label, fontsize=9)
    return figure


def drawn(name: str, shown: Any, title: str) -> Figure:
    """Draws a figure by the function of `stier.plots` with this name; the title is its finding."""
    from stier import plots

    axes = getattr(plots, name)(shown)
    figure: Figure = axes.figure
    figure.suptitle("\n".join(wrap(title, 60)), fontsize=10)
    return figure


def plain(text: str) -> str:
    """Returns a text without Markdown, in one line."""
    return re.sub(r"[*`]", "", " ".join(text.split()))


def title_of(text: str) -> str:
    """Returns the first sentence of a text without Markdown, for a picture."""
    return plain(first_sentence(text))


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
        answer: At most three sentences, without more than three intervals; the first is set in bold.
        picture: A picture as Markdown, whose title is the finding.
        sure: Three sentences: what was compared, what could change the answer, and what is not known; without heads.
        command: The command that repeats it.
        details: Everything else, folded, by heading.
    """
    bold = re.sub(r"(?s)^(.+?\.)(?=\s+[A-Z`]|$)", r"**\1**", answer.strip())
    text = f"# {question}\n\n{bold}\n\n" + (f"{picture}\n\n" if picture else "")
    points = "".join(f"- **{head}.** {one}\n" for head, one in zip(HEADS, sure, strict=False))
    text += f"## How sure?\n\n{points}\n" if points else ""
    text += f"## Repeat it\n\n```sh\n{command}\n```\n" if command else ""
    for heading, own in (details or {}).items():
        text += f"\n<details>\n<summary>{heading}</summary>\n\n{own.strip()}\n\n</details>\n"
    return f"{text.strip()}\n"


def most(noun: str, numbers: Iterable[int]) -> str:
    """Returns the largest of numbers of things, such as ``3 seeds`` if all are equal, or else ``3 seeds at most``."""
    found = set(numbers)
    return f"{counted(max(found), noun)}{' at most' * (len(found) > 1)}"


def markdown_table(names: Sequence[str], rows: Iterable[Iterable[object]], left: int | Collection[int] = 1) -> str:
    """Returns a table in Markdown.

    Args:
        names: The names of the columns.
        rows: The cells of each row.
        left: The number of columns at the left that are text, or the places of all columns that are; the
            others are numbers.
    """
    texts = range(left) if isinstance(left, int) else left
    head = [names, ["---" if place in texts else "---:" for place in range(len(names))]]
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in [*head, *rows])
