"""``stier check-leak``."""

from __future__ import annotations

from typing import Any

import click

import stier
from stier.cli import _options as options
from stier.cli._command import command
from stier.cli._process import FAILED
from stier.games._sheet import OPEN_SPIEL


@command(
    "check-leak",
    examples=[
        "stier check-leak schwinget",
        "stier check-leak schwimmen:players=5 --agent greedy --agent ismcts:iterations=100",
        "stier check-leak 'openspiel:kuhn_poker(players=3)' --games 100",
    ],
)
@click.argument("name", type=options.GAME, metavar="GAME")
@options.rules
@click.option("--games", default=10, help="Number of random games.")
@click.option("--worlds", default=3, help="Number of other worlds for every position and player.")
@options.seed("games and worlds")
@options.agent("--agent", "agents", about="An agent that must not peek; repeatable.", multiple=True, show_default="two")
@options.progress
def check_leak(name: str, rules: dict[str, str], agents: tuple[str, ...], **settings: Any) -> int:
    """Check that players see nothing they cannot know.

    The exit code is 1 if they do. GAME may also be a game of OpenSpiel, such as openspiel:leduc_poker. It is checked
    with OpenSpiel's own resampler; with --agent, which Stier's agents need, with Stier's.
    """
    game: object
    # The name of OpenSpiel's package is accepted, too.
    if name.startswith("open_spiel:"):
        name = OPEN_SPIEL + name.removeprefix("open_spiel:")
    if name.startswith(OPEN_SPIEL) and not agents:
        from stier import open_spiel  # noqa: F401 - registers the games of this package
        from stier.games._open_spiel import load_spiel_game

        game = load_spiel_game(name.removeprefix(OPEN_SPIEL), "", rules)
    else:
        game = stier.load_game(name, **rules)
    report = stier.check_no_leak(game, agents=agents or None, **settings)
    print(report)
    return 0 if report.ok else FAILED
