"""``stier report``."""

from __future__ import annotations

from pathlib import Path

import click

from stier.cli import _options as options
from stier.cli._command import Command, draw


@click.command(
    cls=Command,
    examples=[
        "stier report out/first",
        "stier report out/first --figures paper/figures",
        "stier report benches/training.toml",
    ],
)
@click.argument("folder", type=options.PATH)
@click.option("--tables", type=options.PATH, metavar="DIR", help="Folder for the tables.", show_default="FOLDER/tables")
@click.option(
    "--figures", type=options.PATH, metavar="DIR", help="Folder for the figures.", show_default="FOLDER/figures"
)
def report(folder: Path, tables: Path | None, figures: Path | None) -> None:
    """Make the page, tables and plots of an experiment.

    FOLDER contains the parts that stier run has played; NAME.toml stands for out/NAME. An experiment that says where
    its results belong writes them there.
    """
    from stier import experiments

    found, tables, figures = experiments.publish(experiments.load(folder), tables, figures)
    print(found, end="")
    draw(found, tables, figures)
