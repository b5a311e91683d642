"""What games are like to search."""

from __future__ import annotations

from stier import _native
from stier._native import Game, Properties
from stier._progress import Bar


def properties(
    game: Game,
    *,
    deals: int = 1000,
    games: int = 32,
    seed: int = 0,
    play: str = "random",
    threads: int = 0,
    progress: bool = False,
) -> Properties:
    """Measure leaf correlation, bias and disambiguation, which say how well search with open cards can do.

    After Long, Sturtevant, Buro and Furtak, *Understanding the Success of Perfect Information Monte Carlo Sampling in
    Game Tree Search* (2010). The result depends on the arguments only, not on the number of threads.

    Args:
        game: The game.
        deals: Deals, at least 1.
        games: Games of each deal, at least 2, all with the same cards; the information sets of the first are counted.
        seed: The seed of deals and play.
        play: How everybody plays: ``"random"``, or ``"hints"`` for random among what the game's hints leave.
        threads: Threads; 0 for all cores.
        progress: Whether to show a progress bar; needs tqdm.

    Raises:
        ValueError: A number that is out of range, or another way to play.
    """
    if not progress:
        return _native.properties(game, deals, games, seed, play, threads)
    with Bar() as bar:
        return _native.properties(game, deals, games, seed, play, threads, bar.update)
