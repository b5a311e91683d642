"""Self-play that knows no framework: the settings of PPO, the games, and what is learned from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stier._native import Game, VectorEnv, derive_seed
from stier.errors import ArgumentError
from stier.train._gae import gae

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Settings:
    """How PPO learns. Rewards, values and the coefficients are in units of the payoff scale."""

    #: Decisions of all seats, to be played in training.
    steps: int = 8_000_000
    #: The seed of the games, the first weights and the order of updates.
    seed: int = 0
    #: Widths of the hidden layers.
    hidden: tuple[int, ...] = (256, 256)
    #: Games side by side.
    lanes: int = 512
    #: Decisions of each lane between two updates.
    horizon: int = 32
    #: Passes over the decisions of each update.
    epochs: int = 2
    #: Gradient steps per pass: the parts into which its decisions are divided.
    minibatches: int = 4
    #: Adam's step size at the start.
    learning_rate: float = 1e-3
    #: Adam's step size at the end; it falls linearly.
    last_learning_rate: float = 1e-5
    #: The coefficient of the entropy bonus at the start.
    entropy: float = 1.0
    #: The coefficient of the entropy bonus at the end; it falls geometrically.
    last_entropy: float = 0.01
    #: The share of the steps after which the entropy bonus stays at its last value.
    annealed: float = 0.9
    #: The penalty for the Kullback-Leibler divergence from the policy that played (MMD's).
    kl: float = 0.0
    #: How far a ratio of probabilities may be from 1 before its gradient is cut.
    clip: float = 0.2
    #: How far advantages look ahead.
    lam: float = 0.95
    #: The weight of the critic's error.
    critic: float = 0.5
    #: The largest norm of a gradient.
    max_norm: float = 0.5
    #: Whether the critic sees all seats' observations; the policy never does.
    central_critic: bool = False
    #: What counts as a payoff of 1; None measures the standard deviation of returns between random players.
    payoff_scale: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
        at_least_one = ("steps", "lanes", "horizon", "epochs", "minibatches")
        for name in at_least_one:
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name} must be at least 1, not {getattr(self, name)}")
        if any(width < 1 for width in self.hidden):
            raise ArgumentError(f"hidden layers are at least 1 wide, not {self.hidden}")
        for name in ("entropy", "last_entropy"):
            if getattr(self, name) <= 0:
                raise ArgumentError(f"{name} must be more than 0, not {getattr(self, name)}")
        if not 0 < self.annealed <= 1:
            raise ArgumentError(f"annealed must be more than 0 and at most 1, not {self.annealed}")
        if self.batch % self.minibatches:
            raise ArgumentError(f"minibatches must divide lanes times horizon, {self.batch}, not be {self.minibatches}")

    @property
    def batch(self) -> int:
        """Decisions between two updates."""
        return self.lanes * self.horizon

    def schedule(self, steps: int) -> tuple[float, float]:
        """Give the learning rate and the entropy bonus after so many steps."""
        done = min(steps / self.steps, 1)
        share = min(done / self.annealed, 1)
        rate = self.learning_rate + done * (self.last_learning_rate - self.learning_rate)
        return rate, self.entropy ** (1 - share) * self.last_entropy**share


class Decisions(NamedTuple):
    """Decisions to learn from: ``(decisions, …)``, each from the perspective of who decided."""

    #: What the player saw (uint8), and what the critic saw: the same array unless it sees more.
    observation: npt.NDArray[np.uint8]
    critic_observation: npt.NDArray[np.uint8]
    legal: npt.NDArray[np.bool_]
    action: npt.NDArray[np.int32]
    #: The policy that decided, by its logarithms.
    log_policy: Floats
    advantage: Floats
    #: What the critic should have said.
    target: Floats
    #: 0 where nothing is known of what followed, else 1.
    weight: Floats


#: Asked with observations, what the critic sees, legal actions and the number of the step: gives actions, the
#: logarithms of the policy, and values.
Choose = Callable[
    [npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.bool_], int], tuple[npt.NDArray[Any], Floats, Floats]
]


class SelfPlay:
    """Games side by side in which one policy decides for all seats."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self.game, self.settings = game, settings
        self.scale = settings.payoff_scale or spread_of_returns(game, settings.seed)
        self.zero_sum = game.num_players() == 2 and game.utility_sum() == 0
        self.envs = VectorEnv(
            game, settings.lanes, seed=derive_seed(settings.seed, "training games", 0), observation="uint8", threads=1
        )
        self.envs.reset()

    @property
    def inputs(self) -> int:
        """The size of an observation."""
        return self.envs.observation_shape[0]

    @property
    def critic_inputs(self) -> int:
        """The size of what the critic sees."""
        return self.inputs * (self.game.num_players() if self.settings.central_critic else 1)

    def collect(self, choose: Choose) -> tuple[Decisions, dict[str, float]]:
        """Play on in all lanes; the last values are those of decisions that are still to be made."""
        horizon, lanes = self.settings.horizon, self.settings.lanes
        actions, players = self.game.num_distinct_actions(), self.game.num_players()
        observation = np.empty((horizon + 1, lanes, self.inputs), np.uint8)
        critic = observation
        if self.settings.central_critic:
            critic = np.empty((horizon + 1, lanes, self.critic_inputs), np.uint8)
        legal = np.empty((horizon + 1, lanes, actions), np.int8)
        player = np.empty((horizon + 1, lanes), np.int32)
        rewards = np.empty((horizon, lanes, players), np.float32)
        terminated = np.empty((horizon, lanes), bool)
        values = np.empty((horizon + 1, lanes), np.float32)
        action = np.empty((horizon, lanes), np.int32)
        log_policy = np.empty((horizon, lanes, actions), np.float32)
        now = self.envs.observe()
        observation[0], legal[0], player[0] = now.observation, now.action_mask, now.current_player
        for step in range(horizon + 1):
            if self.settings.central_critic:
                critic[step] = self.envs.perfect_information_observation().reshape(lanes, -1)
            chosen, policy, values[step] = choose(observation[step], critic[step], legal[step].view(bool), step)
            if step == horizon:
                break
            action[step], log_policy[step] = chosen, policy
            self.envs.step_into(
                action[step],
                observation=observation[step + 1],
                action_mask=legal[step + 1],
                rewards=rewards[step],
                terminated=terminated[step],
                current_player=player[step + 1],
            )
        known = gae(rewards / self.scale, values, terminated, player, lam=self.settings.lam, zero_sum=self.zero_sum)
        decisions = Decisions(
            observation=_flat(observation[:-1]),
            critic_observation=_flat(critic[:-1]),
            legal=_flat(legal[:-1]).view(bool),
            action=_flat(action),
            log_policy=_flat(log_policy),
            advantage=_flat(known.advantages),
            target=_flat(known.returns),
            weight=_flat(known.known).astype(np.float32),
        )
        return decisions, {"games": float(terminated.sum())}


def _flat(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return x.reshape(-1, *x.shape[2:])


def spread_of_returns(game: Game, seed: int, games: int = 4096) -> float:
    """Give the standard deviation of the returns of random players: how much is at stake."""
    envs = VectorEnv(game, games, seed=derive_seed(seed, "payoff scale", 0), observation=None, autoreset=False)
    batch, returns = envs.reset(), np.zeros((games, game.num_players()))
    while not batch.terminated.all():
        batch = envs.step(envs.sample_actions())
        returns += batch.rewards
    return float(returns.std())
