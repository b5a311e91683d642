"""Training: advantages by brute force, learners that learn, runs that go on where they were stopped."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import stier

pytest.importorskip("safetensors")
pytest.importorskip("jax")

import stier.train
from stier.network import Network

SMALL = {"suits": 2, "values": 3, "referee": False, "hand_size": 2, "set_aside": 1}
TINY = {"hidden": (16,), "lanes": 32, "horizon": 8}


def small_game() -> stier.Game:
    return stier.load_game("schwinget", **SMALL)


def brute_force(rewards, values, terminated, players, gamma, lam, zero_sum):
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
            own = sign * values[at, lane]
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
def test_advantages_are_those_of_the_definition(seats: int, zero_sum: bool, gamma: float, lam: float) -> None:
    rng = np.random.default_rng(seats)
    steps, lanes = 24, 50
    rewards = rng.standard_normal((steps, lanes, seats)).astype(np.float32)
    if zero_sum:
        rewards[..., 1] = -rewards[..., 0]
    values = rng.standard_normal((steps + 1, lanes)).astype(np.float32)
    terminated = rng.random((steps, lanes)) < 0.15
    players = rng.integers(seats, size=(steps + 1, lanes))
    found = stier.train.gae(rewards, values, terminated, players, gamma=gamma, lam=lam, zero_sum=zero_sum)
    expected, known = brute_force(rewards, values, terminated, players, gamma, lam, zero_sum)
    assert (found.known == known).all()
    assert known.all() == zero_sum
    np.testing.assert_allclose(found.advantages, expected, atol=2e-5)
    np.testing.assert_allclose(found.returns, found.advantages + values[:-1])


def test_turns_that_alternate_are_told_from_those_that_do_not() -> None:
    # Player 0 decides twice in a row, then player 1, who loses a point to player 0.
    rewards = np.zeros((3, 1, 2))
    rewards[2, 0] = [1, -1]
    values = np.array([[0.5], [0.75], [-0.25], [9.0]])
    arguments = (rewards, values, [[False], [False], [True]], [[0], [0], [1], [0]])
    found = stier.train.gae(*arguments, lam=0.0, zero_sum=True)
    assert found.advantages[:, 0].tolist() == [0.25, -0.5, -0.75]
    assert stier.train.gae(*arguments, lam=0.0).advantages[:, 0].tolist() == [0.25, 0.25, -0.75]


def test_arrays_that_do_not_go_together_are_refused() -> None:
    rewards, values, over, players = np.zeros((4, 2, 3)), np.zeros((5, 2)), np.zeros((4, 2)), np.zeros((5, 2), int)
    stier.train.gae(rewards, values, over, players)
    with pytest.raises(ValueError, match=r"rewards must be \(steps, lanes, players\)"):
        stier.train.gae(rewards[0], values, over, players)
    with pytest.raises(ValueError, match=r"values must be \(5, 2\)"):
        stier.train.gae(rewards, values[1:], over, players)
    with pytest.raises(ValueError, match="zero_sum is for two players, not for 3"):
        stier.train.gae(rewards, values, over, players, zero_sum=True)


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("ppo", {"lanes": 32, "horizon": 8, "steps": 100_000}),
        ("dmc", {"lanes": 128, "minibatch": 64, "steps": 100_000}),
    ],
)
def test_a_learner_comes_nearer_to_equilibrium(algorithm: str, settings: dict[str, int]) -> None:
    trained = stier.train.learn(
        small_game(), algorithm, exact=True, evaluations=1, deals=200, hidden=(64,), learning_rate=3e-3, **settings
    )
    first, last = trained.log[0], trained.log[-1]
    assert last["steps"] >= settings["steps"]
    assert last["nash_conv"] < 0.5 * first["nash_conv"]
    assert last["greedy mean"] > first["greedy mean"] + 0.3
    assert 40 < last["attack %"] < 65, "the attack, 57 % at equilibrium, is not lost"


@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_a_run_that_was_stopped_ends_with_the_same_network(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = stier.load_game("schwimmen", players=3)
    settings = {"steps": 4000, "lanes": 16, "hidden": (16,), "seed": 3}
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
        return [{key: value for key, value in row.items() if key != "cpu_seconds"} for row in trained.log]

    assert rows(parts) == rows(whole)
    with pytest.raises(ValueError, match=r"made with other settings .seed: 3 there, 4 now"):
        stier.train.learn(game, algorithm, folder=tmp_path / "parts", **(settings | {"seed": 4}))


def test_seeds_decide() -> None:
    game = small_game()
    first, same, other = (
        stier.train.learn(game, steps=2000, opponents=(), seed=seed, **TINY).network.policy[0] for seed in (1, 1, 2)
    )
    assert (first == same).all()
    assert (first != other).any()


@pytest.mark.parametrize(
    ("name", "central_critic"),
    [("schwinget", True), ("schweins_galopp", False), ("schwimmen", True), ("up_and_down", False)],
)
def test_every_game_can_be_learned(name: str, central_critic: bool) -> None:
    trained = stier.train.learn(
        stier.load_game(name), steps=512, deals=4, evaluations=1, central_critic=central_critic, kl=0.1, **TINY
    )
    assert {"greedy mean", "greedy ci95", "critic_error"} <= trained.log[-1].keys()
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
    assert 0 <= found.frequencies["attack"] <= 100
    again = stier.train.duel(network, "greedy", deals=60, seed=2, threads=2)
    assert (again.values == found.values).all()
    with pytest.raises(ValueError, match="deals must be at least 2, not 1"):
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
        ({"algorithm": "reinforce"}, "algorithm must be ppo | ppo_torch | dmc, not 'reinforce'"),
        ({"rate": 1}, "ppo has no setting 'rate'; its settings are steps, seed, hidden,"),
        ({"lanes": 0}, "lanes must be at least 1, not 0"),
        ({"lanes": 3, "horizon": 3}, "minibatches must divide lanes times horizon, 9, not be 4"),
        ({"entropy": 0.0}, "entropy must be more than 0, not 0.0"),
        ({"hidden": (0,)}, "hidden layers are at least 1 wide"),
        ({"algorithm": "dmc", "epsilon": 2}, "epsilon must be from 0 to 1, not 2"),
    ],
)
def test_settings_are_checked(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        stier.train.learn(small_game(), **settings)
    assert message in str(caught.value)


def test_the_twin_in_pytorch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    settings = {"lanes": 32, "horizon": 8, "hidden": (64,), "steps": 100_000, "learning_rate": 3e-3}
    game = small_game()
    trained = stier.train.learn(game, "ppo_torch", exact=True, evaluations=1, deals=200, **settings)
    assert trained.log[-1]["nash_conv"] < 0.5 * trained.log[0]["nash_conv"]
    for central_critic in (False, True):
        folder = tmp_path / str(central_critic)
        more = {**TINY, "central_critic": central_critic, "folder": folder, "opponents": ()}
        whole = stier.train.learn(game, "ppo_torch", steps=1024, **more)
        again = stier.train.learn(game, "ppo_torch", steps=1024, **more)
        assert (whole.network.policy[0] == again.network.policy[0]).all()
