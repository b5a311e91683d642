"""Matches, many searches and measurements of games."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, SupportsIndex, TypeAlias, runtime_checkable

from stier import _imports, _native
from stier._arguments import AnyGame, misfit
from stier._files import as_path
from stier._native import (
    Agent,
    Game,
    PitResult,
    Played,
    PythonAgent,
    State,
    TabularPolicy,
    Worlds,
    load_agent,
    registered_agents,
    resample_many,
)
from stier._output import bar
from stier._results import ActionStats, Beliefs, Line, Properties, Search
from stier.errors import AgentError, FileError

__all__ = [
    "ActionStats",
    "AnyAgent",
    "AnyGame",
    "Beliefs",
    "HasPolicy",
    "HasStep",
    "Line",
    "PitResult",
    "Played",
    "PlayerAction",
    "Properties",
    "Search",
    "Worlds",
    "pit",
    "properties",
    "resample_many",
    "search_many",
]


class PlayerAction(NamedTuple):
    """An event of `State.full_history`."""

    #: The player, or `stier.CHANCE`.
    player: int
    #: The action, or the outcome.
    action: int


class HasStep(Protocol):
    """Anything that chooses actions by a method ``step``, as agents, solutions and OpenSpiel's bots do.

    It gets a `stier.State`, also if it is a bot for OpenSpiel. If it has a method ``restart()``, this is called before
    its first decision in each game.
    """

    def step(self, state: State, /) -> SupportsIndex:
        """Returns an action for the player to move."""
        ...


@runtime_checkable
class HasPolicy(Protocol):
    """A policy of OpenSpiel. It gets states of OpenSpiel."""

    def action_probabilities(self, state: Any, player_id: Any = None, /) -> Mapping[int, float]:
        """Returns the probabilities of the player's actions."""
        ...


#: The ending of the file of a solution, by which its name is known as an agent, and the most histories of its game.
SOLUTION, MOST_HISTORIES = ".policy", 2**30 - 1
#: Anything that plays: an agent as text, an object with ``step(state)``, a policy of OpenSpiel, or a callable. The text
#: ``module:name`` stands for an agent of Python.
AnyAgent: TypeAlias = str | HasStep | HasPolicy | Callable[[State], SupportsIndex]


def name_in(agent: str) -> str:
    return re.split(r"[:(]", agent, maxsplit=1)[0].strip()


def is_named(agent: object) -> bool:
    """Returns true for a text that names an agent outside of the engine: ``module:name``, or the file of a solution."""
    # The engine explains what is wrong with options of its own agents.
    if not isinstance(agent, str) or name_in(agent) in registered_agents():
        return False
    # Unlike Path.is_file, this takes any text.
    return agent.endswith(SOLUTION) or _imports.is_path(agent) or os.path.isfile(as_path(agent))  # noqa: PTH113


def unwrapped(agent: AnyAgent) -> str | HasStep | Callable[[State], SupportsIndex]:
    """Returns the object that decides: the one given, or what a text names outside of the engine, by `make_agent`.

    Of a policy of OpenSpiel it returns an object that draws from it; text of the engine stays text. Raises `TypeError`
    for a callable that cannot be called with a state alone, and `AgentError` for a text that names no agent.
    """
    if isinstance(agent, str):
        if not is_named(agent):
            path = as_path(agent)
            if not {":", "("} & set(agent) and (path.suffix or len(path.parts) > 1):
                raise FileError(f"{agent}: neither an agent nor a file has this name")
            return agent
    elif isinstance(agent, HasPolicy):
        from stier.open_spiel import PolicyAgent

        return PolicyAgent(agent)
    found = make_agent(agent) if isinstance(agent, str) else agent
    decide = getattr(found, "step", found)
    if callable(decide) and (error := misfit(decide, None)) is not None:
        if isinstance(agent, str):
            raise AgentError(f"{agent} {_NAMED}: {error}")
        name = getattr(agent, "__name__", None) or type(agent).__name__
        raise TypeError(f"agent {name} must take a state and return an action: {error}")
    return found


#: The objects that the text of an agent of Python may name.
_NAMED = (
    "must name a function f(state) -> action, an object with step(state), or a class or function that makes one of "
    "them without arguments"
)


