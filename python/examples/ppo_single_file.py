r"""Self-play PPO in one file, on nothing but `stier.VectorEnv`, in JAX and NumPy, to be read, copied and changed.

    python ppo_single_file.py --game kuhn_poker --nash-conv
    python ppo_single_file.py --game schwinget --reward-scale 3 --num-envs 512 --minibatch-size 4096 \
        --total-timesteps 10_000_000 --save schwinget.safetensors

Names and structure are those of CleanRL. What differs is due to the games:

- Legal actions change from decision to decision, so the logits of all others are masked.
- One network plays all seats. Each seat has its own trajectory: an advantage continues with the value of the *same
  player's* next decision. Minus the opponent's value, which many programs use in zero-sum games, is biased where cards
  are hidden: it is an average over the hands that the opponent thinks possible, and forgets the player's own.
- A batch consists of whole games. If it ended in the middle of games, some decisions would have no successor yet. Where
  the winner of a trick leads the next one, these are more often the losers', so dropping them would favour the winners.
- The optimum is an equilibrium, which may be mixed. The entropy bonus starts high and is annealed.

Needs `pip install 'stier[train]'`. The maintained learners, with checkpoints, are in `stier.train`.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import time
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

import stier
import stier.solving


@dataclasses.dataclass(frozen=True)
class Args:
    """The options of the command line."""

    #: the game, with its options: schwinget:suits=2,values=3
    game: str = "kuhn_poker"
    #: the seed of games, weights and actions
    seed: int = 1
    #: decisions of all seats
    total_timesteps: int = 300_000
    #: games side by side, which are one batch
    num_envs: int = 128
    #: widths of the hidden layers
    hidden: tuple[int, ...] = (64, 64)
    #: Adam's step size at the beginning; it falls linearly to 0
    learning_rate: float = 2e-3
    #: the discount from one decision to the same player's next
    gamma: float = 1.0
    #: how far advantages look ahead
    gae_lambda: float = 0.95
    #: passes over each batch
    update_epochs: int = 2
    #: decisions in each gradient step
    minibatch_size: int = 128
    #: the clipping of ratios of probabilities
    clip_coef: float = 0.2
    #: the entropy bonus at the beginning
    ent_coef: float = 0.2
    #: the entropy bonus at the end; between them it falls geometrically
    final_ent_coef: float = 0.05
    #: the weight of the value loss
    vf_coef: float = 0.5
    #: the largest norm of a gradient
    max_grad_norm: float = 0.5
    #: rewards are divided by this
    reward_scale: float = 1.0
    #: seconds between two lines
    log_seconds: float = 10.0
    #: deals against random players at the end, from each seat
    eval_deals: int = 2000
    #: compute NashConv, the distance from equilibrium, for games whose tree fits into memory
    nash_conv: bool = False
    #: a file for the network, which plays as the agent network:path=FILE
    save: str = ""


class Batch(NamedTuple):
    """The decisions of whole games, in arrays of equal length."""

    obs: Any
    action_mask: Any
    action: Any
    logprob: Any
    value: Any
    advantage: Any
    target: Any


# The network

Params = dict[str, Any]


def init_agent(args: Args, inputs: int, actions: int, key: jax.Array) -> Params:
    """Returns orthogonal weights; those of the policy are small, so that it starts uniform."""
    sizes = [inputs, *args.hidden]
    shapes = {f"hidden.{i}": (sizes[i], sizes[i + 1], 2**0.5) for i in range(len(args.hidden))}
    shapes |= {"policy": (sizes[-1], actions, 0.01), "value": (sizes[-1], 1, 1.0)}
    params = {}
    for (name, (rows, columns, scale)), own in zip(shapes.items(), jax.random.split(key, len(shapes)), strict=True):
        params[f"{name}.weight"] = jax.nn.initializers.orthogonal(scale)(own, (rows, columns), jnp.float32)
        params[f"{name}.bias"] = jnp.zeros(columns, jnp.float32)
    return params


def forward(params: Params, obs: jax.Array, action_mask: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns the logarithms of the probabilities of all actions, and the values."""
    x = obs.astype(jnp.float32)
    for i in range(sum(name.startswith("hidden") for name in params) // 2):
        x = jax.nn.relu(x @ params[f"hidden.{i}.weight"] + params[f"hidden.{i}.bias"])
    logits = x @ params["policy.weight"] + params["policy.bias"]
    value = (x @ params["value.weight"] + params["value.bias"])[:, 0]
    return jax.nn.log_softmax(jnp.where(action_mask, logits, -1e9)), value


@jax.jit
def get_action(
    params: Params, obs: jax.Array, action_mask: jax.Array, key: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Draws actions; returns them with the logarithms of their probabilities, and the values."""
    logprobs, value = forward(params, obs, action_mask)
    action = jax.random.categorical(key, logprobs)
    return action, jnp.take_along_axis(logprobs, action[:, None], 1)[:, 0], value


# The rollout


def rollout(args: Args, envs: stier.VectorEnv, params: Params, key: jax.Array) -> tuple[Batch, dict[str, float]]:
    """Plays a game in each environment; returns all decisions with their advantages."""
    steps = []
    step = envs.reset()
    while not step.terminated.all():
        key, action_key = jax.random.split(key)
        obs, mask, player = step.observation, step.legal_action_mask, step.current_player
        action, logprob, value = jax.device_get(get_action(params, obs, mask, action_key))
        playing = ~step.terminated
        step = envs.step(action)
        # The rewards of all players between this decision and the next one in the game; 0 after the end.
        steps.append((playing, player, obs, mask, action, logprob, value, step.rewards / args.reward_scale))
    playing, player, obs, mask, action, logprob, value, rewards = map(np.stack, zip(*steps, strict=True))
    advantage = compute_gae(args, playing, player, value, rewards)
    batch = Batch(obs, mask, action, logprob, value, advantage, advantage + value)
    batch = Batch(*(column[playing] for column in batch))
    return batch, {
        "episodic_length": playing.sum(0).mean(),
        "episodic_return_of_seat_0": rewards[..., 0].sum(0).mean() * args.reward_scale,
    }


def compute_gae(args: Args, playing: Any, player: Any, value: Any, rewards: Any) -> Any:
    """Returns the generalized advantage of each decision, on the trajectory of the player who decided.

    A player's trajectory goes from one of its decisions to its next, with all rewards that it receives in between.
    Turns need not alternate.
    """
    advantages = np.zeros_like(value)
    # For each environment and player: value and advantage of the next decision, and the rewards until then. After the
    # end of the game all are 0.
    next_value, next_advantage, received = (np.zeros(rewards.shape[1:], np.float32) for _ in range(3))
    for t in reversed(range(len(value))):
        received += rewards[t]
        env = np.flatnonzero(playing[t])
        mover = player[t, env]
        delta = received[env, mover] + args.gamma * next_value[env, mover] - value[t, env]
        advantages[t, env] = delta + args.gamma * args.gae_lambda * next_advantage[env, mover]
        next_value[env, mover], next_advantage[env, mover] = value[t, env], advantages[t, env]
        received[env, mover] = 0
    return advantages


# The update


def loss_fn(params: Params, batch: Batch, ent_coef: jax.Array, args: Args) -> tuple[jax.Array, dict[str, jax.Array]]:
    """Returns the loss of a minibatch, and the metrics."""
    logprobs, newvalue = forward(params, batch.obs, batch.action_mask)
    newlogprob = jnp.take_along_axis(logprobs, batch.action[:, None], 1)[:, 0]
    logratio = newlogprob - batch.logprob
    ratio = jnp.exp(logratio)

    # Advantages are not normalised: near an equilibrium all are small, and normalising would magnify their noise.
    pg_loss1 = -batch.advantage * ratio
    pg_loss2 = -batch.advantage * jnp.clip(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
    policy_loss = jnp.maximum(pg_loss1, pg_loss2).mean()
    value_loss = 0.5 * ((newvalue - batch.target) ** 2).mean()
    entropy = -(jnp.exp(logprobs) * jnp.where(batch.action_mask, logprobs, 0)).sum(1).mean()
    loss = policy_loss - ent_coef * entropy + args.vf_coef * value_loss
    return loss, {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "approx_kl": ((ratio - 1) - logratio).mean(),
        "clip_fraction": (jnp.abs(ratio - 1) > args.clip_coef).mean(),
    }


def make_optimizer(args: Args) -> optax.GradientTransformation:
    """Returns Adam, whose learning rate is set before each step."""

    def adam(learning_rate: float) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(args.max_grad_norm), optax.adam(learning_rate, eps=1e-5))

    return optax.inject_hyperparams(adam)(learning_rate=args.learning_rate)


@functools.partial(jax.jit, static_argnames="args")
def update_minibatch(
    params: Params, opt_state: Any, batch: Batch, learning_rate: jax.Array, ent_coef: jax.Array, args: Args
) -> tuple[Params, Any, dict[str, jax.Array]]:
    """Takes one gradient step."""
    grads, metrics = jax.grad(loss_fn, has_aux=True)(params, batch, ent_coef, args)
    opt_state.hyperparams["learning_rate"] = learning_rate
    updates, opt_state = make_optimizer(args).update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, metrics


# The evaluation


def evaluate_against_random(args: Args, game: stier.Game, params: Params) -> tuple[float, float]:
    """Returns the mean return against random players, from every seat of each deal, and half its 95 % interval."""
    returns = np.zeros(args.eval_deals)
    for seat in range(game.num_players()):
        # Deals that training has not used.
        envs = stier.VectorEnv(
            game,
            args.eval_deals,
            seed=stier.derive_seed(args.seed, "evaluation", 0),
            opponents="random",
            seat=seat,
            autoreset=False,
            observation="uint8",
        )
        step, key = envs.reset(), jax.random.key(args.seed)
        returns += step.rewards[:, seat]
        while not step.terminated.all():
            key, action_key = jax.random.split(key)
            action, _, _ = get_action(params, step.observation, step.legal_action_mask, action_key)
            step = envs.step(np.asarray(action))
            returns += step.rewards[:, seat]
    returns /= game.num_players()
    return float(returns.mean()), float(1.96 * returns.std(ddof=1) / np.sqrt(args.eval_deals))


def evaluate_nash_conv(tree: stier.solving.GameTree, params: Params) -> float:
    """Returns what best responses gain against the policy, over all players: 0 in equilibrium."""
    obs = tree.observation_tensors(0, tree.information_sets, "uint8")
    logprobs, _ = forward(params, obs, tree.legal_action_masks())
    return tree.policy(np.exp(np.asarray(logprobs)), name="ppo").nash_conv


# The loop


def train(args: Args) -> tuple[Params, list[dict[str, float]]]:
    """Trains a network; returns its weights and what was printed."""
    game = stier.load_game(args.game)
    if args.save and not Path(args.save).absolute().parent.is_dir():
        raise FileNotFoundError(f"{args.save}: there is no folder {Path(args.save).parent}")
    envs = stier.VectorEnv(game, args.num_envs, seed=args.seed, autoreset=False, observation="uint8", threads=1)
    tree = stier.solving.GameTree(game) if args.nash_conv else None
    key, agent_key = jax.random.split(jax.random.key(args.seed))
    params = init_agent(args, envs.observation_shape[0], game.num_distinct_actions(), agent_key)
    opt_state = make_optimizer(args).init(params)
    rng = np.random.default_rng(args.seed)
    size = args.minibatch_size
    log: list[dict[str, float]] = []
    global_step = 0
    start = printed = time.perf_counter()

    while global_step < args.total_timesteps:
        done = global_step / args.total_timesteps
        learning_rate = args.learning_rate * (1 - done)
        ent_coef = args.ent_coef ** (1 - done) * args.final_ent_coef**done

        key, rollout_key = jax.random.split(key)
        batch, row = rollout(args, envs, params, rollout_key)
        global_step += len(batch.action)

        found = []
        for _ in range(args.update_epochs):
            # Minibatches of one size, so that JAX compiles once: the rest of a permutation is left out at random.
            order = rng.permutation(max(len(batch.action), size)) % len(batch.action)
            for first in range(0, len(order) - size + 1, size):
                rows = order[first : first + size]
                minibatch = Batch(*(column[rows] for column in batch))
                params, opt_state, metrics = update_minibatch(
                    params, opt_state, minibatch, learning_rate, ent_coef, args
                )
                found.append(metrics)

        if time.perf_counter() - printed > args.log_seconds or global_step >= args.total_timesteps:
            printed = time.perf_counter()
            row |= {name: float(np.mean([metrics[name] for metrics in found])) for name in found[0]}
            row["explained_variance"] = float(1 - (batch.target - batch.value).var() / batch.target.var())
            row |= {"learning_rate": learning_rate, "SPS": global_step / (time.perf_counter() - start)}
            if tree is not None:
                row["eval/nash_conv"] = evaluate_nash_conv(tree, params)
            log.append({"global_step": global_step, **row})
            print("  ".join(f"{name} {value:.4g}" for name, value in log[-1].items()), flush=True)
            if args.save:
                save(args, game, params)

    mean, half = evaluate_against_random(args, game, params)
    print(f"against random: {mean:+.3f} ± {half:.3f} per game")
    log[-1] |= {"eval/random/mean": mean, "eval/random/ci95": half}
    return params, log


def save(args: Args, game: stier.Game, params: Params) -> None:
    """Saves the network for the engine: `stier pit GAME network:path=FILE,choose=sample greedy`."""
    from stier.network import Network

    layers = {name.removesuffix(".weight"): None for name in params if name.endswith(".weight")}
    found = {name: (np.asarray(params[f"{name}.weight"]), np.asarray(params[f"{name}.bias"])) for name in layers}
    policy, value = found.pop("policy"), found.pop("value")
    hidden = tuple(found[f"hidden.{i}"] for i in range(len(found)))
    made = {"algorithm": "ppo_single_file", **dataclasses.asdict(args)}
    network = Network(game, hidden, policy, value, value_scale=args.reward_scale, training=made)
    network.save(args.save)


def parse_args() -> Args:
    """Reads the command line: an option for each field of `Args`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for field in dataclasses.fields(Args):
        name = f"--{field.name.replace('_', '-')}"
        if field.name == "hidden":
            parser.add_argument(name, type=lambda text: tuple(map(int, text.split(","))), default=field.default)
        elif isinstance(field.default, bool):
            parser.add_argument(name, action="store_true")
        else:
            parser.add_argument(name, type=type(field.default), default=field.default, help="(default: %(default)s)")
    return Args(**vars(parser.parse_args()))


if __name__ == "__main__":
    train(parse_args())
