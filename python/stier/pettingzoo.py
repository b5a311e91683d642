"""The games as PettingZoo environments: AEC for all, Parallel for those in which the players choose at once.

>>> import stier.pettingzoo
>>> env = stier.pettingzoo.env("schwimmen", players=3)
>>> env.reset(seed=7)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     over = terminated or truncated
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

`reset(seed=s)` is the game of `Game.new_initial_state(seed=s)`, the same cards and dice as in every other layer.
Nothing that a player cannot know is in an observation, an info or a rendering, unless it is asked for by name:
`state()`, `stier_state`, ``render_mode="ansi_open"``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from stier import _adapting

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv, ParallelEnv
except ImportError as _error:
    raise _adapting.missing("pettingzoo", _error) from _error

from stier._native import CHANCE, State, load_game, registered_names
from stier.errors import IllegalActionError, RulesError
from stier.playing import AnyGame

__all__ = ["CardGameEnv", "CardGameParallelEnv", "env", "parallel_env", "raw_env"]


Observation = dict[str, npt.NDArray[Any]]
Infos = dict[str, dict[str, Any]]


class Table(_adapting.AdaptedGame):
    """A game with agents around it, who see tensors and masks."""

    def __init__(
        self,
        game: AnyGame,
        *,
        tensor: Literal["observation", "information_state"] = "observation",
        illegal_reward: float | None = None,
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        super().__init__()
        game = self._adapt(game, rules, tensor, illegal_reward, render_mode)
        parallel = isinstance(self, ParallelEnv)
        if parallel and not game.is_simultaneous():
            known = ", ".join(name for name in registered_names() if load_game(name).is_simultaneous())
            name = game.short_name()
            raise RulesError(f"parallel_env() takes games with simultaneous choices ({known}); for {name} use env()")
        # Agents that choose at once can also wait.
        actions = game.num_distinct_actions() + parallel
        name = f"stier_{game.short_name()}{'_parallel' if parallel else ''}_v0"
        modes = {"name": name, "render_modes": _adapting.RENDER_MODES, "is_parallelizable": parallel}
        self.metadata: dict[str, Any] = modes
        #: The seed of the game that is played, from which everything hidden follows.
        self.deal_seed: int | None = None
        self.possible_agents: list[str] = [f"player_{seat}" for seat in range(game.num_players())]
        self.agents: list[str] = []
        self.state_space = Box(0.0, 1.0, (game.num_players(), *self._shape), np.float32)
        seen, mask = Box(0.0, 1.0, self._shape, np.float32), Box(0, 1, (actions,), np.int8)
        spaces = (Dict({"observation": seen, "action_mask": mask}) for _ in self.possible_agents)
        self.observation_spaces = dict(zip(self.possible_agents, spaces, strict=True))
        self.action_spaces = {agent: Discrete(actions) for agent in self.possible_agents}
        self._episodes = _adapting.Episodes()

    def state(self) -> npt.NDArray[np.float32]:
        """Returns the tensors of all players, players x tensor: all hidden cards, for centrally trained critics."""
        world = self.stier_state
        return np.stack([self._tensor(world, seat) for seat in range(self.game.num_players())])

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    def observation_space(self, agent: str) -> Dict:
        """Returns the space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Returns the space of an agent's actions, always the same object."""
        return self.action_spaces[agent]


