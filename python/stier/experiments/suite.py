"""Matches of the same agents in several games, a row for each game that is played."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

from stier._adapting import as_game
from stier.errors import ArgumentError
from stier.experiments._match_page import MatchReport, answer_of
from stier.experiments._pages import Report, as_file
from stier.experiments._plans import OnProgress, PageAfter, Plan, Task, digest
from stier.experiments._store import Store
from stier.experiments.matches import KEYS, Experiment
from stier.games import text_of
from stier.playing import AnyAgent, AnyGame

__all__ = ["Suite"]


class Suite(Plan):
    """The same agents in several games: an `Experiment` for each game, in one folder and one report.

    Games can be added later, and `deals` changed: parts that are there are not played again.

    Args:
        games: The games, as for `stier.load_game`.
        agents: Agents, as for `Experiment`. Each must be able to play all the games.
        deals, seeds, paired, deals_per_part, page: As for `Experiment`.

    Raises:
        ArgumentError: No games, or the same game twice. Other errors are those of `Experiment`.

    Attributes:
        experiments: The experiments, by the game as text.
    """

    kind = "suite"
    unit = "games"
    schema = Experiment.schema
    page_after: ClassVar[PageAfter] = "end"
    keys: ClassVar[Mapping[str, Any]] = {"games": list[str], **KEYS}
    optional: ClassVar[Sequence[str]] = Experiment.optional

    def __init__(
        self,
        games: Sequence[AnyGame],
        agents: Mapping[str, AnyAgent] | Sequence[AnyAgent],
        deals: int = 1000,
        seeds: Sequence[int] = (0,),
        paired: bool = True,
        deals_per_part: int = 100,
        page: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(games, str) or not games:
            raise ArgumentError(f"games must be a list of one or more different games, got {games!r}")
        texts = [game if isinstance(game, str) else text_of(as_game(game)) for game in games]
        settings: dict[str, Any] = {"deals": deals, "seeds": seeds, "paired": paired, "deals_per_part": deals_per_part}
        self.experiments: dict[str, Experiment] = {game: Experiment(game, agents, **settings) for game in texts}
        if len({digest(one.fixed()) for one in self.experiments.values()}) < len(texts):
            raise ArgumentError(f"two of the games are the same, got {', '.join(texts)}")
        self._all = list(self.experiments.values())
        #: The number of the first part of each experiment among those of a range of deals, and how many they are.
        self._places = np.cumsum([0, *(len(one.tables) * len(one.seeds) for one in self._all)]).tolist()
        shared = {key: self._all[0].given[key] for key in ("agents", *settings)}
        super().__init__({"games": texts, **shared, **(page or {})})

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
        return Task(f"{game}/{own.name}", own.key, own.size, (game, own.group), (game, own))

    def fixed(self) -> dict[str, Any]:
        """Returns the settings that all parts in one folder share."""
        return {key: value for key, value in super().fixed().items() if key not in ("games", "deals")}

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress) -> pa.Table:
        """Plays the games of a task."""
        game, own = task.what
        return self._all[game].play(own, threads, work, on_progress)

    def stores(self, store: Store) -> dict[str, Store]:
        """Returns the games of each experiment, by the game as text, for `stier.ratings`.

        Args:
            store: The folder of this suite, from `run` or `load`.
        """
        return {game: Store(one, store.folder, store.sound) for game, one in self.experiments.items()}

    def report(self, store: Store, resamples: int | None = None) -> Report:
        """Makes a section for each game of which there are games, and tables over all games."""
        reports: dict[str, MatchReport] = {}
        for game, own in self.stores(store).items():
            if len(own.missing()) < own.experiment.parts():
                one = reports[game] = MatchReport(self.experiments[game], own, resamples)
                one.figures = {f"{as_file(game)}_{name}": make for name, make in one.figures.items()}
        tables: dict[str, pd.DataFrame] = {}
        for name in ("standings", "meetings", "equilibrium"):
            frames = {game: one.tables[name] for game, one in reports.items() if name in one.tables}
            if frames:
                tables[name] = pd.concat(frames, names=["game", None]).reset_index("game").reset_index(drop=True)
        question, said, text, figures = self.tell(store, answer_of(self, store, reports), "strength")
        return Report(text, tables, figures, question=question, answer=said)
