"""How good a network is: paired deals against agents, and its distance from equilibrium where that can be computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from stier._native import Agent, Game, GameTree, TabularPolicy, VectorEnv, estimate
from stier.network import Network

#: Actions that are worth watching: they bind for the rest of a deal, and learners lose them.
WATCHED = {"schwinget": ("attack",)}
#: Information sets whose probabilities are computed at a time.
ROWS = 8192


@dataclass(frozen=True)
class Duel:
    """A network against agents in all other seats; the deal, played from every seat, is the unit of statistics."""

    #: Of each deal what the network got, the mean over its seats.
    values: npt.NDArray[np.float64]
    #: In how many of a hundred games the network chose each watched action.
    frequencies: dict[str, float]

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
        raise ValueError(f"deals must be at least 2, not {deals}: an interval needs them")
    game = network.game
    values, chosen = np.zeros(deals), dict.fromkeys(WATCHED.get(game.short_name(), ()), 0)
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
        returns, counts = _play(network, envs, choose, np.random.default_rng((seed, seat)))
        values += returns[:, seat]
        chosen = {name: chosen[name] + count for name, count in counts.items()}
    games = deals * game.num_players()
    return Duel(values / game.num_players(), {name: 100 * count / games for name, count in chosen.items()})


def _play(
    network: Network, envs: VectorEnv, choose: Literal["best", "sample"], rng: np.random.Generator
) -> tuple[npt.NDArray[np.float64], dict[str, int]]:
    """Play a game in each lane; give the returns of all seats, and how often each watched action was chosen."""
    watched = {name: envs.game.string_to_action(name) for name in WATCHED.get(envs.game.short_name(), ())}
    counts = dict.fromkeys(watched, 0)
    batch = envs.reset()
    returns = batch.rewards.astype(np.float64)
    while not batch.terminated.all():
        playing = ~batch.terminated
        actions = np.zeros(len(envs), np.int64)
        probabilities, _ = network(batch.observation[playing], batch.legal_action_mask[playing])
        actions[playing] = draw(probabilities, rng) if choose == "sample" else probabilities.argmax(axis=1)
        for name, action in watched.items():
            counts[name] += int((actions[playing] == action).sum())
        batch = envs.step(actions)
        returns += batch.rewards
    return returns, counts


def draw(probabilities: npt.NDArray[np.float32], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draw an action by each row."""
    levels = probabilities.cumsum(axis=1)
    return np.asarray((levels > rng.random((len(levels), 1)) * levels[:, -1:]).argmax(axis=1), np.int64)


@dataclass(frozen=True)
class Exact:
    """All information sets of a small game, so that a network's distance from equilibrium can be computed."""

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

    game: Game
    opponents: Sequence[str] = ("greedy",)
    deals: int = 500
    seed: int = 0
    exact: Exact | None = None
    threads: int = 0

    def measure(self, network: Network) -> dict[str, float]:
        """Give, by opponent, ``mean`` and ``ci95``; how often watched actions are drawn; and ``nash_conv``."""
        found: dict[str, float] = {}
        for opponent in self.opponents:
            result = duel(network, opponent, deals=self.deals, seed=self.seed, threads=self.threads)
            found[f"{opponent} mean"], found[f"{opponent} ci95"] = result.mean, result.ci95
        watched = WATCHED.get(self.game.short_name(), ())
        if self.exact is not None:
            policy = self.exact.policy(network)
            found["nash_conv"] = policy.nash_conv
            for name in watched:
                found[f"{name} %"] = 100 * policy.frequency(self.game.string_to_action(name))
        elif watched:
            found |= {f"{name} %": share for name, share in self._self_play(network).items()}
        return found

    def _self_play(self, network: Network) -> dict[str, float]:
        """In how many of a hundred games each watched action is chosen when the network draws for all seats."""
        envs = VectorEnv(self.game, self.deals, seed=self.seed, autoreset=False, observation="uint8", threads=1)
        _, counts = _play(network, envs, "sample", np.random.default_rng(self.seed))
        return {name: 100 * count / self.deals for name, count in counts.items()}
