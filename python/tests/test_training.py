"""Training: advantages by brute force, learners that learn, runs that go on where they were stopped."""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stier

pytest.importorskip("safetensors")
pytest.importorskip("jax")

import jax

import stier.ratings
import stier.train
from stier.cli import main
from stier.network import Network
from stier.solving import GameTree
from stier.train import Settings, ppo
from stier.train._learner import Decisions, SelfPlay
from stier.train._population import Population
from stier.train.command import OPTIONS
from stier.train.evaluation import _Chance, _row

SMALL = {"suits": 2, "values": 3, "referee": False, "hand_size": 2, "set_aside": 1}
TINY = {"hidden": (16,), "num_envs": 32, "horizon": 8, "minibatches": 4}
#: Settings that are off by default.
DAMPED = {
    "kl_coefficient": 0.1,
    "power_law": True,
    "averaging": 0.5,
    "magnet_coefficient": 0.05,
    "advantage_share": 0.5,
}


def small_game() -> stier.Game:
    return stier.load_game("schwinget", **SMALL)


def brute_force(rewards, values, expected, terminated, players, gamma, lam, zero_sum):
    """Advantages by their definition: the sum over all later decisions of discounted errors of the critic."""
    steps, lanes, _ = rewards.shape
    advantages, known = np.zeros((steps, lanes)), np.ones((steps, lanes), bool)
    for lane, step in itertools.product(range(lanes), range(steps)):
        me = players[step, lane]
        total, weight, at = 0.0, 1.0, step
        while True:
            # The next decision that counts: anybody's with signs, else the next one of the same player.
            received, after, over = 0.0, at, False
            while True:
                received += rewards[after, lane, me]
                over = bool(terminated[after, lane])
                after += 1
                if over or after == steps or zero_sum or players[after, lane] == me:
                    break
            sign = 1 if players[at, lane] == me else -1
            own = sign * expected[at, lane]
            if over:
                total += weight * (received - own)
                break
            if after == steps and players[after, lane] != me and not zero_sum:
                # Nobody can say what this decision was worth; what came before stops at its value.
                known[step, lane] = at != step
                break
            later = (1 if players[after, lane] == me else -1) * values[after, lane]
            total += weight * (received + gamma * later - own)
            weight *= gamma * lam
            at = after
            if at == steps:
                break
        advantages[step, lane] = total if known[step, lane] else 0
    return advantages, known


@pytest.mark.parametrize(("seats", "zero_sum"), [(2, True), (2, False), (3, False), (5, False)])
@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 1.0), (1.0, 0.95), (0.9, 0.5), (1.0, 0.0)])
@pytest.mark.parametrize("actions", [False, True])
def test_advantages_are_those_of_the_definition(
    seats: int, zero_sum: bool, gamma: float, lam: float, actions: bool
) -> None:
    rng = np.random.default_rng(seats)
    steps, lanes = 24, 50
    rewards = rng.standard_normal((steps, lanes, seats)).astype(np.float32)
    if zero_sum:
        rewards[..., 1] = -rewards[..., 0]
    values = rng.standard_normal((steps + 1, lanes)).astype(np.float32)
    terminated = rng.random((steps, lanes)) < 0.15
    players = rng.integers(seats, size=(steps + 1, lanes))
    options = {"gamma": gamma, "lam": lam, "zero_sum": zero_sum, "sees_all": zero_sum}
    critic = values[:-1]
    if actions:
        critic = rng.standard_normal((steps, lanes)).astype(np.float32)
        options["action_values"] = critic
    found = stier.train.gae(rewards, values, terminated, players, **options)
    expected, known = brute_force(rewards, values, critic, terminated, players, gamma, lam, zero_sum)
    assert (found.known == known).all()
    assert known.all() == zero_sum
    np.testing.assert_allclose(found.advantages, expected, atol=2e-5)
    np.testing.assert_allclose(found.returns, found.advantages + critic)


def test_turns_that_alternate_are_told_from_those_that_do_not() -> None:
    # Player 0 decides twice in a row, then player 1, who loses a point to player 0.
    rewards = np.zeros((3, 1, 2))
    rewards[2, 0] = [1, -1]
    values = np.array([[0.5], [0.75], [-0.25], [9.0]])
    arguments = (rewards, values, [[False], [False], [True]], [[0], [0], [1], [0]])
    found = stier.train.gae(*arguments, lam=0.0, zero_sum=True, sees_all=True)
    assert found.advantages[:, 0].tolist() == [0.25, -0.5, -0.75]
    assert stier.train.gae(*arguments, lam=0.0).advantages[:, 0].tolist() == [0.25, 0.25, -0.75]


def test_arrays_that_do_not_go_together_are_refused() -> None:
    rewards, values, over, players = np.zeros((4, 2, 3)), np.zeros((5, 2)), np.zeros((4, 2)), np.zeros((5, 2), int)
    stier.train.gae(rewards, values, over, players)
    with pytest.raises(ValueError, match=r"rewards must be \(steps, environments, players\)"):
        stier.train.gae(rewards[0], values, over, players)
    with pytest.raises(ValueError, match=r"values must be \(5, 2\)"):
        stier.train.gae(rewards, values[1:], over, players)
    with pytest.raises(ValueError, match=r"action_values must be \(4, 2\), as terminated, got \(5, 2\)"):
        stier.train.gae(rewards, values, over, players, action_values=values)


