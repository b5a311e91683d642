"""Ratings: against formulas, known games, other libraries, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import stier

pytest.importorskip("scipy")

from stier import ratings
from stier.ratings import CrossTable, Gsprt, Outcomes


def outcomes(wins: list[tuple[int, int, float]], agents: int) -> Outcomes:
    """Games (one, other, return of the one), each with a deal of its own."""
    return Outcomes(
        [f"agent {number}" for number in range(agents)],
        np.arange(len(wins)),
        np.array([[one, other] for one, other, _ in wins]),
        np.array([[value, -value] for _, _, value in wins]),
    )


@pytest.fixture(scope="module")
def match() -> stier.PitResult:
    return stier.pit(stier.load_game("schwinget"), ["random", "greedy", "random:seed=1"], deals=60)


def test_cross_tables_are_those_of_the_match(match: stier.PitResult) -> None:
    crossed = ratings.cross_table(match)
    mean, ci95 = match.cross_table()
    assert crossed.agents == match.agents
    assert np.allclose(crossed.mean, mean, equal_nan=True)
    assert np.allclose(crossed.ci95, ci95, equal_nan=True)
    for row, column in [(0, 1), (1, 2), (2, 0)]:
        meeting = match.meeting(row, column)
        assert meeting is not None
        found = crossed.wins[row, column], crossed.wins_low[row, column], crossed.wins_high[row, column]
        assert found == pytest.approx(meeting[2:])
    assert [one.mean for one in crossed.overall] == pytest.approx(match.mean)
    assert [one.ci95 for one in crossed.overall] == pytest.approx(match.ci95)
    assert (crossed.deals == 60 - 60 * np.eye(3)).all()
    # The rows of the text are those of the match.
    rows = [" ".join(line.split()) for line in str(crossed).splitlines()]
    assert [" ".join(line.split()) for line in str(match).splitlines()[6:]] == rows[5:]


def test_estimates_of_values_without_bounds_are_students() -> None:
    assert ratings.estimate([1, 2, 3, 4]) == pytest.approx((2.5, 3.18245 * 1.29099 / 2, 4), rel=1e-4)
    assert ratings.estimate([7])[::2] == (7, 1)
    assert math.isnan(ratings.estimate([7]).ci95)
    assert math.isnan(ratings.estimate([]).mean)
    for wrong in (math.nan, math.inf):
        with pytest.raises(ValueError, match="values must be finite numbers"):
            ratings.estimate([1, 2, wrong])


def test_estimates_within_bounds_allow_for_what_was_not_seen() -> None:
    """Equal returns are about as uncertain as equal wins; returns that vary have Student's interval."""
    stats = pytest.importorskip("scipy.stats")
    for units in (12, 40, 100, 1000):
        low = stats.binomtest(units, units).proportion_ci(method="exact").low
        found = ratings.estimate([1.0] * units, (-1, 1))
        assert found.mean == 1
        assert 0.9 < found.ci95 / (2 * (1 - low)) < 1.2
        assert ratings.estimate([1.0] * units, (1, 1)).ci95 == 0
    tosses = [0.0, 1.0] * 200
    assert ratings.estimate(tosses, (0, 1)).ci95 == pytest.approx(ratings.estimate(tosses).ci95, rel=1e-3)
    assert ratings.estimate(tosses, (-math.inf, math.inf)) == ratings.estimate(tosses)
    for within, problem in [((0, 0.5), "within the bounds 0 and 0.5"), ((1, 0), "^within must be .*, got 1 and 0$")]:
        with pytest.raises(ValueError, match=problem):
            ratings.estimate(tosses, within)
        with pytest.raises(ValueError, match=problem):
            ratings.control_variate(tosses, range(400), expected=0, within=within)
    with pytest.raises(ValueError, match=r"^within must be two numbers, the lower one first, got nan and 1$"):
        Gsprt(0, 1, within=(math.nan, 1))


