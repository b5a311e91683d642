"""The common parts of the learners in JAX: their device, layers, optimizer, networks and checkpoints."""

# jaxlib has no types.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax
from jaxlib import xla_client

from stier._native import Game, derive_seed
from stier.errors import ArgumentError
from stier.network import Network, num_inputs
from stier.train._learner import Critic, Environments, SelfPlay, classes_of, described, digest
from stier.train.settings import CommonSettings

F = TypeVar("F", bound=Callable[..., Any])

Params = dict[str, jax.Array]

#: Settings that do not change what is compiled.
NOT_COMPILED = (
    *("steps", "seed", "opponents", "opening", "opening_share", "opening_decisions"),
    *("barred", "barred_share", "barred_decisions", "beliefs"),
)

_devices: list[jax.Device] = []


def one_thread() -> jax.Device:
    """Returns a CPU device of the learners' own, which computes on one thread: the same one every time.

    XLA reads the number of threads from the environment when a client is made; the process's other clients keep theirs.
    """
    if _devices:
        return _devices[0]
    name = "PJRT_NPROC"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        client: Any = xla_client.make_cpu_client(num_devices=1)
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before
    _devices.append(client.local_devices()[0])
    return _devices[0]


def device_of(name: str | None) -> jax.Device:
    """Returns a device by its name, such as ``"gpu:0"``; None is `one_thread`."""
    if name is None:
        return one_thread()
    platform, _, number = name.partition(":")
    try:
        found: jax.Device = jax.devices(platform)[int(number or 0)]
    except (RuntimeError, ValueError, IndexError) as error:
        raise ArgumentError(f"device must be one of JAX's, such as 'cpu' or 'gpu:0', got {name!r}: {error}") from None
    return found


def on_device(method: F) -> F:
    """Makes a method compute on the learner's device."""

    @functools.wraps(method)
    def confined(self: JaxLearner, *args: Any, **kwargs: Any) -> Any:
        with jax.default_device(self.device):
            return method(self, *args, **kwargs)

    return cast(F, confined)


def orthogonal(shapes: dict[str, tuple[int, int, float]], key: jax.Array) -> Params:
    """Returns orthogonal weights of these shapes and scales, and biases of zero."""
    params = {}
    for (name, (rows, columns, scale)), own in zip(shapes.items(), jax.random.split(key, len(shapes)), strict=True):
        params[f"{name}.weight"] = jax.nn.initializers.orthogonal(scale)(own, (rows, columns), jnp.float32)
        params[f"{name}.bias"] = jnp.zeros(columns, jnp.float32)
    return params


def hidden_layers(params: Params, name: str, x: jax.Array) -> jax.Array:
    """Returns the output of the hidden layers of that name."""
    x = x.astype(jnp.float32)
    for i in itertools.count():
        if f"{name}.{i}.weight" not in params:
            return x
        x = jax.nn.relu(x @ params[f"{name}.{i}.weight"] + params[f"{name}.{i}.bias"])
    raise AssertionError


def optimizer_of(settings: Any) -> optax.GradientTransformation:
    """Returns Adam, with its learning rate in its state."""

    def make(learning_rate: float) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(settings.max_grad_norm), optax.adam(learning_rate, eps=1e-5))

    return optax.inject_hyperparams(make)(learning_rate=settings.learning_rate)


class JaxLearner:
    """A learner without its algorithm, which is `iterate`."""

    #: Also the name of the random keys: another one changes every network.
    name: str
    compiles = True

    def __init__(
        self,
        game: Game,
        settings: Any,
        play: SelfPlay | Environments,
        scale: float,
        *,
        device: str | None,
        critic: Critic | None = None,
        initial: Network | None,
        weights: Callable[[Network, Game, Any, float], dict[str, npt.NDArray[np.float32]]],
        value_head: bool = True,
    ) -> None:
        self.game, self.settings, self.play, self.scale = game, settings, play, scale
        self.initial: str | None = digest(initial)
        self.device = device_of(device)
        self.iteration = self.steps = 0
        # One compilation serves all values of the others.
        defaults = {name: getattr(CommonSettings, name) for name in NOT_COMPILED}
        self.compiled: Any = dataclasses.replace(settings, **defaults)
        with jax.default_device(self.device):
            params = self._initial_params(critic)
            if not value_head:
                params = {name: array for name, array in params.items() if not name.startswith("value")}
            if initial is not None:
                found = weights(initial, game, settings, scale)
                params |= {name: jnp.array(array, copy=True) for name, array in found.items()}
            self.params: Params = params
            self.optimizer_state: Any = optimizer_of(settings).init(params)
        #: The average of the weights, if the algorithm makes one: the network that is kept.
        self.average: Params = {}

    def _initial_params(self, critic: Critic | None) -> Params:
        """The first weights. Those of the policy are small, so that it starts uniform.

        The value head shares the policy's hidden layers. A critic that sees more has its own.
        """
        inputs, hidden = num_inputs(self.game, self.settings.beliefs), self.settings.hidden

        def layers(name: str, *sizes: int) -> dict[str, tuple[int, int, float]]:
            return {f"{name}.{i}": (*pair, math.sqrt(2)) for i, pair in enumerate(itertools.pairwise(sizes))}

        last = [inputs, *hidden][-1]
        shapes = layers("hidden", inputs, *hidden)
        shapes |= {"policy": (last, self.game.num_distinct_actions(), 0.01), "value": (last, 1, 1.0)}
        if critic is not None:
            sizes = [critic.inputs, *critic.hidden]
            shapes |= layers("critic", *sizes)
            shapes["critic.value"] = (sizes[-1], critic.outputs, critic.output_scale)
        return orthogonal(shapes, self.key("initial"))

    def key(self, purpose: str) -> jax.Array:
        """Returns the random key of this iteration for a purpose."""
        seed = derive_seed(self.settings.seed, f"{self.name} {purpose}", self.iteration)
        key: jax.Array = jax.random.wrap_key_data(jnp.array([seed >> 32, seed & 0xFFFFFFFF], jnp.uint32))
        return key

    def _network(self, *, value_head: bool, temperature: float = 1.0) -> Network:
        """The network as it is now, or its average."""
        arrays = {name: np.array(array) for name, array in (self.average or self.params).items()}

        def layer(name: str, factor: float = 1.0) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
            return arrays[f"{name}.weight"] * np.float32(factor), arrays[f"{name}.bias"] * np.float32(factor)

        return Network(
            game=self.game,
            hidden=tuple(layer(f"hidden.{i}") for i in range(len(self.settings.hidden))),
            policy=layer("policy", 1 / temperature),
            value=layer("value") if value_head else None,
            value_scale=self.scale,
            training=described(self),
            classes=classes_of(self.game, self.settings),
            beliefs=self.settings.beliefs,
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns everything that the future depends on."""
        leaves = jax.tree.leaves((self.params, self.optimizer_state, self.average))
        return {
            **{f"state.{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)},
            "progress": np.array([self.iteration, self.steps]),
            **self.play.arrays(),
        }

    @on_device
    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Continues from these arrays."""
        leaves, shape = jax.tree.flatten((self.params, self.optimizer_state, self.average))
        there = [jnp.array(arrays[f"state.{i}"], leaf.dtype, copy=True) for i, leaf in enumerate(leaves)]
        self.params, self.optimizer_state, self.average = jax.tree.unflatten(shape, there)
        self.iteration, self.steps = map(int, arrays["progress"])
        self.play.restore(arrays)
