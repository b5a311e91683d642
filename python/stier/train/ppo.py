"""Self-play PPO with entropy annealed from the scale of payoffs, in JAX.

J. Schulman et al. 2017 (arXiv:1707.06347), with what hidden information asks for. One network decides for all seats,
and each seat has its own trajectory (`stier.train.gae`). The entropy bonus starts at the scale of the payoffs and is
annealed. The penalty for the distance from the policy that collected the data, together with
the entropy, is magnetic mirror descent (S. Sokota et al. 2023, arXiv:2206.05825). That tuned policy gradients are hard
to beat in such games: M. Rudolph et al. 2025 (arXiv:2502.08938).
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

from stier._native import Game, derive_seed
from stier.network import Network
from stier.train._device import on_one_thread
from stier.train._initial import described, digest, for_ppo
from stier.train._selfplay import Decisions, SelfPlay
from stier.train._settings import Settings

__all__ = ["PPO", "Settings"]

Params = dict[str, jax.Array]


def random_key(seed: int) -> jax.Array:
    """Give JAX's key of a seed of 64 bits."""
    key: jax.Array = jax.random.wrap_key_data(jnp.array([seed >> 32, seed & 0xFFFFFFFF], jnp.uint32))
    return key


def initial(settings: Settings, inputs: int, critic_inputs: int, actions: int, key: jax.Array) -> Params:
    """Give orthogonal layers; the policy's is small, so that it starts uniform.

    The critic shares the policy's hidden layers, unless it sees more and has its own.
    """
    sizes = [inputs, *settings.hidden]
    shapes = {f"hidden.{i}": (*pair, math.sqrt(2)) for i, pair in enumerate(itertools.pairwise(sizes))}
    if settings.central_critic:
        own = [critic_inputs, *settings.hidden]
        shapes |= {f"critic.{i}": (*pair, math.sqrt(2)) for i, pair in enumerate(itertools.pairwise(own))}
    shapes |= {"policy": (sizes[-1], actions, 0.01), "value": (sizes[-1], 1, 1.0)}
    params = {}
    for (name, (rows, columns, scale)), own_key in zip(shapes.items(), jax.random.split(key, len(shapes)), strict=True):
        params[f"{name}.weight"] = jax.nn.initializers.orthogonal(scale)(own_key, (rows, columns), jnp.float32)
        params[f"{name}.bias"] = jnp.zeros(columns, jnp.float32)
    return params


def trunk(params: Params, name: str, x: jax.Array) -> jax.Array:
    """Give what the hidden layers of that name make of observations."""
    x = x.astype(jnp.float32)
    for i in itertools.count():
        if f"{name}.{i}.weight" not in params:
            return x
        x = jax.nn.relu(x @ params[f"{name}.{i}.weight"] + params[f"{name}.{i}.bias"])
    raise AssertionError


def forward(params: Params, observation: jax.Array, critic: jax.Array, legal: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Give the logarithms of the probabilities of all actions, and values."""
    x = trunk(params, "hidden", observation)
    logits = x @ params["policy.weight"] + params["policy.bias"]
    if "critic.0.weight" in params:
        x = trunk(params, "critic", critic)
    value = (x @ params["value.weight"] + params["value.bias"])[:, 0]
    return jax.nn.log_softmax(jnp.where(legal, logits, -1e9)), value


@jax.jit
def act(
    params: Params, observation: jax.Array, critic: jax.Array, legal: jax.Array, key: jax.Array, call: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Draw actions; give them with the logarithms of the policy, and with values."""
    log_policy, value = forward(params, observation, critic, legal)
    return jax.random.categorical(jax.random.fold_in(key, call), log_policy), log_policy, value


def loss(params: Params, batch: Any, entropy: jax.Array, settings: Settings) -> tuple[jax.Array, jax.Array]:
    """Give the loss, and of its parts entropy, divergence, the share of cut ratios, and the critic's error."""
    log_policy, value = forward(params, batch.observation, batch.critic_observation, batch.legal)
    policy, change = jnp.exp(log_policy), log_policy - batch.log_policy
    ratio = jnp.exp(jnp.take_along_axis(change, batch.action[:, None], 1)[:, 0])
    cut = jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip)

    gain = jnp.minimum(ratio * batch.advantage, cut * batch.advantage).mean()
    spread = -(policy * jnp.where(batch.legal, log_policy, 0)).sum(1).mean()
    divergence = (policy * jnp.where(batch.legal, change, 0)).sum(1).mean()
    error = ((value - batch.target) ** 2).mean()
    total = -gain - entropy * spread + settings.kl * divergence + settings.critic * error
    return total, jnp.stack([spread, divergence, (ratio != cut).mean(), error])


