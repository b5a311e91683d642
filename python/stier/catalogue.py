"""What games and agents there are, and what can be set."""

from __future__ import annotations

from typing import NamedTuple

from stier import _native
from stier._native import registered_agents, registered_names

__all__ = [
    "AgentInfo",
    "GameInfo",
    "OptionInfo",
    "describe_agents",
    "describe_game",
    "describe_games",
    "registered_agents",
    "registered_names",
]


class OptionInfo(NamedTuple):
    """What there is to say about one option."""

    #: Its name.
    name: str
    #: Its default: numbers as numbers, everything else by name.
    default: int | float | str
    #: The values it takes as people write them, such as ``points | schwinger`` or ``1 to 12``.
    allowed: str
    #: What it means.
    about: str


class AgentInfo(NamedTuple):
    """What there is to say about one agent."""

    #: Its name.
    name: str
    #: What it does.
    about: str
    #: Its options besides ``seed``, which every agent has.
    options: list[OptionInfo]


def describe_game(name: str) -> list[OptionInfo]:
    """The options of a game. Raises `RulesError` for an unknown name."""
    return [OptionInfo(*row) for row in _native.game_options(name)]


class GameInfo(NamedTuple):
    """What there is to say about one game."""

    #: Its name.
    name: str
    #: Its options.
    options: list[OptionInfo]


def describe_games() -> list[GameInfo]:
    """Every game with its options, ascending by name."""
    return [GameInfo(name, describe_game(name)) for name in registered_names()]


def describe_agents() -> list[AgentInfo]:
    """Every agent with its options, ascending by name."""
    return [
        AgentInfo(name, about, [OptionInfo(*row) for row in options])
        for name, about, options in _native.agent_options()
    ]
