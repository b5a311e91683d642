"""Comparisons with fewer games: the sequential test, paired deals and control variates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite, log
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from stier import _arguments, _native
from stier._adapting import as_game
from stier._native import Game, derive_seed
from stier._output import bar, plus_minus, table
from stier.errors import ArgumentError
from stier.playing import AnyAgent, AnyGame, listed
from stier.ratings._tables import Bounds, Estimate, Floats, estimate, half_width, range_of

#: Deals before the variance is taken for known: with 30, skewed returns err up to twice as often as they should.
FEWEST = 100
#: Observations at each end of the range, that were not seen, in the variance of the test: by simulation, with as many
#: it errs about as seldom as it says where almost all returns are alike.
UNSEEN = 3

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
        within: The least and the greatest observation that are possible. Without them, what was not seen is taken for
            impossible: of 100 equal observations the test is certain.

    Raises:
        ValueError: `upper` is not above `lower`, a probability is not between 0 and 0.5, or `within` is not a range.
    """

    def __init__(
        self, lower: float, upper: float, *, alpha: float = 0.05, beta: float = 0.05, within: Bounds | None = None
    ) -> None:
        lower, upper = _arguments.number("lower", lower), _arguments.number("upper", upper)
        alpha, beta = _arguments.number("alpha", alpha), _arguments.number("beta", beta)
        if not lower < upper:
            raise ArgumentError(f"upper must be above lower ({lower}), got {upper}")
        for name, value in [("alpha", alpha), ("beta", beta)]:
            if not 0 < value < 0.5:
                raise ArgumentError(f"{name} must be between 0 and 0.5, got {value}")
        self.lower, self.upper = lower, upper
        self._range = range_of(within)
        #: The log likelihood ratios at which the test ends.
        self.bounds: tuple[float, float] = (log(beta / (1 - alpha)), log((1 - beta) / alpha))
        #: Observations so far; none are taken after the verdict.
        self.count = 0
        #: The verdict; `None` until it is known.
        self.verdict: Verdict | None = None
        self._mean = 0.0
        self._squares = 0.0
        self._values: list[float] = []

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
        unseen = sum((self._mean - end) ** 2 for end in self._range if isfinite(end))
        variance = (self._squares + UNSEEN * unseen) / (self.count - 1)
        # All alike, without a range: the variance is 0, and the likelihood decides for the nearer.
        return self.count * pull / (2 * variance) if variance > 0 else inf * np.sign(pull) if pull else 0.0

    def add(self, values: Iterable[float]) -> Verdict | None:
        """Takes observations and returns the verdict, if there is one. The more at a time, the fewer errors."""
        if self.verdict is not None:
            return self.verdict
        for value in values:
            if not isfinite(value):
                raise ArgumentError(f"observations must be finite numbers, got {value}")
            self._values.append(value)
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
        return estimate(self._values, self._range)


@dataclass(frozen=True)
class Comparison:
    """The result of `is_better`.

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
        """True if A is better."""
        return self.verdict == "better"


def is_better(
    game: AnyGame,
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
        game: The game, or its name; its returns must sum to 0.
        a: The agent that may be better. It plays one seat, in turn.
        b: The agent at all other seats.
        by: The mean return from which on A is better, in the game's utility.
        than: The mean return at which it is not.
        alpha: The probability of calling it better at `than`.
        beta: The probability of not calling it better at `by`.
        most_deals: Deals at most.
        deals_at_once: Deals that are played before looking; up to so many are in vain, fewer keep fewer threads busy.
        seed: The seed of deals and agents.
        threads: Threads; 0 for all cores. No influence on the result.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        AgentError: See `stier.pit`.
        ValueError: See `Gsprt`; or returns that do not sum to 0.
    """
    game = as_game(game)
    if game.utility_sum() != 0:
        raise ArgumentError(f"the returns of {game} do not sum to 0: take its option utility=margin or utility=win")
    by, than = _arguments.number("by", by), _arguments.number("than", than)
    most_deals = _arguments.whole("most_deals", most_deals, 1)
    deals_at_once = _arguments.whole("deals_at_once", deals_at_once, 1)
    seed, threads = _arguments.seed(seed), _arguments.threads(threads)
    within = (game.min_utility(), game.max_utility())
    test = Gsprt(than, by, alpha=alpha, beta=beta, within=within)
    with bar(progress, "deals") as update:
        while test.verdict is None and test.count < most_deals:
            deals = min(deals_at_once, most_deals - test.count)
            batch = derive_seed(seed, "gsprt", test.count)
            test.add(_means(game, (a, b), deals, batch, True, threads).tolist())
            update(test.count, most_deals, f"llr {test.llr:+.2f} of {test.bounds[0]:.2f}, {test.bounds[1]:.2f}")
    return Comparison(test.verdict, test.count, test.llr, test.estimate())


