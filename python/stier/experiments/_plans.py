"""The base classes of experiments: their tasks, the tables that they add to, and their reports."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args, get_origin

import pandas as pd
import pyarrow as pa
from pyarrow.csv import ConvertOptions, read_csv
from pyarrow.parquet import read_table

from stier._adapting import as_game
from stier._content import contents, contents_of, own_network, was_played
from stier._imports import path_of
from stier._native import Agent, Game, TabularPolicy, __version__, alternatives, load_agent, load_game, registered_names
from stier.catalogue import describe_agent
from stier.errors import AgentError, ArgumentError
from stier.experiments._pages import Answer, Report, as_file, bars, page, plain, title_of
from stier.playing import AnyAgent, AnyGame, as_agent, is_named, name_in

if TYPE_CHECKING:
    from stier.experiments._store import Store

#: Called with the amount of a task that is done and the total, in any unit.
OnProgress: TypeAlias = Callable[[int, int], object]
#: The times at which a page is written.
PageAfter: TypeAlias = Literal["run", "end", "never"]

#: Keys of every experiment: where its results are written, relative to the file.
OUTPUTS = ("tables", "figures", "page")
#: The key with a table of results that were published before, likewise.
PUBLISHED = "published"
#: The keys of every experiment: its outputs and, in place of what `Plan.tell` says by itself, the parts of its page.
COMMON: dict[str, Any] = {
    **dict.fromkeys(("question", "answer", "title", "about", *OUTPUTS), str),
    "sure": list[str],
}
#: Further keys of experiments with a table of results.
OF_TABLES: dict[str, Any] = {PUBLISHED: str, "names": dict[str, str], "row": list}
#: Before the commit in ``made_by``, for published rows that cannot be made again.
ARCHIVED = "commit "
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
#: Keys with the file of a network.
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
    """Returns hashes of what the keys and agents of an experiment name, by path, for each text that names files.

    These are files of networks and the modules that define agents (see `stier._content.files_of`).
    """
    return {text: found for text, is_file in _texts(described) if (found := contents_of(text, is_file=is_file))}


def _texts(described: Any, key: object = None) -> Iterator[tuple[str, bool]]:
    """Returns the texts of an experiment, and whether each is the path of a network."""
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
        size: The share of the task in the progress, in the unit of the experiment.
        group: Tasks of the same group take about as long.
        what: The work, for the experiment.
    """

    name: str
    key: str
    size: int
    group: object
    what: Any


