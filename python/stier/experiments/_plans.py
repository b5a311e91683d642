"""The parts of an experiment: plans with their tasks, tables that plans add to, and reports."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args, get_origin

import pandas as pd
import pyarrow as pa
from pyarrow.csv import ConvertOptions, read_csv

from stier._content import contents, contents_of, own_network, was_played
from stier._files import write, write_text
from stier._imports import path_of
from stier._native import Agent, Game, TabularPolicy, __version__, alternatives, load_agent, load_game, registered_names
from stier.errors import AgentError, ArgumentError
from stier.playing import AnyAgent, as_agent, is_named

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stier.experiments._store import Store

#: Called with the finished share of a task, and its size.
OnProgress: TypeAlias = Callable[[int, int], object]
#: The times at which a page is written.
PageAfter: TypeAlias = Literal["run", "end", "never"]
#: Rows of a table.
Rows: TypeAlias = list[dict[str, Any]]

#: Keys of every plan: where its results are written, relative to the file.
OUTPUTS = ("tables", "figures", "page")
#: The key with a table of results that were published before, likewise.
PUBLISHED = "published"
#: The keys of all plans with a table of results.
COMMON = {"about": str, "measured_on": str, **dict.fromkeys((*OUTPUTS, PUBLISHED), str)}
#: A cell without a figure.
NONE = "\N{EN DASH}"
#: The types of keys: what they accept, and their names in errors, for one and for several.
TYPES: dict[type, tuple[type | tuple[type, ...], str, str]] = {
    str: (str, "a text", "texts"),
    int: (int, "a whole number", "whole numbers"),
    float: ((int, float), "a number", "numbers"),
    bool: (bool, "true or false", "true or false"),
    list: (list, "a list", "lists"),
    dict: (dict, "a table", "tables"),
}
#: Raised whenever the folders of older versions cannot be read.
FORMAT = 4
#: Keys of plans with the file of a network.
FILE_KEYS = ("file", "initial", "network")


def digest(described: Any) -> str:
    """Returns a hash of something that JSON can hold: 16 hexadecimal digits."""
    text = json.dumps(described, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def build() -> str:
    """Returns the version of the package, with a hash of the networks that come with the games."""
    networks = [load_game(name).network() or b"" for name in registered_names()]
    return f"{__version__} {hashlib.sha256(b''.join(networks)).hexdigest()[:8]}"


def networks_in(described: Any) -> dict[str, str]:
    """Returns hashes of the content of the networks whose files the keys and agents of a plan name, by path.

    The modules that define agents are among them (see `stier._content.files_of`).
    """
    return joined(contents_in(described))


def joined(contents: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Returns the hashes of several texts by path."""
    return dict(sorted(pair for own in contents.values() for pair in own.items()))


def contents_in(described: Any) -> dict[str, Mapping[str, str]]:
    """Returns such hashes for each text of a plan that names files."""
    return {text: found for text, is_file in _texts(described) if (found := contents_of(text, is_file=is_file))}


def _texts(described: Any, key: object = None) -> Iterator[tuple[str, bool]]:
    """Returns the texts of a plan, and whether each is the path of a network."""
    if isinstance(described, str):
        yield described, key in FILE_KEYS
    elif isinstance(described, Mapping):
        for name, value in described.items():
            yield from _texts(value, name)
    elif isinstance(described, Sequence):
        for value in described:
            yield from _texts(value)


def made_by(game: Game, agents: Sequence[str], *described: Any) -> str:
    """Returns a hash of what the play of agents depends on, besides the version: all that is described, and networks.

    The game's own network is among them if an agent can mean it.
    """
    return digest([*described, networks_in(agents), own_network(game, agents)])


