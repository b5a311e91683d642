"""``stier games``."""

from __future__ import annotations

import click

import stier
from stier.cli import rules
from stier.cli._command import command, show
from stier.cli._options import GAME, as_json


@command(examples=["stier games", "stier games schwinget", "stier games schwimmen --json | jq '.[0].options'"])
@click.argument("name", type=GAME, required=False)
@as_json
def games(name: str | None, as_json: bool) -> None:
    """List the games, or one game with its options."""
    rows = [
        {
            "name": game,
            "description": rules.summary(game),
            "players": stier.load_game(game).num_players(),
            "options": stier.catalogue.describe_game(game),
        }
        for game in ([name] if name else stier.registered_names())
    ]
    show("game", rows, as_json=as_json, in_full=name is not None)
