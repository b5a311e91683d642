"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

from stier.errors import FileError

#: The suffix of a file while it is being written.
UNFINISHED = ".new"

_calls = count()


def check_writable(path: Path) -> None:
    """Raises `FileError` for a file that cannot be written. Call it before work whose result goes there."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise FileError(f"{path}: there is no folder {path.parent}")
    if path.is_dir():
        raise FileError(f"{path}: is a folder, give the name of a file")
    if not os.access(folder, os.W_OK):
        raise FileError(f"{path}: the folder {path.parent} cannot be written to")


def write(path: Path, make: Callable[[Path], object]) -> None:
    """Writes a file that is there whole or not at all. Raises `FileError`, about `path`, if it cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Unlike any other call's name, in this process and in others.
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{next(_calls)}{UNFINISHED}")
    try:
        make(temporary)
        temporary.replace(path)
    except OSError as error:
        if error.filename != str(temporary):
            raise
        raise FileError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def write_text(path: Path, text: str) -> None:
    """Writes a text that is there whole or not at all."""
    write(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Writes bytes that are there whole or not at all, even if the machine stops right after."""

    def make(temporary: Path) -> None:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    write(path, make)
