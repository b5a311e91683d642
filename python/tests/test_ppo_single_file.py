"""The example `ppo_single_file.py`: its advantages by brute force, and what a short run learns."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import stier

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import torch

import stier.solving
import stier.train
from stier.network import Network

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import ppo_single_file as example

torch.set_num_threads(1)


def test_a_short_run_comes_nearer_to_equilibrium(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NashConv is 0.92 for uniform play, with which every network begins."""
    file = tmp_path / "network.safetensors"
    args = example.Args(total_timesteps=60_000, nash_conv=True, log_seconds=1.0, eval_deals=500, save=str(file))
    _, log = example.train(args)
    last = log[-1]
    told = capsys.readouterr().out
    for name in ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "explained_variance", "SPS"):
        assert np.isfinite(last[name])
        assert name in told
    assert last["eval/nash_conv"] < 0.4
    assert last["eval/random/mean"] > 0
    # The engine plays the same network.
    network = Network.load(file)
    tree = stier.solving.GameTree(network.game)
    assert stier.train.Exact(tree).policy(network).nash_conv == pytest.approx(last["eval/nash_conv"], abs=1e-4)
    stier.load_agent(f"network:path={file},choose=sample", network.game)


def test_the_file_is_checked_before_training(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        example.train(example.Args(save=str(tmp_path / "none" / "network.safetensors")))


def test_the_return_is_in_the_units_of_the_game() -> None:
    returns = []
    for scale in (1.0, 4.0):
        args = example.Args(reward_scale=scale, num_envs=64)
        game = stier.load_game(args.game)
        envs = stier.VectorEnv(game, args.num_envs, seed=1, autoreset=False, observation="uint8", threads=1)
        torch.manual_seed(1)
        agent = example.Agent(args, envs.observation_shape[0], game.num_distinct_actions())
        returns.append(example.rollout(args, envs, agent)[1]["episodic_return_of_seat_0"])
    assert returns[0] == pytest.approx(returns[1])
    assert returns[0] != 0


@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 0.95), (0.9, 0.5), (1.0, 0.0)])
def test_advantages_are_those_of_the_package(gamma: float, lam: float) -> None:
    """Games of different lengths in which turns do not alternate."""
    rng = np.random.default_rng(1)
    steps, envs, players = 12, 40, 3
    length = rng.integers(1, steps + 1, envs)
    playing = np.arange(steps)[:, None] < length
    player = rng.integers(players, size=(steps, envs))
    value = rng.standard_normal((steps, envs)).astype(np.float32)
    rewards = rng.standard_normal((steps, envs, players)).astype(np.float32) * playing[:, :, None]
    args = example.Args(gamma=gamma, gae_lambda=lam)
    found = example.compute_gae(args, playing, player, value, rewards)
    ended = np.arange(1, steps + 1)[:, None] == length
    after = np.zeros((1, envs), int)
    expected = stier.train.gae(
        rewards, np.concatenate([value, after]), ended, np.concatenate([player, after]), gamma=gamma, lam=lam
    )
    np.testing.assert_allclose(found[playing], expected.advantages[playing], atol=1e-5)


def test_the_command_line_has_an_option_for_each_field(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--game", "leduc_poker", "--hidden", "8,8", "--num-envs", "4", "--nash-conv", "--learning-rate", "0.1"]
    monkeypatch.setattr(sys, "argv", ["ppo_single_file.py", *words])
    expected = example.Args(game="leduc_poker", hidden=(8, 8), num_envs=4, nash_conv=True, learning_rate=0.1)
    assert example.parse_args() == expected
