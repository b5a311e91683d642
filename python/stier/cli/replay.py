"""``stier replay``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import stier
from stier import _files, replays
from stier.cli import _options as options
from stier.cli._command import command
from stier.errors import FileError, RecordError


@command(
    examples=[
        "stier replay game.txt",
        "stier replay game.txt --seat 1 --searches 20 --html game.html",
        "stier replay game.txt --agent ismcts:iterations=1000 --reveal",
    ],
)
@click.argument("file", type=options.PATH)
@click.option("--seat", default=0, help="The seat whose decisions are shown.")
@options.agent("--agent", about="The agent that searches and holds the beliefs.", default=replays.AGENT)
@click.option("--searches", default=replays.SEARCHES, help="Searches per decision. Verdicts need 3 or more.")
@click.option("--tree-depth", default=0, help="Show the lines of play searched to this depth.")
@click.option("--reveal", is_flag=True, help="Show the true cards, too.")
@options.output("--html", "page", about="Write a web page to FILE instead of printing.")
def replay(file: Path, seat: int, agent: str, searches: int, tree_depth: int, reveal: bool, page: Path | None) -> None:
    """Show a recorded game as one seat has seen it.

    FILE is a record, such as stier play --record or State.record writes; - is the standard input.
    """
    record = sys.stdin.read() if file == Path("-") else _read(file)
    try:
        found = stier.replay(record, seat, agent, searches=searches, tree_depth=tree_depth, reveal=reveal)
    except RecordError as error:
        name = "the standard input" if file == Path("-") else file
        raise RecordError(f"{name} is not a record of stier play: {error}") from error
    if page is None:
        print(found.to_text())
    else:
        _files.write_text(page, found.to_page())


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not a record of stier play: it is not text: {error}") from None
