"""``stier train``."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stier._native import Game
from stier.errors import ArgumentError
from stier.train import learn
from stier.train._run import LOG, NETWORK, Trained
from stier.train.settings import DMCSettings, Settings

#: The settings that are options of their own.
OPTIONS = ("steps", "seed", "opponents")


def settings_help() -> str:
    """Returns the settings with their defaults and meanings, as part of ``stier train --help``."""
    lines = []
    kinds: list[tuple[str, type[Settings | DMCSettings]]] = [("ppo and ppo_torch", Settings), ("dmc", DMCSettings)]
    for title, kind in kinds:
        lines += ["", f"settings of {title}, given by --set NAME=VALUE:"]
        meanings = kind.meanings()
        for field in dataclasses.fields(kind):
            if field.name not in OPTIONS:
                about = f"{meanings.get(field.name, '')} (default: {_text(field.default)})"
                lines += textwrap.wrap(about, 96, initial_indent=f"  {field.name:26}", subsequent_indent=" " * 28)
    return "\n".join(lines) + "\n"


def _text(default: Any) -> str:
    """A default as it is written on the command line."""
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    return "measured" if default is None else str(default)


def train(
    game: Game,
    *,
    out: Path,
    algorithm: str = "ppo",
    steps: int | None = None,
    seed: int = 0,
    set: Sequence[str] = (),  # noqa: A002 - the name of the option
    against: Sequence[str] | None = None,
    opponents: Sequence[str] | None = None,
    deals: int = 500,
    evaluations: int = 20,
    exact: bool = False,
    watch: Sequence[str] | None = None,
    judge: str | None = None,
    initial: Path | None = None,
    device: str | None = None,
    checkpoint_every: int = 0,
    progress: bool = False,
) -> None:
    """Trains as the options of ``stier train`` say, and prints the evaluations."""
    settings: dict[str, Any] = {"seed": seed}
    if steps is not None:
        settings["steps"] = steps
    if opponents:
        settings["opponents"] = tuple(opponents)
    for setting in set:
        name, equals, value = setting.partition("=")
        if not equals or name in settings:
            raise ArgumentError(f"--set '{setting}': give each setting once, as NAME=VALUE")
        settings[name] = _value(value)
    if judge and not watch:
        raise ArgumentError("--judge needs --watch ACTION")
    trained = learn(
        game,
        algorithm,
        folder=out,
        against=against or ("greedy",),
        deals=deals,
        evaluations=evaluations,
        exact=exact,
        watch=watch or (),
        judge=judge,
        initial=initial,
        device=device,
        checkpoint_every=checkpoint_every,
        progress=progress,
        **settings,
    )
    print(f"{game}, {algorithm}, seed {seed}: {trained.log[-1]['steps']:,} decisions")
    print(_table(trained), end="")
    print(f"all columns: {out / LOG}")
    print(f"stier pit {game} network:path={out / NETWORK} greedy")


def _value(text: str) -> Any:
    """A truth value, a number, or numbers separated by commas."""
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
    """The evaluations, line by line."""
    shown = ["steps", "cpu_seconds", *trained.headlines]
    titles = [key.removeprefix("eval/") for key in shown]
    widths = [max(len(title), 9) for title in titles]
    lines = ["  ".join(title.rjust(width) for title, width in zip(titles, widths, strict=True))]
    for row in trained.log:
        cells = [f"{row[key]:,.0f}" if key == "steps" else f"{row[key]:.4g}" if key in row else "" for key in shown]
        lines.append("  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)))
    return "\n".join(lines) + "\n"