@dataclass(frozen=True)
class Task:
    """A piece of work, whose rows become one part.

    Attributes:
        name: The path of its checkpoints in the folder.
        key: A hash of everything that the rows depend on, by which they are kept.
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
        figures: Functions that draw the figures, by name.
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
        self.figures: dict[str, Any] = dict(figures or {})

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
        for name, make in self.figures.items():
            paths.append(Path(folder) / f"{name}.png")
            figure: Any = make()
            # Without the version of matplotlib in it, the same picture is the same file.
            save = partial(figure.savefig, format="png", dpi=130, metadata={"Software": None})
            write(paths[-1], save)
            pyplot.close(figure)
        return paths


class Plan(ABC):
    """An experiment: tasks that depend on nothing but the plan, and the page that their rows make.

    A kind of experiment is a subclass. It names its `keys`, makes its `tasks` in ``__init__``, plays one of them in
    `play`, and makes the page in `report`. In a file it is ``kind = "module:Class"``, as agents of Python are: modules
    in the current folder are found, and those beside the file.

    Args:
        given: The keys of the file.

    Raises:
        ArgumentError: Unknown, missing or wrong keys.

    Attributes:
        given: All keys of the file, those with a default as well.
        tasks: The tasks, in the order in which they are played.
        outputs: The paths of ``tables``, ``figures`` and ``page``, if the plan says where its results belong.
    """

    #: The name of the kind in the file.
    kind: ClassVar[str]
    #: The unit of the sizes of tasks.
    unit: ClassVar[str] = "parts"
    #: The time at which `stier run` writes the report: after every run, of a complete experiment only, or never.
    page_after: ClassVar[PageAfter] = "run"

    #: The keys of the file with their types, and those of tables in a list, such as ``[[run]]``, by their name.
    keys: ClassVar[Mapping[str, Any]]
    #: Keys with a default may be left out.
    defaults: ClassVar[Mapping[str, Any]] = {}
    inner: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    given: Mapping[str, Any]
    outputs: Mapping[str, str]
    tasks: Sequence[Task]

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = checked({**self.defaults, **given}, {**self.keys, **dict.fromkeys(OUTPUTS, str)}, optional=OUTPUTS)
        self.outputs = {key: self.given[key] for key in OUTPUTS if key in self.given}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Plan:
        """Makes the plan from the keys of its file."""
        names = signature(cls).parameters
        if list(names) == ["given"]:
            return cls(given)
        needed = [name for name, one in names.items() if one.default is Parameter.empty]
        values = checked(given, cls.keys, optional=cls.keys.keys() - needed)
        outputs = {key: values.pop(key) for key in OUTPUTS if key in values}
        make: Any = cls
        made: Plan = make(**with_seeds(values), outputs=outputs)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.settings() == other.settings()

    def __hash__(self) -> int:
        return hash(digest([self.kind, self.settings()]))

    def settings(self) -> dict[str, Any]:
        """Returns the dictionary from which `from_dict` makes the same plan."""
        return dict(self.given)

    def fixed(self) -> dict[str, Any]:
        """Returns the settings that all plans in one folder share."""
        return {key: value for key, value in self.settings().items() if key not in OUTPUTS}

    def published(self, missing: Sequence[Task]) -> Iterable[tuple[Task, pa.Table]]:
        """Returns those of the missing tasks whose rows have been published before, with the rows."""
        return ()

    @cached_property
    def contents(self) -> Mapping[str, Mapping[str, str]]:
        """Hashes of the networks whose files the texts of the plan name, and of the modules that define its agents."""
        return contents_in(self.settings())

    @cached_property
    def networks(self) -> Mapping[str, str]:
        """The same hashes by path."""
        return joined(self.contents)

    def changed(self) -> list[str]:
        """Returns the files of networks and the modules that have another content than before, or are gone."""
        present = contents(self.networks)
        return [path for path, before in self.networks.items() if present.get(path) != before]

    def check_networks(self) -> None:
        """Raises `ArgumentError` if the file of a network or module has another content than before."""
        for path in self.changed():
            raise ArgumentError(f"{path} has changed since the experiment began: restore it")

    def parts(self) -> int:
        """Returns the number of tasks, and so of parts."""
        return len(self.tasks)

    def task(self, number: int) -> Task:
        """Returns a task. They are played in this order."""
        return self.tasks[number]

    @abstractmethod
    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Plays a task and returns its rows, with the same columns for all tasks.

        Args:
            task: One of `tasks`.
            threads: The number of threads; 0 for all cores.
            work: A folder for checkpoints, which has to be made first.
            on_progress: Called with the finished share of the task and its size, if at all.
        """

    @abstractmethod
    def report(self, store: Store) -> Report:
        """Evaluates the parts that are there."""


