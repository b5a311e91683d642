"""``stier train``."""

from __future__ import annotations

import argparse
import dataclasses
import textwrap
from typing import Any

from stier._native import Game
from stier.errors import ArgumentError
from stier.train import learn
from stier.train._run import LOG, NETWORK, Trained, headlines
from stier.train._settings import DMCSettings, Settings


def settings_help() -> str:
    """Returns the settings with their defaults and meanings, as part of ``stier train --help``."""
    lines = []
    kinds: list[tuple[str, type[Settings | DMCSettings]]] = [("ppo and ppo_torch", Settings), ("dmc", DMCSettings)]
    for title, kind in kinds:
        lines += ["", f"settings of {title}, given by --set NAME=VALUE:"]
        meanings = kind.meanings()
        for field in dataclasses.fields(kind):
            if field.name not in ("steps", "seed"):
                about = f"{meanings.get(field.name, '')} (default: {_text(field.default)})"
                lines += textwrap.wrap(about, 96, initial_indent=f"  {field.name:20}", subsequent_indent=" " * 22)
    return "\n".join(lines) + "\n"


def _text(default: Any) -> str:
    """A default as it is written on the command line."""
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    return "measured" if default is None else str(default)


def train(game: Game, arguments: argparse.Namespace, *, progress: bool) -> int:
    """Train as the arguments say, and print what came of it."""
    settings: dict[str, Any] = {"seed": arguments.seed}
    if arguments.steps is not None:
        settings["steps"] = arguments.steps
    for setting in arguments.set:
        name, equals, value = setting.partition("=")
        if not equals or name in settings:
            raise ArgumentError(f"--set '{setting}': give each setting once, as NAME=VALUE")
        settings[name] = _value(value)
    if arguments.judge and not arguments.watch:
        raise ArgumentError("--judge needs --watch ACTION")
    trained = learn(
        game,
        arguments.algorithm,
        folder=arguments.out,
        opponents=arguments.against or ("greedy",),
        deals=arguments.deals,
        evaluations=arguments.evaluations,
        exact=arguments.exact,
        watch=arguments.watch or (),
        judge=arguments.judge,
        initial=arguments.initial,
        progress=progress,
        **settings,
    )
    print(f"{game}, {arguments.algorithm}, seed {arguments.seed}: {trained.log[-1]['steps']:,} decisions")
    print(_table(trained), end="")
    print(f"all columns: {arguments.out / LOG}")
    print(f"stier pit {game} network:path={arguments.out / NETWORK} greedy")
    return 0


def _value(text: str) -> Any:
    """A truth value, a number, numbers with commas between them; or nothing of the kind."""
    if text in ("on", "off"):
        return text == "on"
    try:
        if "," in text:
            return tuple(int(part) for part in text.split(",") if part)
        return float(text) if any(mark in text for mark in ".e") else int(text)
    except ValueError:
        about = "a setting must be a number, numbers with commas between them, on or off"
        raise ArgumentError(f"{about}, got '{text}'") from None


def _table(trained: Trained) -> str:
    """The evaluations, line by line."""
    ends = ("/mean", "/ci95")
    kept = headlines(trained.log[-1])
    shown = [key for key in trained.log[-1] if key in ("steps", "cpu_seconds", *kept) or key.endswith(ends)]
    titles = [key.removeprefix("eval/") for key in shown]
    widths = [max(len(title), 9) for title in titles]
    lines = ["  ".join(title.rjust(width) for title, width in zip(titles, widths, strict=True))]
    for row in trained.log:
        cells = [f"{row[key]:,.0f}" if key == "steps" else f"{row[key]:.4g}" if key in row else "" for key in shown]
        lines.append("  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)))
    return "\n".join(lines) + "\n"
