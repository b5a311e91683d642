"""Matches of agents at equal thinking time: cross-tables of mean returns and of games won."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pandas as pd
import pyarrow as pa

import stier
from stier import _arguments
from stier._native import Game, derive_seed, estimate_of_sums, share_of_sums
from stier._output import between, plus_minus
from stier.errors import ArgumentError
from stier.experiments._plans import (
    NONE,
    OnProgress,
    Report,
    Rows,
    TablePlan,
    Task,
    build,
    checked,
    digest,
    drawn,
    header,
    line,
    made_by,
    paragraph,
    with_option,
)
from stier.experiments._store import Store
from stier.playing import as_agent, listed

__all__ = ["Strength"]

#: The columns that name a match, and those with its sums over deals.
MATCH = ("game", "time_ms", "agent", "opponent")
SUMS = (
    *("deals", "returns", "returns_squared", "won", "decided"),
    *("won_squared", "won_decided", "decided_squared"),
)


#: The largest number of deals of a match.
MOST_DEALS = 1_000_000
SCHEMA = pa.schema(
    [
        *[("game", pa.string()), ("time_ms", pa.int64()), ("agent", pa.string()), ("opponent", pa.string())],
        *[(name, pa.int64() if name == "deals" else pa.float64()) for name in SUMS],
        ("made_by", pa.string()),
    ]
)


class Match(NamedTuple):
    """One agent against copies of another. Without a thinking time (0), agents are as their text says."""

    game: str
    time_ms: int
    agent: str
    opponent: str


class Piece(NamedTuple):
    """Some deals of a match."""

    match: Match
    first: int
    deals: int


class Strength(TablePlan):
    """Agents against each other in pieces of some deals; the matches with the smallest share of their deals come first.

    The file has a ``seed``, the number of deals in a ``piece``, and tables ``[[table]]`` with a ``game``, ``time_ms``,
    ``deals`` and ``agents``. All pairs of agents play, or each agent plays only ``against`` one opponent.
    """

    kind = "strength"
    unit = "deals"
    keys: ClassVar[Mapping[str, Any]] = {"seed": int, "piece": int, "table": list}
    inner: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "table": {"game": str, "time_ms": int, "deals": int, "agents": list[str], "against": str}
    }
    defaults: ClassVar[Mapping[str, Any]] = {"piece": 50}
    schema = SCHEMA
    grows = ("table",)

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        _arguments.seed(self.given["seed"])
        _arguments.whole("piece", self.given["piece"], 1, MOST_DEALS)
        self._wanted: dict[Match, int] = {}
        self._made_by: dict[Match, str] = {}
        for number, table in enumerate(self.given["table"], start=1):
            checked(table, self.inner["table"], f"table {number}: ", optional=("time_ms", "against"))
            _arguments.whole(f"table {number}: deals", table["deals"], 1, MOST_DEALS)
            game = stier.load_game(table["game"])
            for agent, opponent in pairs(table):
                for text in (agent, opponent):
                    found = as_agent(with_time(text, game, table.get("time_ms", 0)), game)
                    if not table.get("time_ms") and not getattr(found, "is_reproducible", True):
                        raise ArgumentError(f"table {number}: time_ms is missing, or iterations in '{text}'")
                match = Match(table["game"], table.get("time_ms", 0), agent, opponent)
                if match not in self._wanted:
                    self._wanted[match] = table["deals"]
                    self._made_by[match] = made_by(game, [agent, opponent], self.kind, self.given["seed"], match)
        self.tasks = sorted(self._pieces(), key=lambda task: task.what.first / self._wanted[task.what.match])

    def _pieces(self) -> Iterator[Task]:
        """Makes the pieces. Later pieces have new cards, matches of a game the same."""
        size = self.given["piece"]
        for match, deals in self._wanted.items():
            for first in range(0, deals, size):
                piece = Piece(match, first, min(size, deals - first))
                key = digest([self._made_by[match], build(), piece])
                yield Task(f"deals/part-{first:06}-{key}", key, piece.deals, match, piece)

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Plays the deals of a piece: the agent at every seat in turn, against copies of its opponent."""
        match, first, deals = task.what
        game = stier.load_game(match.game)
        agent, opponent = (with_time(text, game, match.time_ms) for text in match[2:])
        agents = [agent] + [opponent] * (game.num_players() - 1)
        seed = derive_seed(self.given["seed"], self.kind, first)
        result = stier._native.pit(game, listed(agents), deals, seed, True, threads, on_progress)
        row = {**match._asdict(), **sums_of(result), "made_by": self._made_by[match]}
        return pa.Table.from_pylist([row], schema=SCHEMA)

    def answered(self, missing: Sequence[Task], rows: Mapping[str, Rows]) -> Iterator[tuple[Task, Rows]]:
        """Returns matches without any piece so far: their first piece has the sums over all deals of the table."""
        pieces: dict[Match, list[Task]] = {}
        for task in missing:
            pieces.setdefault(task.what.match, []).append(task)
        for match, tasks in pieces.items():
            own = rows.get(self._made_by[match], [])
            if sum(task.size for task in tasks) == self._wanted[match]:
                covered = [task for task in tasks if task.what.first < sum(row["deals"] for row in own)]
                yield from ((task, [] if task.what.first else own) for task in covered)

    def results(self, store: Store) -> pd.DataFrame:
        """Returns the sums of all matches, over the pieces up to the first one that is missing.

        A piece whose deals a published sum has counted is left out.
        """
        missing, ended, there = set(store.missing()), set(), []
        for number in range(self.parts()):
            match = self.task(number).what.match
            if number in missing:
                ended.add(match)
            elif match not in ended:
                there.append(number)
        sums: dict[Match, list[Any]] = {}
        for number, table in zip(there, store.tables(there), strict=True):
            before = sums.setdefault(self.task(number).what.match, [0, *[0.0] * (len(SUMS) - 1)])
            for row in table.to_pylist() if self.task(number).what.first >= before[0] else []:
                before[:] = [one + row[name] for one, name in zip(before, SUMS, strict=True)]
        rows = [[*match, *sums[match], self._made_by[match]] for match in sorted(sums)]
        return pd.DataFrame(rows, columns=SCHEMA.names)

    def report(self, store: Store) -> Report:
        """Makes the cross-tables."""
        results = self.results(store)
        page = f"# Strength\n\n{paragraph(self.given['about'])}Seed {self.given['seed']}.\n\n{self.machines(store)}"
        found = {Match(*row[:4]): Sums(*row[4:-1]) for row in results.itertuples(index=False)}
        standings: Rows = []
        for table in self.given["table"]:
            time = f", {table['time_ms']} ms per decision" if table.get("time_ms") else ""
            others = f", against `{table['against']}` at all other seats" if "against" in table else ""
            page += f"\n## `{table['game']}`{time}{others}\n\n"
            page += _column(table, found) if "against" in table else _square(table, found)
            label = f"{table['game']}{time}{others}".replace("`", "")
            standings += [{"game": label, **row} for row in _standings(table, found)]
        figures = {"strength": partial(drawn, "strength", pd.DataFrame(standings))} if standings else {}
        return Report(page, {self.kind: results}, figures, digits=None)


