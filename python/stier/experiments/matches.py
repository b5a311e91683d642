"""Matches of agents, one row for each game, and their summary: cross-table and ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from stier import _arguments, _native
from stier._native import Game, alternatives, derive_seed, games_per_deal, load_game
from stier.errors import ArgumentError, RatingError
from stier.experiments import _plans
from stier.experiments._plans import OUTPUTS, OnProgress, PageAfter, Plan, Task, as_text, build, checked, digest, drawn
from stier.experiments._store import Store
from stier.games import place_of, text_of
from stier.playing import AnyAgent, listed
from stier.ratings import (
    CrossTable,
    Outcomes,
    Ratings,
    bradley_terry,
    cross_table,
    estimate,
    nash_averaging,
    outcomes,
    pairing_gain,
    plackett_luce,
    share,
)

__all__ = ["Experiment", "MatchReport"]

#: The deals after which convergence is shown first, and at how many numbers of deals.
FEWEST, CHECKS = 10, 16
#: The largest numbers of deals and of deals in a part.
MOST_DEALS, MOST_IN_PART = 10**9, 1_000_000
#: The columns: one row per game. Lists are by seat, but for the actions.
SCHEMA = pa.schema(
    [
        ("rules", pa.string()),
        ("seed", pa.uint64()),
        ("pairing", pa.uint32()),
        ("deal", pa.uint64()),
        ("names", pa.list_(pa.string())),
        ("agents", pa.list_(pa.string())),
        ("actions", pa.list_(pa.uint8())),
        ("returns", pa.list_(pa.float64())),
    ]
)
#: The keys of a file with their types; the others are checked with the experiment.
KEYS: dict[str, Any] = {
    "game": str,
    "agents": (dict, list),
    "rules": dict,
    "deals": int,
    "seed": int,
    "seeds": list[int],
    "paired": bool,
    "pairings": list,
    "deals_per_part": int,
    **dict.fromkeys(OUTPUTS, str),
}


class Block(NamedTuple):
    """A range of the deals of one pairing under one seed, played by one task."""

    #: The seed of the experiment that it belongs to.
    seed: int
    #: The number of the pairing.
    pairing: int
    #: Its first deal.
    first: int
    #: The number of deals.
    deals: int


class Experiment(Plan):
    """Agents that play matches. Two equal experiments give the same rows, bit by bit.

    Every pairing plays every deal in all arrangements of its agents (see `stier.pit`), and all pairings have the same
    cards. The order in which agents are named has no influence on the games.

    Args:
        game: The game's name.
        agents: Agents as text, by the names that tables give them; or a list of texts, which are then their names. The
            text of an agent of Python is ``module:name``, as in `stier.pit`, and the function or class itself stands
            for it. A class or factory makes an agent anew for each part. Other agents of Python must not remember
            anything from one game to the next, or the rows depend on which parts a run has played.
        rules: Options of the game that are not the default.
        deals: Deals for each pairing and seed, at least 1.
        seeds: Seeds; the experiment is repeated with other cards for each.
        paired: Gives all games of a deal the same cards.
        pairings: The names of the agents at each table, as many as the game has seats; every combination if left out.
        deals_per_part: Deals in a part. A killed run loses less than that.

    Raises:
        RulesError: A game or an option that does not exist.
        AgentError: An agent that does not exist, or cannot play the game.
        TypeError: A number that is not a whole one.
        ArgumentError: A number out of range, an unknown name, or an agent with a budget of time, which never plays the
            same game twice.

    Attributes:
        game: The game's name.
        rules: The options of the game that are not the default.
        agents: The agents as text, by name, in order of entry.
        deals: Deals for each pairing and seed.
        seeds: The seeds.
        paired: True if all games of a deal have the same cards.
        tables: The pairings: the names of the agents at each table.
        deals_per_part: Deals in a part.
    """

    kind = "matches"
    unit = "games"
    page_after: ClassVar[PageAfter] = "never"
    keys: ClassVar[Mapping[str, Any]] = KEYS
    schema = SCHEMA

    def __init__(
        self,
        game: str,
        agents: Mapping[str, AnyAgent] | Sequence[AnyAgent],
        rules: Mapping[str, Any] | None = None,
        deals: int = 1000,
        seeds: Sequence[int] = (0,),
        paired: bool = True,
        pairings: Sequence[Sequence[str]] | None = None,
        deals_per_part: int = 100,
        outputs: Mapping[str, str] | None = None,
    ) -> None:
        checked(rules or {}, dict.fromkeys(rules or {}, (str, int, float, bool)), "rules: ")
        loaded = load_game(game, **(rules or {}))
        # Other processes find the game by this text.
        self.game: str = place_of(loaded)
        self.rules: dict[str, Any] = dict(sorted(_changed(loaded).items()))
        self.agents: dict[str, str] = named(loaded, agents)
        self.deals: int = _arguments.whole("deals", deals, 1, MOST_DEALS)
        self.deals_per_part: int = _arguments.whole("deals_per_part", deals_per_part, 1, MOST_IN_PART)
        self.seeds: list[int] = [_arguments.seed(seed) for seed in seeds]
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise ArgumentError("seeds must be one or more different numbers")
        if not isinstance(paired, bool):
            raise ArgumentError(f"paired must be true or false, got {paired!r}")
        self.paired = paired
        self.tables: list[tuple[str, ...]] = _tables(loaded, self.names, pairings)
        self.outputs = dict(outputs or {})
        self._hash = digest([self.fixed(), self.networks, build(), _plans.FORMAT])

    def __repr__(self) -> str:
        return f"<stier.experiments.Experiment: {self.load_game()}, {', '.join(self.agents)}, {self.games} games>"

    def load_game(self) -> Game:
        """Loads the game with its rules."""
        return load_game(self.game, **self.rules)

    @property
    def names(self) -> list[str]:
        """Returns the names of the agents, in order of entry."""
        return list(self.agents)

    @property
    def games(self) -> int:
        """Returns the number of games in all."""
        return self.deals * len(self.seeds) * sum(map(self.games_per_deal, range(len(self.tables))))

    def games_per_deal(self, pairing: int) -> int:
        """Returns the number of games that a pairing plays per deal."""
        return games_per_deal([self.agents[name] for name in self.tables[pairing]])

    def parts(self) -> int:
        """Returns the number of parts."""
        return -(-self.deals // self.deals_per_part) * len(self.seeds) * len(self.tables)

    def task(self, number: int) -> Task:
        """Returns a task. Ranges of deals come in order, so that the parts form a smaller experiment at any time."""
        rest, pairing = divmod(number, len(self.tables))
        place, seed = divmod(rest, len(self.seeds))
        first = place * self.deals_per_part
        block = Block(self.seeds[seed], pairing, first, min(self.deals_per_part, self.deals - first))
        size = block.deals * self.games_per_deal(pairing)
        return Task(f"games/part-{number:06}", digest([self._hash, block]), size, pairing, block)

    def settings(self) -> dict[str, Any]:
        """Returns the experiment as JSON has it."""
        return {**self.fixed(), "deals": self.deals, **self.outputs}

    def fixed(self) -> dict[str, Any]:
        """Returns all that the games depend on, but for their number and the content of networks."""
        return {
            "game": self.game,
            "rules": self.rules,
            "agents": self.agents,
            "pairings": [list(table) for table in self.tables],
            "seeds": self.seeds,
            "paired": self.paired,
            "deals_per_part": self.deals_per_part,
        }

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Plays the games of a task. All pairings of a seed have the same cards."""
        block: Block = task.what
        # By name: agents with the same text are told apart by their order.
        game, table = self.load_game(), sorted(self.tables[block.pairing])
        texts = [self.agents[name] for name in table]
        seed = derive_seed(block.seed, "experiment", block.first)
        games = _native.pit(game, listed(texts), block.deals, seed, self.paired, threads, on_progress).games
        # Unpaired, each game has cards of its own; deals of one number have the same cards in all pairings.
        pairings = range(len(self.tables))
        first = block.first * (1 if self.paired else max(map(self.games_per_deal, pairings)))
        actions = [np.array(played.state().history(), dtype=np.int64)[:, 1] for played in games]
        ends = np.cumsum([0, *map(len, actions)], dtype=np.int32)
        columns = [
            pa.array([text_of(game)] * len(games), pa.string()),
            pa.array(np.full(len(games), block.seed, dtype=np.uint64)),
            pa.array(np.full(len(games), block.pairing, dtype=np.uint32)),
            pa.array(np.array([first + played.deal for played in games], dtype=np.uint64)),
            pa.array([[table[agent] for agent in played.agents] for played in games], SCHEMA.field("names").type),
            pa.array([[texts[agent] for agent in played.agents] for played in games], SCHEMA.field("agents").type),
            pa.ListArray.from_arrays(pa.array(ends), pa.array(np.concatenate(actions).astype(np.uint8))),
            pa.array([played.returns for played in games], SCHEMA.field("returns").type),
        ]
        return pa.Table.from_arrays(columns, schema=SCHEMA)

    def report(self, store: Store, resamples: int | None = None) -> MatchReport:
        """Makes tables of the games that are there; the deal is the unit of all intervals."""
        found = outcomes(store)
        crossed, rated = cross_table(found), _ratings(found, resamples)
        tables = {
            "standings": _standings(self, crossed, rated),
            "meetings": _meetings(crossed),
            "pairings": _pairings(self, found),
            "convergence": _convergence(found),
        }
        met, missing = np.isfinite(crossed.mean) | np.eye(len(crossed.agents), dtype=bool), ""
        if found.seats.shape[1] == 2 and met.all() and self.load_game().utility_sum() == 0:
            try:
                average = nash_averaging(crossed)
            except RatingError as error:
                missing = f"There is no table equilibrium: {error}.\n"
            else:
                tables["equilibrium"] = pd.DataFrame(
                    {"agent": crossed.agents, "weight": average.weights, "average": average.averages}
                )
        return MatchReport(self, len(found.unit), crossed, rated, tables, missing)


