"""One way to play every experiment: its folder, and its missing parts, played here or on a Ray cluster."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import stier
from stier._files import remove_unfinished, write_bytes, write_text
from stier._native import alternatives
from stier._output import Update, bar
from stier.errors import ArgumentError, FileError
from stier.experiments._plans import FORMAT, OUTPUTS, Plan, Report, Task

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


class Store:
    """The folder of an experiment with the parts played so far; made by `run` and `load`.

    Attributes:
        experiment: The experiment.
        folder: The folder.
    """

    def __init__(self, experiment: Any, folder: Path) -> None:
        self.experiment = experiment
        self.folder = folder

    def __repr__(self) -> str:
        done, parts = self.experiment.parts() - len(self.missing()), self.experiment.parts()
        return f"<stier.experiments.Store in {self.folder}: {done} of {parts} parts>"

    @property
    def complete(self) -> bool:
        """Returns true if all parts have been played."""
        return not self.missing()

    def missing(self) -> list[int]:
        """Returns the numbers of the parts that have not been played."""
        there = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*.parquet")}
        names = (self.experiment.task(number).name for number in range(self.experiment.parts()))
        return [number for number, name in enumerate(names) if f"{name}.parquet" not in there]

    def path(self, number: int) -> Path:
        """Returns the file of a part."""
        return self.folder / f"{self.experiment.task(number).name}.parquet"

    def work(self, task: Task) -> Path:
        """Returns the folder for checkpoints and other files of a task."""
        return self.folder / "work" / task.name

    def keep(self, number: int, table: pa.Table) -> None:
        """Writes a part."""
        write_bytes(self.path(number), _encode(self.experiment.task(number).key, table))

    def part(self, number: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Returns the rows of one part, or some of its columns. Raises `ArgumentError` for the part of another plan."""
        path = self.path(number)
        try:
            table = pq.read_table(path, partitioning=None, columns=None if columns is None else list(columns))
        except pa.ArrowInvalid as error:
            raise ArgumentError(f"{path} cannot be read: {error}; delete it, and it is played again") from None
        made_by = (table.schema.metadata or {}).get(b"stier.experiment", b"").decode()
        if made_by != self.experiment.task(number).key:
            raise ArgumentError(f"{path} is of another experiment: delete it, and it is played again")
        return table.replace_schema_metadata(None)

    def to_arrow(self) -> pa.Table:
        """Returns the rows of all parts that are there, in order: a `pyarrow.Table`.

        For matches there is a row for each game: ``rules`` (the game as text), ``seed``, ``pairing`` (its number),
        ``deal`` (games with the same seed and deal had the same cards), ``names`` and ``agents`` (names and texts by
        seat), ``actions`` (all events, chance included), ``returns`` (by seat).

        Raises:
            ArgumentError: A file that is not a part of this experiment.
        """
        missing = set(self.missing())
        parts = [self.part(number) for number in range(self.experiment.parts()) if number not in missing]
        empty = getattr(self.experiment, "schema", pa.schema([])).empty_table()
        return pa.concat_tables(parts or [empty])

    def to_pandas(self) -> pd.DataFrame:
        """Returns the rows of `to_arrow` as a `pandas.DataFrame`."""
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    @property
    def machines(self) -> list[str]:
        """Returns the machines, with the version of stier, on which parts were played, as far as they are known."""
        noted = _noted(self.folder)
        return [] if noted is None else list(noted["machines"])


def _encode(key: str, table: pa.Table) -> bytes:
    """Returns the file of a part. Its bytes depend on the table, the key and the versions of stier and pyarrow."""
    sink = pa.BufferOutputStream()
    # One row group, and nothing left to what pyarrow takes for a default.
    pq.write_table(
        table.replace_schema_metadata({"stier.experiment": key, "stier": stier.__version__}).combine_chunks(),
        sink,
        row_group_size=max(1, table.num_rows),
        version="2.6",
        data_page_version="1.0",
        data_page_size=1 << 20,
        write_batch_size=1024,
        use_dictionary=True,
        compression="zstd",
        compression_level=3,
        write_statistics=True,
        store_schema=True,
    )
    return bytes(sink.getvalue())


def _manifest(folder: Path) -> Path:
    return folder / "experiment.json"


def _noted(folder: Path) -> dict[str, Any] | None:
    """Returns the content of the manifest."""
    path = _manifest(folder)
    try:
        noted = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except json.JSONDecodeError as error:
        raise ArgumentError(f"{path} cannot be read: {error}") from None
    if not isinstance(noted, dict) or noted.get("format") != FORMAT:
        raise ArgumentError(f"{path} is not the manifest of an experiment in format {FORMAT}")
    return noted


def load(folder: str | Path) -> Store:
    """Reads the results of `run`, complete or not, from a folder; for a TOML file, from ``out/NAME``.

    Raises:
        FileError: There is no experiment.
        ArgumentError: It was made by another version of stier, or cannot be read.
    """
    folder = Path(folder)
    if folder.is_file():
        return Store(read(folder), Path("out") / folder.stem)
    noted = _noted(folder)
    if noted is None:
        raise FileError(f"{folder} has no experiment: there is no {_manifest(folder).name}")
    return Store(_noted_plan(folder, noted), folder)