class CardGameEnv(Table, AECEnv):
    """A game in which the players choose one after another, an AEC environment.

    Illegal actions and the order of calls are taken care of without wrappers, which would cost more than the game.

    Agents are ``player_0``, ``player_1``, … by seat. A player may be selected several times in a row, as in Schwimmen
    to take a card and to give one. Simultaneous choices are made in turn, each hidden from the others until all are
    in.

    Observations are dicts: ``observation``, a float32 tensor with values between 0 and 1, and ``action_mask``, int8, 1
    for every legal action; all zeros for agents who are not to move. Both are new arrays every time.

    Rewards are zero until the game is over and then the returns. An illegal action ends the game for all: who chose it
    gets `illegal_reward`, the others nothing, and ``infos[agent]["illegal_action"]`` is the action.

    Args:
        game: A name as for `stier.load_game`, or a game.
        tensor: ``"observation"``, what a player sees now, or ``"information_state"``, all it knows with perfect recall.
        illegal_reward: The reward for an illegal action; the game's lowest utility if left out.
        render_mode: ``"ansi"`` for text as the agent selected sees the game, ``"human"`` to have it printed after every
            step, ``"ansi_open"`` for text with all cards.
        rules: Options of the game.
    """

    #: The random events to deal, if they are given, and those that are left of them.
    _scripted: list[int] | None = None
    _outcomes: Iterator[int] = iter(())

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals anew: the game of that seed, or of one that follows from the last seed given. Options are ignored.

        A deal may be over before any player has a choice; then all agents are terminated already.
        """
        del options
        self.deal_seed = self._episodes.begin(seed)
        self._world = self.game.new_initial_state(seed=self.deal_seed if self._scripted is None else None)
        self._outcomes = iter(self._scripted or ())
        self.agents = self.possible_agents.copy()
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations: dict[str, bool] = dict.fromkeys(self.agents, False)
        self.truncations: dict[str, bool] = dict.fromkeys(self.agents, False)
        self.infos: Infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]
        self._go_on(self._world)
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Plays the action of the agent selected; for a terminated agent the action is None."""
        if self._world is None or not self.agents:
            raise RuntimeError("no agent is to act: call reset() first")
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
        """Deals what is scripted; selects the agent to move, or pays the returns."""
        while world.is_chance_node():
            outcome = next(self._outcomes, None)
            if outcome is None:
                raise RuntimeError("the game goes on after the last random event that deal_as() was given")
            world.apply_action(outcome)
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

    def deal_as(self, world: State) -> None:
        """From the next `reset` on, deals the random events of another game in their order, whatever the seed.

        With the actions in the `history` of that game, it is played again. `reset` and `step` raise `RuntimeError` when
        the game goes on after the last of the events.
        """
        self._scripted = [action for player, action in world.history() if player == CHANCE]

    def observe(self, agent: str) -> Observation:
        """Returns the observation of an agent with its legal actions."""
        seat = self.possible_agents.index(agent)
        world = self.stier_state
        return {"observation": self._tensor(world, seat), "action_mask": world.legal_actions_mask(seat).view(np.int8)}

    def render(self) -> str | None:
        """Returns the selected agent's view as text, or prints it in mode ``human``; all cards in ``ansi_open``."""
        return _adapting.render(self.stier_state, self.possible_agents.index(self.agent_selection), self.render_mode)


#: PettingZoo's names.
env = raw_env = CardGameEnv


def choices_at_once(state: State) -> dict[int, State]:
    """Yields the seats that choose at once, each with the state in which it does.

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
    """A game of simultaneous choices, a Parallel environment. The arguments are those of `CardGameEnv`.

    One step is one choice of all who choose at once. In Up & Down: the boss alone changes the rules, then all choose a
    card.

    Observations are those of `CardGameEnv` at the agent's own choice, so that a policy can move from one to the other;
    but the mask has one entry more, for the action `wait`, the last. An agent who has nothing to choose may only wait;
    what it gives instead is ignored, and it may be left out.

    Rewards are zero until the game is over and then the returns. An illegal action ends the game for all: each who
    chose one gets `illegal_reward`, the others nothing, and ``infos[agent]["illegal_action"]`` is the action.
    """

    #: The seats that have to choose, each with the state in which it does.
    _choices: Mapping[int, State] = {}

    @property
    def wait(self) -> int:
        """The action of those who have nothing to choose."""
        return self.game.num_distinct_actions()

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], Infos]:
        """Deals anew: the game of that seed, or of one that follows from the last seed given. Options are ignored."""
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
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Plays the actions of all agents that choose at once, by agent.

        Raises `KeyError` if one of them is left out.
        """
        world = self.stier_state
        if not self.agents:
            raise RuntimeError("the game is over: call reset() first")
        missing = [self.possible_agents[seat] for seat in self._choices if self.possible_agents[seat] not in actions]
        if missing:
            raise KeyError(f"actions must have one of {', '.join(missing)}, too")
        chosen = {seat: int(actions[self.possible_agents[seat]]) for seat in self._choices}
        illegal = [seat for seat, state in self._choices.items() if chosen[seat] not in state.legal_actions()]
        infos: Infos = {agent: {} for agent in self.agents}
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

    def render(self) -> str | None:
        """Returns the first agent's view as text, or prints it in mode ``human``; all cards in ``ansi_open``."""
        seat = next(iter(self._choices), 0)
        return _adapting.render(self.stier_state, seat, self.render_mode)


#: PettingZoo's name.
parallel_env = CardGameParallelEnv
