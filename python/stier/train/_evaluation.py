"""How good a network is: paired deals against agents, and its distance from equilibrium where that can be computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from stier._native import Agent, Game, GameTree, TabularPolicy, VectorEnv, estimate
from stier.errors import ArgumentError
from stier.network import Network
from stier.train._chances import chances, draw

#: Information sets whose probabilities are computed at a time.
ROWS = 8192


@dataclass(frozen=True)
class Duel:
    """A network against agents in all other seats; the deal, played from every seat, is the unit of statistics."""

    #: The network's return in each deal, averaged over its seats.
    values: npt.NDArray[np.float64]

    @property
    def mean(self) -> float:
        """The mean return of the network."""
        return float(self.values.mean())

    @property
    def ci95(self) -> float:
        """Half the width of the interval that holds it with 95 %."""
        return estimate(self.values)[1]


def duel(
    network: Network,
    opponents: Agent | str | Sequence[Agent | str],
    *,
    deals: int = 1000,
    seed: int = 0,
    choose: Literal["best", "sample"] = "best",
    threads: int = 0,
) -> Duel:
    """Have a network play against agents: every deal once from each seat, all deals side by side.

    Args:
        network: The network.
        opponents: An agent for all other seats, or one for each.
        deals: Deals, at least 2.
        seed: The seed of deals and agents.
        choose: Whether the network takes the likeliest action or draws by its probabilities.
        threads: Threads of the opponents; 0 for all cores.

    Does the same on any number of threads. Raises `ValueError` for fewer deals, and what
    `stier.VectorEnv` raises.
    """
    if deals < 2:
        raise ArgumentError(f"deals must be at least 2, got {deals}: an interval needs them")
    game = network.game
    values = np.zeros(deals)
    for seat in range(game.num_players()):
        envs = VectorEnv(
            game,
            deals,
            seed=seed,
            opponents=opponents,
            seat=seat,
            autoreset=False,
            observation="uint8",
            threads=threads,
        )
        values += _play(network, envs, choose, np.random.default_rng((seed, seat)))[:, seat]
    return Duel(values / game.num_players())


def _play(
    network: Network, envs: VectorEnv, choose: Literal["best", "sample"], rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Play a game in each lane; give the returns of all seats."""
    batch = envs.reset()
    returns = batch.rewards.astype(np.float64)
    while not batch.terminated.all():
        playing = ~batch.terminated
        actions = np.zeros(len(envs), np.int64)
        probabilities, _ = network(batch.observation[playing], batch.legal_action_mask[playing])
        actions[playing] = draw(probabilities, rng) if choose == "sample" else probabilities.argmax(axis=1)
        batch = envs.step(actions)
        returns += batch.rewards
    return returns


@dataclass(frozen=True)
class Exact:
    """All information sets of a small game, so that a network's distance from equilibrium can be computed."""

    #: All histories of the game.
    tree: GameTree
    _observations: list[npt.NDArray[np.uint8]] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, game: Game, max_histories: int = 20_000_000) -> Exact:
        """Enumerate the game. Raises `ValueError` if it is too large."""
        return cls(GameTree(game, max_histories=max_histories))

    def policy(self, network: Network) -> TabularPolicy:
        """Give what the network does everywhere, with its NashConv and how often it chooses what."""
        legal = self.tree.legal_action_masks()
        starts = range(0, self.tree.information_sets, ROWS)
        if not self._observations:
            self._observations.extend(
                self.tree.observation_tensors(start, min(start + ROWS, starts.stop), "uint8") for start in starts
            )
        rows = [
            network(observation, legal[start : start + ROWS])[0]
            for start, observation in zip(starts, self._observations, strict=True)
        ]
        return self.tree.policy(np.concatenate(rows), name="network")


@dataclass
class Evaluation:
    """What is measured while a network learns.

    Every opponent is met in the same `deals` paired deals each time, with the likeliest actions and none of chance's
    luck between one evaluation and the next.
    """

    #: The game.
    game: Game
    #: Agents that the network meets.
    opponents: Sequence[str] = ("greedy",)
    #: Paired deals against each of them.
    deals: int = 500
    #: The seed of deals and agents.
    seed: int = 0
    #: All information sets of the game, for NashConv; None to leave it out.
    exact: Exact | None = None
    #: Threads of the opponents; 0 for all cores.
    threads: int = 0
    #: Actions of which the chances are counted in `deals` games of the network against itself, by its probabilities.
    watch: Sequence[str] = ()
    #: An agent: chances are also counted apart by whether it would take the action.
    judge: Agent | str | None = None

    def __post_init__(self) -> None:
        for name in self.watch:
            self.game.string_to_action(name)

    def measure(self, network: Network) -> dict[str, float]:
        """Give the columns of an evaluation.

        ``eval/OPPONENT/mean`` and ``eval/OPPONENT/ci95`` are returns against an opponent, ``eval/nash_conv`` is the
        distance from equilibrium. Of each watched action, ``eval/ACTION/share`` is the share of the chances that was
        taken and ``eval/ACTION/probability`` the mean probability of taking one, also by finished rounds
        (``…/probability/round_0``) and by the judge's verdict (``…/judge_takes``, ``…/judge_declines``): `chances`.
        """
        found: dict[str, float] = {}
        for opponent in self.opponents:
            result = duel(network, opponent, deals=self.deals, seed=self.seed, threads=self.threads)
            found[f"eval/{opponent}/mean"], found[f"eval/{opponent}/ci95"] = result.mean, result.ci95
        if self.exact is not None:
            found["eval/nash_conv"] = self.exact.policy(network).nash_conv
        for name in self.watch:
            counted = chances(self.game, network, name, judge=self.judge, deals=self.deals, seed=self.seed)
            for row in counted.rows:
                if row.round is None and row.judge is None:
                    found[f"eval/{name}/share"] = row.share
                    found[f"eval/{name}/probability"] = row.probability
                elif row.judge is None:
                    found[f"eval/{name}/probability/round_{row.round}"] = row.probability
                elif row.round is None:
                    found[f"eval/{name}/probability/judge_{row.judge}"] = row.probability
        return found