@pytest.mark.parametrize("often", [0.5, 0.9, 0.99, 0.999])
@pytest.mark.parametrize("games", [1, 2, 6])
def test_intervals_of_means_hold_as_often_as_they_say(games: int, often: float) -> None:
    rng = np.random.default_rng(round(1000 * often) + games)
    samples = 300
    for units in (12, 40, 100):
        drawn = 2 * rng.binomial(games, often, (samples, units)) / games - 1
        found = [ratings.estimate(values, (-1, 1)) for values in drawn]
        held = np.mean([abs(one.mean - (2 * often - 1)) <= one.ci95 + 1e-9 for one in found])
        # 95 %, less three standard deviations of the simulation.
        assert held >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / samples), (units, held)


def test_every_interval_of_equal_returns_has_a_width() -> None:
    """In matches, their cross-tables, sequential tests, control variates and evaluations of networks."""
    game = stier.load_game("goofspiel")
    found = stier.pit(game, ["random", "random:seed=1"], deals=40)
    alike = Outcomes(["a", "b"], np.arange(40), np.tile([0, 1], (40, 1)), np.tile([1.0, -1.0], (40, 1)), (-1, 1))
    assert ratings.outcomes(found).bounds == (game.min_utility(), game.max_utility())
    crossed = ratings.cross_table(alike)
    assert crossed.mean[0, 1] == 1
    assert crossed.ci95[0, 1] > 0.15
    assert all(one.ci95 > 0.15 for one in crossed.overall)
    test = Gsprt(0.99, 1, within=(-1, 1))
    assert test.add([1.0] * 400) is None, "one return of -1 in 200 is 0.99"
    assert test.estimate() == ratings.estimate([1.0] * 400, (-1, 1))
    rng = np.random.default_rng(0)
    controlled = ratings.control_variate([1.0] * 40, rng.normal(size=40), expected=0, within=(-1, 1))
    assert controlled.plain.ci95 > 0.15
    assert controlled.controlled.ci95 > 0.15
    assert stier.train.Duel(np.ones(40), (-1, 1)).ci95 == ratings.estimate([1.0] * 40, (-1, 1)).ci95
    for wrong in (math.nan, math.inf):
        with pytest.raises(ValueError, match="must be finite"):
            Gsprt(0, 1).add([1.0, wrong])
        with pytest.raises(ValueError, match="must be finite"):
            ratings.control_variate([1.0, 2.0, wrong, 1.0], [1, 2, 3, 4], expected=0)
        with pytest.raises(ValueError, match="must be finite"):
            ratings.control_variate([1, 2, 3, 4], [1.0, 2.0, wrong, 1.0], expected=0)


def test_shares_have_the_binomial_interval_if_won_or_lost() -> None:
    stats = pytest.importorskip("scipy.stats")
    for won, units in [(200, 200), (0, 20), (7, 20), (1999, 2000)]:
        found = ratings.share([1.0] * won + [0.0] * (units - won))
        exact = stats.binomtest(won, units).proportion_ci(method="exact")
        assert found == pytest.approx((won / units, exact.low, exact.high, units), abs=2e-4)
    # Deals that are half won each time tell more than tosses of a coin, but not everything.
    halves = ratings.share([0.5] * 200)
    assert 0.47 < halves.low < 0.5 < halves.high < 0.53
    assert ratings.share([0.5])[::3] == (0.5, 1)
    assert math.isnan(ratings.share([0.5]).low)
    # Games won of those played, by deal.
    assert ratings.share([1, 0, 2], of=[1, 0, 4]).mean == pytest.approx(3 / 5)
    assert ratings.share([0.5, 0, 1], of=[1, 1, 1]) == ratings.share([0.5, 0, 1])
    with pytest.raises(stier.ArgumentError, match="shares must be between 0 and 1, got 2"):
        ratings.share([2.0], of=[1])