class TablePlan(Plan):
    """A plan with a table of results, in which each row says by ``made_by`` what it depends on.

    Attributes:
        given: The keys of the file.
    """

    #: The columns of the table.
    schema: ClassVar[pa.Schema]
    #: The keys that may change while the parts stay.
    grows: ClassVar[Sequence[str]] = ()

    def __init__(self, given: Mapping[str, Any]) -> None:
        filled = {"about": "", "measured_on": "", **self.defaults, **given}
        self.given = checked(filled, {**self.keys, **COMMON}, "", (*OUTPUTS, PUBLISHED))
        self.outputs = {key: self.given[key] for key in OUTPUTS if key in self.given}

    def fixed(self) -> dict[str, Any]:
        """Returns the keys that the parts have in common."""
        return {key: self.given[key] for key in self.keys if key not in self.grows}

    def published(self, missing: Sequence[Task]) -> Iterable[tuple[Task, pa.Table]]:
        """Returns those of the missing tasks that the table ``published`` answers, with its rows."""
        for task, own in self.answered(missing, self.earlier):
            yield task, pa.Table.from_pylist(own, schema=self.schema)

    @cached_property
    def earlier(self) -> Mapping[str, Rows]:
        """The rows of the table ``published``, by what they were made by."""
        if PUBLISHED not in self.given:
            return {}
        path: str = self.given[PUBLISHED]
        rows: dict[str, Rows] = {}
        try:
            options = ConvertOptions(column_types=self.schema, include_columns=self.schema.names)
            found = read_csv(path, convert_options=options).to_pylist()
        except (OSError, pa.ArrowException, KeyError) as error:
            raise ArgumentError(f"{path} cannot be read as a table of {self.kind}: {error}") from None
        for row in found:
            rows.setdefault(row["made_by"], []).append(row)
        return rows

    @abstractmethod
    def answered(self, missing: Sequence[Task], rows: Mapping[str, Rows]) -> Iterator[tuple[Task, Rows]]:
        """Returns tasks with their rows in a published table, whose rows are given by what they were made by."""

    def machines(self, store: Store) -> str:
        """Returns a Markdown list of where the figures were measured."""
        known = str(self.given["measured_on"]).strip().splitlines()
        return "\n".join([*known, *(f"- machine: {name}" for name in store.machines)]) + "\n"


def checked(given: Any, keys: Mapping[str, Any], where: str = "", optional: Iterable[str] = ()) -> dict[str, Any]:
    """Returns a copy of a table of a plan. Raises `ArgumentError` for unknown, missing and wrong keys.

    The type of a key is one of `TYPES`, a list or table of them such as ``list[str]``, several in a tuple, or
    ``object`` for any.
    """
    if not isinstance(given, Mapping):
        raise ArgumentError(f"{where or 'a plan '}must be a table, got {given!r}")
    for key, value in given.items():
        if key not in keys:
            raise ArgumentError(f"{where}unknown key '{key}'{alternatives(key, 'keys', list(keys))}")
        kinds = keys[key] if isinstance(keys[key], tuple) else (keys[key],)
        if not any(_fits(value, kind) for kind in kinds):
            raise ArgumentError(f"{where}{key} must be {' or '.join(map(_named, kinds))}, got {value!r}")
    for key in keys:
        if key not in given and key not in optional:
            raise ArgumentError(f"{where}{key} is missing")
    return dict(given)


def _fits(value: object, kind: Any) -> bool:
    """Returns true if a value is of a type of a key."""
    if kind is object:
        return True
    if isinstance(value, bool) or not isinstance(value, TYPES[get_origin(kind) or kind][0]):
        return kind is bool and isinstance(value, bool)
    inner: Any = value.values() if isinstance(value, Mapping) else value
    return all(_fits(one, get_args(kind)[-1]) for one in inner) if get_args(kind) else True