def experiment_of(store: Store) -> Experiment:
    """Returns the experiment of a store. Raises `ArgumentError` if it is not one of matches."""
    if not isinstance(store.experiment, Experiment):
        raise ArgumentError(f"{store.folder} has no matches, but an experiment of the kind {store.experiment.kind}")
    return store.experiment


def _changed(game: Game) -> dict[str, Any]:
    """The options that are not the default of the game."""
    default = load_game(game.short_name()).rules()
    return {name: value for name, value in game.rules().items() if default[name] != value}


def named(game: Game, given: Mapping[str, AnyAgent] | Sequence[AnyAgent]) -> dict[str, str]:
    """Agents by name, each checked and written in one way."""
    if isinstance(given, str):
        raise ArgumentError(f"agents must be a table of names and agents, or a list of agents, got '{given}'")
    agents = list(given.items()) if isinstance(given, Mapping) else [(None, agent) for agent in given]
    found: dict[str, str] = {}
    for name, agent in agents:
        text = as_text(agent, game)
        found[(agent if isinstance(agent, str) else text) if name is None else name] = text
    if len(found) < len(agents):
        raise ArgumentError("two agents are the same: give them names, in a table")
    return found


def _tables(game: Game, names: Sequence[str], given: Sequence[Sequence[str]] | None) -> list[tuple[str, ...]]:
    seats = game.num_players()
    if given is None:
        if len(names) < seats:
            raise ArgumentError(f"{game} has {seats} seats, so it needs at least {seats} agents, got {len(names)}")
        return list(combinations(names, seats))
    tables = []
    for table in given:
        if (
            isinstance(table, str)
            or not isinstance(table, Sequence)
            or len(table) != seats
            or not all(isinstance(name, str) for name in table)
        ):
            raise ArgumentError(f"a pairing must have {seats} names, one for each seat, got {table!r}")
        for name in table:
            if name not in names:
                raise ArgumentError(f"pairings: unknown agent '{name}'{alternatives(name, 'agents', names)}")
        tables.append(tuple(table))
    if not tables or len({tuple(sorted(table)) for table in tables}) < len(tables):
        raise ArgumentError("pairings must be one or more, each with other names: their order has no influence")
    return tables


