"""``stier train``."""

from __future__ import annotations

import dataclasses
import sys
import textwrap
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stier import _arguments
from stier._native import Game, GameTree, alternatives
from stier._output import table
from stier.errors import ArgumentError, StierError, TrainingWarning
from stier.games import text_of
from stier.train._learn import algorithm_of, learn
from stier.train._run import BEST, LOG, Trained
from stier.train.settings import CommonSettings, DistillSettings, DMCSettings, Settings

#: Games with at most so many histories get their NashConv unasked: it takes a fraction of a second.
_SMALL = 100_000

#: The settings that are options of their own.
OPTIONS = ("steps", "seed", "opponents")


def settings_help() -> str:
    """Returns the settings with their defaults and meanings, as part of ``stier train --help``."""
    lines = []
    kinds = [("every algorithm", CommonSettings), ("ppo", Settings), ("dmc", DMCSettings), ("distill", DistillSettings)]
    for title, kind in kinds:
        lines += ["", f"settings of {title}, given by --set NAME=VALUE:"]
        meanings = kind.meanings()
        for field in dataclasses.fields(kind):
            if field.name in meanings and field.name not in OPTIONS:
                about = f"{meanings[field.name]} (default: {_text(field.default)})"
                lines += textwrap.wrap(about, 96, initial_indent=f"  {field.name:26}", subsequent_indent=" " * 28)
    return "\n".join(lines) + "\n"


def responder_help() -> str:
    """Returns the settings of a learned responder whose defaults differ, as part of ``stier exploit --help``."""
    lines = [
        "",
        "settings of --set are listed by stier train --help. Defaults of ppo that differ for a learned responder:",
    ]
    always, begun = Settings.of_responder(begun=False), Settings.of_responder(begun=True)
    for name, value in begun.items():
        lines.append(f"  {name:26}{_text(value)}{'' if name in always else ' with --initial'}")
    return "\n".join(lines) + "\n"


def _text(default: Any) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, tuple):
        return ",".join(map(str, default)) or "none"
    return str(default) or "none"


def train(
    game: Game,
    algorithm: str,
    folder: Path | None,
    *,
    exact: bool | None,
    seed: int,
    steps: int | None,
    settings: Sequence[str],
    against: Sequence[str],
    opponents: Sequence[str],
    **others: Any,
) -> None:
    """Trains with settings of the form ``NAME=VALUE``, and prints the evaluations."""
    values = settings_of(algorithm, settings, seed=seed, steps=steps, opponents=tuple(opponents) or None)
    folder = Path("out") / game.short_name() if folder is None else folder
    tree = _small_tree(game) if exact is None else exact
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        trained = learn(game, algorithm, folder=folder, against=against or None, exact=tree, **others, **values)
    print(f"{game}, {algorithm}, seed {seed}: {trained.log[-1]['steps']:,} decisions")
    print(_table(trained), end="")
    print(f"all columns: {folder / LOG}")
    if trained.best is not None:
        print(f"best network: {trained.best}, {folder / BEST}")
    if trained.warning is not None:
        print(f"warning: {trained.warning}", file=sys.stderr, flush=True)
    print(f"stier pit {text_of(game)} network:path={trained.file},choose=sample {(*against, 'random')[0]}")


def settings_of(algorithm: str, settings: Sequence[str], **others: Any) -> dict[str, Any]:
    """Returns settings of the form ``NAME=VALUE``, and others unless they are None."""
    values: dict[str, Any] = {}
    known = {field.name: field.default for field in dataclasses.fields(algorithm_of(algorithm).settings)}
    for name, value in _arguments.pairs("--set", settings).items():
        if name in others:
            raise ArgumentError(f"--set '{name}={value}': use --{name}")
        if name not in known:
            # The functions that get the settings have other arguments, too.
            listed = [one for one in known if one not in OPTIONS]
            raise ArgumentError(f"unknown setting '{name}'{alternatives(name, f'settings of {algorithm}', listed)}")
        text = "" if value == "none" else value
        values[name] = text if isinstance(known[name], str) else _value(value)
    return values | {name: value for name, value in others.items() if value is not None}


def _small_tree(game: Game) -> GameTree | bool:
    """The tree of a small game, for NashConv; False for others, and for games that cannot be enumerated."""
    try:
        return GameTree(game, max_histories=_SMALL)
    except StierError:
        return False


def _value(text: str) -> Any:
    if text in ("on", "off"):
        return text == "on"
    try:
        if "," in text:
            return tuple(int(part) for part in text.split(",") if part)
        return float(text) if any(mark in text for mark in ".e") else int(text)
    except ValueError:
        about = "a setting must be a number, numbers separated by commas, on or off"
        raise ArgumentError(f"{about}, got '{text}'") from None


def _table(trained: Trained) -> str:
    shown = ["cpu_seconds", *trained.headlines]
    rows = ([f"{row['steps']:,}", *(f"{row[key]:.4g}" if key in row else "" for key in shown)] for row in trained.log)
    return table(["steps", *(key.removeprefix("eval/") for key in shown)], rows, left=0)
