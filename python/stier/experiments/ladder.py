"""The distance of agents from equilibrium in scaled-down games with exact solutions."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pandas as pd
import pyarrow as pa

import stier
from stier._native import GameTree
from stier.experiments._plans import (
    NONE,
    OnProgress,
    Report,
    TablePlan,
    Task,
    build,
    checked,
    digest,
    header,
    line,
    paragraph,
    with_option,
)
from stier.experiments._run import Store

__all__ = ["Ladder"]

#: The columns of the table.
SCHEMA = pa.schema(
    [
        *[("game", pa.string()), ("histories", pa.int64()), ("information_sets", pa.int64()), ("policy", pa.string())],
        *[("iterations", pa.int64()), ("value", pa.float64()), ("exploitability", pa.float64())],
        *[("attack", pa.float64()), ("seconds", pa.float64())],
    ]
)
#: As many as can be counted.
MOST_HISTORIES = 2**30 - 1
#: The options that are the budget of an agent.
BUDGETS = ("worlds", "iterations")


class Query(NamedTuple):
    """One policy in one game: of a solver, or of an agent that is queried at every information set."""

    game: str
    policy: str
    #: The budget per decision, or the most iterations of a solver; `None` for agents that do not search.
    iterations: int | None
    #: The NashConv at which a solver stops; `None` for agents.
    target: float | None


class Row(NamedTuple):
    """A row of the table."""

    game: str
    histories: int
    information_sets: int
    #: The agent, or the algorithm that solved the game.
    policy: str
    #: The budget of a search per decision, or the iterations of the solver.
    iterations: int | None
    #: The expected return of seat 0 if all follow the policy.
    value: float
    #: The average gain of a player from a best response.
    exploitability: float
    #: The probability of an attack if all follow the policy and the game has attacks.
    attack: float | None
    #: The time that it took to find the policy.
    seconds: float


class Ladder(TablePlan):
    """Scaled-down games, solved by an ``algorithm``: ``[[rung]]`` with ``game``, ``about``, ``target``, ``iterations``.

    The ``agents`` are queried at every information set with each of the ``budgets``, if information sets times budget
    are at most ``most_iterations``. The iterations of ``slow`` agents count several times.
    """

    kind = "ladder"
    keys: ClassVar = {
        "algorithm": str,
        "seed": int,
        "budgets": list,
        "most_iterations": int,
        "agents": list,
        "rung": list,
        "slow": dict,
        "findings": str,
        "about_agents": str,
    }
    defaults: ClassVar = {"algorithm": "cfr+", "slow": {}, "findings": "", "about_agents": ""}
    columns = Row._fields
    grows = ("budgets", "most_iterations", "agents", "rung", "slow", "findings", "about_agents")

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        for number, rung in enumerate(self.given["rung"], start=1):
            checked(rung, {"game": str, "about": str, "target": float, "iterations": int}, f"rung {number}: ")
        game = stier.load_game(self.given["rung"][0]["game"])
        #: The agents that have a budget.
        self.searching: dict[Any, bool] = {
            agent: with_option(agent, game, BUDGETS, 1)[1] for agent in self.given["agents"]
        }
        known = _find(self.earlier)
        solved = {row.game: row for row in known.values() if row.policy == self.given["algorithm"]}
        self._tasks = [self._task(query) for query in self._queries(known, solved)]

    def _queries(self, known: Mapping[tuple[Any, ...], Row], solved: Mapping[str, Row]) -> Iterator[Query]:
        """Makes the queries that the table does not answer: all games first, then the agents from game to game."""
        rungs = self.given["rung"]
        for rung in rungs:
            row = solved.get(rung["game"])
            # NashConv is both players' gain.
            if row is None or (2 * row.exploitability > rung["target"] and (row.iterations or 0) < rung["iterations"]):
                yield Query(rung["game"], self.given["algorithm"], rung["iterations"], rung["target"])
        for rung in rungs:
            row = solved.get(rung["game"])
            for agent in self.given["agents"]:
                for budget in self.budgets(agent):
                    is_open = (rung["game"], agent, budget) not in known
                    if is_open and (row is None or self.is_bearable(agent, budget, row.information_sets)):
                        yield Query(rung["game"], agent, budget, None)

    def _task(self, query: Query) -> Task:
        key = digest([self.kind, build(), self.given["seed"], query])
        return Task(f"policies/part-{key}", key, 1, (query.game, query.policy, query.iterations), query)

    def budgets(self, agent: str) -> list[int | None]:
        """Returns the budgets of an agent: `None` alone for one that does not search."""
        return list(self.given["budgets"]) if self.searching[agent] else [None]

    def is_bearable(self, agent: str, budget: int | None, sets: int) -> bool:
        """Returns true if the agent is queried with this budget in a game with so many information sets."""
        return (budget or 0) * sets * int(self.given["slow"].get(agent, 1)) <= int(self.given["most_iterations"])

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Solves a game, or queries an agent; without a row if that would take too long."""
        query: Query = task.what
        if query.target is not None:
            rows = [self._solve(query, threads, work)]
        else:
            tree = _tree(query.game, threads)
            bearable = self.is_bearable(query.policy, query.iterations, tree.information_sets)
            rows = [self._ask(query, tree)] if bearable else []
        return pa.Table.from_pylist([row._asdict() for row in rows], schema=SCHEMA)

    def _solve(self, query: Query, threads: int, work: Path) -> Row:
        work.mkdir(parents=True, exist_ok=True)
        begun: list[tuple[float, int]] = []

        def note(done: int, total: int, distance: float | None) -> None:
            if not begun:
                begun.append((time.perf_counter(), done))

        limits = (query.iterations or 0, query.target or 0.0)
        found = stier._native.solve(
            query.game, query.policy, *limits, self.given["seed"], work / "checkpoint", MOST_HISTORIES, threads, note
        )
        at, first = begun[0]
        # If a checkpoint was continued, the time is that of all iterations.
        share = found.iterations / max(1, found.iterations - first)
        return _row(query, found, found, found.iterations, (time.perf_counter() - at) * share)

    def _ask(self, query: Query, tree: GameTree) -> Row:
        spec = with_option(query.policy, tree.game, BUDGETS, query.iterations or 1)[0]
        begun = time.perf_counter()
        policy = tree.policy_of(spec, seed=self.given["seed"])
        return _row(query, tree, policy, query.iterations, time.perf_counter() - begun)

    def results(self, store: Store) -> pd.DataFrame:
        """Returns the rows of the table and of the parts; a new row replaces the one of the same policy and budget."""
        rows = list(_find(self.earlier).values())
        algorithm = self.given["algorithm"]
        for row in _find(self.played(store)[list(self.columns)]).values():
            is_same = row.policy == algorithm
            rows = [
                old
                for old in rows
                if (old.game, old.policy) != (row.game, row.policy) or not (is_same or old.iterations == row.iterations)
            ]
            rows.append(row)
        rows.sort(key=lambda row: (row.game, row.policy, row.iterations or 0))
        return pd.DataFrame(rows, columns=list(self.columns)).astype({"iterations": "Int64"})

    def report(self, store: Store) -> Report:
        """Makes the page."""
        results = self.results(store)
        rows = _find(results)
        solved = {row.game: row for row in rows.values() if row.policy == self.given["algorithm"]}
        page = f"# The ladder\n\n{paragraph(self.given['about'])}{self.machines(store)}\n{self._games(rows, solved)}"
        page += (
            f"\n## Exploitability by number of iterations\n\n{paragraph(self.given['findings'])}{self._change(rows)}"
        )
        page += f"\n## The agents, game by game\n\n{paragraph(self.given['about_agents'])}".rstrip() + "\n"
        for rung in self.given["rung"]:
            page += f"\n### `{rung['game']}`\n\n{rung['about']}\n\n{self._agents(rung, rows, solved)}"
        return Report(page, {self.kind: results}, digits=None)

    def _games(self, rows: Mapping[tuple[Any, ...], Row], solved: Mapping[str, Row]) -> str:
        """Returns a table with a row for each game."""
        names = ["histories", "information sets", "value", "attack", "exploitability", "of uniform play"]
        text = header(["game", *names, f"{self.given['algorithm']} iterations", "seconds"])
        for rung in self.given["rung"]:
            if (row := solved.get(rung["game"])) is not None:
                uniform = rows.get((rung["game"], "random", None))
                text += line(
                    [
                        f"`{rung['game']}`",
                        f"{row.histories:,}",
                        f"{row.information_sets:,}",
                        f"{row.value:+.4f}",
                        _percent(row.attack),
                        _scientific(row.exploitability),
                        "" if uniform is None else f"{uniform.exploitability:.4f}",
                        f"{row.iterations:,}",
                        f"{row.seconds:.1f}",
                    ]
                )
        return text

    def _agents(self, rung: Mapping[str, Any], rows: Mapping[tuple[Any, ...], Row], solved: Mapping[str, Row]) -> str:
        """Returns a table with a row for each agent in one game."""
        budgets = self.given["budgets"]
        text = header(["agent", *(f"{budget:,}" for budget in budgets), "attack", "value", "seconds"])
        if (best := solved.get(rung["game"])) is not None:
            cells = [_scientific(best.exploitability), *[""] * (len(budgets) - 1)]
            text += line([f"*{best.policy}*", *cells, *_last(best)])
        for agent in self.given["agents"]:
            found = [rows.get((rung["game"], agent, budget)) for budget in self.budgets(agent)]
            if last := [row for row in found if row is not None]:
                cells = ["" if row is None else f"{row.exploitability:.4f}" for row in found]
                text += line([f"`{agent}`", *cells, *[""] * (len(budgets) - len(cells)), *_last(last[-1])])
        return f"{text}\nAttack, value and seconds belong to the last figure in the line.\n"

    def _change(self, rows: Mapping[tuple[Any, ...], Row]) -> str:
        """Returns the change of exploitability with the budget, over the games that an agent met with every budget."""
        text = (
            "Exploitability as a share of that of uniform play, on average over the games in which the agent was "
            "queried with every budget. *Fell* and\n*rose* count the games in which it changed, from the smallest to "
            "the largest budget, by more than a tenth and by more than half a percent of\nthat of uniform play. Agents "
            "differ in their games, so compare them game by game, below.\n\n"
        )
        text += header(["agent", "games", *(f"{budget:,}" for budget in self.given["budgets"]), "fell", "rose"])
        for agent in self.given["agents"]:
            shares = []
            for rung in self.given["rung"]:
                uniform = rows.get((rung["game"], "random", None))
                found = [rows.get((rung["game"], agent, budget)) for budget in self.budgets(agent)]
                there = [row.exploitability for row in found if row is not None]
                if uniform is not None and len(there) == len(found) > 1:
                    shares.append([value / uniform.exploitability for value in there])
            if shares:
                means = [sum(row[place] for row in shares) / len(shares) for place in range(len(shares[0]))]
                changes = [last - first for first, *_, last in shares if abs(last - first) > max(0.1 * first, 0.005)]
                fell = sum(change < 0 for change in changes)
                percents = [f"{100 * mean:.1f} %" for mean in means]
                text += line([f"`{agent}`", len(shares), *percents, fell, len(changes) - fell])
        return text


