"""Means with intervals over units that are not independent of themselves: positions of one game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from stier._output import plus_minus

#: Standard errors in the half width of a 95 % interval.
NORMAL = 1.96

#: Units that an interval needs.
FEWEST = 10


def means(
    frame: pd.DataFrame, by: Sequence[str], values: Mapping[str, npt.ArrayLike], *, unit: str = "game"
) -> pd.DataFrame:
    """Give the mean of each value in each group, with the half width of its 95 % interval.

    The variance is that of a ratio of sums over units (linearized), so that rows of one unit may depend on each other.

    Args:
        frame: Rows with the columns `by` and `unit`.
        by: Columns that make the groups; none for a single group.
        values: Columns to average, by name; as long as the frame. Rows in which one is not a number are left out of it.
        unit: The column of what was drawn independently.

    Returns:
        One row per group, sorted: `by`, ``n`` (rows), ``units``, and for each value ``name`` and ``name_ci95`` (not a
        number for fewer than ten units: too few for it to mean anything).
    """
    if by:
        groups = frame.groupby(list(by), observed=True, sort=True)
        group, table = groups.ngroup().to_numpy(), groups.size().index.to_frame(index=False)
    else:
        group, table = np.zeros(len(frame), np.int64), pd.DataFrame(index=range(1))
    count = len(table)
    # Each pair of a group and a unit has a number; `of` is the group of a pair.
    units = pd.factorize(frame[unit])[0]
    pairs, pair = np.unique(group.astype(np.int64) * (units.max(initial=0) + 1) + units, return_inverse=True)
    of = pairs // (units.max(initial=0) + 1)
    table["n"] = np.bincount(group, minlength=count)
    table["units"] = np.bincount(of, minlength=count)
    for name, column in values.items():
        value = np.asarray(column, dtype=np.float64)
        there = ~np.isnan(value)
        sums = np.bincount(pair, weights=np.where(there, value, 0.0), minlength=len(pairs)).astype(np.float64)
        sizes = np.bincount(pair, weights=there, minlength=len(pairs)).astype(np.float64)
        mean, half = _ratio(of, sums, sizes, count)
        table[name], table[f"{name}_ci95"] = mean, half
    return table


def _ratio(
    of: npt.NDArray[np.int64], sums: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64], count: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The ratio of two sums over units by group, and its half width."""
    with np.errstate(invalid="ignore", divide="ignore"):
        total = np.bincount(of, weights=sizes, minlength=count)
        mean = np.bincount(of, weights=sums, minlength=count) / total
        residual = sums - mean[of] * sizes
        units = np.bincount(of, weights=sizes > 0, minlength=count)
        variance = np.bincount(of, weights=residual**2, minlength=count) * units / (units - 1) / total**2
    return mean, NORMAL * np.sqrt(np.where(units >= FEWEST, variance, np.nan))


def excludes_zero(row: Mapping[Any, Any] | pd.Series, name: str) -> bool:
    """Whether the interval of a mean excludes zero."""
    return bool(abs(row[name]) > row[f"{name}_ci95"])


def with_interval(row: Mapping[Any, Any] | pd.Series, name: str, digits: int = 2, *, sign: bool = True) -> str:
    """A mean and its half width in figures."""
    half = row[f"{name}_ci95"]
    return f"{row[name]:{'+' if sign else ''}.{digits}f}{plus_minus(half, digits)}"
