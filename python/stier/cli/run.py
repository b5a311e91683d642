"""``stier run``."""

from __future__ import annotations

from pathlib import Path

import click

from stier.cli import _options as options
from stier.cli._command import Command


@click.command(
    cls=Command,
    examples=[
        "stier run first.toml",
        "stier run first.toml --out out/again --threads 4",
        "stier run first.toml --ray auto",
    ],
)
@click.argument("experiment", type=options.PATH)
@click.option(
    "--out", type=options.PATH, metavar="DIR", help="Folder for the games.", show_default="out/NAME for NAME.toml"
)
@click.option(
    "--ray", metavar="ADDRESS", help="Play on a Ray cluster: auto, local or HOST:PORT. The files do not depend on it."
)
@options.threads
@options.progress
def run(experiment: Path, out: Path | None, ray: str | None, threads: int, progress: bool) -> None:
    """Play the games of an experiment.

    EXPERIMENT is a TOML file with a game, rules, agents, deals and seeds. Games that are in the folder already are
    not played again.
    """
    from stier import experiments

    games = experiments.run(experiment, out, threads=threads, ray=ray, progress=progress)
    print(f"{games.experiment.games} games in {games.folder}")
