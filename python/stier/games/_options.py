"""The options of a game written in Python: the keyword arguments of its class."""

from __future__ import annotations

import re
import typing
from dataclasses import dataclass
from enum import Enum
from inspect import Parameter, getdoc, signature
from typing import Any, Literal, NamedTuple

from stier import _native
from stier.errors import RulesError
from stier.games._members import ClassError

#: The signs that separate options, which their values must not contain.
_SYNTAX = set(",:=()")


class Row(NamedTuple):
    """An option with its value, as the engine reads it."""

    name: str
    value: Any
    default: Any
    #: The names that it takes, None if it takes other values.
    choices: list[str] | None
    #: The allowed values in words.
    allowed: str
    #: Its meaning.
    about: str


def name_of(game: type) -> str:
    """Returns the name of the game of a class. Raises `ClassError` if it is not of the form of a name."""
    name = getattr(game, "name", None)
    if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise ClassError(f"{game.__name__}: name is {name!r}; it must be text such as 'my_game': a-z, 0-9 and _")
    return name


@dataclass(frozen=True)
class _Option:
    owner: str
    name: str
    kind: Any
    default: Any

    def choices(self) -> dict[str, Any] | None:
        """Returns the values by name, None for an option that takes others."""
        if self.kind is bool:
            return {"off": False, "on": True}
        if typing.get_origin(self.kind) is Literal:
            return {str(value): value for value in typing.get_args(self.kind)}
        if isinstance(self.kind, type) and issubclass(self.kind, Enum):
            return {name: self.kind[name] for name in self.kind.__members__}
        return None

    def read(self, value: Any) -> Any:
        text, choices = str(_kept(value)).strip(), self.choices()
        if self.kind is bool:
            text = {"true": "on", "false": "off", "1": "on", "0": "off"}.get(text.lower(), text)
        if choices is not None:
            if text not in choices:
                raise RulesError(f"{self.owner}: {self.name} must be {' or '.join(choices)}, got '{text}'")
            return choices[text]
        try:
            found = self.kind(text)
            if (self.kind is str and _SYNTAX & set(text)) or (self.kind is int and not -(2**63) <= found < 2**63):
                raise ValueError
        except ValueError:
            allowed = {
                str: "not contain ',', ':', '=' or brackets",
                int: f"be a whole number{' of 64 bits' if text.lstrip('+-').isdigit() else ''}",
                float: "be a number",
            }
            raise RulesError(f"{self.owner}: {self.name} must {allowed[self.kind]}, got '{text}'") from None
        return found


def _kept(value: Any) -> Any:
    """Returns the value of an option as the engine keeps it: numbers and text."""
    return value.name if isinstance(value, Enum) else value


def _options_of(game: type) -> dict[str, _Option]:
    """Returns the options of a class. Raises `ClassError` for options of another form."""
    if game.__init__ is object.__init__:  # type: ignore[misc]
        return {}
    owner, known = game.__qualname__, {}
    try:
        hints = typing.get_type_hints(game.__init__)  # type: ignore[misc]
    except NameError as error:
        raise ClassError(f"{owner}: the type of an option cannot be found: {error}") from error
    for name, parameter in list(signature(game).parameters.items()):
        option = _Option(name_of(game), name, hints.get(name), parameter.default)
        choices = option.choices()
        if parameter.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL, Parameter.POSITIONAL_ONLY):
            raise ClassError(f"{owner}: options are keyword arguments by name, got '{parameter}'")
        if option.default is Parameter.empty or (choices is None and option.kind not in (int, float, str)):
            raise ClassError(
                f"{owner}: option '{name}' must have a default and one of the types int, float, bool, str, Literal or "
                f"an Enum, as in 'players: int = 2', got '{parameter}'"
            )
        if any(isinstance(value, bool) for value in typing.get_args(option.kind)):
            raise ClassError(f"{option.owner}: option '{name}' must be a bool, not a Literal of True and False")
        for choice in choices or ():
            if not choice or choice != choice.strip() or _SYNTAX & set(choice):
                raise ClassError(
                    f"{option.owner}: option '{name}' has the choice '{choice}'; choices are texts without ',', ':', "
                    "'=', brackets or blanks around them"
                )
        try:
            if option.read(option.default) != option.default:
                default = f"the default of option {name}, {option.default!r}"
                raise RulesError(f"{option.owner}: {default}, does not have the type that the option has")
        except RulesError as error:
            raise ClassError(str(error)) from None
        known[name] = option
    return known


def read_options(game: type, text: str, keywords: dict[str, Any]) -> dict[str, Any]:
    """Returns every option with its value, given some as text such as ``players=3`` and some as keywords."""
    owner, known = name_of(game), _options_of(game)
    given: list[tuple[str, Any]] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals:
            options = ", ".join(known) or "none"
            raise RulesError(f"{owner}: '{part}' is not of the form name=value; the options are {options}")
        given.append((name.strip(), value))
    values: dict[str, Any] = {}
    for name, value in [*given, *keywords.items()]:
        if name not in known:
            raise RulesError(f"{owner} has no option '{name}'{_native.alternatives(name, 'options', list(known))}")
        if name in values:
            raise RulesError(f"{owner}: option '{name}' is given twice")
        values[name] = known[name].read(value)
    return {name: values.get(name, option.default) for name, option in known.items()}


def make_game(game: type, options: dict[str, Any]) -> Any:
    """Returns the game of a class under these options. A `ValueError` of its `__init__` refuses options."""
    name = name_of(game)
    try:
        return game(**options)
    except (Exception, SystemExit) as error:
        if isinstance(error, ValueError) and options != read_options(game, "", {}):
            raise RulesError(f"{name}: {error}") from error
        raise ClassError(f"{name}: __init__ raises {type(error).__name__}: {error}") from error


def option_rows(game: type, values: dict[str, Any]) -> list[Row]:
    """Returns the options of a class with these values, or their defaults. Docstrings tell their meanings."""
    rows, docs = [], f"{getdoc(game)}\n{getdoc(game.__init__)}"  # type: ignore[misc]
    for name, option in _options_of(game).items():
        choices = option.choices()
        words = " | ".join(choices) if choices else {int: "a whole number", float: "a number"}.get(option.kind, "text")
        meaning = re.search(rf"^\s*{name}: (.+)$", docs, re.MULTILINE)
        value, names = values.get(name, option.default), None if choices is None else list(choices)
        rows.append(Row(name, _kept(value), _kept(option.default), names, words, meaning[1] if meaning else ""))
    return rows
