"""Means with 95 % intervals, and resampling: the unit is the deal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from stier._native import derive_seed

Floats = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean and how well it is known."""

    #: The mean over the units.
    mean: float
    #: Half the width of the 95 % interval (Student's t); infinite for a single unit, not a number for none.
    ci95: float
    #: Independent units: deals, not games.
    units: int


def estimate(values: npt.ArrayLike) -> Estimate:
    """The mean of independent values with its interval."""
    array = np.asarray(values, dtype=np.float64)
    units = array.size
    if units == 0:
        return Estimate(np.nan, np.nan, 0)
    mean = float(array.mean())
    if units == 1:
        return Estimate(mean, np.inf, 1)
    return Estimate(mean, half_width(float(array.var(ddof=1)) / units, units - 1), units)


def half_width(variance: float, freedom: int) -> float:
    """Half the width of the 95 % interval of a mean with this variance."""
    return float(stats.t.ppf(0.975, freedom)) * float(np.sqrt(variance))


def resampled(units: int, resamples: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """Numbers of units drawn with replacement, as many as there are, `resamples` times."""
    rng: Any = np.random.default_rng(derive_seed(seed, "bootstrap", 0))
    for _ in range(resamples):
        yield rng.integers(units, size=units)
