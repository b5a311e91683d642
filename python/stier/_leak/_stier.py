"""Leak checks of the games of `stier`."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from stier._native import Agent, Game, PythonAgent, State, load_agent
from stier.errors import AgentError, IllegalActionError

Decide = Callable[[Any], Any]

_SEED = 1


class StierSubject:
    """A game of `stier`; other worlds come from its exact sampler."""

    method = "resample_from_infostate"

    def __init__(self, game: Game, agents: Sequence[str | Agent | PythonAgent | Callable[[State], Any]]) -> None:
        self.name = str(game)
        self._game = game
        self._agents = by_name(_named(game, agent) for agent in agents)

    def games(self, count: int, seed: int) -> Iterator[Iterator[tuple[State, int]]]:
        """Random games, with explicit chance."""
        for number in range(count):
            yield self._positions(random.Random(f"{seed}/{number}"))

    def _positions(self, rng: random.Random) -> Iterator[tuple[State, int]]:
        state = self._game.new_initial_state()
        while not state.is_terminal():
            if state.is_player_node():
                yield state, state.move_number()
                state.apply_action(rng.choice(state.legal_actions()))
            else:
                outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, probabilities)[0])
        yield state, state.move_number()

    def players(self, state: State) -> list[int]:
        """Everybody: who is not to move must not see more either."""
        return list(range(state.num_players()))

    def facts(self, state: State, player: int) -> dict[str, Any]:
        """Give tensors, strings, mask, renderings; of the player to move also names of actions and decisions."""
        facts: dict[str, Any] = {
            "current_player": state.current_player(),
            "legal_actions": state.legal_actions(player),
            "legal_actions_mask": state.legal_actions_mask(player),
            "information_state_string": state.information_state_string(player),
            "information_state_tensor": state.information_state_tensor(player),
            "observation_tensor": state.observation_tensor(player),
            "to_text": state.to_text(player),
            "to_html": state.to_html(player),
        }
        if state.current_player() == player:
            facts["action_to_string"] = [state.action_to_string(action) for action in state.legal_actions()]
            for name, decide in self._agents.items():
                facts[f"agent {name}"] = decide(state.clone())
        return facts

    def worlds(self, state: State, player: int, count: int, rng: random.Random) -> Iterator[State]:
        """Draw from the player's information set."""
        for _ in range(count):
            yield state.resample_from_infostate(player, rng.getrandbits(64))

    def fault(self, world: State, rng: random.Random) -> tuple[str, str] | None:
        """Replay the history."""
        del rng
        replayed = self._game.new_initial_state()
        for actor, action in world.history():
            try:
                replayed.apply_action(action)
            except IllegalActionError as error:
                return "an illegal past", f"player {actor} after {replayed.move_number()} events: {error}"
        return None if replayed == world else ("a past that leads elsewhere", str(replayed))

    def differs(self, state: State, world: State, player: int) -> bool:
        """Whether any card that is shown with all cards open lies elsewhere."""
        del player
        return str(state) != str(world)

    def keep(self, state: State) -> State:
        """Give a copy."""
        return state.clone()


def _named(game: Game, agent: str | Agent | PythonAgent | Callable[[State], Any]) -> tuple[str, Decide]:
    if isinstance(agent, str):
        return agent, _decisions(load_agent(agent, game))
    if isinstance(agent, Agent | PythonAgent):
        return agent.name, _decisions(agent)
    return name_of(agent), twice(agent, name_of(agent), State.clone)


def _decisions(agent: Agent | PythonAgent) -> Decide:
    def decide(state: State) -> Any:
        agent.restart(_SEED)
        return agent.step_with_policy(state)

    return decide


def by_name(agents: Iterable[tuple[str, Decide]]) -> dict[str, Decide]:
    """Give agents by name; those of one name are numbered."""
    named: dict[str, Decide] = {}
    for name, decide in agents:
        alike = sum(other.split(" (")[0] == name for other in named)
        named[f"{name} ({alike + 1})" if alike else name] = decide
    return named


def name_of(agent: Any) -> str:
    """Give what an agent is called in a report."""
    return str(getattr(agent, "__name__", None) or type(agent).__name__)


def twice(decide: Callable[[Any], Any], name: str, copy: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Have an agent asked twice: one that rolls dice would be taken for one that peeks."""

    def ask(state: Any) -> Any:
        first, second = decide(copy(state)), decide(copy(state))
        if first != second:
            raise AgentError(
                f"{name} chose {first}, then {second} in the same state: it must draw the same numbers anew"
            )
        return first

    return ask
