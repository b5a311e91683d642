"""Small games, solved; and how far agents are from equilibrium in them."""

from __future__ import annotations

import os

from stier import _native
from stier._native import BestResponse, Game, Solution
from stier._players import AnyAgent
from stier._progress import Bar


def solve(
    game: Game,
    algorithm: str = "cfr+",
    *,
    iterations: int = 1000,
    target: float = 0.0,
    seed: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    max_histories: int = 50_000_000,
    threads: int = 0,
    progress: bool = False,
) -> Solution:
    """Look for an equilibrium of a small game: scaled-down rules, for every history is kept in memory.

    In two-player zero-sum games the average policy approaches an equilibrium; with more players nothing is guaranteed.
    The result depends on the arguments only, not on the number of threads or on interruptions.

    Args:
        game: The game.
        algorithm: Counterfactual regret minimization, ``"cfr"`` (Zinkevich et al. 2007), ``"cfr+"`` (Tammelin 2014),
            ``"linear_cfr"`` or ``"discounted_cfr"`` (Brown and Sandholm 2019); sampled, ``"external_sampling"`` or
            ``"outcome_sampling"`` (Lanctot et al. 2009); or ``"sequence_form"``, an exact linear program for zero-sum
            games of two players with up to some thousand information sets (Koller, Megiddo and von Stengel 1996).
        iterations: Iterations at most, those of the checkpoint included.
        target: The NashConv, in the game's utility, at which to stop; 0 for never. It is taken every ten iterations at
            first, then whenever there are a tenth more.
        seed: The seed of sampling, and of the draws of `Solution.step`.
        checkpoint: A file, for the variants of CFR that do not sample. If it is there, the calculation goes on from it;
            it is written every half minute, on Ctrl-C, and at the end.
        max_histories: A game with more histories is refused; they are counted as in `Solution.histories`. A game that
            is clearly larger, as estimated from random games, is refused at once.
        threads: Threads; 0 for all cores.
        progress: Whether to show progress bars, of counting the histories and of solving; needs tqdm.

    Raises:
        ArgumentError: A game with more histories, an unknown algorithm, a number that is out of range, or a checkpoint
            of another calculation or for an algorithm that keeps none.
        FileError: A checkpoint that cannot be written.
    """
    arguments = (game, algorithm, iterations, target, seed, checkpoint, max_histories, threads)
    if not progress:
        return _native.solve(*arguments)
    with Bar("histories", leave=False) as counted, Bar("iterations") as bar:

        def update(done: int, total: int, distance: float | None) -> None:
            bar.update(done, total, "" if distance is None else f"NashConv {distance:.3g}")

        return _native.solve(*arguments, update, counted.update)


def best_response(
    game: Game,
    agent: AnyAgent,
    *,
    seed: int = 0,
    max_histories: int = 50_000_000,
    threads: int = 0,
    progress: bool = False,
) -> BestResponse:
    """Find how every player does best against an agent at all other seats, on the whole game.

    What the agent does is asked at every information set. An `Agent`, or its text form, is asked for the probabilities
    with which it chooses, each time as newly made with a seed of its own; a callable for an action, which it is taken
    to choose always, in this thread. A solution is read. The result depends on the arguments only, not on the number of
    threads.

    Args:
        game: The game; scaled-down rules, as in `solve`.
        agent: An agent, a solution, an agent as text, or a callable ``f(state) -> action``.
        seed: The seed of the agent's decisions.
        max_histories: A game with more histories is refused, as in `solve`.
        threads: Threads; 0 for all cores.
        progress: Whether to show a progress bar; needs tqdm.

    Raises:
        AgentError: An agent that does not exist, is for another game, or sees everything.
        IllegalActionError: A callable chose an action that is not legal.
        ArgumentError: A game with more histories, or a number that is out of range.
    """
    arguments = (game, agent, seed, max_histories, threads)
    if not progress:
        return _native.best_response(*arguments)
    with Bar("histories", leave=False) as counted, Bar("information sets") as bar:
        return _native.best_response(*arguments, bar.update, counted.update)


def nash_conv(
    game: Game,
    agent: AnyAgent,
    *,
    seed: int = 0,
    max_histories: int = 50_000_000,
    threads: int = 0,
    progress: bool = False,
) -> float:
    """Give what all players together gain if each alone changes from the agent to a best response.

    It is 0 if the agent plays an equilibrium, and only then. Arguments and errors as in `best_response`.
    """
    return best_response(
        game, agent, seed=seed, max_histories=max_histories, threads=threads, progress=progress
    ).nash_conv


def exploitability(
    game: Game,
    agent: AnyAgent,
    *,
    seed: int = 0,
    max_histories: int = 50_000_000,
    threads: int = 0,
    progress: bool = False,
) -> float:
    """Give what a player gains in the mean by a best response to the agent: `nash_conv` by the number of players.

    In a zero-sum game for two it is what the agent loses against its worst opponent, beyond the value of the game and
    averaged over both seats. Arguments and errors as in `best_response`.
    """
    return best_response(
        game, agent, seed=seed, max_histories=max_histories, threads=threads, progress=progress
    ).exploitability
