"""Deep Monte Carlo: a network learns what each action returns, from whole games, in JAX.

D. Zha et al. 2021, *DouZero* (arXiv:2106.06135). Players take the action with the highest estimate, and now and then a
random one; the estimate of what they did moves towards what their game returned. It has no critic and no
bootstrapping. Exploration never stops, so every action keeps being tried.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

from stier._native import Game, derive_seed
from stier.errors import ArgumentError
from stier.network import Network
from stier.train._environments import Environments, Floats, Observations
from stier.train._jax import JaxLearner, Params, fitting, hidden_layers, on_device, optimizer_of
from stier.train.settings import DMCSettings, linear

#: The share of random actions at the beginning and at the end; it falls linearly.
EPSILON = (0.3, 0.02)

optimizer = optimizer_of(max_grad_norm=1.0)


def estimates(params: Params, observation: jax.Array) -> jax.Array:
    x = hidden_layers(params, "hidden", observation)
    return x @ params["policy.weight"] + params["policy.bias"]


@jax.jit
def act(
    params: Params, observation: jax.Array, legal: jax.Array, epsilon: jax.Array, key: jax.Array, step: jax.Array
) -> jax.Array:
    """Takes the best legal actions, or random ones with probability epsilon."""
    first, second = jax.random.split(jax.random.fold_in(key, step))
    best = jnp.where(legal, estimates(params, observation), -jnp.inf).argmax(1)
    other = jax.random.categorical(first, jnp.where(legal, 0.0, -jnp.inf))
    return jnp.where(jax.random.uniform(second, best.shape) < epsilon, other, best)


@functools.partial(jax.jit, donate_argnums=(0, 1))
def update(
    params: Params,
    optimizer_state: Any,
    observation: jax.Array,
    action: jax.Array,
    returns: jax.Array,
    weight: jax.Array,
) -> tuple[Params, Any, jax.Array]:
    """Takes one gradient step towards the returns; returns the squared error, too."""

    def loss(params: Params) -> jax.Array:
        found = jnp.take_along_axis(estimates(params, observation), action[:, None], 1)[:, 0]
        return ((found - returns) ** 2 * weight).sum() / weight.sum()

    value_loss, gradient = jax.value_and_grad(loss)(params)
    changes, optimizer_state = optimizer.update(gradient, optimizer_state)
    return optax.apply_updates(params, changes), optimizer_state, value_loss


class DMC(JaxLearner):
    """A learner: `iterate` plays a game in every environment and learns from all; `stier.train.run` does the rest."""

    name = "dmc"
    optimizer = optimizer
    #: The network draws by the estimates at this temperature, in units of the payoff scale. It has no value head.
    value_head, temperature = False, 0.02
    settings: DMCSettings
    play: Environments

    def __init__(
        self, game: Game, settings: DMCSettings, initial: Network | None = None, device: str | None = None
    ) -> None:
        super().__init__(game, settings, Environments(game, settings, autoreset=False), initial, device, None)

    @on_device
    def iterate(self) -> dict[str, float]:
        """Plays a game in each environment, learns, and returns the metrics."""
        settings, size = self.settings, self.settings.minibatch_size
        learning_rate = settings.learning_rate_after(self.steps)
        epsilon = linear(*EPSILON, min(self.steps / settings.steps, 1))
        observation, action, returns = self.games(epsilon)
        self.optimizer_state.hyperparams["learning_rate"] = jnp.asarray(learning_rate, jnp.float32)
        # By NumPy: JAX would compile it anew for every number of decisions.
        order = np.random.default_rng(derive_seed(settings.seed, "dmc order", self.iteration)).permutation(len(action))
        losses = []
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            weight = np.zeros(size, np.float32)
            weight[: len(rows)] = 1
            rows = np.resize(rows, size)
            self.params, self.optimizer_state, value_loss = update(
                self.params, self.optimizer_state, observation[rows], action[rows], returns[rows], weight
            )
            losses.append(value_loss)
        self.iteration += 1
        self.steps += len(action)
        return {
            "value_loss": float(np.mean(jax.device_get(losses))),
            "epsilon": epsilon,
            "learning_rate": learning_rate,
        }

    def games(self, epsilon: float) -> tuple[Observations, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Plays a game in each environment: returns observations, actions, and the returns of their players."""
        number = np.arange(self.settings.num_envs)
        batch = self.play.reset()
        key, step = self.key("actions"), 0
        observations, actions, environments, players = [], [], [], []
        returns = batch.rewards.copy()
        while not batch.terminated.all():
            seen = (batch.observation, batch.legal_action_mask)
            chosen = np.asarray(act(self.params, *seen, epsilon, key, np.uint32(step)))
            playing = ~batch.terminated
            observations.append(batch.observation[playing])
            actions.append(chosen[playing])
            environments.append(number[playing])
            players.append(batch.current_player[playing])
            batch = self.play.step(chosen)
            returns += batch.rewards
            step += 1
        found = returns[np.concatenate(environments), np.concatenate(players)] / np.float32(self.play.scale)
        return np.concatenate(observations), np.concatenate(actions).astype(np.int32), found

    def started(self, network: Network) -> dict[str, Floats]:
        """Returns the weights of a network of this algorithm, whose logits are returns divided by a temperature."""
        made = network.training
        if made.get("algorithm") != "dmc":
            made_by = made.get("algorithm")
            raise ArgumentError(f"initial must be a network of dmc, whose logits are returns; it is of {made_by}")
        factor = np.float32(made["temperature"] * network.value_scale / self.play.scale)
        found = fitting(network, self.game, self.settings)
        return {name: array * factor if name.startswith("policy") else array for name, array in found.items()}
