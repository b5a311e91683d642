"""Self-play PPO with entropy annealed from the scale of payoffs, in JAX.

J. Schulman et al. 2017 (arXiv:1707.06347), with what hidden information asks for. One network decides for all seats,
and each seat has its own trajectory (`stier.train.gae`). The entropy bonus starts at the scale of the payoffs and is
annealed. A central critic of actions, with traces of Expected SARSA, is in Z. Fan and G. Farina 2026
(arXiv:2605.19235), averaged weights are in the training of Ataraxos (Nature 658, 2026, arXiv:2511.07312). That tuned
policy gradients are hard to beat in such games: M. Rudolph et al. 2025 (arXiv:2502.08938). The core of the algorithm in
one file in PyTorch, without a central critic or sorted suits, is `python/examples/ppo_single_file.py`.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from stier._native import Game
from stier.network import Network
from stier.train._environments import Floats
from stier.train._jax import JaxLearner, Params, fitting, hidden_layers, on_device, optimizer_of
from stier.train._selfplay import SelfPlay
from stier.train.settings import Settings

#: Passes over the decisions in each update.
EPOCHS = 2
#: The distance of a ratio of probabilities from 1 at which its gradient is clipped.
CLIP_RANGE = 0.2
#: The weight of the value loss.
VALUE_COEFFICIENT = 0.5

optimizer = optimizer_of(max_grad_norm=0.5)


def forward(
    params: Params, observation: jax.Array, critic: jax.Array, legal: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Returns the logarithms of the probabilities of all actions, the critic's values and the network's value.

    The critic has one value, or one for each action. Without layers of its own it is the network's value head. With
    them, the hidden layers learn from the policy alone.
    """
    own = "critic.value.weight" in params
    x = hidden_layers(params, "hidden", observation)
    logits = x @ params["policy.weight"] + params["policy.bias"]
    value = (jax.lax.stop_gradient(x) if own else x) @ params["value.weight"] + params["value.bias"]
    values = value
    if own:
        x = hidden_layers(params, "critic", critic)
        values = x @ params["critic.value.weight"] + params["critic.value.bias"]
    return jax.nn.log_softmax(jnp.where(legal, logits, -1e9)), values, value[:, 0]


def value_of(values: jax.Array, log_policy: jax.Array, legal: jax.Array) -> jax.Array:
    """Returns the values of decisions: those of actions are averaged over the policy."""
    if values.shape[1] == 1:
        return values[:, 0]
    return (jnp.exp(log_policy) * jnp.where(legal, values, 0)).sum(1)


def value_of_action(values: jax.Array, action: jax.Array) -> jax.Array:
    """Returns the values of chosen actions; or else those of the decisions."""
    if values.shape[1] == 1:
        return values[:, 0]
    return jnp.take_along_axis(values, action[:, None], 1)[:, 0]


