"""One player after another: `pettingzoo.AECEnv`."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box
from pettingzoo import AECEnv

from stier import _adapting
from stier._native import Game, State
from stier.errors import IllegalActionError
from stier.pettingzoo._table import Observation, Table


class CardGameEnv(Table, AECEnv):
    """A game in which the players choose one after another; made by `env`.

    Agents are ``player_0``, ``player_1``, … by seat. A player may be selected several times in a row, as in Schwimmen
    to take a card and to give one. Simultaneous choices are made in turn, each hidden from the others until all are
    in.

    Observations are dicts: ``observation``, a float32 tensor with values between 0 and 1, and ``action_mask``, int8, 1
    for every legal action; all zeros for agents who are not to move. Both are new arrays every time.

    Rewards are zero until the game is over and then the returns. An illegal action ends the game for all: who chose it
    gets `illegal_reward`, the others nothing, and ``infos[agent]["illegal_action"]`` is the action.
    """

    def __init__(
        self,
        game: Game,
        *,
        tensor: Literal["observation", "information_state"] = "observation",
        illegal_reward: float | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._sit_down(game, tensor, game.num_distinct_actions(), illegal_reward, render_mode)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.state_space = Box(0.0, 1.0, (game.num_players(), *_adapting.tensor_of(tensor)[0](game)), np.float32)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal anew: the game of that seed, or of one that follows from the last seed given. Options are ignored.

        A deal may be over before anybody has a choice; then all agents are terminated already.
        """
        del options
        self.deal_seed = self._episodes.begin(seed)
        self._world = self.game.new_initial_state(seed=self.deal_seed)
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]
        self._go_on(self._world)
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Play the action of the agent selected; for a terminated agent the action is None."""
        if self._world is None or not self.agents:
            raise RuntimeError("nobody is to act: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        try:
            self._world.apply_action(action)
        except IllegalActionError:
            self.infos[agent]["illegal_action"] = action
            self._end({agent: self.illegal_reward})
        else:
            self._go_on(self._world)
        if self.render_mode == "human":
            self.render()

    def _go_on(self, world: State) -> None:
        """Select whose turn it is, or pay what the game brought."""
        player = world.current_player()
        if player >= 0:
            self.agent_selection = self.possible_agents[player]
        else:
            self._end(dict(zip(self.agents, world.returns().tolist(), strict=True)))

    def _end(self, rewards: dict[str, float]) -> None:
        for agent in self.agents:
            self.rewards[agent] = rewards.get(agent, 0.0)
            self.terminations[agent] = True
        self._accumulate_rewards()
        self._deads_step_first()

    def exchange_hidden_cards(self, agent: str, seed: int) -> None:
        """Go to a world that the agent cannot tell apart from this one, drawn by chance reach probability."""
        self._world = self.stier_state.resample_from_infostate(self._seats[agent], seed)

    def observe(self, agent: str) -> Observation:
        """Give what an agent sees, and what it may do now."""
        seat = self._seats[agent]
        world = self.stier_state
        return {"observation": self._tensor(world, seat), "action_mask": _adapting.mask_of(world, seat)}

    def state(self) -> npt.NDArray[np.float32]:
        """Give what all players see, players x tensor: everybody's hidden cards, for critics trained centrally."""
        world = self.stier_state
        return np.stack([self._tensor(world, seat) for seat in range(self.game.num_players())])

    def render(self) -> str | None:
        """Give the text of what the agent selected sees; print it in mode ``human``; all cards in ``ansi_open``."""
        return _adapting.render(self.stier_state, self._seats[self.agent_selection], self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def env(
    game: str | Game,
    *,
    tensor: Literal["observation", "information_state"] = "observation",
    illegal_reward: float | None = None,
    render_mode: str | None = None,
    **rules: Any,
) -> CardGameEnv:
    """Make an AEC environment of a game.

    Illegal actions and the order of calls are taken care of without wrappers, which would cost more than the game.

    Args:
        game: A name as for `stier.load_game`, or a game.
        tensor: ``"observation"``, what a player sees now, or ``"information_state"``, all it knows with perfect recall.
        illegal_reward: What an illegal action costs; the game's lowest utility if left out.
        render_mode: ``"ansi"`` for text as the agent selected sees the game, ``"human"`` to have it printed after every
            step, ``"ansi_open"`` for text with all cards.
        rules: Options of the game.
    """
    return CardGameEnv(
        _adapting.as_game(game, rules), tensor=tensor, illegal_reward=illegal_reward, render_mode=render_mode
    )


#: PettingZoo's name for an environment without wrappers; there are none.
raw_env = env