def make_agent(text: str) -> Any:
    """Returns the agent that a text names of which `is_named` is true, made anew if it is a class or a factory."""
    if not _imports.is_path(text):
        return _native.load_solution(as_path(text), 0, MOST_HISTORIES, 0)
    found = _imports.load(text, AgentError)
    if text.rstrip().endswith(")"):
        raise AgentError(f"{text}: arguments are not allowed; name a function that makes the agent without any")
    if isinstance(found, type) or (callable(found) and not hasattr(found, "step") and misfit(found, None)):
        if (error := misfit(found)) is not None:
            raise AgentError(f"{text} {_NAMED}: {error}")
        found = found()
    if not callable(getattr(found, "step", found)):
        raise AgentError(f"{text} {_NAMED}, got {type(found).__name__}")
    return found


def as_agent(agent: AnyAgent, game: Game | None = None) -> Any:
    """Returns an agent that plays, the one door for every form: text, agents, solutions, callables, other objects.

    What a text names outside of the engine has the text as its name in tables, unless it has its own. Without a game,
    text of the engine and callables stay as they are: the engine reads them. Raises as `unwrapped` does, and what
    `stier.load_agent` raises.
    """
    found = unwrapped(agent)
    if isinstance(found, str):
        return found if game is None else load_agent(found, game)
    has_name = isinstance(found, Agent | PythonAgent | TabularPolicy)
    if has_name or (game is None and not isinstance(agent, str)):
        return found
    return PythonAgent(found, agent if isinstance(agent, str) else None)


def as_opponent(agent: AnyAgent, game: Game) -> Agent | PythonAgent:
    """Loads an agent as `as_agent` does, so that it can be started anew from a seed."""
    found = as_agent(agent, game)
    # A table cannot be; as a Python agent it can.
    return found if isinstance(found, Agent | PythonAgent) else PythonAgent(found)


def listed(agents: Sequence[AnyAgent], game: Game | None = None) -> list[Any]:
    """Returns the agents of a match, each as by `as_agent`. A solution from a file has the file's name in tables.

    Raises `TypeError` for a bare string, which would otherwise be read letter by letter.
    """
    refuse_text(agents)
    found = [as_agent(agent, game) for agent in agents]
    is_file = [isinstance(agent, str) and is_named(agent) and not _imports.is_path(agent) for agent in agents]
    return [
        PythonAgent(one, str(agent)) if file else one for one, agent, file in zip(found, agents, is_file, strict=True)
    ]


def searcher(agent: AnyAgent, game: Game | None = None) -> Any:
    """Returns an agent as `as_agent` does. Raises `AgentError` for one that is not of the engine."""
    found = as_agent(agent, game)
    if callable(getattr(found, "step", found)) and not isinstance(found, Agent):
        name = getattr(found, "__name__", found)
        raise AgentError(f"{name} does not search: take an agent of the engine, such as 'ismcts'")
    return found


def replayed(last: State) -> Iterator[tuple[State, int, int]]:
    """Yields the state before each event of a history, with its player and action. The state goes on afterwards."""
    state = last.get_game().new_initial_state()
    for player, action in last.history():
        yield state, player, action
        state.apply_action(action)


def refuse_text(agents: Sequence[AnyAgent]) -> None:
    """Raises `TypeError` for a single agent as text, or for agents by name, in place of a list."""
    if isinstance(agents, str):
        raise TypeError(f"agents must be a list, got the text {agents!r}")
    if isinstance(agents, Mapping):
        raise TypeError("agents must be a list, got a dict: give list(agents.values())")


def of_engine(agents: Any, game: Game) -> Any:
    """Returns an agent, or each of a list, as text of the engine, whatever the form in which it was given.

    Raises `AgentError` for one that is not an agent of the engine or was made for another game.
    """
    if isinstance(agents, list | tuple):
        return tuple(of_engine(agent, game) for agent in agents)
    is_object = isinstance(agents, HasPolicy) or callable(getattr(agents, "step", agents))
    if not is_object and not is_named(agents):
        return agents  # The engine says what is wrong with it.
    found = as_agent(agents, game)
    if not isinstance(found, Agent):
        raise AgentError(
            f"{found} is not an agent of the engine. VectorEnv and training run without Python, so they take the "
            "engine's agents only, such as 'ismcts:iterations=10'. stier.pit and stier.gymnasium.make take every agent"
        )
    if found.game != game:
        raise AgentError(f"the agent {found} was made for {found.game}, not for {game}")
    return found.spec


