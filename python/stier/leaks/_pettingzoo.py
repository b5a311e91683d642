"""Leak checks of the AEC environments of PettingZoo."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from stier.leaks import equal

Twin = Callable[[Any, Any, int], Any]


class AecSubject:
    """An AEC environment; other worlds come from a function that knows what is hidden in it."""

    def __init__(self, env: Any, agents: Sequence[Any], twin: Twin | None) -> None:
        if not isinstance(env, AECEnv):
            raise TypeError(f"check_no_leak takes AEC environments, and {env} is not one")
        if agents:
            raise TypeError("agents are checked in games, not in environments: give them as facts, f(env, agent)")
        self._twin = _twin_of(env) if twin is None else twin
        self._env = env
        self.name = str(env)
        self.method = "twin environments"

    def games(self, count: int, seed: int) -> Iterator[Iterator[tuple[Any, int]]]:
        """Random games, all in the one environment."""
        for number in range(count):
            yield self._positions(random.Random(f"{seed}/{number}"))

    def _positions(self, rng: random.Random) -> Iterator[tuple[Any, int]]:
        env = self._env
        env.reset(seed=rng.getrandbits(31))
        position = 0
        while env.agents:
            agent = env.agent_selection
            if env.terminations[agent] or env.truncations[agent]:
                env.step(None)
                continue
            yield env, position
            mask = _mask(env, agent)
            space = env.action_space(agent)
            allowed = range(int(space.n)) if mask is None else np.flatnonzero(mask).tolist()
            env.step(int(space.start) + rng.choice(allowed))
            position += 1

    def players(self, state: Any) -> list[int]:
        """Returns the players who are still in the game."""
        return [state.possible_agents.index(agent) for agent in state.agents]

    def facts(self, state: Any, player: int) -> dict[str, Any]:
        """Returns everything that the environment hands to an agent."""
        agent = state.possible_agents[player]
        facts: dict[str, Any] = {
            "agent_selection": state.agent_selection,
            "observe": state.observe(agent),
            "info": state.infos[agent],
            "reward": state.rewards[agent],
            "termination": state.terminations[agent],
            "truncation": state.truncations[agent],
        }
        if state.agent_selection == agent:
            facts["last"] = state.last()
            if state.render_mode == "ansi":
                facts["render"] = state.render()
        return facts

    def worlds(self, state: Any, player: int, count: int, rng: random.Random) -> Iterator[Any]:
        """Yields twins."""
        for _ in range(count):
            world = self._twin(state, state.possible_agents[player], rng.getrandbits(31))
            if world is not None:
                yield world

    def fault(self, world: Any, rng: random.Random) -> None:
        """Returns `None`: the history of an environment cannot be replayed."""
        del world, rng

    def differs(self, state: Any, world: Any, player: int) -> bool:
        """Returns `True` if any other player sees something else."""
        others = [agent for seat, agent in enumerate(state.possible_agents) if seat != player and agent in state.agents]
        return any(not equal(state.observe(agent), world.observe(agent)) for agent in others)

    def keep(self, state: Any) -> Any:
        """Returns a copy."""
        return copy.deepcopy(state)


def _mask(env: Any, agent: Any) -> Any:
    observation = env.observe(agent)
    if isinstance(observation, dict) and "action_mask" in observation:
        return observation["action_mask"]
    return env.infos[agent].get("action_mask")


def _twin_of(env: Any) -> Twin:
    """Returns the twin function of an environment of `stier.pettingzoo`, wrapped or not."""
    from stier.pettingzoo import CardGameEnv

    if not isinstance(env.unwrapped, CardGameEnv):
        raise TypeError(
            f"what is hidden in {env} is known to its maker only: give twin, f(env, agent, seed) -> another environment"
        )

    def twin(env: Any, agent: str, seed: int) -> Any:
        ours = env.unwrapped
        kept = [ours.game, ours.observation_spaces, ours.action_spaces, ours.state_space]
        other = copy.deepcopy(env, {id(part): part for part in kept})
        other.unwrapped.exchange_hidden_cards(agent, seed)
        return other

    return twin
