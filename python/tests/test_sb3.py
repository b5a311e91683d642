"""Stable-Baselines3 and sb3-contrib on `stier.gymnasium`; run by `make test-sb3`, since PyTorch is large."""

from __future__ import annotations

from typing import Any

import pytest

import stier

pytest.importorskip("sb3_contrib", reason="needs sb3-contrib: make test-sb3")

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env

import stier.gymnasium as sgym

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