def _means(game: Game, pair: tuple[AnyAgent, AnyAgent], deals: int, seed: int, paired: bool, threads: int) -> Floats:
    """The mean return of the first agent against the second over the games of each deal."""
    players = game.num_players()
    agents = listed([pair[0], *[pair[1]] * (players - 1)])
    games = _native.pit(game, agents, deals, seed, paired, threads).games
    returns = np.array([played.returns[played.agents.index(0)] for played in games])
    return np.asarray(returns.reshape(deals, players).mean(axis=1))


class Controlled(NamedTuple):
    """The result of `control_variate`."""

    #: The mean without the control.
    plain: Estimate
    #: The mean with it.
    controlled: Estimate
    #: The variance of the mean without over that with: so many times the units would be needed; below 1, it harms.
    gain: float
    #: The coefficient of each control: float64 (controls,).
    coefficients: Floats


def control_variate(
    values: npt.ArrayLike,
    controls: npt.ArrayLike,
    *,
    expected: npt.ArrayLike | None = None,
    reference: npt.ArrayLike | None = None,
    within: Bounds | None = None,
) -> Controlled:
    """Narrows the interval of a mean by what else is known about the same units.

    Values are regressed on controls, and the mean is taken where the controls have their expectation. That is known, or
    estimated from a reference of units of which only the cheap controls were measured (double sampling, W. G. Cochran,
    *Sampling Techniques*, 1977, chapter 12); the error of that estimate is in the interval.

    Args:
        values: The values to average, by unit: (units,).
        controls: Other measurements of the same units: (units,) or (units, controls).
        expected: The expectation of the controls: one number, or (controls,).
        reference: Controls of other units: (others,) or (others, controls).
        within: The least and the greatest value that are possible; with them, both intervals allow for values that did
            not occur, as in `estimate`.

    Raises:
        ValueError: Shapes that do not fit, numbers that are not finite, neither or both of `expected` and `reference`,
            or too few units.
    """
    y = np.asarray(values, dtype=np.float64)
    x = _columns(controls)
    units, count = x.shape
    if not np.isfinite(y).all():
        raise ArgumentError("values must be finite numbers")
    if y.shape != (units,):
        raise ArgumentError(f"values and controls must be of the same units: {y.shape} and {x.shape}")
    if (expected is None) == (reference is None):
        given = "neither" if expected is None else "both"
        raise ArgumentError(f"give either expected or reference, the expectation of the controls; got {given}")
    if units < count + 3:
        raise ArgumentError(f"{count} controls need {count + 3} units or more, got {units}")
    mean_x, centred = x.mean(axis=0), x - x.mean(axis=0)
    coefficients = np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
    if expected is not None:
        target, more = np.broadcast_to(np.asarray(expected, dtype=np.float64), (count,)), 0.0
        if not np.isfinite(target).all():
            raise ArgumentError("expected must be finite numbers")
    else:
        others = _columns(reference if reference is not None else ())
        if others.shape[1] != count or len(others) < 2:
            raise ArgumentError(f"the reference must have {count} controls of two units or more, got {others.shape}")
        # The units themselves tell of the expectation, too.
        every = np.concatenate([x, others])
        target = every.mean(axis=0)
        more = float((every @ coefficients).var(ddof=1)) / len(every)
    freedom = units - 1 - count
    residual = y - y.mean() - centred @ coefficients
    shift = target - mean_x
    # The coefficients are estimates: the farther the controls are from where they should be, the more that matters.
    gram = np.linalg.pinv(centred.T @ centred)
    noise = float(residual @ residual) / freedom
    variance = noise * (1 / units + float(shift @ gram @ shift)) + more
    plain = estimate(y, within)
    half = half_width(variance, freedom)
    if within is not None:
        # The probability of unseen values widens the interval of the residuals as it widens that of values.
        left = residual + y.mean()
        ends = min(within[0], float(left.min())), max(within[1], float(left.max()))
        half = float(np.sqrt(half**2 + estimate(left, ends).ci95 ** 2 - estimate(left).ci95 ** 2))
    controlled = Estimate(float(y.mean() + shift @ coefficients), half, units)
    return Controlled(plain, controlled, _gain(float(y.var(ddof=1)) / units, variance), coefficients)


