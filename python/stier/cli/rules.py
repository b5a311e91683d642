"""``stier rules``."""

from __future__ import annotations

import shutil
from importlib.resources import files
from io import StringIO

import click

import stier
from stier.cli._command import Command
from stier.cli._options import GAME
from stier.errors import RulesError
from stier.terminal import Pen

_WIDEST = 100


@click.command(cls=Command, examples=["stier rules schwinget", "stier rules kuhn_poker | less"])
@click.argument("game", type=GAME)
def rules(game: str) -> None:
    """Print the rules of a game."""
    print(text(game, colour=Pen().colour))


def text(name: str, *, colour: bool) -> str:
    """Returns the rules of a game for a terminal."""
    from rich.console import Console
    from rich.markdown import Markdown

    width = min(shutil.get_terminal_size().columns, _WIDEST)
    page = StringIO()
    Console(file=page, width=width, force_terminal=colour, color_system="standard" if colour else None).print(
        Markdown(_page(name))
    )
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines())


def _page(name: str) -> str:
    """Returns the rules of a game in Markdown."""
    stier.catalogue.describe_game(name)  # an unknown game is an error that names the games
    about = stier.games.about(name)
    if about is not None:
        return about
    try:
        return (files("stier") / "rules" / f"{name}.md").read_text("utf-8")
    except FileNotFoundError:
        raise RulesError(f"no rules page for '{name}'") from None


def summary(name: str) -> str:
    """Returns the first paragraph of the rules, or nothing if they are not written down."""
    try:
        paragraphs = _page(name).split("\n\n")
    except RulesError:
        return ""
    first = next((text for text in paragraphs if not text.startswith("#")), "")
    return " ".join(first.replace("*", "").split())