class Plan(ABC):
    """An experiment: tasks that depend on nothing but its keys, and the page that their rows make.

    A kind of experiment is a subclass, such as `Experiment` for matches in one game. It names its `keys`, makes its
    `tasks` in ``__init__``, plays one of them in `play`, and makes the page in `report`. In a file it is ``kind =
    "module:Class"``, as agents of Python are: modules in the current folder are found, and those beside the file.

    Args:
        given: The keys of the file.

    Raises:
        ArgumentError: Unknown, missing or wrong keys.

    Attributes:
        given: All keys of the file, those with a default as well.
        tasks: The tasks, in the order in which they are played.
    """

    #: The name of the kind in the file.
    kind: ClassVar[str]
    #: The unit of the sizes of tasks.
    unit: ClassVar[str] = "parts"
    #: The time at which `stier run` writes the report: after every run, of a complete experiment only, or never.
    page_after: ClassVar[PageAfter] = "run"

    #: The keys of the file with their types; those with a default are added, with the type that it has.
    keys: ClassVar[Mapping[str, Any]] = {}
    #: Keys with a default may be left out, and these.
    defaults: ClassVar[Mapping[str, Any]] = {}
    optional: ClassVar[Sequence[str]] = ()

    #: The path of the file from which it was read, as it was given.
    file: str | None = None

    given: Mapping[str, Any]
    tasks: Sequence[Task]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        a_list: Any = list
        types: dict[str, Any] = {
            # An empty list is one of texts.
            key: a_list[type([*value, ""][0])] if isinstance(value, list) else type(value)
            for key, value in cls.defaults.items()
        }
        # The types of its own defaults replace inherited types, but not those that the class has written itself.
        inherits = "defaults" in vars(cls) and "keys" not in vars(cls)
        cls.keys = {**cls.keys, **types} if inherits else {**types, **cls.keys}

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = checked({**self.defaults, **given}, {**COMMON, **self.keys}, "", (*COMMON, *self.optional))

    @property
    def outputs(self) -> Mapping[str, str]:
        """Returns the paths of ``tables``, ``figures`` and ``page``, if its keys say where the results belong."""
        return {key: self.given[key] for key in OUTPUTS if key in self.given}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Plan:
        """Makes the experiment from the keys of its file."""
        names = signature(cls).parameters
        if list(names) == ["given"]:
            return cls(given)
        needed = [name for name, one in names.items() if one.default is Parameter.empty]
        values = checked(given, {**COMMON, **cls.keys}, optional={*COMMON, *cls.keys} - {*needed})
        common = {key: values.pop(key) for key in COMMON if key in values}
        if {"seed", "seeds"} <= values.keys():
            raise ArgumentError("give seed or seeds, not both")
        if "seed" in values:
            values["seeds"] = [values.pop("seed")]
        make: Any = cls
        made: Plan = make(**values, page=common)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.settings() == other.settings()

    def __hash__(self) -> int:
        return hash(digest([self.kind, self.settings()]))

    def settings(self) -> dict[str, Any]:
        """Returns the dictionary from which `from_dict` makes the same experiment."""
        return dict(self.given)

    def fixed(self) -> dict[str, Any]:
        """Returns the settings that all experiments in one folder share."""
        return {key: value for key, value in self.settings().items() if key not in COMMON}

    def published(self, missing: Sequence[Task]) -> Iterable[tuple[Task, pa.Table]]:
        """Returns those of the missing tasks whose rows have been published before, with the rows."""
        return ()

    @cached_property
    def contents(self) -> Mapping[str, Mapping[str, str]]:
        """Hashes of the networks whose files the texts name, and of the modules that define the agents."""
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
    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress) -> pa.Table:
        """Plays a task and returns its rows, with the same columns for all tasks.

        Args:
            task: One of `tasks`.
            threads: The number of threads; 0 for all cores.
            work: A folder for checkpoints, which has to be made first.
            on_progress: To be called with the amount that is done and the total, in any unit, at any time or never.
        """

    @abstractmethod
    def report(self, store: Store) -> Report:
        """Evaluates the parts that are there."""

    def tell(self, store: Store, answer: Answer, picture: str) -> tuple[str, str, str, dict[str, Callable[[], Any]]]:
        """Returns question and answer without Markdown, the page, and its figures: that of the answer, and the others.

        The figure of the answer has the name `picture`.

        Its own words replace question, answer, title of the picture and the three sentences. The first of these
        says as well how many parts have not been played yet.
        """
        own, ranked, missing = self.given, answer.ranked(), len(store.missing())
        said, sure = own.get("answer", answer.text()), list(own.get("sure", answer.sure))
        title = title_of(own.get("title", answer.finding()))
        if missing:
            sure[:1] = [" ".join([*sure[:1], f"{missing} of {self.parts()} parts have not been played yet."])]
        draw = answer.picture or (partial(bars, ranked, title, answer.measure) if ranked else None)
        places = "".join(f"- {name}\n" for name in store.machines)
        names = "".join(f"- {name}: `{text}`\n" for text, name in own.get("names", {}).items())
        folded = {"About": own.get("about"), **answer.details, "Names": names, "Machines": places}
        question = own.get("question", answer.question)
        text = page(
            question,
            said,
            picture=self.picture(store, picture, title) if draw else None,
            sure=sure,
            command=f"stier run {self.file}" if self.file else f"stier report {store.folder}",
            details={heading: text for heading, text in folded.items() if text},
        )
        figures = {picture: draw, **answer.figures} if draw else {**answer.figures}
        return plain(question), plain(said), text, figures

    def name(self, agent: str) -> str:
        """Returns the name of an agent on the page: its own by the key ``names``, or its text."""
        return str(self.given.get("names", {}).get(agent, agent))

    def picture(self, store: Store, name: str, title: str) -> str:
        """Returns a figure for the page, by the path from where the page is."""
        tables, figures = (Path(self.outputs.get(key, store.folder / key)) for key in ("tables", "figures"))
        place = Path(self.outputs.get("page", tables / Report.page)).parent
        path = Path(os.path.relpath(figures / f"{name}.png", place)).as_posix()
        return f"![{title}]({path})"


