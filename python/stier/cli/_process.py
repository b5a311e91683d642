"""The process of the command line: its standard streams and its end."""

from __future__ import annotations

import atexit
import codecs
import io
import os
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path

#: The exit code of an error.
FAILED = 1
#: The error handler of the standard output, which writes these for characters that the encoding lacks.
_PLAIN = "stier.plain"
_ALIKE = {
    **dict.fromkeys("─━–—−", "-"),  # noqa: RUF001
    **dict.fromkeys("│┃", "|"),
    **dict.fromkeys("╭╮╰╯┏┓┗┛", "+"),
    **dict.fromkeys("█▉▊▋▌▓", "#"),
    **dict.fromkeys("▍▎▏░▒", ":"),
    **dict.fromkeys("‘’", "'"),  # noqa: RUF001
    **dict.fromkeys("“”", '"'),
    **dict(zip("±·●•▶◀µ≤≥→←×", ["+-", ".", "o", "*", ">", "<", "u", "<=", ">=", "->", "<-", "x"], strict=True)),  # noqa: RUF001
}


class OutputError(OSError):
    """An error of writing to the standard output."""


class _Output(io.TextIOWrapper):
    """The standard output, whose errors can be told from those of files."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError as error:
            raise OutputError(error.errno, error.strerror, "standard output") from error

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise OutputError(error.errno, error.strerror, "standard output") from error


def say(text: str) -> None:
    """Prints a line of the program on the standard error, as far as that can be written to."""
    with suppress(OSError):
        print(f"stier: {text}", file=sys.stderr, flush=True)


def end() -> None:
    """Does what Python does at its end, but for what can crash while threads of libraries still compute."""
    # Ctrl-C can come while there is no standard output, or while `set_streams` replaces it.
    with suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
    atexit._run_exitfuncs()


def set_streams() -> bool:
    """Sets the standard streams, so that no text ends a command. Returns False without a standard output."""
    # A file that is opened later would take the place of a closed stream.
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        say("standard output is closed")
        return False
    codecs.register_error(_PLAIN, _plain)
    for stream in (sys.stdin, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if stream is sys.stdin else "backslashreplace")
    if isinstance(sys.stdout, io.TextIOWrapper):
        encoding, lines, through = sys.stdout.encoding, sys.stdout.line_buffering, sys.stdout.write_through
        sys.stdout = _Output(sys.stdout.detach(), encoding, _PLAIN, line_buffering=lines, write_through=through)
    return True


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Replaces the first character that an encoding lacks by others that look like it, or by a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    parts = unicodedata.normalize("NFKD", character)
    base = "".join(part for part in parts if part.isascii())
    return _ALIKE.get(character) or base or "?", error.start + 1


def discard_output() -> None:
    """Discards what cannot be written to the standard output, so that the end of the process does not try again."""
    with suppress(OSError, io.UnsupportedOperation):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