def _noted_plan(folder: Path, noted: dict[str, Any]) -> Plan:
    if noted["version"] != stier.__version__:
        raise _other(folder, {"version": noted["version"]}, {"version": stier.__version__})
    return from_dict(noted["experiment"])


def begin(experiment: Plan, folder: Path) -> Store:
    """Prepares a folder for the experiment, or for the rest of it."""
    noted = _noted(folder)
    machines = [] if noted is None else noted["machines"]
    if noted is not None:
        there = _noted_plan(folder, noted)
        before, now = ({"kind": plan.kind, **plan.fixed()} for plan in (there, experiment))
        if any(before[key] != now[key] for key in before.keys() & now.keys()):
            raise _other(folder, before, now)
        experiment.follow(folder, there)
    elif any(folder.rglob("part-*.parquet")):
        raise ArgumentError(f"{folder} has parts of an unknown experiment: choose another folder, or delete it")
    folder.mkdir(parents=True, exist_ok=True)
    for own in {folder, *(path.parent for path in folder.rglob("*.parquet*"))}:
        remove_unfinished(own)
    described = {
        "format": FORMAT,
        "version": stier.__version__,
        "machines": list(dict.fromkeys([*machines, _machine()])),
        "experiment": {"kind": experiment.kind, **experiment.settings()},
    }
    write_text(_manifest(folder), json.dumps(described, indent=1, ensure_ascii=False) + "\n")
    return Store(experiment, folder)


def _other(folder: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> ArgumentError:
    keys = [key for key in here if key in there and there[key] != here[key]]
    differences = "; ".join(_difference(key, there[key], here[key]) for key in keys)
    return ArgumentError(f"{folder} has another experiment ({differences}): choose another folder, or delete it")


def _difference(key: str, there: object, here: object) -> str:
    values = f"{key}: {there} there, {here} here"
    return values if len(values) <= 60 else f"other {key}"


def _machine() -> str:
    """Returns the processor, the number of cores and the version of stier."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    name = f"{names[0]}, {len(names)} cores" if names else platform.machine()
    return f"{name}, stier {stier.__version__}"


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
    try:
        plan: Plan = getattr(import_module(module), name).from_dict(values)
    except ArgumentError as error:
        if "kind" in given:
            raise
        others = ", ".join(one for one in KINDS if one != kind)
        raise ArgumentError(f"{error} (without kind it is read as {kind}; other kinds: {others})") from None
    return plan


def run(
    experiment: Plan | str | Path,
    out: str | Path | None = None,
    *,
    threads: int = 0,
    ray: str | None = None,
    minutes: float | None = None,
    progress: bool = False,
) -> Store:
    """Plays the missing parts of an experiment.

    A part is a Parquet file that is there whole or not at all. Killed at any moment, the same call continues, and ends
    with the same bytes. They depend on the experiment alone (and the versions of stier and pyarrow), not on threads,
    cluster or interruptions; only measured times and agents with a budget of time differ. Matches with more deals
    continue from the folder of the same matches with fewer deals, if their number was a multiple of
    ``deals_per_part``.

    Args:
        experiment: The experiment, or its TOML file.
        out: The folder; if left out, ``out/NAME`` for a file ``NAME.toml``.
        threads: Threads; 0 for all cores. Not for a cluster.
        ray: The address of a Ray cluster: ``auto`` finds the one on this machine, ``local`` starts one, ``HOST:PORT``
            joins another. Tasks of half a second or more go to its nodes, which need the same version of stier; the
            parts are written here. A task whose node is lost is played again. Checkpoints of training and solvers are
            in the same folder on the node.
        minutes: The time after which no further part is kept, if the experiment has not ended before.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        ArgumentError: A wrong experiment, or a folder of another one.
        ConnectionError: There is no cluster at the address.
    """
    if isinstance(experiment, Plan):
        plan = experiment
    else:
        plan, out = read(experiment), Path("out") / Path(experiment).stem if out is None else out
    if out is None:
        raise ArgumentError("say where the parts go: out is missing")
    if ray is not None and threads != 0:
        raise ArgumentError("on a cluster each task has one thread: give threads or ray, not both")
    store, begun = begin(plan, Path(out)), time.monotonic()
    with ExitStack() as stack:
        counter = _Counter(store, stack.enter_context(bar(progress, plan.unit)))
        if ray is None:
            parts = _here(store, threads, counter)
        else:
            from stier.experiments._ray import on_cluster

            parts = on_cluster(store, ray)
        for number, table in stack.enter_context(closing(parts)):
            store.keep(number, table)
            counter.add(plan.task(number).size)
            if minutes is not None and time.monotonic() - begun > 60 * minutes:
                break
    return store


class _Counter:
    """Counts the finished work."""

    def __init__(self, store: Store, update: Update | None) -> None:
        plan = store.experiment
        self._update, self._done, self._total = update, 0, 0
        if update is not None:
            self._total = sum(plan.task(number).size for number in range(plan.parts()))
            self._done = self._total - sum(plan.task(number).size for number in store.missing())
            self.add(0)

    def add(self, size: int) -> None:
        """Adds a finished task."""
        self._done += size
        self.tell(0)

    def tell(self, size: int) -> None:
        """Shows so much of a task that is being played, too."""
        if self._update is not None:
            self._update(self._done + size, self._total)


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
        store: The result of `run` or `load`, or a folder or file as for `load`.
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
