"""Self-play that knows no framework: the games, and the decisions that are learned from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stier._native import Game, VectorEnv, derive_seed
from stier.train._gae import gae
from stier.train._settings import Settings

Floats = npt.NDArray[np.float32]


class Decisions(NamedTuple):
    """Decisions to learn from: ``(decisions, …)``, each from the perspective of the player who decided."""

    #: The player's observations (uint8).
    observation: npt.NDArray[np.uint8]
    #: The critic's observations: the same array unless it sees more.
    critic_observation: npt.NDArray[np.uint8]
    legal: npt.NDArray[np.bool_]
    action: npt.NDArray[np.int32]
    #: The logarithms of the policy that decided.
    log_policy: Floats
    advantage: Floats
    #: The critic's target.
    target: Floats


class Step(NamedTuple):
    """One decision in each lane, and what followed it."""

    observation: npt.NDArray[np.uint8]
    critic_observation: npt.NDArray[np.uint8]
    legal: npt.NDArray[np.bool_]
    player: npt.NDArray[np.int32]
    action: npt.NDArray[np.int32]
    log_policy: Floats
    value: Floats
    rewards: Floats
    terminated: npt.NDArray[np.bool_]


#: Called with observations, what the critic sees, legal actions and the number of the call: returns actions, the
#: logarithms of the policy, and values.
Choose = Callable[
    [npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.bool_], int], tuple[npt.NDArray[Any], Floats, Floats]
]


class SelfPlay:
    """Games side by side in which one policy decides for all seats.

    Each decision is learned from once, with a known advantage. After `horizon` steps play goes on until every player
    has decided again or its game is over; these further steps, played by the policy before the update, are the first
    of the next batch. None is dropped, for which ones could be used depends on who won (see :func:`stier.train.gae`).
    """

    def __init__(self, game: Game, settings: Settings) -> None:
        self.game, self.settings = game, settings
        self.scale = settings.payoff_scale or spread_of_returns(game, settings.seed)
        # Minus the opponent's value is unbiased for a critic that sees everything, and comes sooner than the own one.
        self.zero_sum = settings.central_critic and game.num_players() == 2 and game.utility_sum() == 0
        self.envs = VectorEnv(
            game, settings.lanes, seed=derive_seed(settings.seed, "training games", 0), observation="uint8", threads=1
        )
        self.envs.reset()
        #: Steps that have been played and not been learned from.
        self.ahead: list[Step] = []

    @property
    def inputs(self) -> int:
        """The size of an observation."""
        return self.envs.observation_shape[0]

    @property
    def critic_inputs(self) -> int:
        """The size of what the critic sees."""
        return self.inputs * (self.game.num_players() if self.settings.central_critic else 1)

    def collect(self, choose: Choose) -> tuple[Decisions, dict[str, float]]:
        """Plays on in all lanes, and returns the next `horizon` decisions of each."""
        horizon, lanes = self.settings.horizon, self.settings.lanes
        steps, calls = self.ahead, 0
        batch = self.envs.observe()
        # Players whose decision within the horizon has no successor yet.
        waiting = np.zeros((lanes, self.game.num_players()), bool)
        for number, step in enumerate(steps):
            _wait(waiting, step.player, step.terminated, number < horizon)
        while True:
            observation, player, legal = batch.observation, batch.current_player, batch.legal_action_mask
            critic = observation
            if self.settings.central_critic:
                critic = self.envs.perfect_information_observation().reshape(lanes, -1)
            action, log_policy, value = choose(observation, critic, legal, calls)
            calls += 1
            waiting[np.arange(lanes), player] = False
            if len(steps) >= horizon and (self.zero_sum or not waiting.any()):
                break
            batch = self.envs.step(action)
            _wait(waiting, player, batch.terminated, len(steps) < horizon)
            played = np.asarray(action, np.int32)
            steps.append(
                Step(observation, critic, legal, player, played, log_policy, value, batch.rewards, batch.terminated)
            )
        self.ahead = steps[horizon:]
        found = gae(
            np.stack([step.rewards for step in steps]) / self.scale,
            np.stack([*(step.value for step in steps), value]),
            np.stack([step.terminated for step in steps]),
            np.stack([*(step.player for step in steps), player]),
            lam=self.settings.lam,
            horizon=horizon,
            zero_sum=self.zero_sum,
            sees_all=self.zero_sum,
        )
        learned = steps[:horizon]
        observation = np.concatenate([step.observation for step in learned])
        critic = observation
        if self.settings.central_critic:
            critic = np.concatenate([step.critic_observation for step in learned])
        decisions = Decisions(
            observation=observation,
            critic_observation=critic,
            legal=np.concatenate([step.legal for step in learned]),
            action=np.concatenate([step.action for step in learned]),
            log_policy=np.concatenate([step.log_policy for step in learned]),
            advantage=found.advantages.reshape(-1),
            target=found.returns.reshape(-1),
        )
        return decisions, {"games": float(sum(step.terminated.sum() for step in learned))}

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns everything that later play depends on."""
        found = {"games": np.frombuffer(self.envs.get_state(), np.uint8)}
        for number, step in enumerate(self.ahead):
            found |= {f"ahead.{number}.{name}": array for name, array in step._asdict().items()}
        return found

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Goes on from there."""
        self.envs.set_state(arrays["games"].tobytes())
        count = sum(name.endswith(".rewards") for name in arrays)
        self.ahead = [Step(*(arrays[f"ahead.{number}.{name}"] for name in Step._fields)) for number in range(count)]


def _wait(
    waiting: npt.NDArray[np.bool_], player: npt.NDArray[np.int32], terminated: npt.NDArray[np.bool_], learned: bool
) -> None:
    """Notes a decision in each lane: its player waits for its successor if it is to be learned from."""
    waiting[np.arange(len(player)), player] = learned
    waiting[terminated] = False


def spread_of_returns(game: Game, seed: int, games: int = 4096) -> float:
    """Returns the standard deviation of the returns of random players: how much is at stake."""
    envs = VectorEnv(game, games, seed=derive_seed(seed, "payoff scale", 0), observation=None, autoreset=False)
    batch, returns = envs.reset(), np.zeros((games, game.num_players()))
    while not batch.terminated.all():
        batch = envs.step(envs.sample_actions())
        returns += batch.rewards
    return float(returns.std())
