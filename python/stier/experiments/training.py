"""Networks trained by self-play: every seed trained, evaluated on the way, and measured at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pyarrow as pa

from stier import _arguments
from stier.experiments._plans import OnProgress, Report, Rows, TablePlan, Task, build, digest, paragraph
from stier.experiments._store import Store
from stier.experiments._training_measures import solve, train_and_measure
from stier.experiments._training_page import distances, published_section, solved_section, trained_section
from stier.experiments._training_runs import KEYS as RUN_KEYS, check, complete, decisions_of, made_by, solver_of

__all__ = ["Training"]

#: The largest number of seeds of a run.
MOST_SEEDS = 10_000
SCHEMA = pa.schema(
    [
        *[("run", pa.string()), ("seed", pa.int64()), ("steps", pa.int64()), ("cpu_seconds", pa.float64())],
        *[("measure", pa.string()), ("value", pa.float64()), ("ci95", pa.float64()), ("made_by", pa.string())],
    ]
)


class Training(TablePlan):
    """Runs, ``[[run]]``, each with ``seeds`` seeds: arguments of `stier.train.learn`, and the measurements at the end.

    ``watch`` and ``judge`` count the chances of actions, ``matches`` are played for ``deals``, ``guided_matches`` with
    the network in the search ``guided`` for ``guided_deals``, and ``responders`` look for a lower bound on the
    exploitability in ``responder_deals`` held-out deals. So does ``learned_responder``, a table with arguments of
    `stier.train.best_response`: a network that is trained against the likeliest actions of the run's network and
    measured in its own ``deals``. It starts from the run's network, or from the file ``initial``, or with
    ``initial = ""`` from random weights. Its ``evaluations`` are 1 unless they are given. The row with the gain has the
    decisions and CPU seconds of this training.

    A run with ``like = NAME`` starts from all keys of the run of that name above it, except ``name``, ``about`` and
    ``commit``. Its own keys replace them. ``settings`` and ``learned_responder`` are merged key by key; a run with
    another ``algorithm`` has its own settings only. If a run or the file of a network in it changes, it and the runs
    like it are trained again, and their old rows are left out.

    A run with a ``commit`` was trained there with settings that no longer exist, or other defaults. It is not trained
    again: it has the rows of the table ``published``, and the page names the commit instead of the command.

    A run with a ``file`` measures that network. One with ``seeds`` has its own number of them. `NETWORK` in an agent is
    the path of the network. The games of ``exact`` runs are solved for comparison.
    """

    kind = "training"
    unit = "decisions"
    keys: ClassVar[Mapping[str, Any]] = {"seeds": int, "run": list}
    inner: ClassVar[Mapping[str, Mapping[str, Any]]] = {"run": RUN_KEYS}
    defaults: ClassVar[Mapping[str, Any]] = {"seeds": 1}
    schema = SCHEMA
    grows = ("seeds", "run")

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self._runs = complete(self.given["run"])
        _arguments.whole("seeds", self.given["seeds"], 1, MOST_SEEDS)
        for run in self._runs:
            _arguments.whole(f"run {run['name']}: seeds", run.get("seeds", 1), 1, MOST_SEEDS)
        self.tasks = list(self._open())

    def _open(self) -> Iterator[Task]:
        """Makes the tasks, seed by seed."""
        for number, run in enumerate(self._runs, start=1):
            check(f"run {number}: ", run)
        for game, runs in self.exact().items():
            yield self._task(solver_of(game), {"game": game, **_watched(runs[0])}, 0)
        for seed in range(max(map(self._seeds, self._runs), default=0)):
            for run in self._runs:
                task = self._task(run["name"], run, seed)
                # Nothing trains a run of an earlier commit.
                if seed < self._seeds(run) and ("commit" not in run or _rows(task, self.earlier)):
                    yield task

    def _seeds(self, run: Mapping[str, Any]) -> int:
        return 1 if "file" in run else int(run.get("seeds", self.given["seeds"]))

    def exact(self) -> dict[str, list[Mapping[str, Any]]]:
        """Returns the runs whose distance from equilibrium is computed, by game."""
        return _by_game(run for run in self._runs if run.get("exact"))

    def _task(self, name: str, run: Mapping[str, Any], seed: int) -> Task:
        made = made_by(run)
        key = digest([self.kind, build(), name, made, seed])
        folder = "".join(letter if letter.isalnum() else "_" for letter in name.lower())
        size = max(1, sum(decisions_of(run).values()))
        what = {"run": run, "name": name, "seed": seed, "made_by": made}
        return Task(f"{folder}/part-{seed:03}-{key}", key, size, name, what)

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Trains a network, or continues, and measures it."""
        run, name, seed = (task.what[key] for key in ("run", "name", "seed"))
        is_solver = name == solver_of(run["game"])
        rows = solve(run) if is_solver else train_and_measure(run, seed, threads, work, on_progress)
        same = {"run": name, "seed": seed, "made_by": task.what["made_by"]}
        return pa.Table.from_pylist([same | row for row in rows], schema=SCHEMA)

    def answered(self, missing: Sequence[Task], rows: Mapping[str, Rows]) -> Iterator[tuple[Task, Rows]]:
        """Returns runs and seeds that the table has rows for."""
        for task in missing:
            if own := _rows(task, rows):
                yield task, own

    def results(self, store: Store) -> pd.DataFrame:
        """Returns the rows, run by run."""
        rows = store.to_pandas()
        names = [*map(solver_of, self.exact()), *(run["name"] for run in self._runs)]
        order = rows["run"].map({name: place for place, name in enumerate(names)})
        return rows.assign(order=order).sort_values(["order", "seed"], kind="stable").drop(columns="order")

    def report(self, store: Store) -> Report:
        """Makes the page, with one table for the exact runs and one for the others of each game, and its picture."""
        results = self.results(store)
        page = f"# Training\n\n{paragraph(self.given['about'])}{self.machines(store)}"
        figures = {}
        if self.exact():
            figures["training"] = partial(distances, self.exact(), results)
            page += "\n![NashConv of every seed](training.png)\n"
        for game, runs in self.exact().items():
            page += f"\n## `{game}`\n\n{solved_section(game, runs, results)}"
        for game, runs in _by_game(run for run in self._runs if not (run.get("exact") or "file" in run)).items():
            page += f"\n## `{game}`\n\n{trained_section(runs, results)}"
        for run in self._runs:
            if "file" in run:
                page += f"\n## {run['name']}\n\n{paragraph(run.get('about', ''))}{published_section(run, results)}"
        return Report(page, {self.kind: results}, figures)


def _rows(task: Task, rows: Mapping[str, Rows]) -> Rows:
    """Returns the rows of a task."""
    wanted = (task.what["name"], task.what["seed"])
    return [row for row in rows.get(task.what["made_by"], []) if (row["run"], row["seed"]) == wanted]


def _by_game(runs: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Returns the runs of each game."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        found.setdefault(run["game"], []).append(run)
    return found


def _watched(run: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys of a run that count the chances of actions."""
    return {key: run[key] for key in ("watch", "judge") if key in run}
