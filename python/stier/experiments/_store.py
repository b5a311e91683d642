"""Plans, and the folder that a plan is played into: a manifest, and parts that are added and never changed."""

from __future__ import annotations

import hashlib
import json
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import stier
from stier._files import remove_unfinished, write, write_bytes, write_text
from stier.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Called with what is done of a task, and all of it.
OnProgress: TypeAlias = Callable[[int, int], object]

#: Keys of every plan: where its results are written, relative to the file.
OUTPUTS = ("tables", "figures", "page")
#: The number of rows from which a table is saved as Parquet rather than as text.
LARGE = 1000
#: Raised whenever the folders of older versions cannot be read.
FORMAT = 3


def digest(described: Any) -> str:
    """Returns a hash of something that JSON can hold: 16 hexadecimal digits."""
    text = json.dumps(described, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Task:
    """A piece of work, whose rows become one part.

    Attributes:
        name: The path of the part in the folder, without its suffix.
        key: A hash of everything that the rows depend on.
        size: The share of the task in the progress, in the unit of the plan.
        group: Tasks of the same group take about as long.
        what: The work, for the plan.
    """

    name: str
    key: str
    size: int
    group: object
    what: Any


class Report:
    """The result of an experiment: a text, tables and figures.

    Attributes:
        tables: pandas frames by name.
    """

    #: The name of the text as a file.
    page: ClassVar[str] = "page.md"

    def __init__(
        self,
        text: str,
        tables: Mapping[str, pd.DataFrame],
        figures: Mapping[str, Callable[[], Figure]] | None = None,
        digits: int | None = 6,
    ) -> None:
        self._text = text
        self._digits = None if digits is None else f"%.{digits}g"
        self.tables = dict(tables)
        self._figures = dict(figures or {})

    def __str__(self) -> str:
        """The text."""
        return self._text

    def __repr__(self) -> str:
        return f"<stier.experiments.{type(self).__name__}: {', '.join(self.tables)}>"

    def save(self, folder: str | Path, page: str | Path | None = None) -> list[Path]:
        """Writes the tables, small ones as CSV and large ones as Parquet, and the text, and returns the files."""
        paths: list[Path] = []
        for name, table in self.tables.items():
            if len(table) < LARGE:
                paths.append(Path(folder) / f"{name}.csv")
                write_text(paths[-1], table.to_csv(index=False, float_format=self._digits, lineterminator="\n"))
            else:
                paths.append(Path(folder) / f"{name}.parquet")
                write(paths[-1], partial(table.to_parquet, index=False, compression="zstd"))
        paths.append(Path(folder) / self.page if page is None else Path(page))
        write_text(paths[-1], str(self))
        return paths

    def draw(self, folder: str | Path) -> list[Path]:
        """Draws the figures as PNG and returns the files. Needs the extra ``plots``."""
        from stier import plots

        paths = []
        for name, make in self._figures.items():
            paths.append(Path(folder) / f"{name}.png")
            figure: Any = make()
            # Without the version of matplotlib in it, the same picture is the same file.
            save = partial(figure.savefig, format="png", dpi=130, metadata={"Software": None})
            write(paths[-1], save)
            plots.plt.close(figure)
        return paths


class Plan(ABC):
    """An experiment: a list of tasks that depend on nothing but the plan.

    Attributes:
        outputs: The paths of ``tables``, ``figures`` and ``page``, if the plan says where its results belong.
    """

    #: The name of the kind in the file.
    kind: ClassVar[str]
    #: What the sizes of the tasks count.
    unit: ClassVar[str] = "parts"
    #: Whether `run` on the command line writes the report.
    writes_page: ClassVar[bool] = True

    outputs: Mapping[str, str]
    _tasks: Sequence[Task]

    @classmethod
    @abstractmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Plan:
        """Makes the plan from the keys of its file."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Returns what `from_dict` needs to make the same plan."""

    def fixed(self) -> dict[str, Any]:
        """Returns the settings that all plans in one folder share."""
        return self.settings()

    def follow(self, folder: Path, there: Plan) -> None:  # noqa: B027
        """Raises `ArgumentError` if the plan cannot continue a plan with the same fixed settings."""

    def parts(self) -> int:
        """Returns the number of tasks, and so of parts."""
        return len(self._tasks)

    def task(self, number: int) -> Task:
        """Returns a task. They are played in this order."""
        return self._tasks[number]

    @abstractmethod
    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Plays a task. `work` is a folder for checkpoints, which has to be made first."""

    @abstractmethod
    def report(self, store: Store) -> Report:
        """Evaluates the parts that are there."""


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
    """Returns the file of a part. Its bytes depend on the table, the key and the version of pyarrow."""
    sink = pa.BufferOutputStream()
    # One row group, and nothing left to what pyarrow takes for a default.
    pq.write_table(
        table.replace_schema_metadata({"stier.experiment": key}).combine_chunks(),
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
    """Reads what `run` has kept in a folder, whether it is complete or not.

    Raises:
        FileError: There is no experiment.
        ArgumentError: It was made by another version of stier, or cannot be read.
    """
    folder = Path(folder)
    noted = _noted(folder)
    if noted is None:
        raise FileError(f"{folder} has no experiment: there is no {_manifest(folder).name}")
    return Store(_noted_plan(folder, noted), folder)


def _noted_plan(folder: Path, noted: dict[str, Any]) -> Plan:
    from stier.experiments._run import from_dict

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
    differences = "; ".join(f"{key}: {there[key]} there, {here[key]} here" for key in keys)
    return ArgumentError(f"{folder} has another experiment ({differences}): choose another folder, or delete it")


def _machine() -> str:
    """Returns the processor, the number of cores and the version of stier."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    name = f"{names[0]}, {len(names)} cores" if names else platform.machine()
    return f"{name}, stier {stier.__version__}"
