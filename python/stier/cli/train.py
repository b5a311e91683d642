"""``stier train``."""

from __future__ import annotations

import click

from stier._native import Game
from stier.cli import _options as options
from stier.cli._command import command
from stier.errors import ArgumentError

_WATCH = "Count how often ACTION is chosen when it is legal; repeatable."


@command(
    more_help=options.training_help("settings_help"),
    examples=[
        "stier train schwinget --steps 30_000_000 --out out/schwinget --watch attack",
        "stier train leduc_poker --set averaging=0.4 --set final_learning_rate=3e-4 "
        "--set final_entropy_coefficient=0.05",
        "stier train schwinget --out out/response --opponents network:path=out/schwinget/network.safetensors",
        "stier train schwinget --algorithm dmc --out out/dmc --against greedy --against ismcts:iterations=100",
    ],
)
@options.game
@options.training("", out="out/GAME", evaluations=20)
@options.seed("games, weights and choices")
@options.agent(
    "--against",
    about="An opponent of evaluations; repeatable.",
    multiple=True,
    show_default="greedy, or random in games without it",
)
@options.deals(500, "Number of paired deals of each evaluation.")
@click.option(
    "--exact/--no-exact",
    default=None,
    help="Compute NashConv, too, in games whose tree fits into memory or that have public states.",
    show_default="in games of at most 100,000 histories",
)
@click.option("--watch", multiple=True, metavar="ACTION", help=_WATCH)
@options.agent("--judge", about="Group the counts of --watch by this agent's choice.")
@options.agent(
    "--opponents",
    about="An agent at the other seats in training; repeatable.",
    multiple=True,
    show_default="self, the learner at all seats",
)
@click.option(
    "--checkpoint-every",
    default=0,
    metavar="N",
    help="Keep the network of every N iterations in DIR/checkpoints.",
    show_default="the last network only",
)
@options.progress
def train(game: Game, watch: tuple[str, ...], judge: str | None, **others: object) -> None:
    """Train a network by self-play."""
    if judge and not watch:
        raise ArgumentError("--judge needs --watch ACTION")
    from stier.train import command

    command.train(game, watch=watch, judge=judge, **others)  # type: ignore[arg-type]
