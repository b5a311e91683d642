"""Strength as one number per agent: Bradley and Terry's, Plackett and Luce's, Nash averaging and alpha-rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy.linalg import null_space
from scipy.optimize import linprog
from scipy.sparse.csgraph import connected_components, shortest_path

from stier import _arguments
from stier._output import table
from stier.errors import ArgumentError, RatingError, optional
from stier.ratings._tables import CrossTable, Floats, Outcomes, Results, bootstrap, outcomes

#: Points for a tenfold chance of winning against losing, as in Elo's ratings.
SCALE = 400 / np.log(10)
#: The step at which Newton's method has found the maximum, the gradient in parts of the games that is rounding, and the
#: most steps.
CLOSE, ROUNDING, STEPS = 1e-10, 1e-15, 200
#: The fewest weightings of the bootstrap: with fewer, the ends of 95 % are hardly more than the rating.
FEWEST = 100


@dataclass(frozen=True)
class Ratings:
    """Ratings of agents.

    Attributes:
        agents: The agents' names, in order of entry.
        rating: Their ratings: float64 (agents,).
        low: Lower ends of the 95 % intervals over deals: float64 (agents,); not numbers for a single deal, which has
            none, and without resamples; minus infinity where the games bound nothing from below: of one that lost all
            its games.
        high: Upper ends; infinity where the games bound nothing from above.
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
        """A line for each agent, best first. Intervals that are not numbers are left out."""
        bounded, rows = ~np.isnan(self.low), []
        for agent in self.order():
            ends = f"{self.low[agent]:+.1f} to {self.high[agent]:+.1f}" if bounded[agent] else ""
            rows.append([self.agents[agent], f"{self.rating[agent]:+.1f}", ends])
        return table(["agent", f"rating ({self.method})", "95 % interval" if bounded.any() else ""], rows)


def bradley_terry(results: Results, *, prior: float = 1.0, resamples: int = 1000, seed: int = 0) -> Ratings:
    """Fits a strength to each agent: A beats B with odds of ``10 ** ((A - B) / 400)``, as Elo's ratings say.

    The maximum of the likelihood, by Newton's method. Games that are drawn count half for both; of more than two
    players, each pair at the table counts as a game. Ratings have the mean 0.

    Intervals are those of a Bayesian bootstrap over deals (D. B. Rubin, 1981): all games of a deal get the same random
    weight. For each end, one more deal is weighed with them: one that goes as far as possible towards that end, as in
    N. Gaffke's bound of a mean (2005). For two agents it is C. J. Clopper and E. S. Pearson's interval (1934), so it
    holds its level in lopsided matches, too. The prior is not in it. One that won all games has no upper end.
    This is Stier's own code because the bootstrap needs the maxima for many weights at once, and a prior for agents
    that won all their games.

    One number cannot say that A beats B beats C beats A: look at the `cross_table` first.

    Args:
        results: The result of `stier.pit`, the games of an experiment, or `Outcomes`.
        prior: Drawn games that are added for each pair that met, so that who has won all games has a finite rating; 0
            for the plain maximum.
        resamples: Weightings of the bootstrap, at least 100, and some hundreds for good ends; 0 for no intervals.
        seed: Its seed.

    Raises:
        ValueError: Agents that never met, directly or through others; without a prior, also if some won all their games
            against all others: then no rating is large enough. The error names them.
    """
    prior, resamples = _arguments.number("prior", prior, 0), _arguments.whole("resamples", resamples)
    seed = _arguments.seed(seed)
    if 0 < resamples < FEWEST:
        raise ArgumentError(f"resamples must be at least {FEWEST}, or 0 for no intervals, got {resamples}")
    found = outcomes(results)
    wins = _wins_by_deal(found)
    total = wins.sum(axis=0)
    met = total + total.T > 0
    _refuse_strangers(found.agents, met, total if prior == 0 else met)
    with_prior = total + 0.5 * prior * met
    rating = _fit(with_prior[np.newaxis])[0]
    low, high = np.full((2, len(rating)), np.nan)
    if resamples and len(wins) > 1:
        low, high = _ends(wins, with_prior, rating, resamples, seed)
    return Ratings(found.agents, SCALE * rating, SCALE * low, SCALE * high, "Bradley-Terry")


