"""The parts of an experiment: plans with their tasks, tables that plans add to, and reports."""

from __future__ import annotations

import hashlib
import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args, get_origin

import pandas as pd
import pyarrow as pa
from pyarrow.csv import ConvertOptions, read_csv
from pyarrow.parquet import read_table

from stier._content import contents, contents_of, own_network, was_played
from stier._files import write, write_text
from stier._imports import path_of
from stier._native import Agent, Game, TabularPolicy, __version__, alternatives, load_game, registered_names
from stier._output import first_sentence as first_sentence
from stier.catalogue import describe_agent
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
#: The keys of every plan: its outputs and, in place of what `Plan.page` says by itself, the parts of its page.
COMMON: dict[str, Any] = {
    **dict.fromkeys(("question", "answer", "about", "command", *OUTPUTS), str),
    "sure": list[str],
}
#: Further keys of plans with a table of results.
OF_TABLES: dict[str, Any] = {PUBLISHED: str, "names": dict[str, str], "row": list}
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


def joined(contents: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Returns the hashes of several texts by path."""
    return dict(sorted(pair for own in contents.values() for pair in own.items()))


def contents_in(described: Any) -> dict[str, Mapping[str, str]]:
    """Returns hashes of what the keys and agents of a plan name, by path, for each text that names files.

    These are files of networks and the modules that define agents (see `stier._content.files_of`).
    """
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

    #: The name of the page as a file.
    page: ClassVar[str] = "page.md"
    #: The number of rows from which a table is saved as Parquet.
    large: ClassVar[int] = 1_000

    def __init__(
        self,
        text: str,
        tables: Mapping[str, pd.DataFrame],
        figures: Mapping[str, Callable[[], Figure]] | None = None,
        digits: int | None = 6,
    ) -> None:
        self._text = self._markdown = text
        self._digits = None if digits is None else f"%.{digits}g"
        self.tables: dict[str, Any] = dict(tables)
        self.figures: dict[str, Any] = dict(figures or {})

    def __str__(self) -> str:
        """The text."""
        return self._text

    def __repr__(self) -> str:
        return f"<stier.experiments.{type(self).__name__}: {', '.join(self.tables)}>"

    def save(self, folder: str | Path, page: str | Path | None = None) -> list[Path]:
        """Writes the tables, small ones as CSV and large ones as Parquet, and the page, and returns the files."""
        paths: list[Path] = []
        for name, table in self.tables.items():
            if len(table) < self.large:
                paths.append(Path(folder) / f"{name}.csv")
                write_text(paths[-1], table.to_csv(index=False, float_format=self._digits, lineterminator="\n"))
            else:
                paths.append(Path(folder) / f"{name}.parquet")
                write(paths[-1], partial(table.to_parquet, index=False, compression="zstd"))
        paths.append(Path(folder) / self.page if page is None else Path(page))
        write_text(paths[-1], self._markdown)
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

    #: The keys of the file with their types.
    keys: ClassVar[Mapping[str, Any]]
    #: Keys with a default may be left out, and these.
    defaults: ClassVar[Mapping[str, Any]] = {}
    optional: ClassVar[Sequence[str]] = ()

    #: The name of the file from which it was read.
    file: str | None = None

    given: Mapping[str, Any]
    outputs: Mapping[str, str]
    tasks: Sequence[Task]

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._note(checked({**self.defaults, **given}, {**COMMON, **self.keys}, "", (*COMMON, *self.optional)))

    def _note(self, given: dict[str, Any]) -> None:
        self.given = given
        self.outputs = {key: self.given[key] for key in OUTPUTS if key in self.given}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Plan:
        """Makes the plan from the keys of its file."""
        names = signature(cls).parameters
        if list(names) == ["given"]:
            return cls(given)
        needed = [name for name, one in names.items() if one.default is Parameter.empty]
        values = checked(given, {**COMMON, **cls.keys}, optional={*COMMON, *cls.keys} - {*needed})
        common = {key: values.pop(key) for key in COMMON if key in values}
        make: Any = cls
        made: Plan = make(**with_seeds(values), page=common)
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
        return {key: value for key, value in self.settings().items() if key not in COMMON}

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

    def page(
        self,
        store: Store,
        question: str,
        answer: str,
        sure: Sequence[str],
        details: Mapping[str, str],
        picture: str | None = None,
    ) -> str:
        """Returns the page (see `page`). The plan's own words replace question, answer and the three sentences.

        `picture` is the name of a figure.
        """
        own, missing = self.given, len(store.missing())
        answer = own.get("answer", answer)
        open_parts = f"\n\n{missing} of {self.parts()} parts have not been played yet." if missing else ""
        details = {**({"About": own["about"]} if own.get("about") else {}), **details}
        places = "".join(f"- {name}\n" for name in store.machines)
        names = "".join(f"- {name}: `{text}`\n" for text, name in own.get("names", {}).items())
        return page(
            own.get("question", question),
            answer + open_parts,
            picture=picture and self.picture(store, picture, answer),
            sure=own.get("sure", sure),
            command=own.get("command", f"stier run {self.file}" if self.file else f"stier report {store.folder.name}"),
            details={**details, **{key: own for key, own in (("Names", names), ("Machines", places)) if own}},
        )

    def name(self, agent: str) -> str:
        """Returns the name of an agent on the page: its own by the key ``names``, or its text."""
        return str(self.given.get("names", {}).get(agent, agent))

    def picture(self, store: Store, name: str, title: str) -> str:
        """Returns a figure for the page, by the path from where the page is; its title is the first sentence."""
        tables, figures = (Path(self.outputs.get(key, store.folder / key)) for key in ("tables", "figures"))
        place = Path(self.outputs.get("page", tables / Report.page)).parent
        path = Path(os.path.relpath(figures / f"{name}.png", place)).as_posix()
        return f"![{first_sentence(title)}]({path})"


class TablePlan(Plan):
    """A plan of rows of settings, and a table of results, each row of which says by ``made_by`` what it depends on.

    The keys of a row of settings stand in a table ``[[row]]``, or at the top of the file for all rows; tables in them
    are merged. Without ``[[row]]`` there is one row. The key ``published`` names a table of results, whose rows are
    taken instead of being made again.

    Attributes:
        rows: The rows of settings, each with all keys.
    """

    #: The columns of the table. The last is ``made_by``.
    schema: ClassVar[pa.Schema]

    def __init__(self, given: Mapping[str, Any]) -> None:
        known = {**COMMON, **OF_TABLES, **self.keys}
        self._note(checked(given, known, optional=known))
        top = {key: value for key, value in given.items() if key in self.keys}
        self.rows: list[dict[str, Any]] = []
        made: dict[str, Task] = {}
        for number, own in enumerate(self.given.get("row", [{}]), start=1):
            where = f"row {number}: " if "row" in self.given else ""
            checked(own, self.keys, where, optional=self.keys)
            inner = {key: top[key] | own[key] for key in own if isinstance(own[key], dict) and key in top}
            row = checked({**self.defaults, **top, **own, **inner}, self.keys, where, optional=self.optional)
            self.rows.append(row)
            try:
                found = list(self.work(row))
            except ValueError as error:
                raise ArgumentError(f"{where}{error}") from None
            made |= {task.key: task for task in found}
        self.tasks = list(made.values())

    @abstractmethod
    def work(self, row: Mapping[str, Any]) -> Iterable[Task]:
        """Makes the tasks of a row of settings by `new_task`. Raises `ValueError` for wrong settings."""

    def new_task(
        self, name: str, what: Mapping[str, Any], game: Game, agents: Sequence[str] = (), size: int = 1
    ) -> Task:
        """Makes a task whose rows depend on `what`, the game and the agents, with the content of their networks."""
        made = digest([self.kind, what, str(game), joined(contents_in([what, *agents])), own_network(game, agents)])
        key = digest([made, build()])
        return Task(f"{as_file(name)}/part-{key}", key, size, name, {**what, "made_by": made})

    @abstractmethod
    def measure(self, what: Mapping[str, Any], threads: int, work: Path, on_progress: OnProgress | None) -> Rows:
        """Makes the rows of a task, without ``made_by``. See `Plan.play`."""

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Makes the rows of a task."""
        rows = self.measure(task.what, threads, work, on_progress)
        return pa.Table.from_pylist([row | {"made_by": task.what["made_by"]} for row in rows], schema=self.schema)

    def fixed(self) -> dict[str, Any]:
        """Returns nothing: rows of other settings may be in the same folder."""
        return {}

    def published(self, missing: Sequence[Task]) -> Iterable[tuple[Task, pa.Table]]:
        """Returns those of the missing tasks that the table ``published`` answers, with its rows."""
        for task in missing:
            if own := self.earlier.get(task.what["made_by"]):
                yield task, pa.Table.from_pylist(own, schema=self.schema)

    @cached_property
    def earlier(self) -> Mapping[str, Rows]:
        """The rows of the table ``published``, by what they were made by."""
        rows: dict[str, Rows] = {}
        if PUBLISHED in self.given:
            path: str = self.given[PUBLISHED]
            try:
                if path.endswith(".parquet"):
                    found = read_table(path, schema=self.schema)
                else:
                    found = read_csv(path, convert_options=ConvertOptions(column_types=self.schema)).select(
                        self.schema.names
                    )
            except (OSError, pa.ArrowException, KeyError) as error:
                raise ArgumentError(f"{path} cannot be read as a table of {self.kind}: {error}") from None
            for row in found.to_pylist():
                rows.setdefault(row["made_by"], []).append(row)
        return rows

    @property
    def table(self) -> str:
        """Returns the name of the table of results, and of its picture."""
        return Path(self.given.get(PUBLISHED, self.kind)).stem

    def results(self, store: Store) -> pd.DataFrame:
        """Returns the table of results, in the order of the tasks."""
        missing = {*store.missing()}
        there = [number for number in range(self.parts()) if number not in missing]
        tables = pa.concat_tables([self.schema.empty_table(), *store.tables(there)])
        return tables.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)


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
    own = [] if is_named(text) else describe_agent(re.split("[:(]", text)[0].strip()).options
    name = next((name for name in names if name in (option.name for option in own)), None)
    timed = text if name is None else f"{text}{',' if ':' in text else ':'}{name}={value}"
    if not was_played(text):
        as_agent(timed, game)
    return timed, name is not None


