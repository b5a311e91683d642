"""Deep Monte Carlo: a network learns what each action returns, from whole games, in JAX.

D. Zha et al. 2021, *DouZero* (arXiv:2106.06135). Players take the action with the highest estimate, and now and then a
random one; the estimate of what they did moves towards what their game returned. No critic, no bootstrapping, nothing
to go stale: and since all actions are tried for ever, none is lost.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

from stier._native import Game, VectorEnv, derive_seed
from stier.network import Network
from stier.train import ppo
from stier.train._device import on_one_thread
from stier.train._initial import described, digest, for_dmc
from stier.train._selfplay import spread_of_returns
from stier.train._settings import DMCSettings as Settings

__all__ = ["DMC"]


def estimates(params: ppo.Params, observation: jax.Array) -> jax.Array:
    """Give the expected return of every action, legal or not."""
    x = ppo.trunk(params, "hidden", observation)
    return x @ params["policy.weight"] + params["policy.bias"]


@jax.jit
def act(
    params: ppo.Params, observation: jax.Array, legal: jax.Array, epsilon: jax.Array, key: jax.Array, step: jax.Array
) -> jax.Array:
    """Take the best legal actions, or random ones with probability epsilon."""
    first, second = jax.random.split(jax.random.fold_in(key, step))
    best = jnp.where(legal, estimates(params, observation), -jnp.inf).argmax(1)
    other = jax.random.categorical(first, jnp.where(legal, 0.0, -jnp.inf))
    return jnp.where(jax.random.uniform(second, best.shape) < epsilon, other, best)


def optimizer_of(settings: Settings) -> optax.GradientTransformation:
    """Give Adam, with its step among its state."""

    def make(learning_rate: float) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(settings.max_norm), optax.adam(learning_rate, eps=1e-5))

    return optax.inject_hyperparams(make)(learning_rate=settings.learning_rate)


@functools.partial(jax.jit, static_argnames="settings", donate_argnums=(0, 1))
def update(
    params: ppo.Params,
    optimizer_state: Any,
    observation: jax.Array,
    action: jax.Array,
    target: jax.Array,
    weight: jax.Array,
    settings: Settings,
) -> tuple[ppo.Params, Any, jax.Array]:
    """Take one gradient step towards the returns; give the squared error."""

    def loss(params: ppo.Params) -> jax.Array:
        found = jnp.take_along_axis(estimates(params, observation), action[:, None], 1)[:, 0]
        return ((found - target) ** 2 * weight).sum() / weight.sum()

    error, gradient = jax.value_and_grad(loss)(params)
    changes, optimizer_state = optimizer_of(settings).update(gradient, optimizer_state)
    return optax.apply_updates(params, changes), optimizer_state, error


class DMC:
    """A learner: `iterate` plays a game in every lane and learns from all; `stier.train.run` does the rest."""

    name = "dmc"

    @on_one_thread
    def __init__(self, game: Game, settings: Settings, initial_network: Network | None = None) -> None:
        self.game, self.settings = game, settings
        self.initial = digest(initial_network)
        self.scale = settings.payoff_scale or spread_of_returns(game, settings.seed)
        self.iteration = self.steps = 0
        # What is compiled does not depend on these: one compilation serves them all.
        self.compiled = dataclasses.replace(settings, seed=0, steps=1)
        seed = derive_seed(settings.seed, "training games", 0)
        self.envs = VectorEnv(game, settings.lanes, seed=seed, observation="uint8", autoreset=False, threads=1)
        sizes = ppo.Settings(hidden=settings.hidden)
        inputs, actions = self.envs.observation_shape[0], game.num_distinct_actions()
        params = ppo.initial(sizes, inputs, inputs, actions, self.key("initial"))
        if initial_network is not None:
            weights = for_dmc(initial_network, game, settings, self.scale)
            params |= {name: jnp.array(array, copy=True) for name, array in weights.items()}
        self.params = {name: array for name, array in params.items() if not name.startswith("value")}
        self.optimizer_state = optimizer_of(settings).init(self.params)

    def key(self, purpose: str) -> jax.Array:
        """Give the random key of this iteration for a purpose."""
        seed = derive_seed(self.settings.seed, f"dmc {purpose}", self.iteration)
        return ppo.random_key(seed)

    @on_one_thread
    def iterate(self) -> dict[str, float]:
        """Play a game in each lane, learn, and give what can be said about it."""
        settings, done = self.settings, min(self.steps / self.settings.steps, 1)
        epsilon = settings.epsilon + done * (settings.last_epsilon - settings.epsilon)
        rate = settings.learning_rate + done * (settings.last_learning_rate - settings.learning_rate)
        observation, action, target = self.games(epsilon)
        self.optimizer_state.hyperparams["learning_rate"] = jnp.asarray(rate, jnp.float32)
        # By NumPy: JAX would compile it anew for every number of decisions.
        order = np.random.default_rng(derive_seed(settings.seed, "dmc order", self.iteration)).permutation(len(action))
        errors = []
        for start in range(0, len(order), settings.minibatch):
            rows = order[start : start + settings.minibatch]
            weight = np.zeros(settings.minibatch, np.float32)
            weight[: len(rows)] = 1
            rows = np.resize(rows, settings.minibatch)
            self.params, self.optimizer_state, error = update(
                self.params, self.optimizer_state, observation[rows], action[rows], target[rows], weight, self.compiled
            )
            errors.append(error)
        self.iteration += 1
        self.steps += len(action)
        return {"error": float(np.mean(jax.device_get(errors))), "epsilon": epsilon, "learning_rate": rate}

    def games(self, epsilon: float) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Play a game in each lane: give what was seen, what was done, and what it returned to who did it."""
        lanes = np.arange(self.settings.lanes)
        batch = self.envs.reset()
        key, step = self.key("actions"), 0
        seen, done, lane, player = [], [], [], []
        returns = batch.rewards.copy()
        while not batch.terminated.all():
            chosen = np.asarray(
                act(self.params, batch.observation, batch.legal_action_mask, epsilon, key, np.uint32(step))
            )
            playing = ~batch.terminated
            seen.append(batch.observation[playing])
            done.append(chosen[playing])
            lane.append(lanes[playing])
            player.append(batch.current_player[playing])
            batch = self.envs.step(chosen)
            returns += batch.rewards
            step += 1
        target = returns[np.concatenate(lane), np.concatenate(player)] / np.float32(self.scale)
        return np.concatenate(seen), np.concatenate(done).astype(np.int32), target

    def network(self) -> Network:
        """Give a network that draws by the estimates, at the temperature. It has no value head."""
        arrays = {name: np.array(array) for name, array in self.params.items()}
        hidden = tuple(
            (arrays[f"hidden.{i}.weight"], arrays[f"hidden.{i}.bias"]) for i in range(len(self.settings.hidden))
        )
        weight, bias = arrays["policy.weight"], arrays["policy.bias"]
        cold = np.float32(1 / self.settings.temperature)
        return Network(
            game=self.game,
            hidden=hidden,
            policy=(weight * cold, bias * cold),
            value=None,
            value_scale=self.scale,
            training=described(self),
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Give everything that the future depends on."""
        leaves = jax.tree.leaves((self.params, self.optimizer_state))
        return {f"state.{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)} | {
            "iteration": np.array([self.iteration, self.steps]),
            "games": np.frombuffer(self.envs.get_state(), np.uint8),
        }

    @on_one_thread
    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Go on from there."""
        leaves, shape = jax.tree.flatten((self.params, self.optimizer_state))
        there = [jnp.array(arrays[f"state.{i}"], leaf.dtype, copy=True) for i, leaf in enumerate(leaves)]
        self.params, self.optimizer_state = jax.tree.unflatten(shape, there)
        self.iteration, self.steps = map(int, arrays["iteration"])
        self.envs.set_state(arrays["games"].tobytes())
