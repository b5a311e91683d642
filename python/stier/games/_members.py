"""The members of a game written in Python: which there are, and what is wrong with those of a class."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np

from stier import _arguments
from stier.errors import GameError, RulesError

__all__ = ["RANGES", "ClassError", "check_members", "is_number", "is_whole", "items", "shown"]

#: The lowest and the highest value of the members that are whole numbers.
RANGES = {
    "num_players": (2, 5),
    "num_actions": (1, 256),
    "max_decisions": (1, 65_535),
    "num_outcomes": (0, 256),
    "max_chance_events": (0, 65_535),
    "memory_mb": (1, 1 << 20),
}
#: The methods that every class of a game must have, with their arguments, and those that it may have.
_METHODS = {
    "initial_state": "",
    "current_player": "state",
    "legal_actions": "state",
    "chance_outcomes": "state",
    "apply": "state, action",
    "returns": "state",
    "observation": "state, player",
}
_OPTIONAL_METHODS = {
    "action_name": "action",
    "outcome_name": "outcome",
    "observed": "state, action, player",
    "features": "state, player",
    "evaluate": "state",
    "facts": "state, player",
    "hand": "state, player",
}
#: The attributes that every class of a game must have.
_ATTRIBUTES = ("name", "num_players", "num_actions", "max_decisions", "utility_range", "utility_sum")


class ClassError(GameError, RulesError):
    """A class that cannot be a game: an error of the game for `check_game`, and of the rules where it is loaded."""


def is_whole(value: Any) -> bool:
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def items(value: Any) -> list[Any] | None:
    """Returns the items of a list, a tuple, an array or another sequence, None for anything else."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return list(value) if is_list or (isinstance(value, np.ndarray) and value.ndim) else None


def shown(value: object, in_words: Callable[[object], str] = repr) -> str:
    """Returns a value as text that fits into a sentence."""
    try:
        text = in_words(value)
    except Exception:
        text = object.__repr__(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _within(low: int, high: int) -> tuple[Callable[[Any], bool], str]:
    return lambda value: is_whole(value) and low <= value <= high, f"a whole number from {low} to {high}"


def _is_range(value: Any) -> bool:
    pair = items(value) or []
    return len(pair) == 2 and all(map(is_number, pair)) and -1e300 < pair[0] <= pair[1] < 1e300


def _are_cards(value: Any) -> bool:
    cards = items(value)
    return cards is not None and all(isinstance(card, str) for card in cards) and len(set(cards)) == len(cards)


_FLAG: tuple[Callable[[Any], bool], str] = (lambda value: isinstance(value, bool), "True or False")
#: A test of the value of each attribute, and the allowed values in words.
_VALUES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "name": (lambda value: isinstance(value, str), "a text such as 'my_game'"),
    **{name: _within(*limits) for name, limits in RANGES.items()},
    "utility_range": (_is_range, "two finite numbers, the lowest and the highest return"),
    "utility_sum": (lambda value: value is None or is_number(value), "a number, or None"),
    "hidden_moves": _FLAG,
    "simultaneous": _FLAG,
    "exact_features": _FLAG,
    "cards": (_are_cards, "a list of texts that differ"),
}


def check_members(game: Any) -> None:
    """Checks the attributes of a game, and the arguments of its methods. Raises `ClassError` for the first fault."""
    name = game.name if isinstance(getattr(game, "name", None), str) else type(game).__name__
    methods = _METHODS | _OPTIONAL_METHODS
    known, required = [*methods, *_VALUES], (*_ATTRIBUTES, *_METHODS)
    own = [member for member in dir(game) if member not in known and not member.startswith("_")]
    missing = [member for member in required if not hasattr(game, member)]
    if missing:
        close = [f"'{other}'" for member in missing for other in get_close_matches(member, own, 1, 0.85)]
        raise ClassError(
            f"{name}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
            + (f"; the class has {', '.join(close)}" if close else "")
        )
    for attribute, (is_right, allowed) in _VALUES.items():
        value = getattr(game, attribute, None)
        if (value is not None or attribute in _ATTRIBUTES) and not is_right(value):
            raise ClassError(f"{name}: {attribute} is {shown(value)}; it must be {allowed}")
    for method, arguments in methods.items():
        function = getattr(game, method, None)
        if function is None and method in _OPTIONAL_METHODS:
            continue
        if not callable(function):
            raise ClassError(f"{name}: {method} is {shown(function)}; it must be a method")
        if not _arguments.takes(function, arguments):
            takes_now = inspect.signature(function)
            raise ClassError(f"{name}: {method} takes {takes_now}; it is called with ({arguments})")
    absent = [member for member in known if getattr(game, member, None) is None]
    for member in own:
        for meant in get_close_matches(member, absent, 1, 0.85):
            value = getattr(game, member, None)
            if _arguments.takes(value, methods[meant]) if meant in methods else _VALUES[meant][0](value):
                raise ClassError(
                    f"{name}: {member} is not a member of a game; did you mean '{meant}'? Begin the name of a helper "
                    "with _ if it is like that of a member"
                )
