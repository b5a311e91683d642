"""``stier check-leak``."""

from __future__ import annotations

import click

import stier
from stier.cli import _options as options
from stier.cli._command import command
from stier.cli._process import FAILED
from stier.errors import ArgumentError


@command(
    "check-leak",
    examples=[
        "stier check-leak schwinget",
        "stier check-leak schwimmen:players=5 --agent greedy --agent ismcts:iterations=100",
        "stier check-leak 'open_spiel:kuhn_poker(players=3)' --games 100",
    ],
)
@click.argument("name", type=options.GAME, metavar="GAME")
@options.rules
@click.option("--games", default=10, help="Number of random games.")
@click.option("--worlds", default=3, help="Number of other worlds for every position and player.")
@options.seed("games and worlds")
@options.agent("--agent", "agents", about="An agent that must not peek; repeatable.", multiple=True, show_default="two")
@options.progress
def check_leak(
    name: str, rules: dict[str, str], games: int, worlds: int, seed: int, agents: tuple[str, ...], progress: bool
) -> int:
    """Check that players see nothing they cannot know.

    The exit code is 1 if they do. GAME may also be a game of OpenSpiel, such as open_spiel:leduc_poker.
    """
    game: object
    if name.startswith("open_spiel:"):
        if agents or rules:
            raise ArgumentError("--agent and --rule are not for games of OpenSpiel; write kuhn_poker(players=3)")
        from stier import open_spiel  # noqa: F401 - registers the games of this package
        from stier.games._open_spiel import load_spiel_game

        game = load_spiel_game(name.removeprefix("open_spiel:"), "", {})
    else:
        game = stier.load_game(name, **rules)
    report = stier.check_no_leak(game, games=games, worlds=worlds, seed=seed, agents=agents or None, progress=progress)
    print(report)
    return 0 if report.ok else FAILED
