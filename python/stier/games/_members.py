"""The members of a game written in Python: which there are, and the form of their values and answers."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from enum import Enum
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from stier import _arguments
from stier._native import CHANCE, TERMINAL
from stier.errors import GameError, RulesError

#: Probabilities, returns and their sums may be off by this much.
_ROUNDING = 1e-9
#: The lowest and the highest value of the members that are whole numbers.
RANGES = {
    "num_players": (2, 5),
    "num_actions": (1, 256),
    "max_decisions": (1, 65_535),
    "num_outcomes": (0, 256),
    "max_chance_events": (0, 65_535),
    "memory_mb": (1, 1 << 20),
}


class ClassError(GameError, RulesError):
    """A class that cannot be a game: an error of the game for `check_game`, and of the rules where it is loaded."""


def _items(value: Any) -> list[Any] | None:
    """Returns the items of a list, a tuple, an array or another sequence, None for anything else."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return list(value) if is_list or (isinstance(value, np.ndarray) and value.ndim) else None


def _are(kind: Callable[[Any], bool], value: Any) -> bool:
    found = _items(value)
    return found is not None and all(map(kind, found))


def parts_of(value: Any) -> list[Any] | None:
    """Returns the parts of a tuple, a frozenset or a frozen dataclass, None for anything else."""
    if isinstance(value, (tuple, frozenset)):
        return list(value)
    if is_dataclass(value) and getattr(getattr(value, "__dataclass_params__", None), "frozen", False):
        return [getattr(value, field.name) for field in fields(value)]
    return None