class MatchReport(_plans.Report):
    """Tables of matches; made by `report`.

    Attributes:
        experiment: The experiment.
        games: The number of games of it that have been played.
        cross_table: The results of each agent against each other one.
        ratings: Bradley-Terry for two players, Plackett-Luce for more; `None` if some agents never met.
        tables: pandas frames: ``standings`` (a row for each agent), ``meetings`` (for each agent and opponent),
            ``pairings`` (for each table of agents), ``convergence`` (for each agent after more and more deals: its mean
            return and its share of wins so far), and for two players ``equilibrium`` (see
            `stier.ratings.nash_averaging`), unless none was found: the text says so. In each, ``x_ci95`` is the half
            width of a 95 % interval of ``x`` over deals, ``x_low`` and ``x_high`` are its ends; empty for a single
            deal, which has no interval.
    """

    page = "report.txt"

    def __init__(
        self,
        experiment: Experiment,
        games: int,
        crossed: CrossTable,
        ratings: Ratings | None,
        tables: Mapping[str, pd.DataFrame],
        missing: str,
    ) -> None:
        figures = {"cross_table": partial(drawn, "cross_table", crossed)}
        if tables["convergence"]["deals"].nunique() > 1:
            figures["convergence"] = partial(drawn, "convergence", tables["convergence"])
        if ratings is not None:
            figures["ratings"] = partial(drawn, "ratings", ratings)
        self.experiment = experiment
        self.games = games
        self.cross_table = crossed
        self.ratings = ratings
        super().__init__(_as_text(experiment, games, crossed, ratings, tables, missing), tables, figures)