class TablePlan(Plan):
    """An experiment of rows of settings, with a table of results. By ``made_by`` each result says what it depends on.

    The keys of a row of settings stand in a table ``[[row]]``, or at the top of the file for all rows; tables in them
    are merged. Without ``[[row]]`` there is one row. The key ``published`` names a table of results, whose rows are
    taken instead of being made again; those with ``commit …`` in ``made_by`` are kept, whatever the settings are.

    Attributes:
        rows: The rows of settings, each with all keys.
    """

    #: The columns of the table. The last is ``made_by``.
    schema: ClassVar[pa.Schema]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        is_abstract = any(hasattr(method, "__isabstractmethod__") for method in (cls.work, cls.measure))
        if not is_abstract and cls.evaluate is TablePlan.evaluate and cls.report is TablePlan.report:
            raise ArgumentError(f"{cls.__name__} must define evaluate, which returns the answer of its page, or report")
        if not is_abstract and not hasattr(cls, "kind"):
            raise ArgumentError(f"{cls.__name__} must define kind, the name of its results")

    def __init__(self, given: Mapping[str, Any]) -> None:
        known = {**COMMON, **OF_TABLES, **self.keys}
        self.given: Mapping[str, Any] = checked(given, known, optional=known)
        top = {key: value for key, value in given.items() if key in self.keys}
        needed = (key for key in self.keys if key not in {*self.defaults, *top, *self.optional})
        if "row" not in self.given and (key := next(needed, None)) is not None:
            raise ArgumentError(f"{key} is missing: add a table [[row]] with a {key}")
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
        self.tasks: Sequence[Task] = list(made.values())

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
    def measure(
        self, what: Mapping[str, Any], threads: int, work: Path, on_progress: OnProgress
    ) -> list[dict[str, Any]]:
        """Makes the rows of a task, without ``made_by``. See `Plan.play`.

        Changing this method does not invalidate stored rows. Use a new folder after a change.
        """

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress) -> pa.Table:
        """Makes the rows of a task."""
        rows = self.measure(task.what, threads, work, on_progress)
        if unknown := {name for row in rows for name in row}.difference(self.schema.names):
            columns = ", ".join(self.schema.names)
            raise ArgumentError(f"{self.kind}: no column has the name {min(unknown)!r}; columns: {columns}")
        return pa.Table.from_pylist([row | {"made_by": task.what["made_by"]} for row in rows], schema=self.schema)

    def evaluate(self, results: pd.DataFrame) -> Answer:
        """Returns the answer that the table of results gives. A kind has this method or its own `report`."""
        raise NotImplementedError

    def report(self, store: Store) -> Report:
        """Makes the page of the answer."""
        results = self.results(store)
        question, said, text, figures = self.tell(store, self.evaluate(results), self.table)
        return Report(text, {self.table: results}, figures, digits=None, question=question, answer=said)

    def fixed(self) -> dict[str, Any]:
        """Returns nothing: rows of other settings may be in the same folder."""
        return {}

    def published(self, missing: Sequence[Task]) -> Iterable[tuple[Task, pa.Table]]:
        """Returns those of the missing tasks that the table ``published`` answers, with its rows."""
        for task in missing:
            if own := self.earlier.get(task.what["made_by"]):
                yield task, pa.Table.from_pylist(own, schema=self.schema)

    @cached_property
    def earlier(self) -> Mapping[str, list[dict[str, Any]]]:
        """The rows of the table ``published``, by what they were made by."""
        rows: dict[str, list[dict[str, Any]]] = {}
        if PUBLISHED in self.given:
            path, schema = self.given[PUBLISHED], self.schema
            options = ConvertOptions(column_types=schema, include_columns=schema.names)
            try:
                parquet = path.endswith(".parquet")
                found = read_table(path, schema=schema) if parquet else read_csv(path, convert_options=options)
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
        """Returns the table of results, in the order of the tasks, and what was published of earlier commits."""
        earlier = self.earlier if Path(self.given.get(PUBLISHED, "")).is_file() else {}
        kept = [row for made, rows in earlier.items() if made.startswith(ARCHIVED) for row in rows]
        tables = pa.concat_tables([store.to_arrow(), pa.Table.from_pylist(kept, schema=self.schema)])
        return tables.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)


def checked(given: Any, keys: Mapping[str, Any], where: str = "", optional: Iterable[str] = ()) -> dict[str, Any]:
    """Returns a copy of a table of an experiment. Raises `ArgumentError` for unknown, missing and wrong keys.

    The type of a key is one of `TYPES`, a list or table of them such as ``list[str]``, several in a tuple, or
    ``object`` for any.
    """
    if not isinstance(given, Mapping):
        raise ArgumentError(f"{where or 'an experiment '}must be a table, got {given!r}")
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


def with_option(text: str, game: AnyGame, names: Sequence[str], value: int) -> str | None:
    """Returns an agent of a game with a value for the first of these options that it has, or None.

    Raises `AgentError` for one that cannot play the game, or for a value out of range.
    """
    own = [] if is_named(text) else describe_agent(name_in(text)).options
    name = next((name for name in names if name in (option.name for option in own)), None)
    if name is None:
        if not was_played(text):
            as_agent(text, as_game(game))
        return None
    # An agent that was played may name the file of a network that is gone.
    return text if was_played(text) else load_agent(text, game, **{name: value}).spec
