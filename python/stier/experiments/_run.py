"""One way to play every experiment: the missing parts, on this machine or on a Ray cluster."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from contextlib import ExitStack, closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from stier._native import alternatives
from stier._progress import Bar
from stier.errors import ArgumentError
from stier.experiments._store import OUTPUTS, Plan, Report, Store, begin, load

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: The classes of the kinds of experiments. They are imported when they are needed.
KINDS = {
    "matches": "stier.experiments.matches:Experiment",
    "strength": "stier.experiments.strength:Strength",
    "ladder": "stier.experiments.ladder:Ladder",
    "training": "stier.experiments.training:Training",
    "study": "stier.study:Study",
}


def read(path: str | Path) -> Any:
    """Reads an experiment from a TOML file.

    The key ``kind`` says which one it is, ``matches`` if it is left out. The keys of matches are the arguments of
    `Experiment`, and ``seed``, which is short for one of ``seeds``.

    Raises:
        FileNotFoundError: There is no such file.
        ArgumentError: It is not TOML, or has unknown, missing or wrong keys. The error names the file.
    """
    path = Path(path)
    try:
        given = tomllib.loads(path.read_text("utf-8"))
        placed = {key: str((path.parent / given[key]).resolve()) for key in OUTPUTS if key in given}
        return from_dict({**given, **placed})
    except ValueError as error:
        raise ArgumentError(f"{path}: {error}") from None


def from_dict(given: Mapping[str, Any]) -> Plan:
    """Makes an experiment from the keys of its file."""
    values = dict(given)
    kind = values.pop("kind", "matches")
    if kind not in KINDS:
        raise ArgumentError(f"unknown kind '{kind}'{alternatives(str(kind), 'kinds', list(KINDS))}")
    module, name = KINDS[kind].split(":")
    plan: Plan = getattr(import_module(module), name).from_dict(values)
    return plan


def run(
    experiment: Plan | str | Path,
    out: str | Path | None = None,
    *,
    threads: int = 0,
    ray: str | None = None,
    progress: bool = False,
) -> Store:
    """Plays the missing parts of an experiment.

    A part is a Parquet file that is there whole or not at all. Killed at any moment, the same call continues, and ends
    with the same bytes. They depend on the experiment alone (and the version of pyarrow), not on threads, cluster or
    interruptions; only measured times and agents with a budget of time differ. Matches with more deals continue from
    the folder of the same matches with fewer deals, if their number was a multiple of ``deals_per_part``.

    Args:
        experiment: The experiment, or its TOML file.
        out: The folder; if left out, ``out/NAME`` for a file ``NAME.toml``.
        threads: Threads; 0 for all cores. Not for a cluster.
        ray: The address of a Ray cluster: ``auto`` finds the one on this machine, ``local`` starts one, ``HOST:PORT``
            joins another. Tasks of half a second or more go to its nodes, which need the same version of stier; the
            parts are written here. A task whose node is lost is played again. Checkpoints of training and solvers are
            in the same folder on the node.
        progress: Whether to show a progress bar; needs tqdm.

    Raises:
        ArgumentError: A wrong experiment, or a folder of another one.
        ConnectionError: There is no cluster at the address.
    """
    if not isinstance(experiment, Plan):
        path = Path(experiment)
        experiment, out = read(path), Path("out") / path.stem if out is None else out
    if out is None:
        raise ArgumentError("say where the parts go: out is missing")
    if ray is not None and threads != 0:
        raise ArgumentError("on a cluster each task has one thread: give threads or ray, not both")
    store = begin(experiment, Path(out))
    with ExitStack() as stack:
        counter = _Counter(store, stack.enter_context(Bar(experiment.unit)) if progress else None)
        if ray is None:
            parts = _here(store, threads, counter)
        else:
            from stier.experiments._ray import on_cluster

            parts = on_cluster(store, ray)
        for number, table in stack.enter_context(closing(parts)):
            store.keep(number, table)
            counter.add(experiment.task(number).size)
    return store


class _Counter:
    """Counts what has been played."""

    def __init__(self, store: Store, bar: Bar | None) -> None:
        plan = store.experiment
        self._bar, self._done, self._total = bar, 0, 0
        if bar is not None:
            self._total = sum(plan.task(number).size for number in range(plan.parts()))
            self._done = self._total - sum(plan.task(number).size for number in store.missing())
            self.add(0)

    def add(self, size: int) -> None:
        """Adds a finished task."""
        self._done += size
        self.tell(0)

    def tell(self, size: int) -> None:
        """Shows so much of a task that is being played, too."""
        if self._bar is not None:
            self._bar.update(self._done + size, self._total)


def _here(store: Store, threads: int, counter: _Counter) -> Generator[tuple[int, pa.Table], None, None]:
    """Plays the missing parts, one after another, each on all threads."""
    for number in store.missing():
        task = store.experiment.task(number)

        def tell(done: int, total: int, size: int = task.size) -> None:
            counter.tell(size * done // max(1, total))

        yield number, store.experiment.play(task, threads, store.work(task), tell)


def report(store: Store | str | Path, **options: Any) -> Any:
    """Evaluates the parts that are there.

    Args:
        store: The result of `run` or `load`, or the folder.
        options: For matches ``resamples``, those of the ratings' bootstrap: 1,000 for two players, 50 for more, if left
            out.

    Raises:
        FileError: There is no experiment in the folder.
        ArgumentError: Nothing has been played yet, or a file is not of this experiment.
    """
    store = store if isinstance(store, Store) else load(store)
    return store.experiment.report(store, **options)


def publish(store: Store, tables: Path | None = None, figures: Path | None = None) -> tuple[Report, Path, Path]:
    """Writes tables and page of the report where they belong by the arguments, the plan, or else in the folder.

    Returns the report and the folders of the tables and figures. The caller draws the figures.
    """
    found: Report = report(store)
    own = store.experiment.outputs
    tables = tables or Path(own.get("tables", store.folder / "tables"))
    found.save(tables, own.get("page"))
    return found, tables, figures or Path(own.get("figures", store.folder / "figures"))
