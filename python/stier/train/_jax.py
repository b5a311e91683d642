"""The common parts of the learners in JAX: their device, layers, optimizer, networks and checkpoints."""

# jaxlib has no types.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import dataclasses
import functools
import hashlib
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
from stier.network import Classes, Network
from stier.train._environments import Floats
from stier.train.settings import CommonSettings

F = TypeVar("F", bound=Callable[..., Any])

Params = dict[str, jax.Array]

#: The inputs, the widths of the hidden layers and the outputs of a critic with layers of its own.
Layers = tuple[int, ...]

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


def optimizer_of(max_grad_norm: float) -> optax.GradientTransformation:
    """Returns Adam for gradients of at most this norm, with its learning rate in its state."""

    def make(learning_rate: float) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(max_grad_norm), optax.adam(learning_rate, eps=1e-5))

    return optax.inject_hyperparams(make)(learning_rate=0.0)


def digest(network: Network | None) -> str | None:
    """Returns a digest of all weights."""
    if network is None:
        return None
    found = hashlib.sha256()
    for name, array in sorted(network.tensors().items()):
        found.update(name.encode())
        found.update(np.ascontiguousarray(array, "<f4").tobytes())
    return found.hexdigest()[:16]


def fitting(network: Network, game: Game, settings: CommonSettings) -> dict[str, Floats]:
    """Returns the weights by name. Raises `ValueError` for another game, other layers or another order of suits."""
    hidden, own = settings.hidden, network.game
    signatures = [(g.short_name(), g.observation_signature(), g.action_signature()) for g in (own, game)]
    if signatures[0] != signatures[1]:
        raise ArgumentError(f"initial must be a network for {game}, whose observations and actions differ from {own}")
    widths = tuple(weight.shape[1] for weight, _ in network.hidden)
    if widths != hidden:
        raise ArgumentError(f"hidden must be {widths} as in the initial network, got {hidden}")
    if network.in_integers:
        raise ArgumentError(
            "initial must be a network in single precision, since those in integers are not trained further; benches/"
            "networks in the repository has those of the games"
        )
    if network.activation != "relu":
        raise ArgumentError(f"initial must be a network with relu between its layers, got {network.activation}")
    classes = Classes.of(game) if settings.symmetry else None
    if [places.tolist() for places in network.classes or ()] != [places.tolist() for places in classes or ()]:
        reads = "positions as they are" if network.classes is None else "sorted positions"
        raise ArgumentError(f"symmetry must be {network.classes is not None}: the initial network reads {reads}")
    return {name: array for name, array in network.tensors().items() if not name.startswith("classes")}


class JaxLearner:
    """A learner without its algorithm, which is `iterate`."""

    #: Also the name of the random keys: another one changes every network.
    name: str
    optimizer: optax.GradientTransformation
    #: True if the network has a value head.
    value_head: bool = True
    #: The temperature at which the network draws by its outputs.
    temperature: float = 1.0

    def __init__(
        self, game: Game, settings: Any, play: Any, initial: Network | None, device: str | None, critic: Layers | None
    ) -> None:
        self.game, self.settings, self.play = game, settings, play
        self.initial: str | None = digest(initial)
        self.device = device_of(device)
        self.iteration = self.steps = 0
        with jax.default_device(self.device):
            params = self._initial_params(critic)
            if initial is not None:
                params |= {name: jnp.array(array, copy=True) for name, array in self.started(initial).items()}
            self.params: Params = params
            self.optimizer_state: Any = self.optimizer.init(params)
        #: The average of the weights, if the algorithm makes one: the network that is kept.
        self.average: Params = {}

    def started(self, network: Network) -> dict[str, Floats]:
        """Returns the weights that training takes over from a network."""
        raise NotImplementedError

    def _initial_params(self, critic: Layers | None) -> Params:
        """The first weights. Those of the policy are small, so that it starts uniform.

        The value head shares the policy's hidden layers. A critic that sees more has its own.
        """

        def layers(name: str, *sizes: int) -> dict[str, tuple[int, int, float]]:
            return {f"{name}.{i}": (*pair, math.sqrt(2)) for i, pair in enumerate(itertools.pairwise(sizes))}

        sizes = [self.game.observation_tensor_shape()[0], *self.settings.hidden]
        shapes = layers("hidden", *sizes)
        shapes |= {"policy": (sizes[-1], self.game.num_distinct_actions(), 0.01), "value": (sizes[-1], 1, 1.0)}
        if critic is not None:
            *sizes, outputs = critic
            shapes |= layers("critic", *sizes)
            # All actions are worth the same at first.
            shapes["critic.value"] = (sizes[-1], outputs, 1.0 if outputs == 1 else 0.01)
        params = orthogonal(shapes, self.key("initial"))
        return {name: array for name, array in params.items() if self.value_head or not name.startswith("value")}

    def key(self, purpose: str) -> jax.Array:
        seed = derive_seed(self.settings.seed, f"{self.name} {purpose}", self.iteration)
        key: jax.Array = jax.random.wrap_key_data(jnp.array([seed >> 32, seed & 0xFFFFFFFF], jnp.uint32))
        return key

    def network(self) -> Network:
        """Returns the network as it is now, or its average. A critic that sees more is not part of it."""
        arrays = {name: np.array(array) for name, array in (self.average or self.params).items()}
        return Network(
            game=self.game,
            value_scale=self.play.scale,
            training=self.made(),
            classes=self.play.classes,
            **self.layers(arrays),
        )

    def made(self) -> dict[str, Any]:
        """Returns what the network records of its training."""
        made = {"algorithm": self.name, "steps_done": self.steps, "temperature": self.temperature}
        if self.initial is not None:
            made["initial"] = self.initial
        return made | dataclasses.asdict(self.settings)

    def layers(self, arrays: dict[str, Floats]) -> dict[str, Any]:
        """Returns the layers of a `Network`, for weights and biases as they are in training."""

        def layer(name: str, factor: float = 1.0) -> tuple[Floats, Floats]:
            return arrays[f"{name}.weight"] * np.float32(factor), arrays[f"{name}.bias"] * np.float32(factor)

        return {
            "hidden": tuple(layer(f"hidden.{i}") for i in range(len(self.settings.hidden))),
            "policy": layer("policy", 1 / self.temperature),
            "value": layer("value") if self.value_head else None,
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        leaves = jax.tree.leaves((self.params, self.optimizer_state, self.average))
        return {
            **{f"state.{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)},
            "progress": np.array([self.iteration, self.steps]),
            **self.play.arrays(),
        }

    @on_device
    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        leaves, shape = jax.tree.flatten((self.params, self.optimizer_state, self.average))
        there = [jnp.array(arrays[f"state.{i}"], leaf.dtype, copy=True) for i, leaf in enumerate(leaves)]
        self.params, self.optimizer_state, self.average = jax.tree.unflatten(shape, there)
        self.iteration, self.steps = map(int, arrays["progress"])
        self.play.restore(arrays)
