"""``stier train``."""

from __future__ import annotations

import click

from stier._native import Game
from stier.cli import _options as options
from stier.cli._command import Command
from stier.errors import ArgumentError


def _settings_help() -> str:
    # They are listed only when help is asked for: they need the package's extra.
    try:
        from stier.train.command import settings_help
    except ImportError as error:
        return f"\nThe settings of --set are not listed: {error}\n"
    return settings_help()


@click.command(
    cls=Command,
    more_help=_settings_help,
    examples=[
        "stier train schwinget --steps 30_000_000 --out out/schwinget --watch attack",
        "stier train leduc_poker --out out/leduc --set hidden=64,64",
        "stier train schwinget --out out/response --opponents network:path=out/schwinget/network.safetensors",
        "stier train schwinget --algorithm dmc --out out/dmc --against greedy --against ismcts:iterations=100",
    ],
)
@options.game
@click.option(
    "--out",
    "folder",
    type=options.PATH,
    metavar="DIR",
    help="Folder for network, log and checkpoint. Training continues from it.",
    show_default="out/GAME",
)
@click.option("--algorithm", default="ppo", help="ppo, ppo_torch or dmc.")
@click.option(
    "--steps",
    type=int,
    help="Number of decisions to play, rounded up to whole updates.",
    show_default="the algorithm's",
)
@options.seed("games, weights and choices")
@options.repeatable("--set", "settings", "Another setting, such as hidden=256,256", metavar="NAME=VALUE")
@options.repeatable(
    "--against",
    "against",
    "An opponent of evaluations",
    type=options.AGENT,
    metavar="AGENT",
    show_default="greedy, or random where there is no policy",
)
@options.deals(500, "Number of paired deals of each evaluation.")
@click.option("--evaluations", default=20, help="Number of evaluations on the way.")
@click.option(
    "--exact/--no-exact",
    default=None,
    help="Compute NashConv, too, in games whose tree fits into memory.",
    show_default="in games of at most 100,000 histories",
)
@options.repeatable("--watch", "watch", "Count how often ACTION is chosen when it is legal", metavar="ACTION")
@click.option(
    "--judge", type=options.AGENT, metavar="AGENT", help="Group the counts of --watch by this agent's choice."
)
@click.option(
    "--initial",
    type=options.PATH,
    metavar="FILE",
    help="The network to start from.",
    show_default="random weights",
)
@options.repeatable(
    "--opponents",
    "opponents",
    "An agent at the other seats in training",
    type=options.AGENT,
    metavar="AGENT",
    show_default="self, the learner at all seats",
)
@click.option(
    "--device",
    metavar="NAME",
    help="The device of JAX or PyTorch, such as gpu:0.",
    show_default="one thread of the CPU",
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