def _as_text(
    experiment: Experiment,
    games: int,
    crossed: CrossTable,
    ratings: Ratings | None,
    tables: Mapping[str, pd.DataFrame],
    missing: str,
) -> str:
    seeds = f"seed {experiment.seeds[0]}" if len(experiment.seeds) == 1 else f"{len(experiment.seeds)} seeds"
    deals = f"{experiment.deals} {'paired ' if experiment.paired else ''}deals"
    share = "" if games == experiment.games else f" of {experiment.games}: not all have been played yet"
    lines = [f"{experiment.load_game()}, {deals}, {seeds}, {games} games{share}\n", str(crossed)]
    if ratings is not None:
        lines.append(str(ratings))
    if missing:
        lines.append(missing)
    gains = tables["pairings"]["gain"]
    if gains.notna().any():
        low, high = gains.min(), gains.max()
        span = f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
        lines.append(f"Without pairs, {span} times the games would be needed for the same intervals.\n")
    return "\n".join(lines)


def _ratings(found: Outcomes, resamples: int | None) -> Ratings | None:
    if found.seats.shape[1] > 2:
        return plackett_luce(found, resamples=50 if resamples is None else resamples)
    try:
        return bradley_terry(found, resamples=1000 if resamples is None else resamples)
    except RatingError:
        return None


def _standings(experiment: Experiment, crossed: CrossTable, rated: Ratings | None) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "agent": crossed.agents,
            "text": [experiment.agents[name] for name in crossed.agents],
            "mean": [one.mean for one in crossed.overall],
            "mean_ci95": [one.ci95 for one in crossed.overall],
            "wins": [one.mean for one in crossed.overall_wins],
            "wins_low": [one.low for one in crossed.overall_wins],
            "wins_high": [one.high for one in crossed.overall_wins],
            "deals": [one.units for one in crossed.overall],
        }
    )
    if rated is not None:
        frame["rating"], frame["rating_low"], frame["rating_high"] = rated.rating, rated.low, rated.high
    return frame


def _meetings(crossed: CrossTable) -> pd.DataFrame:
    rows, columns = np.nonzero(crossed.deals)
    return pd.DataFrame(
        {
            "agent": [crossed.agents[row] for row in rows],
            "opponent": [crossed.agents[column] for column in columns],
            **{
                name: values[rows, columns]
                for name, values in [
                    ("mean", crossed.mean),
                    ("mean_ci95", crossed.ci95),
                    ("wins", crossed.wins),
                    ("wins_low", crossed.wins_low),
                    ("wins_high", crossed.wins_high),
                    ("deals", crossed.deals),
                ]
            },
        }
    )


def _convergence(found: Outcomes) -> pd.DataFrame:
    """Returns the results of each agent after more and more deals."""
    rows, wins = [], found.wins
    for units in np.unique(np.geomspace(min(FEWEST, found.units), found.units, CHECKS).round().astype(int)):
        before = found.unit < units
        so_far = replace(found, unit=found.unit[before], seats=found.seats[before], returns=found.returns[before])
        for number, agent in enumerate(found.agents):
            mean = estimate(so_far.by_deal(so_far.returns, number), found.bounds)
            won = share(so_far.by_deal(wins[before], number))
            rows.append((agent, mean.units, mean.mean, mean.ci95, won.mean, won.low, won.high))
    return pd.DataFrame(rows, columns=["agent", "deals", "mean", "mean_ci95", "wins", "wins_low", "wins_high"])


def _pairings(experiment: Experiment, found: Outcomes) -> pd.DataFrame:
    """Returns the gain from pairing the deals of each table."""
    tables = experiment.tables
    place = {name: number for number, name in enumerate(found.agents)}
    # The gain is that of the first agent: the first by name, so that it does not depend on the order of the names.
    numbers = [[place[name] for name in sorted(table)] for table in tables]
    # An agent that sits at a table twice has several returns.
    once = [experiment.paired and len(set(table)) == len(table) for table in numbers]
    gains = [pairing_gain(found, table) if alone else np.nan for table, alone in zip(numbers, once, strict=True)]
    return pd.DataFrame({"pairing": [" - ".join(table) for table in tables], "gain": gains})
