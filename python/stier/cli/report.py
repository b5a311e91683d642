"""``stier report``."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import click

from stier.cli import _options as options
from stier.cli._command import command, draw


@command(
    examples=[
        "stier report out/first",
        "stier report out/first --figures paper/figures --rows games.parquet",
        "stier report benches/training.toml",
    ],
)
@click.argument("folder", type=options.PATH)
@options.folder("--tables", about="Folder for the tables.", show_default="FOLDER/tables")
@options.folder("--figures", about="Folder for the figures.", show_default="FOLDER/figures")
@options.output("--rows", about="Also write all rows to this Parquet file.")
def report(folder: Path, tables: Path | None, figures: Path | None, rows: Path | None) -> None:
    """Make the page, tables and plots of an experiment.

    FOLDER contains what stier run has played; NAME.toml stands for out/NAME. An experiment that says where its results
    belong writes them there. Another process may be playing meanwhile.
    """
    from stier import experiments

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        store = experiments.load(folder)
    for warning in told:
        print(f"warning: {warning.message}", file=sys.stderr, flush=True)
    found, tables, figures = experiments.publish(store, tables, figures)
    try:
        if rows is not None:
            store.save(rows)
    finally:
        print(found, end="")
        draw(found, tables, figures)
