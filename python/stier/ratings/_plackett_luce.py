"""Ratings of games of three and more: openskill's Plackett-Luce model."""

from __future__ import annotations

from typing import Any

import numpy as np

from stier.errors import ArgumentError, MissingExtraError
from stier.ratings._bradley_terry import Ratings
from stier.ratings._estimate import Floats, resampled
from stier.ratings._outcomes import Outcomes, Results, outcomes


def plackett_luce(results: Results, *, resamples: int = 50, seed: int = 0) -> Ratings:
    """Rate agents by the order in which they finish, for any number of players. Needs the extra ``ratings``.

    The model of R. C. Weng and C.-J. Lin, *A Bayesian Approximation Method for Online Ranking* (2011), as openskill has
    it: ratings begin at 25 and follow the games, deal by deal, so the last games count more than the first. The order
    of the deals is drawn: the rating is the mean over resamples of deals, the interval 1.96 of their standard
    deviations to each side.

    Args:
        results: What `stier.pit` gave, the games of an experiment, or `Outcomes`.
        resamples: Resamples of the deals, at least 2; each costs some 30 µs a game.
        seed: Their seed.
    """
    try:
        from openskill.models import PlackettLuce
    except ModuleNotFoundError:
        raise MissingExtraError("plackett_luce needs openskill: pip install 'stier[ratings]'") from None
    if resamples < 2:
        raise ArgumentError(f"resamples must be 2 or more, not {resamples}")
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
    half = 1.96 * np.std(draws, axis=0, ddof=1)
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
