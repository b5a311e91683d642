"""Self-play PPO with entropy annealed from the scale of payoffs, in JAX.

J. Schulman et al. 2017 (arXiv:1707.06347), with what hidden information asks for. One network decides for all seats,
and each seat has its own trajectory (`stier.train.gae`). The entropy bonus starts at the scale of the payoffs and is
annealed. The penalty for the distance from the policy that collected the data, together with the entropy, is magnetic
mirror descent (S. Sokota et al. 2023, arXiv:2206.05825). A central critic of actions, with traces of Expected SARSA, is
in Z. Fan and G. Farina 2026 (arXiv:2605.19235). Averaged weights are in the training of Ataraxos (Nature 658, 2026,
arXiv:2511.07312), a magnet that is an average of the learner's own weights in EMAgnet (arXiv:2606.23995). That tuned
policy gradients are hard to beat in such games: M. Rudolph et al. 2025 (arXiv:2502.08938). The core of the algorithm in
one file, without this package's infrastructure, a central critic or sorted suits, is
`python/examples/ppo_single_file.py`.
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
from stier.train._jax import JaxLearner, Params, hidden_layers, on_device, optimizer_of
from stier.train._learner import SelfPlay, for_ppo
from stier.train.settings import Settings


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
    """Returns the values of chosen actions; those of the decisions if there are no others."""
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


def loss(
    params: Params,
    batch: Any,
    log_magnet: jax.Array | None,
    entropy_coefficient: jax.Array,
    magnet_coefficient: jax.Array,
    settings: Settings,
) -> tuple[jax.Array, Any]:
    """Returns the loss, and the metrics of one minibatch. Advantages are those of chosen actions or of all."""
    log_policy, values, value = forward(params, batch.observation, batch.critic_observation, batch.legal)
    policy, log_ratios = jnp.exp(log_policy), log_policy - batch.log_policy

    def expected(of_actions: jax.Array) -> jax.Array:
        return (policy * jnp.where(batch.legal, of_actions, 0)).sum(1).mean()

    if settings.action_critic:
        ratio, weight = jnp.exp(jnp.where(batch.legal, log_ratios, 0)), jnp.exp(batch.log_policy)
    else:
        ratio = jnp.exp(jnp.take_along_axis(log_ratios, batch.action[:, None], 1)[:, 0])
        weight = jnp.ones_like(ratio)
    clipped = jnp.clip(ratio, 1 - settings.clip_range, 1 + settings.clip_range)

    rows = len(batch.action)
    policy_loss = -(weight * jnp.minimum(ratio * batch.advantages, clipped * batch.advantages)).sum() / rows
    value_loss = ((value_of_action(values, batch.action) - batch.returns) ** 2).mean()
    if settings.central_critic:
        # The targets of actions that the policy draws are right on average for the decision, too.
        value_loss += ((value - batch.returns) ** 2).mean()
    entropy, approx_kl = -expected(log_policy), expected(log_ratios)
    total = (
        policy_loss
        - entropy_coefficient * entropy
        + settings.kl_coefficient * approx_kl
        + settings.value_coefficient * value_loss
    )
    if log_magnet is not None:
        total += magnet_coefficient * expected(log_policy - log_magnet)
    return total, {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "approx_kl": approx_kl,
        "clip_fraction": (weight * (ratio != clipped)).sum() / rows,
    }


@functools.partial(jax.jit, static_argnames="settings", donate_argnums=(0, 1))
def update(
    params: Params,
    optimizer_state: Any,
    average: Params,
    batch: Any,
    key: jax.Array,
    learning_rate: jax.Array,
    entropy_coefficient: jax.Array,
    settings: Settings,
) -> tuple[Params, Any, dict[str, jax.Array]]:
    """Takes the gradient steps of one batch; returns the means of the metrics, too."""
    optimizer = optimizer_of(settings)
    optimizer_state.hyperparams["learning_rate"] = learning_rate
    if settings.action_critic:
        batch = batch._replace(advantages=advantages_of_actions(params, batch))
    log_magnet, magnet_coefficient = None, settings.magnet(learning_rate)
    if settings.magnet_coefficient:
        log_magnet, *_ = forward(average, batch.observation, batch.critic_observation, batch.legal)
    learned = (batch, log_magnet)

    def step(carry: tuple[Params, Any], rows: jax.Array) -> tuple[tuple[Params, Any], Any]:
        params, optimizer_state = carry
        minibatch = jax.tree.map(lambda column: column[rows], learned)
        gradient, metrics = jax.grad(loss, has_aux=True)(
            params, *minibatch, entropy_coefficient, magnet_coefficient, settings
        )
        changes, optimizer_state = optimizer.update(gradient, optimizer_state)
        return (optax.apply_updates(params, changes), optimizer_state), metrics

    orders = [jax.random.permutation(one, settings.batch_size) for one in jax.random.split(key, settings.epochs)]
    rows = jnp.concatenate(orders).reshape(settings.epochs * settings.minibatches, -1)
    (params, optimizer_state), metrics = jax.lax.scan(step, (params, optimizer_state), rows)
    return params, optimizer_state, jax.tree.map(jnp.mean, metrics)


averaged = jax.jit(optax.incremental_update)


class PPO(JaxLearner):
    """A learner: `iterate` plays and learns once; `stier.train.run` does the rest."""

    name = "ppo"
    settings: Settings
    play: SelfPlay

    def __init__(
        self, game: Game, settings: Settings, initial: Network | None = None, device: str | None = None
    ) -> None:
        play = SelfPlay(game, settings)
        super().__init__(
            game,
            settings,
            play,
            play.scale,
            device=device,
            critic=play.critic,
            initial=initial,
            weights=for_ppo,
        )
        if settings.averaging:
            self.average = jax.tree.map(jnp.copy, self.params)

    @on_device
    def iterate(self) -> dict[str, float]:
        """Plays, learns, and returns the metrics."""
        learning_rate, entropy_coefficient = self.settings.schedule(self.steps)
        key = self.key("actions")
        decisions, metrics = self.play.collect(
            lambda observation, critic, legal, call: jax.device_get(
                act(self.params, observation, critic, legal, key, np.uint32(call))
            )
        )
        self.params, self.optimizer_state, found = update(
            self.params,
            self.optimizer_state,
            self.average,
            decisions,
            self.key("order"),
            learning_rate,
            entropy_coefficient,
            self.compiled,
        )
        self.iteration += 1
        if self.settings.averaging:
            self.average = averaged(self.params, self.average, self.settings.newest_weight(self.iteration))
        self.steps += self.settings.batch_size
        metrics |= {name: float(value) for name, value in found.items()}
        return metrics | {"learning_rate": learning_rate, "entropy_coefficient": entropy_coefficient}

    def network(self) -> Network:
        """Returns the network as it is now, or its average. A critic that sees more is not part of it."""
        return self._network(value_head=True)
