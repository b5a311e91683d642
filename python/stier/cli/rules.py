"""``stier rules``."""

from __future__ import annotations

import re
import shutil
from importlib.resources import files
from io import StringIO

import click

import stier
from stier.cli._command import command
from stier.cli._options import GAME
from stier.errors import RulesError
from stier.terminal import Pen

_WIDEST = 100


@command(examples=["stier rules schwinget", "stier rules kuhn_poker | less"])
@click.argument("game", type=GAME)
def rules(game: str) -> None:
    """Print the rules of a game."""
    print(text(game, colour=Pen().colour))


def text(name: str, *, colour: bool) -> str:
    from rich.console import Console
    from rich.markdown import Markdown

    width = min(shutil.get_terminal_size().columns, _WIDEST)
    page = StringIO()
    console = Console(file=page, width=width, force_terminal=colour, color_system="standard" if colour else None)
    console.print(Markdown(_page(name)))
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines())


def _page(name: str) -> str:
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
    return _paragraph(_section(name))


def words(name: str, text: str) -> list[tuple[str, str]]:
    """Returns the words that occur in a text, with their meaning, of those that the rules explain in a table."""
    table = _section(name, "## Words").partition("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")]
    rows = [re.sub("[`*]", "", line).strip("| ").split(" | ") for line in lines[2:]]
    text = _spaced(text)
    return [(row[0], row[-1]) for row in rows if any(_spaced(word).rstrip() in text for word in row[0].split(", "))]


def _spaced(text: str) -> str:
    """Lower case, with one space before and after each word."""
    return re.sub(r"[\W_]+", " ", f" {text.lower()} ")


def _section(name: str, heading: str = "") -> str:
    """Returns the rules below a heading that begins so, or nothing if they do not have it."""
    try:
        return "".join(re.split(f"^{heading}.*\n", _page(name), maxsplit=1, flags=re.MULTILINE)[1:])
    except RulesError:
        return ""


def _paragraph(text: str) -> str:
    first = next((part for part in text.split("\n\n") if part.strip()), "")
    return " ".join(first.replace("*", "").split())
