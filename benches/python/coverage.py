"""The coverage of 95 % intervals and the cost in width: writes `COVERAGE.md` and `coverage.png`.

Run it with the extra `ratings`. It takes about a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
from charts import draw, illustrated
from measure import machine
from scipy import stats

import stier
from stier.experiments import markdown_table, page
from stier.ratings import Outcomes, bradley_terry, estimate
from stier.solving import GameTree, best_response

Floats = npt.NDArray[np.float64]
#: The cells of a row of a table.
Cells = list[object]

SAMPLES = 1000
UNITS = (12, 40, 100, 200, 1000)
OFTEN = (0.5, 0.9, 0.99, 0.999)
#: Deals of the reproduction, and seeds.
DEALS, SEEDS = (12, 40, 100), 200


def won_or_lost(games: int) -> Callable[[np.random.Generator, float, int], tuple[Floats, float]]:
    """Means of some games, each of them 1 with the probability given and otherwise -1."""
    return lambda rng, often, units: (2 * rng.binomial(games, often, units) / games - 1, 2 * often - 1)


def beside(low: float, high: float) -> Callable[[np.random.Generator, float, int], tuple[Floats, float]]:
    """A loss of 1 with the rest of the probability, beside returns that are evenly between two numbers."""

    def draw(rng: np.random.Generator, often: float, units: int) -> tuple[Floats, float]:
        usual = rng.choice([low, high], units)
        return np.where(rng.random(units) < often, usual, -1.0), often * (low + high) / 2 - (1 - often)

    return draw


def normal(rng: np.random.Generator, often: float, units: int) -> tuple[Floats, float]:
    """A loss of 1 with the rest of the probability, beside a normal distribution with a deviation of 0.1."""
    usual = np.clip(rng.normal(0, 0.1, units), -1, 1)
    return np.where(rng.random(units) < often, usual, -1.0), often - 1


#: Returns that are one of two, the rarer one first: all samples are known, and how likely each of them is.
TWO = {"won or lost": (-1.0, 1.0), "0, or a loss of 1": (-1.0, 0.0)}
#: Other kinds of returns, which are drawn.
KINDS = {
    "mean of 2 games": won_or_lost(2),
    "mean of 6 games": won_or_lost(6),
    "0.4, 0.5, or a loss of 1": beside(0.4, 0.5),
    "normal, or a loss of 1": normal,
}


def samples(kind: str, often: float, units: int) -> Iterator[tuple[Floats, float, float]]:
    """Samples with their true mean and their probability."""
    if kind in TWO:
        low, high = TWO[kind]
        for number, probability in enumerate(stats.binom.pmf(np.arange(units + 1), units, often)):
            yield np.where(np.arange(units) < number, high, low), low + often * (high - low), probability
    else:
        rng = np.random.default_rng(1)
        for _ in range(SAMPLES):
            yield *KINDS[kind](rng, often, units), 1 / SAMPLES


def means(kinds: Iterable[str]) -> Iterator[Cells]:
    """The rows of the tables of means; with the side that holds less often where that is exact."""
    for kind, often, units in product(kinds, OFTEN, UNITS):
        # By interval: Student's and Stier's; by side: both, and each alone.
        held, widths = np.zeros((2, 3)), np.zeros(2)
        for values, truth, probability in samples(kind, often, units):
            for place, bounds in enumerate((None, (-1.0, 1.0))):
                found = estimate(values, bounds)
                off, most = found.mean - truth, found.ci95 + 1e-9
                held[place] += probability * np.array([abs(off) <= most, off <= most, -off <= most])
                widths[place] += probability * found.ci95
        before, after = 100 * held[:, 0]
        side = [f"{100 * held[1, 1:].min():.1f}"] if kind in TWO else []
        wider = f"{widths[1] / widths[0]:.2f}" if before > 90 else "-"
        yield [kind, f"{often:g}", units, f"{before:.1f}", f"{after:.1f}", *side, wider]


def matches() -> Iterator[Cells]:
    """The rows of the table of matches: how much wider the intervals of agents' mean returns are."""
    for name in stier.registered_names():
        game = stier.load_game(name)
        for agents in (["random", "random:seed=1"], ["flat_mc:iterations=30", "random"]):
            entrants = agents[:1] + agents[1:] * (game.num_players() - 1)
            wider = []
            for deals in (200, 1000):
                result = stier.pit(game, entrants, deals=deals, seed=1)
                wider.append(f"{result.ci95[0] / estimate(_by_deal(result)).ci95:.2f}")
            yield [f"`{name}`", f"`{agents[0]}` against `{agents[1]}`", *wider]


def gains() -> Iterator[Cells]:
    """The rows of the table of `exploit`, for an agent that a best response beats in almost every game."""
    game = stier.load_game("goofspiel")
    tree = GameTree(game)
    masks = tree.legal_action_masks()
    first = np.eye(masks.shape[1])[masks.argmax(axis=1)]
    for mixed in (0.01, 0.05):
        agent = tree.policy((1 - mixed) * first + mixed * masks / masks.sum(axis=1, keepdims=True))
        for deals in DEALS:
            wrong = np.zeros(2)
            for seed in range(SEEDS):
                found = stier.exploit(game, agent, best_response(game, agent), deals=deals, seed=seed)
                student = estimate(_by_deal(found.games))
                wrong += np.array([student.mean - student.ci95, found.at_least]) > agent.exploitability + 1e-9
            before, after = 100 * wrong / SEEDS
            yield [f"{mixed:g}", f"{agent.exploitability:.4f}", deals, f"{before:.1f}", f"{after:.1f}"]