def _gain(variance: float, reduced: float) -> float:
    """The ratio of two variances; 1 if both are 0."""
    return variance / reduced if reduced > 0 else inf if variance > 0 else 1.0


def _columns(values: npt.ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim not in (1, 2):
        raise ArgumentError(f"controls must be (units,) or (units, controls), got {array.shape}")
    if not np.isfinite(array).all():
        raise ArgumentError("controls must be finite numbers")
    return array.reshape(len(array), -1)


class Design(NamedTuple):
    """One way to measure the same mean with the same number of games of the agents."""

    #: The name.
    name: str
    #: The mean return of A.
    estimate: Estimate
    #: The factor by which plain deals would need more games, by the ratio of variances.
    gain: float


@dataclass(frozen=True)
class VarianceReduction:
    """The result of `variance_reduction`.

    Attributes:
        designs: Unpaired deals, the same with a control, paired deals, the same with a control.
        games: Games of A for each.
    """

    designs: list[Design]
    games: int

    def __str__(self) -> str:
        """A line for each design."""
        rows = ([name, f"{own.mean:+.3f}{plus_minus(own.ci95)}", f"{gain:.2f}"] for name, own, gain in self.designs)
        return f"{self.games} games of A each\n{table(['design', 'mean return of A', 'gain'], rows)}"


def variance_reduction(
    game: AnyGame,
    a: AnyAgent,
    b: AnyAgent,
    *,
    control: tuple[AnyAgent, AnyAgent],
    deals: int = 1000,
    reference: int = 4,
    seed: int = 0,
    threads: int = 0,
) -> VarianceReduction:
    """Measures the games that paired deals and a control save when A plays against B.

    The control is how cheap agents do with the same cards in the same seats: good ones resemble A and B. Its
    expectation is measured in `reference` times as many other deals.

    Args:
        game: The game.
        a: The agent that is measured.
        b: The agent at the other seats.
        control: The cheap agents that stand for A and for B.
        deals: Deals for each design, at least 10, each with A on every seat (unpaired: with other cards for each).
        reference: Other deals for the expectation of the control, as a multiple of `deals`.
        seed: The seed of deals and agents.
        threads: Threads; 0 for all cores. No influence on the result.

    Raises:
        AgentError: See `stier.pit`.
        ValueError: Too few deals.
    """
    game = as_game(game)
    deals, reference = _arguments.whole("deals", deals, 10), _arguments.whole("reference", reference, 1)
    seed, threads = _arguments.seed(seed), _arguments.threads(threads)

    def means(pair: tuple[AnyAgent, AnyAgent], deals: int, purpose: str, paired: bool) -> Floats:
        return _means(game, pair, deals, derive_seed(seed, purpose, 0), paired, threads)

    designs: list[Design] = []
    spread = np.nan
    for paired in (False, True):
        values = means((a, b), deals, "measured", paired)
        controls = means(control, deals, "measured", paired)
        within = (game.min_utility(), game.max_utility())
        elsewhere = means(control, reference * deals, "reference", paired)
        found = control_variate(values, controls, reference=elsewhere, within=within)
        if not paired:
            spread = float(values.var(ddof=1))
        gain = _gain(spread, float(values.var(ddof=1)))
        name = "paired" if paired else "unpaired"
        designs.append(Design(name, found.plain, gain))
        designs.append(Design(f"{name}, with control", found.controlled, gain * found.gain))
    return VarianceReduction(designs, deals * game.num_players())
