"""Checks of arguments: one function for each kind, for every layer.

Each returns the value as a number or a text of Python's own. A value of a wrong type raises `TypeError`, one that is
out of range `ArgumentError`, as in the engine. Both messages begin with the name of the argument. NumPy's numbers are
accepted.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex, TypeAlias

from stier._native import Game, alternatives
from stier.errors import ArgumentError

#: Any game: loaded, by name, as text such as ``module:Class``, or the class of a Python game. At run time also a
#: ``pyspiel.Game``, which type checkers do not know.
AnyGame: TypeAlias = Game | str | type[Any]

#: The largest seed.
LARGEST_SEED = 2**64 - 1
#: The most threads: more would exhaust the machine before they helped.
MOST_THREADS = 1024


def whole(name: str, value: SupportsIndex, low: int | None = 0, high: int | None = None) -> int:
    """Returns a whole number from `low` to `high`, without a limit where that is None."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {_shown(value)}") from None
    if (low is None or number >= low) and (high is None or number <= high):
        return number
    limits = f"at least {low}" if high is None else f"between {low} and {high}"
    raise ArgumentError(f"{name} must be {limits}, got {number}")


def seed(value: SupportsIndex, name: str = "seed") -> int:
    return whole(name, value, 0, LARGEST_SEED)


def threads(value: SupportsIndex) -> int:
    """Returns a number of threads; 0 stands for all cores."""
    return whole("threads", value, 0, MOST_THREADS)


def number(name: str, value: Any, low: float = -math.inf, high: float = math.inf) -> float:
    """Returns a finite number from `low` to `high`."""
    if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a number, got {_shown(value)}")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if math.isfinite(found) and low <= found <= high:
        return found
    if math.isfinite(high):
        raise ArgumentError(f"{name} must be between {low:g} and {high:g}, got {found:g}")
    least = "" if math.isinf(low) else f"{low:g} or more and "
    raise ArgumentError(f"{name} must be {least}finite, got {found:g}")


def choice(name: str, value: Any, allowed: Iterable[Any]) -> Any:
    """Returns one of the values that are allowed."""
    known = list(allowed)
    if value not in known:
        *others, last = map(repr, known)
        listed = f"{', '.join(others)} or {last}" if others else last
        raise ArgumentError(f"{name} must be {listed}, got {value!r}")
    return value


def known(kind: str, name: str, names: Iterable[str], error: type[Exception] = ArgumentError, listed: str = "") -> str:
    """Returns a name if there is such a thing. The error lists the names, as the plural of the kind by default."""
    there = list(names)
    if name not in there:
        raise error(f"unknown {kind} '{name}'{alternatives(name, listed or f'{kind}s', there)}")
    return name


def pairs(option: str, texts: Iterable[str]) -> dict[str, str]:
    """Returns the values by name of texts such as ``name=value`` that were given to an option."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise ArgumentError(f"{option} must be NAME=VALUE, got '{text}'")
        if name in found:
            raise ArgumentError(f"{option} '{text}': '{name}' is given twice")
        found[name] = value
    return found


def misfit(function: Any, *arguments: object) -> TypeError | None:
    """Returns the error of calling a function with these arguments, as far as its signature tells."""
    try:
        inspect.signature(function).bind(*arguments)
    except ValueError:
        pass  # some of C have no signature
    except TypeError as error:
        return error
    return None


def device(value: str | None) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"device must be a name, such as 'cpu' or 'gpu:0', or None, got {_shown(value)}")
    return value


def _shown(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 40 else f'{text[:37]}...'} ({type(value).__name__})"
