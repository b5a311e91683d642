"""Is A better than B by at least so much? Play until it is known: the generalized sequential probability ratio test.

For a mean of unknown variance as in M. Van den Bergh, *A practical introduction to the GSPRT* (2019); the observations
are the means of deals, so that games of one deal need not be independent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, log, nan
from typing import Literal, TypeAlias

import numpy as np

from stier import _native
from stier._native import Game, derive_seed
from stier._players import AnyAgent
from stier._progress import Bar
from stier.ratings._estimate import Estimate, half_width

#: Deals before the variance is taken for known: with 30, skewed returns err up to twice as often as they should.
FEWEST = 100

Verdict: TypeAlias = Literal["better", "not better"]


class Gsprt:
    """The test, fed with the means of deals: ``upper`` or more against ``lower`` or less.

    If the true mean is ``lower``, it says *better* with a probability of about `alpha`, or less below; if it is
    ``upper``, *not better* with about `beta`, or less above. Between them either may come out, and it takes longest.

    Args:
        lower: The mean at which A is not better.
        upper: The mean from which on it is; in the unit of the observations, as is `lower`.
        alpha: The probability of *better* at `lower`.
        beta: The probability of *not better* at `upper`.

    Raises:
        ValueError: `upper` is not above `lower`, or a probability is not between 0 and 0.5.
    """

    def __init__(self, lower: float, upper: float, *, alpha: float = 0.05, beta: float = 0.05) -> None:
        if not lower < upper:
            raise ValueError(f"upper must be above lower, {lower}, not {upper}")
        for name, value in [("alpha", alpha), ("beta", beta)]:
            if not 0 < value < 0.5:
                raise ValueError(f"{name} must be between 0 and 0.5, not {value}")
        self.lower, self.upper = lower, upper
        #: The log likelihood ratios at which the test ends.
        self.bounds = (log(beta / (1 - alpha)), log((1 - beta) / alpha))
        #: Observations so far; none are taken after the verdict.
        self.count = 0
        #: What came out; `None` while it is not known.
        self.verdict: Verdict | None = None
        self._mean = 0.0
        self._squares = 0.0

    @property
    def mean(self) -> float:
        """The mean of the observations. After a verdict it is biased outwards: the test stopped because it was far."""
        return self._mean

    @property
    def llr(self) -> float:
        """The log likelihood ratio of `upper` against `lower`."""
        if self.count < 2:
            return 0.0
        pull = (self.upper - self.lower) * (2 * self._mean - self.lower - self.upper)
        # All alike: the variance is 0, and the likelihood decides for the nearer.
        variance = self._squares / (self.count - 1)
        return self.count * pull / (2 * variance) if variance > 0 else inf * np.sign(pull) if pull else 0.0

    def add(self, values: Iterable[float]) -> Verdict | None:
        """Take observations, then look whether there is a verdict; gives it. The more at a time, the fewer errors."""
        if self.verdict is not None:
            return self.verdict
        for value in values:
            self.count += 1
            step = value - self._mean
            self._mean += step / self.count
            self._squares += step * (value - self._mean)
        if self.count >= FEWEST:
            if self.llr >= self.bounds[1]:
                self.verdict = "better"
            elif self.llr <= self.bounds[0]:
                self.verdict = "not better"
        return self.verdict

    def estimate(self) -> Estimate:
        """The mean of the observations with the interval of a test of fixed length: a rough guide (see `mean`)."""
        if self.count < 2:
            return Estimate(self._mean, nan, self.count)
        variance = self._squares / (self.count - 1) / self.count
        return Estimate(self._mean, half_width(variance, self.count - 1), self.count)


@dataclass(frozen=True)
class Comparison:
    """What `is_better` found.

    Attributes:
        verdict: ``"better"``, ``"not better"``, or `None` if the deals did not suffice.
        deals: Deals that were played.
        llr: The log likelihood ratio at the end.
        estimate: The mean return of A, with a rough interval (see `Gsprt.estimate`).
    """

    verdict: Verdict | None
    deals: int
    llr: float
    estimate: Estimate

    def __bool__(self) -> bool:
        """Whether A is better."""
        return self.verdict == "better"


def is_better(
    game: Game,
    a: AnyAgent,
    b: AnyAgent,
    by: float,
    *,
    than: float = 0.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    most_deals: int = 100_000,
    deals_at_once: int = 100,
    seed: int = 0,
    threads: int = 0,
    progress: bool = False,
) -> Comparison:
    """Is A better than B by at least `by`? Plays paired deals until it is known.

    Args:
        game: The game; its utility has to sum to 0.
        a: Who may be better. It plays one seat, in turn.
        b: Who has all the other seats.
        by: The mean return from which on A is better, in the game's utility.
        than: The mean return at which it is not.
        alpha: The probability of calling it better at `than`.
        beta: The probability of not calling it better at `by`.
        most_deals: Deals at most.
        deals_at_once: Deals that are played before looking; up to so many are in vain, fewer keep fewer threads busy.
        seed: The seed of deals and agents.
        threads: Threads; 0 for all cores. No influence on the result.
        progress: Whether to show a progress bar; needs tqdm.

    Raises:
        AgentError: See `stier.pit`.
        ValueError: See `Gsprt`; or returns that do not sum to 0.
    """
    if game.utility_sum() != 0:
        raise ValueError(f"the returns of {game} do not sum to 0: take its option utility=margin or utility=win")
    if most_deals < 1 or deals_at_once < 1:
        raise ValueError("most_deals and deals_at_once must be at least 1")
    test, players = Gsprt(than, by, alpha=alpha, beta=beta), game.num_players()
    agents = [a, *[b] * (players - 1)]

    def play(bar: Bar | None) -> None:
        while test.verdict is None and test.count < most_deals:
            deals = min(deals_at_once, most_deals - test.count)
            batch = derive_seed(seed, "gsprt", test.count)
            played = _native.pit(game, agents, deals, batch, True, threads).games
            values = np.array([one.returns[one.agents.index(0)] for one in played]).reshape(deals, players).mean(axis=1)
            test.add(values.tolist())
            if bar is not None:
                bar.update(test.count, most_deals, f"llr {test.llr:+.2f} of {test.bounds[0]:.2f}, {test.bounds[1]:.2f}")

    if progress:
        with Bar("deals") as bar:
            play(bar)
    else:
        play(None)
    return Comparison(test.verdict, test.count, test.llr, test.estimate())