def error_of_value_head(network: Network) -> float:
    """The mean squared error of the network's values as a share of their variance, if it plays all seats."""
    tree = GameTree(network.game)
    policy, found = [], []
    for start in range(0, tree.information_sets, 4096):
        part = slice(start, min(start + 4096, tree.information_sets))
        outputs = network(
            tree.observation_tensors(part.start, part.stop), tree.legal_action_masks(part.start, part.stop)
        )
        policy.append(outputs[0])
        found.append(outputs[1])
    probabilities = np.concatenate(policy).astype(np.float64)
    probabilities /= probabilities.sum(1, keepdims=True)
    truth = (probabilities * tree.action_values(probabilities)).sum(1)
    return float(((np.concatenate(found) - truth) ** 2).mean() / truth.var())


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("ppo", {**TINY, "steps": 100_000}),
        ("ppo", {**TINY, "steps": 60_000, "central_critic": True, "action_critic": True}),
        ("ppo", {**TINY, **DAMPED, "steps": 100_000, "central_critic": True, "action_critic": True}),
        ("dmc", {"num_envs": 128, "minibatch_size": 64, "steps": 100_000}),
    ],
)
def test_a_learner_comes_nearer_to_equilibrium(algorithm: str, settings: dict[str, int]) -> None:
    trained = stier.train.learn(
        small_game(),
        algorithm,
        exact=True,
        evaluations=1,
        deals=200,
        watch=["attack"],
        learning_rate=3e-3,
        **settings | {"hidden": (64,)},
    )
    first, last = trained.log[0], trained.log[-1]
    assert last["steps"] >= settings["steps"]
    assert last["eval/nash_conv"] < 0.5 * first["eval/nash_conv"]
    assert last["eval/greedy/mean"] > first["eval/greedy/mean"] + 0.3
    assert 0.1 < last["eval/attack/probability"] < 0.9, "neither attacking nor waiting is lost"
    assert (trained.network.value is None) == (algorithm == "dmc")
    if trained.network.value is not None:
        # Beside a central critic the value head reads layers that learn from the policy alone.
        assert error_of_value_head(trained.network) < (0.8 if "central_critic" in settings else 0.25)


def test_advantages_of_all_actions_are_right_on_average_with_any_critic() -> None:
    """In one decision whose actions are chosen as often as the policy says, and return what they truly do."""
    made = stier.train.learner("leduc_poker", central_critic=True, action_critic=True, **TINY)
    state = stier.load_game("leduc_poker").new_initial_state(seed=1)
    legal = state.legal_actions_mask()
    truth = np.random.default_rng(1).standard_normal(len(legal)).astype(np.float32)
    seen = state.observation_tensor().astype(np.uint8)[None]
    everything = np.concatenate([seen, seen], 1)
    log_policy, values, _ = (np.asarray(found) for found in ppo.forward(made.params, seen, everything, legal[None]))
    policy = np.exp(log_policy[0])
    count = int(legal.sum())
    batch = Decisions(
        observation=np.repeat(seen, count, 0),
        critic_observation=np.repeat(everything, count, 0),
        legal=np.repeat(legal[None], count, 0),
        action=np.flatnonzero(legal).astype(np.int32),
        log_policy=np.repeat(log_policy, count, 0),
        advantages=(truth - values[0])[legal],
        returns=truth[legal],
    )
    found = np.asarray(ppo.advantages_of_actions(made.params, batch))
    mean = (policy[legal][:, None] * found).sum(0)
    np.testing.assert_allclose(mean[legal], (truth - (policy * values[0])[legal].sum())[legal], atol=1e-5)
    assert (found[:, ~legal] == 0).all()
    assert count < len(legal)


