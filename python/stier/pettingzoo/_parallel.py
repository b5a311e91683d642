"""All who choose at once in one step: `pettingzoo.ParallelEnv`."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pettingzoo import ParallelEnv

from stier import _adapting
from stier._native import Game, State, load_game, registered_names
from stier.errors import RulesError
from stier.pettingzoo._table import Observation, Table


def choices_at_once(state: State) -> dict[int, State]:
    """Give the seats that choose at once, each with the state in which it does.

    A seat belongs to them if it cannot tell what the one before it has chosen. In its state the others' choices are
    arbitrary; what it observes and may do does not depend on them.
    """
    at_once = {state.current_player(): state}
    ahead = state
    while True:
        legal = ahead.legal_actions()
        ahead, otherwise = ahead.child(legal[0]), ahead.child(legal[-1])
        seat = ahead.current_player()
        if seat < 0 or seat in at_once or seat != otherwise.current_player():
            return at_once
        if ahead.information_state_string(seat) != otherwise.information_state_string(seat):
            return at_once
        at_once[seat] = ahead


class CardGameParallelEnv(Table, ParallelEnv):
    """A game of simultaneous choices; made by `parallel_env`.

    One step is one choice of all who choose at once. In Up & Down: the boss alone changes the rules, then all choose a
    card.

    Observations are those of `CardGameEnv` at the agent's own choice, so that a policy can move from one to the other;
    but the mask has one entry more, for the action `wait`, the last. An agent who has nothing to choose may only wait;
    what it gives instead is ignored, and it may be left out.

    Rewards are zero until the game is over and then the returns. An illegal action ends the game for all: each who
    chose one gets `illegal_reward`, the others nothing, and ``infos[agent]["illegal_action"]`` is the action.
    """

    def __init__(
        self,
        game: Game,
        *,
        tensor: Literal["observation", "information_state"] = "observation",
        illegal_reward: float | None = None,
        render_mode: str | None = None,
    ) -> None:
        if not game.is_simultaneous():
            known = ", ".join(name for name in registered_names() if load_game(name).is_simultaneous())
            raise RulesError(f"nobody chooses at once in {game.short_name()}: use env(); parallel are {known}")
        #: The action of those who have nothing to choose.
        self.wait = game.num_distinct_actions()
        self._sit_down(game, tensor, self.wait + 1, illegal_reward, render_mode)
        self._choices: dict[int, State] = {}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal anew: the game of that seed, or of one that follows from the last seed given. Options are ignored."""
        del options
        self.deal_seed = self._episodes.begin(seed)
        self._world = self.game.new_initial_state(seed=self.deal_seed)
        self._choices = choices_at_once(self._world)
        self.agents = self.possible_agents.copy()
        if self.render_mode == "human":
            self.render()
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play what all who choose at once have chosen; actions by agent.

        Raises `KeyError` if one of them is left out.
        """
        world = self.stier_state
        if not self.agents:
            raise RuntimeError("the game is over: call reset() first")
        missing = [self.possible_agents[seat] for seat in self._choices if self.possible_agents[seat] not in actions]
        if missing:
            raise KeyError(f"no action of {', '.join(missing)}, who have to choose")
        chosen = {seat: int(actions[self.possible_agents[seat]]) for seat in self._choices}
        illegal = [seat for seat, state in self._choices.items() if chosen[seat] not in state.legal_actions()]
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        rewards = dict.fromkeys(self.agents, 0.0)
        if illegal:
            self._choices = {}
            for seat in illegal:
                agent = self.possible_agents[seat]
                rewards[agent] = self.illegal_reward
                infos[agent]["illegal_action"] = chosen[seat]
        else:
            for action in chosen.values():
                world.apply_action(action)
            self._choices = {} if world.is_terminal() else choices_at_once(world)
            rewards = dict(zip(self.agents, world.returns().tolist(), strict=True))
        over = not self._choices
        observations = self._observations()
        terminations = dict.fromkeys(self.agents, over)
        truncations = dict.fromkeys(self.agents, False)
        if over:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return observations, rewards, terminations, truncations, infos

    def _observations(self) -> dict[str, Observation]:
        world = self.stier_state
        observations: dict[str, Observation] = {}
        for seat, agent in enumerate(self.possible_agents):
            state = self._choices.get(seat, world)
            mask = np.zeros(self.wait + 1, np.int8)
            mask[: self.wait] = state.legal_actions_mask(seat) if seat in self._choices else False
            mask[self.wait] = seat not in self._choices
            observations[agent] = {"observation": self._tensor(state, seat), "action_mask": mask}
        return observations

    def state(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Give what all players see, players x tensor: everybody's hidden cards, for critics trained centrally."""
        world = self.stier_state
        return np.stack([self._tensor(world, seat) for seat in range(self.game.num_players())])

    def render(self) -> str | None:
        """Give the text of what the first to choose sees; print it in mode ``human``; all cards in ``ansi_open``."""
        seat = next(iter(self._choices), 0)
        return _adapting.render(self.stier_state, seat, self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def parallel_env(
    game: str | Game,
    *,
    tensor: Literal["observation", "information_state"] = "observation",
    illegal_reward: float | None = None,
    render_mode: str | None = None,
    **rules: Any,
) -> CardGameParallelEnv:
    """Make a Parallel environment of a game in which the players choose at once; the arguments are those of `env`."""
    return CardGameParallelEnv(
        _adapting.as_game(game, rules), tensor=tensor, illegal_reward=illegal_reward, render_mode=render_mode
    )
