"""Strength as one number per agent: Bradley and Terry's, Plackett and Luce's, Nash averaging and alpha-rank."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.optimize import linprog, minimize
from scipy.sparse.csgraph import connected_components

from stier.errors import ArgumentError, MissingExtraError, RatingError
from stier.ratings._tables import CrossTable, Floats, Outcomes, Results, outcomes, resampled

#: Points for a tenfold chance of winning against losing, as in Elo's ratings.
SCALE = 400 / np.log(10)
#: The step at which Newton's method has found the maximum, and the most steps.
CLOSE, STEPS = 1e-10, 200


@dataclass(frozen=True)
class Ratings:
    """Ratings of agents.

    Attributes:
        agents: The agents' names, in order of entry.
        rating: Their ratings: float64 (agents,).
        low: Lower ends of the 95 % intervals over deals: float64 (agents,).
        high: Upper ends.
        method: The name of the model.
    """

    agents: list[str]
    rating: Floats
    low: Floats
    high: Floats
    method: str

    def order(self) -> list[int]:
        """The numbers of the agents, best first."""
        return [int(agent) for agent in np.argsort(-self.rating, kind="stable")]

    def __str__(self) -> str:
        """A line for each agent, best first."""
        width = max(5, *map(len, self.agents))
        lines = [f"{'agent':<{width}}  {'rating':>8}  95 % interval   ({self.method})"]
        lines += [
            f"{name:<{width}}  {rating:+8.1f}  {low:+8.1f} to {high:+.1f}"
            for name, rating, low, high in (
                (self.agents[agent], self.rating[agent], self.low[agent], self.high[agent]) for agent in self.order()
            )
        ]
        return "\n".join(lines) + "\n"


def bradley_terry(results: Results, *, prior: float = 1.0, resamples: int = 1000, seed: int = 0) -> Ratings:
    """Fits a strength to each agent: A beats B with odds of ``10 ** ((A - B) / 400)``, as Elo's ratings say.

    The maximum of the likelihood, by Newton's method. Games that are drawn count half for both; of more than two
    players, each pair at the table counts as a game. Ratings have the mean 0. Intervals are percentiles of a bootstrap
    over deals: all games of a deal are drawn together. This is Stier's own code because the bootstrap needs the maxima
    for many resamples at once, and a prior for agents that won all their games.

    One number cannot say that A beats B beats C beats A: look at the `cross_table` first.

    Args:
        results: The result of `stier.pit`, the games of an experiment, or `Outcomes`.
        prior: Drawn games that are added for each pair that met, so that who has won all games has a finite rating; 0
            for the plain maximum.
        resamples: Resamples of the bootstrap; 0 for none.
        seed: Its seed.

    Raises:
        ValueError: Agents that never met, directly or through others; without a prior, also if some won all their games
            against all others: then no rating is large enough. The error names them.
    """
    if prior < 0:
        raise ArgumentError(f"prior must be 0 or more, got {prior}")
    if resamples < 0:
        raise ArgumentError(f"resamples must be 0 or more, got {resamples}")
    found = outcomes(results)
    wins = _wins_by_deal(found)
    total = wins.sum(axis=0)
    met = total + total.T > 0
    _refuse_strangers(found.agents, met, total if prior == 0 else met)
    added = 0.5 * prior * met
    rating = _fit((total + added)[np.newaxis])[0]
    if resamples == 0:
        nothing = np.full(len(rating), np.nan)
        return Ratings(found.agents, rating, nothing, nothing, "Bradley-Terry")
    drawn = np.stack([wins[rows].sum(axis=0) + added for rows in resampled(len(wins), resamples, seed)])
    # A resample may have no maximum without a prior; a trace of one keeps it finite.
    low, high = np.percentile(_fit(drawn + (1e-3 * met if prior == 0 else 0.0)), [2.5, 97.5], axis=0)
    return Ratings(found.agents, rating, low, high, "Bradley-Terry")


def _wins_by_deal(found: Outcomes) -> Floats:
    """The wins of the row against the column in each deal: float64 (deals, agents, agents)."""
    count, seats = len(found.agents), found.seats.shape[1]
    wins = np.zeros((found.units, count, count))
    for one in range(seats):
        for other in range(seats):
            if one != other:
                mine, theirs = found.returns[:, one], found.returns[:, other]
                score = (mine > theirs) + 0.5 * (mine == theirs)
                np.add.at(wins, (found.unit, found.seats[:, one], found.seats[:, other]), score)
    return wins


def _refuse_strangers(agents: list[str], met: Floats, beats: Floats) -> None:
    groups, member = connected_components(met, directed=False)
    if groups == 1:
        groups, member = connected_components(beats > 0, directed=True, connection="strong")
        why = "won or lost all games against the others; a prior above 0 rates them"
    else:
        why = "did not meet, not even through others"
    if groups > 1:
        named = "; ".join(
            ", ".join(agent for agent, of in zip(agents, member, strict=True) if of == group) for group in range(groups)
        )
        raise RatingError(f"there is no rating of groups that {why}: {named}")


def _fit(wins: Floats) -> Floats:
    """The ratings of the largest likelihood: wins (problems, agents, agents) to (problems, agents)."""
    problems, count, _ = wins.shape
    games = wins + wins.transpose(0, 2, 1)
    strength = np.zeros((problems, count))
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(strength[:, np.newaxis, :] - strength[:, :, np.newaxis]))
        gradient = (wins - games * chance).sum(axis=2)
        weight = games * chance * (1 - chance)
        # Adding a constant changes nothing; the constant matrix keeps the mean at 0.
        curvature = -weight + np.eye(count) * weight.sum(axis=2, keepdims=True) + 1 / count
        step = np.linalg.solve(curvature, gradient[:, :, np.newaxis])[:, :, 0]
        # Far from the maximum a full step leads too far.
        step *= np.minimum(1, 1 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        strength += step
        if np.abs(step).max() < CLOSE:
            break
    return np.asarray(SCALE * strength)


def plackett_luce(results: Results, *, resamples: int = 50, seed: int = 0) -> Ratings:
    """Rates agents by the order in which they finish, for any number of players. Needs the extra ``ratings``.

    The model of R. C. Weng and C.-J. Lin, *A Bayesian Approximation Method for Online Ranking* (2011), as openskill has
    it: ratings begin at 25 and follow the games, deal by deal, so the last games count more than the first. The order
    of the deals is drawn: the rating is the mean over resamples of deals, and the interval that of a normal
    distribution with their standard deviation.

    Args:
        results: The result of `stier.pit`, the games of an experiment, or `Outcomes`.
        resamples: Resamples of the deals, at least 2; each costs some 30 µs a game.
        seed: Their seed.
    """
    try:
        from openskill.models import PlackettLuce
    except ModuleNotFoundError:
        raise MissingExtraError("plackett_luce needs openskill: pip install 'stier[ratings]'") from None
    if resamples < 2:
        raise ArgumentError(f"resamples must be 2 or more, got {resamples}")
    found = outcomes(results)
    model = PlackettLuce()
    by_deal: list[list[int]] = [[] for _ in range(found.units)]
    for game, unit in enumerate(found.unit.tolist()):
        by_deal[unit].append(game)
    draws = [
        _follow(model, found, [game for deal in deals.tolist() for game in by_deal[deal]])
        for deals in resampled(found.units, resamples, seed)
    ]
    rating = np.mean(draws, axis=0)
    half = stats.norm.ppf(0.975) * np.std(draws, axis=0, ddof=1)
    return Ratings(found.agents, rating, rating - half, rating + half, "Plackett-Luce, openskill")


def _follow(model: Any, found: Outcomes, games: list[int]) -> Floats:
    """The ratings after games in this order."""
    rating = [model.rating() for _ in found.agents]
    seats, returns = found.seats.tolist(), found.returns.tolist()
    for game in games:
        sitting = seats[game]
        teams = model.rate([[rating[agent]] for agent in sitting], scores=returns[game])
        for agent, (after,) in zip(sitting, teams, strict=True):
            rating[agent] = after
    return np.array([one.mu for one in rating])


#: The largest departure of payoffs from antisymmetry, in parts of the largest payoff.
ASYMMETRY = 1e-6
#: The largest ranking intensity; more than this, exponentials overflow.
MOST_INTENSE = 300
#: Weights below this are 0.
NOTHING = 1e-7


class NashAverage(NamedTuple):
    """The result of `nash_averaging`."""

    #: The probability of each agent in the equilibrium: float64 (agents,).
    weights: Floats
    #: The mean payoff of each agent against that choice: float64 (agents,); 0 for those that it chooses, else less.
    averages: Floats


def nash_averaging(payoffs: CrossTable | npt.ArrayLike) -> NashAverage:
    """Rates agents against the equilibrium of the game in which each player chooses an agent.

    D. Balduzzi, K. Tuyls, J. Pérolat, T. Graepel, *Re-evaluating Evaluation* (2018): of all equilibria the one of the
    largest entropy, so that copies of an agent change nothing for the others. The payoffs are taken for exact: their
    errors are not in it.

    Args:
        payoffs: A cross-table, of which the mean returns are taken, or antisymmetric numbers (agents, agents): what the
            row wins against the column.

    Raises:
        ValueError: Not a square, not antisymmetric, or not a number: two agents that did not meet.
    """
    matrix = _matrix(payoffs)
    count = len(matrix)
    largest = float(np.abs(matrix).max())
    if largest > 0:
        matrix = matrix / largest
    if np.abs(matrix + matrix.T).max() > 2 * ASYMMETRY:
        raise ArgumentError("payoffs must be antisymmetric: what the row wins, the column loses")
    # Equilibria are the choices that lose against no agent.
    first = linprog(np.zeros(count), A_ub=matrix, b_ub=np.zeros(count), A_eq=np.ones((1, count)), b_eq=[1.0])
    if not first.success:
        raise ArithmeticError(f"no equilibrium was found: {first.message}")
    # A mixture with the uniform one starts within.
    start = 0.9 * np.clip(first.x, 0, None) + 0.1 / count

    def entropy(weights: Floats) -> tuple[float, Floats]:
        logs = np.log(np.maximum(weights, 1e-300))
        return float(weights @ logs), logs + 1

    with warnings.catch_warnings():
        # SciPy before 1.16 takes steps out of the bounds by rounding errors, and warns that it clips them.
        warnings.filterwarnings("ignore", "Values in x were outside bounds", RuntimeWarning)
        found = minimize(
            entropy,
            start,
            jac=True,
            method="SLSQP",
            bounds=[(1e-12, 1.0)] * count,
            constraints=[
                {"type": "ineq", "fun": lambda weights: -matrix @ weights, "jac": lambda _: -matrix},
                {"type": "eq", "fun": lambda weights: weights.sum() - 1, "jac": lambda _: np.ones(count)},
            ],
            options={"maxiter": 1000, "ftol": 1e-12},
        )
    weights = found.x if found.success else first.x
    weights = np.where(weights < NOTHING, 0.0, weights)
    weights /= weights.sum()
    return NashAverage(weights, (matrix @ weights) * (largest or 1.0))


def alpha_rank(payoffs: CrossTable | npt.ArrayLike, *, alpha: float = 100.0, population: int = 50) -> Floats:
    """Rates agents by how long evolution stays with them: needs the extra ``alpha_rank``: OpenSpiel
    computes it.

    S. Omidshafiei et al., *Alpha-Rank: Multi-Agent Evaluation by Evolution* (2019): the stationary distribution of a
    population of which mutants take over the more likely the better they do.

    Args:
        payoffs: A cross-table, of which the mean returns are taken, or numbers (agents, agents): what the row wins
            against the column.
        alpha: The ranking intensity, above 0 and at most 300, for payoffs of which the largest is made 1.
        population: The size of the population, at least 2.

    Returns:
        The share of time that each agent is what all play: float64 (agents,), of sum 1.
    """
    try:
        from open_spiel.python.egt import alpharank
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"alpha_rank needs {error.name}: pip install 'stier[alpha_rank]'") from None
    if not 0 < alpha <= MOST_INTENSE or population < 2:
        limits = f"alpha must be above 0 and at most {MOST_INTENSE}, population at least 2"
        raise ArgumentError(f"{limits}, got {alpha} and {population}")
    matrix = _matrix(payoffs)
    matrix = matrix / (np.abs(matrix).max() or 1.0)
    if len(matrix) == 1:
        return np.ones(1)
    # What is certain to win overflows to infinity, as it should.
    with np.errstate(over="ignore"):
        _, _, stationary, *_ = alpharank.compute([matrix], m=population, alpha=alpha)
    return np.asarray(stationary, dtype=np.float64)


def _matrix(payoffs: CrossTable | npt.ArrayLike) -> Floats:
    """The payoffs; who plays itself wins nothing."""
    given = payoffs.mean if isinstance(payoffs, CrossTable) else payoffs
    matrix = np.array(given, dtype=np.float64)
    if matrix.ndim != 2 or len(matrix) != matrix.shape[1] or not len(matrix):
        raise ArgumentError(f"payoffs must be a square of numbers (agents, agents), got of shape {matrix.shape}")
    if isinstance(payoffs, CrossTable):
        np.fill_diagonal(matrix, 0.0)
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise ArgumentError(f"there is no payoff of agent {row} against agent {column}: did they meet?")
    return matrix
