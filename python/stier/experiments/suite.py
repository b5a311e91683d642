"""Matches of the same agents in several games, with one report of all."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

from stier._adapting import as_game
from stier._native import load_game
from stier.errors import ArgumentError
from stier.experiments._match_page import MatchReport, answer_of
from stier.experiments._pages import Report, as_file
from stier.experiments._plans import OnProgress, PageAfter, Plan, Task, digest
from stier.experiments._store import Store
from stier.experiments.matches import KEYS, SCHEMA, Experiment, named
from stier.games import place_of, text_of
from stier.playing import AnyAgent, AnyGame

__all__ = ["Suite"]


class Suite(Plan):
    """The same agents in several games: an `Experiment` for each game, in one folder and one report.

    Games can be added later, and `deals` changed: parts that are there are not played again. Where a game has more
    seats than there are agents, agents sit at a table more than once, and every table with two or more of them plays.

    Args:
        games: The games, as for `stier.load_game`.
        agents: Agents, as for `Experiment`. Each must be able to play all the games.
        deals, seeds, paired, deals_per_part, page: As for `Experiment`.
        about: A paragraph for the page.

    Raises:
        ArgumentError: No games, or the same game twice. Other errors are those of `Experiment`.

    Attributes:
        experiments: The experiments, by the game as text.
    """

    kind = "suite"
    unit = "games"
    page_after: ClassVar[PageAfter] = "end"
    keys: ClassVar[Mapping[str, Any]] = {"games": list[str], **KEYS}
    optional: ClassVar[Sequence[str]] = ("seed",)
    schema = SCHEMA

    def __init__(
        self,
        games: Sequence[AnyGame],
        agents: Mapping[str, AnyAgent] | Sequence[AnyAgent],
        deals: int = 1000,
        seeds: Sequence[int] = (0,),
        paired: bool = True,
        deals_per_part: int = 100,
        about: str = "",
        page: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(games, str) or not games:
            raise ArgumentError(f"games must be a list of one or more different games, got {games!r}")
        texts = [game if isinstance(game, str) else _text(game) for game in games]
        settings: dict[str, Any] = {"deals": deals, "seeds": seeds, "paired": paired, "deals_per_part": deals_per_part}
        self.experiments: dict[str, Experiment] = {
            game: Experiment(game, agents, pairings=_pairings(game, agents), **settings) for game in texts
        }
        if len({digest(one.fixed()) for one in self.experiments.values()}) < len(texts):
            raise ArgumentError(f"two of the games are the same, got {', '.join(texts)}")
        self._all = list(self.experiments.values())
        #: The number of the first part of each experiment among those of a range of deals, and how many they are.
        self._places = np.cumsum([0, *(len(one.tables) * len(one.seeds) for one in self._all)]).tolist()
        first = self._all[0].given
        shared = {key: first[key] for key in ("agents", "deals", "seeds", "paired", "deals_per_part")}
        super().__init__({"games": texts, **shared, **({"about": about} if about else {}), **(page or {})})

    def __repr__(self) -> str:
        return f"<stier.experiments.Suite: {', '.join(self.experiments)}: {', '.join(self._all[0].agents)}>"

    def parts(self) -> int:
        """Returns the number of parts."""
        return sum(one.parts() for one in self._all)

    def task(self, number: int) -> Task:
        """Returns a task, which is one of an experiment. All games have their first deals first."""
        place, rest = divmod(number, self._places[-1])
        game = bisect(self._places, rest) - 1
        first, end = self._places[game : game + 2]
        one = self._all[game]
        own = one.task(place * (end - first) + rest - first)
        return Task(f"{game}/{own.name}", own.key, own.size, (game, own))

    def fixed(self) -> dict[str, Any]:
        """Returns the settings that all parts in one folder share."""
        return {key: value for key, value in super().fixed().items() if key not in ("games", "deals")}

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Plays the games of a task."""
        game, own = task.what
        return self._all[game].play(own, threads, work, on_progress)

    def stores(self, store: Store) -> dict[str, Store]:
        """Returns the games of each experiment, by the game as text, for `decisions` and `stier.ratings`.

        Args:
            store: The folder of this suite, from `run` or `load`.
        """
        return {game: Store(one, store.folder, store.sound) for game, one in self.experiments.items()}

    def report(self, store: Store, resamples: int | None = None) -> Report:
        """Makes a section for each game of which there are games, and tables over all games."""
        reports: dict[str, MatchReport] = {}
        for game, own in self.stores(store).items():
            if len(own.missing()) < own.experiment.parts():
                reports[game] = MatchReport(self.experiments[game], own, resamples)
        tables: dict[str, pd.DataFrame] = {}
        for name in ("standings", "meetings", "equilibrium"):
            frames = {game: one.tables[name] for game, one in reports.items() if name in one.tables}
            if frames:
                joined = pd.concat(frames, names=["game", None]).reset_index(level="game").reset_index(drop=True)
                tables[name] = joined
        figures = {
            game: {f"{as_file(game)}_{name}": make for name, make in one.figures.items()}
            for game, one in reports.items()
        }
        text, drawn = self.tell(store, answer_of(self, store, reports, figures), "strength")
        return Report(text, tables, drawn)


def _text(game: AnyGame) -> str:
    """Returns a game as text with its options, by which other processes find it."""
    loaded = as_game(game)
    return f"{place_of(loaded)}{text_of(loaded).removeprefix(loaded.short_name())}"


def _pairings(game: str, agents: Mapping[str, AnyAgent] | Sequence[AnyAgent]) -> list[tuple[str, ...]] | None:
    """Returns the tables of a game with more seats than agents; None for all combinations of different agents."""
    loaded = load_game(game)
    names, seats = list(named(loaded, agents)), loaded.num_players()
    if not 1 < len(names) < seats:
        return None
    return [table for table in combinations_with_replacement(names, seats) if len(set(table)) > 1]
