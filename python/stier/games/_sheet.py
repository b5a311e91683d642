"""The sheet of a Python game: everything that the engine wants to know about its class before it plays."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from enum import Enum
from numbers import Integral, Real
from typing import Any, NamedTuple

from stier import _imports
from stier._native import CHANCE
from stier.errors import GameError
from stier.games._histories import Histories, noticed_after
from stier.games._members import METHODS, RANGES, check_members, member, parts_of, shown, wrong_answer
from stier.games._options import Row, make_game, option_rows

#: The beginning of the names of OpenSpiel's games.
OPEN_SPIEL = f"{_imports.OPEN_SPIEL_WORD}:"
#: The most outcomes of a random event.
_MOST_OUTCOMES = RANGES["num_outcomes"][1]
#: The states that are looked at to find out how many random events and outcomes there are.
_LOOKED_AT = 3000
#: The random games that are played in place of that where there are more states.
_PLAYED = 50


def words(value: Any, is_part: bool = False) -> str:
    """Returns an observation, or a part of one, in words: the same in every run."""
    if isinstance(value, Enum):
        return value.name or repr(value)
    if isinstance(value, str):
        is_clear = value.isidentifier() if is_part else "\n" not in value and " | " not in value
        return str(value) if is_clear else repr(value)
    if isinstance(value, tuple):
        return f"({', '.join(words(part, True) for part in value)})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(words(part, True) for part in value))}}}"
    if is_dataclass(value) and not isinstance(value, type):
        return f"({', '.join(f'{field.name}={words(getattr(value, field.name), True)}' for field in fields(value))})"
    return repr(value)


def _fact(name: str, value: Any) -> tuple[str, Any, str]:
    """Returns a name, a plain value, and the value in words."""
    shown = ", ".join(map(words, value)) if isinstance(value, list) else "" if value is None else words(value)
    return name, _plain(value), shown or "-"


def _plain(value: Any) -> Any:
    """Returns a value made of None, bool, int, float, str and lists: what is not made of them in words."""
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, frozenset):
        return [_plain(one) for one in sorted(value, key=words)]
    if value is None or isinstance(value, bool) or type(value) is str:
        return value
    if isinstance(value, Enum) or not isinstance(value, Real):
        return words(value)
    return int(value) if isinstance(value, Integral) else float(value)


def _size(value: Any) -> int:
    return sys.getsizeof(value) + sum(map(_size, parts_of(value) or ()))


class _Noticing:
    """A game whose players notice actions that change nothing that they see: ``observed`` says what.

    A state becomes a pair: the game's own, and what each player noticed last, counted.
    """

    def __init__(self, game: Any) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        """Returns a method of the game, which takes pairs as states."""
        function = getattr(self._game, name)
        return None if function is None else lambda state, *player: function(state[0], *player)

    def initial_state(self) -> Hashable:
        return self._game.initial_state(), ((0, None),) * (self._game.num_players + 1)

    def apply(self, state: Any, action: int) -> Hashable:
        before, noticed = state
        players = [*range(self._game.num_players), None]
        after = [
            noticed_after(last, self._game.observed(before, action, player))
            for player, last in zip(players, noticed, strict=True)
        ]
        return self._game.apply(before, action), tuple(after)

    def observation(self, state: Any, player: int | None) -> Hashable:
        return self._game.observation(state[0], player), state[1][-1 if player is None else player]


def _names_of_ids(game: Any, method: str, count: int) -> list[str]:
    """Returns the names of all ids: without blanks, each once."""
    function = member(game, method)
    names: list[str] = []
    for number in range(count):
        try:
            name = str(number) if function is None else "_".join(str(function(number)).split())
        except (LookupError, TypeError, ValueError):  # an id that never occurs may have no name
            name = str(number)
        names.append(f"{name}#{number}" if not name or name in names else name)
    return names


def _bounds(game: Any, max_decisions: int) -> tuple[int, int]:
    """Returns the number of outcomes and the greatest number of random events in a game, or numbers above them.

    In a large game, hardly any has more random events: they are twice the most in some random games, and 8 more.
    """
    histories, most = Histories(game), 0
    try:
        root = histories.root()
        visited, is_all = histories.explore(root, _LOOKED_AT, merge=True)
        if is_all:
            outcomes = [action for node in visited if node.player == CHANCE for action in node.actions]
            return max(outcomes, default=0) + 1, max(node.chances for node in visited)
        for number in range(_PLAYED):
            for node in histories.random_game(root, random.Random(number)):
                if node.decisions > max_decisions:
                    break
                most = max(most, node.chances)
    except (Exception, SystemExit):  # The engine says what is wrong, with the history, once play comes there.
        return _MOST_OUTCOMES, _MOST_OUTCOMES
    return _MOST_OUTCOMES, 2 * most + 8


class Trusted(NamedTuple):
    """The facts that the engine believes without a check. Adapters of libraries tell them, and no member of a class."""

    #: No two histories lead to the same state, and states cannot be compared.
    states_are_histories: bool = False
    #: The observation of a player to act tells everything that it knows.
    observations_recall: bool = False
    #: The memory of a state; without it, that of the first state is measured.
    state_bytes: int | None = None
    #: A function of state and player: all that the player to act knows, as text. With it, trees are built faster.
    information_state: Callable[[Any, int], str] | None = None


class Sheet:
    """All that the engine reads from a game.

    Args:
        game: An object with the members of a game.
        options: The rows of its options.
        trusted: The facts that hold of the game by construction.
    """

    def __init__(self, game: Any, options: list[Row], trusted: Trusted) -> None:
        check_members(game)
        self.name, self.options = game.name, options
        #: Tells classes of one name apart.
        self.class_number = 0
        self.num_players, self.num_actions = game.num_players, game.num_actions
        self.max_decisions = game.max_decisions
        self.utility_range, self.utility_sum = tuple(map(float, game.utility_range)), game.utility_sum
        self.memory_mb = member(game, "memory_mb")
        self.trusted = trusted
        self.simultaneous, self.hidden_moves = member(game, "simultaneous"), member(game, "hidden_moves")
        self.exact_features = member(game, "exact_features")
        self.cards = [str(card) for card in member(game, "cards")]
        self.game: Any = _Noticing(game) if member(game, "observed") is not None else game
        try:
            first = self.game.initial_state()
            self.state_bytes = trusted.state_bytes or 2 * _size(first) + 200
            outcomes, events = member(game, "num_outcomes"), member(game, "max_chance_events")
            if outcomes is None or events is None:
                found = _bounds(self.game, self.max_decisions)
                outcomes = found[0] if outcomes is None else outcomes
                events = found[1] if events is None else events
            self.num_outcomes, self.max_chance_events = outcomes or 1, min(events, RANGES["max_chance_events"][1])
            self.actions = _names_of_ids(game, "action_name", self.num_actions)
            self.outcomes = _names_of_ids(game, "outcome_name", self.num_outcomes)
            features = member(self.game, "features")
            self.num_features = None if features is None else len(features(first, 0))
        except (Exception, SystemExit) as error:
            raise GameError(f"{game.name} cannot be played: {type(error).__name__}: {error}") from error
        #: The functions that the engine calls, by name.
        self.methods: dict[str, Any] = {
            "words": self._words,
            "sees": self._sees,
            "wrong_answer": lambda method, found: (shown(found), wrong_answer(method, found, game) or "it cannot be"),
        }
        if trusted.information_state is not None:
            self.methods["information_state"] = trusted.information_state
        for name in METHODS:
            if (function := member(self.game, name)) is not None:
                self.methods[name] = self._facts if name == "facts" else function

    @classmethod
    def of(cls, game: type, options: dict[str, Any]) -> Sheet:
        """Returns the sheet of a class under these options."""
        sheet = cls(make_game(game, options), option_rows(game, options), Trusted())
        sheet.class_number = id(game)
        return sheet

    def _words(self, state: Any, player: int | None) -> str:
        return words(self.game.observation(state, player))

    def _sees(self, state: Any, player: int | None) -> list[tuple[str, Any, str]]:
        return [_fact("state", state) if player is None else _fact("sees", self.game.observation(state, player))]

    def _facts(self, state: Any, player: int | None) -> list[tuple[str, Any, str]]:
        return [_fact(str(name), value) for name, value in self.game.facts(state, player).items()]
