"""The report of matches: a text for the terminal, and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from stier._output import counted
from stier.errors import RatingError
from stier.experiments._pages import Answer, Interval, Ranks, Report, drawn, markdown_table
from stier.experiments._plans import Plan
from stier.experiments._store import Store
from stier.ratings import (
    CrossTable,
    Outcomes,
    Ratings,
    bradley_terry,
    cross_table,
    estimate,
    nash_averaging,
    outcomes,
    plackett_luce,
)

#: Columns of most tables.
MEASURED = ("mean", "mean_ci95", "wins", "wins_low", "wins_high")


def answer_of(plan: Plan, store: Store, reports: Mapping[str, MatchReport]) -> Answer:
    """Returns the answer that matches of the same agents in some games give."""
    ranks, wins = {}, {}
    for game, one in reports.items():
        rows = list(one.tables["standings"].itertuples())
        ranks[game] = {own.agent: Interval.around(own.mean, own.mean_ci95) for own in rows}
        wins[game] = {own.agent: Interval(own.wins, own.wins_low, own.wins_high).times(100) for own in rows}
    apart = [game for game, one in reports.items() if not one.comparable]
    shown = {game: own for game, own in ranks.items() if game not in apart}
    details = {"Each agent in each game": _overview(shown, wins)} if shown else {}
    for game, one in reports.items():
        drawings = (plan.picture(store, name, name.replace("_", " ")) for name in one.figures)
        details[f"<code>{game}</code>"] = f"```text\n{one}```\n\n" + "\n\n".join(drawings)
    return Answer(
        "Which agent is strongest?",
        "mean return",
        ranks,
        lowest=False,
        sure=[
            f"{len(plan.given['agents'])} agents, {counted(plan.given['deals'], 'deal')} per pairing and seed"
            + ", all games of a deal with the same cards" * plan.given["paired"]
            + ". Whether an agent is ahead of another one is decided by the match of the two, if there is one.",
            "More deals: they could change the order of agents that the results do not tell apart.",
            "How the agents do in other games, or against other opponents.",
        ],
        details=details,
        figures={name: make for one in reports.values() for name, make in one.figures.items()},
        leads={game: one.leads for game, one in reports.items()},
        apart=apart,
    )


def _overview(ranks: Ranks, wins: Ranks) -> str:
    """Returns a table with a row for each agent and a column for each game."""
    lines = []
    for agent in next(iter(ranks.values())):
        pairs = [(own[agent], wins[game][agent]) for game, own in ranks.items()]
        mean, won = (sum(one.value for one in own) / len(pairs) for own in zip(*pairs, strict=True))
        cells = [f"{own}, {share:.1f} %" for own, share in pairs]
        lines.append([f"`{agent}`", *cells, f"{mean:.2f}, {won:.1f} %"])
    about = "The mean return of each agent, and the games that it won. The last column is the mean over the games."
    return f"{about}\n\n{markdown_table(['agent', *(f'`{game}`' for game in ranks), 'mean'], lines)}"


class MatchReport(Report):
    """Tables of matches; made by `report`.

    Attributes:
        experiment: The experiment.
        games: The number of games of it that have been played.
        cross_table: The results of each agent against each other one.
        leads: For each two agents that met, the mean return of the first one less that of the second one.
        comparable: True if all agents met the same opponents equally often, so that their mean returns are comparable.
        ratings: Bradley-Terry for two players, Plackett-Luce for more; `None` if some agents never met.
        tables: pandas frames: ``standings`` (a row for each agent), ``meetings`` (for each agent and opponent),
            and for two players ``equilibrium`` (see `stier.ratings.nash_averaging`), unless none was found: the text
            says so. In each, ``x_ci95`` is the half width of a 95 % interval of ``x`` over deals, ``x_low`` and
            ``x_high`` are its ends; empty for a single deal, which has no interval.
    """

    def __init__(self, experiment: Any, store: Store, resamples: int | None = None) -> None:
        found = outcomes(store)
        self.experiment: Any = experiment
        self.games: int = len(found.unit)
        self.cross_table: CrossTable = cross_table(found)
        self.ratings: Ratings | None = _ratings(found, resamples)
        self.leads = _leads(found)
        self.comparable: bool = _is_even(found)
        crossed, rated, missing = self.cross_table, self.ratings, ""
        tables = {"standings": _standings(experiment, crossed, rated), "meetings": _meetings(crossed)}
        met = np.isfinite(crossed.mean) | np.eye(len(crossed.agents), dtype=bool)
        if found.seats.shape[1] == 2 and met.all() and experiment.load_game().utility_sum() == 0:
            try:
                average = nash_averaging(crossed)
            except RatingError as error:
                missing = f"The table shows no equilibrium: {error}.\n"
            else:
                own = {"agent": crossed.agents, "weight": average.weights, "average": average.averages}
                tables["equilibrium"] = pd.DataFrame(own)
        ahead = Counter(first for (first, _), lead in self.leads.items() if lead.low > 0)
        ends = [f"{first} is ahead of {counted(count, 'other agent')}" for first, count in ahead.most_common(1)]
        finding = ends[0] if ends else "No agent is shown to be ahead of another"
        figures: dict[str, Any] = {"cross_table": partial(drawn, "cross_table", crossed, finding)}
        if rated is not None:
            finding = f"{rated.agents[rated.order()[0]]} is rated highest"
            figures["ratings"] = partial(drawn, "ratings", rated, finding)
        super().__init__(self._as_text(missing), tables, figures)

    def _as_text(self, missing: str) -> str:
        own = self.experiment
        seeds = f"seed {own.seeds[0]}" if len(own.seeds) == 1 else f"{len(own.seeds)} seeds"
        deals = f"{own.deals} {'paired ' if own.paired else ''}deals"
        share = "" if self.games == own.games else f" of {own.games}: not all have been played yet"
        lines = [f"{own.load_game()}, {deals}, {seeds}, {self.games} games{share}\n", str(self.cross_table)]
        lines += [] if self.ratings is None else [f"Ratings count games won, not returns.\n{self.ratings}"]
        lines += [missing] if missing else []
        uneven = "The agents did not meet the same opponents equally often: compare them by their own matches.\n"
        lines += [] if self.comparable else [uneven]
        return "\n".join(lines)


def _is_even(found: Outcomes) -> bool:
    """Returns true if all agents met the same opponents equally often: to exchange two agents changes nothing."""
    tables = np.unique(np.column_stack([found.unit, np.sort(found.seats, axis=1)]), axis=0)[:, 1:]
    deals: Counter[tuple[int, ...]] = Counter(map(tuple, tables.tolist()))
    swaps = [{first: first + 1, first + 1: first} for first in range(len(found.agents) - 1)]
    return all(
        deals[tuple(sorted(swap.get(seat, seat) for seat in table))] == deals[table]
        for swap in swaps
        for table in deals
    )


def _leads(found: Outcomes) -> dict[tuple[str, str], Interval]:
    """Returns the difference of the mean returns of each two agents that met, over the deals in which they did."""
    width, leads = found.bounds[1] - found.bounds[0], {}
    for (own, first), (other, second) in permutations(enumerate(found.agents), 2):
        both = found.by_deal(found.returns, own, other) - found.by_deal(found.returns, other, own)
        if len(both):
            leads[first, second] = Interval.around(*estimate(both, (-width, width))[:2])
    return leads


def _ratings(found: Outcomes, resamples: int | None) -> Ratings | None:
    if found.seats.shape[1] > 2:
        return plackett_luce(found, resamples=50 if resamples is None else resamples)
    try:
        return bradley_terry(found, resamples=1000 if resamples is None else resamples)
    except RatingError:
        return None


def _standings(experiment: Any, crossed: CrossTable, rated: Ratings | None) -> pd.DataFrame:
    found = zip(crossed.agents, crossed.overall, crossed.overall_wins, strict=True)
    rows = [(name, experiment.agents[name], mean.mean, mean.ci95, *won[:3], mean.units) for name, mean, won in found]
    frame = pd.DataFrame(rows, columns=["agent", "text", *MEASURED, "deals"])
    if rated is not None:
        frame["rating"], frame["rating_low"], frame["rating_high"] = rated.rating, rated.low, rated.high
    return frame


def _meetings(crossed: CrossTable) -> pd.DataFrame:
    met, agents = np.nonzero(crossed.deals), np.array(crossed.agents, dtype=object)
    columns = {name: getattr(crossed, name.replace("mean_", ""))[met] for name in (*MEASURED, "deals")}
    return pd.DataFrame({"agent": agents[met[0]], "opponent": agents[met[1]], **columns})
