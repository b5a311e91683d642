"""The parts of an experiment: plans with their tasks, tables that plans add to, and reports."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import pandas as pd
import pyarrow as pa
from pyarrow.csv import read_csv

from stier._files import write, write_text
from stier._native import Game, __version__, alternatives, load_agent, load_game, registered_names
from stier.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stier.experiments._run import Store

#: Called with the finished share of a task, and its size.
OnProgress: TypeAlias = Callable[[int, int], object]

#: Keys of every plan: where its results are written, relative to the file.
OUTPUTS = ("tables", "figures", "page")
#: A cell without a figure.
NONE = "\N{EN DASH}"
#: The types of keys: what they accept, and their names in errors.
TYPES: dict[type, tuple[type | tuple[type, ...], str]] = {
    str: (str, "a text"),
    int: (int, "a whole number"),
    float: ((int, float), "a number"),
    bool: (bool, "true or false"),
    list: (list, "a list"),
    dict: (dict, "a table"),
}
#: Raised whenever the folders of older versions cannot be read.
FORMAT = 3


def digest(described: Any) -> str:
    """Returns a hash of something that JSON can hold: 16 hexadecimal digits."""
    text = json.dumps(described, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def build() -> str:
    """Returns the version of the package, with a hash of the networks that come with the games."""
    networks = [load_game(name).network() or b"" for name in registered_names()]
    return f"{__version__} {hashlib.sha256(b''.join(networks)).hexdigest()[:8]}"


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
    #: The number of rows from which a table is saved as Parquet.
    large: ClassVar[int] = 10_000

    def __init__(
        self,
        text: str,
        tables: Mapping[str, pd.DataFrame],
        figures: Mapping[str, Callable[[], Figure]] | None = None,
        digits: int | None = 6,
    ) -> None:
        self._text = text
        self._digits = None if digits is None else f"%.{digits}g"
        self.tables: dict[str, Any] = dict(tables)
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
            if len(table) < self.large:
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
        import_module("stier.plots")  # or says what to install
        from matplotlib import pyplot

        paths = []
        for name, make in self._figures.items():
            paths.append(Path(folder) / f"{name}.png")
            figure: Any = make()
            # Without the version of matplotlib in it, the same picture is the same file.
            save = partial(figure.savefig, format="png", dpi=130, metadata={"Software": None})
            write(paths[-1], save)
            pyplot.close(figure)
        return paths


class Plan(ABC):
    """An experiment: a list of tasks that depend on nothing but the plan.

    Attributes:
        outputs: The paths of ``tables``, ``figures`` and ``page``, if the plan says where its results belong.
    """

    #: The name of the kind in the file.
    kind: ClassVar[str]
    #: The unit of the sizes of tasks.
    unit: ClassVar[str] = "parts"
    #: The time at which `stier run` writes the report: after every run, of a complete experiment only, or never.
    page_after: ClassVar[Literal["run", "end", "never"]] = "run"

    outputs: Mapping[str, str]
    _tasks: Sequence[Task]

    @classmethod
    @abstractmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Plan:
        """Makes the plan from the keys of its file."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Returns the dictionary from which `from_dict` makes the same plan."""

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


class TablePlan(Plan):
    """A plan with the rows of earlier runs, which are not played again.

    Attributes:
        given: The keys of the file.
        earlier: The table in the folder ``tables``; without rows if there is none.
    """

    #: The keys with their types. Keys with a default may be left out.
    keys: ClassVar[Mapping[str, type | tuple[type, ...]]]
    defaults: ClassVar[Mapping[str, Any]] = {}
    #: The columns of the table.
    columns: ClassVar[Sequence[str]]
    #: The keys that may change while the parts stay.
    grows: ClassVar[Sequence[str]] = ()

    def __init__(self, given: Mapping[str, Any]) -> None:
        keys = {**self.keys, "about": str, "measured_on": str, **dict.fromkeys(OUTPUTS, str)}
        self.given: dict[str, Any] = checked(
            {"about": "", "measured_on": "", **self.defaults, **given}, keys, optional=OUTPUTS
        )
        self.outputs = {key: self.given[key] for key in OUTPUTS if key in self.given}
        path = Path(self.outputs.get("tables", "")) / f"{self.kind}.csv"
        self.earlier = pd.DataFrame(columns=list(self.columns))
        if "tables" in self.outputs and path.exists():
            self.earlier = read_csv(path).to_pandas()

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> TablePlan:
        """Makes the plan from the keys of its file."""
        return cls(given)

    def settings(self) -> dict[str, Any]:
        """Returns the keys of the file."""
        return dict(self.given)

    def fixed(self) -> dict[str, Any]:
        """Returns the keys that the parts have in common."""
        return {key: self.given[key] for key in self.keys if key not in self.grows}

    def played(self, store: Store) -> pd.DataFrame:
        """Returns the rows of the parts that are there."""
        rows = store.to_arrow()
        return rows.to_pandas() if len(rows) else pd.DataFrame(columns=list(self.columns))

    def machines(self, store: Store) -> str:
        """Returns a Markdown list of where the figures were measured."""
        known = str(self.given["measured_on"]).strip().splitlines()
        played = len(store.missing()) < self.parts()
        return "\n".join([*known, *(f"- machine: {name}" for name in store.machines if played or not known)]) + "\n"


def checked(
    given: Mapping[str, Any], keys: Mapping[str, Any], where: str = "", optional: Iterable[str] = ()
) -> dict[str, Any]:
    """Returns a copy of a table of a plan. Raises `ArgumentError` for unknown, missing and wrong keys.

    The type of a key is one or several of `TYPES`, or ``object`` for any.
    """
    for key, value in given.items():
        if key not in keys:
            raise ArgumentError(f"{where}unknown key '{key}'{alternatives(key, 'keys', list(keys))}")
        kinds = keys[key] if isinstance(keys[key], tuple) else (keys[key],)
        if (object not in kinds and not any(isinstance(value, TYPES[kind][0]) for kind in kinds)) or (
            isinstance(value, bool) and not {bool, object} & set(kinds)
        ):
            allowed = " or ".join(TYPES[kind][1] for kind in kinds)
            raise ArgumentError(f"{where}{key} must be {allowed}, got {value!r}")
    for key in keys:
        if key not in given and key not in optional:
            raise ArgumentError(f"{where}{key} is missing")
    return dict(given)


def with_option(text: str, game: Game, names: Sequence[str], value: int) -> tuple[str, bool]:
    """Returns an agent with a value for the first of these options that it has, and True if it has one."""
    options = load_agent(text, game).options
    name = next((name for name in names if name in options), None)
    if name is None:
        return text, False
    text = f"{text}{',' if ':' in text else ':'}{name}={value}"
    load_agent(text, game)
    return text, True


def paragraph(text: str) -> str:
    """Returns a paragraph of a plan for a page; nothing if it is empty."""
    return f"{text.strip()}\n\n" if text.strip() else ""


def line(cells: Iterable[object]) -> str:
    """Returns a line of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |\n"


def header(names: Sequence[str], left: int = 1) -> str:
    """Returns the first two lines of a Markdown table; all columns but the first ones are numbers."""
    return line(names) + line(["---"] * left + ["---:"] * (len(names) - left))
