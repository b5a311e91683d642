"""Games, masks, renderings and seeds for the adapters to other libraries."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np
import numpy.typing as npt

from stier import _arguments
from stier._arguments import AnyGame
from stier._native import Game, State, derive_seed, load_game, registered_names
from stier.catalogue import describe_game
from stier.errors import MissingExtraError, RulesError, missing_extra

#: The ways to show a state: text as a player sees it, the same printed, text with all cards open.
RENDER_MODES = ["ansi", "human", "ansi_open"]

_TENSORS: dict[str, tuple[Callable[[Game], list[int]], Callable[[State, int], npt.NDArray[np.float32]]]] = {
    "observation": (Game.observation_tensor_shape, State.observation_tensor),
    "information_state": (Game.information_state_tensor_shape, State.information_state_tensor),
}


def missing(extra: str, error: ImportError) -> MissingExtraError:
    """Returns the error that says what to install for an adapter."""
    package = (error.name or extra).partition(".")[0]
    return missing_extra(f"stier.{extra}", package, extra)


def as_game(game: AnyGame, /, **rules: Any) -> Game:
    """Loads a game by its name and rules. A game that is loaded already is returned as it is."""
    if isinstance(game, Game):
        if rules:
            raise TypeError(f"a loaded game has its own rules, got {', '.join(rules)}")
        return game
    return load_game(game, **rules)


def check_keywords(game: AnyGame, rules: Mapping[str, Any], make: Callable[..., Any]) -> None:
    """Raises for a keyword that is neither an argument of `make` nor an option of the game."""
    name = game.short_name() if isinstance(game, Game) else str(game).partition(":")[0].strip()
    if name not in registered_names():
        return  # an error of its own
    arguments = [one.name for one in signature(make).parameters.values() if one.kind is not one.VAR_KEYWORD]
    known = [*arguments, *(option.name for option in describe_game(name))]
    for keyword in rules:
        _arguments.known("keyword", keyword, known, RulesError)


def render(state: State, player: int, mode: str | None) -> str | None:
    if mode is None:
        return None
    text = state.to_text(None if mode == "ansi_open" else player)
    if mode == "human":
        print(text)
        return None
    return text


class Adapted:
    """The arguments that environments of other libraries have in common."""

    game: Game
    render_mode: str | None
    illegal_reward: float

    def _adapt(
        self,
        game: AnyGame,
        rules: Mapping[str, Any],
        tensor: str,
        illegal_reward: float | None,
        render_mode: str | None,
    ) -> Game:
        """Notes the arguments of an environment, and returns the game."""
        self.game = as_game(game, **rules)
        self.render_mode = _arguments.choice("render_mode", render_mode, [*RENDER_MODES, None])
        given = illegal_reward is not None
        self.illegal_reward = _arguments.number("illegal_reward", illegal_reward) if given else self.game.min_utility()
        shape, self._tensor = _TENSORS[_arguments.choice("tensor", tensor, _TENSORS)]
        self._shape = tuple(shape(self.game))
        return self.game


class AdaptedGame(Adapted):
    """An environment of one game, which it plays again and again."""

    _world: State | None = None

    @property
    def stier_state(self) -> State:
        """The state of the game itself, hidden cards included; an agent of `stier` may be asked what to do in it."""
        if self._world is None:
            raise RuntimeError("the environment has no state yet: call reset() first")
        return self._world


class Episodes:
    """The seeds of an environment's games: the given one, and after it the k-th of the stream "episode"."""

    def __init__(self) -> None:
        self._given: int | None = None
        #: Games since a seed was given.
        self.number = 0

    def begin(self, seed: int | None) -> int:
        """Returns the seed of the next game: the given one; without any so far, one from the system's entropy."""
        if seed is None and self._given is not None:
            self.number += 1
            return derive_seed(self._given, "episode", self.number)
        self._given, self.number = secrets.randbits(63) if seed is None else _arguments.seed(seed), 0
        return self._given
