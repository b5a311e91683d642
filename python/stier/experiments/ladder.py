"""The distance of agents from equilibrium in scaled-down games with exact solutions."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import pandas as pd
import pyarrow as pa

import stier
from stier import _arguments
from stier._native import GameTree
from stier.errors import ArgumentError
from stier.experiments._plans import (
    NONE,
    OnProgress,
    Report,
    Rows,
    TablePlan,
    Task,
    as_file,
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
from stier.playing import as_agent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Ladder"]

#: The columns of the table.
SCHEMA = pa.schema(
    [
        *[("game", pa.string()), ("histories", pa.int64()), ("information_sets", pa.int64()), ("policy", pa.string())],
        *[("iterations", pa.int64()), ("value", pa.float64()), ("exploitability", pa.float64())],
        *[("attack", pa.float64()), ("seconds", pa.float64()), ("made_by", pa.string())],
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
    #: A digest of what the row depends on.
    made_by: str


class Ladder(TablePlan):
    """Scaled-down games, solved by an ``algorithm``: ``[[rung]]`` with ``game``, ``about``, ``target``, ``iterations``.

    The ``agents`` are queried at every information set with each of the ``budgets``, if information sets times budget
    are at most ``most_iterations``. The iterations of ``slow`` agents count several times. With ``seeds``, the policies
    of so many seeds, from ``seed`` on, are averaged first, as `stier.exploitability` does.
    """

    kind = "ladder"
    keys: ClassVar[Mapping[str, Any]] = {
        "algorithm": str,
        "seed": int,
        "seeds": int,
        "budgets": list[int],
        "most_iterations": int,
        "agents": list[str],
        "rung": list,
        "slow": dict[str, int],
        "findings": str,
        "about_agents": str,
    }
    inner: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "rung": {"game": str, "about": str, "target": float, "iterations": int}
    }
    defaults: ClassVar[Mapping[str, Any]] = {
        "algorithm": "cfr+",
        "seeds": 1,
        "slow": {},
        "findings": "",
        "about_agents": "",
    }
    schema = SCHEMA
    grows = ("budgets", "most_iterations", "agents", "rung", "slow", "findings", "about_agents")

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        _arguments.seed(self.given["seed"])
        _arguments.count("seeds", self.given["seeds"])
        for number, rung in enumerate(self.given["rung"], start=1):
            checked(rung, self.inner["rung"], f"rung {number}: ")
        if not self.given["rung"]:
            raise ArgumentError("rung must not be empty")
        game = stier.load_game(self.given["rung"][0]["game"])
        #: The agents that have a budget.
        self.searching: dict[Any, bool] = {
            agent: with_option(agent, game, BUDGETS, 1)[1] for agent in self.given["agents"]
        }
        self._made_by = {query: self._digest(query) for query in self._queries()}
        self.tasks = [self._task(query) for query in self._made_by]

    def _queries(self) -> Iterator[Query]:
        """Makes the queries: all games first, then the agents from game to game."""
        rungs = self.given["rung"]
        for rung in rungs:
            yield Query(rung["game"], self.given["algorithm"], rung["iterations"], rung["target"])
        for rung in rungs:
            for agent in self.given["agents"]:
                yield from (Query(rung["game"], agent, budget, None) for budget in self.budgets(agent))

    def _digest(self, query: Query) -> str:
        asked = query.target is None
        # Figures of one seed are known without their number.
        several = [self.given["seeds"]] if asked and self.given["seeds"] != 1 else []
        agents = [query.policy] if asked else []
        return made_by(stier.load_game(query.game), agents, self.kind, self.given["seed"], query, *several)

    def _task(self, query: Query) -> Task:
        key = digest([self._made_by[query], build(), self._limit(query)])
        return Task(f"policies/part-{key}", key, 1, (query.game, query.policy, query.iterations), query)

    def _limit(self, query: Query) -> int | None:
        """Returns the most information sets that an agent is queried at; beyond them there is no row."""
        work = (query.iterations or 0) * int(self.given["slow"].get(query.policy, 1))
        return int(self.given["most_iterations"]) // work if query.target is None and work > 0 else None

    def budgets(self, agent: str) -> list[int | None]:
        """Returns the budgets of an agent: `None` alone for one that does not search."""
        return list(self.given["budgets"]) if self.searching[agent] else [None]

    def is_bearable(self, query: Query, sets: int) -> bool:
        """Returns true if the agent is queried in a game with so many information sets."""
        return (limit := self._limit(query)) is None or sets <= limit

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Solves a game, or queries an agent; without a row if that would take too long."""
        query: Query = task.what
        if query.target is not None:
            rows = [self._solve(query, threads, work)]
        else:
            tree = _tree(query.game, threads)
            rows = [self._ask(query, tree)] if self.is_bearable(query, tree.information_sets) else []
        return pa.Table.from_pylist([row._asdict() for row in rows], schema=SCHEMA)

    def answered(self, missing: Sequence[Task], rows: Mapping[str, Rows]) -> Iterator[tuple[Task, Rows]]:
        """Returns queries that the table has a row for, and those that would take too long, as its games tell."""
        sets = {row["game"]: row["information_sets"] for own in rows.values() for row in own}
        for task in missing:
            own, query = rows.get(self._made_by[task.what], []), task.what
            if own or (query.game in sets and not self.is_bearable(query, sets[query.game])):
                yield task, own

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
        return self._row(query, found, found, found.iterations, (time.perf_counter() - at) * share)

    def _ask(self, query: Query, tree: GameTree) -> Row:
        spec = with_option(query.policy, tree.game, BUDGETS, query.iterations or 1)[0]
        begun = time.perf_counter()
        policy = tree.policy_of(as_agent(spec), seed=self.given["seed"], seeds=self.given["seeds"])
        return self._row(query, tree, policy, query.iterations, time.perf_counter() - begun)

    def _row(self, query: Query, tree: Any, policy: Any, iterations: int | None, seconds: float) -> Row:
        game = tree.game
        try:
            attack: float | None = policy.frequency(game.string_to_action("attack"))
        except ValueError:
            attack = None
        facts = (query.game, tree.histories, tree.information_sets, query.policy, iterations)
        return Row(*facts, policy.values[0], policy.exploitability, attack, seconds, self._made_by[query])

    def results(self, store: Store) -> pd.DataFrame:
        """Returns the rows, sorted."""
        rows = sorted(_rows(store), key=lambda row: (row.game, row.policy, row.iterations or 0))
        return pd.DataFrame(rows, columns=SCHEMA.names).astype({"iterations": "Int64"})

    def report(self, store: Store) -> Report:
        """Makes the page."""
        results = self.results(store)
        rows = {(row.game, row.policy, row.iterations): row for row in _rows(store)}
        solved = {row.game: row for row in rows.values() if row.policy == self.given["algorithm"]}
        page = f"# The ladder\n\n{paragraph(self.given['about'])}{self.machines(store)}\n{self._games(rows, solved)}"
        page += (
            f"\n## Exploitability by number of iterations\n\n{paragraph(self.given['findings'])}{self._change(rows)}"
        )
        page += f"\n## The agents, game by game\n\n{paragraph(self.given['about_agents'])}".rstrip() + "\n"
        for rung in self.given["rung"]:
            page += f"\n### `{rung['game']}`\n\n{rung['about']}\n\n{self._agents(rung, rows, solved)}"
        searched = results[results["policy"].isin([agent for agent, searches in self.searching.items() if searches])]
        figures = {
            f"exploitability_{as_file(game)}": partial(_convergence, frame)
            for game, frame in searched.groupby("game")
            if frame["iterations"].nunique() > 1
        }
        return Report(page, {self.kind: results}, figures, digits=None)

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


def _convergence(frame: pd.DataFrame) -> Figure:
    """Draws the exploitability of searching agents by their budget, for one game."""
    axes = {"x": "iterations", "y": "exploitability", "by": "policy"}
    figure = drawn("learning_curve", frame.astype({"iterations": int}), **axes)
    figure.axes[0].set(xscale="log", yscale="log", xlabel="budget per decision", title=frame["game"].iloc[0])
    return figure


@lru_cache(maxsize=1)
def _tree(game: str, threads: int) -> GameTree:
    """The tree of the game that is being played."""
    return GameTree(game, max_histories=MOST_HISTORIES, threads=threads)


def _rows(store: Store) -> list[Row]:
    return [Row(**row) for row in store.to_arrow().to_pylist()]


def _last(row: Row) -> list[str]:
    return [_percent(row.attack), f"{row.value:+.3f}", f"{row.seconds:.1f}"]


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f} %"


def _scientific(value: float) -> str:
    """Returns a number such as ``4.9e-5``."""
    number, exponent = f"{value:.1e}".split("e")
    return f"{number}e{int(exponent)}"