@pytest.mark.parametrize(
    ("algorithm", "more"),
    [
        ("ppo", {}),
        ("ppo", DAMPED),
        ("ppo", {"population_share": 0.5, "population_size": 3}),
        ("dmc", {}),
        ("dmc", {"population_share": 0.5, "population_size": 3}),
    ],
)
def test_a_run_that_was_stopped_ends_with_the_same_network(
    algorithm: str, more: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = stier.load_game("schwimmen", players=3)
    settings = {"steps": 4000, "num_envs": 16, "hidden": (16,), "seed": 3, **more}
    whole = stier.train.learn(game, algorithm, folder=tmp_path / "whole", evaluations=2, deals=20, **settings)
    monkeypatch.setattr("stier.train._run.PAUSE", 0.0)
    count = 0
    for _ in range(100):
        made = stier.train.learner(game, algorithm, **settings)
        iterate = made.iterate

        def once(iterate=iterate) -> dict[str, float]:
            nonlocal count
            count += 1
            if count % 3 == 0:
                raise KeyboardInterrupt
            return iterate()

        made.iterate = once
        evaluation = stier.train.Evaluation(game, ("greedy",), 20, seed=3)
        try:
            parts = stier.train.run(made, folder=tmp_path / "parts", evaluation=evaluation, evaluations=2)
        except KeyboardInterrupt:
            continue
        break
    assert count > 4, "it was stopped"
    for name, array in whole.network.tensors().items():
        assert (parts.network.tensors()[name] == array).all(), name

    def rows(trained: stier.train.Trained) -> list[dict[str, float]]:
        return [
            {key: value for key, value in row.items() if key not in ("cpu_seconds", "steps_per_second")}
            for row in trained.log
        ]

    assert rows(parts) == rows(whole)
    with pytest.raises(ValueError, match=r"made with other settings .seed: 3 there, 4 now"):
        stier.train.learn(game, algorithm, folder=tmp_path / "parts", **(settings | {"seed": 4}))


def test_seeds_decide() -> None:
    game = small_game()
    first, same, other = (
        stier.train.learn(game, steps=2000, against=(), seed=seed, **TINY).network.policy[0] for seed in (1, 1, 2)
    )
    assert (first == same).all()
    assert (first != other).any()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("schwinget", {"central_critic": True}),
        ("schweins_galopp", {}),
        ("schweins_galopp", {"central_critic": True, "action_critic": True, "critic_hidden": (8, 8)}),
        ("schwimmen", {"central_critic": True, "action_critic": True}),
        ("up_and_down", {}),
    ],
)
def test_every_game_can_be_learned(name: str, settings: dict[str, Any]) -> None:
    trained = stier.train.learn(
        stier.load_game(name),
        steps=512,
        deals=4,
        evaluations=1,
        kl_coefficient=0.1,
        **TINY,
        **settings,
    )
    assert trained.log[-1].keys() == {
        *("steps", "cpu_seconds", "steps_per_second", "episodes", "learning_rate", "entropy_coefficient"),
        *("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "explained_variance"),
        *(f"eval/greedy/{part}" for part in ("mean", "ci95", "sampled_mean", "sampled_ci95")),
    }
    assert trained.network.value is not None
    assert all(np.isfinite(array).all() for array in trained.network.tensors().values())


def test_the_central_critic_is_shown_everything_and_the_player_nothing_more() -> None:
    game = stier.load_game("schwinget")
    envs = stier.VectorEnv(game, 8, seed=5, observation="uint8")
    for _ in range(12):
        batch = envs.step(envs.sample_actions())
        everything = envs.perfect_information_observation()
        assert everything.shape == (8, 2, game.observation_tensor_shape()[0])
        assert (everything[:, 0] == batch.observation).all()
        for lane in range(8):
            other = 1 - batch.current_player[lane]
            assert (everything[lane, 1] == envs.state(lane).observation_tensor(int(other))).all()


def test_a_duel_is_what_the_arena_plays() -> None:
    game = small_game()
    network = Network.random(game, hidden=(8,), seed=1)

    def play(state: stier.State) -> int:
        probabilities, _ = network(state.observation_tensor(), state.legal_actions_mask())
        return int(probabilities.argmax())

    found = stier.train.duel(network, "greedy", deals=60, seed=2)
    expected = stier.pit(game, [play, "greedy"], deals=60, seed=9)
    assert found.values.shape == (60,)
    assert abs(found.mean - expected.mean[0]) < 3 * (found.ci95 + expected.ci95[0]) / 1.96
    again = stier.train.duel(network, "greedy", deals=60, seed=2, threads=2)
    assert (again.values == found.values).all()
    with pytest.raises(ValueError, match="deals must be at least 2, got 1"):
        stier.train.duel(network, "greedy", deals=1)


def test_what_a_network_does_everywhere_is_what_it_does_anywhere() -> None:
    game = small_game()
    network = Network.random(game, hidden=(8,), seed=1)
    policy = stier.train.Exact.of(game).policy(network)
    state = game.new_initial_state(seed=3)
    while not state.is_terminal():
        probabilities, _ = network(state.observation_tensor(), state.legal_actions_mask())
        for action, share in policy.policy(state):
            assert abs(probabilities[action] - share) < 1e-6
        state.apply_action(state.legal_actions()[-1])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"algorithm": "reinforce"}, "unknown algorithm 'reinforce'; algorithms: ppo, ppo_torch, dmc"),
        ({"rate": 1}, "unknown setting 'rate'; settings of ppo: steps, seed, hidden,"),
        ({"num_envs": 0}, "num_envs must be at least 1, got 0"),
        ({"num_envs": 3, "horizon": 3}, "minibatches must divide num_envs times horizon, 9, got 16"),
        ({"entropy_coefficient": 0.0}, "entropy_coefficient must be more than 0, got 0.0"),
        ({"hidden": (0,)}, "hidden must be widths of layers, such as 256 or 256,256, got (0,)"),
        ({"hidden": 0.5}, "hidden must be widths of layers, such as 256 or 256,256, got 0.5"),
        ({"hidden": "64"}, "hidden must be widths of layers, such as 256 or 256,256, got '64'"),
        ({"num_envs": 0.5}, "num_envs must be a whole number, got 0.5"),
        ({"action_critic": True}, "action_critic needs central_critic"),
        ({"critic_hidden": 8}, "critic_hidden needs central_critic"),
        ({"magnet_coefficient": 0.1}, "magnet_coefficient=0.1 needs averaging above 0"),
        ({"averaging": 0.01, "steps": 20_000}, "averaging=0.01 of 20,000 steps is less than two updates of 16,384"),
        ({"critic_hidden": 0.5}, "critic_hidden must be widths of layers, such as 256 or 256,256, got 0.5"),
        ({"central_critic": 1}, "central_critic must be True or False (on or off), got 1"),
        ({"kl_coefficient": (1, 2)}, "kl_coefficient must be a number, got (1, 2)"),
        ({"payoff_scale": 0}, "payoff_scale must be a number above 0, or None, got 0"),
        ({"algorithm": "dmc", "epsilon": 2}, "epsilon must be between 0 and 1, got 2"),
        ({"opponents": ()}, "opponents must be names of agents, such as 'self' or 'greedy', got ()"),
        ({"opponents": ["self"] * 3, "num_envs": 2}, "num_envs must be at least 3, the number of opponents, got 2"),
        ({"opponents": "greedi"}, "greedi"),
        ({"opening": "greedi"}, "greedi"),
        ({"opening": 1}, "opening must be text, got 1"),
        ({"opening_share": 2}, "opening_share must be between 0 and 1, got 2"),
        ({"opening_decisions": 0}, "opening_decisions must be at least 1, got 0"),
        ({"barred": "fold"}, "'fold' is not a valid action of schwinget"),
        ({"barred_share": 2}, "barred_share must be between 0 and 1, got 2"),
        ({"barred_decisions": 0}, "barred_decisions must be at least 1, got 0"),
        ({"population_share": -0.1}, "population_share must be between 0 and 1, got -0.1"),
        ({"population_size": 0}, "population_size must be at least 1, got 0"),
        ({"population_share": 0.5, "beliefs": "lbr"}, "beliefs need population_share=0: earlier networks play without"),
        ({"beliefs": "greedi"}, "greedi"),
        ({"population_size": 3}, "population_size=3 needs population_share above 0"),
        ({"population_weights": "best"}, "population_weights must be 'equal' or 'nash', got 'best'"),
        (
            {"population_share": 0.2, "num_envs": 16},
            "population_share=0.2 of 16 environments is 3, fewer than population_size=8",
        ),
        (
            {"population_share": 1.0, "num_envs": 16},
            "num_envs must be at least 1, the number of opponents, got 16, of which population_share takes 16",
        ),
        ({"device": "gpu:99"}, "device must be one of JAX's, such as 'cpu' or 'gpu:0', got 'gpu:99'"),
        ({"checkpoint_every": 1}, "checkpoint_every needs a folder"),
        ({"watch": ["attac"]}, "'attac' is not a valid action of schwinget"),
    ],
)
def test_settings_are_checked(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        stier.train.learn(small_game(), **settings)
    assert message in str(caught.value)


def test_the_twin_in_pytorch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    settings = {**TINY, "hidden": (64,), "steps": 100_000, "learning_rate": 3e-3}
    game = small_game()
    trained = stier.train.learn(game, "ppo_torch", exact=True, evaluations=1, deals=200, **settings)
    assert trained.log[-1]["eval/nash_conv"] < 0.5 * trained.log[0]["eval/nash_conv"]
    critics = [{}, {"central_critic": True}, {"central_critic": True, "action_critic": True}]
    for number, own in enumerate([*critics, DAMPED, {**DAMPED, **critics[-1]}]):
        more = {**TINY, **own, "folder": tmp_path / str(number), "against": ()}
        whole = stier.train.learn(game, "ppo_torch", steps=1024, **more)
        again = stier.train.learn(game, "ppo_torch", steps=1024, **more)
        assert (whole.network.policy[0] == again.network.policy[0]).all()
        start = stier.train.learner(game, "ppo_torch", initial=whole.network, **TINY)
        for name, array in start.network().tensors().items():
            np.testing.assert_allclose(array, whole.network.tensors()[name], rtol=1e-6)
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("schwinget", {}),
        ("schwinget", {"central_critic": True}),
        ("schweins_galopp", {"horizon": 2}),
        ("schwimmen", {"horizon": 5}),
        ("up_and_down", {}),
    ],
)
def test_every_decision_is_learned_from_once_with_a_known_advantage(name: str, settings: dict[str, int]) -> None:
    """Batch by batch the same as in one go: no decision at the end of a batch is dropped."""
    game = stier.load_game(name)
    settings = {"num_envs": 8, "horizon": 6, "minibatches": 1, "seed": 4, "gae_lambda": 0.0, **settings}
    weights = np.random.default_rng(1).standard_normal(game.num_distinct_actions()).astype(np.float32)

    def choose(observation, critic, legal, call):
        # By what is seen, and by nothing else.
        logits = np.where(legal, weights + observation.sum(1, keepdims=True) % 7 * weights[::-1], -1e9)
        value = np.sin(critic.astype(np.float32) @ np.arange(critic.shape[1], dtype=np.float32))
        return logits.argmax(1), logits.astype(np.float32), value, np.cos(value)

    play = SelfPlay(game, Settings(**settings))
    assert play.zero_sum == bool(settings.get("central_critic"))
    parts = [play.collect(choose)[0] for _ in range(20)]
    assert bool(play.ahead) != play.zero_sum
    whole, _ = SelfPlay(game, Settings(**(settings | {"horizon": 20 * settings["horizon"]}))).collect(choose)
    for column in ("observation", "critic_observation", "legal", "action", "log_policy"):
        together = np.concatenate([getattr(part, column) for part in parts])
        assert (together == getattr(whole, column)).all(), column
    for column in ("advantages", "returns"):
        together = np.concatenate([getattr(part, column) for part in parts])
        np.testing.assert_allclose(together, getattr(whole, column), atol=1e-5)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_networks_do_not_depend_on_threads(algorithm: str) -> None:
    """JAX belongs to the whole process: learners confine what they compute, and change nothing else."""
    text = (
        "import hashlib, jax, os, stier, stier.train\n"
        "before = dict(os.environ)\n"
        "game, settings = stier.load_game('schwimmen'), {'num_envs': 256, 'hidden': 64, 'seed': 2}\n"
        f"made = stier.train.learner(game, {algorithm!r}, device=DEVICE, **settings)\n"
        "made.iterate()\n"
        "assert dict(os.environ) == before\n"
        "assert jax.numpy.ones(1).device in jax.devices()\n"
        "print(hashlib.sha256(made.network().policy[0].tobytes()).hexdigest())\n"
    )

    def trained(threads: int, prelude: str = "", device: str | None = None) -> str:
        environment = os.environ | {"PJRT_NPROC": str(threads)}
        command = [sys.executable, "-c", prelude + text.replace("DEVICE", repr(device))]
        return subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout

    alone = trained(1)
    assert trained(7) == alone
    # A program that has used JAX before.
    assert trained(7, "import jax; jax.numpy.ones(3) + 1\n") == alone
    # JAX's own device has all threads, and so other bits.
    assert trained(7, device="cpu") != alone


