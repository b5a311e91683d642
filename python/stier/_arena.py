"""Agents against each other."""

from __future__ import annotations

from collections.abc import Sequence

from stier import _native
from stier._native import Game, PitResult
from stier._players import AnyAgent
from stier._progress import Bar


def pit(
    game: Game,
    agents: Sequence[AnyAgent],
    *,
    deals: int = 1000,
    seed: int = 0,
    paired: bool = True,
    threads: int = 0,
    progress: bool = False,
) -> PitResult:
    """Have agents play each other.

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
    one at the table, games are played one after another. What it raises comes out of here.

    Args:
        game: The game.
        agents: Agents, agents as text, solutions, or callables ``f(state) -> action``.
        deals: Deals per table, at least 1; an interval needs 2.
        seed: The seed of deals and agents.
        paired: Whether all games of a deal have the same cards.
        threads: Threads; 0 for all cores.
        progress: Whether to show a progress bar; needs tqdm.

    Raises:
        AgentError: An agent that does not exist, is for another game, or too few for one table.
        IllegalActionError: A callable chose an action that is not legal.
        ValueError: A number that is out of range.
    """
    if not progress:
        return _native.pit(game, agents, deals, seed, paired, threads)
    with Bar() as bar:
        return _native.pit(game, agents, deals, seed, paired, threads, bar.update)
