"""The parts that commands share: examples in their help, ``--debug``, exit codes, and output."""

from __future__ import annotations

import json
import math
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import click

import stier
from stier._output import first_sentence
from stier.cli._interrupts import interrupts
from stier.cli._process import FAILED, OutputError, say
from stier.errors import AgentError, ArgumentError, MissingExtraError, RulesError, SeatError, StierError

#: The exit code of wrong arguments.
BAD_ARGUMENTS = 2
#: Errors about a name or a value, rather than about a file or an installation.
_ABOUT_ARGUMENTS = (AgentError, ArgumentError, RulesError, SeatError)
_DEBUG = "stier.debug"
#: A limit that nobody meets, in an error about a number.
_BETWEEN = re.compile(r"must be between (-?\d+) and \d{7,}, got (-?\d+)\b(?!\.)")
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110, "show_default": True}


def exit_code(error: StierError | OSError) -> int:
    return BAD_ARGUMENTS if isinstance(error, _ABOUT_ARGUMENTS) else FAILED


class _Documented(click.Command):
    """A command or group with ``--debug``, and with examples at the end of its help."""

    def __init__(
        self, *arguments: Any, examples: Sequence[str], more_help: Callable[[], str] | None = None, **settings: Any
    ) -> None:
        super().__init__(*arguments, **{"context_settings": _SETTINGS, **settings})
        self.examples: list[str] = list(examples)
        self._more_help = more_help
        about = "Show the traceback of an error."
        debug = click.Option(["--debug"], is_flag=True, expose_value=False, callback=_note_debug, help=about)
        self.params.append(debug)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples, one line each, and further help that is only made on request."""
        if self._more_help is not None:
            formatter.write(self._more_help())
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")


def _note_debug(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.meta[_DEBUG] = True


class Command(_Documented):
    """A command whose errors become one line on the standard error and an exit code."""

    def invoke(self, ctx: click.Context) -> int:
        try:
            return int(super().invoke(ctx) or 0)
        except (StierError, OSError) as error:
            if interrupts.noticed:
                raise KeyboardInterrupt from error
            if not isinstance(error, StierError) and not _is_named(error, ctx.params.values()):
                raise
            if ctx.meta.get(_DEBUG):
                traceback.print_exc()
            about = str(error)
            if isinstance(error, OSError) and error.strerror is not None:
                about = f"{error.filename}: {error.strerror}"
            if any("--out" in parameter.opts for parameter in self.params):
                about = about.replace("choose another folder", "choose another folder with --out")
            for parameter in self.params:
                # A name without an underscore may be an ordinary word of the message.
                if "_" in (name := parameter.name or ""):
                    about = about.replace(name, parameter.opts[0])
            say(_BETWEEN.sub(_lower_limit, about))
            return exit_code(error)


def _lower_limit(found: re.Match[str]) -> str:
    low, got = map(int, found.groups())
    return f"must be at least {low}, got {got}" if got < low else found[0]


def command(name: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """Makes a command of a function, under another name if one is given."""
    return click.command(name, cls=Command, **settings)


def _is_named(error: OSError, values: Any) -> bool:
    """Tells whether an error is about a path on the command line, a part of it, or something below it."""
    if isinstance(error, OutputError) or not isinstance(error.filename, str):
        return False
    failed = Path(error.filename).absolute()
    named = [value.absolute() for value in values if isinstance(value, Path)]
    return any(path == failed or path in failed.parents or failed in path.parents for path in named)


class Group(_Documented, click.Group):
    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the commands in the order in which they were added."""
        return list(self.commands)


def print_json(value: Any) -> None:
    """Prints a value as JSON; an object begins with the version. Numbers that JSON does not have become ``null``."""
    if isinstance(value, Mapping):
        value = {"stier": stier.__version__, **value}
    only_ascii = not (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    print(json.dumps(_plain(value), indent=2, ensure_ascii=only_ascii, allow_nan=False))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def show(what: str, rows: Sequence[Mapping[str, Any]], *, as_json: bool, in_full: bool) -> None:
    """Prints games or agents with name and description, as JSON or in full with the options of each."""
    if as_json:
        print_json([{**row, "options": [option._asdict() for option in row["options"]]} for row in rows])
        return
    for row in rows:
        note = f" ({row['players']} players by default)" if "players" in row else ""
        if not in_full:
            print(f"{row['name']:16}{first_sentence(row['description'])}{note}")
            continue
        print(f"{row['name']}{note and f'  {note}'}")
        if row["description"]:
            print(click.wrap_text(row["description"], 100, "    ", "    "))
        for option in row["options"]:
            print(f"    {option.name} = {option.default}   ({option.allowed})")
            for line in wrap(option.description, 100):
                print(f"        {line}")
    if not in_full:
        print(f"Options of {'an agent' if what == 'agent' else 'a game'}: stier {what}s NAME")


def draw(found: Any, tables: Path, figures: Path) -> None:
    """Draws the figures if matplotlib is there, and prints where everything is."""
    print(f"\nTables in {tables}, ", end="")
    try:
        drawn = found.draw(figures)
    except MissingExtraError as error:
        print(f"no figures ({error})")
    else:
        print(f"figures in {figures}" if drawn else "no figures")
