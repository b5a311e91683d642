"""The folder of an experiment: ``experiment.json`` and ``games/part-*.parquet``, to which parts are only ever added."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from stier._files import remove_unfinished, write_bytes, write_text
from stier.errors import ArgumentError, FileError
from stier.experiments._parts import SCHEMA, encode
from stier.experiments._spec import Experiment, from_dict


class Games:
    """The games of an experiment, as far as they have been played; made by `run` and `load`.

    Attributes:
        experiment: The experiment.
        folder: Where it is kept.
    """

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        self.experiment = experiment
        self.folder = folder

    def __repr__(self) -> str:
        done, parts = self.experiment.parts() - len(self.missing()), self.experiment.parts()
        return f"<stier.experiments.Games in {self.folder}: {done} of {parts} parts>"

    @property
    def complete(self) -> bool:
        """Whether all games have been played."""
        return not self.missing()

    def missing(self) -> list[int]:
        """The numbers of the parts that have not been played."""
        there = {path.name for path in (self.folder / "games").glob("part-*.parquet")}
        return [number for number in range(self.experiment.parts()) if self.path(number).name not in there]

    def path(self, number: int) -> Path:
        """The file of a part."""
        return self.folder / "games" / f"part-{number:06}.parquet"

    def keep(self, number: int, table: pa.Table) -> None:
        """Write a part."""
        write_bytes(self.path(number), encode(self.experiment, table))

    def to_arrow(self) -> pa.Table:
        """All games that are there, one row each, by part: a `pyarrow.Table`.

        Columns: ``rules`` (the game as text), ``seed``, ``pairing`` (its number), ``deal`` (games with the same seed
        and deal had the same cards), ``names`` and ``agents`` (names and texts by seat), ``actions`` (all events,
        chance included), ``returns`` (by seat).

        Raises:
            ValueError: A file that is not a part of this experiment, which is named.
        """
        missing = set(self.missing())
        parts = [self.part(number) for number in range(self.experiment.parts()) if number not in missing]
        return pa.concat_tables([SCHEMA.empty_table(), *parts])

    def part(self, number: int) -> pa.Table:
        """The games of one part (see `to_arrow`)."""
        path = self.path(number)
        try:
            table = pq.read_table(path, partitioning=None)
        except pa.ArrowInvalid as error:
            raise ArgumentError(f"{path} cannot be read: {error}; delete it, and it is played again") from None
        made_by = (table.schema.metadata or {}).get(b"stier.experiment", b"").decode()
        if made_by != self.experiment.hash():
            raise ArgumentError(f"{path} is of another experiment: delete it, and it is played again")
        return table.replace_schema_metadata(None)

    def to_pandas(self) -> pd.DataFrame:
        """What `to_arrow` has, as a `pandas.DataFrame`."""
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame


def manifest(folder: Path) -> Path:
    """The file that says what is in a folder."""
    return folder / "experiment.json"


def load(folder: str | Path) -> Games:
    """Read what `run` has kept in a folder, whether it came to its end or not.

    Raises:
        FileError: There is no experiment.
        ValueError: It was made by another version, or is not readable.
    """
    folder = Path(folder)
    noted = _noted(folder)
    if noted is None:
        raise FileError(f"{folder} has no experiment: there is no {manifest(folder).name}")
    given = {key: value for key, value in noted.items() if key not in ("format", "version", "hash")}
    experiment = from_dict(given)
    _compare(folder, noted, experiment)
    return Games(experiment, folder)


def begin(experiment: Experiment, folder: Path) -> Games:
    """Make a folder ready to be played in, or to be gone on with."""
    noted = _noted(folder)
    if noted is not None:
        _compare(folder, noted, experiment)
        _extend(folder, int(noted["deals"]), experiment)
    elif any((folder / "games").glob("part-*.parquet")):
        raise ArgumentError(f"{folder} has games of an unknown experiment: choose another folder, or delete it")
    (folder / "games").mkdir(parents=True, exist_ok=True)
    remove_unfinished(folder)
    remove_unfinished(folder / "games")
    described = {**experiment.settings(), "deals": experiment.deals, "hash": experiment.hash()}
    write_text(manifest(folder), json.dumps(described, indent=1, ensure_ascii=False) + "\n")
    return Games(experiment, folder)


def _noted(folder: Path) -> dict[str, Any] | None:
    """What the manifest says."""
    path = manifest(folder)
    try:
        noted = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except json.JSONDecodeError as error:
        raise ArgumentError(f"{path} cannot be read: {error}") from None
    if not isinstance(noted, dict) or not isinstance(noted.get("deals"), int):
        raise ArgumentError(f"{path} does not describe an experiment")
    return noted


def _compare(folder: Path, there: dict[str, Any], experiment: Experiment) -> None:
    """Refuse the folder of another experiment."""
    here = experiment.settings()
    keys = [key for key in here if there.get(key) != here[key]]
    if keys or there.get("hash") != experiment.hash():
        differences = "; ".join(f"{key}: {there.get(key)} there, {here[key]} here" for key in keys) or "its hash"
        raise ArgumentError(f"{folder} has another experiment ({differences}): choose another folder, or delete it")


def _extend(folder: Path, there: int, experiment: Experiment) -> None:
    """More deals may follow full parts; fewer never."""
    here, size = experiment.deals, experiment.deals_per_part
    if here < there:
        raise ArgumentError(f"{folder} has an experiment of {there} deals: deals must be at least as many, got {here}")
    if here > there and there % size:
        raise ArgumentError(
            f"{folder} has {there} deals, the last part not full: they can only grow from a multiple of "
            f"deals_per_part, which is {size}"
        )
