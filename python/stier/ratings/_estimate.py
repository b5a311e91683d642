"""Means with 95 % intervals, and resampling: the unit is the deal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from stier import _native
from stier._native import derive_seed
from stier.errors import ArgumentError

Floats = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean and how well it is known."""

    #: The mean over the units.
    mean: float
    #: Half the width of the 95 % interval (Student's t); not a number for fewer than two units, which have none.
    ci95: float
    #: Independent units: deals, not games.
    units: int


class Share(NamedTuple):
    """A share, such as that of games won, and how well it is known."""

    #: The mean over the units, between 0 and 1.
    mean: float
    #: The lower end of the 95 % interval; not a number for fewer than two units, which have none.
    low: float
    #: The upper end.
    high: float
    #: Independent units: deals, not games.
    units: int


def estimate(values: npt.ArrayLike) -> Estimate:
    """The mean of independent values with its interval."""
    return Estimate(*_native.estimate(np.asarray(values, dtype=np.float64).ravel()))


def share(values: npt.ArrayLike) -> Share:
    """The mean of independent values between 0 and 1, with an interval that is right near 0 and 1.

    The interval is Clopper and Pearson's (1934) for as many trials as the values are worth by their variance (E. L.
    Korn and B. I. Graubard, *Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data*, 1998). It is not symmetric: 200 wins of 200 are 98.2 % or more. Raises `ValueError` for
    values that are not shares.
    """
    parts = np.asarray(values, dtype=np.float64).ravel()
    if not ((parts > -1e-9) & (parts < 1 + 1e-9)).all():
        raise ArgumentError("shares must be between 0 and 1")
    return Share(*_native.share(parts, np.ones_like(parts)))


def half_width(variance: float, freedom: int) -> float:
    """Half the width of the 95 % interval of a mean with this variance."""
    return float(stats.t.ppf(0.975, freedom)) * float(np.sqrt(variance))


def resampled(units: int, resamples: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """Numbers of units drawn with replacement, as many as there are, `resamples` times."""
    rng: Any = np.random.default_rng(derive_seed(seed, "bootstrap", 0))
    for _ in range(resamples):
        yield rng.integers(units, size=units)
