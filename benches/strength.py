"""Matches at equal thinking time: the sums over deals of each match, and their page. A kind of `stier run`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from statistics import mode
from typing import Any, ClassVar, NamedTuple

import pandas as pd
import pyarrow as pa

import stier
from stier.experiments import Answer, OnProgress, TablePlan, Task, header, interval, line, with_option
from stier.ratings import estimate_of_sums, share_of_sums

#: The columns with sums over deals.
SUMS = (
    *("deals", "returns", "returns_squared", "won", "decided"),
    *("won_squared", "won_decided", "decided_squared"),
)
NONE = "\N{EN DASH}"


class Strength(TablePlan):
    """Every pair of ``agents`` with ``time_ms`` per decision, or each against one opponent at all other seats.

    Each deal is played with the agent at every seat in turn, and copies of its opponent at the others.
    """

    kind = "strength"
    unit = "deals"
    keys: ClassVar[Mapping[str, Any]] = {"game": str, "time_ms": int, "deals": int, "agents": list[str]}
    defaults: ClassVar[Mapping[str, Any]] = {"seed": 0, "against": ""}
    schema = pa.schema(
        {"game": "string", "time_ms": "int64", "agent": "string", "opponent": "string", "deals": "int64"}
        | dict.fromkeys(SUMS[1:], "float64")
        | {"made_by": "string"}
    )

    def work(self, row: Mapping[str, Any]) -> Iterator[Task]:
        """Makes a task for each match."""
        game = stier.load_game(row["game"])
        for agent, opponent in _pairs(row):
            for text in (agent, opponent):
                _timed(text, game, row["time_ms"])
            names = {"agent": agent, "opponent": opponent}
            what = {name: row[name] for name in ("game", "time_ms", "deals", "seed")} | names
            yield self.new_task(f"{agent} {opponent}", what, game, [agent, opponent], row["deals"])

    def measure(
        self, what: Mapping[str, Any], threads: int, work: Path, on_progress: OnProgress | None
    ) -> list[dict[str, Any]]:
        """Plays a match."""
        game = stier.load_game(what["game"])
        agent, opponent = (_timed(what[name], game, what["time_ms"]) for name in ("agent", "opponent"))
        agents = [agent] + [opponent] * (game.num_players() - 1)
        seed = stier.derive_seed(what["seed"], "strength", 0)
        result = stier.pit(game, agents, deals=what["deals"], seed=seed, threads=threads)
        names = ("game", "time_ms", "agent", "opponent")
        return [{**{name: what[name] for name in names}, **sums_of(result)}]

    def evaluate(self, results: pd.DataFrame) -> Answer:
        """Ranks the agents by their means against the others, with the thinking time of most rows."""
        found = {tuple(row[:4]): Sums(*row[4:-1]) for row in results.itertuples(index=False)}
        details: dict[str, str] = {}
        standings: dict[str, dict[str, tuple[float, float, float]]] = {}
        time_ms = mode(row["time_ms"] for row in self.rows)
        for row in self.rows:
            others = f", against <code>{row['against']}</code> at all other seats" if row["against"] else ""
            label = f"<code>{row['game']}</code>, {row['time_ms']} ms per decision{others}"
            details[label] = _table(row, found, self.name)
            if not row["against"] and row["time_ms"] == time_ms:
                standings.setdefault(row["game"], {}).update(_standings(row, found, self.name))
        return Answer(
            "Which agent is strongest?",
            f"mean return with {time_ms} ms per decision",
            standings,
            lowest=False,
            sure=[
                f"Compared: {len(found)} matches with the same cards for both agents.",
                "Another machine changes how much is thought in the same time.",
                "How the agents do with more time is not known.",
            ],
            details=details,
        )


def _timed(text: str, game: stier.Game, time_ms: int) -> str:
    """Returns an agent with this thinking time, if it thinks."""
    return with_option(text, game, ["time_ms"], time_ms)[0]


def _pairs(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    if row["against"]:
        return [(agent, row["against"]) for agent in row["agents"]]
    return list(combinations(row["agents"], 2))


def sums_of(result: stier.PitResult) -> dict[str, Any]:
    """Returns the sums over deals for the first agent, the deals by number."""
    deals: dict[int, list[float]] = {}
    for played in result.games:
        best, own = max(played.returns), played.returns[played.agents.index(0)]
        alone = played.returns.count(best) == 1
        games = deals.setdefault(played.deal, [0.0, 0.0, 0.0, 0.0])
        for place, value in enumerate((1.0, own, float(alone and own == best), float(alone))):
            games[place] += value
    found = dict.fromkeys(SUMS, 0.0)
    for _, (count, returns, won, decided) in sorted(deals.items()):
        mean = returns / count
        squares = (won * won, won * decided, decided * decided)
        for name, value in zip(SUMS, (1, mean, mean * mean, won, decided, *squares), strict=True):
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
        n, own, squares = self.deals, self.returns, self.decided_squared
        returns = (n * total - own, n * total * total - 2 * total * own + self.returns_squared)
        won = squares - 2 * self.won_decided + self.won_squared
        return Sums(n, *returns, self.decided - self.won, self.decided, won, squares - self.won_decided, squares)

    def mean(self, game: stier.Game) -> tuple[float, float, float]:
        """Returns the mean return and the ends of its interval over deals."""
        limits = (game.min_utility(), game.max_utility())
        mean, ci95 = estimate_of_sums(self.deals, self.returns, self.returns_squared, *limits)
        return mean, mean - ci95, mean + ci95

    def share(self) -> tuple[float, float, float]:
        """Returns the share of the decided games, of which there must be some, and the ends of its interval."""
        sums = (self.won, self.decided, self.won_squared, self.won_decided, self.decided_squared)
        return share_of_sums(self.deals, *sums)

    def wins(self) -> str:
        """Returns the share of the decided games with its interval (see `stier.ratings.share`); a dash without any."""
        if self.decided == 0:
            return NONE
        return f"{interval(*(100 * end for end in self.share()), digits=1)} %"


def _find(row: Mapping[str, Any], found: Mapping[tuple[Any, ...], Sums], agent: str, opponent: str) -> Sums | None:
    match = (row["game"], row["time_ms"])
    own, theirs = found.get((*match, agent, opponent)), found.get((*match, opponent, agent))
    game = stier.load_game(row["game"])
    total = game.utility_sum()
    if own is None and theirs is not None and game.num_players() == 2 and total is not None:
        return theirs.turned(total)
    return own


def _standings(
    row: Mapping[str, Any], found: Mapping[tuple[Any, ...], Sums], name: Callable[[str], str]
) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Returns the mean return of each agent, on average over its opponents, and the ends of its interval.

    The ends are averages, too: matches have the same cards, so errors may add up.
    """
    game = stier.load_game(row["game"])
    for agent in row["agents"]:
        met = [_find(row, found, agent, opponent) for opponent in row["agents"] if opponent != agent]
        if means := [sums.mean(game) for sums in met if sums is not None]:
            value, low, high = (sum(ends) / len(means) for ends in zip(*means, strict=True))
            yield name(agent), (value, low, high)


def _table(row: Mapping[str, Any], found: Mapping[tuple[Any, ...], Sums], name: Callable[[str], str]) -> str:
    """Returns the matches of a row: mean return and games won of each agent (row) against each opponent (column)."""
    agents, game = row["agents"], stier.load_game(row["game"])
    opponents = [row["against"]] if row["against"] else agents
    text = f"{row['deals']:,} paired deals per match.\n\n"
    text += header(
        ["", "agent", *([f"`{name(row['against'])}`"] if row["against"] else range(1, len(agents) + 1))], left=2
    )
    for number, agent in enumerate(agents, start=1):
        met = [None if agent == opponent else _find(row, found, agent, opponent) for opponent in opponents]
        text += line(
            [number, f"`{name(agent)}`", *(f"{interval(*one.mean(game))}, {one.wins()}" if one else "" for one in met)]
        )
    return text
