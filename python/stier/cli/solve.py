"""``stier solve``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import stier
from stier._native import Game
from stier.cli import _options as options
from stier.cli._command import command, print_json
from stier.cli._interrupts import interrupts
from stier.cli._process import say

#: The least histories with which public states are recommended.
MANY_HISTORIES = 100_000
#: The figures of a solution that are printed as JSON.
FIGURES = ("iterations", "histories", "public_states", "information_sets", "values", "exploitability", "nash_conv")


@command(
    examples=[
        "stier solve kuhn_poker",
        "stier solve leduc_poker --target 0.001 --checkpoint leduc.checkpoint --save leduc.policy",
        "stier solve kuhn_poker --algorithm sequence_form --json",
        "stier solve schwinget:suits=2,values=4,hand_size=2,set_aside=3,referee=off --ranges --target 0.001",
    ],
)
@options.game
@click.option("--algorithm", default="cfr+", help="The algorithm; see above.")
@click.option("--iterations", default=1000, help="Number of iterations at most.")
@click.option("--target", default=0.0, help="The NashConv at which to stop.", show_default="none")
@options.seed("algorithms that sample")
@options.output("--checkpoint", about="Continue from FILE, and keep the progress in it.")
@options.output("--save", "path", about="Write the policy to FILE.")
@options.as_json
@options.max_histories
@options.ranges
@options.max_memory_mb
@options.threads
@options.progress
def solve(game: Game, path: Path | None, as_json: bool, **settings: Any) -> None:
    """Compute an equilibrium.

    Small games are solved on their tree of histories, a Schwinget that is too large for it on public states.

    Algorithms: cfr+ is the default because it is the best known. To the same NashConv, discounted_cfr takes less than
    half of its iterations in Schwinget, about two thirds in Leduc poker and Liar's Dice, and about as many in
    Goofspiel. scheduled_cfr and predictive_cfr+ end lower in some of these games and higher in others; choose the
    iterations of scheduled_cfr in advance. cfr and linear_cfr are for comparison.

    external_sampling and outcome_sampling keep no checkpoints. sequence_form is exact, for zero-sum games of two
    players with up to some ten thousand information sets. It takes neither iterations nor a target, and needs SciPy
    (pip install scipy). These three need the tree of histories.
    """
    kept, algorithm = settings["checkpoint"], settings["algorithm"]
    is_kept, tells = "cfr" in algorithm, settings["progress"]
    if tells and kept is not None and kept.exists():
        say(f"continues from {kept}")
    try:
        found = stier.solve(game, **settings)
    except KeyboardInterrupt as stop:
        if tells and is_kept:
            told = "nothing was kept; --checkpoint FILE keeps the iterations"
            if kept is not None and kept.exists():
                told = f"the iterations are in {kept}, and the same command continues"
            interrupts.note = f"{str(stop) or 'stopped'}: {told}\n"
        raise
    if found.iterations > settings["iterations"]:
        say(f"{kept} has {found.iterations} iterations already")
    if settings["ranges"] is None and is_kept and (found.histories or 0) >= MANY_HISTORIES:
        say("solved on the tree of histories; if all plays are public, as in Schwinget, --ranges is ten times as fast")
    try:
        if path is not None:
            found.save(path)
    finally:
        if as_json:
            figures = {name: getattr(found, name) for name in FIGURES}
            print_json({"game": str(game), "algorithm": found.origin, **figures})
        else:
            size = f"{found.histories} histories, {found.information_sets} information sets"
            if found.public_states:
                sets = f"{found.information_sets} information sets (a hand in one of them, drawn in any order)"
                size = f"{found.public_states} public states, {sets}"
            print(f"{game}: {size}")
            print(f"{found.origin}, iterations {found.iterations}")
            print("values         " + " ".join(f"{value:+.6f}" for value in found.values))
            print(f"exploitability {max(found.exploitability, 0):.3e}\nNashConv       {max(found.nash_conv, 0):.3e}")
