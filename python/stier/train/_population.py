"""Frozen earlier networks of a training, which its learner meets in some of the environments.

All members with equal weights are fictitious play (G. W. Brown 1951). Weights from the equilibrium of the game in which
each player chooses a member are in PSRO (M. Lanctot et al. 2017, arXiv:1711.00832), where each member is a best
response; here it is the learner at a fixed time.
"""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stier._native import Agent, Game, derive_seed, load_agent
from stier.errors import ArgumentError
from stier.network import Network
from stier.solving import constant_sum
from stier.train.evaluation import duel
from stier.train.settings import CommonSettings

#: Paired deals between two members, for the weights by Nash averaging.
DEALS = 2000


class Member(NamedTuple):
    """A frozen network."""

    #: Decisions that it had learned from.
    steps: int
    network: Network
    #: The network as a player that draws its actions.
    agent: Agent

    @classmethod
    def of(cls, steps: int, network: Network) -> Member:
        """Returns the member of a network, whose value head and history are dropped."""
        network = dataclasses.replace(network, value=None, training={})
        with tempfile.TemporaryDirectory() as folder:
            # An agent reads its network when it is made.
            path = Path(folder) / "network.safetensors"
            network.save(path)
            return cls(steps, network, load_agent("network", network.game, path=path, choose="sample"))


class Population:
    """The earlier networks of one training, and their weights."""

    def __init__(self, game: Game, settings: CommonSettings) -> None:
        self.game, self.settings = game, settings
        self.size: int = settings.population_size
        self.members: list[Member] = []
        #: The mean return of each member (row) against each other above an equal share, if the weights depend on it.
        self.payoffs: npt.NDArray[np.float64] = np.zeros((0, 0))
        #: The number of environment parts of each member.
        self.places: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        if settings.population_weights == "nash":
            if game.num_players() != 2:
                about = "population_weights=nash needs a game of two players"
                raise ArgumentError(f"{about}, {game} has {game.num_players()}")
            constant_sum(game)
            # An import that fails now does not fail in the middle of training.
            import stier.ratings  # noqa: F401

    def is_due(self, steps: int) -> bool:
        """Returns True if the next network is to join after so many decisions."""
        if not self.members:
            return True
        part, last = (done * self.size // self.settings.steps for done in (steps, self.members[-1].steps))
        return part > last

    def join(self, network: Network, steps: int) -> None:
        """Adds a network. The oldest leaves if there are too many, which happens only if training is extended."""
        newest = Member.of(steps, network)
        if self.settings.population_weights == "nash":
            self._measure(newest)
        self.members.append(newest)
        if len(self.members) > self.size:
            self.members, self.payoffs = self.members[1:], self.payoffs[1:, 1:]
        self._place()

    def _measure(self, newest: Member) -> None:
        """Adds a row and a column to the pay-offs."""
        seed = derive_seed(self.settings.seed, "population", 0)
        share = constant_sum(self.game) / 2
        # Not `stier.pit`, whose seeds depend on the texts of agents, and so on the names of files that are gone.
        row = [
            duel(newest.network, one.agent, deals=DEALS, seed=seed, choose="sample", threads=1).mean - share
            for one in self.members
        ]
        self.payoffs = np.pad(self.payoffs, (0, 1))
        self.payoffs[-1, :-1] = row
        self.payoffs[:-1, -1] = np.negative(row)

    def weights(self) -> npt.NDArray[np.float64]:
        """Returns the weights of the members, which add up to 1."""
        if self.settings.population_weights == "nash":
            from stier.ratings import nash_averaging

            return nash_averaging(self.payoffs).weights
        return np.full(len(self.members), 1 / len(self.members))

    def _place(self) -> None:
        """Gives each member places in proportion to its weight, by largest remainders; ties go to later members."""
        exact = self.weights() * self.size
        self.places = np.floor(exact).astype(int)
        order = np.lexsort((-np.arange(len(exact)), self.places - exact))
        self.places[order[: self.size - self.places.sum()]] += 1

    def players(self) -> list[Agent] | list[str]:
        """Returns the players of all places. Before the first member has joined, they are stand-ins."""
        if not self.members:
            return self.stand_ins()
        return [member.agent for member, places in zip(self.members, self.places, strict=True) for _ in range(places)]

    def stand_ins(self) -> list[str]:
        """Returns as many players that need no file."""
        return ["random"] * self.size

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns everything that later play depends on."""
        found: dict[str, npt.NDArray[Any]] = {"population.payoffs": self.payoffs}
        for number, member in enumerate(self.members):
            found[f"population.{number}.steps"] = np.array(member.steps)
            found[f"population.{number}.network"] = np.frombuffer(member.network._to_bytes(), np.uint8)
        return found

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Continues from these arrays."""
        self.payoffs = arrays["population.payoffs"]
        self.members = []
        while (own := f"population.{len(self.members)}.") + "steps" in arrays:
            network = Network._from_bytes(f"{own}network", arrays[f"{own}network"].tobytes())
            self.members.append(Member.of(int(arrays[f"{own}steps"]), network))
        if self.members:
            self._place()
