"""Games of every origin as the leak check sees them: positions, facts and other worlds."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from stier._native import Agent, Game, PythonAgent, State, TabularPolicy, load_agent
from stier.errors import AgentError, IllegalActionError
from stier.playing import AnyAgent, unwrapped


class ImpossibleError(Exception):
    """A world that no game leads to, or that leads nowhere: the fault in general and in detail."""


class Subject:
    """A game in which worlds can be exchanged. States are whatever the game has for them."""

    #: The name, and the source of other worlds.
    name: str
    method: str
    #: Facts that are not compared, with the reason.
    untested: dict[str, str]

    def games(self, count: int, seed: int) -> Iterator[Iterator[tuple[Any, int]]]:
        """Random games, each as by `positions`."""
        return (self.positions(random.Random(f"{seed}/{number}")) for number in range(count))

    def positions(self, rng: random.Random) -> Iterator[tuple[Any, int]]:
        """Yields the states of a random game in which a player acts, with the number of events before."""
        raise NotImplementedError

    def players(self, state: Any, /) -> list[int]:
        """Returns the players to check in a state."""
        raise NotImplementedError

    def facts(self, replayed: Any, player: int, /) -> dict[str, Any]:
        """Returns everything the player is given in a state that was replayed, by name."""
        raise NotImplementedError

    def worlds(self, state: Any, player: int, count: int, rng: random.Random, /) -> Iterator[Any]:
        """Draws states that the player should not be able to tell apart from this one, or fewer."""
        raise NotImplementedError

    def replay(self, world: Any, rng: random.Random, /) -> Any:
        """Plays a world from the start, so that stored values belong to it. Raises `ImpossibleError`."""
        raise NotImplementedError

    def differs(self, state: Any, world: Any, player: int, /) -> bool:
        """Returns `True` if the world differs from the state with all cards open."""
        return str(state) != str(world)

    def keep(self, replayed: Any, /) -> Any:
        """Returns what to show of a state that was replayed: itself if nobody changes it."""
        return replayed


def equal(one: Any, other: Any) -> bool:
    """Returns `True` if two values are the same bit by bit, arrays with type and shape."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and bool(one == other)


Decide = Callable[[Any], Any]

_SEED = 1


class StierSubject(Subject):
    """A game of `stier`; other worlds come from its exact sampler."""

    method = "resample_from_infostate, played from the start"

    def __init__(self, game: Game, agents: Sequence[AnyAgent]) -> None:
        self.name: str = str(game)
        self.untested: dict[str, str] = {}
        self._game = game
        self._agents = by_name(_named(game, agent) for agent in agents)

    def positions(self, rng: random.Random) -> Iterator[tuple[State, int]]:
        state = self._game.new_initial_state()
        while not state.is_terminal():
            if state.is_player_node():
                yield state.clone(), state.move_number()
                state.apply_action(rng.choice(state.legal_actions()))
            else:
                outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, probabilities)[0])
        yield state, state.move_number()

    def players(self, state: State) -> list[int]:
        """Returns all players: those who are not to move must not see more either."""
        return list(range(state.num_players()))

    def facts(self, state: State, player: int) -> dict[str, Any]:
        """Returns tensors, strings, mask, renderings; for the player to move also names of actions and decisions."""
        facts: dict[str, Any] = {
            "current_player": state.current_player(),
            "legal_actions": state.legal_actions(player),
            "legal_actions_mask": state.legal_actions_mask(player),
            "information_state_string": state.information_state_string(player),
            "information_state_tensor": state.information_state_tensor(player),
            "observation_tensor": state.observation_tensor(player),
            "hand": state.hand(player),
            "facts": state.facts(player),
            "to_text": state.to_text(player),
            "to_html": state.to_html(player),
        }
        if state.current_player() == player:
            facts["action_to_string"] = [state.action_to_string(action) for action in state.legal_actions()]
            for name, decide in self._agents.items():
                facts[f"agent {name}"] = decide(state.clone())
        return facts

    def worlds(self, state: State, player: int, count: int, rng: random.Random) -> Iterator[State]:
        for _ in range(count):
            yield state.resample_from_infostate(player, rng.getrandbits(64))

    def replay(self, world: State, rng: random.Random) -> State:
        replayed = self._game.new_initial_state()
        for actor, action in world.history():
            try:
                replayed.apply_action(action)
            except IllegalActionError as error:
                detail = f"player {actor} after {replayed.move_number()} events: {error}"
                raise ImpossibleError("an illegal past", detail) from error
        if replayed != world:
            raise ImpossibleError("a past that leads elsewhere", str(replayed))
        return replayed


def _named(game: Game, agent: AnyAgent) -> tuple[str, Decide]:
    name = agent if isinstance(agent, str) else None
    agent = unwrapped(agent)
    if isinstance(agent, str):
        agent = load_agent(agent, game)
    if isinstance(agent, Agent | PythonAgent):
        player = agent
        return name or player.name, lambda state: player.restart(_SEED) or player.step_with_policy(state)
    return name or name_of(agent), twice(agent, _asked, State.clone)


def _asked(agent: Any, state: State) -> Any:
    # A solution draws its actions, but its policy is always the same.
    if hasattr(agent, "step_with_policy"):
        return agent.step_with_policy(state)[0]
    return stepped(agent, state)


def stepped(agent: Any, state: Any) -> Any:
    """Returns the action of an object with a method ``step``, or of a callable."""
    return getattr(agent, "step", agent)(state)


def by_name(agents: Iterable[tuple[str, Decide]]) -> dict[str, Decide]:
    """Returns agents by name; those with the same name are numbered."""
    named: dict[str, Decide] = {}
    for name, decide in agents:
        alike = sum(other.split(" (")[0] == name for other in named)
        named[f"{name} ({alike + 1})" if alike else name] = decide
    return named


def name_of(agent: Any) -> str:
    return str(getattr(agent, "__name__", None) or type(agent).__name__)


def twice(agent: Any, ask: Callable[[Any, Any], Any], copied: Callable[[Any], Any]) -> Decide:
    """Queries an agent twice: one that draws random numbers would be taken for one that peeks.

    Every query is to a copy of the agent, if it can be copied, so that it remembers nothing of other worlds. A solution
    never does.

    Args:
        agent: The agent.
        ask: Returns its answer in a state.
        copied: Copies a state, so that no decision changes it.
    """
    copies = not isinstance(agent, TabularPolicy)
    try:
        copy.deepcopy(agent if copies else None)
    except (TypeError, copy.Error):
        copies = False

    def decide(state: Any) -> Any:
        first, second = (ask(copy.deepcopy(agent) if copies else agent, copied(state)) for _ in range(2))
        if first != second:
            about = f"chose {first}, then {second} in the same state"
            raise AgentError(f"{name_of(agent)} {about}: it must draw the same numbers anew")
        return first

    return decide
