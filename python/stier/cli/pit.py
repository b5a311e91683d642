"""``stier pit``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import stier
from stier import _files
from stier._native import Game, PitResult
from stier._results import columns
from stier.cli import _options as options
from stier.cli._command import command, print_json


@command(
    examples=[
        "stier pit schwinget random greedy",
        "stier pit schwinget greedy ismcts:iterations=1000 --deals 500 --seed 1",
        "stier pit schwinget greedy ismcts --rule bouts=4 --csv games.csv",
        "stier pit kuhn_poker random greedy --json",
        "stier pit leduc_poker random leduc.policy",
        "stier pit kuhn_poker random my_agents:choose",
    ],
)
@options.game
@options.agents
@options.deals(1000, "Number of deals per table of agents.")
@options.seed("deals and agents")
@click.option("--unpaired", is_flag=True, help="Deal new cards for every game, not the same cards to all arrangements.")
@options.output("--csv", "path", about="Write every game to FILE, one row per seat.")
@options.as_json
@options.threads
@options.progress
def pit(game: Game, agents: tuple[str, ...], unpaired: bool, path: Path | None, as_json: bool, **settings: Any) -> None:
    """Let agents play each other and compare them.

    Every table of agents plays each deal in all arrangements of the seats, so that the luck of the cards cancels.
    An AGENT may also be a file that stier solve --save has written, or MODULE:NAME for one of Python: a function of a
    state, or a class.
    """
    result = stier.pit(game, agents, paired=not unpaired, **settings)
    # The match may have taken hours: neither an error of the file nor one of the output loses the other.
    try:
        if path is not None:
            table = columns(result)
            rows = zip(*(column.tolist() for column in table.values()), strict=True)
            _files.write_csv(path, [*table, "stier"], ([*row, stier.__version__] for row in rows))
    finally:
        if as_json:
            print_json(_figures(result))
        else:
            print(result, end="")


def _figures(result: PitResult) -> dict[str, object]:
    means = zip(result.agents, result.mean, result.ci95, result.wins, result.wins_low, result.wins_high, strict=True)
    pairs = [(i, j) for i in range(len(result.agents)) for j in range(len(result.agents)) if i != j]
    meetings = {(i, j): result.meeting(i, j) for i, j in pairs}
    return {
        "game": str(result.game),
        "deals": result.deals,
        "games": len(result.games),
        "seed": result.seed,
        "paired": result.paired,
        "agents": [
            {"agent": agent, "mean": mean, "ci95": ci95, "wins": wins, "wins_low": low, "wins_high": high}
            for agent, mean, ci95, wins, low, high in means
        ],
        "meetings": [
            {"agent": result.agents[i], "opponent": result.agents[j], "mean": found[0], "ci95": found[1]}
            for (i, j), found in meetings.items()
            if found is not None
        ],
    }
