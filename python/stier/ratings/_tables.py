"""Means with 95 % intervals, games of agents by deal, and who beats whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from stier import _native
from stier._native import PitResult, derive_seed
from stier._output import between, plus_minus, table
from stier.errors import ArgumentError

if TYPE_CHECKING:
    from stier.experiments import Store


Floats = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean and how well it is known."""

    #: The mean over the units.
    mean: float
    #: Half the width of the 95 % interval; not a number for fewer than two units. The mean less it is also a lower
    #: bound of its own with 95 % confidence, and the mean plus it an upper one.
    ci95: float
    #: Independent units: deals, not games.
    units: int


class Share(NamedTuple):
    """A share, such as that of games won, and how well it is known."""

    #: The mean over the units, between 0 and 1.
    mean: float
    #: The lower end of the 95 % interval; not a number for fewer than two units.
    low: float
    #: The upper end.
    high: float
    #: Independent units: deals, not games.
    units: int


#: The least and the greatest value that are possible.
Bounds: TypeAlias = tuple[float, float]


def range_of(within: Bounds | None) -> Bounds:
    """Returns the ends of a range, infinite ones for None. Raises `ArgumentError` if it is none."""
    low, high = within or (-inf, inf)
    if not low <= high:
        raise ArgumentError(f"within must be two numbers, the lower one first, got {low} and {high}")
    return low, high


def estimate(values: npt.ArrayLike, within: Bounds | None = None) -> Estimate:
    """The mean of independent values with its interval.

    Without a range, it is Student's interval, which takes values that were never seen for impossible: equal values have
    one of width 0. With a range, each side is computed as if one more value lay at its end of the range; it counts by
    its own part in the variance. The side of a longer tail is wider by the term for skewness in the Edgeworth
    expansion (P. Hall, *On the removal of skewness by transformation*, 1992), and ``ci95`` is the larger side. Its
    coverage is in `benches/COVERAGE.md`.

    Args:
        values: The values, finite.
        within: The least and the greatest value that are possible, such as the `min_utility` and the `max_utility` of
            a game for its returns.

    Raises:
        ValueError: A value that is not finite or out of the range, or a range whose lower end is not the first.
    """
    return Estimate(*_native.estimate(np.asarray(values, dtype=np.float64).ravel(), *range_of(within)))


def share(values: npt.ArrayLike, of: npt.ArrayLike = 1) -> Share:
    """The mean of independent values between 0 and 1, with an interval that is right near 0 and 1.

    With `of` it is the sum of the values divided by that of what each is a part of, such as games won of those played.

    The interval is Clopper and Pearson's (1934) for as many trials as the values are worth by their variance (E. L.
    Korn and B. I. Graubard, *Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data*, 1998). It is not symmetric: 200 wins of 200 are 98.2 % or more. Raises `ValueError` for
    values that are not shares.
    """
    parts = np.asarray(values, dtype=np.float64).ravel()
    wholes = np.broadcast_to(np.asarray(of, dtype=np.float64).ravel(), parts.shape).copy()
    wrong = ~((parts > -1e-9) & (parts < wholes + 1e-9))
    if wrong.any():
        raise ArgumentError(f"shares must be between 0 and {wholes[wrong][0]:g}, got {parts[wrong][0]:g}")
    return Share(*_native.share(parts, wholes))


def half_width(variance: float, freedom: int) -> float:
    """Half the width of the 95 % interval of a mean with this variance."""
    return float(special.stdtrit(freedom, 0.975)) * float(np.sqrt(variance))


def bootstrap(seed: int) -> Any:
    return np.random.default_rng(derive_seed(seed, "bootstrap", 0))


Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Outcomes:
    """The games of a match: the agents at the seats, the deal and the returns.

    Attributes:
        agents: The agents' names; no two are the same.
        unit: The number of the deal of each game: int64 (games,). Games of one deal are not independent.
        seats: The agent at each seat, as a number: int64 (games, seats).
        returns: Returns by seat: float64 (games, seats).
        bounds: The least and the greatest return that are possible; without them, intervals of means are Student's.
    """

    agents: list[str]
    unit: Integers
    seats: Integers
    returns: Floats
    bounds: Bounds = (-inf, inf)

    @property
    def units(self) -> int:
        """The number of deals."""
        return int(self.unit.max(initial=-1)) + 1

    @property
    def wins(self) -> Floats:
        """Shares in the wins, by game and seat: those in first place share one."""
        first = self.returns == self.returns.max(axis=1, keepdims=True)
        return np.asarray(first / first.sum(axis=1, keepdims=True), dtype=np.float64)

    def by_deal(self, values: Floats, agent: int, opponent: int | None = None) -> Floats:
        """The mean of the values of an agent in each deal in which it played, or met an opponent.

        Args:
            values: Numbers by game and seat, such as `returns` or `wins`.
            agent: The agent whose values are taken.
            opponent: An agent that must be at the table.
        """
        mine = self.seats == agent
        if opponent is not None:
            mine &= (self.seats == opponent).any(axis=1, keepdims=True)
        game, seat = np.nonzero(mine)
        unit = self.unit[game]
        count = np.bincount(unit, minlength=self.units)
        total = np.bincount(unit, weights=values[game, seat], minlength=self.units)
        there = count > 0
        return np.asarray(total[there] / count[there], dtype=np.float64)


#: The results that ratings are made from.
Results: TypeAlias = "PitResult | Store | Outcomes"


