"""Matches of the same agents in several games, and one report of all."""

from __future__ import annotations

import os
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations_with_replacement
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

from stier import load_game
from stier._adapting import as_game
from stier._output import between, plus_minus
from stier.errors import ArgumentError
from stier.experiments import matches
from stier.experiments._plans import (
    NONE,
    OUTPUTS,
    OnProgress,
    PageAfter,
    Plan,
    Report,
    Task,
    as_file,
    digest,
    drawn,
    header,
    line,
    paragraph,
)
from stier.experiments._store import Store
from stier.experiments.matches import Experiment
from stier.games import place_of, text_of
from stier.playing import AnyAgent, AnyGame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Suite"]

#: The keys of a file with their types; the others are checked with the experiments.
KEYS: dict[str, Any] = {
    "games": list[str],
    "agents": matches.KEYS["agents"],
    "about": str,
    **{name: matches.KEYS[name] for name in ("deals", "seed", "seeds", "paired", "deals_per_part", *OUTPUTS)},
}


class Suite(Plan):
    """The same agents in several games: an `Experiment` for each game, in one folder and one report.

    Games can be added later, and `deals` changed: parts that are there are not played again. Where a game has more
    seats than there are agents, agents sit at a table more than once, and every table with two or more of them plays.

    Args:
        games: The games, as for `stier.load_game`.
        agents: Agents, as for `Experiment`. Each must be able to play all the games.
        deals: Deals for each pairing and seed, at least 1.
        seeds: Seeds; the experiment is repeated with other cards for each.
        paired: Gives all games of a deal the same cards.
        deals_per_part: Deals in a part. A killed run loses less than that.
        about: A paragraph for the page.

    Raises:
        ArgumentError: No games, or the same game twice. Other errors are those of `Experiment`.

    Attributes:
        experiments: The experiments, by the game as text.
    """

    kind = "suite"
    unit = "games"
    page_after: ClassVar[PageAfter] = "end"
    keys: ClassVar[Mapping[str, Any]] = KEYS
    schema = matches.SCHEMA

    def __init__(
        self,
        games: Sequence[AnyGame],
        agents: Mapping[str, AnyAgent] | Sequence[AnyAgent],
        deals: int = 1000,
        seeds: Sequence[int] = (0,),
        paired: bool = True,
        deals_per_part: int = 100,
        about: str = "",
        outputs: Mapping[str, str] | None = None,
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
        self.about: str = about
        self.outputs = dict(outputs or {})
        self._all = list(self.experiments.values())
        #: The number of the first part of each experiment among those of a range of deals, and how many they are.
        self._places = np.cumsum([0, *(len(one.tables) * len(one.seeds) for one in self._all)]).tolist()

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

    def settings(self) -> dict[str, Any]:
        """Returns the suite as JSON has it."""
        described = {"games": list(self.experiments), "deals": self._all[0].deals, "about": self.about}
        return {**described, **self.fixed(), **self.outputs}

    def fixed(self) -> dict[str, Any]:
        """Returns the settings that all parts in one folder share."""
        return {key: self._all[0].fixed()[key] for key in ("agents", "seeds", "paired", "deals_per_part")}

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
        reports: dict[str, matches.MatchReport] = {}
        for game, own in self.stores(store).items():
            if len(own.missing()) < own.experiment.parts():
                reports[game] = self.experiments[game].report(own, resamples)
        tables: dict[str, pd.DataFrame] = {}
        for name in ("standings", "meetings", "pairings", "convergence", "equilibrium"):
            frames = {game: one.tables[name] for game, one in reports.items() if name in one.tables}
            if frames:
                joined = pd.concat(frames, names=["game", None]).reset_index(level="game").reset_index(drop=True)
                tables[name] = joined
        figures: dict[str, Callable[[], Figure]] = {}
        if reports:
            figures["strength"] = partial(drawn, "strength", tables["standings"])
        sections = ""
        for game, one in reports.items():
            shown = {f"{as_file(game)}_{name}": make for name, make in one.figures.items()}
            figures |= shown
            pictures = "".join(self._picture(store, name) for name in shown if not name.endswith("cross_table"))
            sections += f"\n## `{game}`\n\n```text\n{one}```\n{pictures}"
        page = f"# {len(self.experiments)} games\n\n{paragraph(self.about)}{self._overview(reports)}"
        page += self._picture(store, "strength") if reports else ""
        return Report(page + sections, tables, figures)

    def _picture(self, store: Store, name: str) -> str:
        """Returns a figure for the page, by the path from where the page is."""
        page = Path(self.outputs.get("page", Path(self.outputs.get("tables", store.folder / "tables")) / Report.page))
        figures = Path(self.outputs.get("figures", store.folder / "figures"))
        path = Path(os.path.relpath(figures / f"{name}.png", page.parent)).as_posix()
        return f"\n![{name.replace('_', ' ')}]({path})\n"

    def _overview(self, reports: Mapping[str, matches.MatchReport]) -> str:
        """Returns a table with a row for each agent and a column for each game."""
        agents = list(self._all[0].agents)
        deals = f"{self._all[0].deals} {'paired ' if self._all[0].paired else ''}deals"
        text = f"Mean return of each agent, and the games that it won; {deals} per table of agents"
        text += "".join(f"; `{game}` has not been played yet" for game in self.experiments if game not in reports)
        text += ". The last column is the mean of the shares over the games.\n\n"
        text += header(["agent", *(f"`{game}`" for game in reports), "games won"])
        for number, agent in enumerate(agents):
            means = [one.cross_table.overall[number] for one in reports.values()]
            wins = [one.cross_table.overall_wins[number] for one in reports.values()]
            cells = []
            for mean, won in zip(means, wins, strict=True):
                share = f"{100 * won.mean:.1f} % {between(won.low, won.high)}".rstrip()
                cells.append(f"{mean.mean:+.2f}{plus_minus(mean.ci95, 2)}, {share}")
            average = f"{100 * sum(won.mean for won in wins) / len(wins):.1f} %" if wins else NONE
            text += line([f"`{agent}`", *cells, average])
        return text


def _text(game: AnyGame) -> str:
    """Returns a game as text with its options, by which other processes find it."""
    loaded = as_game(game)
    return f"{place_of(loaded)}{text_of(loaded).removeprefix(loaded.short_name())}"


def _pairings(game: str, agents: Mapping[str, AnyAgent] | Sequence[AnyAgent]) -> list[tuple[str, ...]] | None:
    """Returns the tables of a game with more seats than agents; None for all combinations of different agents."""
    loaded = load_game(game)
    names, seats = list(matches.named(loaded, agents)), loaded.num_players()
    if not 1 < len(names) < seats:
        return None
    return [table for table in combinations_with_replacement(names, seats) if len(set(table)) > 1]
