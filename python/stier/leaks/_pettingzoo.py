"""Leak checks of the AEC environments of PettingZoo."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from stier._native import CHANCE, State
from stier.errors import IllegalActionError
from stier.leaks._subjects import ImpossibleError, Subject, equal
from stier.pettingzoo import CardGameEnv

Twin = Callable[[Any, Any, int], Any]


def aec_subject(env: Any, agents: Sequence[Any], twin: Twin | None) -> TwinSubject | ReplaySubject:
    """Returns the subject of an environment: with the twins of a caller, or one of `stier.pettingzoo`."""
    if not isinstance(env, AECEnv):
        raise TypeError(f"check_no_leak takes AEC environments, and {env} is not one")
    if agents:
        raise TypeError("agents are checked in games, not in environments: give them as facts, f(env, agent)")
    if twin is not None:
        return TwinSubject(env, twin)
    if isinstance(env.unwrapped, CardGameEnv):
        return ReplaySubject(env)
    raise TypeError(
        f"{env} is not an environment of stier.pettingzoo: give twin, f(env, agent, seed) -> another environment"
    )


class AecSubject(Subject):
    method = ""

    def __init__(self, env: Any) -> None:
        self._env = env
        self.name = str(env)
        shown = env.render_mode in (None, "ansi")
        self.untested = {} if shown else {"render": f"only in mode ansi, not in {env.render_mode}"}

    def facts(self, env: Any, player: int) -> dict[str, Any]:
        agent = env.possible_agents[player]
        facts: dict[str, Any] = {
            "agents": env.agents,
            "agent_selection": env.agent_selection,
            "observation_space": env.observation_space(agent),
            "action_space": env.action_space(agent),
            "observe": env.observe(agent),
            "info": env.infos[agent],
            "reward": env.rewards[agent],
            "termination": env.terminations[agent],
            "truncation": env.truncations[agent],
        }
        if env.agent_selection == agent:
            facts["last"] = env.last()
            if env.render_mode == "ansi":
                facts["render"] = env.render()
        return facts


class TwinSubject(AecSubject):
    """An environment with a function that knows what is hidden in it. States are environments."""

    method = "twins made by the caller, in which shared values look alike"

    def __init__(self, env: Any, twin: Twin) -> None:
        super().__init__(env)
        self._twin = twin

    def positions(self, rng: random.Random) -> Iterator[tuple[Any, int]]:
        position = 0
        for action in play(self._env, rng):
            if action is not None:
                yield self._env, position
                position += 1

    def players(self, env: Any) -> list[int]:
        return [env.possible_agents.index(agent) for agent in env.agents]

    def worlds(self, env: Any, player: int, count: int, rng: random.Random) -> Iterator[Any]:
        """Yields twins."""
        for _ in range(count):
            world = self._twin(env, env.possible_agents[player], rng.getrandbits(31))
            if world is not None:
                yield world

    def replay(self, env: Any, rng: random.Random) -> Any:
        """Returns the environment itself: its history is not known."""
        return env

    def differs(self, env: Any, world: Any, player: int) -> bool:
        """Returns `True` if any other player sees something else."""
        others = [agent for seat, agent in enumerate(env.possible_agents) if seat != player and agent in env.agents]
        return any(not equal(env.observe(agent), world.observe(agent)) for agent in others)

    def keep(self, env: Any) -> Any:
        return copy.deepcopy(env)


@dataclass(frozen=True)
class Played:
    """A game that an environment can play again."""

    #: The state of the game itself.
    state: State
    #: The actions in the names of the environment.
    actions: list[Any]
    #: The players who are in the game.
    players: list[int]


class ReplaySubject(AecSubject):
    """An environment of `stier.pettingzoo`, wrapped or not. Every world is played from the start in a fresh copy."""

    method = "resample_from_infostate, played from reset in a fresh copy with another seed"

    def positions(self, rng: random.Random) -> Iterator[tuple[Played, int]]:
        env = self._copy()
        actions: list[Any] = []
        for action in play(env, rng):
            players = [env.possible_agents.index(agent) for agent in env.agents]
            yield Played(env.unwrapped.stier_state.clone(), actions.copy(), players), len(actions)
            if done(env):
                return
            actions.append(action)

    def _copy(self) -> Any:
        try:
            env = copy.deepcopy(self._env, {id(self._env.unwrapped.game): self._env.unwrapped.game})
        except TypeError as error:
            raise TypeError(f"{self.name} cannot be copied ({error}): give twin") from error
        if env is self._env or env.unwrapped is self._env.unwrapped:
            raise TypeError(f"{self.name} shares its state with its copies: give twin")
        if env.render_mode == "human":
            # Every position is reached many times.
            env.unwrapped.render_mode = None
        return env

    def players(self, played: Played) -> list[int]:
        return played.players

    def worlds(self, played: Played, player: int, count: int, rng: random.Random) -> Iterator[Played]:
        """Draws from the player's information set. At the end the player knows its return as well."""
        state, actions = played.state, played.actions
        past = choices(state)
        for _ in range(count):
            world = state.resample_from_infostate(player, rng.getrandbits(64))
            if world.is_terminal() and world.player_return(player) != state.player_return(player):
                continue
            others = choices(world)
            if others == past:
                yield Played(world, actions, played.players)
            elif actions == [action for _, action in past]:
                # Wrappers may rename actions: then the names of other choices are not known.
                yield Played(world, [action for _, action in others], played.players)

    def replay(self, played: Played, rng: random.Random) -> Any:
        """Plays the game from the start, with a call of `last` before every action, as players make it."""
        env = self._copy()
        env.unwrapped.deal_as(played.state)
        try:
            env.reset(seed=rng.getrandbits(31))
            for number, action in enumerate(played.actions):
                if done(env):
                    fault = "not tested, it ends early when it is played again"
                    raise ImpossibleError(fault, f"after {number} of {len(played.actions)} actions")
                env.last()
                env.step(action)
        except (IllegalActionError, RuntimeError) as error:
            raise ImpossibleError("not tested, the cards cannot be dealt again", str(error)) from error
        if env.unwrapped.stier_state != played.state:
            reached = str(env.unwrapped.stier_state)
            raise ImpossibleError("not tested, other cards than those it was told to deal", reached)
        return env

    def differs(self, played: Played, world: Played, player: int) -> bool:
        """Returns `True` if any card lies elsewhere with all cards open."""
        return str(played.state) != str(world.state)


def choices(state: State) -> list[tuple[int, int]]:
    return [(player, action) for player, action in state.history() if player != CHANCE]


def done(env: Any) -> bool:
    """Returns `True` if the agent selected has no choice any more."""
    return not env.agents or env.terminations[env.agent_selection] or env.truncations[env.agent_selection]


def play(env: Any, rng: random.Random) -> Iterator[Any]:
    """Plays a random game. Yields the action of the agent selected before it is played; None if it is out."""
    env.reset(seed=rng.getrandbits(31))
    while env.agents:
        action = None
        if not done(env):
            observation, *_, info = env.last()
            masked = isinstance(observation, dict) and "action_mask" in observation
            mask = observation["action_mask"] if masked else info.get("action_mask")
            space = env.action_space(env.agent_selection)
            allowed = range(int(space.n)) if mask is None else np.flatnonzero(mask).tolist()
            action = int(space.start) + rng.choice(allowed)
        yield action
        env.step(action)
