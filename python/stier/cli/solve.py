"""``stier solve``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import stier
from stier._native import Game
from stier.cli import _options as options
from stier.cli._command import Command, print_json


@click.command(
    cls=Command,
    examples=[
        "stier solve kuhn_poker",
        "stier solve leduc_poker --target 0.001 --checkpoint leduc.checkpoint --save leduc.policy",
        "stier solve kuhn_poker --algorithm sequence_form --json",
        "stier solve schwinget:suits=2,values=4,hand_size=2,set_aside=3,referee=off --ranges",
    ],
)
@options.game
@click.option("--algorithm", default="cfr+", help="The algorithm, such as cfr+, predictive_cfr+ or sequence_form.")
@click.option("--iterations", default=1000, help="Number of iterations at most.")
@click.option("--target", default=0.0, help="The NashConv at which to stop.", show_default="none")
@options.seed("algorithms that sample")
@click.option(
    "--checkpoint", type=options.OUTPUT, metavar="FILE", help="Continue from FILE, and keep the progress in it."
)
@click.option("--save", "path", type=options.OUTPUT, metavar="FILE", help="Write the policy to FILE.")
@options.as_json
@options.max_histories
@options.ranges
@options.max_memory_mb
@options.threads
@options.progress
def solve(game: Game, path: Path | None, as_json: bool, **settings: Any) -> None:
    """Compute an equilibrium of a small game."""
    found = stier.solve(game, **settings)
    try:
        if path is not None:
            found.save(path)
    finally:
        if as_json:
            names = (
                "iterations",
                "histories",
                "public_states",
                "information_sets",
                "values",
                "exploitability",
                "nash_conv",
            )
            figures = {name: getattr(found, name) for name in names}
            print_json({"game": str(game), "algorithm": found.origin, **figures})
        else:
            size = f"{found.public_states} public states" if found.public_states else f"{found.histories} histories"
            print(f"{game}: {size}, {found.information_sets} information sets")
            print(f"{found.origin}, iterations {found.iterations}")
            print("values         " + " ".join(f"{value:+.6f}" for value in found.values))
            print(f"exploitability {found.exploitability:.3e}\nNashConv       {found.nash_conv:.3e}")
