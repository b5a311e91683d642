"""The evaluation of networks: paired deals against agents, NashConv, and the chances of watched actions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from stier import _arguments
from stier._adapting import as_game
from stier._native import Agent, Game, GameTree, TabularPolicy, VectorEnv, estimate
from stier.errors import ArgumentError
from stier.network import Network
from stier.playing import AnyAgent, AnyGame, of_engine
from stier.solving._bounds import constant_sum
from stier.solving._distances import nash_conv
from stier.train._chances import chances, draw
from stier.train._checkpoint import NETWORK

__all__ = ["Duel", "Evaluation", "Exact", "duel"]

#: Information sets whose probabilities are computed at a time.
ROWS = 8192
#: A game with more histories is measured on public states.
MOST_HISTORIES = 20_000_000


@dataclass(frozen=True)
class Duel:
    """A network against agents in all other seats; the deal, played from every seat, is the unit of statistics."""

    #: The network's return in each deal, averaged over its seats.
    values: npt.NDArray[np.float64]
    #: The least and the greatest value that are possible.
    bounds: tuple[float, float] = (-np.inf, np.inf)

    @property
    def mean(self) -> float:
        """The mean return of the network."""
        return float(self.values.mean())

    @property
    def ci95(self) -> float:
        """Half the width of the interval that holds it with 95 %."""
        return estimate(self.values, *self.bounds)[1]


def duel(
    network: Network,
    opponents: AnyAgent | Sequence[AnyAgent],
    *,
    deals: int = 1000,
    seed: int = 0,
    choose: Literal["best", "sample"] = "best",
    threads: int = 0,
) -> Duel:
    """Plays a network against agents: every deal once from each seat, all deals side by side.

    Args:
        network: The network.
        opponents: An agent of the engine for all other seats, or one for each.
        deals: Deals, at least 2.
        seed: The seed of deals and agents.
        choose: ``"best"`` for the network's likeliest action, ``"sample"`` to draw by its probabilities.
        threads: Threads of the opponents; 0 for all cores.

    The result does not depend on the number of threads. Raises `ValueError` for fewer deals, and what
    `stier.VectorEnv` raises.
    """
    deals, game = _arguments.whole("deals", deals, 2), network.game
    values = np.zeros(deals)
    for seat in range(game.num_players()):
        envs = VectorEnv(
            game,
            deals,
            seed=seed,
            opponents=of_engine(opponents, game),
            seat=seat,
            autoreset=False,
            observation="uint8",
            threads=threads,
        )
        values += _returns(network, envs, choose, np.random.default_rng((seed, seat)))[:, seat]
    return Duel(values / game.num_players(), (game.min_utility(), game.max_utility()))


def _returns(
    network: Network, envs: VectorEnv, choose: Literal["best", "sample"], rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Plays a game in each environment; returns the returns of all seats."""
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
    #: The observations at all information sets, once they have been asked for.
    _observations: list[npt.NDArray[Any]] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, game: AnyGame, max_histories: int = MOST_HISTORIES) -> Exact:
        """Enumerates a game, or the game of a name. Raises `ValueError` if it is too large."""
        return cls(GameTree(game, max_histories=max_histories))

    def policy(self, network: Network) -> TabularPolicy:
        """Returns the network's policy at all information sets, with its NashConv and frequencies of actions."""
        return self.tree.policy(self.probabilities(network), name="network")

    def probabilities(self, network: Network, choose: Literal["best", "sample"] = "sample") -> npt.NDArray[np.float32]:
        """Returns the network's probabilities of actions, 0 or 1 with ``choose="best"``: float32 (sets, actions)."""
        legal = self.tree.legal_action_masks()
        sets = self.tree.information_sets
        starts = range(0, sets, ROWS)
        if not self._observations:
            tensors = self.tree.observation_tensors
            self._observations.extend(tensors(start, min(start + ROWS, sets), "uint8") for start in starts)
        rows = [
            network(observation, legal[start : start + ROWS])[0]
            for start, observation in zip(starts, self._observations, strict=True)
        ]
        found = np.concatenate(rows)
        return found if choose == "sample" else np.eye(found.shape[1], dtype=np.float32)[found.argmax(axis=1)]

    def gain(self, agent: npt.ArrayLike, responder: npt.ArrayLike) -> float:
        """Returns the exact gain of a responder against an agent: that which `stier.exploit` estimates.

        Both are probabilities of actions, arrays (sets, actions).
        """
        players, seats = self.tree.players()[:, None], self.tree.game.num_players()
        values = [self.tree.policy(np.where(players == seat, responder, agent)).values[seat] for seat in range(seats)]
        return float(np.mean(values)) - constant_sum(self.tree.game) / seats


def exact_of(game: Game) -> Exact | Game:
    """Returns all information sets of a game; the game itself if there are too many, for its public states."""
    try:
        return Exact.of(game, MOST_HISTORIES)
    except ArgumentError:
        # `distance` says what is wrong: it knows whether the game has public states.
        return game


