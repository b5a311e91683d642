"""Stable-Baselines3 and sb3-contrib on `stier.gymnasium`; run by `make test-torch`, since PyTorch is large."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stier

pytest.importorskip("sb3_contrib", reason="needs sb3-contrib: make test-torch")

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env

import stier.gymnasium as sgym
from stier.gymnasium.stable_baselines3 import VecEnv

torch.set_num_threads(1)


def test_their_checker(game: stier.Game) -> None:
    check_env(sgym.make(game, opponents="greedy"))


def mean_return(env: sgym.SeatEnv, model: Any, games: int) -> float:
    total = 0.0
    for seed in range(games):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
            observation, reward, over, _, _ = env.step(action)
            total += reward
    return total / games


@pytest.mark.timeout(300)
def test_a_short_run_learns() -> None:
    """To beat random players in Schwimmen, on games that it was not trained on."""
    rules = {"players": 2, "opponents": "random"}
    envs = make_vec_env(lambda: sgym.make("schwimmen", **rules), n_envs=8, seed=1_000_000)
    model = MaskablePPO("MlpPolicy", envs, n_steps=128, batch_size=256, seed=1, device="cpu")
    env = sgym.make("schwimmen", **rules)
    before = mean_return(env, model, 400)
    model.learn(40_000)
    after = mean_return(env, model, 400)
    print(f"mean return in 400 games: {before:+.2f} before, {after:+.2f} after")
    # The standard error of a mean is 0.05.
    assert before < 0.3
    assert after > before + 0.25


def test_the_native_environments_are_the_single_ones() -> None:
    """Observations, rewards, ends and masks of each environment, game after game."""
    envs = VecEnv("schwimmen", num_envs=3, opponents="random", players=2)
    singles = [sgym.make("schwimmen", opponents="random", players=2) for _ in range(3)]
    envs.seed(11)
    shown = envs.reset()
    for i, env in enumerate(singles):
        assert (shown[i] == env.reset(seed=11 + i)[0]).all()
    rng, returns, ends = np.random.default_rng(1), np.zeros(3), 0
    for _ in range(200):
        masks = np.stack(envs.env_method("action_masks"))
        assert (masks == [env.action_masks() for env in singles]).all()
        actions = np.array([rng.choice(mask.nonzero()[0]) for mask in masks])
        shown, rewards, ended, infos = envs.step(actions)
        for i, env in enumerate(singles):
            observation, reward, over, _, _ = env.step(int(actions[i]))
            assert (rewards[i], ended[i]) == (np.float32(reward), over)
            returns[i] += reward
            assert ("episode" in infos[i]) == over
            if over:
                assert (infos[i]["terminal_observation"] == observation).all()
                assert infos[i]["episode"]["r"] == pytest.approx(returns[i])
                observation, _ = env.reset()
                returns[i], ends = 0, ends + 1
            assert (shown[i] == observation).all()
    assert ends > 10
    assert envs.get_attr("num_envs", [0, 2]) == [3, 3]
    assert envs.env_is_wrapped(object, 1) == [False]


@pytest.mark.timeout(300)
def test_a_short_run_learns_on_native_environments() -> None:
    envs = VecEnv("schwimmen", num_envs=64, opponents="random", seat="rotate", players=2)
    envs.seed(1_000_000)
    model = MaskablePPO("MlpPolicy", envs, n_steps=32, batch_size=256, seed=1, device="cpu")
    env = sgym.make("schwimmen", players=2, opponents="random")
    before = mean_return(env, model, 400)
    model.learn(40_000)
    assert len(model.ep_info_buffer) > 0, "episodes are reported without a monitor"
    # The standard error of a mean is 0.05.
    assert mean_return(env, model, 400) > before + 0.25
