"""Many games at once for Stable-Baselines3: its `VecEnv`, stepped natively. Needs stable-baselines3.

>>> from sb3_contrib import MaskablePPO  # doctest: +SKIP
>>> from stier.gymnasium.stable_baselines3 import VecEnv  # doctest: +SKIP
>>> envs = VecEnv("schwinget", num_envs=64, opponents="greedy")  # doctest: +SKIP
>>> MaskablePPO("MlpPolicy", envs).learn(1_000_000)  # doctest: +SKIP
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common import vec_env

from stier.gymnasium._vector import make_vec
from stier.playing import AnyGame

__all__ = ["VecEnv"]

_Indices = int | Sequence[int] | None


class VecEnv(vec_env.VecEnv):
    """Many games at once, each from one seat, with agents at the others.

    The environments are those of `stier.gymnasium.make_vec` with autoreset in the same step. Each `info` has, where a
    game has ended, ``terminal_observation`` and ``episode`` (return ``r``, length ``l`` and time ``t``), as with a
    `VecMonitor`. `action_masks`, by `env_method`, are for MaskablePPO.

    Args:
        game: The game, or its name.
        num_envs: The number of games.
        options: Those of `stier.gymnasium.VectorEnv`, such as ``opponents`` and ``seat``, and options of the game.
    """

    def __init__(self, game: AnyGame, num_envs: int = 1, **options: Any) -> None:
        self.render_mode: str | None = None
        self.envs = make_vec(game, num_envs, autoreset_mode="SameStep", **options)
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)
        self._actions: npt.NDArray[Any] = np.zeros(num_envs, np.int64)
        self._returns, self._lengths = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        self._start = time.monotonic()

    def reset(self) -> npt.NDArray[np.float32]:
        """Deals anew in all environments, with the seeds of `seed` if it was called."""
        seeds = None if all(seed is None for seed in self._seeds) else list(self._seeds)
        observation, _ = self.envs.reset(seed=seeds)
        self._reset_seeds()
        self._reset_options()
        self._returns[:], self._lengths[:] = 0, 0
        return observation

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[Any]]:
        """Plays the actions, and those of the opponents until the learner's next decision."""
        observation, rewards, ended, _, about = self.envs.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(ended):
            seconds = round(time.monotonic() - self._start, 6)
            infos[i]["terminal_observation"] = about["final_obs"][i]
            infos[i]["TimeLimit.truncated"] = False
            infos[i]["episode"] = {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": seconds}
            self._returns[i], self._lengths[i] = 0, 0
        return observation, rewards.astype(np.float32), ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns the legal actions, a bool array (environments, actions)."""
        return self.envs.action_masks()

    def close(self) -> None:
        """Does nothing: the environments run in this process."""

    def get_attr(self, attr_name: str, indices: _Indices = None) -> list[Any]:
        """Returns an attribute, the same one for each environment."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: _Indices = None) -> None:
        """Sets an attribute for all environments."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: _Indices = None, **kwargs: Any) -> list[Any]:
        """Calls a method, such as `action_masks`, and returns its rows."""
        rows = getattr(self, method_name)(*args, **kwargs)
        return [rows[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: _Indices = None) -> list[bool]:
        """Returns False: the environments are not wrapped."""
        return [False for _ in self._get_indices(indices)]
