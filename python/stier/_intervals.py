"""Intervals and names as text."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan


def plus_minus(half: float, digits: int = 3) -> str:
    """Returns an interval as text that follows the mean, such as `` ± 0.012``; empty if there is none."""
    return "" if isnan(half) else f" ± {half:.{digits}f}"


def between(low: float, high: float) -> str:
    """Returns the interval of a share as text, in percent, such as ``(47.8 to 48.6)``; empty if there is none."""
    return "" if isnan(low) else f"({100 * low:.1f} to {100 * high:.1f})"


def distinct(names: Sequence[str]) -> list[str]:
    """Returns the names; the second of those that are the same is called #2."""
    return [
        name if (seen := names[:index].count(name)) == 0 else f"{name} #{seen + 1}" for index, name in enumerate(names)
    ]
