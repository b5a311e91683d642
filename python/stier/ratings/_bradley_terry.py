"""One number for strength: R. A. Bradley and M. E. Terry, *Rank analysis of incomplete block designs* (1952)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from stier.errors import ArgumentError
from stier.ratings._estimate import Floats, resampled
from stier.ratings._outcomes import Outcomes, Results, outcomes

#: Points for a tenfold chance of winning against losing, as in Elo's ratings.
SCALE = 400 / np.log(10)
#: When Newton's method has found the maximum, and when it gives up.
CLOSE, STEPS = 1e-10, 200


@dataclass(frozen=True)
class Ratings:
    """Ratings of agents.

    Attributes:
        agents: The agents' names, in order of entry.
        rating: Their ratings: float64 (agents,).
        low: Lower ends of the 95 % intervals over deals: float64 (agents,).
        high: Upper ends.
        method: How they came about.
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
    """Fit a strength to each agent: A beats B with odds of ``10 ** ((A - B) / 400)``, as Elo's ratings say.

    The maximum of the likelihood, by Newton's method. Games that are drawn count half for both; of more than two
    players, each pair at the table counts as a game. Ratings have the mean 0. Intervals are percentiles of a bootstrap
    over deals: all games of a deal are drawn together.

    One number cannot say that A beats B beats C beats A: look at the `cross_table` first.

    Args:
        results: What `stier.pit` gave, the games of an experiment, or `Outcomes`.
        prior: Drawn games that are added for each pair that met, so that who has won all games has a finite rating; 0
            for the plain maximum.
        resamples: Resamples of the bootstrap; 0 for none.
        seed: Its seed.

    Raises:
        ValueError: Agents that never met, directly or through others; without a prior, also if some won all their games
            against all others: then no rating is large enough. The error names them.
    """
    if prior < 0:
        raise ArgumentError(f"prior must be 0 or more, not {prior}")
    if resamples < 0:
        raise ArgumentError(f"resamples must be 0 or more, not {resamples}")
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
    """How often the row beat the column in each deal: float64 (deals, agents, agents)."""
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
        raise ArgumentError(f"there is no rating of groups that {why}: {named}")


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
