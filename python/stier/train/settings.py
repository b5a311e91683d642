"""The settings of the algorithms, without their frameworks."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from dataclasses import dataclass
from typing import Any

from stier.errors import ArgumentError

__all__ = ["CommonSettings", "DMCSettings", "DistillSettings", "Settings"]

#: Settings without effect unless another one is given.
NEEDS = {
    "opening_share": "opening",
    "opening_decisions": "opening",
    "barred_share": "barred",
    "barred_decisions": "barred",
    "action_critic": "central_critic",
    "critic_hidden": "central_critic",
}
#: Settings that are agents, or lists of them.
AGENTS = ("opponents", "opening")
#: The name of the learner itself among `opponents`.
SELF = "self"
#: Numbers from 0 to 1. All others are above 0, and so is the first.
SHARES = ("entropy_decay", "averaging", "opening_share", "barred_share", "exploration")


@dataclass(frozen=True)
class CommonSettings:
    """Settings that all algorithms have. Values are checked by the type of their default.

    Attributes:
        steps: The number of decisions to learn from, rounded up to whole updates.
        seed: The seed of games, weights and choices.
        hidden: Widths of the hidden layers.
        learning_rate: Adam's step size at the beginning; it falls linearly.
        final_learning_rate: Adam's step size at the end.
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
        symmetry: Sorts parts that can be exchanged without changing the game, such as suits, so that the network sees
            positions that differ by an exchange as one (`stier.Game.symmetry`). No effect in games without such parts.
    """

    steps: int = 8_000_000
    seed: int = 0
    hidden: tuple[int, ...] = (256, 256)
    learning_rate: float = 1e-3
    final_learning_rate: float = 1e-5
    opponents: tuple[str, ...] = (SELF,)
    opening: str = ""
    opening_share: float = 0.25
    opening_decisions: int = 8
    barred: str = ""
    barred_share: float = 0.25
    barred_decisions: int = 8
    symmetry: bool = True

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = _converted(field.name, getattr(self, field.name), field.default)
            object.__setattr__(self, field.name, value)
        for field in dataclasses.fields(self):
            value, needed = getattr(self, field.name), NEEDS.get(field.name)
            if needed and value != field.default and not getattr(self, needed):
                raise ArgumentError(f"{field.name}={value} needs {needed}")

    def learning_rate_after(self, steps: int) -> float:
        """Returns the learning rate after so many steps."""
        return linear(self.learning_rate, self.final_learning_rate, min(steps / self.steps, 1))

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


def _converted(name: str, value: Any, default: Any) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    number = whole or isinstance(value, float)
    if name == "opponents":
        value = (value,) if isinstance(value, str) else value
        right = isinstance(value, (tuple, list)) and value and all(isinstance(agent, str) for agent in value)
        what = "names of agents, such as 'self' or 'greedy'"
    elif isinstance(default, tuple):
        widths = (value,) if whole else value
        right = isinstance(widths, (tuple, list)) and all(isinstance(width, int) and width >= 1 for width in widths)
        what = "widths of layers, such as 256 or 256,256"
        value = widths if right else value
    elif isinstance(default, bool):
        right, what = isinstance(value, bool), "True or False (on or off)"
    elif isinstance(default, str):
        right, what = isinstance(value, str), "text"
    elif isinstance(default, int):
        right, what = whole, "a whole number"
        if whole and name != "seed":
            right, what = value >= 1, "at least 1"
    else:
        right, what = number, "a number"
        if number and name in SHARES:
            right, what = 0 <= value <= 1, "between 0 and 1"
        if right and name not in SHARES[1:]:
            right, what = 0 < value < math.inf, "more than 0"
    if not right:
        raise ArgumentError(f"{name} must be {what}, got {value!r}")
    return tuple(value) if isinstance(default, tuple) and isinstance(value, (tuple, list)) else value


def linear(first: float, last: float, done: float) -> float:
    """Returns the value of a linear schedule after a share of the steps."""
    return first + done * (last - first)


@dataclass(frozen=True)
class Settings(CommonSettings):
    """Settings of PPO, beside `CommonSettings`. Coefficients are in units of the standard deviation of random returns.

    Attributes:
        num_envs: The number of games side by side.
        horizon: Decisions in each game between two updates.
        minibatches: Parts of each of the two passes over the decisions, each with a gradient step.
        entropy_coefficient: The entropy bonus at the beginning; it falls geometrically.
        final_entropy_coefficient: The entropy bonus at the end: 0.05 keeps what has been learned in poker.
        entropy_decay: The share of the steps after which the entropy bonus has reached its end.
        averaging: Saves an exponential average of the weights over this share of the steps, instead of the last
            weights; 0 turns it off. The games of training are played by the last weights, which circle around an
            equilibrium of mixed strategies; use 3e-4 as the final learning rate there.
        central_critic: Shows the observations of all seats to the critic, which has layers of its own and is not kept.
            The network never sees them, and its hidden layers learn from the policy alone; the value head reads them.
        action_critic: Lets a central critic value every action. The policy then learns from all legal actions of a
            decision, not only from the one that was chosen.
        critic_hidden: Widths of the hidden layers of a central critic; as `hidden` if there are none.
    """

    num_envs: int = 512
    horizon: int = 32
    minibatches: int = 16
    entropy_coefficient: float = 1.0
    final_entropy_coefficient: float = 0.004
    entropy_decay: float = 0.5
    averaging: float = 0.0
    central_critic: bool = False
    action_critic: bool = False
    critic_hidden: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch_size % self.minibatches:
            about = f"minibatches must divide num_envs times horizon, {self.batch_size}"
            raise ArgumentError(f"{about}, got {self.minibatches}")

    @property
    def batch_size(self) -> int:
        """Decisions between two updates."""
        return self.num_envs * self.horizon

    def entropy_after(self, steps: int) -> float:
        """Returns the entropy bonus after so many steps."""
        share = min(min(steps / self.steps, 1) / self.entropy_decay, 1)
        return float(self.entropy_coefficient ** (1 - share) * self.final_entropy_coefficient**share)

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
    """Settings of deep Monte Carlo, beside `CommonSettings`.

    Attributes:
        num_envs: The number of games side by side; an update follows when each has been played.
        minibatch_size: Decisions in each gradient step.
    """

    num_envs: int = 1024
    minibatch_size: int = 2048


@dataclass(frozen=True)
class DistillSettings(CommonSettings):
    """Settings of distillation, beside `CommonSettings`.

    Attributes:
        hidden: Widths of the hidden layers. Those of the first, an even number, are multiplied in pairs.
        teacher: The file of the network to learn from. The network that comes with the game if there is none.
        num_envs: The number of games side by side. The student plays the first half of them, the teacher the others.
        horizon: Decisions in each game between two updates.
        minibatches: Parts of the decisions, each with a gradient step.
        exploration: The share of actions that are drawn uniformly.
    """

    hidden: tuple[int, ...] = (512, 32, 32)
    teacher: str = ""
    num_envs: int = 4096
    horizon: int = 8
    minibatches: int = 4
    exploration: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_envs * self.horizon % self.minibatches:
            about = f"minibatches must divide num_envs times horizon, {self.num_envs * self.horizon}"
            raise ArgumentError(f"{about}, got {self.minibatches}")
