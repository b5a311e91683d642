"""``stier properties``."""

from __future__ import annotations

from typing import Any

import click

import stier
from stier._output import plus_minus
from stier._results import Properties
from stier.cli import _options as options
from stier.cli._command import command, print_json
from stier.errors import ArgumentError

_MEASURES = ("leaf_correlation", "return_correlation", "bias", "disambiguation", "net_disambiguation")


@command(
    examples=[
        "stier properties schwinget",
        "stier properties schwinget schwimmen:players=2 leduc_poker --markdown",
        "stier properties kuhn_poker --deals 200 --json",
    ],
)
@click.argument("names", type=options.GAME, nargs=-1, required=True, metavar="GAME...")
@options.rules
@options.deals(1000, "Number of deals.")
@click.option("--games", default=32, help="Number of games of each deal.")
@options.seed("deals and play")
@click.option("--play", type=click.Choice(["random", "hints"]), default="random", help="The policy of every player.")
@click.option("--markdown", is_flag=True, help="Print one table in Markdown, with a line for each game.")
@options.as_json
@options.threads
@options.progress
def properties(names: tuple[str, ...], rules: dict[str, str], markdown: bool, as_json: bool, **settings: Any) -> None:
    """Measure how well games suit open-card search."""
    if markdown and as_json:
        raise ArgumentError("give --markdown or --json, not both")
    games = [stier.load_game(name, **rules) for name in names]
    measured = (stier.playing.properties(game, **settings) for game in games)
    if as_json:
        print_json([_figures(found) for found in measured])
        return
    if markdown:
        print("| game | players | leaf correlation | return correlation | bias | disambiguation | net |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
    for found in measured:
        print(f"{_row(found)}\n" if markdown else found, end="", flush=True)


def _figures(found: Properties) -> dict[str, object]:
    measures = {name: getattr(found, name) for name in _MEASURES}
    return {
        "game": str(found.game),
        "players": found.game.num_players(),
        "deals": found.deals,
        "games": found.games,
        "seed": found.seed,
        "play": found.play,
        **{name: None if value is None else {"mean": value[0], "ci95": value[1]} for name, value in measures.items()},
    }


def _row(found: Properties) -> str:
    figures = [getattr(found, name) for name in _MEASURES]
    cells = ["-" if figure is None else f"{figure[0]:.3f}{plus_minus(figure[1])}" for figure in figures]
    return f"| `{found.game}` | {found.game.num_players()} | {' | '.join(cells)} |"
