"""The sheet of a Python game: everything that the engine wants to know about its class before it plays."""

from __future__ import annotations

import random
import re
import sys
import typing
from collections.abc import Hashable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from inspect import Parameter, getdoc, signature
from numbers import Integral, Real
from typing import Any, Literal

from stier import _imports, _native
from stier._native import CHANCE
from stier.errors import GameError, RulesError
from stier.games._histories import Histories
from stier.games._members import RANGES, ClassError, check_members

__all__ = ["OPEN_SPIEL", "Row", "Sheet", "made", "name_of", "option_rows", "read_options", "words"]

#: The beginning of the names of OpenSpiel's games.
OPEN_SPIEL = f"{_imports.RESERVED}:"
#: The signs that separate options, which their values must not contain.
_SYNTAX = ",:=()"
#: The most outcomes of a random event.
_MOST_OUTCOMES = RANGES["num_outcomes"][1]
#: The states that are looked at to find out how many random events and outcomes there are.
_LOOKED_AT = 3000
#: The random games that are played in place of that where there are more states.
_PLAYED = 50

#: An option: (name, value, default, names if it takes names only, allowed values in words, meaning).
Row = tuple[str, Any, Any, list[str] | None, str, str]


def name_of(game: type) -> str:
    """Returns the name of the game of a class. Raises `RulesError` if it is not of the form of a name."""
    name = getattr(game, "name", None)
    if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise ClassError(f"{game.__name__}: name is {name!r}; it must be text such as 'my_game': a-z, 0-9 and _")
    return name


def _type_names(kind: Any) -> list[str] | None:
    """Returns the names that an option of this type takes, None if it takes others."""
    if kind is bool:
        return ["off", "on"]
    if typing.get_origin(kind) is Literal:
        return [str(value) for value in typing.get_args(kind)]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [member.name for member in kind]
    return None


def _options_of(game: type) -> dict[str, tuple[Any, Any]]:
    """Returns the type and the default of each option. Raises `ClassError` for options of another form."""
    if game.__init__ is object.__init__:  # type: ignore[misc]
        return {}
    try:
        hints = typing.get_type_hints(game.__init__)  # type: ignore[misc]
    except NameError as error:
        raise ClassError(f"{game.__qualname__}: the type of an option cannot be found: {error}") from error
    found, owner = {}, getattr(game, "name", game.__qualname__)
    for name, parameter in list(signature(game).parameters.items()):
        kind, default = hints.get(name), parameter.default
        names = _type_names(kind)
        if parameter.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL, Parameter.POSITIONAL_ONLY):
            raise ClassError(f"{game.__qualname__}: options are keyword arguments by name, got '{parameter}'")
        if default is Parameter.empty or (names is None and kind not in (int, float, str)):
            raise ClassError(
                f"{game.__qualname__}: option '{name}' must have a default and one of the types int, float, bool, str, "
                f"Literal or an Enum, as in 'players: int = 2', got '{parameter}'"
            )
        if any(isinstance(value, bool) for value in typing.get_args(kind)):
            raise ClassError(f"{owner}: option '{name}' must be a bool, not a Literal of True and False")
        for value in names or ():
            if not value or value != value.strip() or set(value) & set(_SYNTAX) or (names or []).count(value) > 1:
                raise ClassError(
                    f"{owner}: option '{name}' has the choice '{value}'; choices are texts that differ, without "
                    "',', ':', '=', brackets or blanks around them"
                )
        try:
            if _read(owner, name, kind, default) != default:
                raise RulesError(
                    f"{owner}: the default of option {name}, {default!r}, does not have the type that the option has"
                )
        except RulesError as error:
            raise ClassError(str(error)) from None
        found[name] = (kind, default)
    return found


def _name_of(value: Any) -> Any:
    """Returns the value of an option as the engine keeps it: numbers and text."""
    return value.name if isinstance(value, Enum) else value


def _read(owner: str, name: str, kind: Any, value: Any) -> Any:
    """Returns the value of an option in its type."""
    names = _type_names(kind)
    text = str(_name_of(value)).strip()
    if kind is bool:
        text = {"true": "on", "false": "off", "1": "on", "0": "off"}.get(text.lower(), text)
    if names is not None:
        if text not in names:
            raise RulesError(f"{owner}: {name} must be {' or '.join(names)}, got '{text}'")
        if kind is bool:
            return text == "on"
        values: Sequence[Any] = typing.get_args(kind) or list(kind)
        return values[names.index(text)]
    if kind is str:
        if set(text) & set(_SYNTAX):
            raise RulesError(f"{owner}: {name} must not contain ',', ':', '=' or brackets, got '{text}'")
        return text
    try:
        number = kind(text)
        if kind is int and not -(2**63) <= number < 2**63:
            raise ValueError("too large")
        return number
    except ValueError as error:
        what = "a whole number of 64 bits" if kind is int else "a number"
        raise RulesError(f"{owner}: {name} must be {what}, got '{text}'") from error


def read_options(game: type, text: str, keywords: dict[str, Any]) -> dict[str, Any]:
    """Returns every option with its value, given some as text such as ``players=3`` and some as keywords."""
    owner, known = name_of(game), _options_of(game)
    given: list[tuple[str, Any]] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals:
            raise RulesError(f"{owner}: '{part}' is not of the form name=value; the options are {_known(known)}")
        given.append((name.strip(), value))
    values = {name: default for name, (_, default) in known.items()}
    seen = set()
    for name, value in [*given, *keywords.items()]:
        if name not in known:
            raise RulesError(f"{owner} has no option '{name}'{_native.alternatives(name, 'options', list(known))}")
        if name in seen:
            raise RulesError(f"{owner}: option '{name}' is given twice")
        seen.add(name)
        values[name] = _read(owner, name, known[name][0], value)
    return values


