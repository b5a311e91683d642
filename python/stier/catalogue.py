"""The games and agents by name, with their options."""

from __future__ import annotations

from typing import NamedTuple

from stier import _arguments, _native
from stier._native import registered_agents, registered_names
from stier.errors import AgentError

__all__ = [
    "AgentInfo",
    "GameInfo",
    "OptionInfo",
    "describe_agent",
    "describe_agents",
    "describe_game",
    "describe_games",
    "registered_agents",
    "registered_names",
]


class OptionInfo(NamedTuple):
    """One option of a game or an agent."""

    #: The name.
    name: str
    #: The default: numbers as numbers, everything else by name.
    default: int | float | str
    #: The lowest value of an option that takes any number up to `maximum`, else `None`.
    minimum: int | float | None
    #: The highest.
    maximum: int | float | None
    #: The names that the option takes, `None` unless it takes names only.
    choices: list[str] | None
    #: The values as people write them, such as ``points | schwinger`` or ``1 to 12``.
    allowed: str
    #: The meaning.
    description: str


class AgentInfo(NamedTuple):
    """One agent."""

    #: The name.
    name: str
    #: A sentence or two about what it does.
    description: str
    #: The options besides ``seed``, which every agent has.
    options: list[OptionInfo]


def describe_game(name: str) -> list[OptionInfo]:
    """Returns the options of a game. Raises `RulesError` for an unknown name."""
    return [OptionInfo(*row) for row in _native.game_options(name)]


class GameInfo(NamedTuple):
    """One game."""

    #: The name.
    name: str
    #: The options.
    options: list[OptionInfo]


def describe_games() -> list[GameInfo]:
    """Returns every game with its options, ascending by name."""
    return [GameInfo(name, describe_game(name)) for name in registered_names()]


def describe_agent(name: str) -> AgentInfo:
    """Returns one agent with its options. Raises `AgentError` for an unknown name."""
    described = {agent.name: agent for agent in describe_agents()}
    return described[_arguments.known("agent", name, described, AgentError)]


def describe_agents() -> list[AgentInfo]:
    """Returns every agent with its options, ascending by name."""
    agents = _native.agent_options()
    return [AgentInfo(name, about, [OptionInfo(*row) for row in options]) for name, about, options in agents]