def outcomes(results: Results) -> Outcomes:
    """The outcomes of a match of `stier.pit`, or of the games of an experiment that are there.

    Raises:
        TypeError: It is neither.
        ValueError: Nothing has been played, or the experiment is not one of matches.
    """
    if isinstance(results, Outcomes):
        found = results
    elif isinstance(results, PitResult):
        games = results.games
        found = Outcomes(
            results.agents,
            _numbered(np.array([played.deal for played in games], dtype=np.int64)),
            np.array([played.agents for played in games], dtype=np.int64),
            np.array([played.returns for played in games], dtype=np.float64),
            (results.game.min_utility(), results.game.max_utility()),
        )
    elif hasattr(results, "to_arrow"):
        found = _of_experiment(results)
    else:
        raise TypeError(f"results must be a PitResult, the games of an experiment or outcomes, got {results!r}")
    if not len(found.unit):
        raise ArgumentError("there are no games yet")
    return found


def _of_experiment(games: Store) -> Outcomes:
    experiment: Any = games.experiment
    if experiment.kind != "matches":
        raise ArgumentError(f"{games.folder} must be an experiment of the kind matches, got {experiment.kind}")
    table, names = games.to_arrow(), experiment.names
    place = {name: number for number, name in enumerate(names)}
    game = experiment.load_game()
    seats = game.num_players()
    sitting = table["names"].combine_chunks().flatten().to_pylist()
    # Deals of all seeds in turn: the first units are a smaller experiment.
    deals = np.stack([table["deal"].to_numpy().astype(np.uint64), table["seed"].to_numpy().astype(np.uint64)])
    unit = np.unique(deals, axis=1, return_inverse=True)[1].reshape(-1)
    sat = np.array([place[name] for name in sitting], dtype=np.int64).reshape(-1, seats)
    returns = table["returns"].combine_chunks().flatten().to_numpy().astype(np.float64).reshape(-1, seats)
    # By deal and names: sums of floats depend on their order, which is not to depend on the order of the names.
    by_name = np.argsort(np.argsort(names))
    order = np.lexsort((*by_name[sat].T, unit))
    return Outcomes(names, unit[order], sat[order], returns[order], (game.min_utility(), game.max_utility()))


def _numbered(values: Integers) -> Integers:
    return np.unique(values, return_inverse=True)[1].reshape(-1)


@dataclass(frozen=True)
class CrossTable:
    """The results of each agent (row) in the games with each other one (column) at the table.

    Arrays are float64 (agents, agents), not a number where two did not meet.

    Attributes:
        agents: The agents' names.
        mean: Mean returns of the row.
        ci95: Half widths of their 95 % intervals over deals.
        wins: Shares of the games that the row won.
        wins_low: Lower ends of their 95 % intervals over deals.
        wins_high: Upper ends.
        deals: In how many deals they met: int64.
        overall: Mean return of each agent in all its games.
        overall_wins: Its share of the wins.
    """

    agents: list[str]
    mean: Floats
    ci95: Floats
    wins: Floats
    wins_low: Floats
    wins_high: Floats
    deals: Integers
    overall: list[Estimate]
    overall_wins: list[Share]

    def __str__(self) -> str:
        """Standings, and who did how against whom."""

        def returned(mean: float, half: float) -> str:
            return "-" if np.isnan(mean) else f"{mean:+.3f}{plus_minus(half)}"

        def won(wins: float, low: float, high: float, percent: str = "") -> str:
            return "-" if np.isnan(wins) else f"{100 * wins:.1f}{percent} {between(low, high)}".rstrip()

        def crossed(cell: Callable[..., str], *arrays: Floats) -> str:
            rows = ([name, *map(cell, *row)] for name, *row in zip(self.agents, *arrays, strict=True))
            return table([], rows)

        overall = zip(self.agents, self.overall, self.overall_wins, strict=True)
        rows = ([name, returned(*mean[:2]), won(*wins[:3], " %"), str(mean.units)] for name, mean, wins in overall)
        return (
            f"{table(['agent', 'mean return', 'wins', 'deals'], rows)}"
            f"mean return, row against column:\n{crossed(returned, self.mean, self.ci95)}"
            f"wins in %, row against column:\n{crossed(won, self.wins, self.wins_low, self.wins_high)}"
        )


def cross_table(results: Results) -> CrossTable:
    """Computes each agent's results against each other one, with 95 % intervals over deals: look at it before ratings.

    Args:
        results: The result of `stier.pit`, the games of an experiment, or `Outcomes`.
    """
    found = outcomes(results)
    count, wins = len(found.agents), found.wins
    tables = np.full((5, count, count), np.nan)
    deals = np.zeros((count, count), dtype=np.int64)
    for row in range(count):
        for column in range(count):
            if row != column:
                here = estimate(found.by_deal(found.returns, row, column), found.bounds)
                won = share(found.by_deal(wins, row, column))
                tables[:, row, column] = here.mean, here.ci95, won.mean, won.low, won.high
                deals[row, column] = here.units
    overall = [estimate(found.by_deal(found.returns, agent), found.bounds) for agent in range(count)]
    overall_wins = [share(found.by_deal(wins, agent)) for agent in range(count)]
    mean, ci95, won_share, low, high = tables
    return CrossTable(found.agents, mean, ci95, won_share, low, high, deals, overall, overall_wins)
