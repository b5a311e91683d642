"""What an experiment is: game, rules, agents, deals, seeds. Read from TOML, checked, and put into one form."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import combinations
from pathlib import Path
from typing import Any

import stier
from stier._native import Game, alternatives, games_per_deal, load_agent, load_game
from stier.errors import ArgumentError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: The largest seed.
MOST_SEED = 2**64 - 1
#: The largest numbers of deals and of deals in a part.
MOST_DEALS, MOST_IN_PART = 10**9, 1_000_000


@dataclass(frozen=True)
class Part:
    """A range of the deals of one pairing under one seed: what one task plays and one file holds.

    Attributes:
        number: Its number in the experiment.
        seed: The seed of the experiment that it belongs to.
        pairing: The number of the pairing.
        first: Its first deal.
        deals: How many.
    """

    number: int
    seed: int
    pairing: int
    first: int
    deals: int


@dataclass(frozen=True)
class Experiment:
    """Who plays what how often. Two that are equal give the same files, byte by byte.

    Every pairing plays every deal in all arrangements of its agents (see `stier.pit`), and all pairings have the same
    cards. The order in which agents are named has no influence on the games.

    Attributes:
        game: The game's name.
        agents: Agents as text, by the names that tables give them; or a list of texts, which are then their names.
        rules: Options of the game that are not the default.
        deals: Deals for each pairing and seed, at least 1.
        seeds: Seeds; the experiment is repeated with other cards for each.
        paired: Whether all games of a deal have the same cards.
        pairings: Names of who sits at one table, as many as the game has seats; every combination if left out.
        deals_per_part: Deals in a file. What is lost when a run is killed is less than that.

    Raises:
        RulesError: A game or an option that does not exist.
        AgentError: An agent that does not exist, or cannot play the game.
        ValueError: A number out of range, a name that is not known, or an agent that thinks by the clock, which never
            plays the same game twice.
    """

    game: str
    agents: Mapping[str, str] | Sequence[str]
    rules: Mapping[str, Any] = field(default_factory=dict)
    deals: int = 1000
    seeds: Sequence[int] = (0,)
    paired: bool = True
    pairings: Sequence[Sequence[str]] | None = None
    deals_per_part: int = 100

    def __post_init__(self) -> None:
        """Check everything, and put it into the one form in which equal experiments are equal."""
        game = load_game(self.game, **self.rules)
        agents = _agents(game, self.agents)
        put = object.__setattr__
        put(self, "game", game.short_name())
        put(self, "rules", dict(sorted(_changed(game).items())))
        put(self, "agents", agents)
        put(self, "deals", _number("deals", self.deals, 1, MOST_DEALS))
        put(self, "deals_per_part", _number("deals_per_part", self.deals_per_part, 1, MOST_IN_PART))
        seeds = tuple(_number("a seed", seed, 0, MOST_SEED) for seed in self.seeds)
        if not seeds or len(set(seeds)) < len(seeds):
            raise ArgumentError("seeds must be one or more different numbers")
        put(self, "seeds", seeds)
        if not isinstance(self.paired, bool):
            raise ArgumentError(f"paired must be true or false, got {self.paired!r}")
        put(self, "pairings", _pairings(game, list(agents), self.pairings))

    def load_game(self) -> Game:
        """The game with its rules."""
        return load_game(self.game, **self.rules)

    @property
    def names(self) -> list[str]:
        """The names of the agents, in order of entry."""
        return list(self.agents)

    @property
    def texts(self) -> dict[str, str]:
        """The agents as text, by name."""
        assert isinstance(self.agents, dict)
        return self.agents

    @property
    def tables(self) -> list[tuple[str, ...]]:
        """The pairings: the names of the agents at each table."""
        assert self.pairings is not None
        return [tuple(pairing) for pairing in self.pairings]

    @property
    def games(self) -> int:
        """How many games are played in all."""
        return self.deals * len(self.seeds) * sum(map(self.games_per_deal, range(len(self.tables))))

    def games_per_deal(self, pairing: int) -> int:
        """The number of games that a pairing plays per deal."""
        return games_per_deal([self.texts[name] for name in self.tables[pairing]])

    def parts(self) -> int:
        """How many parts there are."""
        return -(-self.deals // self.deals_per_part) * len(self.seeds) * len(self.tables)

    def part(self, number: int) -> Part:
        """Part `number`. Ranges of deals come in order, so that what is there at any time is a smaller whole."""
        rest, pairing = divmod(number, len(self.tables))
        block, seed = divmod(rest, len(self.seeds))
        first = block * self.deals_per_part
        return Part(number, self.seeds[seed], pairing, first, min(self.deals_per_part, self.deals - first))

    def settings(self) -> dict[str, Any]:
        """All that the games depend on, but for their number, as JSON has it."""
        return {
            "format": 2,
            "version": stier.__version__,
            "game": self.game,
            "rules": self.rules,
            "agents": self.agents,
            "pairings": [list(table) for table in self.tables],
            "seeds": list(self.seeds),
            "paired": self.paired,
            "deals_per_part": self.deals_per_part,
        }

    def hash(self) -> str:
        """A hash of the settings: 16 hexadecimal digits. More deals do not change it."""
        text = json.dumps(self.settings(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def read(path: str | Path) -> Experiment:
    """Read an experiment from a TOML file.

    The keys are the arguments of `Experiment`, and ``seed``, which is short for one of ``seeds``.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not TOML, has unknown or missing keys, or see `Experiment`. The error names the file.
    """
    path = Path(path)
    try:
        return from_dict(tomllib.loads(path.read_text("utf-8")))
    except ValueError as error:
        raise ArgumentError(f"{path}: {error}") from None


def from_dict(given: Mapping[str, Any]) -> Experiment:
    """An experiment from what TOML or JSON had."""
    values = dict(given)
    if "seed" in values:
        if "seeds" in values:
            raise ArgumentError("give seed or seeds, not both")
        values["seeds"] = [values.pop("seed")]
    known = [one.name for one in fields(Experiment)]
    for key in values:
        if key not in known:
            raise ArgumentError(f"unknown key '{key}'; the keys are {', '.join([*known, 'seed'])}")
    kinds: list[tuple[str, type | tuple[type, ...], str]] = [
        ("game", str, "a text"),
        ("rules", dict, "a table of options"),
        ("agents", (dict, list), "a table of names and agents, or a list of agents"),
        ("seeds", list, "a list of numbers"),
        ("pairings", list, "a list of lists of names"),
    ]
    for key, kind, called in kinds:
        if key in values and not isinstance(values[key], kind):
            raise ArgumentError(f"{key} must be {called}, got {values[key]!r}")
    for key in ("game", "agents"):
        if key not in values:
            raise ArgumentError(f"{key} is missing")
    return Experiment(**values)


def _number(name: str, value: Any, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ArgumentError(f"{name} must be {least} to {most}, got {value!r}")
    return value


def _changed(game: Game) -> dict[str, Any]:
    """The options that are not the default of the game."""
    default = load_game(game.short_name()).rules()
    return {name: value for name, value in game.rules().items() if default[name] != value}


def _agents(game: Game, given: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    """Agents by name, each checked and written in one way."""
    if isinstance(given, str):
        raise ArgumentError(f"agents must be a table of names and agents, or a list of agents, got '{given}'")
    named = list(given.items()) if isinstance(given, Mapping) else [(text, text) for text in given]
    if len({name for name, _ in named}) < len(named):
        raise ArgumentError("two agents are the same: give them names, in a table")
    agents = {}
    for name, text in named:
        if not isinstance(text, str):
            raise ArgumentError(f"an agent must be text such as 'ismcts:iterations=100', got {text!r}")
        agent = load_agent(text, game)
        if not agent.is_reproducible:
            raise ArgumentError(f"{text}: an agent with a budget of time plays differently each time; set iterations")
        agents[name] = agent.spec
    return agents


def _pairings(game: Game, names: Sequence[str], given: Sequence[Sequence[str]] | None) -> tuple[tuple[str, ...], ...]:
    seats = game.num_players()
    if given is None:
        if len(names) < seats:
            raise ArgumentError(f"{game} has {seats} seats, so it needs at least {seats} agents, got {len(names)}")
        return tuple(combinations(names, seats))
    tables = []
    for table in given:
        if isinstance(table, str) or len(table) != seats:
            raise ArgumentError(f"a pairing must have {seats} names, one for each seat, got {table!r}")
        for name in table:
            if name not in names:
                raise ArgumentError(f"pairings: unknown agent '{name}'{alternatives(name, 'agents', names)}")
        tables.append(tuple(table))
    if not tables or len({tuple(sorted(table)) for table in tables}) < len(tables):
        raise ArgumentError("pairings must be one or more, each with other names: their order has no influence")
    return tuple(tables)
