r"""Self-play PPO in one file, on nothing but `stier.VectorEnv`, in PyTorch, to be read, copied and changed.

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

Needs `pip install torch scipy`, and safetensors for `--save`. The maintained learners, in JAX and with checkpoints, are
in `stier.train`.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

import stier
import stier.ratings
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


class Agent(nn.Module):
    """A policy and a value on the same hidden layers. The policy has small weights, so that it starts uniform."""

    def __init__(self, args: Args, inputs: int, actions: int) -> None:
        super().__init__()
        sizes = [inputs, *args.hidden]
        self.hidden = nn.Sequential()
        for i in range(len(args.hidden)):
            self.hidden += nn.Sequential(layer_init(nn.Linear(sizes[i], sizes[i + 1])), nn.ReLU())
        self.policy = layer_init(nn.Linear(sizes[-1], actions), 0.01)
        self.value = layer_init(nn.Linear(sizes[-1], 1), 1.0)

    def forward(self, obs: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the logarithms of the probabilities of all actions, and the values."""
        x = self.hidden(obs.float())
        return functional.log_softmax(self.policy(x).masked_fill(~action_mask, -1e9), 1), self.value(x)[:, 0]

    @torch.no_grad()
    def get_action(self, obs: Any, action_mask: Any) -> tuple[Any, Any, Any]:
        """Draws actions; returns them with the logarithms of their probabilities, and the values."""
        logprobs, value = self(torch.from_numpy(obs), torch.from_numpy(action_mask))
        action = torch.multinomial(logprobs.exp(), 1)
        return action[:, 0].numpy(), logprobs.gather(1, action)[:, 0].numpy(), value.numpy()


def layer_init(layer: nn.Linear, scale: float = 2**0.5) -> nn.Linear:
    """Gives a layer orthogonal weights of this scale, and biases of zero."""
    nn.init.orthogonal_(layer.weight, scale)
    nn.init.zeros_(layer.bias)
    return layer


# The rollout


def rollout(args: Args, envs: stier.VectorEnv, agent: Agent) -> tuple[Batch, dict[str, float]]:
    """Plays a game in each environment; returns all decisions with their advantages."""
    steps = []
    step = envs.reset()
    while not step.terminated.all():
        obs, mask, player = step.observation, step.legal_action_mask, step.current_player
        action, logprob, value = agent.get_action(obs, mask)
        playing = ~step.terminated
        step = envs.step(action)
        # The rewards of all players between this decision and the next one in the game; 0 after the end.
        steps.append((playing, player, obs, mask, action, logprob, value, step.rewards / args.reward_scale))
    playing, player, obs, mask, action, logprob, value, rewards = map(np.stack, zip(*steps, strict=True))
    advantage = compute_gae(args, playing, player, value, rewards)
    batch = Batch(obs, mask, action, logprob, value, advantage, advantage + value)
    batch = Batch(*(torch.from_numpy(column[playing]) for column in batch))
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


def loss_fn(args: Args, agent: Agent, batch: Batch, ent_coef: float) -> tuple[Tensor, dict[str, Tensor]]:
    """Returns the loss of a minibatch, and the metrics."""
    logprobs, newvalue = agent(batch.obs, batch.action_mask)
    newlogprob = logprobs.gather(1, batch.action[:, None])[:, 0]
    logratio = newlogprob - batch.logprob
    ratio = logratio.exp()

    # Advantages are not normalised: near an equilibrium all are small, and normalising would magnify their noise.
    pg_loss1 = -batch.advantage * ratio
    pg_loss2 = -batch.advantage * ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
    policy_loss = torch.maximum(pg_loss1, pg_loss2).mean()
    value_loss = 0.5 * ((newvalue - batch.target) ** 2).mean()
    entropy = -(logprobs.exp() * logprobs.masked_fill(~batch.action_mask, 0)).sum(1).mean()
    loss = policy_loss - ent_coef * entropy + args.vf_coef * value_loss
    metrics = {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "approx_kl": ((ratio - 1) - logratio).mean(),
        "clip_fraction": ((ratio - 1).abs() > args.clip_coef).float().mean(),
    }
    return loss, {name: metric.detach() for name, metric in metrics.items()}


# The evaluation