def distance(network: Network, exact: Exact | Game) -> float:
    """Returns the NashConv of a network's policy. Raises `ValueError` for a game too large for public states, too."""
    if isinstance(exact, Exact):
        return exact.policy(network).nash_conv
    with TemporaryDirectory() as folder:
        path = Path(folder) / NETWORK
        network.save(path)
        return nash_conv(exact, f"network:path={path},choose=sample", max_histories=MOST_HISTORIES)


#: The share of the best NashConv by which that of the last network may be above it without a warning.
_TOLERANCE = 0.1
#: The columns against an agent.
_PARTS = ("mean", "ci95", "sampled_mean", "sampled_ci95")


@dataclass
class Evaluation:
    """The measurements of a network while it learns.

    Each agent is met in the same `deals` paired deals at every evaluation: once the network takes its likeliest
    actions, once it draws them from its policy.
    """

    #: The game, or its name as for `stier.load_game`.
    game: AnyGame
    #: The agents that the network meets, agents of the engine; kept as text.
    against: Sequence[Any] = ("random",)
    #: The number of paired deals against each of them.
    deals: int = 500
    #: The seed of deals and agents.
    seed: int = 0
    #: For NashConv, all information sets of the game, or the game itself for its public states; None to leave it out.
    exact: Exact | Game | None = None
    #: Threads of the opponents; 0 for all cores.
    threads: int = 0
    #: Actions of which the chances are counted in `deals` games of the network against itself, by its probabilities.
    watch: Sequence[str] = ()
    #: An agent: chances are also counted apart by whether it would take the action.
    judge: AnyAgent | None = None

    def __post_init__(self) -> None:
        self.game = as_game(self.game)
        self.against = of_engine(tuple(self.against), self.game)
        self.deals = _arguments.whole("deals", self.deals, 2)
        self.threads = _arguments.threads(self.threads)
        for name in self.watch:
            self.game.string_to_action(name)

    @property
    def headlines(self) -> list[str]:
        """The columns with the results, without their details."""
        found = [f"eval/{agent}/{part}" for agent in self.against for part in _PARTS]
        found += [] if self.exact is None else ["eval/nash_conv"]
        verdicts = ("",) if self.judge is None else ("", "/judge_takes", "/judge_declines")
        return found + [f"eval/{name}/probability{verdict}" for name in self.watch for verdict in verdicts]

    @property
    def measure_of_best(self) -> str | None:
        """The column by which networks are compared; None if they are not.

        It is NashConv where it is computed, which is best when lowest. Otherwise it is the mean return of actions that
        are drawn from the network's policy, against the first agent of `against`.
        """
        if self.exact is not None:
            return "eval/nash_conv"
        return f"eval/{self.against[0]}/sampled_mean" if self.against else None

    def is_better(self, value: float, other: float) -> bool:
        """Returns true if a value of `measure_of_best` is better than another."""
        return value < other if self.exact is not None else value > other

    def is_clearly_worse(self, row: Mapping[str, float], best: Mapping[str, float]) -> bool:
        """Returns true if an evaluation is worse than another by more than little or chance.

        For NashConv this is a tenth of the lower value, for a mean return the 95 % interval of a difference between
        independent deals.
        """
        measure = self.measure_of_best
        if measure is None:
            return False
        if self.exact is not None:
            return row[measure] > (1 + _TOLERANCE) * best[measure]
        ends = [one[measure.replace("sampled_mean", "sampled_ci95")] for one in (row, best)]
        return row[measure] < best[measure] - math.hypot(*ends)

    def described(self) -> dict[str, Any]:
        """Returns all that the columns depend on, beside the network, as JSON can hold it."""
        named = self.judge is None or isinstance(self.judge, (str, Agent))
        return {
            "against": list(self.against),
            "deals": self.deals,
            "exact": self.exact is not None,
            "watch": list(self.watch),
            "judge": (self.judge and str(self.judge)) if named else type(self.judge).__name__,
        }

    def measure(self, network: Network) -> dict[str, float]:
        """Returns the columns of an evaluation.

        ``eval/AGENT/mean`` and ``eval/AGENT/ci95`` are the returns against an agent of the network's likeliest actions,
        ``eval/AGENT/sampled_mean`` and ``eval/AGENT/sampled_ci95`` those of actions drawn from its policy.
        ``eval/nash_conv`` is the distance of that policy from equilibrium. Of each watched action,
        ``eval/ACTION/share`` is the share of the chances that was taken and ``eval/ACTION/probability`` the mean
        probability of taking one, also by finished rounds (``…/probability/round_0``) and by the judge's verdict
        (``…/judge_takes``, ``…/judge_declines``): `chances`.
        """
        found: dict[str, float] = {}
        for agent in self.against:
            figures: list[float] = []
            choices: tuple[Literal["best"], Literal["sample"]] = ("best", "sample")
            for choose in choices:
                result = duel(network, agent, deals=self.deals, seed=self.seed, choose=choose, threads=self.threads)
                figures += [result.mean, result.ci95]
            found |= {f"eval/{agent}/{part}": value for part, value in zip(_PARTS, figures, strict=True)}
        if self.exact is not None:
            found["eval/nash_conv"] = distance(network, self.exact)
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
