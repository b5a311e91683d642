"""Decks of Schwinget in which NashConv is exact, and networks that were trained in them.

Networks are kept in ``out/endings``. Those that are missing are trained: 26 CPU seconds each, and three times as long
where they are to come near an equilibrium.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import stier
import stier.train

OUT = Path("out/endings")
#: Decks: rules, and the numbers of tricks of an ending. The larger ones are those of SCALING.md.
DECKS = {
    "2x3, hand 2": ("suits=2,values=3,hand_size=2,set_aside=1", (2,)),
    "2x4, hand 2": ("suits=2,values=4,hand_size=2,set_aside=3", (2,)),
    "2x4, hand 3": ("suits=2,values=4,hand_size=3,set_aside=1", (2, 3)),
    "2x5, hand 2": ("suits=2,values=5,hand_size=2,set_aside=3", (2,)),
}
#: The deck whose networks come near an equilibrium, and that in which measurements take longest.
NEAR, LARGEST = "2x3, hand 2", "2x5, hand 2"
#: The training, as `settings for decks` in SCALING.md: decisions, in NEAR three times as many.
STEPS = 1_048_576
SETTINGS = {"entropy_decay": 0.4, "central_critic": True, "action_critic": True, "critic_hidden": (128, 128)}
SEEDS = range(5)


def game_of(deck: str) -> stier.Game:
    """The game of a deck."""
    return stier.load_game(f"schwinget:{DECKS[deck][0]},referee=off")


@lru_cache(maxsize=1)
def network(deck: str, seed: str) -> Path:
    """The file of a network, which is trained if there is none."""
    folder = OUT / deck.replace(", ", "-").replace(" ", "") / seed
    steps = 3 * STEPS if deck == NEAR else STEPS
    stier.train.learn(game_of(deck), folder=folder, seed=int(seed), steps=steps, against=(), evaluations=1, **SETTINGS)
    return folder / "network.safetensors"