def test_bradley_terry_of_two_is_the_log_of_the_odds() -> None:
    found = ratings.bradley_terry(outcomes([(0, 1, 1.0)] * 30 + [(1, 0, 1.0)] * 10, 2), prior=0)
    assert found.rating[0] - found.rating[1] == pytest.approx(400 * math.log10(3))
    assert found.rating.sum() == pytest.approx(0, abs=1e-9)
    assert (found.low < found.rating).all()
    assert (found.rating < found.high).all()
    with_prior = ratings.bradley_terry(outcomes([(0, 1, 1.0)] * 30 + [(1, 0, 1.0)] * 10, 2))
    assert with_prior.rating[0] - with_prior.rating[1] == pytest.approx(400 * math.log10(30.5 / 10.5))


def test_bradley_terry_agrees_with_open_spiel() -> None:
    elo = pytest.importorskip("open_spiel.python.algorithms.elo")
    rng = np.random.default_rng(5)
    wins = rng.integers(1, 20, size=(4, 4)) * (1 - np.eye(4, dtype=int))
    games = [(one, other, 1.0) for one in range(4) for other in range(4) for _ in range(wins[one, other])]
    draws = [(0, 1, 0.0), (2, 3, 0.0), (2, 3, 0.0)]
    found = ratings.bradley_terry(outcomes(games + draws, 4), prior=0, resamples=0)
    assert np.isnan(found.low).all()
    drawn = np.zeros((4, 4), dtype=int)
    for one, other, _ in draws:
        drawn[[one, other], [other, one]] += 1
    theirs = elo.compute_ratings_from_matrices(wins, drawn, smoothing_factor=0.0, max_iterations=100_000)
    assert found.rating == pytest.approx(theirs - theirs.mean(), abs=0.05)


def test_bradley_terry_names_those_that_cannot_be_rated() -> None:
    strangers = outcomes([(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0)], 4)
    with pytest.raises(ValueError, match="did not meet, not even through others: agent 0, agent 1; agent 2, agent 3"):
        ratings.bradley_terry(strangers)
    winner = outcomes([(0, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0)], 3)
    with pytest.raises(ValueError, match="won or lost all games"):
        ratings.bradley_terry(winner, prior=0)
    assert ratings.bradley_terry(winner).order()[0] == 0
    for wrong in (-1, math.nan, math.inf):
        with pytest.raises(ValueError, match="prior must be 0 or more and finite"):
            ratings.bradley_terry(winner, prior=wrong)
    for few in (1, 2, 99):
        with pytest.raises(ValueError, match="resamples must be at least 100, or 0 for no intervals"):
            ratings.bradley_terry(winner, resamples=few)


def test_bradley_terry_intervals_of_two_hold_as_often_as_they_say() -> None:
    """Exactly, by the binomial distribution, and almost those of Clopper and Pearson."""
    stats = pytest.importorskip("scipy.stats")
    games = 30
    wins = np.arange(games + 1)
    found = [
        ratings.bradley_terry(outcomes([(0, 1, 1.0)] * won + [(1, 0, 1.0)] * (games - won), 2), resamples=400)
        for won in wins.tolist()
    ]
    ends = 2 * np.array([[one.low[0], one.high[0]] for one in found])
    assert np.isinf(ends[[0, -1], [0, 1]]).all(), "nothing bounds one that won or lost all games"
    assert np.isfinite(ends).sum() == 2 * games
    for one, won in zip(found, wins.tolist(), strict=True):
        exact = stats.binomtest(won, games).proportion_ci(method="exact")
        shares = 1 / (1 + 10 ** (-2 * np.array([one.low[0], one.high[0]]) / 400))
        assert shares == pytest.approx([exact.low, exact.high], abs=0.03)
        assert one.low[0] <= one.rating[0] <= one.high[0]
    for often in (0.5, 0.7, 0.9, 0.97, 0.99):
        truth = 400 * math.log10(often / (1 - often))
        held = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        # The ends are percentiles of 400 weightings.
        assert stats.binom.pmf(wins, games, often)[held].sum() > 0.94


