"""The settings of the algorithms, without their frameworks."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from dataclasses import dataclass
from typing import Any

from stier.errors import ArgumentError

__all__ = ["CommonSettings", "DMCSettings", "Settings"]

#: Settings without effect unless another one is given.
NEEDS = {
    "opening_share": "opening",
    "opening_decisions": "opening",
    "barred_share": "barred",
    "barred_decisions": "barred",
    "action_critic": "central_critic",
    "critic_hidden": "central_critic",
    "magnet_coefficient": "averaging",
}
#: Settings that are agents, or lists of them.
AGENTS = ("opponents", "opening", "beliefs")
#: The name of the learner itself among `opponents`.
SELF = "self"


@dataclass(frozen=True)
class CommonSettings:
    """Settings that all algorithms have. Values are checked by the type of their default.

    Attributes:
        steps: The number of decisions to learn from, rounded up to whole updates.
        seed: The seed of games, weights and choices.
        hidden: Widths of the hidden layers.
        learning_rate: Adam's step size at the beginning; it falls linearly.
        final_learning_rate: Adam's step size at the end.
        max_grad_norm: The largest norm of a gradient.
        payoff_scale: The payoff that counts as 1; None measures the standard deviation of returns between random
            players.
        opponents: The agents at the other seats. 'self' is the learner, which then decides for all seats. With several,
            the environments are split evenly among them.
        opening: An agent that begins some of the games, at all seats, so that rare positions are learned, too
            (exploring starts); none if it is empty.
        opening_share: The share of the games that it begins.
        opening_decisions: The largest number of its decisions in a game; each number from 1 is equally likely. A game
            that would end in its opening starts without one.
        barred: An action that the learner may not choose at the beginning of some of the games, such as 'attack', so
            that it also learns what follows when nobody chooses it; none if it is empty. Other agents may choose it.
            The network is not shown that it is barred; a central critic is.
        barred_share: The share of these games.
        barred_decisions: The largest number of decisions, of all players together, from the start of the game, at which
            it is barred; each number from 1 is equally likely. To play some games entirely without the action, set it
            above the last decision at which it is legal.
        beliefs: An agent whose beliefs about the cards are inputs of the network after the observation, as in
            `stier.VectorEnv`; none if it is empty. The posterior of a responder is the belief of
            'lbr:against=AGENT,epsilon=0', with the agent that it exploits. Other agents, such as 'greedy', and fewer
            than 64 particles give beliefs by chance alone. Files that the agent names must stay as they are.
        symmetry: Sorts parts that can be exchanged without changing the game, such as suits, so that the network sees
            positions that differ by an exchange as one (`stier.Game.symmetry`). No effect in games without such parts.
            Beliefs take part in the order only as above or below one half, so few positions stay apart.
    """

    steps: int = 8_000_000
    seed: int = 0
    hidden: tuple[int, ...] = (256, 256)
    learning_rate: float = 1e-3
    final_learning_rate: float = 1e-5
    max_grad_norm: float = 0.5
    payoff_scale: float | None = None
    opponents: tuple[str, ...] = (SELF,)
    opening: str = ""
    opening_share: float = 0.25
    opening_decisions: int = 8
    barred: str = ""
    barred_share: float = 0.25
    barred_decisions: int = 8
    beliefs: str = ""
    symmetry: bool = True

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = _converted(field.name, getattr(self, field.name), field.default)
            object.__setattr__(self, field.name, value)
        self._check()
        for field in dataclasses.fields(self):
            value, needed = getattr(self, field.name), NEEDS.get(field.name)
            if needed and value != field.default and not getattr(self, needed):
                raise ArgumentError(f"{field.name}={value} needs {needed}")

    def _check(self) -> None:
        """Refuses values out of range, and those that do not go together."""
        for name in ("learning_rate", "final_learning_rate", "max_grad_norm", "payoff_scale"):
            self._more_than_zero(name)
        self._at_least_one("steps", "opening_decisions", "barred_decisions")
        self._share("opening_share", "barred_share")

    @classmethod
    def meanings(cls) -> dict[str, str]:
        """Returns the meaning of each setting, from the docstring of the class."""
        _, _, listed = (inspect.getdoc(cls) or "").partition("Attributes:\n")
        found = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
        return {name: " ".join(text.split()) for name, text in found}

    @classmethod
    def of_responder(cls, *, begun: bool) -> dict[str, Any]:
        """Returns the defaults that differ in `stier.train.best_response`; `begun` if it starts from a network."""
        return {}

    def _at_least_one(self, *names: str) -> None:
        for name in names:
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name} must be at least 1, got {getattr(self, name)}")

    def _more_than_zero(self, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ArgumentError(f"{name} must be more than 0, got {value}")

    def _share(self, *names: str) -> None:
        for name in names:
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(f"{name} must be between 0 and 1, got {getattr(self, name)}")


def _converted(name: str, value: Any, default: Any) -> Any:
    """The value, if it can stand where the default does."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if default == (SELF,):
        agents = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, (tuple, list)) else ()
        if not agents or not all(isinstance(agent, str) for agent in agents):
            raise ArgumentError(f"{name} must be names of agents, such as 'self' or 'greedy', got {value!r}")
        return agents
    if isinstance(default, tuple):
        widths = (value,) if whole else tuple(value) if isinstance(value, (tuple, list)) else ()
        if not all(isinstance(width, int) and width >= 1 for width in widths) or (not widths and value not in ((), [])):
            raise ArgumentError(f"{name} must be widths of layers, such as 256 or 256,256, got {value!r}")
        return widths
    if isinstance(default, bool):
        right, what = isinstance(value, bool), "True or False (on or off)"
    elif isinstance(default, str):
        right, what = isinstance(value, str), "text"
    elif isinstance(default, int):
        right, what = whole, "a whole number"
    elif default is None:
        right, what = value is None or ((whole or isinstance(value, float)) and value > 0), "a number above 0, or None"
    else:
        right, what = whole or isinstance(value, float), "a number"
    if not right:
        raise ArgumentError(f"{name} must be {what}, got {value!r}")
    return value