def test_training_is_extended(tmp_path: Path) -> None:
    game, settings = small_game(), {**TINY, "against": (), "evaluations": 4, "folder": tmp_path}
    first = stier.train.learn(game, steps=1024, **settings)
    more = stier.train.learn(game, steps=4096, **settings)
    assert more.log[: len(first.log)] == first.log
    assert [row["steps"] for row in more.log] == [0, 256, 512, 768, 1024, 2048, 3072, 4096]
    # The schedule of the new total: after a quarter of it the learning rate is up again.
    assert more.log[5]["learning_rate"] > first.log[-1]["learning_rate"]
    assert more.network.training["steps_done"] == 4096
    again = stier.train.learn(game, steps=4096, **settings)
    assert (again.network.policy[0] == more.network.policy[0]).all()
    with pytest.raises(stier.StierError, match=r"steps must be at least 4,096, which .* has done; got 2,048"):
        stier.train.learn(game, steps=2048, **settings)
    with pytest.raises(stier.StierError, match=r"other settings \(num_envs: 32 there, 16 now\)"):
        stier.train.learn(game, steps=8192, **(settings | {"num_envs": 16}))


def test_training_starts_from_a_network(tmp_path: Path) -> None:
    game, file = small_game(), tmp_path / "network.safetensors"
    network = Network.random(game, hidden=(16,), seed=1, value_scale=3.0)
    network = dataclasses.replace(network, value=(network.value[0] + 1, network.value[1] + 1))
    network.save(file)
    x = np.random.default_rng(1).integers(2, size=(7, game.observation_tensor_shape()[0]))
    for initial in (network, file, str(file)):
        made = stier.train.learner(game, initial=initial, num_envs=32, horizon=8)
        assert made.settings.hidden == (16,), "as the network has them"
        for found, expected in zip(made.network().forward(x), network.forward(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    # The command line, and going on from the checkpoint without naming it again.
    out = tmp_path / "out"
    arguments = ["train", str(game), "--out", str(out), "--deals", "2", "--set", "num_envs=32", "--set", "horizon=8"]
    assert main([*arguments, "--steps", "256", "--initial", str(file)]) == 0
    trained = Network.load(out / "network.safetensors")
    assert trained.training["initial"] == made.initial
    assert main([*arguments, "--steps", "512", "--set", "hidden=16"]) == 0
    assert Network.load(out / "network.safetensors").training["steps_done"] == 512
    assert main([*arguments, "--steps", "768"]) == 0
    assert Network.load(out / "network.safetensors").training["steps_done"] == 768
    other = Network.random(game, hidden=(16,), seed=2)
    with pytest.raises(stier.StierError, match="initial: "):
        stier.train.learn(game, folder=out, initial=other, steps=512, num_envs=32, horizon=8)

    with pytest.raises(stier.StierError, match=r"hidden must be \(16,\) as in the initial network, got \(8,\)"):
        stier.train.learner(game, initial=network, hidden=8)
    with pytest.raises(stier.StierError, match="observations and actions differ from schwinget:suits=2"):
        stier.train.learner(stier.load_game("schwimmen"), initial=network)
    with pytest.raises(stier.StierError, match="initial must be the file of a network, got "):
        stier.train.learner(game, initial=tmp_path / "missing")
    with pytest.raises(stier.StierError, match="initial must be a network of dmc"):
        stier.train.learner(game, "dmc", initial=network)
    deep = stier.train.learn(game, "dmc", steps=200, num_envs=16, hidden=16, against=())
    made = stier.train.learner(game, "dmc", initial=deep.network, temperature=0.1)
    logits = made.network().forward(x)[0] * 5
    np.testing.assert_allclose(logits, deep.network.forward(x)[0], rtol=1e-3, atol=1e-3)
    stier.train.learner(game, initial=deep.network, num_envs=32, horizon=8).iterate()


def test_the_command_line_tells_its_progress_without_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--steps", "1024", "--deals", "4", "--evaluations", "2", "--watch", "attack", "--judge", "rule:when=thumb"]
    for name, value in {"hidden": "16", "num_envs": "32", "horizon": "8"}.items():
        words += ["--set", f"{name}={value}"]
    assert main(["train", str(small_game()), "--out", str(tmp_path / "a"), *words]) == 0
    told = capsys.readouterr()
    evaluating, compiling, *lines = told.err.splitlines()
    assert evaluating == "evaluating against greedy"
    assert compiling == "compiling the learner"
    assert [line.split(" decisions")[0] for line in lines] == ["0 of 1,024", "512 of 1,024", "1,024 of 1,024"]
    assert "greedy/mean" in lines[-1]
    assert "attack/probability" in lines[-1]
    assert "attack/probability" in told.out
    assert Network.load(tmp_path / "a" / "network.safetensors").hidden[0][0].shape[1] == 16
    # Between evaluations, the metrics.
    monkeypatch.setattr("stier._output.PAUSE", 0.0)
    assert main(["train", str(small_game()), "--out", str(tmp_path / "d"), *words]) == 0
    lines = capsys.readouterr().err.splitlines()[2:]
    assert [line.split(" decisions")[0] for line in lines[1::2]] == ["256 of 1,024", "768 of 1,024"]
    assert "value_loss" in lines[1]
    assert "steps_per_second" in lines[1]
    assert main(["train", str(small_game()), "--out", str(tmp_path / "b"), *words, "--no-progress"]) == 0
    assert not capsys.readouterr().err
    assert main(["train", str(small_game()), "--out", str(tmp_path / "c"), "--set", "hidden=0.5"]) == 2
    assert "hidden must be widths of layers, such as 256 or 256,256, got 0.5" in capsys.readouterr().err


def test_the_command_line_measures_small_games_and_has_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--steps", "256", "--deals", "4", "--set", "num_envs=32", "--set", "horizon=8", "--set", "hidden=16"]
    assert main(["train", "kuhn_poker", *words]) == 0
    told = capsys.readouterr().out
    assert "greedy/sampled_mean" in told
    assert "nash_conv" in told
    assert "network:path=out/kuhn_poker/network.safetensors,choose=sample" in told
    assert main(["train", "kuhn_poker", *words, "--no-exact", "--out", "without"]) == 0
    assert "nash_conv" not in capsys.readouterr().out


def test_sampled_evaluations_measure_the_policy_and_not_its_likeliest_actions() -> None:
    uniform = Network.random(stier.load_game("kuhn_poker"), hidden=(4,), seed=1)
    uniform = dataclasses.replace(uniform, policy=tuple(np.zeros_like(array) for array in uniform.policy))
    found = stier.train.Evaluation("kuhn_poker", ["random"], deals=2000).measure(uniform)
    assert abs(found["eval/random/sampled_mean"]) < 2 * found["eval/random/sampled_ci95"]
    assert abs(found["eval/random/mean"]) > 2 * found["eval/random/ci95"], "the first action, passing, always"


def test_help_lists_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--help"]) == 0
    told = capsys.readouterr().out
    common = stier.train.CommonSettings.meanings()
    for kind in (stier.train.CommonSettings, Settings, stier.train.DMCSettings):
        meanings = common | kind.meanings()
        assert set(meanings) == {field.name for field in dataclasses.fields(kind)}
        for field in dataclasses.fields(kind):
            if field.name not in OPTIONS:
                assert f"  {field.name} " in told
                assert meanings[field.name].split()[0] in told
    assert "(default: 256,256)" in told


def test_iterations_are_logged_and_networks_kept(tmp_path: Path) -> None:
    game, told = small_game(), []
    settings = {**TINY, "evaluations": 2, "deals": 4, "folder": tmp_path}
    trained = stier.train.learn(game, steps=1024, checkpoint_every=2, log=told.append, **settings)
    iterations = [row for row in told if "policy_loss" in row]
    evaluations = [row for row in told if "eval/greedy/mean" in row]
    assert [row["steps"] for row in iterations] == [256, 512, 768, 1024]
    assert [row["steps"] for row in evaluations] == [0, 512, 1024] == [row["steps"] for row in trained.log]
    parts = ("mean", "ci95", "sampled_mean", "sampled_ci95")
    assert trained.headlines == [f"eval/greedy/{part}" for part in parts]
    mean = np.mean([row["policy_loss"] for row in iterations[2:]])
    assert trained.log[-1]["policy_loss"] == pytest.approx(mean)
    kept = sorted((tmp_path / "checkpoints").iterdir())
    assert [file.name for file in kept] == ["000000000512.safetensors", "000000001024.safetensors"]
    first, last = map(Network.load, kept)
    assert first.training["steps_done"] == 512
    assert (last.policy[0] == trained.network.policy[0]).all()
    # Going on from the checkpoint does not tell again what was told.
    told.clear()
    stier.train.learn(game, steps=1280, checkpoint_every=2, log=told.append, **settings)
    assert [row["steps"] for row in told] == [1280, 1280]


@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_training_that_diverges_is_an_error_and_not_saved(algorithm: str, tmp_path: Path) -> None:
    settings = {"steps": 4096, "hidden": 16, "num_envs": 32, "folder": tmp_path, "against": (), "max_grad_norm": 1e30}
    with pytest.raises(stier.errors.TrainingError, match=r"diverged: .* in iteration "):
        stier.train.learn(small_game(), algorithm, learning_rate=1e30, **settings)
    assert Network.load(tmp_path / "network.safetensors").training["steps_done"] == 0


ONE_STEP = {**TINY, "epochs": 1, "minibatches": 1, "max_grad_norm": 1e30, "against": ()}


@pytest.mark.parametrize("algorithm", ["ppo", "ppo_torch"])
@pytest.mark.parametrize("steps", [256, 512])
def test_a_step_after_which_the_network_cannot_play_is_an_error_and_not_saved(
    steps: int, algorithm: str, tmp_path: Path
) -> None:
    """The loss of the first step is finite, and the weights after it are too large for any game."""
    if algorithm == "ppo_torch":
        pytest.importorskip("torch")
    with pytest.raises(stier.errors.TrainingError, match="network overflow in iteration 1, after 256"):
        stier.train.learn(
            "kuhn_poker", algorithm, steps=steps, learning_rate=1e30, folder=tmp_path, checkpoint_every=1, **ONE_STEP
        )
    assert Network.load(tmp_path / "network.safetensors").training["steps_done"] == 0
    assert not (tmp_path / "checkpoints").exists()


def test_outputs_below_those_of_illegal_actions_are_an_error() -> None:
    network = Network.random(small_game(), hidden=(16,), seed=1)
    weight, bias = network.policy
    network = dataclasses.replace(network, policy=(weight, bias - np.float32(1e12)))
    with pytest.raises(stier.errors.TrainingError, match="the outputs of the network are too large in iteration 0"):
        stier.train.learn(small_game(), steps=256, initial=network, num_envs=32, horizon=8, against=())


def test_a_missing_jax_is_named_and_so_is_what_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stier.train, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(stier.errors.MissingExtraError, match=r"ppo needs jax: pip install 'stier\[train\]'"):
        stier.train.learner("kuhn_poker")
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    with pytest.raises(stier.errors.MissingExtraError, match=r"ppo_torch .* pip install 'stier\[torch\]'"):
        stier.train.learner("kuhn_poker")


def test_frozen_agents_are_compared_by_their_files(tmp_path: Path) -> None:
    game, file, met = small_game(), tmp_path / "frozen.safetensors", tmp_path / "met.safetensors"
    for path in (file, met):
        Network.random(game, hidden=(8,), seed=1).save(path)
    agents = {"opponents": (f"network:path={file},choose=sample", "self"), "against": f"network:path={met}"}
    settings = {**TINY, **agents, "deals": 2, "folder": tmp_path / "out"}
    stier.train.learn(game, steps=256, **settings)
    stier.train.learn(game, steps=512, **settings)
    for path in (file, met):
        kept = path.read_bytes()
        Network.random(game, hidden=(8,), seed=2).save(path)
        with pytest.raises(stier.errors.ArgumentError, match=f"was made when {path} had another content"):
            stier.train.learn(game, steps=768, **settings)
        path.write_bytes(kept)


def test_a_folder_of_another_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, settings = small_game(), {**TINY, "steps": 256, "against": (), "folder": tmp_path}
    monkeypatch.setattr("stier.train._run.FORMAT", 2)
    stier.train.learn(game, **settings)
    monkeypatch.undo()
    with pytest.raises(stier.StierError, match="checkpoint format 2, this version of stier continues only format 6"):
        stier.train.learn(game, **settings)


@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_training_against_frozen_agents(algorithm: str, tmp_path: Path) -> None:
    """Environments are split among the opponents; where there are any, the learner decides for its seat only."""
    game, file = small_game(), tmp_path / "frozen.safetensors"
    Network.random(game, hidden=(16,), seed=1).save(file)
    opponents = ("self", f"network:path={file}", "random")
    settings = {"hidden": (16,), "num_envs": 30, "steps": 2048, "opponents": opponents, "seed": 1}
    settings |= {"symmetry": False}
    settings |= {"horizon": 8} if algorithm == "ppo" else {}
    made = stier.train.learner(game, algorithm, **settings)
    envs = made.play.envs if algorithm == "ppo" else made.play
    assert [part.num_envs for part in envs.parts] == [10, 10, 10]
    batch = envs.reset()
    assert (batch.current_player[:10] == 0).all(), "the first to move"
    for first, part in zip((0, 10, 20), envs.parts, strict=True):
        assert (batch.observation[first : first + 10] == part.observe().observation).all()
    assert (np.diff(batch.current_player[10:20]) != 0).all(), "seats rotate"
    stier.train.learn(game, algorithm, **(settings | {"steps": 1024}), against=(), folder=tmp_path / "a")
    trained = stier.train.learn(game, algorithm, **settings, against=(), folder=tmp_path / "a")
    assert trained.network.training["steps_done"] >= 2048, "extended"
    assert tuple(trained.network.training["opponents"]) == opponents


@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
@pytest.mark.parametrize("name", ["opening", "barred"])
def test_some_games_begin_differently(algorithm: str, name: str) -> None:
    """Another agent decides first, or may not bet. Learning goes on as if it had not been stopped."""
    settings: dict[str, Any] = {"hidden": (8,), "num_envs": 16, "seed": 1}
    settings |= {"opening": "random"} if name == "opening" else {"barred": "bet"}
    settings |= {"horizon": 8, "minibatches": 2} if algorithm == "ppo" else {}
    all_games = settings | {f"{name}_share": 1.0, f"{name}_decisions": 1}
    made = stier.train.learner("kuhn_poker", algorithm, **all_games)
    envs = made.play.envs if algorithm == "ppo" else made.play
    first = envs.reset()
    if name == "opening":
        assert (first.current_player == 1).all(), "the first player has decided"
    else:
        bet = envs.game.string_to_action("bet")
        assert not first.legal_action_mask[:, bet].any()
        assert envs.step(np.full(16, 1 - bet)).legal_action_mask[:, bet].all(), "the second player may bet"
    whole, again = (stier.train.learner("kuhn_poker", algorithm, **settings) for _ in range(2))
    whole.iterate()
    again.restore(whole.arrays())
    for _ in range(3):
        assert whole.iterate() == again.iterate()


@pytest.mark.parametrize("algorithm", ["ppo", "ppo_torch", "dmc"])
def test_training_against_earlier_networks(algorithm: str) -> None:
    """The first network is that before any step. All have the same share, and the learner decides for one seat."""
    if algorithm == "ppo_torch":
        pytest.importorskip("torch")
    settings = {"hidden": (8,), "num_envs": 32, "seed": 1, "steps": 1536}
    settings |= {"population_share": 0.5, "population_size": 3}
    settings |= {"horizon": 8, "minibatches": 4} if algorithm.startswith("ppo") else {}
    made = stier.train.learner("kuhn_poker", algorithm, **settings)
    envs = made.play if algorithm == "dmc" else made.play.envs
    assert [part.num_envs for part in envs.parts] == [16, 5, 5, 6]
    assert ["against" in repr(part) for part in envs.parts] == [False, True, True, True]
    joined, networks = [], []
    while made.steps < 1536:
        if made.steps >= 512 * len(joined):
            joined.append(made.steps)
            networks.append(made.network().policy[0])
        made.iterate()
        members = envs.population.members
        assert [member.steps for member in members] == joined
        for member, expected in zip(members, networks, strict=True):
            assert (member.network.policy[0] == expected).all()
        texts = [str(member.agent) for member in members]
        met = [[text in repr(part) for text in texts].index(True) for part in envs.parts[1:]]
        assert met == [[], [0, 0, 0], [0, 1, 1], [0, 1, 2]][len(members)]
    assert joined[:2] == [0, 512] if algorithm != "dmc" else joined[0] == 0
    assert len(joined) == 3
    players = envs.reset().current_player
    assert (players[:16] == 0).all(), "the first to move"
    assert all(set(players[start : start + 5]) == {0, 1} for start in (16, 21, 26)), "seats rotate"


@pytest.mark.parametrize("weights", ["equal", "nash"])
def test_a_population_is_continued(weights: str) -> None:
    settings = {**TINY, "seed": 2, "population_share": 0.5, "population_size": 2, "population_weights": weights}
    whole, before, again = (stier.train.learner("leduc_poker", steps=1024, **settings) for _ in range(3))
    before.restore(whole.arrays())
    assert whole.iterate() == before.iterate()
    again.restore(whole.arrays())
    for _ in range(3):
        assert whole.iterate() == again.iterate()
    # Where training is extended, the oldest network leaves.
    more = stier.train.learner("leduc_poker", steps=2048, **settings)
    more.restore(whole.arrays())
    more.iterate()
    population = more.play.envs.population
    assert [member.steps for member in population.members] == [512, 1024]
    assert population.payoffs.shape == ((2, 2) if weights == "nash" else (0, 0))


def test_members_are_weighted_by_nash_averaging() -> None:
    game = stier.load_game("kuhn_poker")
    population = Population(game, Settings(population_share=0.5, population_size=4, population_weights="nash"))
    constant = Network.random(game, hidden=(4,), seed=1)
    for steps, logits in enumerate([(5, 0), (0, 0), (0, 5)]):
        weight, _ = constant.policy
        policy = (np.zeros_like(weight), np.array(logits, np.float32))
        population.join(dataclasses.replace(constant, policy=policy), steps)
    payoffs = population.payoffs
    agents = [member.agent for member in population.members]
    assert (payoffs == -payoffs.T).all()
    for (first, one), (second, other) in itertools.permutations(enumerate(agents), 2):
        result = stier.pit(game, [one, other], deals=2000, seed=1)
        assert abs(payoffs[first, second] - result.mean[0]) < 2 * result.ci95[0], (first, second)

    def places() -> list[int]:
        population._place()
        return [population.players().count(agent) for agent in agents]

    population.payoffs = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], float)
    assert places() == [1, 1, 2], "the last of equals is met more often"
    population.payoffs = np.array([[0, 1, 1], [-1, 0, 2], [-1, -2, 0]], float)
    assert places() == [4, 0, 0], "it beats the others"
    with pytest.raises(stier.StierError, match="needs a game of two players, kuhn_poker:players=3 has 3"):
        stier.train.learner("kuhn_poker:players=3", population_share=0.5, population_weights="nash")