def _named(kind: Any) -> str:
    """Returns the type of a key in words."""
    one, inner = TYPES[get_origin(kind) or kind][1], get_args(kind)[-1:]
    return f"{one} of {TYPES[inner[0]][2]}" if inner else one


def as_text(agent: AnyAgent, game: Game) -> str:
    """Returns an agent of an experiment in its one way as text: that of the engine, or ``module:name``.

    Raises `AgentError` for one that does not exist or cannot play the game, and `ArgumentError` for one that no text
    names, or with a budget of time.
    """
    text = agent if isinstance(agent, str) else agent.spec if isinstance(agent, Agent) else path_of(agent)
    if text is None or text.startswith("__main__:"):
        script = "; put it into a file of its own, not into the script that runs" if text is not None else ""
        raise ArgumentError(
            "a later run must find an agent of an experiment again: it is text such as 'ismcts:iterations=100', a "
            f"function or class in a file, as 'my_agents:choose', or the file of a solution, got {agent!r}{script}"
        )
    if was_played(text):
        return text
    found = as_agent(text, game)
    if isinstance(found, Agent):
        if not found.is_reproducible:
            raise ArgumentError(f"{text}: an agent with a budget of time plays differently each time; set iterations")
        return found.spec
    if isinstance(found, TabularPolicy) and found.game != game:
        raise AgentError(f"{text} is for {found.game}, not for {game}")
    return text.strip()


def with_seeds(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys of a plan with `seeds` for `seed`."""
    if "seed" not in given:
        return dict(given)
    if "seeds" in given:
        raise ArgumentError("give seed or seeds, not both")
    return {**{key: value for key, value in given.items() if key != "seed"}, "seeds": [given["seed"]]}


def with_option(text: str, game: Game, names: Sequence[str], value: int) -> tuple[str, bool]:
    """Returns an agent with a value for the first of these options that it has, and True if it has one."""
    found = as_agent(text, game)
    options = found.options if isinstance(found, Agent) and not is_named(text) else {}
    name = next((name for name in names if name in options), None)
    if name is None:
        return text, False
    text = f"{text}{',' if ':' in text else ':'}{name}={value}"
    load_agent(text, game)
    return text, True


def drawn(name: str, shown: Any, **options: Any) -> Figure:
    """Draws a figure by the function of `stier.plots` with this name."""
    from stier import plots

    draw: Callable[..., Any] = getattr(plots, name)
    figure: Figure = draw(shown, **options).figure
    return figure


def as_file(text: str) -> str:
    """Returns a text as a part of the name of a file."""
    return re.sub(r"\W+", "_", text).strip("_")


def page(
    question: str,
    answer: str,
    *,
    picture: str | None = None,
    sure: Sequence[str] = (),
    command: str = "",
    details: Mapping[str, str] | None = None,
) -> str:
    """Returns a page in the form of all pages of results, in Markdown.

    Args:
        question: The title.
        answer: At most three sentences, without more than three intervals.
        picture: A picture as Markdown, whose title is the finding.
        sure: Three sentences: what was compared, what could change the answer, and what is not known.
        command: The command that repeats it.
        details: Everything else, folded, by heading.
    """
    text = f"# {question}\n\n{answer.strip()}\n\n{paragraph(picture or '')}"
    text += "".join(["## How sure?\n\n", *(f"- {one}\n" for one in sure), "\n"]) if sure else ""
    text += f"## Repeat it\n\n```sh\n{command}\n```\n" if command else ""
    for heading, own in (details or {}).items():
        text += f"\n<details>\n<summary>{heading}</summary>\n\n{own.strip()}\n\n</details>\n"
    return f"{text.strip()}\n"


def paragraph(text: str) -> str:
    """Returns a paragraph of a plan for a page; nothing if it is empty."""
    return f"{text.strip()}\n\n" if text.strip() else ""


def line(cells: Iterable[object]) -> str:
    """Returns a line of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |\n"


def header(names: Sequence[str], left: int = 1) -> str:
    """Returns the first two lines of a Markdown table; all columns but the first ones are numbers."""
    return line(names) + line(["---"] * left + ["---:"] * (len(names) - left))
