"""Playing an experiment, or the rest of it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, closing
from pathlib import Path

import pyarrow as pa

from stier._output import Bar
from stier.errors import ArgumentError
from stier.experiments._parts import play
from stier.experiments._spec import Experiment, read
from stier.experiments._store import Games, begin


def run(
    experiment: Experiment | str | Path,
    out: str | Path | None = None,
    *,
    threads: int = 0,
    ray: str | None = None,
    progress: bool = False,
) -> Games:
    """Play what is missing of an experiment.

    The games are kept in `out`, in Parquet files that are there whole or not at all. Killed at any moment, the same
    call goes on from them and ends with the same bytes. They depend on the experiment alone (and the version of
    pyarrow), not on threads, cluster or interruptions. An experiment with more deals goes on from the folder of one
    with fewer, if their number was a multiple of ``deals_per_part``.

    Args:
        experiment: The experiment, or its TOML file.
        out: The folder; if left out, ``out/NAME`` for a file ``NAME.toml``.
        threads: Threads; 0 for all cores. Not for a cluster.
        ray: The address of a Ray cluster: ``auto`` finds the one on this machine, ``local`` starts one, ``HOST:PORT``
            joins another. Tasks of half a second or more go to its nodes, which need the same version of stier; the
            files are written here. What a lost node was playing is played again.
        progress: Whether to show a progress bar; needs tqdm.

    Raises:
        ValueError: See `Experiment`; or the folder has another experiment.
        ConnectionError: There is no cluster at the address.
    """
    if not isinstance(experiment, Experiment):
        path = Path(experiment)
        experiment, out = read(path), Path("out") / path.stem if out is None else out
    if out is None:
        raise ArgumentError("say where the games go: out is missing")
    if ray is not None and threads != 0:
        raise ArgumentError("on a cluster each task has one thread: give threads or ray, not both")
    games = begin(experiment, Path(out))
    with ExitStack() as stack:
        counter = _Counter(games, stack.enter_context(Bar()) if progress else None)
        if ray is None:
            parts = _here(games, threads, counter)
        else:
            from stier.experiments._ray import on_cluster

            parts = on_cluster(experiment, games.missing(), ray)
        for number, table in stack.enter_context(closing(parts)):
            games.keep(number, table)
            counter.add(table.num_rows)
    return games


class _Counter:
    """Counts the games that have been played."""

    def __init__(self, games: Games, bar: Bar | None) -> None:
        experiment = games.experiment
        missing = [experiment.part(number) for number in games.missing()]
        open_games = sum(part.deals * experiment.games_per_deal(part.pairing) for part in missing)
        self._total, self._bar = experiment.games, bar
        self._done = self._total - open_games
        self.add(0)

    def add(self, games: int) -> None:
        self._done += games
        self.tell(0)

    def tell(self, games: int, _: int = 0) -> None:
        """Show so many games of a part that is being played, too."""
        if self._bar is not None:
            self._bar.update(self._done + games, self._total)


def _here(games: Games, threads: int, counter: _Counter) -> Generator[tuple[int, pa.Table], None, None]:
    """The missing parts, one after another, each on all threads."""
    for number in games.missing():
        part = games.experiment.part(number)
        yield number, play(games.experiment, part, threads, counter.tell)
