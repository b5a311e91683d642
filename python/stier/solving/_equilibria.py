"""Equilibria of small games by native solvers, and their files."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module

from stier import _files, _native
from stier._native import TabularPolicy
from stier._output import bar
from stier.errors import ArgumentError
from stier.playing import MOST_HISTORIES, AnyGame

#: The number of iterations, unless another is given.
ITERATIONS = 1000
#: Shows the progress of an enumeration.
counting = partial(bar, unit="histories", leave=False)


def solve(
    game: AnyGame,
    algorithm: str = "cfr+",
    *,
    iterations: int = ITERATIONS,
    target: float = 0.0,
    seed: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    max_histories: int = 50_000_000,
    ranges: bool | None = None,
    max_memory_mb: int = 4096,
    threads: int = 0,
    progress: bool = False,
) -> TabularPolicy:
    """Approximates an equilibrium.

    The game is enumerated: as histories, or as *public states* with the hands that each player may hold. Public states
    need two players, no hidden moves, and a variant of CFR that does not sample. Schwinget with one bout then takes a
    tenth of the time and fits a hundred times as many histories; those of other games are found from their histories.
    Numbers are in single precision there: see the guide on large games.

    In two-player zero-sum games the average policy approaches an equilibrium; with more players nothing is guaranteed.
    The result depends on the arguments only, not on the number of threads or on interruptions.

    `TabularPolicy.history` has the NashConv during the run. Without a target it is measured after 1, 2, 4, 8, …
    iterations, which takes about 2 % of the time of 1000 iterations. Algorithms that sample begin when they have
    sampled as many games as there are information sets.

    Args:
        game: The game, or its name as for `stier.load_game`.
        algorithm: The default is the best known; ``"discounted_cfr"`` took fewer iterations in most of the games that
            were measured, and nowhere many more. Counterfactual regret minimization, ``"cfr"`` (Zinkevich
            et al. 2007), ``"cfr+"`` (Tammelin 2014), ``"linear_cfr"`` or ``"discounted_cfr"`` (Brown and Sandholm
            2019), ``"predictive_cfr+"`` (Farina, Kroer and Sandholm 2021), or ``"scheduled_cfr"``, discounted CFR whose
            exponents move with the share x of `iterations` that are done: 1 + 3x for positive regrets, -1 - 2x for
            negative ones, 30 - 5x for policies, in the manner of HS-DCFR (Zhang, McAleer and Sandholm 2024). Sampled,
            ``"external_sampling"`` or ``"outcome_sampling"`` (Lanctot et al. 2009). ``"sequence_form"`` is an exact
            linear program for zero-sum games of two players with up to some ten thousand information sets (Koller,
            Megiddo and von Stengel 1996). It takes neither `iterations` nor `target`, and needs SciPy, the extra
            `sequence_form`.
        iterations: Iterations at most, those of the checkpoint included; a checkpoint with more is the result. With
            ``"scheduled_cfr"`` a run of 100 iterations is not the beginning of a run of 1000, so a checkpoint goes on
            with the same number only.
        target: The NashConv, in the game's utility, at which to stop; 0 for never. It is then measured every ten
            iterations at first, and later whenever there are a tenth more.
        seed: The seed of sampling, and of the draws of `TabularPolicy.step`.
        checkpoint: A file, for the variants of CFR that do not sample. If it is there, the calculation goes on from it;
            it is written every half minute, on Ctrl-C, and at the end.
        max_histories: A game with more histories is refused; they are counted as in `TabularPolicy.histories`. A game
            that is clearly larger, as estimated from random games, is refused at once.
        ranges: True to solve on public states, False to solve on the tree of histories. By default Schwinget with more
            than `max_histories` histories is solved on public states, and all else on the tree.
        max_memory_mb: On public states, a game that needs more than about this many megabytes is refused.
        threads: Threads; 0 for all cores.
        progress: Shows progress bars of counting and of solving, or prints lines without a terminal or without tqdm.

    Raises:
        ArgumentError: A game with more histories or that takes more memory, an unknown algorithm, one that does not
            work on public states, a number that is out of range, or a checkpoint of another calculation or for an
            algorithm that keeps none.
        FileError: A checkpoint that cannot be written.
        MissingExtraError: ``"sequence_form"`` without SciPy.
        KeyboardInterrupt: Ctrl-C. Its text says after which iteration.
    """
    if checkpoint is not None:
        checkpoint = _files.regular(checkpoint)
    if algorithm == "sequence_form" and not ranges:
        if iterations != ITERATIONS or target:
            given = f"target={target:g}" if target else f"iterations={iterations}"
            raise ArgumentError(f"sequence_form is exact and takes neither iterations nor a target, got {given}")
        # Fails without SciPy, before anything is counted.
        import_module("stier._sequence_form")
        iterations = 1
    arguments = (game, algorithm, iterations, target, seed, checkpoint, max_histories, threads)
    with counting(progress) as count, bar(progress, "iterations") as update:

        def iterated(done: int, total: int, distance: float | None) -> None:
            begun = "" if done or not ranges else "looking for public states"
            update(done, total, begun if distance is None else f"NashConv {distance:.3g}")

        return _native.solve(*arguments, iterated, count, ranges=ranges, max_memory_mb=max_memory_mb)


def load_solution(
    path: str | os.PathLike[str],
    seed: int = 0,
    *,
    max_histories: int = MOST_HISTORIES,
    threads: int = 0,
    progress: bool = False,
) -> TabularPolicy:
    """Loads a solution written by `TabularPolicy.save`. Enumerates its game again.

    Args:
        path: The file.
        seed: The seed of the draws of `TabularPolicy.step`.
        max_histories: A game with more histories is refused, as in `solve`.
        threads: Threads; 0 for all cores.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        FileError: A file that cannot be read.
        RecordError: A file that is damaged or is not a solution.
        ArgumentError: A game with more histories, or a number that is out of range.
    """
    with counting(progress) as count:
        return _native.load_solution(_files.as_path(path), seed, max_histories, threads, count)
