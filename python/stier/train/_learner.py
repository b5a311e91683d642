"""The protocol of algorithms, for the loop of a training."""

from __future__ import annotations

from typing import Any, Protocol

import numpy.typing as npt

from stier._native import Game
from stier.network import Network


class Learner(Protocol):
    """An algorithm, at some point of its training."""

    name: str
    game: Game
    settings: Any
    #: A digest of the network that training started from, or None.
    initial: str | None
    #: The number of calls of `iterate`, over all runs.
    iteration: int

    @property
    def steps(self) -> int:
        """The number of decisions learned from."""
        ...

    def iterate(self) -> dict[str, float]:
        """Plays and learns once; returns the metrics that need no further play."""
        ...

    def network(self) -> Network:
        """Returns the network as it is now."""
        ...

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns everything that the future depends on."""
        ...

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Continues from these arrays."""