@pytest.mark.parametrize("truth", [[200.0, 0.0, -200.0], [500.0, -100.0, -400.0]])
def test_bradley_terry_intervals_of_three_hold_as_often_as_they_say(truth: list[float]) -> None:
    """With both games of a deal alike in half of the deals."""
    rng = np.random.default_rng(6)
    samples, deals = 60, 30
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    chance = 1 / (1 + 10 ** (np.diff(np.array(truth)[pairs])[:, 0] / 400))
    held = np.zeros(3)
    for seed in range(samples):
        won = rng.random((deals, 2, 3)) < chance
        alike = rng.random(deals) < 0.5
        won[alike, 1] = won[alike, 0]
        returns = np.where(won.ravel(), 1.0, -1.0)
        found = ratings.bradley_terry(
            Outcomes(
                ["a", "b", "c"],
                np.repeat(np.arange(deals), 6),
                np.tile(pairs, (2 * deals, 1)),
                np.stack([returns, -returns], axis=1),
            ),
            resamples=100,
            seed=seed,
        )
        held += (found.low <= truth) & (truth <= found.high)
    assert (held / samples > 0.95 - 3 * math.sqrt(0.05 * 0.95 / samples)).all(), held


def test_a_single_deal_and_equal_deals_have_no_interval() -> None:
    single = ratings.bradley_terry(outcomes([(0, 1, 1.0)], 2))
    assert np.isnan([single.low, single.high]).all()
    pytest.importorskip("openskill")
    for alike in (outcomes([(0, 1, 1.0)], 2), outcomes([(0, 1, 1.0)] * 20, 2)):
        found = ratings.plackett_luce(alike, resamples=3)
        assert np.isnan([found.low, found.high]).all()
        assert found.order() == [0, 1]


def test_ratings_without_intervals_print_none() -> None:
    deals = [(0, 1, 1.0), (0, 1, -1.0), (0, 1, 1.0)]
    without = ratings.bradley_terry(outcomes(deals, 2), resamples=0)
    assert np.isnan([without.low, without.high]).all()
    assert str(without) == (
        "agent    rating (Bradley-Terry)\n"
        f"agent 0                   {without.rating[0]:+.1f}\n"
        f"agent 1                   {without.rating[1]:+.1f}\n"
    )
    assert str(ratings.bradley_terry(outcomes(deals, 2))).count(" to ") == 2


def test_intervals_are_over_deals() -> None:
    """The same games once more, of the same deals, tell nothing new."""
    rng = np.random.default_rng(1)
    once = outcomes([(0, 1, float(rng.choice([-1, 1], p=[0.4, 0.6]))) for _ in range(200)], 2)
    twice = Outcomes(once.agents, *(np.repeat(a, 4, axis=0) for a in (once.unit, once.seats, once.returns)))
    one, other = (ratings.bradley_terry(which, prior=0, seed=3) for which in (once, twice))
    assert one.rating == pytest.approx(other.rating)
    assert one.low == pytest.approx(other.low, abs=0.01)
    # As the binomial distribution says, by the delta method.
    share = float((once.returns[:, 0] > 0).mean())
    half = 1.96 * 400 / math.log(10) / math.sqrt(200 * share * (1 - share)) / 2
    assert (one.high - one.low)[0] / 2 == pytest.approx(half, rel=0.1)


def test_plackett_luce_finds_the_order() -> None:
    pytest.importorskip("openskill")
    game = stier.load_game("schwimmen")
    result = stier.pit(game, ["random", "greedy", "random:seed=1", "greedy:seed=1"], deals=30)
    found = ratings.plackett_luce(result, resamples=4)
    assert set(found.order()[:2]) == {1, 3}
    assert found.low[found.order()[1]] > found.high[found.order()[2]]
    assert str(found) == str(ratings.plackett_luce(result, resamples=4))
    assert str(found) != str(ratings.plackett_luce(result, resamples=4, seed=1))
    with pytest.raises(ValueError, match="resamples must be at least 2"):
        ratings.plackett_luce(result, resamples=1)


