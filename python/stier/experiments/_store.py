"""The folder of an experiment: one SQLite database with its results, and a checksum for everything in it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import stier
from stier._files import write
from stier.errors import ArgumentError, FileError
from stier.experiments._plans import FORMAT, Plan, Task

#: The database, and the file that is locked while its parts are played.
FILE, LOCK = "experiment.sqlite", "experiment.lock"
#: Keys of what is kept beside the parts.
MANIFEST, HOLDER = "experiment", "holder"
#: Seconds to wait for another process that reads or writes, and for one that plays.
PATIENCE, BRIEFLY = 60.0, 0.5
#: Errors of SQLite about the file rather than about its content, by a word in their text.
ABOUT_FILE = ("full", "locked", "open", "I/O", "readonly")
TABLE = """
CREATE TABLE IF NOT EXISTS kept
(key TEXT PRIMARY KEY NOT NULL, machine TEXT NOT NULL, checksum BLOB NOT NULL, content BLOB NOT NULL)
"""


class Database:
    """The database in a folder. What is kept in it is checked once: when it is opened, or when it is first read.

    What is written at once is there whole or not at all. The journal is SQLite's rollback journal, not its write-ahead
    log: it needs memory that processes share, which network file systems do not have.

    Attributes:
        folder: The folder.
        sound: The keys of what has been checked.
    """

    def __init__(self, folder: Path, sound: Iterable[str] = ()) -> None:
        self.folder = folder
        self.sound = set(sound)
        self._path = folder / FILE

    def open(self) -> dict[str, Any] | None:
        """Checks everything that is kept and returns the manifest; None in a folder without an experiment."""
        if not self._is_there():
            return None
        self._check()
        manifest: dict[str, Any] = json.loads(self._read([MANIFEST])[0])
        return manifest

    def _is_there(self) -> bool:
        # A process that was killed at its first write leaves an empty file.
        return self._path.is_file() and self._path.stat().st_size > 0

    @contextmanager
    def _connected(self, mode: str = "rw") -> Iterator[sqlite3.Connection]:
        """Opens the database. Errors of SQLite become `FileError` and `ArgumentError`."""
        uri = f"{self._path.absolute().as_uri()}?mode={mode}"
        try:
            with closing(sqlite3.connect(uri, PATIENCE, isolation_level=None, uri=True)) as connection:
                yield connection
        except sqlite3.Error as error:
            if any(word in str(error) for word in ABOUT_FILE):
                raise FileError(f"{self._path}: {error}") from None
            raise self._damaged(str(error)) from None

    def _damaged(self, what: str) -> ArgumentError:
        return ArgumentError(f"{self._path} is damaged ({what}): restore it, or delete it and play everything again")

    def _select(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        if not self._is_there():
            return []
        with self._connected() as connection:
            return connection.execute(query, values).fetchall()

    def _read(self, keys: Sequence[str]) -> list[bytes]:
        """Returns what is kept under the keys."""
        contents: list[bytes] = []
        if not keys:
            return contents
        with self._connected() as connection:
            for key in keys:
                query = "SELECT key, machine, content, checksum FROM kept WHERE key = ?"
                if (row := connection.execute(query, (key,)).fetchone()) is None:
                    raise ArgumentError(f"{self._path} does not contain {key!r}: it has not been played yet")
                contents.append(row[2] if key in self.sound else self._checked(*row))
        return contents

    def _write(self, contents: Iterable[tuple[str, bytes]], machine: str = "") -> None:
        """Writes contents by key, instead of those that have the same keys."""
        self.folder.mkdir(parents=True, exist_ok=True)
        rows = [(key, machine, content, _checksum(key, machine, content)) for key, content in contents]
        self.sound -= {key for key, *_ in rows}
        with self._connected("rwc") as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(TABLE)
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.executemany("REPLACE INTO kept (key, machine, content, checksum) VALUES (?, ?, ?, ?)", rows)

    def _check(self) -> None:
        """Reads everything once. Raises `ArgumentError` if a byte of it has changed, or for another format."""
        with self._connected() as connection:
            if (found := connection.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
                raise self._damaged(found.strip().splitlines()[-1])
            if (number := connection.execute("PRAGMA user_version").fetchone()[0]) != FORMAT:
                raise ArgumentError(f"{self._path} is not an experiment in format {FORMAT}, but in format {number}")
            for row in connection.execute("SELECT key, machine, content, checksum FROM kept"):
                self._checked(*row)

    def _checked(self, key: object, machine: object, content: object, checksum: object) -> bytes:
        if not isinstance(content, bytes) or checksum != _checksum(key, machine, content):
            raise self._damaged(f"the checksum of {key!r} does not fit")
        self.sound.add(str(key))
        return content


class Store(Database):
    """The folder of an experiment with the parts played so far; made by `run` and `load`.

    Attributes:
        experiment: The experiment.
        folder: The folder.
    """

    def __init__(self, experiment: Plan, folder: Path, sound: Iterable[str] = ()) -> None:
        super().__init__(folder, sound)
        self.experiment = experiment

    def __repr__(self) -> str:
        parts = self.experiment.parts()
        try:
            found = f"{parts - len(self.missing())} of {parts} parts"
        except (ArgumentError, OSError):
            found = f"{parts} parts, whose database cannot be read"
        return f"<stier.experiments.Store in {self.folder}: {found}>"

    @property
    def complete(self) -> bool:
        """Returns true if all parts have been played."""
        return not self.missing()

    def missing(self) -> list[int]:
        """Returns the numbers of the parts that have not been played."""
        there = {key for (key,) in self._select("SELECT key FROM kept")}
        return [number for number in range(self.experiment.parts()) if self.experiment.task(number).key not in there]

    def work(self, task: Task) -> Path:
        """Returns the folder for checkpoints and other files of a task."""
        return self.folder / "work" / task.name

    def keep(self, number: int, table: pa.Table, machine: str) -> None:
        """Writes a part that was played on a machine, as `machine` names it."""
        self._write([(self.experiment.task(number).key, _encode(table))], machine)

    def part(self, number: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Returns the rows of one part, or some of its columns. Raises `ArgumentError` if it has not been played."""
        return self.tables([number], columns)[0]

    def tables(self, numbers: Sequence[int], columns: Sequence[str] | None = None) -> list[pa.Table]:
        """Returns the rows of several parts, as `part` does."""
        keys = [self.experiment.task(number).key for number in numbers]
        tables = [_decode(content) for content in self._read(keys)]
        return tables if columns is None else [table.select(list(columns)) for table in tables]

    def to_arrow(self) -> pa.Table:
        """Returns the rows of all parts that are there, in order: a `pyarrow.Table`.

        For matches there is a row for each game: ``rules`` (the game as text), ``seed``, ``pairing`` (its number),
        ``deal`` (games with the same seed and deal had the same cards), ``names`` and ``agents`` (names and texts by
        seat), ``actions`` (all events, chance included), ``returns`` (by seat).

        Raises:
            ArgumentError: The database is damaged.
        """
        missing = set(self.missing())
        tables = self.tables([number for number in range(self.experiment.parts()) if number not in missing])
        return pa.concat_tables(tables or [getattr(self.experiment, "schema", pa.schema([])).empty_table()])

    def to_pandas(self) -> pd.DataFrame:
        """Returns the rows of `to_arrow` as a `pandas.DataFrame`."""
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def save(self, path: str | Path) -> None:
        """Writes the rows of `to_arrow` to a Parquet file. Equal rows give equal files."""
        write(Path(path), partial(pq.write_table, self.to_arrow().combine_chunks(), compression="zstd"))

    @property
    def machines(self) -> list[str]:
        """Returns the machines, with the version of stier, on which parts were played."""
        query = "SELECT machine FROM kept WHERE machine != '' GROUP BY machine ORDER BY MIN(rowid)"
        return [machine for (machine,) in self._select(query)]

    def note(self, manifest: dict[str, Any]) -> None:
        """Writes the manifest."""
        self._write([(MANIFEST, json.dumps(manifest, ensure_ascii=False).encode())])

    def take(self, published: Iterable[tuple[Task, pa.Table]]) -> None:
        """Writes parts that have been published before, all or none."""
        if parts := [(task.key, _encode(table)) for task, table in published]:
            self._write(parts)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps others from playing in the folder meanwhile; readers may read. The lock ends with the process.

        Raises:
            FileError: Another process plays. The message names it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / LOCK
        try:
            with closing(sqlite3.connect(path, BRIEFLY, isolation_level=None)) as connection:
                connection.execute("BEGIN EXCLUSIVE")
                yield
        except sqlite3.Error as error:
            if "locked" not in str(error):
                raise FileError(f"{path}: {error}") from None
            found = self._select("SELECT content FROM kept WHERE key = ?", HOLDER)
            holder = found[0][0].decode() if found else "another process"
            raise FileError(f"{self.folder} is in use by {holder}: wait, or choose another folder") from None

    def hold(self) -> None:
        """Writes who plays, for those who try to."""
        now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
        self._write([(HOLDER, f"process {os.getpid()} on {platform.node()} since {now}".encode())])


def _checksum(key: object, machine: object, content: bytes) -> bytes:
    return hashlib.sha256(json.dumps([str(key), str(machine)]).encode() + content).digest()


def _encode(table: pa.Table) -> bytes:
    """Returns a table as a compressed Arrow stream. Equal tables give equal bytes, for one version of pyarrow."""
    sink, table = pa.BufferOutputStream(), table.replace_schema_metadata(None).combine_chunks()
    with pa.CompressedOutputStream(sink, "zstd") as compressed, pa.ipc.new_stream(compressed, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _decode(content: bytes) -> pa.Table:
    with pa.ipc.open_stream(pa.CompressedInputStream(pa.py_buffer(content), "zstd")) as reader:
        return reader.read_all()


def machine() -> str:
    """Returns the processor, the number of cores and the version of stier."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    name = f"{names[0]}, {len(names)} cores" if names else platform.machine()
    return f"{name}, stier {stier.__version__}"
