"""The exact distance of agents from equilibrium, in small games and on public states."""

from __future__ import annotations

from typing import Any

from stier import _native
from stier._native import Game, TabularPolicy, load_game
from stier._output import bar
from stier.playing import AnyAgent, AnyGame, HasPolicy, as_agent
from stier.solving._equilibria import counting


def best_response(
    game: AnyGame,
    agent: AnyAgent,
    *,
    seed: int = 0,
    seeds: int = 1,
    max_histories: int = 50_000_000,
    ranges: bool | None = None,
    max_memory_mb: int = 4096,
    threads: int = 0,
    progress: bool = False,
) -> TabularPolicy:
    """Computes the best response of every player to an agent at all other seats, on the whole game.

    `ranges` decides, as in `solve`, whether an agent is measured on public states. There it is queried once per public
    state and hand. Public states do not record the order of draws or the names of suits, so the agent is queried with
    one order and with the first suit as trump. This is exact for built-in agents that do not search and for networks
    trained with `symmetry`.

    The agent is queried at every information set. An `Agent`, or its text form, is asked for the probabilities
    with which it chooses, each time as newly made with a seed of its own; a callable for an action, in this thread. A
    solution and a policy of OpenSpiel are read. The result depends on the arguments only, not on the number of threads.

    A search, and a callable with random numbers, answers each question with one seed only. The best response also
    exploits the noise of that seed, so the figure is too high: for ``ismcts:iterations=2`` in Kuhn poker 0.31 on
    average, where the mean of its policies has 0.19. With `seeds`, the policies of that many seeds are averaged first,
    and the figure is less too high. `TabularPolicy.seeds` says how many were averaged.

    Args:
        game: The game, or its name; scaled-down rules, as in `solve`.
        agent: An agent as text, an agent, a solution, another object with ``step(state)``, a policy of OpenSpiel, or a
            callable.
        seed: The seed of the agent's decisions.
        seeds: The number of seeds, hashed from `seed`, whose policies are averaged, for agents that search and for
            callables. Agents whose policy does not depend on a seed are asked once.
        max_histories: A game with more histories is refused, as in `solve`.
        ranges: True to measure on public states, False on the tree of histories. By default a policy is measured where
            it is from, and other agents on public states if there are more histories than `max_histories`.
        max_memory_mb: On public states, a game that needs more than about this many megabytes to solve is refused.
        threads: Threads; 0 for all cores.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        AgentError: An agent that does not exist, is for another game, or sees everything.
        IllegalActionError: A callable chose an action that is not legal.
        ArgumentError: A game with more histories or that takes more memory, a game without public states if they are
            demanded, or a number that is out of range.
    """
    if isinstance(agent, HasPolicy):
        from stier.open_spiel import tabular

        agent = tabular(game, agent, max_histories=max_histories, progress=progress)
        game = agent.game
    arguments = (game, as_agent(agent), seed, seeds, max_histories, threads)
    with counting(progress) as count, bar(progress, "information sets") as update:
        return _native.best_response(*arguments, update, count, ranges=ranges, max_memory_mb=max_memory_mb)


def nash_conv(
    game: AnyGame,
    agent: AnyAgent,
    *,
    seed: int = 0,
    seeds: int = 1,
    max_histories: int = 50_000_000,
    ranges: bool | None = None,
    max_memory_mb: int = 4096,
    threads: int = 0,
    progress: bool = False,
) -> float:
    """Returns the sum over the players of the gain from a best response to the agent in all other seats.

    It is 0 if the agent plays an equilibrium, and only then. Arguments and errors as in `best_response`: a search
    should be asked with several `seeds`. That of a solution on public states was measured when it was made.
    """
    settings = {"seed": seed, "seeds": seeds, "max_histories": max_histories, "max_memory_mb": max_memory_mb}
    return measured(game, agent, ranges=ranges, threads=threads, progress=progress, **settings).nash_conv


def measured(game: AnyGame, agent: AnyAgent, *, ranges: bool | None, **settings: Any) -> TabularPolicy:
    """Returns the policy of the agent in this game, with its distance from equilibrium."""
    found = as_agent(agent) if isinstance(agent, str) else agent
    if isinstance(found, TabularPolicy) and found.public_states and found.against is None and ranges is not False:
        own = game if isinstance(game, Game) else load_game(game)
        if found.game == own:
            return found
    return best_response(game, agent, ranges=ranges, **settings).against


def exploitability(
    game: AnyGame,
    agent: AnyAgent,
    *,
    seed: int = 0,
    seeds: int = 1,
    max_histories: int = 50_000_000,
    ranges: bool | None = None,
    max_memory_mb: int = 4096,
    threads: int = 0,
    progress: bool = False,
) -> float:
    """Returns the average gain of a player from a best response to the agent: `nash_conv` by the number of players.

    In a zero-sum game for two it is what the agent loses against its worst opponent, beyond the value of the game and
    averaged over both seats. Arguments and errors as in `best_response`: a search should be asked with several `seeds`.
    """
    settings = {"seed": seed, "seeds": seeds, "max_histories": max_histories, "max_memory_mb": max_memory_mb}
    return measured(game, agent, ranges=ranges, threads=threads, progress=progress, **settings).exploitability
