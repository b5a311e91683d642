"""Files that are there whole or not at all."""

from __future__ import annotations

import csv
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from stier.errors import FileError

#: The suffix of a file while it is being written.
UNFINISHED = ".new"

_calls = count()


def as_path(path: str | os.PathLike[str]) -> Path:
    """Returns a path with ``~`` in its place: that of the user's folder."""
    # As it is for an unknown user, where Path.expanduser raises.
    return Path(os.path.expanduser(os.fspath(path)))  # noqa: PTH111


def regular(path: str | os.PathLike[str]) -> Path:
    """Returns the file that is read and written at a path. Raises `FileError` for a device or a pipe."""
    path = as_path(path)
    if _is_stream(path) and not path.is_dir():
        raise FileError(f"{path}: must be a regular file, since it is read again")
    return _target(path)


def check_writable(path: Path) -> None:
    """Raises `FileError` for a file that cannot be written. Call it before work whose result goes there."""
    path = as_path(path)
    if path.is_dir():
        raise FileError(f"{path}: this is a folder; give the name of a file")
    if _is_stream(path):
        if not os.access(path, os.W_OK):
            raise FileError(f"{path}: cannot be written to")
        return
    folder = _target(path).absolute().parent
    shown = path.parent if folder == path.absolute().parent else folder
    if not folder.is_dir():
        raise FileError(f"{path}: there is no folder {shown}")
    if not os.access(folder, os.W_OK):
        raise FileError(f"{path}: the folder {shown} cannot be written to")


def write(path: Path, make: Callable[[Path], object]) -> None:
    """Writes a file that is there whole or not at all. Raises `FileError`, about `path`, if it cannot be written.

    `make` writes the content to the path that it is given. A link stays, and the file that it leads to is written. What
    is not a file, such as a device or a pipe, is written to when the content is complete.
    """
    path = as_path(path)
    place = _poured(path) if _is_stream(path) else _replaced(_target(path))
    temporary = None
    try:
        with place as temporary:
            make(temporary)
    except OSError as error:
        named = error.filename if isinstance(error.filename, str) and error.filename != str(temporary) else str(path)
        if error.strerror is not None:
            raise FileError(error.errno, error.strerror, named) from error
        text = str(error).replace(str(temporary), str(path))
        raise FileError(text if str(path) in text else f"{path}: {text}") from error


def _is_stream(path: Path) -> bool:
    """Returns true for devices, pipes and the standard streams, whatever these are."""
    try:
        found = path.stat()
    except OSError:
        return False
    return not stat.S_ISREG(found.st_mode) or _descriptor(found) is not None


def _descriptor(file: os.stat_result) -> int | None:
    """Returns the descriptor of the standard output or error if it is this file."""
    for number in (1, 2):
        with suppress(OSError):
            if os.path.samestat(file, os.fstat(number)):
                return number
    return None


def _target(path: Path) -> Path:
    """Returns the path itself, or the one that a link leads to."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


@contextmanager
def _poured(path: Path) -> Iterator[Path]:
    """Yields the path of a file, whose content is written to a stream then."""
    with tempfile.TemporaryDirectory() as folder:
        complete = Path(folder) / path.name
        yield complete
        number = _descriptor(path.stat())
        for stream in (sys.stdout, sys.stderr):
            if number is not None and stream is not None:
                stream.flush()
        out = path.open("wb") if number is None else os.fdopen(os.dup(number), "wb")
        with complete.open("rb") as content, out:
            shutil.copyfileobj(content, out)


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """Yields the path of a file that takes the place of another one then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Unlike any other call's name, in this process and in others.
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{next(_calls)}{UNFINISHED}")
    try:
        yield temporary
        with suppress(FileNotFoundError):
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def write_csv(path: Path, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    def make(temporary: Path) -> None:
        with temporary.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head, *rows])

    write(path, make)


def write_text(path: Path, text: str) -> None:
    write(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Writes bytes that are there whole or not at all, even if the machine stops right after."""

    def make(temporary: Path) -> None:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    write(path, make)
