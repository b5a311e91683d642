"""What a leak check asks of a game, whoever made it."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np


class Subject(Protocol):
    """A game in which worlds can be exchanged. States are whatever the game has for them."""

    #: What it is called, and where other worlds come from.
    name: str
    method: str

    def games(self, count: int, seed: int) -> Iterator[Iterator[tuple[Any, int]]]:
        """Random games: of each the states in which somebody acts, with the number of events before."""

    def players(self, state: Any) -> list[int]:
        """Give who is to be checked in a state."""

    def facts(self, state: Any, player: int) -> dict[str, Any]:
        """Give all that the player is given in a state, by name."""

    def worlds(self, state: Any, player: int, count: int, rng: random.Random) -> Iterator[Any]:
        """Draw states that the player should not be able to tell apart from this one; fewer where there are no more."""

    def fault(self, world: Any, rng: random.Random) -> tuple[str, str] | None:
        """Give what is wrong with a world as such, in general and exactly; or None."""

    def differs(self, state: Any, world: Any, player: int) -> bool:
        """Whether the world is another one, for somebody who sees everything."""

    def keep(self, state: Any) -> Any:
        """Give a copy to show."""


def equal(one: Any, other: Any) -> bool:
    """Whether two values are the same bit by bit, arrays with type and shape."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return (
            isinstance(one, np.ndarray)
            and isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == other.tobytes()
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and bool(one == other)
