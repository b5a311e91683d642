"""What an experiment says: tables and plots."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stier._files import write, write_text
from stier.errors import RatingError
from stier.experiments._spec import Experiment
from stier.experiments._store import Games, load
from stier.ratings import (
    CrossTable,
    Outcomes,
    Ratings,
    bradley_terry,
    cross_table,
    nash_averaging,
    outcomes,
    pairing_gain,
    plackett_luce,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Report:
    """Tables of an experiment; made by `report`.

    Attributes:
        experiment: The experiment.
        games: How many games of it are there.
        cross_table: Who beats whom.
        ratings: Bradley-Terry for two players, Plackett-Luce for more; `None` if some agents never met.
        tables: pandas frames: ``standings`` (a row for each agent), ``meetings`` (for each agent and opponent),
            ``pairings`` (for each table of agents), and for two players ``equilibrium`` (see
            `stier.ratings.nash_averaging`). In each, ``x_ci95`` is the half width of a 95 % interval of ``x`` over
            deals, ``x_low`` and ``x_high`` are its ends; empty for a single deal, which has no interval.
    """

    def __init__(
        self,
        experiment: Experiment,
        games: int,
        crossed: CrossTable,
        ratings: Ratings | None,
        tables: Mapping[str, pd.DataFrame],
    ) -> None:
        self.experiment = experiment
        self.games = games
        self.cross_table = crossed
        self.ratings = ratings
        self.tables = dict(tables)

    def __str__(self) -> str:
        """All of it for a terminal."""
        experiment = self.experiment
        seeds = f"seed {experiment.seeds[0]}" if len(experiment.seeds) == 1 else f"{len(experiment.seeds)} seeds"
        deals = f"{experiment.deals} {'paired ' if experiment.paired else ''}deals"
        share = "" if self.games == experiment.games else f" of {experiment.games}: not all have been played yet"
        lines = [f"{experiment.load_game()}, {deals}, {seeds}, {self.games} games{share}\n", str(self.cross_table)]
        if self.ratings is not None:
            lines.append(str(self.ratings))
        gains = self.tables["pairings"]["gain"]
        if gains.notna().any():
            low, high = gains.min(), gains.max()
            span = f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
            lines.append(f"Without pairs, {span} times the games would be needed for the same intervals.\n")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<stier.experiments.Report of {self.games} games: {', '.join(self.tables)}>"

    def save(self, folder: str | Path) -> list[Path]:
        """Write the tables as CSV, and the text; gives the files."""
        folder, paths = Path(folder), []
        for name, table in self.tables.items():
            paths.append(folder / f"{name}.csv")
            write_text(paths[-1], table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))
        paths.append(folder / "report.txt")
        write_text(paths[-1], str(self))
        return paths

    def draw(self, folder: str | Path) -> list[Path]:
        """Draw the cross-table and the ratings as PNG; gives the files. Needs the extra ``plots``."""
        from matplotlib import pyplot

        from stier import plots

        axes = {"cross_table": plots.cross_table(self.cross_table)}
        if self.ratings is not None:
            axes["ratings"] = plots.ratings(self.ratings)
        paths = []
        for name, ax in axes.items():
            paths.append(Path(folder) / f"{name}.png")
            figure: Any = ax.figure
            write(paths[-1], partial(_save, figure))
            pyplot.close(figure)
        return paths


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path, format="png", dpi=144)


def report(games: Games | str | Path, *, resamples: int | None = None) -> Report:
    """Make tables of the games that are there; the deal is the unit of all intervals.

    Args:
        games: What `run` or `load` gave, or the folder.
        resamples: Resamples of the ratings' bootstrap; 1,000 for two players, 50 for more, if left out.

    Raises:
        FileError: There is no experiment in the folder.
        ValueError: No games have been played yet, or a file is not of this experiment.
    """
    games = games if isinstance(games, Games) else load(games)
    experiment, found = games.experiment, outcomes(games)
    crossed, rated = cross_table(found), _ratings(found, resamples)
    tables = {
        "standings": _standings(experiment, crossed, rated),
        "meetings": _meetings(crossed),
        "pairings": _pairings(experiment, found),
    }
    met = np.isfinite(crossed.mean) | np.eye(len(crossed.agents), dtype=bool)
    if found.seats.shape[1] == 2 and met.all() and experiment.load_game().utility_sum() == 0:
        average = nash_averaging(crossed)
        tables["equilibrium"] = pd.DataFrame(
            {"agent": crossed.agents, "weight": average.weights, "average": average.averages}
        )
    return Report(experiment, len(found.unit), crossed, rated, tables)


def _ratings(found: Outcomes, resamples: int | None) -> Ratings | None:
    if found.seats.shape[1] > 2:
        return plackett_luce(found, resamples=50 if resamples is None else resamples)
    try:
        return bradley_terry(found, resamples=1000 if resamples is None else resamples)
    except RatingError:
        return None


def _standings(experiment: Experiment, crossed: CrossTable, rated: Ratings | None) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "agent": crossed.agents,
            "text": [experiment.texts[name] for name in crossed.agents],
            "mean": [one.mean for one in crossed.overall],
            "mean_ci95": [one.ci95 for one in crossed.overall],
            "wins": [one.mean for one in crossed.overall_wins],
            "wins_low": [one.low for one in crossed.overall_wins],
            "wins_high": [one.high for one in crossed.overall_wins],
            "deals": [one.units for one in crossed.overall],
        }
    )
    if rated is not None:
        frame["rating"], frame["rating_low"], frame["rating_high"] = rated.rating, rated.low, rated.high
    return frame


def _meetings(crossed: CrossTable) -> pd.DataFrame:
    rows, columns = np.nonzero(crossed.deals)
    return pd.DataFrame(
        {
            "agent": [crossed.agents[row] for row in rows],
            "opponent": [crossed.agents[column] for column in columns],
            **{
                name: values[rows, columns]
                for name, values in [
                    ("mean", crossed.mean),
                    ("mean_ci95", crossed.ci95),
                    ("wins", crossed.wins),
                    ("wins_low", crossed.wins_low),
                    ("wins_high", crossed.wins_high),
                    ("deals", crossed.deals),
                ]
            },
        }
    )


def _pairings(experiment: Experiment, found: Outcomes) -> pd.DataFrame:
    """What pairing the deals of each table gained."""
    tables = experiment.tables
    place = {name: number for number, name in enumerate(found.agents)}
    # The gain is that of the first agent: the first by name, so that it does not depend on the order of the names.
    numbers = [[place[name] for name in sorted(table)] for table in tables]
    # An agent that sits at a table twice has several returns.
    once = [experiment.paired and len(set(table)) == len(table) for table in numbers]
    gains = [pairing_gain(found, table) if alone else np.nan for table, alone in zip(numbers, once, strict=True)]
    return pd.DataFrame({"pairing": [" - ".join(table) for table in tables], "gain": gains})