@lru_cache(maxsize=1)
def _tree(game: str, threads: int) -> GameTree:
    """The tree of the game that is being played."""
    return GameTree(game, max_histories=MOST_HISTORIES, threads=threads)


def _row(query: Query, tree: Any, policy: Any, iterations: int | None, seconds: float) -> Row:
    game = tree.game
    try:
        attack: float | None = policy.frequency(game.string_to_action("attack"))
    except ValueError:
        attack = None
    facts = (query.game, tree.histories, tree.information_sets, query.policy, iterations)
    return Row(*facts, policy.values[0], policy.exploitability, attack, seconds)


def _find(frame: pd.DataFrame) -> dict[tuple[Any, ...], Row]:
    """Returns the rows of a table by game, policy and budget."""
    rows = []
    for values in frame.itertuples(index=False):
        known: Any = [None if pd.isna(value) else value for value in values]
        row = Row(*known)
        rows.append(row if row.iterations is None else row._replace(iterations=int(row.iterations)))
    return {(row.game, row.policy, row.iterations): row for row in rows}


def _last(row: Row) -> list[str]:
    return [_percent(row.attack), f"{row.value:+.3f}", f"{row.seconds:.1f}"]


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f} %"


def _scientific(value: float) -> str:
    """Returns a number such as ``4.9e-5``."""
    number, exponent = f"{value:.1e}".split("e")
    return f"{number}e{int(exponent)}"
