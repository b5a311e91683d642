"""Progress, and numbers, lists, intervals and durations as text."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from math import isnan
from typing import Any, TypeAlias

#: Seconds between lines about the progress.
PAUSE = 10.0


class Lines:
    """Progress where no bar can be drawn: now and then a line on standard error."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._last = time.monotonic()

    def update(self, done: int, total: int, note: str = "") -> None:
        """Prints a line, if it is time."""
        if time.monotonic() - self._last >= PAUSE:
            self.print(done, total, note)

    def print(self, done: int, total: int, note: str = "") -> None:
        share = f" ({done / total:.0%})" if total else ""
        end = f": {note}" if note else ""
        print(f"{done:,} of {total:,} {self._unit}{share}{end}", file=sys.stderr, flush=True)
        self._last = time.monotonic()

    def close(self) -> None: ...


class Bar:
    """A bar of tqdm that opens when the total is known."""

    def __init__(self, tqdm: Any, unit: str, *, leave: bool) -> None:
        self._open = partial(tqdm, unit=f" {unit}", leave=leave, file=sys.stderr)
        self._bar: Any = None

    def update(self, done: int, total: int, note: str = "") -> None:
        if self._bar is None:
            self._bar = self._open(total=total)
        if note:
            self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


#: Shows that so much of a total is done, and a note behind it.
Update: TypeAlias = Callable[..., object]


def draws_bars() -> bool:
    """Returns true if standard error is shown in a terminal or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def bar(progress: bool, unit: str = "games", *, leave: bool = True, lines: Lines | None = None) -> Iterator[Update]:
    """Yields the function that shows the progress, if `progress` says so.

    It moves a bar in terminals and notebooks with tqdm, and prints `lines` elsewhere, as in the log of a cluster.
    """
    if not progress:
        yield lambda *_: None
        return
    shown: Bar | Lines = Lines(unit) if lines is None else lines
    if draws_bars():
        with suppress(ImportError):
            from tqdm.auto import tqdm

            shown = Bar(tqdm, unit, leave=leave)
    with closing(shown):
        yield shown.update


def table(head: Sequence[str], rows: Iterable[Iterable[str]], left: int = 1) -> str:
    """Returns lines of columns that are as wide as their widest cells. All but the first ones are set to the right."""
    cells = [list(head), *map(list, rows)] if head else [*map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    sides = [str.ljust] * left + [str.rjust] * (len(widths) - left)
    lines = [
        "  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)) for row in cells
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def first_sentence(text: str) -> str:
    """Returns the first sentence of a text, without its full stop. Abbreviations end none."""
    return re.split(r"\.(?=\s+[A-Z`]|$)", " ".join(text.split()), maxsplit=1)[0]


def counted(number: int | str, noun: str) -> str:
    """Returns a number of things, such as ``one seed`` and ``2,000 seeds``."""
    text = number if isinstance(number, str) else f"{number:,}"
    return f"one {noun}" if text == "1" else f"{text} {noun}s"


def in_words(names: Iterable[str], most: int | None = None) -> str:
    """Returns names as in a sentence: all, or the first ones and how many others there are."""
    shown = list(names)
    if most is not None and len(shown) > most:
        shown[most - 1 :] = [f"{len(shown) - most + 1} others"]
    return " and ".join([", ".join(shown[:-1]), *shown[-1:]] if len(shown) > 1 else shown)


def duration(seconds: float) -> str:
    """Returns a duration as text, with three significant digits."""
    # Rounded before the unit is chosen: 0.9996 s is 1.00 s.
    rounded = {unit: float(f"{scale * seconds:.2e}") for unit, scale in (("µs", 1e6), ("ms", 1e3), ("s", 1))}
    unit = next((unit for unit, number in rounded.items() if number < 1000), "s")
    number = rounded[unit]
    return f"{number:.{(number < 10) + (number < 100)}f} {unit}"


def plus_minus(half: float, digits: int = 3) -> str:
    """Returns an interval as text that follows the mean, such as `` ± 0.012``; empty for not a number."""
    return "" if isnan(half) else f" ± {half:.{digits}f}"


def between(low: float, high: float, scale: float = 100, digits: int = 1) -> str:
    """Returns the interval of a share as text, in percent, such as ``(47.8 to 48.6)``; empty for not a number."""
    return "" if isnan(low) else f"({scale * low:.{digits}f} to {scale * high:.{digits}f})"
