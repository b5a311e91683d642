"""Leak checks of the games of OpenSpiel."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyspiel

from stier.errors import ArgumentError
from stier.leaks._subjects import ImpossibleError, Subject, by_name, name_of, stepped, twice

_RESAMPLED = "resample_from_infostate of the game, played from the start"
_SWAPPED = "what chance or others did exchanged in the history, where the information-state string stays the same"

#: Exchanges tried for every world, and moves after which a world counts as one that can be played to the end.
_TRIES, _MOVES = 10, 1000


class SpielSubject(Subject):
    """A game of OpenSpiel; other worlds come from its resampler, or by exchanging parts of the history."""

    def __init__(self, game: Any, agents: Sequence[Any]) -> None:
        kind = game.get_type()
        if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
            raise ArgumentError(f"{game} is a mean-field game; the leak check takes sequential and simultaneous games")
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise ArgumentError(f"{game} must list the outcomes of chance, so that histories can be replayed")
        self.name = str(game)
        self._game = game
        self._resamples = resamples(game)
        if not self._resamples and not kind.provides_information_state_string:
            raise ArgumentError(
                f"no other worlds can be made: {game} has neither a resampler nor information-state strings"
            )
        self.method = _RESAMPLED if self._resamples else _SWAPPED
        self.untested = {} if self._resamples else {"information_state_string": "it says which worlds are alike"}
        provided = {
            "information_state_string": kind.provides_information_state_string and not self.untested,
            "information_state_tensor": kind.provides_information_state_tensor,
            "observation_string": kind.provides_observation_string,
            "observation_tensor": kind.provides_observation_tensor,
        }
        self._provided = [name for name, there in provided.items() if there]
        self._agents = by_name((name_of(agent), twice(agent, stepped, pyspiel.State.clone)) for agent in agents)

    def positions(self, rng: random.Random) -> Iterator[tuple[Any, int]]:
        state = self._game.new_initial_state()
        for _ in range(_MOVES):
            if state.is_terminal():
                return
            if not state.is_chance_node():
                yield state.clone(), len(state.full_history())
            _step(state, rng)

    def players(self, state: Any) -> list[int]:
        """Returns the players to move: resamplers are made for them."""
        return list(range(self._game.num_players())) if state.is_simultaneous_node() else [state.current_player()]

    def facts(self, state: Any, player: int) -> dict[str, Any]:
        """Returns what the state tells the player, and the agents' decisions."""
        legal = state.legal_actions(player)
        facts: dict[str, Any] = {
            "current_player": state.current_player(),
            "is_terminal": state.is_terminal(),
            "legal_actions": legal,
            "action_to_string": [state.action_to_string(player, action) for action in legal],
        }
        for name in self._provided:
            value = getattr(state, name)(player)
            facts[name] = value if isinstance(value, str) else np.asarray(value, np.float32)
        for name, decide in self._agents.items():
            facts[f"agent {name}"] = decide(state)
        return facts

    def worlds(self, state: Any, player: int, count: int, rng: random.Random) -> Iterator[Any]:
        for _ in range(count):
            if self._resamples:
                yield state.resample_from_infostate(player, _sampler(rng))
            else:
                world = self._swapped(state, player, rng)
                if world is not None:
                    yield world

    def _swapped(self, state: Any, player: int, rng: random.Random) -> Any:
        """Exchanges events in the history; `None` if all exchanges tried change the player's string."""
        history = [(item.player, item.action) for item in state.full_history()]
        of_others = [index for index, (actor, _) in enumerate(history) if actor != player]
        key = state.information_state_string(player)
        for _ in range(_TRIES if of_others else 0):
            one = rng.choice(of_others)
            actor, _ = history[one]
            swapped = history.copy()
            other = rng.choice([index for index in of_others if history[index][0] == actor])
            if one != other:
                swapped[one], swapped[other] = history[other], history[one]
            elif actor == pyspiel.PlayerId.CHANCE:
                swapped[one] = (actor, rng.randrange(self._game.max_chance_outcomes()))
            else:
                swapped[one] = (actor, rng.randrange(self._game.num_distinct_actions()))
            if swapped == history:
                continue
            world, _ = self._replay(swapped)
            if world is None or world.is_terminal() or world.is_chance_node():
                continue
            if world.information_state_string(player) == key:
                return world
        return None

    def _replay(self, history: list[tuple[int, int]]) -> tuple[Any, str]:
        """Returns the state after a history; or `None`, and what in it is not legal."""
        state = self._game.new_initial_state()
        at = 0
        while at < len(history):
            actor, action = history[at]
            if state.is_simultaneous_node():
                joint = [action for _, action in history[at : at + self._game.num_players()]]
                possible = all(action in state.legal_actions(player) for player, action in enumerate(joint))
            else:
                joint = [action]
                possible = (
                    not state.is_terminal() and state.current_player() == actor and action in state.legal_actions()
                )
            if not possible:
                return None, f"event {at}, player {actor}: {action} is not among {state.legal_actions()}"
            if state.is_simultaneous_node():
                state.apply_actions(joint)
            else:
                state.apply_action(action)
            at += len(joint)
        return state, ""

    def replay(self, world: Any, rng: random.Random) -> Any:
        """Plays the past with legal actions only, and goes on at random from the world as it was drawn."""
        replayed, why = self._replay([(item.player, item.action) for item in world.full_history()])
        if replayed is None:
            raise ImpossibleError("an illegal past", why)
        if str(replayed) != str(world):
            raise ImpossibleError("a past that leads elsewhere", str(replayed))
        ahead = world.clone()
        for _ in range(_MOVES):
            if ahead.is_terminal():
                break
            if not _step(ahead, rng):
                detail = f"after {len(ahead.full_history())} events no action is legal, and it is not the end"
                raise ImpossibleError("no future", detail)
        return replayed


def resamples(game: Any) -> bool:
    """Tells whether a game of OpenSpiel has a resampler. Raises the error of one that fails."""
    state = game.new_initial_state()
    rng = random.Random(0)
    while state.is_chance_node():
        _step(state, rng)
    try:
        state.resample_from_infostate(max(state.current_player(), 0), _sampler(rng))
    except pyspiel.SpielError as error:
        if "not implemented" in str(error):
            return False
        raise
    return True


def _sampler(rng: random.Random) -> Any:
    return pyspiel.UniformProbabilitySampler(rng.getrandbits(31), 0.0, 1.0)


def _step(state: Any, rng: random.Random) -> bool:
    """Applies a random action or outcome; returns `False` at the end."""
    if state.is_chance_node():
        outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(outcomes, probabilities)[0])
        return True
    if state.is_simultaneous_node():
        each = [state.legal_actions(player) or [0] for player in range(state.num_players())]
        state.apply_actions([rng.choice(legal) for legal in each])
        return True
    legal = state.legal_actions()
    if not legal:
        return False
    state.apply_action(rng.choice(legal))
    return True
