"""Arguments and options that several commands have."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

import stier
from stier import _arguments, _files
from stier.catalogue import OptionInfo, describe_agent, describe_game

_Command = Callable[..., int | None]
_Decorator = Callable[[_Command], _Command]


class _Path(click.Path):
    """A file or a folder. The command says what is wrong with it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return _files.as_path(os.fsdecode(super().convert(value, param, ctx)))


class _Output(_Path):
    """A file to write, which is an error before the work starts if it cannot be written."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        _files.check_writable(path)
        return path


PATH, OUTPUT = _Path(path_type=Path), _Output(path_type=Path)


class _Described(click.types.StringParamType):
    """A game or an agent with options, such as ``schwinget:bouts=2``, which the shell can complete."""

    def __init__(self, name: str, names: Callable[[], list[str]], options: Callable[[str], list[OptionInfo]]) -> None:
        self.name = name
        self._names, self._options = names, options

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Returns the names, and behind a colon the options, that begin in this way."""
        name, colon, options = incomplete.partition(":")
        if not colon:
            return [CompletionItem(known) for known in self._names() if known.startswith(incomplete)]
        if name not in self._names():
            return []
        given, comma, last = options.rpartition(",")
        return [
            CompletionItem(f"{name}:{given}{comma}{option.name}=")
            for option in self._options(name)
            if option.name.startswith(last)
        ]


#: The option that every agent has.
SEED = OptionInfo("seed", 0, 0, 2**64 - 1, None, f"0 to {2**64 - 1}", "The seed of its random numbers.")
GAME = _Described("game", stier.registered_names, describe_game)
AGENT = _Described("agent", stier.registered_agents, lambda name: [*describe_agent(name).options, SEED])


def _as_rules(_: click.Context, __: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    return _arguments.pairs("--rule", values)


_RULE: dict[str, Any] = {"multiple": True, "metavar": "NAME=VALUE", "callback": _as_rules}
rules = click.option("--rule", "rules", help="An option of the game; repeatable.", **_RULE)


def game(command: _Command) -> _Command:
    """Adds the argument ``GAME`` with ``--rule``; the command gets the game itself."""

    @rules
    @click.argument("game", type=GAME)
    @functools.wraps(command)
    def load(*, game: str, rules: dict[str, str], **others: Any) -> int | None:
        return command(game=stier.load_game(game, **rules), **others)

    return load


agents = click.argument("agents", type=AGENT, nargs=-1, required=True, metavar="AGENT...")
_THREADS = "Number of threads. The result does not depend on it."
threads = click.option("--threads", default=0, show_default="all cores", help=_THREADS)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def seed(about: str) -> _Decorator:
    return click.option("--seed", default=0, help=f"Seed of {about}.")


def deals(default: int, about: str) -> _Decorator:
    return click.option("--deals", default=default, help=about)


_SILENT: dict[str, Any] = {"is_flag": True, "flag_value": False, "default": True, "show_default": False}
_PROGRESS = "Show no progress: neither a bar nor, without a terminal, a line every ten seconds."
progress = click.option("--no-progress", "progress", help=_PROGRESS, **_SILENT)
ranges = click.option(
    "--ranges/--no-ranges",
    default=None,
    help="Work on public states with ranges of hands, or on the tree of histories. By default on the tree, unless a "
    "Schwinget is too large for it.",
)
max_memory_mb = click.option("--max-memory-mb", default=4096, help="Refuse games that need more, on public states.")
max_histories = click.option("--max-histories", default=50_000_000, help="Refuse larger games.")


def agent(*names: str, about: str, **settings: Any) -> _Decorator:
    """Adds an option whose value is an agent."""
    return click.option(*names, type=AGENT, metavar="AGENT", help=about, **settings)


def output(*names: str, about: str, **settings: Any) -> _Decorator:
    """Adds an option whose value is a file to write."""
    return click.option(*names, type=OUTPUT, metavar="FILE", help=about, **settings)


def folder(name: str, *, about: str, **settings: Any) -> _Decorator:
    """Adds an option whose value is a folder."""
    return click.option(name, type=PATH, metavar="DIR", help=about, **settings)


def training(about: str, *, out: str, evaluations: int) -> _Decorator:
    """Adds the options of a training: each help begins with `about`; `out` is the default of the folder in words."""

    def told(text: str) -> str:
        return f"{about}{text}" if about else text[0].upper() + text[1:]

    def option(name: str, about: str, *names: str, **settings: Any) -> _Decorator:
        return click.option(name, *names, help=told(about), **settings)

    file = "folder for network, log and checkpoint. Training continues from it."
    steps = "number of decisions to learn from, rounded up to whole updates."
    several = "another setting, such as hidden=256,256"
    device = "the device of JAX, such as gpu:0."
    added = [
        option("--out", file, "folder", type=PATH, metavar="DIR", show_default=out),
        option("--algorithm", "the algorithm: ppo, dmc or distill.", default="ppo"),
        option("--steps", steps, type=int, show_default="8,000,000"),
        option("--initial", "the network to start from.", type=PATH, metavar="FILE", show_default="random weights"),
        option("--set", f"{several}; repeatable.", "settings", multiple=True, metavar="NAME=VALUE"),
        option("--evaluations", "number of evaluations on the way.", default=evaluations),
        option("--device", device, metavar="NAME", show_default="one thread of the CPU"),
    ]

    def add(command: _Command) -> _Command:
        for option in reversed(added):
            command = option(command)
        return command

    return add


def training_help(name: str) -> Callable[[], str]:
    """Returns the further help that a function of `stier.train.command` makes."""

    def made() -> str:
        # The settings are listed only when help is asked for: they need the package's extra.
        try:
            from stier.train import command
        except ImportError as error:
            return f"\nThe settings of --set are not listed: {error}\n"
        return str(getattr(command, name)())

    return made
