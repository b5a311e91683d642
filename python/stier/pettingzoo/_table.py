"""What both kinds of environments share: names, spaces, the state behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import ParallelEnv

from stier import _adapting
from stier._native import Game, State

Observation = dict[str, npt.NDArray[Any]]


def agent_names(game: Game) -> list[str]:
    """Give the agents' names by seat: ``player_0``, ``player_1``, …"""
    return [f"player_{seat}" for seat in range(game.num_players())]


def metadata(game: Game, *, parallel: bool) -> dict[str, Any]:
    """Give what PettingZoo wants to know of an environment."""
    return {
        "name": f"stier_{game.short_name()}{'_parallel' if parallel else ''}_v0",
        "render_modes": _adapting.RENDER_MODES,
        "is_parallelizable": parallel,
    }


def observation_space(game: Game, tensor: str, actions: int) -> Dict:
    """Give the space of observations: a tensor between 0 and 1 and a mask of `actions` entries."""
    shape, _ = _adapting.tensor_of(tensor)
    return Dict(
        {
            "observation": Box(0.0, 1.0, tuple(shape(game)), np.float32),
            "action_mask": Box(0, 1, (actions,), np.int8),
        }
    )


class Table:
    """A game with agents around it, who see tensors and masks of `actions` entries."""

    def _sit_down(
        self, game: Game, tensor: str, actions: int, illegal_reward: float | None, render_mode: str | None
    ) -> None:
        _adapting.check_render_mode(render_mode)
        self.metadata = metadata(game, parallel=isinstance(self, ParallelEnv))
        self.game = game
        self.render_mode = render_mode
        self.illegal_reward = game.min_utility() if illegal_reward is None else float(illegal_reward)
        #: The seed of the game that is played, from which everything hidden follows.
        self.deal_seed: int | None = None
        self.possible_agents = agent_names(game)
        self.agents: list[str] = []
        _, self._tensor = _adapting.tensor_of(tensor)
        self.observation_spaces = {agent: observation_space(game, tensor, actions) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(actions) for agent in self.possible_agents}
        self._episodes = _adapting.Episodes()
        self._world: State | None = None

    @property
    def stier_state(self) -> State:
        """The state of the game itself, hidden cards included; an agent of `stier` may be asked what to do in it."""
        if self._world is None:
            raise RuntimeError("the environment has no state yet: call reset() first")
        return self._world

    def observation_space(self, agent: str) -> Dict:
        """Give the space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Give the space of an agent's actions, always the same object."""
        return self.action_spaces[agent]
