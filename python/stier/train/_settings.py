"""The settings of the algorithms, without their frameworks."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from dataclasses import dataclass
from typing import Any

from stier.errors import ArgumentError


class Checked:
    """A dataclass of settings: values are checked by the type of their default."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            value = _converted(field.name, getattr(self, field.name), field.default)
            object.__setattr__(self, field.name, value)

    @classmethod
    def meanings(cls) -> dict[str, str]:
        """Returns the meaning of each setting, from the docstring of the class."""
        _, _, listed = (inspect.getdoc(cls) or "").partition("Attributes:\n")
        found = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
        return {name: " ".join(text.split()) for name, text in found}

    def _at_least_one(self, *names: str) -> None:
        for name in names:
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name} must be at least 1, got {getattr(self, name)}")


def _converted(name: str, value: Any, default: Any) -> Any:
    """The value, if it can stand where the default does."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(default, tuple):
        widths = (value,) if whole else tuple(value) if isinstance(value, (tuple, list)) else ()
        if not all(isinstance(width, int) and width >= 1 for width in widths) or (not widths and value not in ((), [])):
            raise ArgumentError(f"{name} must be widths of layers, such as 256 or 256,256, got {value!r}")
        return widths
    if isinstance(default, bool):
        right, what = isinstance(value, bool), "True or False (on or off)"
    elif isinstance(default, int):
        right, what = whole, "a whole number"
    elif default is None:
        right, what = value is None or ((whole or isinstance(value, float)) and value > 0), "a number above 0, or None"
    else:
        right, what = whole or isinstance(value, float), "a number"
    if not right:
        raise ArgumentError(f"{name} must be {what}, got {value!r}")
    return value


@dataclass(frozen=True)
class Settings(Checked):
    """Settings of PPO. Rewards, values and the coefficients are in units of the payoff scale.

    Attributes:
        steps: Decisions of all seats, played in training.
        seed: The seed of games, weights and choices.
        hidden: Widths of the hidden layers.
        lanes: Games side by side.
        horizon: Decisions of each lane between two updates.
        epochs: Passes over the decisions in each update.
        minibatches: Parts of each pass, each with a gradient step.
        learning_rate: Adam's step size at the beginning; it falls linearly.
        last_learning_rate: Adam's step size at the end.
        entropy: The entropy bonus at the beginning; it falls geometrically.
        last_entropy: The entropy bonus at the end.
        annealed: The share of the steps after which the entropy bonus has reached its end.
        kl: The penalty for the Kullback-Leibler divergence from the policy that played (magnetic mirror descent).
        clip: How far a ratio of probabilities may be from 1 before its gradient is cut.
        lam: How far advantages look ahead.
        critic: The weight of the critic's error.
        max_norm: The largest norm of a gradient.
        central_critic: Whether the critic sees the observations of all seats; the policy never does. The critic is not
            kept: the network has no value head.
        payoff_scale: The payoff that counts as 1; None measures the standard deviation of returns between random
            players.
    """

    steps: int = 8_000_000
    seed: int = 0
    hidden: tuple[int, ...] = (256, 256)
    lanes: int = 512
    horizon: int = 32
    epochs: int = 2
    minibatches: int = 4
    learning_rate: float = 1e-3
    last_learning_rate: float = 1e-5
    entropy: float = 1.0
    last_entropy: float = 0.01
    annealed: float = 0.9
    kl: float = 0.0
    clip: float = 0.2
    lam: float = 0.95
    critic: float = 0.5
    max_norm: float = 0.5
    central_critic: bool = False
    payoff_scale: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least_one("steps", "lanes", "horizon", "epochs", "minibatches")
        for name in (
            "entropy",
            "last_entropy",
            "learning_rate",
            "last_learning_rate",
            "clip",
            "max_norm",
            "payoff_scale",
        ):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ArgumentError(f"{name} must be more than 0, got {value}")
        for name in ("kl", "critic"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ArgumentError(f"{name} must be at least 0, got {getattr(self, name)}")
        if not 0 <= self.lam <= 1:
            raise ArgumentError(f"lam must be 0 to 1, got {self.lam}")
        if not 0 < self.annealed <= 1:
            raise ArgumentError(f"annealed must be more than 0 and at most 1, got {self.annealed}")
        if self.batch % self.minibatches:
            raise ArgumentError(f"minibatches must divide lanes times horizon, {self.batch}, got {self.minibatches}")

    @property
    def batch(self) -> int:
        """Decisions between two updates."""
        return self.lanes * self.horizon

    def schedule(self, steps: int) -> tuple[float, float]:
        """Returns the learning rate and the entropy bonus after so many steps."""
        done = min(steps / self.steps, 1)
        share = min(done / self.annealed, 1)
        rate = self.learning_rate + done * (self.last_learning_rate - self.learning_rate)
        return rate, self.entropy ** (1 - share) * self.last_entropy**share


@dataclass(frozen=True)
class DMCSettings(Checked):
    """Settings of deep Monte Carlo. Values are in units of the payoff scale.

    Attributes:
        steps: Decisions of all seats, played in training.
        seed: The seed of games, weights and choices.
        hidden: Widths of the hidden layers.
        lanes: Games side by side; an update follows when each has been played.
        minibatch: Decisions in each gradient step.
        learning_rate: Adam's step size at the beginning; it falls linearly.
        last_learning_rate: Adam's step size at the end.
        epsilon: The share of random actions at the beginning; it falls linearly.
        last_epsilon: The share of random actions at the end.
        temperature: The temperature at which the network draws by its estimates, in units of the payoff scale.
        max_norm: The largest norm of a gradient.
        payoff_scale: The return that counts as 1; None measures the standard deviation of returns between random
            players.
    """

    steps: int = 8_000_000
    seed: int = 0
    hidden: tuple[int, ...] = (256, 256)
    lanes: int = 1024
    minibatch: int = 2048
    learning_rate: float = 1e-3
    last_learning_rate: float = 1e-5
    epsilon: float = 0.3
    last_epsilon: float = 0.02
    temperature: float = 0.02
    max_norm: float = 1.0
    payoff_scale: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least_one("steps", "lanes", "minibatch")
        for name in ("epsilon", "last_epsilon"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(f"{name} must be 0 to 1, got {getattr(self, name)}")
        if self.temperature <= 0:
            raise ArgumentError(f"temperature must be more than 0, got {self.temperature}")