def made(game: type, options: dict[str, Any]) -> Any:
    """Returns the game of a class under these options. A `ValueError` of its `__init__` refuses options."""
    name = name_of(game)
    try:
        return game(**options)
    except Exception as error:
        if isinstance(error, ValueError) and options != read_options(game, "", {}):
            raise RulesError(f"{name}: {error}") from error
        raise ClassError(f"{name}: __init__ raises {type(error).__name__}: {error}") from error


def _known(options: dict[str, Any]) -> str:
    return ", ".join(options) or "none"


def option_rows(game: type, values: dict[str, Any]) -> list[Row]:
    """Returns the options of a class with these values, or their defaults."""
    rows: list[Row] = []
    for name, (kind, default) in _options_of(game).items():
        names = _type_names(kind)
        words = " | ".join(names) if names else {int: "a whole number", float: "a number"}.get(kind, "text")
        rows.append((name, _name_of(values.get(name, default)), _name_of(default), names, words, _meaning(game, name)))
    return rows


def _meaning(game: type, option: str) -> str:
    """Returns what a docstring says about an option: the line that begins with its name and a colon."""
    docs = f"{getdoc(game)}\n{getdoc(game.__init__)}"  # type: ignore[misc]
    found = re.search(rf"^\s*{option}: (.+)$", docs, re.MULTILINE)
    return found[1] if found else ""


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
    return name, _plain(value), words(value)


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
    """Returns about how many bytes a state takes."""
    size = sys.getsizeof(value)
    if isinstance(value, (tuple, list, frozenset, set)):
        return size + sum(map(_size, value))
    if isinstance(value, dict):
        return size + sum(_size(key) + _size(item) for key, item in value.items())
    if is_dataclass(value) and not isinstance(value, type):
        return size + sum(_size(getattr(value, field.name)) for field in fields(value))
    return size


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
            last if (seen := self._game.observed(before, action, player)) is None else (last[0] + 1, seen)
            for player, last in zip(players, noticed, strict=True)
        ]
        return self._game.apply(before, action), tuple(after)

    def observation(self, state: Any, player: int | None) -> Hashable:
        return self._game.observation(state[0], player), state[1][-1 if player is None else player]


def _names(game: Any, method: str, count: int) -> list[str]:
    """Returns the names of all ids: without blanks, each once."""
    function = getattr(game, method, None)
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
    except Exception:  # The engine says what is wrong, with the history, once play comes there.
        return _MOST_OUTCOMES, _MOST_OUTCOMES
    return _MOST_OUTCOMES, 2 * most + 8


class Sheet:
    """All that the engine reads from a game.

    Args:
        game: An object with the members of a game.
        options: The rows of its options.
    """

    def __init__(self, game: Any, options: list[Row]) -> None:
        check_members(game)
        name = game.name
        self.name, self.options = name, options
        #: Tells classes of one name apart.
        self.class_number = 0
        self.num_players, self.num_actions = game.num_players, game.num_actions
        self.max_decisions = game.max_decisions
        low, high = game.utility_range
        self.utility_range = float(low), float(high)
        self.utility_sum = None if game.utility_sum is None else float(game.utility_sum)
        self.simultaneous = bool(getattr(game, "simultaneous", False))
        self.hidden_moves = bool(getattr(game, "hidden_moves", False))
        self.memory_mb = getattr(game, "memory_mb", None) or 256
        self.states_are_histories = bool(getattr(game, "states_are_histories", False))
        self.observations_recall = bool(getattr(game, "observations_recall", False))
        self.exact_features = bool(getattr(game, "exact_features", True))
        self.cards = [str(card) for card in getattr(game, "cards", ())]
        self.words, self.fact = words, _fact
        self.game: Any = _Noticing(game) if getattr(game, "observed", None) is not None else game
        try:
            first = self.game.initial_state()
            self.state_bytes = getattr(game, "state_bytes", None) or 2 * _size(first) + 200
            outcomes, events = getattr(game, "num_outcomes", None), getattr(game, "max_chance_events", None)
            if outcomes is None or events is None:
                found = _bounds(self.game, self.max_decisions)
                outcomes = found[0] if outcomes is None else outcomes
                events = found[1] if events is None else events
            self.num_outcomes, self.max_chance_events = outcomes or 1, min(events, RANGES["max_chance_events"][1])
            self.actions = _names(game, "action_name", self.num_actions)
            self.outcomes = _names(game, "outcome_name", self.num_outcomes)
            self.num_features = None if self._lacks("features") else len(self.game.features(first, 0))
        except Exception as error:
            raise GameError(f"{name} cannot be played: {type(error).__name__}: {error}") from error
        self.facts = None if self._lacks("facts") else self._facts

    @classmethod
    def of(cls, game: type, options: dict[str, Any]) -> Sheet:
        """Returns the sheet of a class under these options."""
        sheet = cls(made(game, options), option_rows(game, options))
        sheet.class_number = id(game)
        return sheet

    def _lacks(self, member: str) -> bool:
        return getattr(self.game, member, None) is None

    def _facts(self, state: Any, player: int | None) -> list[tuple[str, Any, str]]:
        return [_fact(str(name), value) for name, value in self.game.facts(state, player).items()]