def _by_deal(games: stier.PitResult) -> Floats:
    """The mean return of the first agent in each deal."""
    returns = np.array([played.returns[played.agents.index(0)] for played in games.games])
    return np.asarray(returns.reshape(games.deals, -1).mean(axis=1))


def ratings() -> Iterator[Cells]:
    """The rows of the table of Bradley and Terry's ratings: exact, over all numbers of wins of one agent of two."""
    for games in (30, 50, 100):
        wins = np.arange(games + 1)
        ends = []
        for won in wins:
            returns = np.where(np.arange(games) < won, 1.0, -1.0)
            found = Outcomes(
                ["a", "b"], np.arange(games), np.tile([0, 1], (games, 1)), np.stack([returns, -returns], axis=1)
            )
            rated = bradley_terry(found)
            ends.append([rated.low[0], rated.high[0]])
        low, high = 2 * np.transpose(ends)
        drawn = stats.binom.ppf([[0.025], [0.975]], games, wins / games)
        percentiles = 400 * np.log10((drawn + 0.5) / (games - drawn + 0.5))
        for often in (0.5, 0.7, 0.9, 0.97, 0.99):
            truth = 400 * np.log10(often / (1 - often))
            chance = stats.binom.pmf(wins, games, often)
            before = chance[(percentiles[0] <= truth) & (truth <= percentiles[1])].sum()
            after = chance[(low <= truth) & (truth <= high)].sum()
            yield [games, f"{often:g}", f"{100 * before:.1f}", f"{100 * after:.1f}"]


#: The tables: title, text, columns, of which the first are not numbers, and rows.
TABLES = (
    (
        "Means of two returns",
        """The share of samples of returns that are one of two in which the 95 % interval (`mean ± ci95`) holds the
true mean, by Student's interval (*Student*) and with what was not seen (*Stier*), and how many times as wide it is on
average. There is no width where Student's interval holds in less than 90 %. *Often* is the probability of winning a
game, or of no loss. The figures are exact, by the binomial distribution. *One side* is how often the mean less `ci95`
is a lower bound, or the mean plus it an upper one, whichever is less.""",
        ("kind", "often", "units", "Student %", "Stier %", "one side %", "wider"),
        partial(means, TWO),
    ),
    (
        "Means of other returns",
        f"""The same for {SAMPLES} samples of each kind, so the figures have an error of up to 1.4.""",
        ("kind", "often", "units", "Student %", "Stier %", "wider"),
        partial(means, KINDS),
    ),
    (
        "Matches",
        "How many times as wide the interval of the mean return is in matches of the games, seed 1.",
        ("game", "match", "200 deals", "1000 deals"),
        matches,
    ),
    (
        "Lower bounds of `exploit`",
        f"""Goofspiel. The agent takes its first action, or with a small probability any action. A best response plays
against it with {SEEDS} seeds: the percentage in which the lower bound with 95 % confidence is above the exact
exploitability, by Student's interval and by Stier's.""",
        ("any action", "exploitability", "deals", "Student %", "Stier %"),
        gains,
    ),
    (
        "Ratings",
        """`bradley_terry` of two agents, of which one wins with the probability *often*: exact coverage in percent, by
the binomial distribution, of percentiles of a bootstrap that draws games, with a drawn game as prior (*percentiles*),
and of Stier's interval.""",
        ("games", "often", "percentiles %", "Stier %"),
        ratings,
    ),
)


def coverage(tables: Sequence[Sequence[Cells]]) -> str:
    """Returns the page, from the rows of all tables."""
    two, other, played, bounds, rated = tables

    def ends(rows: Sequence[Cells], *columns: int) -> tuple[str, str]:
        found = sorted((row[column] for row in rows for column in columns if row[column] != "-"), key=float)
        return found[0], found[-1]

    found = page(
        "How often do 95 % intervals hold?",
        f"Stier's hold the true mean in at least {ends(two, 4)[0]} % of samples of wins and losses, Student's in as "
        f"few as {ends(two, 3)[0]} %, where losses are rare. With other returns they hold in at least "
        f"{ends(other, 4)[0]} %, and for ratings in at least {ends(rated, 3)[0]} %. They are hardly wider in matches "
        f"of the games: at most {ends(played, 2)[1]} times with 200 deals, {ends(played, 3)[1]} times with 1,000.",
        sure=[
            "Stier's interval with Student's, which treats returns that did not occur as impossible. "
            f"Wins and losses, and ratings, are computed exactly; other returns come from {SAMPLES:,} samples each. "
            "Lower bounds of `exploit`, in Goofspiel, where the true value is known, were wrong in "
            f"{ends(bounds, 4)[1]} % of the runs, and by Student's interval in up to {ends(bounds, 3)[1]} %.",
            "Other distributions of returns. A few units and rare large losses are "
            f"the hard case. There Stier's interval can be {ends([*two, *other], -1)[1]} times as wide as Student's.",
            "How often intervals hold in matches of agents: their true means are not known.",
        ],
        command="python benches/python/coverage.py   # a minute",
        details={
            title: f"{text}\n\n{markdown_table(columns, rows).strip()}"
            for (title, text, columns, _), rows in zip(TABLES, tables, strict=True)
        }
        | {"Where and when": "\n".join([*machine(), f"- NumPy {np.__version__}"])},
    )
    return illustrated("coverage", found)


if __name__ == "__main__":
    text = coverage([list(make()) for *_, make in TABLES])
    (Path(__file__).parents[1] / "COVERAGE.md").write_text(text, "utf-8")
    draw("coverage", text)