@pytest.mark.parametrize("mean", [-0.1, 0.0, 0.2, 0.3])
def test_gsprt_errs_as_seldom_as_it_says(mean: float) -> None:
    """By simulation: returns of -1, 0, 2 with the mean given; 0 against 0.2."""
    rng = np.random.default_rng(round(100 * mean) + 50)
    two = 0.2 + mean / 3
    chances = [2 * two - mean, 1 - (2 * two - mean) - two, two]
    tests = 600
    better = 0
    for _ in range(tests):
        test = Gsprt(0, 0.2)
        while test.verdict is None:
            test.add(rng.choice([-1.0, 0.0, 2.0], size=64, p=chances).tolist())
        better += test.verdict == "better"
    wrong = better if mean <= 0 else tests - better
    # 5 %, and what 600 tests may be off by: four standard deviations.
    assert wrong / tests < 0.05 + 4 * math.sqrt(0.05 * 0.95 / tests)
    if mean in (0.0, 0.2):
        assert wrong > 0
    else:
        assert wrong / tests < 0.02


def test_gsprt_is_the_formula() -> None:
    test = Gsprt(-0.5, 0.5)
    values = [1.0, -1.0, 2.0, 0.0, 1.0]
    assert test.add(values) is None
    assert test.llr == pytest.approx(5 * 1.0 * 2 * np.mean(values) / (2 * np.var(values, ddof=1)))
    assert test.estimate() == pytest.approx(ratings.estimate(values))
    assert test.bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Gsprt(0, 1).add([1.0] * 100) == "better"
    assert Gsprt(0, 1).add([0.0] * 100) == "not better"
    with pytest.raises(ValueError, match="upper must be above lower"):
        Gsprt(1, 1)
    with pytest.raises(ValueError, match=r"alpha must be between 0 and 0\.5"):
        Gsprt(0, 1, alpha=0.5)


def test_is_better_plays_until_it_knows(schwinget: stier.Game) -> None:
    found = ratings.is_better(schwinget, "greedy", "random", 0.5, threads=1)
    assert found
    assert found.deals < 1000
    assert found == ratings.is_better(schwinget, "greedy", "random", 0.5, threads=2)
    assert ratings.is_better(schwinget, "random", "greedy", 0.5).verdict == "not better"
    unknown = ratings.is_better(schwinget, "random", "random:seed=1", 0.01, most_deals=150)
    assert (unknown.verdict, unknown.deals) == (None, 150)
    assert not unknown
    with pytest.raises(ValueError, match="utility=margin or utility=win"):
        ratings.is_better(stier.load_game("schwinget", utility="score"), "greedy", "random", 0.5)


