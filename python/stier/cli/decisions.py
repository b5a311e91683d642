"""``stier decisions``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from stier.cli import _options as options
from stier.cli._command import Command


@click.command(
    cls=Command,
    examples=[
        "stier decisions out/first decisions.npz",
        "stier decisions out/first decisions.npz --agent greedy --teacher ismcts:iterations=1000",
    ],
)
@click.argument("folder", type=options.PATH)
@click.argument("file", type=options.OUTPUT)
@options.repeatable("--agent", "agents", "Keep only the decisions of this agent", metavar="NAME")
@click.option(
    "--teacher",
    type=options.AGENT,
    metavar="AGENT",
    help="The agent whose policy is stored; own for the agent that has played.",
    show_default="none",
)
@click.option(
    "--tensor",
    type=click.Choice(["observation", "information_state"]),
    default="observation",
    help="The tensor of what the player knows.",
)
@options.seed("the teacher")
@options.threads
@options.progress
def decisions(
    folder: Path,
    file: Path,
    agents: tuple[str, ...],
    teacher: str | None,
    tensor: Literal["observation", "information_state"],
    seed: int,
    threads: int,
    progress: bool,
) -> None:
    """Collect the decisions of an experiment for learning.

    They are read from the FOLDER of stier run and written to FILE (.npz).
    """
    from stier import experiments

    found = experiments.decisions(
        folder, agents=agents or None, teacher=teacher, tensor=tensor, seed=seed, threads=threads, progress=progress
    )
    found.save(file)
    print(f"{len(found)} decisions in {file}")