def test_a_best_response_is_learned() -> None:
    """Against a constant policy that can be exploited, training against it gains more than self-play does."""
    settings = {**TINY, "steps": 40_000, "learning_rate": 3e-3, "evaluations": 1, "deals": 2000, "seed": 2}
    settings |= {"final_entropy_coefficient": 0.001}
    found = [
        stier.train.learn("kuhn_poker", against="random", opponents=opponents, **settings).log[-1]["eval/random/mean"]
        for opponents in ("random", "self")
    ]
    # The best response to uniform play gains 1/2 a game on average over the seats.
    assert found[0] > 0.4
    assert found[0] > found[1] + 0.1


def test_the_log_can_be_plotted(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from stier import plots

    settings = {**TINY, "steps": 512, "deals": 10, "evaluations": 2, "watch": ["attack"], "exact": True}
    trained = stier.train.learn(small_game(), folder=tmp_path, **settings)
    for frame in (trained.to_pandas(), pandas.read_csv(tmp_path / "log.csv")):
        axes = plots.learning_curve(frame)
        assert axes.get_xlabel() == "steps"
        assert axes.get_ylabel() == "eval/greedy/mean, 95 % interval"
        assert len(axes.collections) == 1, "the interval"
        axes = plots.learning_curve(frame, x="cpu_seconds", y="eval/nash_conv")
        assert not axes.collections
    matplotlib.pyplot.close("all")


def test_chances_are_counted_one_by_one() -> None:
    game = stier.load_game("schwinget")
    found = stier.train.chances(game, "rule:when=thumb", "attack", judge="rule:when=thumb", deals=200, seed=3)
    assert found.row(judge="takes").share == 1
    assert found.row(judge="declines").share == 0
    assert 0.95 < found.row(judge="takes").share_low < 1, "no interval collapses at the edge"
    assert 0 < found.row(judge="declines").probability_high < 0.1
    assert found.row(round=0).chances == 200, "at the first lead of each deal"
    whole, parts = found.row(), [row for row in found.rows if row.round is not None and row.judge is None]
    assert whole.chances == sum(row.chances for row in parts)
    assert whole.chances > found.row(round=0).chances, "later chances, too"
    assert found.to_pandas().shape == (len(found.rows), 12)
    assert "rule:when=thumb in all seats, 200 deals" in str(found)
    with pytest.raises(KeyError):
        found.row(round=99)

    attack = game.string_to_action("attack")
    network = Network.random(game, hidden=(8,), seed=1)
    for player in (network, stier.load_agent("random", game)):
        row = stier.train.chances(game, player, "attack", deals=100, seed=5).row(round=0)
        by_hand = []
        for deal in range(100):
            state = game.new_initial_state(seed=stier.derive_seed(5, "chances deal", deal))
            if player is network:
                by_hand.append(float(network(state.observation_tensor(), state.legal_actions_mask())[0][attack]))
            else:
                by_hand.append(1 / len(state.legal_actions()))
        assert row.probability == pytest.approx(np.mean(by_hand), abs=1e-6)
        expected = stier.ratings.share(by_hand)
        assert (row.probability_low, row.probability_high) == pytest.approx((expected.low, expected.high), abs=1e-6)
        assert row.share_low < row.probability < row.share_high
    judge = stier.load_agent("rule:when=random", game)
    # By their text, for rows of a single deal have no interval, and NaN equals nothing.
    first, then = (repr(stier.train.chances(game, network, "attack", judge=judge, deals=100, seed=5)) for _ in range(2))
    assert first == then, "whatever the judge was asked before"
    again = stier.train.chances(game, network, "attack", deals=100, seed=5)
    assert again == stier.train.chances(game, network, "attack", deals=100, seed=5)
    with pytest.raises(stier.StierError, match="deals must be at least 2, got 1"):
        stier.train.chances(game, "random", "attack", deals=1)
    with pytest.raises(stier.StierError, match="'attac' is not a valid action of schwinget"):
        stier.train.chances(game, "random", "attac")


def test_the_network_that_is_kept_is_the_average_of_the_weights() -> None:
    made = stier.train.learner("kuhn_poker", steps=2560, averaging=0.4, **TINY)
    expected = np.asarray(made.params["policy.weight"])
    for iteration in range(1, 11):
        made.iterate()
        # 0.4 of ten iterations are four; before, all count alike.
        expected = expected + max(1 / iteration, 1 / 4) * (np.asarray(made.params["policy.weight"]) - expected)
        np.testing.assert_allclose(made.network().policy[0], expected, rtol=1e-5, atol=1e-7)
    assert abs(expected - np.asarray(made.params["policy.weight"])).max() > 1e-3


def test_a_magnet_holds_the_policy_near_its_average() -> None:
    def distance(coefficient: float) -> float:
        made = stier.train.learner(
            "leduc_poker", steps=12_800, averaging=1.0, magnet_coefficient=coefficient, entropy_coefficient=0.01, **TINY
        )
        for _ in range(50):
            made.iterate()
        state = stier.load_game("leduc_poker").new_initial_state(seed=1)
        seen, legal = state.observation_tensor()[None], state.legal_actions_mask()[None]
        last, average = (np.exp(ppo.forward(params, seen, seen, legal)[0]) for params in (made.params, made.average))
        return float(abs(last - average).sum())

    assert distance(100.0) < 0.3 * distance(0.0)


def test_an_update_learns_from_the_largest_advantages() -> None:
    """The rows with the others can be anything."""
    settings = {**TINY, "advantage_share": 0.25, "minibatches": 1, "max_grad_norm": 1e6}
    updated = []
    for spoilt in (False, True):
        made = stier.train.learner("kuhn_poker", steps=256, **settings)
        assert made.settings.learned_size == 64
        params, key = made.params, made.key("actions")
        decisions, _ = made.play.collect(
            lambda *seen, params=params, key=key: jax.device_get(ppo.act(params, *seen[:3], key, np.uint32(seen[3])))
        )
        advantages = np.where(np.arange(256) % 4 == 0, 1 + np.arange(256) / 256, 0.1).astype(np.float32)
        returns = np.where(spoilt & (np.arange(256) % 4 != 0), 99, decisions.returns).astype(np.float32)
        batch = decisions._replace(advantages=advantages * (-1) ** np.arange(256), returns=returns)
        params, _, _ = ppo.update(
            made.params, made.optimizer_state, {}, batch, made.key("order"), 1e-3, 0.1, made.compiled
        )
        updated.append(np.asarray(params["hidden.0.weight"]))
    assert (updated[0] == updated[1]).all()


def test_schedules_begin_and_end_where_they_say() -> None:
    for more in ({}, {"power_law": True}):
        settings = stier.train.Settings(steps=1000, **more)
        rates = [settings.schedule(steps)[0] for steps in range(0, 1001, 10)]
        assert rates[0] == settings.learning_rate
        assert rates[-1] == pytest.approx(settings.final_learning_rate)
        assert all(later <= earlier for earlier, later in itertools.pairwise(rates))
    # After the first tenth the share grows tenfold, and the rate falls to a hundredth.
    assert rates[10] == settings.learning_rate
    assert rates[50] == pytest.approx(1e-3 / 5**2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gae_lambda", 2),
        ("clip_range", -1.0),
        ("max_grad_norm", 0.0),
        ("kl_coefficient", -5.0),
        ("value_coefficient", math.nan),
        ("averaging", 1.5),
        ("magnet_coefficient", -1.0),
        ("advantage_share", 0.0),
        ("learning_rate", math.inf),
    ],
)
def test_settings_have_ranges(name: str, value: float) -> None:
    with pytest.raises(stier.StierError, match=f"{name} must be"):
        stier.train.Settings(**{name: value})


def test_intervals_of_shares_hold_the_truth() -> None:
    """Deals with several chances that go together: the deal is the unit."""
    rng = np.random.default_rng(1)
    for truth in (0.02, 0.5):
        held = 0
        for _ in range(400):
            taken = np.repeat(rng.random(150) < truth, 3)
            chances = [_Chance(number // 3, 0, None, float(one), bool(one)) for number, one in enumerate(taken)]
            row = _row(None, None, chances)
            held += row.share_low <= truth <= row.share_high
        assert held / 400 > 0.92