def linear(first: float, last: float, done: float) -> float:
    """Returns the value of a linear schedule after a share of the steps."""
    return first + done * (last - first)


@dataclass(frozen=True)
class Settings(CommonSettings):
    """Settings of PPO, beside `CommonSettings`. Rewards, values and the coefficients are in units of the payoff scale.

    Attributes:
        num_envs: The number of games side by side.
        horizon: Decisions in each game between two updates.
        epochs: Passes over the decisions in each update.
        minibatches: Parts of each pass, each with a gradient step.
        final_learning_rate: Adam's step size at the end. Where strategies are mixed, small steps stop the weights
            somewhere on their way around the equilibrium: use 3e-4 there, with `averaging`.
        entropy_coefficient: The entropy bonus at the beginning; it falls geometrically.
        final_entropy_coefficient: The entropy bonus at the end: 0.05 keeps what has been learned in poker.
        entropy_decay: The share of the steps after which the entropy bonus has reached its end.
        kl_coefficient: The penalty for the Kullback-Leibler divergence from the policy that played (magnetic mirror
            descent).
        averaging: Saves an exponential average of the weights over this share of the steps, instead of the last
            weights; 0 turns it off. The games of training are played by the last weights, which circle around an
            equilibrium of mixed strategies.
        magnet_coefficient: The penalty at the beginning for the Kullback-Leibler divergence from the policy of the
            averaged weights. It falls in proportion to the learning rate. Needs `averaging`.
        clip_range: The distance of a ratio of probabilities from 1 at which its gradient is clipped.
        gae_lambda: The discount of later errors of the critic in the advantages, 0 to 1.
        value_coefficient: The weight of the value loss.
        central_critic: Shows the observations of all seats to the critic, which has layers of its own and is not kept.
            The network never sees them, and its hidden layers learn from the policy alone; the value head reads them.
        action_critic: Lets a central critic value every action. The policy then learns from all legal actions of a
            decision, not only from the one that was chosen.
        critic_hidden: Widths of the hidden layers of a central critic; as `hidden` if there are none.
    """

    num_envs: int = 512
    horizon: int = 32
    epochs: int = 2
    minibatches: int = 16
    final_learning_rate: float = 1e-5
    entropy_coefficient: float = 1.0
    final_entropy_coefficient: float = 0.004
    entropy_decay: float = 0.5
    kl_coefficient: float = 0.0
    averaging: float = 0.0
    magnet_coefficient: float = 0.0
    clip_range: float = 0.2
    gae_lambda: float = 0.95
    value_coefficient: float = 0.5
    central_critic: bool = False
    action_critic: bool = False
    critic_hidden: tuple[int, ...] = ()

    def _check(self) -> None:
        super()._check()
        self._at_least_one("num_envs", "horizon", "epochs", "minibatches")
        self._more_than_zero("entropy_coefficient", "final_entropy_coefficient", "clip_range", "entropy_decay")
        self._share("gae_lambda", "entropy_decay", "averaging")
        for name in ("kl_coefficient", "magnet_coefficient", "value_coefficient"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ArgumentError(f"{name} must be at least 0, got {getattr(self, name)}")
        if self.batch_size % self.minibatches:
            about = f"minibatches must divide num_envs times horizon, {self.batch_size}"
            raise ArgumentError(f"{about}, got {self.minibatches}")

    @property
    def batch_size(self) -> int:
        """Decisions between two updates."""
        return self.num_envs * self.horizon

    def schedule(self, steps: int) -> tuple[float, float]:
        """Returns the learning rate and the entropy bonus after so many steps."""
        done = min(steps / self.steps, 1)
        share = min(done / self.entropy_decay, 1)
        entropy = self.entropy_coefficient ** (1 - share) * self.final_entropy_coefficient**share
        return linear(self.learning_rate, self.final_learning_rate, done), entropy

    def magnet(self, learning_rate: Any) -> Any:
        """Returns the penalty for the distance from the averaged network, at this learning rate."""
        return self.magnet_coefficient * learning_rate / self.learning_rate

    def newest_weight(self, iteration: int) -> float:
        """Returns the weight of the newest network in the average after so many iterations, from 1 on."""
        return max(1 / iteration, 1 / max(1.0, self.averaging * self.steps / self.batch_size))

    @classmethod
    def of_responder(cls, *, begun: bool) -> dict[str, Any]:
        """Returns the defaults that differ in `stier.train.best_response`; `begun` if it starts from a network."""
        found: dict[str, Any] = {"num_envs": 256, "minibatches": 4, "central_critic": True}
        found |= {"final_entropy_coefficient": 0.002, "entropy_decay": 0.9}
        # A large entropy bonus would make the network forget.
        return found | ({"entropy_coefficient": 0.05} if begun else {})


@dataclass(frozen=True)
class DMCSettings(CommonSettings):
    """Settings of deep Monte Carlo, beside `CommonSettings`. Values are in units of the payoff scale.

    Attributes:
        num_envs: The number of games side by side; an update follows when each has been played.
        minibatch_size: Decisions in each gradient step.
        epsilon: The share of random actions at the beginning; it falls linearly.
        final_epsilon: The share of random actions at the end.
        temperature: The temperature at which the network draws by its estimates, in units of the payoff scale.
        max_grad_norm: The largest norm of a gradient.
    """

    num_envs: int = 1024
    minibatch_size: int = 2048
    epsilon: float = 0.3
    final_epsilon: float = 0.02
    temperature: float = 0.02
    max_grad_norm: float = 1.0

    def _check(self) -> None:
        super()._check()
        self._at_least_one("num_envs", "minibatch_size")
        self._share("epsilon", "final_epsilon")
        self._more_than_zero("temperature")

    def schedule(self, steps: int) -> tuple[float, float]:
        """Returns the learning rate and epsilon after so many steps."""
        done = min(steps / self.steps, 1)
        return (
            linear(self.learning_rate, self.final_learning_rate, done),
            linear(self.epsilon, self.final_epsilon, done),
        )
