"""Distillation in JAX: a network in integers learns to play as another network does.

Teacher and student play against themselves, and the teacher says at every position how it would play and what it
expects. The student learns from the Kullback-Leibler divergence and from the squared error of the values (A. Rusu et
al. 2015, *Policy Distillation*, arXiv:1511.06295). The teacher is asked where the student's own play leads, too. In
training, weights and units are rounded as they will be in integers, and gradients pass the rounding as if it were not
there (B. Jacob et al. 2017, arXiv:1712.05877).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from stier._native import Game
from stier.errors import ArgumentError
from stier.network import MOST, PRODUCT, Network
from stier.train._checkpoint import network_of
from stier.train._environments import Environments, Floats
from stier.train._jax import JaxLearner, Params, digest, hidden_layers, on_device, optimizer_of
from stier.train.settings import DistillSettings

#: Binary digits after the point of the weights, which are bytes, in the second layer, later ones and the heads. In the
#: first layer, 127 is 1, as in units.
SECOND, LATER, HEADS = 7, 6, 5
#: The factor from the sums of the heads to logits and values.
FACTOR = 1 / (MOST * 2**HEADS)
#: The weight of the value loss.
VALUE_COEFFICIENT = 0.5

optimizer = optimizer_of(max_grad_norm=1.0)


def rounded(x: jax.Array, found: jax.Array) -> jax.Array:
    """Returns `found`, with the gradient of `x`."""
    return x + jax.lax.stop_gradient(found - x)


def scale_of(layer: str) -> int:
    """Returns the integer that stands for a weight of 1."""
    if layer == "hidden.0":
        return MOST
    return 1 << {"hidden.1": SECOND, "policy": HEADS, "value": HEADS}.get(layer, LATER)


def sums(params: Params, layer: str, x: jax.Array) -> jax.Array:
    """Returns the sums of a layer, as integers; its inputs are zeros and ones, or units."""
    scale = scale_of(layer)
    weight, bias = params[f"{layer}.weight"] * scale, params[f"{layer}.bias"] * bias_of(layer)
    return x @ rounded(weight, jnp.round(jnp.clip(weight, -MOST, MOST))) + rounded(bias, jnp.round(bias))


def bias_of(layer: str) -> int:
    """Returns the integer that stands for a bias of 1."""
    return scale_of(layer) if layer == "hidden.0" else scale_of(layer) * MOST


def student(params: Params, observation: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns logits and values of a network that is rounded to integers: those of `in_integers`."""
    x, layer = observation.astype(jnp.float32), 0
    while f"hidden.{layer}.weight" in params:
        name = f"hidden.{layer}"
        clipped = jnp.clip(sums(params, name, x) / 2 ** shift_of(name), 0, MOST)
        x = rounded(clipped, jnp.floor(clipped + 0.5))
        if layer == 0:
            first, second = jnp.split(x, 2, axis=1)
            x = rounded(first * second / PRODUCT, jnp.floor(first * second / PRODUCT))
        layer += 1
    logits, value = (sums(params, head, x) * np.float32(FACTOR) for head in ("policy", "value"))
    return logits, value[:, 0]


def shift_of(layer: str) -> int:
    """Returns the binary digits between the sums of a layer and its units."""
    return 0 if layer == "hidden.0" else scale_of(layer).bit_length() - 1


