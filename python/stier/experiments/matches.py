"""Matches of agents in one game, a row for each game that is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pyarrow as pa

from stier import _arguments, _native
from stier._native import Game, alternatives, derive_seed, games_per_deal, load_game
from stier.errors import ArgumentError
from stier.experiments._match_page import MatchReport, answer_of
from stier.experiments._plans import FORMAT, OnProgress, PageAfter, Plan, Task, as_text, build, checked, digest
from stier.experiments._store import Store
from stier.games import place_of, text_of
from stier.playing import AnyAgent, listed

__all__ = ["Experiment"]

#: The largest numbers of deals and of deals in a part.
MOST_DEALS, MOST_IN_PART = 10**9, 1_000_000
#: The keys of matches in one game or in several, with their types; the values are checked with the experiment.
KEYS: dict[str, Any] = {
    "agents": (dict, list),
    "deals": int,
    "seed": int,
    "seeds": list[int],
    "paired": bool,
    "deals_per_part": int,
}


class _Block(NamedTuple):
    """A range of the deals of one pairing (by number) under one seed, played by one task."""

    seed: int
    pairing: int
    first: int
    deals: int


class Experiment(Plan):
    """The kind ``matches``: agents that play in one game. Equal experiments give the same rows, bit by bit.

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
            Where a game has more seats than there are agents, agents sit at a table more than once, and every table
            with two or more of them plays.
        deals_per_part: Deals in a part. A killed run loses less than that.
        page: The keys of a file about page and outputs (see `Plan`).

    Raises:
        RulesError: A game or an option that does not exist.
        AgentError: An agent that does not exist, or cannot play the game.
        TypeError: A number that is not a whole one.
        ArgumentError: A number out of range, an unknown name, or an agent with a budget of time, which never plays the
            same game twice.

    Attributes:
        agents: The agents as text, by name, in order of entry.
        tables: The pairings: the names of the agents at each table.
        game, rules, deals, seeds, paired, deals_per_part: As given, without rules that are the default.
    """

    kind = "matches"
    unit = "games"
    page_after: ClassVar[PageAfter] = "never"
    keys: ClassVar[Mapping[str, Any]] = {"game": str, "rules": dict, "pairings": list, **KEYS}
    optional: ClassVar[Sequence[str]] = ("seed",)
    #: One row per game. Lists are by seat, but for the actions.
    schema = pa.schema(
        {"rules": "string", "seed": "uint64", "pairing": "uint32", "deal": "uint64"}
        | {"names": pa.list_(pa.string()), "agents": pa.list_(pa.string())}
        | {"actions": pa.list_(pa.uint8()), "returns": pa.list_(pa.float64())}
    )

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
        page: Mapping[str, Any] | None = None,
    ) -> None:
        checked(rules or {}, dict.fromkeys(rules or {}, (str, int, float, bool)), "rules: ")
        loaded = load_game(game, **(rules or {}))
        # Other processes find the game by this text.
        self.game: str = place_of(loaded)
        default = load_game(loaded.short_name()).rules()
        self.rules: dict[str, Any] = {name: own for name, own in sorted(loaded.rules().items()) if own != default[name]}
        self.agents: dict[str, str] = named(loaded, agents)
        self.deals: int = _arguments.whole("deals", deals, 1, MOST_DEALS)
        self.deals_per_part: int = _arguments.whole("deals_per_part", deals_per_part, 1, MOST_IN_PART)
        self.seeds: list[int] = [_arguments.seed(seed) for seed in seeds]
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise ArgumentError("seeds must be one or more different numbers")
        self.paired = paired
        self.tables: list[tuple[str, ...]] = _tables(loaded, self.names, pairings)
        own = {key: getattr(self, key) for key in ("game", "rules", *KEYS) if key != "seed"}
        super().__init__({**own, "pairings": [*map(list, self.tables)], **(page or {})})
        self._hash = digest([self.fixed(), self.networks, build(), FORMAT])

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
        deals = min(self.deals_per_part, self.deals - first)
        block, size = _Block(self.seeds[seed], pairing, first, deals), deals * self.games_per_deal(pairing)
        return Task(f"games/part-{number:06}", digest([self._hash, block]), size, pairing, block)

    def fixed(self) -> dict[str, Any]:
        """Returns all that the games depend on, but for their number and the content of networks."""
        return {key: value for key, value in super().fixed().items() if key != "deals"}

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress) -> pa.Table:
        """Plays the games of a task. All pairings of a seed have the same cards."""
        own_seed, pairing, first, deals = task.what
        # By name: agents with the same text are told apart by their order.
        game, table = self.load_game(), sorted(self.tables[pairing])
        texts = [self.agents[name] for name in table]
        seed = derive_seed(own_seed, "experiment", first)
        games = _native.pit(game, listed(texts), deals, seed, self.paired, threads, on_progress).games
        # Unpaired, each game has cards of its own; deals of one number have the same cards in all pairings.
        first *= 1 if self.paired else max(map(self.games_per_deal, range(len(self.tables))))
        columns = {
            "rules": [text_of(game)] * len(games),
            "seed": [own_seed] * len(games),
            "pairing": [pairing] * len(games),
            "deal": [first + played.deal for played in games],
            "names": [[table[agent] for agent in played.agents] for played in games],
            "agents": [[texts[agent] for agent in played.agents] for played in games],
            "actions": [[action for _, action in played.state().history()] for played in games],
            "returns": [played.returns for played in games],
        }
        return pa.table(columns, schema=self.schema)

    def report(self, store: Store, resamples: int | None = None) -> MatchReport:
        """Makes tables of the games that are there; the deal is the unit of all intervals."""
        found = MatchReport(self, store, resamples)
        answer = answer_of(self, store, {str(self.load_game()): found})
        found.question, found.answer, found.markdown, found.figures = self.tell(store, answer, "strength")
        return found


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
        if len(names) < 2:
            raise ArgumentError(f"a match needs at least 2 agents, got {len(names)}")
        if len(names) >= seats:
            return list(combinations(names, seats))
        return [table for table in combinations_with_replacement(names, seats) if len(set(table)) > 1]
    tables = []
    for table in given:
        is_list = isinstance(table, Sequence) and not isinstance(table, str)
        if not is_list or len(table) != seats or not all(isinstance(name, str) for name in table):
            raise ArgumentError(f"a pairing must have {seats} names, one for each seat, got {table!r}")
        for name in table:
            if name not in names:
                raise ArgumentError(f"pairings: unknown agent '{name}'{alternatives(name, 'agents', names)}")
        tables.append(tuple(table))
    if not tables or len({tuple(sorted(table)) for table in tables}) < len(tables):
        raise ArgumentError("pairings must be one or more lists of names, which differ by more than their order")
    return tables
