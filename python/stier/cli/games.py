"""``stier games``."""

from __future__ import annotations

import click

import stier
from stier.cli import rules
from stier.cli._command import Command, first_sentence, print_json, print_options
from stier.cli._options import GAME, as_json


@click.command(
    cls=Command, examples=["stier games", "stier games schwinget", "stier games schwimmen --json | jq '.[0].options'"]
)
@click.argument("name", type=GAME, required=False)
@as_json
def games(name: str | None, as_json: bool) -> None:
    """List the games, or one game with its options."""
    names = [name] if name else stier.registered_names()
    # An unknown game is an error before anything is printed.
    described = {name: stier.catalogue.describe_game(name) for name in names}
    players = {name: stier.load_game(name).num_players() for name in names}
    if as_json:
        print_json(
            [
                {
                    "name": name,
                    "description": rules.summary(name),
                    "players": players[name],
                    "options": [option._asdict() for option in options],
                }
                for name, options in described.items()
            ]
        )
        return
    if len(described) > 1:
        for name in described:
            about = first_sentence(rules.summary(name))
            print(f"{name:16}{about} ({players[name]} players by default)")
        print("Options of a game: stier games NAME")
        return
    for name, options in described.items():
        print(f"{name}   ({players[name]} players by default)")
        about = rules.summary(name)
        if about:
            print(click.wrap_text(about, 100, "    ", "    "))
        print_options(options)