def bars(values: Mapping[str, pd.Series], title: str, label: str) -> Figure:
    """Draws a panel for each name, with a bar for each name in its index, the first on top."""
    from matplotlib import pyplot as plt

    from stier import plots

    height = 1.3 + sum(0.4 + 0.22 * len(own) for own in values.values())
    ratios = [len(own) for own in values.values()]
    figure, panels = plt.subplots(
        len(values), figsize=(7.2, height), layout="constrained", sharex=True, squeeze=False, height_ratios=ratios
    )
    for axes, (name, own) in zip(panels[:, 0], values.items(), strict=True):
        axes.barh(own.index.astype(str), own, color=plots.COLOURS[0])
        axes.set_title(name, fontsize=9)
        axes.invert_yaxis()
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.3, axis="x")
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle("\n".join(wrap(title, 90)), fontsize=10)
    figure.supxlabel(label, fontsize=9)
    return figure


def drawn(name: str, shown: Any, title: str | None = None, **options: Any) -> Figure:
    """Draws a figure by the function of `stier.plots` with this name."""
    from stier import plots

    draw: Callable[..., Any] = getattr(plots, name)
    figure: Figure = draw(shown, **options).figure
    if title is not None:
        figure.suptitle("\n".join(wrap(title, 90)), fontsize=10)
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
    text = f"# {question}\n\n{answer.strip()}\n\n" + (f"{picture}\n\n" if picture else "")
    text += "".join(["## How sure?\n\n", *(f"- {one}\n" for one in sure), "\n"]) if sure else ""
    text += f"## Repeat it\n\n```sh\n{command}\n```\n" if command else ""
    for heading, own in (details or {}).items():
        text += f"\n<details>\n<summary>{heading}</summary>\n\n{own.strip()}\n\n</details>\n"
    return f"{text.strip()}\n"


def line(cells: Iterable[object]) -> str:
    """Returns a line of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |\n"


def header(names: Sequence[str], left: int = 1) -> str:
    """Returns the first two lines of a Markdown table; all columns but the first ones are numbers."""
    return line(names) + line(["---"] * left + ["---:"] * (len(names) - left))
