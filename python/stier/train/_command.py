"""``stier train``."""

from __future__ import annotations

import argparse
from typing import Any

from stier._native import Game
from stier.errors import ArgumentError
from stier.train import learn
from stier.train._run import NETWORK, Trained


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
    try:
        trained = learn(
            game,
            arguments.algorithm,
            folder=arguments.out,
            opponents=arguments.against or ("greedy",),
            deals=arguments.deals,
            evaluations=arguments.evaluations,
            exact=arguments.exact,
            progress=progress,
            **settings,
        )
    except (ImportError, TypeError) as error:
        raise ArgumentError(error) from None
    print(f"{game}, {arguments.algorithm}, seed {arguments.seed}: {trained.log[-1]['steps']:,} decisions")
    print(_table(trained), end="")
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
        raise ArgumentError(
            f"a setting is a number, numbers with commas between them, on or off, not '{text}'"
        ) from None


def _table(trained: Trained) -> str:
    """The evaluations, line by line."""
    shown = [key for key in trained.log[-1] if key.endswith(("steps", "seconds", "mean", "ci95", "%", "nash_conv"))]
    widths = [max(len(key), 9) for key in shown]
    lines = ["  ".join(key.rjust(width) for key, width in zip(shown, widths, strict=True))]
    for row in trained.log:
        cells = [f"{row[key]:,.0f}" if key == "steps" else f"{row[key]:.4g}" for key in shown]
        lines.append("  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)))
    return "\n".join(lines) + "\n"
