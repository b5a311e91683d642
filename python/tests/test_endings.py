"""Endings solved over ranges: how far a network with them is from equilibrium."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import stier
from stier.network import Classes, Network

#: Decks in which nobody draws, so that an ending is the whole bout.
WHOLE = ["suits=2,values=2,hand_size=2,set_aside=2,utility=win", "suits=2,values=3,counter=off,hand_size=3,set_aside=1"]
#: Decks with all options, with two or three tricks in an ending.
DECKS = [
    *WHOLE,
    "suits=2,values=3,referee=off,hand_size=2,set_aside=1,scoring=schwinger",
    "suits=2,values=3,hand_size=2,set_aside=2",
]


@pytest.mark.parametrize("deck", DECKS)
def test_safe_endings_never_lose(deck: str, tmp_path: Path) -> None:
    """Exact NashConv is not above that of the network alone; without draws the whole bout can be solved."""
    game = stier.load_game(f"schwinget:{deck}")
    path = tmp_path / "network"
    untrained = Network.random(game, hidden=(8,), seed=1)
    strong = (30 * untrained.policy[0], untrained.policy[1])
    replace(untrained, policy=strong, classes=Classes.of(game)).save(path)

    def distance(options: str = "") -> float:
        return stier.solving.nash_conv(game, f"network:path={path},choose=sample{options}", ranges=True)

    alone = distance()
    for tricks in (2, 3):
        endings = f",endings=ranges,ending_tricks={tricks},attack_tricks={tricks},ending_iterations=300,gadget="
        found = {gadget: distance(endings + gadget) for gadget in ("unsafe", "resolve", "max_margin")}
        assert found["resolve"] < alone + 1e-3
        assert found["max_margin"] < alone + 1e-3
    if deck in WHOLE:
        whole = distance(",endings=ranges,ending_tricks=12,ending_iterations=300,gadget=unsafe")
        assert whole < 0.01 < alone