def test_nash_averaging_of_known_games() -> None:
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    weights, averages = ratings.nash_averaging(cycle)
    assert weights == pytest.approx([1 / 3] * 3, abs=1e-5)
    assert averages == pytest.approx([0] * 3, abs=1e-5)
    # Copies of an agent share its weight, and change nothing for the others.
    copied = np.array([0, 0, 1, 2])
    assert ratings.nash_averaging(cycle[np.ix_(copied, copied)]).weights == pytest.approx(
        [1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-5
    )
    # Unequal stakes: each weight is what the other two play for.
    uneven = np.array([[0, 3, -1], [-3, 0, 2], [1, -2, 0]])
    assert ratings.nash_averaging(uneven).weights == pytest.approx([2 / 6, 1 / 6, 3 / 6], abs=1e-5)
    # One that beats all others is all there is.
    weights, averages = ratings.nash_averaging([[0, 2, 5], [-2, 0, 1], [-5, -1, 0]])
    assert weights == pytest.approx([1, 0, 0], abs=1e-6)
    assert averages == pytest.approx([0, -2, -5], abs=1e-5)
    with pytest.raises(ValueError, match="antisymmetric"):
        ratings.nash_averaging([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="a square of numbers"):
        ratings.nash_averaging([[0, 1]])


def random_payoffs(rng: np.random.Generator, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Antisymmetric payoffs of 2 to 9 agents, and of which agent each is a copy: itself, unless the kind has copies."""
    count = int(rng.integers(2, 10))
    half = {
        "normal": lambda: rng.normal(size=(count, count)),
        "copies": lambda: rng.normal(size=(count, count)),
        "signs": lambda: rng.integers(-1, 2, size=(count, count)).astype(float),
        "sparse": lambda: rng.normal(size=(count, count)) * (rng.random((count, count)) < 0.4),
    }[kind]()
    upper = np.triu(half, 1)
    copies = np.concatenate([np.arange(count), rng.integers(count, size=2)]) if kind == "copies" else np.arange(count)
    return (upper - upper.T)[np.ix_(copies, copies)], copies


@pytest.mark.parametrize("kind", ["normal", "copies", "signs", "sparse"])
def test_nash_averaging_has_the_largest_entropy(kind: str) -> None:
    """No equilibrium has more than the tangent of the entropy has at its best one, which a linear program finds."""
    scipy = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(7)
    for _ in range(25):
        payoffs, copies = random_payoffs(rng, kind)
        weights, averages = ratings.nash_averaging(payoffs)
        scale = np.abs(payoffs).max() or 1.0
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1)
        assert averages.max() < 1e-9 * scale
        for copy in range(len(payoffs)):
            assert weights[copies == copies[copy]] == pytest.approx(weights[copy], abs=1e-5)
        slope = np.log(np.maximum(weights, 1e-12))
        best = scipy.linprog(
            slope, A_ub=payoffs / scale, b_ub=np.zeros(len(payoffs)), A_eq=np.ones((1, len(payoffs))), b_eq=[1]
        )
        assert weights @ slope - best.fun < 1e-5


def test_nash_averaging_of_payoffs_with_many_equilibria() -> None:
    for payoffs, weights in [
        ([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], [0.5, 0.5, 0]),
        ([[0, 0, 0.3], [0, 0, 0.1], [-0.3, -0.1, 0]], [0.5, 0.5, 0]),
        (np.zeros((4, 4)), [0.25] * 4),
        ([[0]], [1]),
    ]:
        assert ratings.nash_averaging(payoffs).weights == pytest.approx(weights, abs=1e-5)
    # The weak agent and the copy of the first of three in a cycle.
    cycle = np.array([[0, 1, -1, 1], [-1, 0, 1, 1], [1, -1, 0, 1], [-1, -1, -1, 0]])
    copied = np.array([0, 1, 2, 3, 0])
    found = ratings.nash_averaging(cycle[np.ix_(copied, copied)]).weights
    assert found == pytest.approx([1 / 6, 1 / 3, 1 / 3, 0, 1 / 6], abs=1e-5)


@pytest.mark.parametrize("noise", [0, 1e-9, 1e-8, 1e-7])
def test_nash_averaging_of_copies_that_differ_by_noise(noise: float) -> None:
    """Copies have equal weights, and agents that beat or lose to others by rounding end nothing."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        payoffs, copies = random_payoffs(rng, "copies")
        payoffs = payoffs / (np.abs(payoffs).max() or 1.0)
        upper = np.triu(rng.choice([-noise, 0, noise], payoffs.shape), 1)
        weights, averages = ratings.nash_averaging(payoffs + upper - upper.T)
        assert averages.max() <= 5e-6
        for agent in copies:
            assert np.ptp(weights[copies == agent]) == 0


def test_nash_averaging_of_payoffs_of_very_different_sizes() -> None:
    """An equilibrium or an error; only payoffs of one agent decide whether it is a copy."""
    found = 0
    for seed in range(42):
        rng = np.random.default_rng(seed)
        upper = np.triu(10 ** rng.normal(scale=3, size=(8, 8)) * rng.choice([-1, 1], (8, 8)), 1)
        payoffs = upper - upper.T
        error = ""
        try:
            weights, averages = ratings.nash_averaging(payoffs)
        except stier.RatingError as raised:
            error = str(raised)
        if error:
            assert "payoffs that are very different in size" in error
        else:
            found += 1
            assert weights.sum() == pytest.approx(1)
            assert averages.max() <= 1e-7 * np.abs(payoffs).max()
    assert found >= 20


def test_alpha_rank_through_open_spiel() -> None:
    pytest.importorskip("open_spiel.python.egt.alpharank")
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert ratings.alpha_rank(cycle) == pytest.approx([1 / 3] * 3)
    assert ratings.alpha_rank([[0, 2, 5], [-2, 0, 1], [-5, -1, 0]]) == pytest.approx([1, 0, 0], abs=1e-6)
    with pytest.raises(ValueError, match="alpha must be above 0"):
        ratings.alpha_rank(cycle, alpha=0)


def test_payoffs_of_those_who_did_not_meet_are_missing() -> None:
    crossed: CrossTable = ratings.cross_table(outcomes([(0, 1, 1.0), (1, 2, 1.0)], 3))
    with pytest.raises(ValueError, match="agents 0 and 2 never played each other"):
        ratings.nash_averaging(crossed)


def test_control_variates_keep_the_mean_and_cover_it() -> None:
    """Over many samples: no bias, intervals that cover as often as they say, the gain that theory has."""
    rng = np.random.default_rng(2)
    covered, means, gains = 0, [], []
    for _ in range(1000):
        control = rng.normal(size=80)
        values = 0.3 + 0.9 * control + rng.normal(scale=0.5, size=80)
        found = ratings.control_variate(values, control, expected=0.0)
        means.append(found.controlled.mean)
        gains.append(found.gain)
        covered += abs(found.controlled.mean - 0.3) <= found.controlled.ci95
    assert np.mean(means) == pytest.approx(0.3, abs=4 * 0.5 / math.sqrt(80 * 1000))
    assert 0.925 < covered / 1000 < 0.972
    assert np.mean(gains) == pytest.approx((0.81 + 0.25) / 0.25, rel=0.1)


def test_an_expectation_that_is_measured_costs() -> None:
    """With a reference four times as large, and the control all there is: five times the units."""
    rng = np.random.default_rng(3)
    control = rng.normal(size=2000)
    found = ratings.control_variate(2 * control + 1, control, reference=rng.normal(size=8000))
    assert found.gain == pytest.approx(5, rel=0.1)
    assert found.coefficients == pytest.approx([2])
    useless = ratings.control_variate(rng.normal(size=2000), control, expected=0)
    assert useless.gain == pytest.approx(1, abs=0.01)
    for wrong in [{}, {"expected": 0, "reference": control}]:
        with pytest.raises(ValueError, match="give either expected or reference"):
            ratings.control_variate(control, control, **wrong)
    with pytest.raises(ValueError, match="the same units"):
        ratings.control_variate(control[1:], control, expected=0)
    with pytest.raises(ValueError, match="need 4 units or more"):
        ratings.control_variate([1, 2, 3], [1, 2, 3], expected=0)


def test_pairs_and_controls_gain_what_they_say(schwinget: stier.Game) -> None:
    found = ratings.variance_reduction(schwinget, "greedy", "random", control=("greedy:seed=1", "random"), deals=400)
    assert [design.name for design in found.designs] == [
        "unpaired",
        "unpaired, with control",
        "paired",
        "paired, with control",
    ]
    assert found.designs[0].gain == 1
    assert all(design.gain > 1.2 for design in found.designs[1:])
    # All measure the same.
    for design in found.designs:
        assert abs(design.estimate.mean - found.designs[3].estimate.mean) < 0.5
