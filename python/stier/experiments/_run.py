"""One way to play every experiment: its folder, and its missing parts, played here or on a Ray cluster."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, nullcontext
from importlib.resources import files
from inspect import isabstract
from pathlib import Path
from typing import Any

import pyarrow as pa

import stier
from stier import _arguments, _imports
from stier._content import as_played
from stier._files import as_path
from stier._output import Update, bar
from stier.errors import ArgumentError, ChangedWarning, FileError
from stier.experiments._pages import Report
from stier.experiments._plans import OUTPUTS, PUBLISHED, Plan, TablePlan
from stier.experiments._store import FILE, Database, Store, machine
from stier.experiments.exploitability import Exploitability
from stier.experiments.matches import Experiment
from stier.experiments.suite import Suite
from stier.experiments.training import Training

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: The classes of the kinds of experiments, by their names.
KINDS: dict[str, type[Plan]] = {one.kind: one for one in (Experiment, Suite, Exploitability, Training)}


def load(folder: str | Path) -> Store:
    """Reads the results of `run`, complete or not, from a folder; for a TOML file, from ``out/NAME``.

    Raises:
        FileError: The folder has no experiment.
        ArgumentError: It is of another version of stier, or damaged.

    Warns:
        ChangedWarning: The file of a network has changed since, or the module of an agent or a game. The results are
            those from before; to play on, restore it.
    """
    path = as_path(folder)
    folder = Path("out") / path.stem if path.is_file() else path
    database = Database(folder)
    noted = database.open()
    if noted is None:
        if path.is_file():
            return begin(read(path), folder)
        raise FileError(f"{folder} does not contain an experiment, since {FILE} is missing")
    _compare(folder, noted["fixed"], {"version": stier.__version__})
    with as_played(noted.get("contents", {})):
        if path.is_file():
            store = begin(read(path), folder)
        else:
            beside = noted.get("beside")
            plan = from_dict(noted["experiment"], None if beside is None else Path(beside))
            store = Store(plan, folder, database.sound)
            store.experiment.file = noted.get("file")
            _compare(folder, noted["fixed"], _fixed(store.experiment))
    if changed := store.experiment.changed():
        have = "has" if len(changed) == 1 else "have"
        about = f"{', '.join(changed)} {have} changed since {folder} was played; these are the results from before"
        warnings.warn(about, ChangedWarning, stacklevel=2)
    return store


def begin(experiment: Plan, folder: Path) -> Store:
    """Prepares a folder for the experiment, or for the rest of it."""
    store = Store(experiment, folder)
    noted = store.open()
    described = {
        "fixed": _fixed(experiment),
        "experiment": json.loads(json.dumps({"kind": _name_of(experiment), **experiment.settings()})),
        "beside": _folder_of(experiment),
        "source": None if _name_of(experiment) in KINDS else _imports.source(type(experiment).__module__),
        "file": experiment.file,
        "contents": dict(experiment.contents),
    }
    if noted is not None:
        _compare(folder, noted["fixed"], described["fixed"])
        if noted.get("source", described["source"]) != described["source"]:
            own = f"module {type(experiment).__module__} has changed since {folder} was played"
            warnings.warn(
                f"{own}; the rows there are kept: to play them again, delete it", ChangedWarning, stacklevel=3
            )
    if noted != described:
        store.note(described)
    store.take(experiment.published([experiment.task(number) for number in store.missing()]))
    return store


def _name_of(plan: Plan) -> str:
    """Returns the kind of an experiment as a file names it."""
    own = type(plan)
    return plan.kind if plan.kind in KINDS and plan_of(plan.kind) is own else f"{own.__module__}:{own.__qualname__}"


def _folder_of(plan: Plan) -> str | None:
    """Returns the folder in which the module of a kind of one's own is; None for the others."""
    module = type(plan).__module__
    file = None if _name_of(plan) in KINDS else getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return None
    path = Path(file).absolute()
    return str((path.parent if path.stem == "__init__" else path).parents[module.count(".")])


def _fixed(plan: Plan) -> dict[str, Any]:
    """Returns what all parts in a folder have in common, as JSON has it."""
    contents = {f"content of {path}": content for path, content in plan.networks.items()}
    # Experiments with tables may grow: there, a task with another network is another part.
    shared = {} if isinstance(plan, TablePlan) else contents
    fixed = {"version": stier.__version__, "kind": plan.kind, **plan.fixed(), **shared}
    return dict(json.loads(json.dumps(fixed)))