def teacher(params: Params, observation: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns logits and values of a network in single precision."""
    x = hidden_layers(params, "hidden", observation)
    logits, value = (x @ params[f"{head}.weight"] + params[f"{head}.bias"] for head in ("policy", "value"))
    return logits, value[:, 0]


@functools.partial(jax.jit, static_argnames="teach")
def act(
    params: Params,
    teaching: Params,
    observation: jax.Array,
    legal: jax.Array,
    share: jax.Array,
    key: jax.Array,
    teach: Callable[[Params, jax.Array], tuple[jax.Array, jax.Array]],
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Draws actions, by the student in the first half of the games; returns them and the teacher's answers.

    With probability `share`, an action is drawn uniformly.
    """
    half = len(observation) // 2
    logits, value = teach(teaching, observation)
    own, _ = student(params, observation[:half])
    first, second, third = jax.random.split(key, 3)
    masked = jnp.where(legal, jnp.concatenate([own, logits[half:]]), -1e9)
    other = jax.random.categorical(second, jnp.where(legal, 0.0, -1e9))
    random = jax.random.uniform(third, other.shape) < share
    action = jnp.where(random, other, jax.random.categorical(first, masked))
    return action, jax.nn.log_softmax(jnp.where(legal, logits, -1e9)), value


@functools.partial(jax.jit, donate_argnums=(0, 1), static_argnames="minibatches")
def update(
    params: Params, optimizer_state: Any, batch: Any, key: jax.Array, learning_rate: jax.Array, minibatches: int
) -> tuple[Params, Any, dict[str, jax.Array]]:
    """Takes a gradient step for each minibatch; returns the means of the metrics, too."""
    optimizer_state.hyperparams["learning_rate"] = learning_rate

    def loss(params: Params, minibatch: Any) -> tuple[jax.Array, dict[str, jax.Array]]:
        observation, legal, log_policy, value = minibatch
        logits, own_value = student(params, observation)
        own = jax.nn.log_softmax(jnp.where(legal, logits, -1e9))
        divergence = (jnp.exp(log_policy) * jnp.where(legal, log_policy - own, 0)).sum(1).mean()
        value_loss = ((own_value - value) ** 2).mean()
        return divergence + VALUE_COEFFICIENT * value_loss, {"teacher_kl": divergence, "value_loss": value_loss}

    def step(carry: tuple[Params, Any], rows: jax.Array) -> tuple[tuple[Params, Any], Any]:
        params, optimizer_state = carry
        gradient, metrics = jax.grad(loss, has_aux=True)(params, jax.tree.map(lambda column: column[rows], batch))
        changes, optimizer_state = optimizer.update(gradient, optimizer_state)
        params = optax.apply_updates(params, changes)
        for name in params:
            layer, _, kind = name.rpartition(".")
            if kind == "weight":
                most = MOST / scale_of(layer)
                params[name] = jnp.clip(params[name], -most, most)
        return (params, optimizer_state), metrics

    rows = jax.random.permutation(key, len(batch[0])).reshape(minibatches, -1)
    (params, optimizer_state), metrics = jax.lax.scan(step, (params, optimizer_state), rows)
    return params, optimizer_state, jax.tree.map(jnp.mean, metrics)


def in_integers(arrays: dict[str, Floats]) -> dict[str, Any]:
    """Returns the layers, shifts and scales of a `Network`, for weights and biases as they are in training."""

    def layer(name: str) -> tuple[Any, Any]:
        weight = np.clip(np.round(arrays[f"{name}.weight"] * np.float32(scale_of(name))), -MOST, MOST)
        bias = np.round(arrays[f"{name}.bias"] * np.float32(bias_of(name)))
        # Half a unit more, since shifts round down.
        half = 2 ** shift_of(name) // 2 if name.startswith("hidden") else 0
        return weight.astype(np.int8), (bias + half).astype(np.int16 if name == "hidden.0" else np.int32)

    hidden = [f"hidden.{i}" for i in range(len(arrays)) if f"hidden.{i}.weight" in arrays]
    return {
        "hidden": tuple(map(layer, hidden)),
        "policy": layer("policy"),
        "value": layer("value"),
        "activation": "products",
        "shifts": tuple(map(shift_of, hidden)),
        "scales": (FACTOR, FACTOR),
    }


def of_integers(network: Network) -> Params:
    """Returns the weights and biases in training of a network that `in_integers` made."""
    params = {}
    for name, array in network.tensors().items():
        layer, _, kind = name.rpartition(".")
        if layer != "classes":
            half = 2 ** shift_of(layer) // 2 if kind == "bias" and layer.startswith("hidden") else 0
            scale = bias_of(layer) if kind == "bias" else scale_of(layer)
            params[name] = jnp.asarray((array - np.float64(half)) / scale, jnp.float32)
    return params


def _is_student(network: Network) -> bool:
    """Returns true for a network that rounds as `in_integers` does."""
    shifts = tuple(shift_of(f"hidden.{layer}") for layer in range(len(network.hidden)))
    return network.in_integers and (network.shifts, network.scales) == (shifts, (FACTOR, FACTOR))


def _teacher(file: str, game: Game) -> Network:
    if file:
        return network_of("teacher", file)
    try:
        return Network.of(game)
    except ArgumentError as error:
        raise ArgumentError(f"{error}: give the file of a teacher, as in --set teacher=FILE") from error


class Distill(JaxLearner):
    """A learner: `iterate` plays and learns once; `stier.train.run` does the rest."""

    name = "distill"
    optimizer = optimizer
    settings: DistillSettings
    play: Environments

    def __init__(
        self, game: Game, settings: DistillSettings, initial: Network | None = None, device: str | None = None
    ) -> None:
        if initial is not None:
            raise ArgumentError("distill starts from random weights: give the network to learn from as teacher")
        if settings.hidden[0] % 2:
            raise ArgumentError(f"hidden must begin with an even number of units, got {settings.hidden[0]}")
        self.teacher = _teacher(settings.teacher, game)
        if self.teacher.value is None or not (self.teacher.activation == "relu" or _is_student(self.teacher)):
            raise ArgumentError(
                "teacher must be a network with a value head, and with relu between its layers or made by distill"
            )
        if self.teacher.game.short_name() != game.short_name():
            raise ArgumentError(f"teacher must be a network for {game.short_name()}, got one for {self.teacher.game}")
        if (self.teacher.classes is not None) != (settings.symmetry and game.symmetry() is not None):
            raise ArgumentError(f"symmetry must be {self.teacher.classes is not None}, as it is in the teacher")
        play = Environments(game, settings)
        #: Values are in the teacher's unit.
        play.scale = self.teacher.value_scale
        super().__init__(game, settings, play, None, device, None)
        # Checkpoints remember which teacher it was.
        self.initial = digest(self.teacher)
        self.teach = student if self.teacher.in_integers else teacher
        with jax.default_device(self.device):
            if self.teacher.in_integers:
                self.teaching = of_integers(self.teacher)
            else:
                arrays = self.teacher.tensors().items()
                self.teaching = {name: jnp.asarray(array) for name, array in arrays if not name.startswith("classes")}
        self.play.reset()

    def _initial_params(self, critic: Any) -> Params:
        widths, inputs = self.settings.hidden, self.game.observation_tensor_shape()[0]
        sizes = [inputs, widths[0] // 2, *widths[1:]]
        shapes = {f"hidden.{i}": (sizes[i], width) for i, width in enumerate(widths)}
        shapes |= {"policy": (sizes[-1], self.game.num_distinct_actions()), "value": (sizes[-1], 1)}
        params, keys = {}, jax.random.split(self.key("initial"), len(shapes))
        for (name, shape), key in zip(shapes.items(), keys, strict=True):
            # About 30 inputs are 1, and a third of the units are not 0. Few sums are clipped at first.
            active = 30 if name == "hidden.0" else shape[0] / 3
            hidden = name.startswith("hidden")
            scale = 0.5 / active**0.5 if hidden else 0.1
            params[f"{name}.weight"] = scale * jax.random.normal(key, shape)
            params[f"{name}.bias"] = jnp.full(shape[1], 0.25 if hidden else 0.0)
        return params

    @on_device
    def iterate(self) -> dict[str, float]:
        settings, columns = self.settings, []
        learning_rate = settings.learning_rate_after(self.steps)
        key, batch = self.key("actions"), self.play.observe()
        for call in range(settings.horizon):
            observation, legal = batch.observation, batch.legal_action_mask
            own = jax.random.fold_in(key, call)
            action, log_policy, value = jax.device_get(
                act(self.params, self.teaching, observation, legal, np.float32(settings.exploration), own, self.teach)
            )
            columns.append((observation, legal, log_policy, value))
            batch = self.play.step(action)
        self.params, self.optimizer_state, found = update(
            self.params,
            self.optimizer_state,
            tuple(map(np.concatenate, zip(*columns, strict=True))),
            self.key("order"),
            learning_rate,
            settings.minibatches,
        )
        self.iteration += 1
        self.steps += settings.num_envs * settings.horizon
        return {name: float(value) for name, value in found.items()} | {"learning_rate": learning_rate}

    def made(self) -> dict[str, Any]:
        """Returns what the network records of its training. Its logits have no temperature of their own."""
        made = super().made()
        del made["temperature"]
        return made

    def layers(self, arrays: dict[str, Floats]) -> dict[str, Any]:
        """Returns the layers of a network in integers."""
        return in_integers(arrays)