def optimizer_of(settings: Settings) -> optax.GradientTransformation:
    """Give Adam, with its step among its state."""

    def make(learning_rate: float) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(settings.max_norm), optax.adam(learning_rate, eps=1e-5))

    return optax.inject_hyperparams(make)(learning_rate=settings.learning_rate)


@functools.partial(jax.jit, static_argnames="settings", donate_argnums=(0, 1))
def update(
    params: Params,
    optimizer_state: Any,
    batch: Decisions,
    key: jax.Array,
    learning_rate: jax.Array,
    entropy: jax.Array,
    settings: Settings,
) -> tuple[Params, Any, jax.Array]:
    """Take the gradient steps of one batch; give the means of the losses' parts."""
    optimizer = optimizer_of(settings)
    optimizer_state.hyperparams["learning_rate"] = learning_rate

    def step(carry: tuple[Params, Any], rows: jax.Array) -> tuple[tuple[Params, Any], jax.Array]:
        params, optimizer_state = carry
        part = jax.tree.map(lambda column: column[rows], batch)
        gradient, parts = jax.grad(loss, has_aux=True)(params, part, entropy, settings)
        changes, optimizer_state = optimizer.update(gradient, optimizer_state)
        return (optax.apply_updates(params, changes), optimizer_state), parts

    orders = [jax.random.permutation(own, settings.batch) for own in jax.random.split(key, settings.epochs)]
    rows = jnp.concatenate(orders).reshape(settings.epochs * settings.minibatches, -1)
    (params, optimizer_state), parts = jax.lax.scan(step, (params, optimizer_state), rows)
    return params, optimizer_state, parts.mean(0)


class PPO:
    """A learner: `iterate` plays and learns once; `stier.train.run` does the rest."""

    name = "ppo"

    @on_one_thread
    def __init__(self, game: Game, settings: Settings, initial_network: Network | None = None) -> None:
        self.game, self.settings = game, settings
        self.initial = digest(initial_network)
        self.play = SelfPlay(game, settings)
        self.iteration = 0
        # What is compiled does not depend on these: one compilation serves them all.
        self.compiled = dataclasses.replace(settings, seed=0, steps=1)
        actions = game.num_distinct_actions()
        self.params = initial(settings, self.play.inputs, self.play.critic_inputs, actions, self.key("initial"))
        if initial_network is not None:
            weights = for_ppo(initial_network, game, settings, self.play.scale)
            self.params |= {name: jnp.array(array, copy=True) for name, array in weights.items()}
        self.optimizer_state = optimizer_of(settings).init(self.params)

    @property
    def steps(self) -> int:
        """The decisions that have been learned from."""
        return self.iteration * self.settings.batch

    def key(self, purpose: str) -> jax.Array:
        """Give the random key of this iteration for a purpose."""
        seed = derive_seed(self.settings.seed, f"ppo {purpose}", self.iteration)
        return random_key(seed)

    @on_one_thread
    def iterate(self) -> dict[str, float]:
        """Play, learn, and give what can be said about it."""
        rate, entropy = self.settings.schedule(self.steps)
        key = self.key("actions")
        decisions, measures = self.play.collect(
            lambda observation, critic, legal, call: jax.device_get(
                act(self.params, observation, critic, legal, key, np.uint32(call))
            )
        )
        self.params, self.optimizer_state, parts = update(
            self.params, self.optimizer_state, decisions, self.key("order"), rate, entropy, self.compiled
        )
        self.iteration += 1
        names = ("entropy", "divergence", "clipped", "critic_error")
        measures |= dict(zip(names, np.asarray(parts, float).tolist(), strict=True))
        return measures | {"learning_rate": rate, "entropy_bonus": entropy}

    def network(self) -> Network:
        """Give the network as it is now. A critic that sees more stays behind: there is no value head then."""
        arrays = {name: np.array(array) for name, array in self.params.items()}

        def layer(name: str) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
            return arrays[f"{name}.weight"], arrays[f"{name}.bias"]

        return Network(
            game=self.game,
            hidden=tuple(layer(f"hidden.{i}") for i in range(len(self.settings.hidden))),
            policy=layer("policy"),
            value=None if self.settings.central_critic else layer("value"),
            value_scale=self.play.scale,
            training=described(self),
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Give everything that the future depends on."""
        leaves = jax.tree.leaves((self.params, self.optimizer_state))
        return {f"state.{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)} | {
            "iteration": np.array(self.iteration),
            **self.play.arrays(),
        }

    @on_one_thread
    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Go on from there."""
        leaves, shape = jax.tree.flatten((self.params, self.optimizer_state))
        there = [jnp.array(arrays[f"state.{i}"], leaf.dtype, copy=True) for i, leaf in enumerate(leaves)]
        self.params, self.optimizer_state = jax.tree.unflatten(shape, there)
        self.iteration = int(arrays["iteration"])
        self.play.restore(arrays)