@jax.jit
def act(
    params: Params, observation: jax.Array, critic: jax.Array, legal: jax.Array, key: jax.Array, call: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Draws actions; returns them with the logarithms of the policy, values, and values of the actions."""
    log_policy, values, _ = forward(params, observation, critic, legal)
    action = jax.random.categorical(jax.random.fold_in(key, call), log_policy)
    return action, log_policy, value_of(values, log_policy, legal), value_of_action(values, action)


def advantages_of_actions(params: Params, batch: Any) -> jax.Array:
    """Returns the advantages of all legal actions, by a critic that values them, and 0 for others.

    What the games returned corrects the critic where an action was chosen, in proportion to how rarely it is: with any
    critic, the estimates are as right on average as those from the games alone.
    """
    _, values, _ = forward(params, batch.observation, batch.critic_observation, batch.legal)
    log_chosen = jnp.take_along_axis(batch.log_policy, batch.action[:, None], 1)
    correction = batch.advantages[:, None] * jnp.exp(-log_chosen)
    chosen = jnp.arange(values.shape[1]) == batch.action[:, None]
    found = values - value_of(values, batch.log_policy, batch.legal)[:, None] + jnp.where(chosen, correction, 0)
    return jnp.where(batch.legal, found, 0)


def loss(params: Params, batch: Any, entropy_coefficient: jax.Array) -> tuple[jax.Array, Any]:
    """Returns the loss, and the metrics of one minibatch. Advantages are those of chosen actions or of all."""
    log_policy, values, value = forward(params, batch.observation, batch.critic_observation, batch.legal)
    policy, log_ratios = jnp.exp(log_policy), log_policy - batch.log_policy

    def expected(of_actions: jax.Array) -> jax.Array:
        return (policy * jnp.where(batch.legal, of_actions, 0)).sum(1).mean()

    if values.shape[1] > 1:
        ratio, weight = jnp.exp(jnp.where(batch.legal, log_ratios, 0)), jnp.exp(batch.log_policy)
    else:
        ratio = jnp.exp(jnp.take_along_axis(log_ratios, batch.action[:, None], 1)[:, 0])
        weight = jnp.ones_like(ratio)
    clipped = jnp.clip(ratio, 1 - CLIP_RANGE, 1 + CLIP_RANGE)

    rows = len(batch.action)
    policy_loss = -(weight * jnp.minimum(ratio * batch.advantages, clipped * batch.advantages)).sum() / rows
    value_loss = ((value_of_action(values, batch.action) - batch.returns) ** 2).mean()
    if "critic.value.weight" in params:
        # The targets of actions that the policy draws are right on average for the decision, too.
        value_loss += ((value - batch.returns) ** 2).mean()
    entropy, approx_kl = -expected(log_policy), expected(log_ratios)
    # The zero keeps XLA's order of operations, and with it the last bits of trainings.
    return policy_loss - entropy_coefficient * entropy + 0.0 * approx_kl + VALUE_COEFFICIENT * value_loss, {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "approx_kl": approx_kl,
        "clip_fraction": (weight * (ratio != clipped)).sum() / rows,
    }


@functools.partial(jax.jit, static_argnames="minibatches", donate_argnums=(0, 1))
def update(
    params: Params,
    optimizer_state: Any,
    batch: Any,
    key: jax.Array,
    learning_rate: jax.Array,
    entropy_coefficient: jax.Array,
    minibatches: int,
) -> tuple[Params, Any, dict[str, jax.Array]]:
    """Takes the gradient steps of one batch; returns the means of the metrics, too."""
    optimizer_state.hyperparams["learning_rate"] = learning_rate
    if params.get("critic.value.weight", params["value.weight"]).shape[1] > 1:
        batch = batch._replace(advantages=advantages_of_actions(params, batch))

    def step(carry: tuple[Params, Any], rows: jax.Array) -> tuple[tuple[Params, Any], Any]:
        params, optimizer_state = carry
        minibatch = jax.tree.map(lambda column: column[rows], batch)
        gradient, metrics = jax.grad(loss, has_aux=True)(params, minibatch, entropy_coefficient)
        changes, optimizer_state = optimizer.update(gradient, optimizer_state)
        return (optax.apply_updates(params, changes), optimizer_state), metrics

    orders = [jax.random.permutation(one, len(batch.action)) for one in jax.random.split(key, EPOCHS)]
    rows = jnp.concatenate(orders).reshape(EPOCHS * minibatches, -1)
    (params, optimizer_state), metrics = jax.lax.scan(step, (params, optimizer_state), rows)
    return params, optimizer_state, jax.tree.map(jnp.mean, metrics)


averaged = jax.jit(optax.incremental_update)


class PPO(JaxLearner):
    """A learner: `iterate` plays and learns once; `stier.train.run` does the rest."""

    name = "ppo"
    optimizer = optimizer
    settings: Settings
    play: SelfPlay

    def __init__(
        self, game: Game, settings: Settings, initial: Network | None = None, device: str | None = None
    ) -> None:
        play, critic = SelfPlay(game, settings), None
        if settings.central_critic:
            outputs = game.num_distinct_actions() if settings.action_critic else 1
            critic = (play.critic_inputs, *(settings.critic_hidden or settings.hidden), outputs)
        super().__init__(game, settings, play, initial, device, critic)
        if settings.averaging:
            self.average = jax.tree.map(jnp.copy, self.params)

    @on_device
    def iterate(self) -> dict[str, float]:
        learning_rate = self.settings.learning_rate_after(self.steps)
        entropy_coefficient = self.settings.entropy_after(self.steps)
        key = self.key("actions")
        decisions, metrics = self.play.collect(
            lambda observation, critic, legal, call: jax.device_get(
                act(self.params, observation, critic, legal, key, np.uint32(call))
            )
        )
        self.params, self.optimizer_state, found = update(
            self.params,
            self.optimizer_state,
            decisions,
            self.key("order"),
            learning_rate,
            entropy_coefficient,
            self.settings.minibatches,
        )
        self.iteration += 1
        if self.settings.averaging:
            self.average = averaged(self.params, self.average, self.settings.newest_weight(self.iteration))
        self.steps += self.settings.batch_size
        metrics |= {name: float(value) for name, value in found.items()}
        return metrics | {"learning_rate": learning_rate, "entropy_coefficient": entropy_coefficient}

    def started(self, network: Network) -> dict[str, Floats]:
        """Returns the weights of the policy, and of the value head if there is one."""
        factor = np.float32(network.value_scale / self.play.scale)
        found = fitting(network, self.game, self.settings)
        return {name: array * factor if name.startswith("value") else array for name, array in found.items()}
