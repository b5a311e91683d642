"""Progress bars, and intervals and names as text."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from math import isnan
from typing import Any, Protocol


class Bar:
    """A tqdm bar that opens when the total is known; without tqdm, one line that says what to install."""

    def __init__(self, unit: str = "games", *, leave: bool = True) -> None:
        self._unit, self._leave = unit, leave
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            warnings.warn("no progress bar without tqdm: pip install 'stier[progress]'", stacklevel=5)
            self._open = None
        else:
            self._open = tqdm

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, done: int, total: int, note: str = "") -> None:
        """Shows `done` of `total`, and a note after it."""
        if self._open is None:
            return
        if self._bar is None:
            self._bar = self._open(total=total, unit=f" {self._unit}", leave=self._leave, file=sys.stderr)
        if note:
            self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(done - self._bar.n)


class Update(Protocol):
    """Moves a progress bar."""

    def __call__(self, done: int, total: int, note: str = "", /) -> None:
        """Shows `done` of `total`, and a note after it."""


@contextmanager
def bar(progress: bool, unit: str = "games", *, leave: bool = True) -> Iterator[Update | None]:
    """Yields the function that moves a progress bar, or `None` without `progress`."""
    if not progress:
        yield None
        return
    with Bar(unit, leave=leave) as shown:
        yield shown.update


def plus_minus(half: float, digits: int = 3) -> str:
    """Returns an interval as text that follows the mean, such as `` ± 0.012``; empty if there is none."""
    return "" if isnan(half) else f" ± {half:.{digits}f}"


def between(low: float, high: float, scale: float = 100, digits: int = 1) -> str:
    """Returns the interval of a share as text, in percent, such as ``(47.8 to 48.6)``; empty if there is none."""
    return "" if isnan(low) else f"({scale * low:.{digits}f} to {scale * high:.{digits}f})"