def with_time(text: str, game: stier.Game, time_ms: int) -> str:
    """Returns an agent with this thinking time, if it thinks and there is one."""
    return with_option(text, game, ["time_ms"], time_ms)[0] if time_ms else text


def pairs(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns the pairs of agents of a table, each once, the earlier agent first."""
    if "against" in table:
        return [(agent, table["against"]) for agent in table["agents"] if agent != table["against"]]
    return list(combinations(table["agents"], 2))


def sums_of(result: stier.PitResult) -> dict[str, Any]:
    """Returns the sums over deals for the first agent, the deals by number."""
    deals: dict[int, list[float]] = {}
    for played in result.games:
        best = max(played.returns)
        winners = [seat for seat, value in enumerate(played.returns) if value == best]
        seat = played.agents.index(0)
        games = deals.setdefault(played.deal, [0.0, 0.0, 0.0, 0.0])
        alone = len(winners) == 1
        for place, value in enumerate((1.0, played.returns[seat], float(winners == [seat]), float(alone))):
            games[place] += value
    found = dict.fromkeys(SUMS, 0.0)
    for _, (count, returns, won, decided) in sorted(deals.items()):
        mean = returns / count
        row = (1, mean, mean * mean, won, decided, won * won, won * decided, decided * decided)
        for name, value in zip(SUMS, row, strict=True):
            found[name] += value
    return {**found, "deals": len(deals)}


class Sums(NamedTuple):
    """Sums over deals of the mean return of an agent, the games that it won, and the games with one winner."""

    deals: int
    returns: float
    returns_squared: float
    won: float
    decided: float
    won_squared: float
    won_decided: float
    decided_squared: float

    def turned(self, total: float) -> Sums:
        """Returns the sums of the opponent, at a table for two with returns that add up to `total`."""
        n = self.deals
        return Sums(
            n,
            n * total - self.returns,
            n * total * total - 2 * total * self.returns + self.returns_squared,
            self.decided - self.won,
            self.decided,
            self.decided_squared - 2 * self.won_decided + self.won_squared,
            self.decided_squared - self.won_decided,
            self.decided_squared,
        )

    def mean(self, game: Game) -> str:
        """Returns the mean return with its interval over deals, as text."""
        limits = (game.min_utility(), game.max_utility())
        mean, ci95 = estimate_of_sums(self.deals, self.returns, self.returns_squared, *limits)
        return f"{mean:+.2f}{plus_minus(ci95, 2)}"

    def share(self) -> tuple[float, float, float]:
        """Returns the share of the decided games, of which there must be some, and the ends of its interval."""
        sums = (self.won, self.decided, self.won_squared, self.won_decided, self.decided_squared)
        return share_of_sums(self.deals, *sums)

    def wins(self) -> str:
        """Returns the share of the decided games with its interval (see `stier.ratings.share`); a dash without any."""
        if self.decided == 0:
            return NONE
        mean, low, high = self.share()
        return f"{100 * mean:.1f} % {between(low, high)}".rstrip()


def _find(table: Mapping[str, Any], found: Mapping[Match, Sums], agent: str, opponent: str) -> Sums | None:
    own = found.get(Match(table["game"], table.get("time_ms", 0), agent, opponent))
    theirs = found.get(Match(table["game"], table.get("time_ms", 0), opponent, agent))
    game = stier.load_game(table["game"])
    total = game.utility_sum()
    if own is None and theirs is not None and game.num_players() == 2 and total is not None:
        return theirs.turned(total)
    return own


def _standings(table: Mapping[str, Any], found: Mapping[Match, Sums]) -> Iterator[dict[str, Any]]:
    """Returns the share of decided games that each agent won, on average over its opponents.

    The ends of the interval are averages, too: matches have the same cards, so errors may add up.
    """
    against = [table["against"]] if "against" in table else table["agents"]
    for agent in table["agents"]:
        met = [_find(table, found, agent, opponent) for opponent in against if opponent != agent]
        if shares := [sums.share() for sums in met if sums is not None and sums.decided > 0]:
            means = [sum(ends) / len(shares) for ends in zip(*shares, strict=True)]
            yield {"agent": agent, **dict(zip(("wins", "wins_low", "wins_high"), means, strict=True))}


def _column(table: Mapping[str, Any], found: Mapping[Match, Sums]) -> str:
    """Returns the table of every agent against one opponent."""
    text, game = header(["agent", "deals", "mean return", "decided games won"]), stier.load_game(table["game"])
    for agent, opponent in pairs(table):
        if (sums := _find(table, found, agent, opponent)) is not None:
            text += line([f"`{agent}`", sums.deals, sums.mean(game), sums.wins()])
    return text


def _square(table: Mapping[str, Any], found: Mapping[Match, Sums]) -> str:
    """Returns the table of every agent against every other, with numbers for names in the header."""
    agents, deals, rows, game = table["agents"], set(), "", stier.load_game(table["game"])
    for number, agent in enumerate(agents, start=1):
        cells: list[object] = [number, f"`{agent}`"]
        for opponent in agents:
            sums = None if agent == opponent else _find(table, found, agent, opponent)
            deals |= set() if sums is None else {sums.deals}
            cells.append(NONE if agent == opponent else "" if sums is None else f"{sums.mean(game)}, {sums.wins()}")
        rows += line(cells)
    span = f"{min(deals)} to {max(deals)}" if len(deals) > 1 else "".join(map(str, deals))
    played = f"{span} paired deals per cell." if deals else "Not played yet."
    numbers = [str(number + 1) for number in range(len(agents))]
    head = line(["", "agent", *numbers]) + line(["---:", "---", *["---:"] * len(agents)])
    return f"{played}\n\n{head}{rows}"