def pit(
    game: AnyGame,
    agents: Sequence[AnyAgent],
    *,
    deals: int = 1000,
    seed: int = 0,
    paired: bool = True,
    threads: int = 0,
    progress: bool = False,
) -> PitResult:
    """Plays agents against each other.

    As many agents as the game has seats form one table; of more, every combination is a table. Each table plays each
    deal in all arrangements, so that the luck of the cards cancels: every cyclic order of the agents, since it matters
    who sits next to whom, in every rotation of the seats. A deal takes 2 games for two agents, 6 for three and 24 for
    four. Copies of an agent are not told apart: one agent against copies of another takes a game for each seat. At
    tables of five the cyclic order is drawn for each deal, and a deal takes 5 games.

    The result depends on the arguments only, not on the number of threads or on what the agents have played before: of
    an `Agent`, its text form enters. An agent's random numbers are derived from its text, those of a callable from its
    name, so naming the agents in another order gives the same numbers. Only agents with the same text are told apart by
    their order: give callables names of their own (see `PythonAgent`).

    A callable is shown states drawn from what its player knows (see `PythonAgent`) and is called in this thread; with
    one at the table, games are played one after another.

    Args:
        game: The game, or its name as for `stier.load_game`.
        agents: Agents as text, agents, solutions, other objects with ``step(state)``, policies of OpenSpiel, or
            callables ``f(state) -> action``. A text may also be the file of a solution, ``NAME.policy``. The text
            ``module:name`` names a callable or an object, or a class or function that makes one without arguments, anew
            for each player; modules in the current folder are found, too.
        deals: The number of deals per table, at least 1; an interval needs 2.
        seed: The seed of deals and agents.
        paired: Gives all games of a deal the same cards.
        threads: The number of threads; 0 for all cores.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        AgentError: An agent that does not exist, is for another game, or too few for one table. Or a callable raised an
            exception, which is the cause; the message names the game and its history.
        IllegalActionError: A callable chose an action that is not legal.
        TypeError: Agents that are not a list, or a callable that does not take a state.
        ValueError: A number that is out of range.
    """
    with bar(progress) as update:
        return _native.pit(game, listed(agents), deals, seed, paired, threads, update)


def search_many(
    agent: AnyAgent, states: Iterable[State], *, seed: int | None = None, threads: int = 0, progress: bool = False
) -> list[Search]:
    """Searches many states of one game, several at once.

    The search of state ``i`` is that of a new agent: ``load_agent(agent, game, seed=derive_seed(seed, "search", i))``.
    It depends neither on the other states nor on the number of threads, unless the agent's budget is time.

    Args:
        agent: The agent that searches, an agent of the engine in any form; its text enters.
        states: States in which a player is to move.
        seed: The seed; the agent's own, or 0, if left out.
        threads: States that are searched at once; 0 for all cores.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        AgentError: An agent that does not exist, does not search or is for another game; a state, which is named, in
            which no player is to move.
    """
    with bar(progress, "searches") as update:
        return _native.search_many(searcher(agent), states, seed, threads, update)


def properties(
    game: AnyGame,
    *,
    deals: int = 1000,
    games: int = 32,
    seed: int = 0,
    play: str = "random",
    threads: int = 0,
    progress: bool = False,
) -> Properties:
    """Measures leaf correlation, bias and disambiguation, which say how well search with open cards can do.

    After Long, Sturtevant, Buro and Furtak, *Understanding the Success of Perfect Information Monte Carlo Sampling in
    Game Tree Search* (2010). The result depends on the arguments only, not on the number of threads.

    Args:
        game: The game, or its name as for `stier.load_game`.
        deals: Deals, at least 1.
        games: Games of each deal, at least 2, all with the same cards; the information sets of the first are counted.
        seed: The seed of deals and play.
        play: The policy of all players: ``"random"``, or ``"hints"`` for random among the actions that the game's hints
            leave.
        threads: Threads; 0 for all cores.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        ValueError: A number that is out of range, or another way to play.
    """
    with bar(progress) as update:
        return _native.properties(game, deals, games, seed, play, threads, update)