def _compare(folder: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Raises `ArgumentError` if the folder has another experiment."""
    others = {
        key: f"{key}: {there[key]} there, {here[key]} here" for key in here if there.get(key, here[key]) != here[key]
    }
    if others:
        told = "; ".join(text if len(text) <= 60 else f"other {key}" for key, text in others.items())
        raise ArgumentError(f"{folder} has another experiment ({told}): choose another folder, or delete it")


def read(path: str | Path) -> Any:
    """Reads an experiment from a TOML file.

    The key ``kind`` says which one it is. If it is left out, it is ``suite`` with the key ``games``, and ``matches``
    otherwise. The keys of both are the arguments of `Suite` and `Experiment`, and ``seed``, which is short for one of
    ``seeds``.

    Raises:
        FileNotFoundError: The file does not exist.
        ArgumentError: It is not TOML, or has unknown, missing or wrong keys. The error names the file.
    """
    path = as_path(path)
    try:
        try:
            given = tomllib.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise ArgumentError(f"this is not a TOML file: {error}") from None
        placed = {key: given[key] for key in (*OUTPUTS, PUBLISHED) if isinstance(given.get(key), str)}
        places = {key: str((path.parent / as_path(name)).resolve()) for key, name in placed.items()}
        plan = from_dict({**given, **places}, path.parent)
        plan.file = path.as_posix()
        return plan
    except ValueError as error:
        raise ArgumentError(f"{path}: {error}") from None


def from_dict(given: Mapping[str, Any], beside: Path | None = None) -> Plan:
    """Makes an experiment from the keys of its file, whose folder may have the module of its kind."""
    values = dict(given)
    kind = values.pop("kind", "suite" if "games" in values else "matches")
    try:
        return plan_of(kind, beside).from_dict(values)
    except ArgumentError as error:
        if "kind" in given:
            raise
        others = ", ".join(one for one in KINDS if one != kind)
        raise ArgumentError(f"{error} (without kind it is read as {kind}; other kinds: {others})") from None


def plan_of(kind: object, beside: Path | None = None) -> type[Plan]:
    """Returns the class of a kind of experiments. Raises `ArgumentError` for an unknown kind."""
    if isinstance(kind, str) and kind not in KINDS and _imports.is_path(kind):
        own: type[Plan] = _imports.load(kind, beside=beside)
        if not (isinstance(own, type) and issubclass(own, Plan)):
            raise ArgumentError(f"{kind} must be a subclass of stier.experiments.Plan, got {own!r}")
        if isabstract(own):
            raise ArgumentError(f"{kind} does not define {', '.join(sorted(own.__abstractmethods__))}")
        return own
    return KINDS[_arguments.known("kind", str(kind), KINDS)]


def example(kind: str) -> str:
    """Returns an experiment of a kind as a TOML file, with all its keys and what they mean.

    Keys that may be left out are comments, with their defaults if they have one.

    Raises:
        ArgumentError: An unknown kind, or one of your own, which has no example.
    """
    own = plan_of(kind)
    if kind not in KINDS:
        keys = f"; keys: {', '.join(own.keys)}" if own.keys else ""
        raise ArgumentError(f"{kind} has no example{keys}; kinds with an example: {', '.join(KINDS)}")
    return (files("stier.experiments") / "examples" / f"{kind}.toml").read_text("utf-8")


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

    Parts are kept in one SQLite database in the folder, ``experiment.sqlite``, each in a transaction of its own. Killed
    at any moment, the same call continues, and ends with the same rows. They depend on the experiment, on the content
    of the networks that it names, and on the version of stier, but not on threads, cluster or interruptions; only
    measured times and agents with a budget of time differ. Matches with more or fewer deals use the parts that are in
    the folder. One process at a time plays in a folder; others can read it meanwhile.

    Args:
        experiment: The experiment, or its TOML file.
        out: The folder; if left out, ``out/NAME`` for a file ``NAME.toml``.
        threads: Threads; 0 for all cores. Not for a cluster.
        ray: The address of a Ray cluster: ``auto`` finds the one on this machine, ``local`` starts one, ``HOST:PORT``
            joins another. Tasks of half a second or more go to its nodes, which need the same version of stier and the
            same files of networks; the parts are written here. A task whose node is lost is played again. Checkpoints
            of training and solvers are in the same folder on the node.
        minutes: The time after which no further part is kept, 0 or more, if the experiment has not ended before.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        ArgumentError: A wrong experiment, or a folder of another one, or the file of a network changes meanwhile, or a
            number of minutes is below 0 or not finite.
        FileError: Another process plays in the folder, or it cannot be written.
        ConnectionError: No cluster answers at the address.
    """
    minutes = None if minutes is None else _arguments.number("minutes", minutes, 0)
    if isinstance(experiment, Plan):
        plan = experiment
    else:
        plan, out = read(experiment), Path("out") / Path(experiment).stem if out is None else out
    if out is None:
        raise ArgumentError("out must be the folder of the results, got None")
    folder, threads = as_path(out), _arguments.threads(threads)
    if ray is not None and threads != 0:
        raise ArgumentError("on a cluster each task has one thread: give threads or ray, not both")
    begun = time.monotonic()
    with _telling(Store(plan, folder), out) if progress else nullcontext(), ExitStack() as stack:
        stack.enter_context(Store(plan, folder).locked())
        plan.check_networks()
        store = begin(plan, folder)
        store.hold()
        tell = _teller(store, stack.enter_context(bar(progress, plan.unit)))
        if ray is None:
            parts = _here(store, threads, tell)
        else:
            from stier.experiments._ray import on_cluster

            parts = on_cluster(store, ray)
        for number, table, where in stack.enter_context(closing(parts)):
            plan.check_networks()
            store.keep(number, table, where)
            tell(plan.task(number).size, 0)
            if minutes is not None and time.monotonic() - begun > 60 * minutes:
                break
    return store


@contextmanager
def _telling(store: Store, out: str | Path) -> Iterator[None]:
    """Tells after an interrupt what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        parts = store.experiment.parts()
        kept = f"{parts - len(store.missing())} of {parts} parts are in {out}, and the same command continues"
        print(f"stopped: {kept}", file=sys.stderr, flush=True)
        raise


def _teller(store: Store, update: Update) -> Callable[[int, int], None]:
    """Returns a function that shows the finished work: it adds a finished task, and so much of one that is played."""
    plan = store.experiment
    total = sum(plan.task(number).size for number in range(plan.parts()))
    done = total - sum(plan.task(number).size for number in store.missing())

    def tell(finished: int, begun: int) -> None:
        nonlocal done
        done += finished
        update(done + begun, total)

    tell(0, 0)
    return tell


def _here(store: Store, threads: int, tell: Callable[[int, int], None]) -> Generator[tuple[int, pa.Table, str]]:
    """Plays the missing parts, one after another, each on all threads."""
    here = machine()
    for number in store.missing():
        task = store.experiment.task(number)

        def on_progress(done: int, total: int, size: int = task.size) -> None:
            tell(0, size * done // max(1, total))

        yield number, store.experiment.play(task, threads, store.work(task), on_progress), here


def report(store: Store | str | Path, **options: Any) -> Any:
    """Evaluates the parts that are there.

    Args:
        store: The result of `run` or `load`, or a folder or file as for `load`.
        options: For matches ``resamples``, those of the ratings' bootstrap: for two players at least 100, and 1,000 if
            left out; for more at least 2, and 50 if left out.

    Raises:
        FileError: The folder has no experiment.
        ArgumentError: Nothing has been played yet, or a file is not of this experiment.
    """
    store = store if isinstance(store, Store) else load(store)
    return store.experiment.report(store, **options)


def publish(store: Store, tables: Path | None = None, figures: Path | None = None) -> tuple[Report, Path, Path]:
    """Writes tables and page of the report where they belong by the arguments, the experiment, or else in the folder.

    Returns the report and the folders of the tables and figures. The caller draws the figures.
    """
    found: Report = report(store)
    own = store.experiment.outputs
    tables = tables or Path(own.get("tables", store.folder / "tables"))
    found.save(tables, own.get("page"))
    return found, tables, figures or Path(own.get("figures", store.folder / "figures"))
