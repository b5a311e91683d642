"""Plots with matplotlib: matches, learning curves, convergence. Needs the extra ``plots``.

Every function draws into the axes given, or into new ones, and gives them back: figures are shown, saved and closed by
the caller. Colours can be told apart with any kind of colour vision, nothing is told by colour alone, and texts take
the colours of the style in use, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import cycle
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from stier import _arguments
from stier._native import PitResult, TabularPolicy
from stier._output import plus_minus
from stier.errors import ArgumentError, missing_extra

try:
    from matplotlib import pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.ticker import FixedLocator, NullLocator
except ModuleNotFoundError:
    raise missing_extra("stier.plots", "matplotlib", "plots") from None

if TYPE_CHECKING:
    from stier.ratings import CrossTable, Ratings

__all__ = ["bars", "convergence", "cross_table", "learning_curve", "panels", "ratings"]

#: The length of an interval without an end, in parts of the longest one that has both.
OPEN = 1.5
#: Colours after Okabe and Ito (2008), without black and the pale yellow, which do not show on every ground.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"]
#: The map of every heat map of gains and losses: purple is good for the row, orange is bad.
DIVERGING = "PuOr"
_STYLES = ["-", "--", "-.", ":"]
_MARKERS = ["o", "s", "^", "D", "v", "P"]


class Frame(Protocol):
    """Columns by name: a pandas frame, or a dict of lists or arrays."""

    def keys(self) -> Iterable[Any]:
        """The names of the columns."""
        ...

    def __getitem__(self, name: str, /) -> Any:
        """A column."""
        ...


def cross_table(result: PitResult | CrossTable, ax: Axes | None = None) -> Axes:
    """A cross-table: the mean return of each agent (row) against each other one (column) with its 95 % half width.

    Args:
        result: The result of `stier.pit`, or a cross-table of `stier.ratings`.
        ax: The axes to draw on; new ones if left out.
    """
    mean, ci95 = result.cross_table() if isinstance(result, PitResult) else (result.mean, result.ci95)
    names = [_folded(name) for name in result.agents]
    count = len(names)
    ax = _axes(ax, 2.6 + 1.25 * count, 1.6 + 0.75 * count)
    most = float(np.nanmax(np.abs(mean), initial=0.0, where=~np.isnan(mean))) or 1.0
    # The ends of the map are too dark for comfort.
    image = ax.imshow(np.ma.masked_invalid(mean), cmap=DIVERGING, vmin=-1.3 * most, vmax=1.3 * most, aspect="auto")
    for row in range(count):
        for column in range(count):
            if not np.isnan(mean[row, column]):
                colour = _contrast(image, mean[row, column])
                lines = [f"{mean[row, column]:+.2f}", plus_minus(ci95[row, column], 2).strip()]
                text = "\n".join(filter(None, lines))
                ax.text(column, row, text, ha="center", va="center", color=colour, fontsize=9)
    ax.set_xticks(range(count), names, fontsize=8)
    ax.set_yticks(range(count), names, fontsize=8)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if isinstance(result, PitResult):
        deals = f"{result.deals} {'paired ' if result.paired else ''}deals"
        title = f"{result.game}: mean return of row against column, {deals}"
    else:
        title = "mean return of row against column, 95 % intervals over deals"
    ax.set_title(title, fontsize=10)
    return ax


def ratings(found: Ratings, ax: Axes | None = None) -> Axes:
    """Ratings with their 95 % intervals, best on top. One without an end is drawn half as long again as the longest.

    Args:
        found: The result of `stier.ratings.bradley_terry` or `stier.ratings.plackett_luce`.
        ax: The axes to draw on; new ones if left out.
    """
    order = found.order()[::-1]
    ax = _axes(ax, 6.4, 1.3 + 0.42 * len(order), grid="x")
    value = found.rating[order]
    widths = np.abs(np.stack([value - found.low[order], found.high[order] - value]))
    widths = np.minimum(widths, OPEN * np.max(widths, initial=1.0, where=np.isfinite(widths)))
    ax.errorbar(value, range(len(order)), xerr=widths, fmt="o", color=COLOURS[0], ms=5, capsize=3)
    ax.set_yticks(range(len(order)), [found.agents[agent] for agent in order])
    ax.set_xlabel(f"rating ({found.method}), 95 % interval over deals")
    ax.margins(y=0.6 / max(1, len(order)))
    return ax


def learning_curve(
    frame: Frame,
    *,
    x: str | None = None,
    y: str | None = None,
    ci95: str | None = "ci95",
    by: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws a learning curve: one line per learner, with its interval as a band.

    Args:
        frame: A pandas frame, or a mapping from column names to columns of equal length.
        x: The column of the steps; ``steps`` or ``step`` if left out.
        y: The column of what is measured; if left out ``mean``, or the first that ends in ``/mean``, as
            ``eval/greedy/mean`` in the log of `stier.train.learn`.
        ci95: The column of half widths of 95 % intervals, or its last part: ``ci95`` stands for ``eval/greedy/ci95``
            beside ``eval/greedy/mean``. No band if it is `None` or not there.
        by: The column that tells learners apart; one line if left out.
        ax: The axes to draw on; new ones if left out.

    Raises:
        KeyError: A column that is not there; the error lists those that are.
    """
    columns = [str(name) for name in frame.keys()]  # noqa: SIM118 - a mapping or a frame
    if x is None:
        x = "step" if "step" in columns and "steps" not in columns else "steps"
    if y is None:
        y = next((name for name in columns if name == "mean" or name.endswith("/mean")), "mean")
    if ci95 is not None and "/" in y:
        ci95 = f"{y.rpartition('/')[0]}/{ci95}"
    for name in [x, y, *([] if by is None else [by])]:
        if name not in columns:
            raise KeyError(f"no column '{name}'; there are {', '.join(columns)}")
    ax = _axes(ax, 6.4, 4, grid="both")
    at, value = np.asarray(frame[x]), np.asarray(frame[y], dtype=float)
    width = np.asarray(frame[ci95], dtype=float) if ci95 is not None and ci95 in columns else None
    label: npt.NDArray[Any] = np.asarray(frame[by]) if by is not None else np.full(len(at), "")
    for name, (colour, style, marker) in zip(dict.fromkeys(label.tolist()), _looks(), strict=False):
        mine = np.flatnonzero(label == name)
        order = mine[np.argsort(at[mine], kind="stable")]
        every = max(1, len(order) // 12)
        ax.plot(at[order], value[order], color=colour, ls=style, marker=marker, markevery=every, ms=4, label=str(name))
        if width is not None:
            low, high = value[order] - width[order], value[order] + width[order]
            looks: Any = {"facecolor": (colour, 0.12), "edgecolor": (colour, 0.5), "lw": 0.7, "ls": style}
            ax.fill_between(at[order], low, high, **looks)
    ax.set_xlabel(x)
    ax.set_ylabel(y if width is None else f"{y}, 95 % interval")
    if by is not None:
        ax.legend(title=by, frameon=False)
    return ax


def convergence(
    found: TabularPolicy | Iterable[TabularPolicy] | Mapping[str, TabularPolicy],
    ax: Axes | None = None,
    *,
    x: Literal["iterations", "seconds"] = "iterations",
) -> Axes:
    """Draws the NashConv of solvers over iterations or seconds, on logarithmic axes.

    Args:
        found: Solutions of one game, which are labelled with their algorithms, or a mapping from labels to solutions.
            Their `TabularPolicy.history` is drawn, but for entries with a NashConv of 0 or less, which rounding can
            leave at an exact equilibrium.
        ax: The axes to draw on; new ones if left out.
        x: ``"iterations"``, or ``"seconds"``, of the iterations alone.

    Raises:
        ArgumentError: Another `x`.
        TypeError: Anything else than solutions.
    """
    _arguments.choice("x", x, ("iterations", "seconds"))
    solutions = [found] if isinstance(found, TabularPolicy) else found
    labelled = list(solutions.items()) if isinstance(solutions, Mapping) else [(None, one) for one in solutions]
    if not all(isinstance(one, TabularPolicy) for _, one in labelled):
        raise TypeError("found must be a policy of stier.solve, some of them, or a mapping from labels to them")
    ax = _axes(ax, 6.4, 4, grid="both")
    for (label, solution), (colour, style, marker) in zip(labelled, _looks(), strict=False):
        history = solution.history
        shown = history[(history["nash_conv"] > 0) & (history[x] > 0)]
        ax.plot(shown[x], shown["nash_conv"], color=colour, ls=style, marker=marker, ms=4, label=label or solution.name)
    ax.set_xscale("log")
    ax.set_yscale("log")
    _label_log_axis(ax.xaxis)
    _label_log_axis(ax.yaxis)
    ax.set_xlabel(x)
    ax.set_ylabel("NashConv")
    ax.set_title(", ".join(sorted({str(solution.game) for _, solution in labelled})), fontsize=10)
    ax.legend(frameon=False)
    return ax


def bars(
    values: Mapping[str, tuple[float, float, float]],
    ax: Axes | None = None,
    *,
    title: str = "",
    colours: str | Sequence[str] = COLOURS[0],
) -> Axes:
    """Draws a bar and its interval for each agent, the first on top.

    Args:
        values: By agent, a value and the ends of its interval, such as `stier.experiments.Interval`. A value without an
            interval is exact, with both ends equal to it, or has ends that are not numbers.
        ax: The axes to draw on; new ones if left out.
        title: The title of the axes.
        colours: The colour of all bars, or one for each.

    Raises:
        ArgumentError: No values.
    """
    if not values:
        raise ArgumentError("values must have one agent or more, got none")
    ax = _axes(ax, 6.4, 1.3 + 0.3 * len(values), grid="x")
    middle, *ends = np.array(list(values.values()), dtype=np.float64).T
    halves = abs(np.array(ends) - middle)
    ax.barh(list(values), middle, color=colours)
    # An interval of no width would be drawn as its caps.
    (wide,) = np.nonzero(halves.max(axis=0) > 0)
    if len(wide):
        ax.errorbar(middle[wide], wide, xerr=halves[:, wide], fmt="none", ecolor="0.3", capsize=2)
    ax.set_title(title, fontsize=9)
    ax.invert_yaxis()
    ax.tick_params(labelsize=8)
    return ax


def panels(
    shape: tuple[int, int],
    size: tuple[float, float],
    title: str = "",
    *,
    width: int | None = None,
    grid: Literal["both", "x"] | None = "both",
    sharey: bool = False,
    height_ratios: Sequence[float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """Makes a figure with lines and columns of axes, which are open at the top and the right if they have a grid.

    Args:
        shape: The numbers of lines and columns.
        size: Width and height in inches.
        title: The title of the figure, such as its finding.
        width: The most characters in a line of the title; if left out, as many as fit the width of the figure.
        grid: The lines of the grid: ``"both"``, ``"x"``, or none with `None`.
        sharey: Gives all axes the same vertical one.
        height_ratios: The relative heights of the lines; equal if left out.

    Returns:
        The figure, and its axes line by line.
    """
    options: Any = {"sharey": sharey, "height_ratios": height_ratios}
    figure, axes = plt.subplots(*shape, figsize=size, layout="constrained", squeeze=False, **options)
    for ax in axes.flat:
        _open(ax, grid)
    if title:
        letters = 10 if size[0] < 10 else 11
        figure.suptitle("\n".join(wrap(title, width or int(125 * size[0] / letters))), fontsize=letters)
    return figure, list(axes.flat)


def _label_log_axis(axis: XAxis | YAxis) -> None:
    """Labels a logarithmic axis in plain numbers: powers of ten if it has four, otherwise numbers between them, too."""
    low, high = axis.get_view_interval()
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    ticks: list[float] = []
    for steps in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)):
        ticks = [tick for tick in np.outer(decades, steps).ravel().tolist() if low <= tick <= high]
        if len(ticks) >= 4:
            break
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter("{x:,g}")
    axis.set_minor_locator(NullLocator())


def _axes(ax: Axes | None, width: float, height: float, grid: Literal["both", "x"] | None = None) -> Axes:
    """Returns the axes given, or new ones, open at the top and the right if they have a grid."""
    if ax is None:
        return panels((1, 1), (width, height), grid=grid)[1][0]
    _open(ax, grid)
    return ax


def _open(ax: Axes, grid: Literal["both", "x"] | None) -> None:
    """Opens axes at the top and the right, and draws a grid, unless it is None."""
    if grid is not None:
        ax.grid(alpha=0.3, axis=grid)
        ax.spines[["top", "right"]].set_visible(False)


def _looks() -> Iterator[tuple[str, str, str]]:
    return zip(cycle(COLOURS), cycle(_STYLES), cycle(_MARKERS), strict=False)


def _folded(name: str) -> str:
    """The name of an agent, a line for each option."""
    return name.replace(":", ":\n").replace(",", ",\n")


def _contrast(image: AxesImage, value: float) -> str:
    """Black or white, whichever is readable on the colour of a value."""
    red, green, blue, _ = image.to_rgba(np.array([value]))[0]
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"