def evaluate_against_random(args: Args, game: stier.Game, agent: Agent) -> tuple[float, float]:
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
        step = envs.reset()
        returns += step.rewards[:, seat]
        while not step.terminated.all():
            step = envs.step(agent.get_action(step.observation, step.legal_action_mask)[0])
            returns += step.rewards[:, seat]
    returns /= game.num_players()
    found = stier.ratings.estimate(returns, (game.min_utility(), game.max_utility()))
    return found.mean, found.ci95


@torch.no_grad()
def evaluate_nash_conv(tree: stier.solving.GameTree, agent: Agent) -> float:
    """Returns what best responses gain against the policy, over all players: 0 in equilibrium."""
    obs = tree.observation_tensors(0, tree.information_sets, "uint8")
    logprobs, _ = agent(torch.from_numpy(obs), torch.from_numpy(tree.legal_action_masks()))
    return tree.policy(logprobs.exp().numpy(), name="ppo").nash_conv


# The loop


def train(args: Args) -> tuple[Agent, list[dict[str, float]]]:
    """Trains a network; returns it and what was printed."""
    game = stier.load_game(args.game)
    if args.save and not Path(args.save).absolute().parent.is_dir():
        raise FileNotFoundError(f"{args.save}: there is no folder {Path(args.save).parent}")
    envs = stier.VectorEnv(game, args.num_envs, seed=args.seed, autoreset=False, observation="uint8", threads=1)
    tree = stier.solving.GameTree(game) if args.nash_conv else None
    torch.manual_seed(args.seed)
    agent = Agent(args, envs.observation_shape[0], game.num_distinct_actions())
    optimizer = torch.optim.Adam(agent.parameters(), args.learning_rate, eps=1e-5)
    log: list[dict[str, float]] = []
    global_step = 0
    start = printed = time.perf_counter()

    while global_step < args.total_timesteps:
        done = global_step / args.total_timesteps
        optimizer.param_groups[0]["lr"] = learning_rate = args.learning_rate * (1 - done)
        ent_coef = args.ent_coef ** (1 - done) * args.final_ent_coef**done

        batch, row = rollout(args, envs, agent)
        global_step += len(batch.action)

        found = []
        for _ in range(args.update_epochs):
            for rows in torch.randperm(len(batch.action)).chunk(max(1, len(batch.action) // args.minibatch_size)):
                loss, metrics = loss_fn(args, agent, Batch(*(column[rows] for column in batch)), ent_coef)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
                found.append(metrics)

        if time.perf_counter() - printed > args.log_seconds or global_step >= args.total_timesteps:
            printed = time.perf_counter()
            row |= {name: float(torch.stack([metrics[name] for metrics in found]).mean()) for name in found[0]}
            row["explained_variance"] = float(1 - (batch.target - batch.value).var() / batch.target.var())
            row |= {"learning_rate": learning_rate, "SPS": global_step / (time.perf_counter() - start)}
            if tree is not None:
                row["eval/nash_conv"] = evaluate_nash_conv(tree, agent)
            log.append({"global_step": global_step, **row})
            print("  ".join(f"{name} {value:.4g}" for name, value in log[-1].items()), flush=True)
            if args.save:
                save(args, game, agent)

    mean, half = evaluate_against_random(args, game, agent)
    print(f"against random: {mean:+.3f} ± {half:.3f} per game")
    log[-1] |= {"eval/random/mean": mean, "eval/random/ci95": half}
    return agent, log


def save(args: Args, game: stier.Game, agent: Agent) -> None:
    """Saves the network for the engine: `stier pit GAME network:path=FILE,choose=sample greedy`."""
    from stier.network import Network

    def layer(linear: Any) -> tuple[Any, Any]:
        return linear.weight.detach().numpy().T, linear.bias.detach().numpy()

    hidden = tuple(layer(linear) for linear in agent.hidden if isinstance(linear, nn.Linear))
    made = {"algorithm": "ppo_single_file", **dataclasses.asdict(args)}
    policy, value = layer(agent.policy), layer(agent.value)
    Network(game, hidden, policy, value, value_scale=args.reward_scale, training=made).save(args.save)


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
    # Networks of this size gain nothing from several threads.
    torch.set_num_threads(1)
    train(parse_args())
