"""``stier study``."""

from __future__ import annotations

from pathlib import Path

import click

from stier.cli import _options as options
from stier.cli._command import Group, draw


@click.group(cls=Group, examples=["stier study attack-timing --quick"])
def study() -> None:
    """Answer a question about the games by play."""


@study.command(
    "attack-timing",
    examples=["stier study attack-timing --quick", "stier study attack-timing --chapter broad --scale 10"],
)
@click.option("--quick", is_flag=True, help="Take two minutes of one core instead of some hours.")
@click.option(
    "--out",
    type=options.PATH,
    metavar="DIR",
    help="Folder for the games.",
    show_default="out/study, or out/study/quick",
)
@click.option(
    "--tables", type=options.PATH, metavar="DIR", help="Folder for tables and answer.", show_default="OUT/tables"
)
@click.option("--figures", type=options.PATH, metavar="DIR", help="Folder for the figures.", show_default="OUT/figures")
@options.repeatable("--chapter", "chapters", "Run only this chapter", metavar="NAME")
@click.option(
    "--network", type=options.PATH, metavar="FILE", help="Network of the champion.", show_default="the game's own"
)
@click.option("--scale", default=1.0, help="Multiplies the number of games.")
@options.seed("everything")
@options.threads
@options.progress
def attack_timing(
    quick: bool,
    out: Path | None,
    tables: Path | None,
    figures: Path | None,
    chapters: tuple[str, ...],
    network: Path | None,
    scale: float,
    seed: int,
    threads: int,
    progress: bool,
) -> None:
    """Find out when an attack in Schwinget is right."""
    from stier import study

    out = out or study.default_folder(quick=quick)
    found = study.attack_timing(
        out,
        quick=quick,
        chapters=chapters or None,
        network=network,
        seed=seed,
        scale=scale,
        threads=threads,
        progress=progress,
    )
    tables, figures = tables or out / "tables", figures or out / "figures"
    found.save(tables)
    print(found, end="")
    draw(found, tables, figures)