def shown(value: object, in_words: Callable[[object], str] = repr) -> str:
    """Returns a value as text that fits into a sentence."""
    try:
        text = in_words(value)
    except Exception:
        text = object.__repr__(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_whole(value: Any) -> bool:
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and math.isfinite(value)


def _is_range(value: Any) -> bool:
    return _are(_is_number, value) and len(value) == 2 and -1e300 < value[0] <= value[1] < 1e300


#: A test of a value, and the allowed values in words.
_Form: TypeAlias = tuple[Callable[[Any], bool], str]


def _within(name: str) -> _Form:
    low, high = RANGES[name]
    return lambda value: _is_whole(value) and low <= value <= high, f"a whole number from {low} to {high}"


_FLAG: _Form = (lambda value: isinstance(value, bool), "True or False")
#: The attributes that every class of a game must have.
_ATTRIBUTES: dict[str, _Form] = {
    "name": (_is_text, "a text such as 'my_game'"),
    **{name: _within(name) for name in ("num_players", "num_actions", "max_decisions")},
    "utility_range": (_is_range, "two finite numbers, the lowest and the highest return"),
    "utility_sum": (lambda value: value is None or _is_number(value), "a number, or None"),
}
#: Those that it may have, each with its value in a class that lacks it or has None.
_OPTIONAL_ATTRIBUTES: dict[str, tuple[_Form, Any]] = {
    "num_outcomes": (_within("num_outcomes"), None),
    "max_chance_events": (_within("max_chance_events"), None),
    "memory_mb": (_within("memory_mb"), 256),
    "hidden_moves": (_FLAG, False),
    "simultaneous": (_FLAG, False),
    "exact_features": (_FLAG, True),
    "cards": (
        (lambda value: _are(_is_text, value) and len(set(value)) == len(value), "a list of texts that differ"),
        (),
    ),
}


def member(game: Any, name: str) -> Any:
    """Returns a member of a game. One that is not there, or None, has its default: None for a method."""
    value = getattr(game, name, None)
    return _OPTIONAL_ATTRIBUTES.get(name, (None, None))[1] if value is None else value


def _state(found: Any, game: Any) -> str:
    return "it must be a state" if found is None else ""


def _player(found: Any, game: Any) -> str:
    is_player = _is_whole(found) and (found in (CHANCE, TERMINAL) or 0 <= found < game.num_players)
    return "" if is_player else f"it must be a player from 0 to {game.num_players - 1}, stier.CHANCE or stier.TERMINAL"


def _ascending(what: str, numbers: list[int], limit: int) -> str:
    if min(numbers) < 0 or max(numbers) >= limit:
        return f"{what} are numbers from 0 to {limit - 1}, as num_{what} says"
    return "" if numbers == sorted(set(numbers)) else f"{what} are listed in ascending order, once each"


def _actions(found: Any, game: Any) -> str:
    if not _are(_is_whole, found):
        return "actions are a list of whole numbers"
    if not len(found):
        return "a player to act needs an action, so add one for passing or let current_player skip the player"
    return _ascending("actions", list(found), game.num_actions)


def _outcomes(found: Any, game: Any) -> str:
    def is_outcome(pair: Any) -> bool:
        return isinstance(pair, tuple) and len(pair) == 2 and _is_whole(pair[0]) and isinstance(pair[1], Real)

    if not _are(is_outcome, found):
        return "it must be a list of tuples (outcome, probability)"
    if not found:
        return "chance needs an outcome"
    limit = member(game, "num_outcomes")
    wrong = _ascending("outcomes", [one for one, _ in found], RANGES["num_outcomes"][1] if limit is None else limit)
    if not wrong and not all(share > 0 for _, share in found):
        return "probabilities must be positive, so leave out what cannot happen"
    total = math.fsum(share for _, share in found)
    return wrong or ("" if abs(total - 1) <= _ROUNDING else f"the probabilities add up to {total}, not to 1")


def _numbers(found: Any, game: Any) -> str:
    is_right = _are(_is_number, found) and len(found) == game.num_players
    return "" if is_right else f"it must be a list of {game.num_players} finite numbers, one for each player"


def _returns(found: Any, game: Any) -> str:
    if wrong := _numbers(found, game):
        return wrong
    (low, high), fixed, total = game.utility_range, game.utility_sum, math.fsum(found)
    rounding = _ROUNDING * max(high - low, 1.0)
    if min(found) < low - rounding or max(found) > high + rounding:
        return f"utility_range is {low:g} to {high:g}"
    if fixed is None or abs(total - fixed) <= rounding:
        return ""
    return f"they add up to {total}, and utility_sum is {fixed:g}; write None if the sum is not always the same"


def _strange(value: Any) -> list[Any]:
    """Returns the parts of an observation that the engine cannot tell apart."""
    parts = parts_of(value)
    if parts is not None:
        return [one for part in parts for one in _strange(part)]
    is_plain = value is None or (isinstance(value, (str, bytes, Enum, Integral, float)) and value == value)
    return [] if is_plain else [value]


def _observation(found: Any, game: Any) -> str:
    for part in _strange(found):
        return (
            f"its part {shown(part)} must be None, a bool, int, float (not nan), str, bytes or enum, or a tuple, "
            "frozenset or frozen dataclass of these"
        )
    return ""


def _features(found: Any, game: Any) -> str:
    is_right = _are(lambda bit: isinstance(bit, Integral) and bit in (0, 1), found)
    return "" if is_right else "it must be a list of zeros and ones"


def _facts(found: Any, game: Any) -> str:
    def is_plain(value: Any) -> bool:
        if isinstance(value, (list, tuple)):
            return all(map(is_plain, value))
        return value is None or isinstance(value, (str, Real))

    if isinstance(found, Mapping) and all(map(_is_text, found)) and all(map(is_plain, found.values())):
        return ""
    return "it must be a dict from names to None, bool, numbers, str, and lists or tuples of these"


def _hand(found: Any, game: Any) -> str:
    if not _are(_is_text, found):
        return "it must be a list of names of cards"
    strange = [card for card in found if card not in (member(game, "cards") or found)]
    return f"{strange[0]!r} is not one of the cards" if strange else ""


def _name(found: Any, game: Any) -> str:
    return "" if isinstance(found, str) and found.strip() else "a name is a text"


_Methods: TypeAlias = dict[str, tuple[str, Callable[[Any, Any], str]]]
#: The methods that every class of a game must have, and those that it may have: the arguments, and the function that
#: says what is wrong with an answer.
_METHODS: _Methods = {
    "initial_state": ("", _state),
    "current_player": ("state", _player),
    "legal_actions": ("state", _actions),
    "chance_outcomes": ("state", _outcomes),
    "apply": ("state, action", _state),
    "returns": ("state", _returns),
    "observation": ("state, player", _observation),
}
_OPTIONAL_METHODS: _Methods = {
    "action_name": ("action", _name),
    "outcome_name": ("outcome", _name),
    "observed": ("state, action, player", _observation),
    "features": ("state, player", _features),
    "evaluate": ("state", _numbers),
    "facts": ("state, player", _facts),
    "hand": ("state, player", _hand),
}
#: The names of all methods.
METHODS = (*_METHODS, *_OPTIONAL_METHODS)


def check_members(game: Any) -> None:
    """Checks the attributes of a game, and the arguments of its methods. Raises `ClassError` for the first fault."""

    def fault(sentence: str) -> ClassError:
        return ClassError(f"{game.name if _is_text(getattr(game, 'name', 0)) else type(game).__name__}: {sentence}")

    attributes = _ATTRIBUTES | {name: form for name, (form, _) in _OPTIONAL_ATTRIBUTES.items()}
    methods = _METHODS | _OPTIONAL_METHODS
    known, required = [*attributes, *methods], [*_ATTRIBUTES, *_METHODS]
    own = [name for name in dir(game) if name not in known and not name.startswith("_")]
    if missing := [name for name in required if not hasattr(game, name)]:
        close = [f"'{other}'" for name in missing for other in get_close_matches(name, own, 1, 0.85)]
        has = f"; the class has {', '.join(close)}" if close else ""
        raise fault(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing{has}")
    absent = [name for name in known if name not in required and getattr(game, name, None) is None]
    for name in known:
        value = getattr(game, name, None)
        if name in absent:
            continue
        if name in attributes:
            is_right, allowed = attributes[name]
            if not is_right(value):
                raise fault(f"{name} is {shown(value)}; it must be {allowed}")
        elif not callable(value):
            raise fault(f"{name} is {shown(value)}; it must be a method")
        elif _arguments.misfit(value, *filter(None, methods[name][0].split(", "))):
            raise fault(f"{name} takes {inspect.signature(value)}; it is called with ({methods[name][0]})")
    for name in own:
        for meant in get_close_matches(name, absent, 1, 0.85):
            value = getattr(game, name, None)
            arguments = methods.get(meant, ("",))[0].split(", ")
            if attributes[meant][0](value) if meant in attributes else not _arguments.misfit(value, *arguments):
                raise fault(
                    f"{name} is not a member of a game; did you mean '{meant}'? Begin the name of a helper with _ if "
                    "it is like that of a member"
                )


def wrong_answer(method: str, found: Any, game: Any) -> str:
    """Returns what is wrong with the answer of a method, as the end of a sentence: nothing if it has the right form."""
    _, wrong = (_METHODS | _OPTIONAL_METHODS).get(method, ("", _name))
    return wrong(found, game)
