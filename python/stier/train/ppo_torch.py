"""The PPO of `stier.train.ppo` in PyTorch: the same games, losses, schedules and settings.

The numbers are not the same: weights, actions and orders are drawn by PyTorch.
"""

from __future__ import annotations

import copy
import io
import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from stier._native import Game, derive_seed
from stier.errors import ArgumentError
from stier.network import Network
from stier.train._learner import (
    Critic,
    Decisions,
    Floats,
    Observations,
    SelfPlay,
    classes_of,
    described,
    digest,
    for_ppo,
)
from stier.train.settings import Settings

#: The metrics of the loss.
METRICS = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")


class Model(nn.Module):
    """A policy, a value head on the same hidden layers, and a critic, which is that head unless it sees more."""

    def __init__(self, settings: Settings, inputs: int, critic: Critic | None, actions: int) -> None:
        super().__init__()
        sizes = [inputs, *settings.hidden]
        self.hidden: Any = _layers(sizes)
        self.policy, self.value = _linear(sizes[-1], actions, 0.01), _linear(sizes[-1], 1, 1.0)
        self.critic: Any | None = None
        if critic is not None:
            sizes = [critic.inputs, *critic.hidden]
            self.critic, self.critic_value = _layers(sizes), _linear(sizes[-1], critic.outputs, critic.output_scale)

    def forward(self, observation: Tensor, critic: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the logarithms of the probabilities of all actions, the critic's values and the network's value."""
        x = _through(self.hidden, observation)
        value = self.value(x if self.critic is None else x.detach())
        values = value if self.critic is None else self.critic_value(_through(self.critic, critic))
        logits = torch.where(legal, self.policy(x), -1e9)
        return functional.log_softmax(logits, dim=1), values, value[:, 0]


def _value_of(values: Tensor, log_policy: Tensor, legal: Tensor) -> Tensor:
    if values.shape[1] == 1:
        return values[:, 0]
    return (log_policy.exp() * torch.where(legal, values, 0)).sum(1)


def _value_of_action(values: Tensor, action: Tensor) -> Tensor:
    return values[:, 0] if values.shape[1] == 1 else values.gather(1, action[:, None].long())[:, 0]


def _linear(inputs: int, outputs: int, scale: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, scale)
    nn.init.zeros_(layer.bias)
    return layer


def _layers(sizes: list[int]) -> nn.ModuleList:
    return nn.ModuleList(_linear(*pair, math.sqrt(2)) for pair in itertools.pairwise(sizes))


def _through(layers: nn.ModuleList, x: Tensor) -> Tensor:
    x = x.float()
    for layer in layers:
        x = functional.relu(layer(x))
    return x


@contextmanager
def one_thread() -> Iterator[None]:
    """Limits PyTorch to one thread for a while: with networks of this size more cost time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class PPO:
    """A learner: `iterate` plays and learns once; `stier.train.run` does the rest."""

    name = "ppo_torch"
    compiles = False

    @one_thread()
    def __init__(
        self, game: Game, settings: Settings, initial: Network | None = None, device: str | None = None
    ) -> None:
        self.game, self.settings = game, settings
        self.initial: str | None = digest(initial)
        try:
            self.device: Any = torch.zeros(1, device=device or "cpu").device
        except (RuntimeError, AssertionError) as error:
            raise ArgumentError(f"device must be one of PyTorch's, such as 'cuda:0', got {device!r}: {error}") from None
        self.play: SelfPlay = SelfPlay(game, settings)
        self.iteration = 0
        self.random: Any = torch.Generator()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(derive_seed(settings.seed, "ppo initial", 0))
            self.model: Model = Model(settings, self.play.inputs, self.play.critic, game.num_distinct_actions())
        if initial is not None:
            weights = for_ppo(initial, game, settings, self.play.scale)
            self.model.load_state_dict({name: torch.tensor(array.T) for name, array in weights.items()}, strict=False)
        self.model.to(self.device)
        #: The average of the weights, if there is one: the network that is kept.
        self.average: Any = copy.deepcopy(self.model) if settings.averaging else None
        self.optimizer: Any = torch.optim.Adam(self.model.parameters(), settings.learning_rate, eps=1e-5)

    @property
    def steps(self) -> int:
        """The decisions that have been learned from."""
        return self.iteration * self.settings.batch_size

    def choose(
        self, observation: Observations, critic: Observations, legal: npt.NDArray[np.bool_], _: int
    ) -> tuple[npt.NDArray[Any], Floats, Floats, Floats]:
        """Draws actions; returns them with the logarithms of the policy, values, and values of the actions."""
        with torch.inference_mode():
            seen = (torch.from_numpy(array).to(self.device) for array in (observation, critic, legal))
            log_policy, values, _ = (found.cpu() for found in self.model(*seen))
            # The largest of the logarithms with Gumbel noise is a draw.
            noise = torch.empty_like(log_policy).exponential_(generator=self.random).log_()
            action = (log_policy - noise).argmax(1)
            value = _value_of(values, log_policy, torch.from_numpy(legal))
            return action.numpy(), log_policy.numpy(), value.numpy(), _value_of_action(values, action).numpy()

    def advantages_of_actions(self, batch: Any) -> Tensor:
        """Returns the advantages of all actions, as `stier.train.ppo.advantages_of_actions`."""
        with torch.inference_mode():
            _, values, _ = self.model(batch.observation, batch.critic_observation, batch.legal)
            chosen = batch.action[:, None].long()
            found = values - _value_of(values, batch.log_policy, batch.legal)[:, None]
            correction = batch.advantages[:, None] * (-batch.log_policy.gather(1, chosen)).exp()
            return torch.where(batch.legal, found.scatter_add(1, chosen, correction), 0)

    def loss(
        self,
        batch: Any,
        log_magnet: Tensor | None,
        rows: Tensor,
        entropy_coefficient: float,
        magnet_coefficient: float,
    ) -> tuple[Tensor, Tensor]:
        """Returns the loss, and of its parts those of `METRICS`."""
        part: Any = Decisions(*(column[rows] for column in batch))
        log_policy, values, value = self.model(part.observation, part.critic_observation, part.legal)
        policy, log_ratios = log_policy.exp(), log_policy - part.log_policy

        def expected(of_actions: Tensor) -> Tensor:
            return (policy * torch.where(part.legal, of_actions, 0)).sum(1).mean()

        if self.settings.action_critic:
            ratio, weight = torch.where(part.legal, log_ratios, 0).exp(), part.log_policy.exp()
        else:
            ratio = log_ratios.gather(1, part.action[:, None].long())[:, 0].exp()
            weight = torch.ones_like(ratio)
        clipped = ratio.clamp(1 - self.settings.clip_range, 1 + self.settings.clip_range)

        policy_loss = -(weight * torch.minimum(ratio * part.advantages, clipped * part.advantages)).sum() / len(rows)
        value_loss = ((_value_of_action(values, part.action) - part.returns) ** 2).mean()
        if self.settings.central_critic:
            # The targets of actions that the policy draws are right on average for the decision, too.
            value_loss = value_loss + ((value - part.returns) ** 2).mean()
        entropy, approx_kl = -expected(log_policy), expected(log_ratios)
        total = (
            policy_loss
            - entropy_coefficient * entropy
            + self.settings.kl_coefficient * approx_kl
            + self.settings.value_coefficient * value_loss
        )
        if log_magnet is not None:
            total = total + magnet_coefficient * expected(log_policy - log_magnet[rows])
        clip_fraction = (weight * (ratio != clipped)).sum() / len(rows)
        return total, torch.stack([policy_loss, value_loss, entropy, approx_kl, clip_fraction]).detach()

    @one_thread()
    def iterate(self) -> dict[str, float]:
        """Plays, learns, and returns the metrics."""
        settings = self.settings
        learning_rate, entropy_coefficient = settings.schedule(self.steps)
        self.random.manual_seed(derive_seed(settings.seed, "ppo iteration", self.iteration))
        decisions, metrics = self.play.collect(self.choose)
        batch: Any = Decisions(*(torch.from_numpy(column).to(self.device) for column in decisions))
        if settings.action_critic:
            batch = batch._replace(advantages=self.advantages_of_actions(batch))
        log_magnet = None
        if settings.magnet_coefficient:
            with torch.inference_mode():
                log_magnet, _, _ = self.average(batch.observation, batch.critic_observation, batch.legal)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        found = []
        for _ in range(settings.epochs):
            order = torch.randperm(settings.batch_size, generator=self.random)
            for rows in order.chunk(settings.minibatches):
                magnet = settings.magnet(learning_rate)
                total, one = self.loss(batch, log_magnet, rows.to(self.device), entropy_coefficient, magnet)
                self.optimizer.zero_grad(set_to_none=True)
                total.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), settings.max_grad_norm)
                self.optimizer.step()
                found.append(one)
        self.iteration += 1
        if self.average is not None:
            weight = settings.newest_weight(self.iteration)
            with torch.no_grad():
                for old, new in zip(self.average.parameters(), self.model.parameters(), strict=True):
                    old.lerp_(new, weight)
        metrics |= dict(zip(METRICS, torch.stack(found).mean(0).tolist(), strict=True))
        return metrics | {"learning_rate": learning_rate, "entropy_coefficient": entropy_coefficient}

    def network(self) -> Network:
        """Returns the network as it is now, or its average. A critic that sees more is not part of it."""
        model = self.model if self.average is None else self.average

        def layer(linear: nn.Module) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
            weight, bias = (array.detach().cpu().numpy().copy() for array in (linear.weight, linear.bias))
            return np.ascontiguousarray(weight.T), bias

        return Network(
            game=self.game,
            hidden=tuple(map(layer, model.hidden)),
            policy=layer(model.policy),
            value=layer(model.value),
            value_scale=self.play.scale,
            training=described(self),
            classes=classes_of(self.game, self.settings),
            beliefs=self.settings.beliefs,
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns everything that the future depends on."""
        file = io.BytesIO()
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        if self.average is not None:
            state["average"] = self.average.state_dict()
        torch.save(state, file)
        return {
            "state": np.frombuffer(file.getvalue(), np.uint8),
            "iteration": np.array(self.iteration),
            **self.play.arrays(),
        }

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Continues from these arrays."""
        state = torch.load(io.BytesIO(arrays["state"].tobytes()), weights_only=True, map_location=self.device)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.average is not None:
            self.average.load_state_dict(state["average"])
        self.iteration = int(arrays["iteration"])
        self.play.restore(arrays)
