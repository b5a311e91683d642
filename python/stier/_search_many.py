"""Many searches in one call."""

from __future__ import annotations

from collections.abc import Iterable

from stier import _native
from stier._native import Agent, Search, State
from stier._progress import Bar


def search_many(
    agent: Agent | str,
    states: Iterable[State],
    *,
    seed: int | None = None,
    threads: int = 0,
    progress: bool = False,
) -> list[Search]:
    """Search many states of one game, several at once.

    The search of state ``i`` is that of a new agent: ``load_agent(agent, game, seed=derive_seed(seed, "search", i))``.
    It depends neither on the other states nor on the number of threads, unless the agent's budget is time.

    Args:
        agent: Who searches, as text or as an `Agent`, of which the text form enters.
        states: States in which a player is to move.
        seed: The seed; the agent's own, or 0, if left out.
        threads: States that are searched at once; 0 for all cores.
        progress: Whether to show a progress bar; needs tqdm.

    Raises:
        AgentError: An agent that does not exist, does not search or is for another game; a state, which is named, in
            which nobody is to move.
    """
    if not progress:
        return _native.search_many(agent, states, seed, threads)
    with Bar("searches") as bar:
        return _native.search_many(agent, states, seed, threads, bar.update)