def _ends(wins: Floats, with_prior: Floats, rating: Floats, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """The ends of the intervals, in the unit of `_fit`."""
    total, met_in = wins.sum(axis=0), np.count_nonzero(wins + wins.transpose(0, 2, 1), axis=0)
    # A deal of average size, and who gains at whose expense if an agent's rating rises.
    size = (total + total.T) / np.maximum(met_in, 1)
    reach = np.linalg.inv(_curvature(with_prior + with_prior.T, rating))
    rng = bootstrap(seed)
    drawn = np.stack([np.tensordot(rng.exponential(size=len(wins)), wins, axes=1) for _ in range(resamples)])
    extra = rng.exponential(size=(resamples, 1, 1))
    # Nothing bounds an agent from above if another one has no wins, direct or through others, that lead to it.
    unlinked = np.isinf(shortest_path(total > 0, unweighted=True))
    ends = [np.where(unlinked.any(axis=axis), sign * np.inf, rating) for sign, axis in ((-1, 1), (1, 0))]
    for sign, end in zip((-1, 1), ends, strict=True):
        for agent in np.flatnonzero(np.isfinite(end)):
            better = np.sign(np.subtract.outer(reach[agent], reach[agent]).round(12))
            found = _fit(drawn + extra * size * (1 + sign * better) / 2, rating)[:, agent]
            end[agent] = sign * max(sign * rating[agent], np.quantile(sign * found, 0.975))
    return ends[0], ends[1]


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
        why, way_out = "won or lost all games against the others", ". A prior above 0 rates them together"
    else:
        why, way_out = "did not meet, not even through others", ""
    if groups > 1:
        named = "; ".join(
            ", ".join(agent for agent, of in zip(agents, member, strict=True) if of == group) for group in range(groups)
        )
        raise RatingError(f"groups of agents cannot be rated together if they {why}: {named}{way_out}")


def _curvature(games: Floats, rating: Floats) -> Floats:
    """The second derivatives of the likelihood, with their sign turned: (..., agents, agents)."""
    chance = 1 / (1 + np.exp(rating[..., np.newaxis, :] - rating[..., :, np.newaxis]))
    weight = games * chance * (1 - chance)
    count = rating.shape[-1]
    # Adding a constant changes nothing; the constant matrix keeps the mean at 0.
    return np.asarray(np.eye(count) * weight.sum(axis=-1, keepdims=True) - weight + 1 / count)


def _fit(wins: Floats, start: Floats | float = 0.0) -> Floats:
    """The ratings of the largest likelihood: wins (problems, agents, agents) to log odds (problems, agents)."""
    games = wins + wins.transpose(0, 2, 1)
    rating = np.zeros(wins.shape[:2]) + start
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(rating[:, np.newaxis, :] - rating[:, :, np.newaxis]))
        gradient = (wins - games * chance).sum(axis=2)
        step = np.linalg.solve(_curvature(games, rating), gradient[:, :, np.newaxis])[:, :, 0]
        # Far from the maximum a full step leads too far.
        step *= np.minimum(1, 1 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        rating += step
        error = np.abs(gradient).max(axis=1) / games.sum(axis=(1, 2))
        if ((np.abs(step).max(axis=1) < CLOSE) | (error < ROUNDING)).all():
            return rating
    raise RatingError(f"the ratings did not converge in {STEPS} steps")


def plackett_luce(results: Results, *, resamples: int = 50, seed: int = 0) -> Ratings:
    """Rates agents by the order in which they finish, for any number of players. Needs the extra ``ratings``.

    The model of R. C. Weng and C.-J. Lin, *A Bayesian Approximation Method for Online Ranking* (2011), as openskill has
    it: ratings begin at 25 and follow the games, deal by deal, so the last games count more than the first. The order
    of the deals is drawn: the rating is the mean over resamples of deals. The interval is that of a normal distribution
    with their standard deviation: how much the rating depends on the deals and their order. Where it depends on
    neither, because the agents always finished alike or played a single deal, the interval is not a number.

    Args:
        results: The result of `stier.pit`, the games of an experiment, or `Outcomes`.
        resamples: Resamples of the deals, at least 2; each costs some 30 µs a game.
        seed: Their seed.
    """
    model = optional("openskill.models", "plackett_luce", "ratings").PlackettLuce()
    resamples, seed = _arguments.whole("resamples", resamples, 2), _arguments.seed(seed)
    found = outcomes(results)
    by_deal: list[list[int]] = [[] for _ in range(found.units)]
    for game, unit in enumerate(found.unit.tolist()):
        by_deal[unit].append(game)
    rng = bootstrap(seed)
    orders = (rng.integers(found.units, size=found.units) for _ in range(resamples))
    draws = [_follow(model, found, [game for deal in order.tolist() for game in by_deal[deal]]) for order in orders]
    rating, spread = np.mean(draws, axis=0), np.std(draws, axis=0, ddof=1)
    half = special.ndtri(0.975) * np.where(spread > CLOSE, spread, np.nan)
    return Ratings(found.agents, rating, rating - half, rating + half, "Plackett-Luce, openskill")


def _follow(model: Any, found: Outcomes, games: list[int]) -> Floats:
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
#: Weights and losses below this are 0.
NOTHING = 1e-7
#: Agents are copies if their payoffs differ by no more than this, in parts of the largest that either of them has.
ALIKE = 5e-6
#: The most that the entropy may fall short of the largest.
SHORT = 1e-6


_NO_EQUILIBRIUM = (
    "Nash averaging found no equilibrium that is exact enough: payoffs that are very different in size, or almost "
    "equal, can be too hard for it"
)


class NashAverage(NamedTuple):
    """The result of `nash_averaging`."""

    #: The probability of each agent in the equilibrium: float64 (agents,).
    weights: Floats
    #: The mean payoff of each agent against that choice: float64 (agents,); 0 for those that it chooses, else less, to
    #: within 5e-6 of the largest payoff.
    averages: Floats


def nash_averaging(payoffs: CrossTable | npt.ArrayLike) -> NashAverage:
    """Rates agents against the equilibrium of the game in which each player chooses an agent.

    D. Balduzzi, K. Tuyls, J. Pérolat, T. Graepel, *Re-evaluating Evaluation* (2018): of all equilibria the one of the
    largest entropy, so that copies of an agent share its weight and change nothing for the others. Linear programs find
    the agents that are in any equilibrium, and Newton's method with barriers the most even of them; that its entropy is
    within 1e-6 of the largest is checked by duality. Agents whose payoffs differ by less than 5e-6 of their largest are
    copies, and have equal weights. Otherwise the payoffs are taken for exact: their errors are not in it.

    Args:
        payoffs: A cross-table, of which the mean returns are taken, or antisymmetric numbers (agents, agents): what the
            row wins against the column.

    Raises:
        ValueError: Not a square, not antisymmetric, or not a number: two agents that did not meet. As `RatingError`, if
            no equilibrium was found within these limits, as happens if payoffs have very different sizes.
    """
    matrix = _matrix(payoffs)
    largest = float(np.abs(matrix).max())
    if largest > 0:
        matrix = matrix / largest
    if np.abs(matrix + matrix.T).max() > 2 * ASYMMETRY:
        raise ArgumentError("payoffs must be antisymmetric: what the row wins, the column loses")
    matrix = (matrix - matrix.T) / 2
    apart = np.abs(matrix[:, np.newaxis] - matrix).max(axis=2)
    size = np.abs(matrix).max(axis=1)
    groups, group = connected_components(apart <= ALIKE * np.maximum.outer(size, size), directed=False)
    copies = np.eye(groups)[:, group]
    agents = copies.sum(axis=1)
    weights = (_most_even(copies @ matrix @ copies.T / np.outer(agents, agents), agents) / agents)[group]
    averages = matrix @ weights
    if averages.max() > ALIKE:
        raise RatingError(_NO_EQUILIBRIUM)
    return NashAverage(weights, averages * (largest or 1.0))


def _most_even(matrix: Floats, copies: Floats) -> Floats:
    """The equilibrium of the largest entropy: of the choices that lose against no agent; agents may be several."""
    count = len(matrix)

    def extreme(cost: Floats, chosen: npt.NDArray[np.bool_]) -> Floats:
        # The finer one first: it tells more agents apart, but may find no solution.
        for tolerance in (1e-9, 1e-7):
            found = linprog(
                cost,
                A_ub=matrix,
                b_ub=np.zeros(count),
                A_eq=np.ones((1, count)),
                b_eq=[1.0],
                bounds=[(0, 1 if one else 0) for one in chosen],
                options={"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance},
            )
            if found.success:
                return np.asarray(np.clip(found.x, 0, None), dtype=np.float64)
        raise RatingError(_NO_EQUILIBRIUM)

    # The mean of those with the most of each agent and the largest loss of each has all that any equilibrium has.
    every = np.ones(count, dtype=bool)
    inside = np.mean([extreme(cost, every) for cost in np.concatenate([-np.eye(count), matrix])], axis=0)
    chosen, losing = inside > NOTHING, matrix @ inside < -NOTHING
    weights, several = inside[chosen] / inside[chosen].sum(), copies[chosen]
    free = null_space(np.vstack([matrix[~losing][:, chosen], np.ones(len(weights))]), rcond=1e-9)
    # Newton's method from within, with barriers before weights and losses of 0.
    rows = np.vstack([np.eye(len(weights)), -matrix[losing][:, chosen]])

    def height(at: Floats, barrier: float) -> float:
        return float(at @ np.log(at / several) - barrier * np.log(rows @ at).sum())

    for barrier in np.logspace(-2, -13, 12):
        for _ in range(STEPS):
            inverse = rows / (rows @ weights)[:, np.newaxis]
            slope = np.log(weights / several) + 1 - barrier * inverse.sum(axis=0)
            curvature = free.T @ (np.diag(1 / weights) + barrier * inverse.T @ inverse) @ free
            step = free @ np.linalg.lstsq(curvature, -free.T @ slope, rcond=None)[0]
            gain = -float(slope @ step)
            if gain < 1e-15:
                break
            length = min(1.0, 0.9 / max(float((-inverse @ step).max()), 1e-300))
            while height(weights + length * step, barrier) > height(weights, barrier) - 0.1 * length * gain:
                length /= 2
                if length < 1e-12:
                    break
            weights = weights + length * step
    found = np.zeros(count)
    found[chosen] = weights / weights.sum()
    # No equilibrium has more entropy than the best one of its linear approximation, which lies above it.
    slope = np.zeros(count)
    slope[chosen] = np.log(found[chosen] / several)
    short = float(slope @ (found - extreme(slope, chosen)))
    if not (short < SHORT and (matrix @ found).max() < NOTHING):
        raise RatingError(_NO_EQUILIBRIUM)
    return found


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
    alpharank = optional("open_spiel.python.egt.alpharank", "alpha_rank", "alpha_rank")
    alpha, population = _arguments.number("alpha", alpha), _arguments.whole("population", population, 2)
    if not 0 < alpha <= MOST_INTENSE:
        raise ArgumentError(f"alpha must be above 0 and at most {MOST_INTENSE}, got {alpha:g}")
    matrix = _matrix(payoffs)
    matrix = matrix / (np.abs(matrix).max() or 1.0)
    if len(matrix) == 1:
        return np.ones(1)
    # An agent that is certain to win overflows to infinity, as it should.
    with np.errstate(over="ignore"):
        _, _, stationary, *_ = alpharank.compute([matrix], m=population, alpha=alpha)
    return np.asarray(stationary, dtype=np.float64)


def _matrix(payoffs: CrossTable | npt.ArrayLike) -> Floats:
    given = payoffs.mean if isinstance(payoffs, CrossTable) else payoffs
    matrix = np.array(given, dtype=np.float64)
    if matrix.ndim != 2 or len(matrix) != matrix.shape[1] or not len(matrix):
        raise ArgumentError(f"payoffs must be a square of numbers (agents, agents), got of shape {matrix.shape}")
    if isinstance(payoffs, CrossTable):
        np.fill_diagonal(matrix, 0.0)
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise ArgumentError(f"payoffs must be known for all pairs; agents {row} and {column} never played each other")
    return matrix
