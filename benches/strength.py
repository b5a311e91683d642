"""Matches at equal thinking time: what each agent won in each match, and their page. A kind of `stier run`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations, permutations
from pathlib import Path
from statistics import mode
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa

import stier
from stier.experiments import Answer, Interval, OnProgress, TablePlan, Task, markdown_table, with_option
from stier.ratings import share

#: The columns with figures: the mean return, half its interval, and the share of the decided games with its interval.
FIGURES = ("mean", "ci95", "share", "low", "high")
#: The results of matches by game, time, agent and opponent.
Found: TypeAlias = Mapping[tuple[Any, ...], Any]
#: The agents that are drawn, by game and time.
Panels: TypeAlias = dict[tuple[str, int], dict[str, Interval]]
#: The beginnings of names of agents that use the network of the game.
NETWORKS = ("network", "mmds")
#: The number of agents in a picture from each table in which all played against all.
SHOWN = 5


class Strength(TablePlan):
    """Every pair of ``agents`` with ``time_ms`` per decision, or each against one opponent at all other seats.

    Each deal is played with the agent at every seat in turn, and copies of its opponent at the others.
    """

    kind = "strength"
    unit = "deals"
    keys: ClassVar[Mapping[str, Any]] = {"game": str, "time_ms": int, "deals": int, "agents": list[str]}
    defaults: ClassVar[Mapping[str, Any]] = {"seed": 0, "against": ""}
    schema = pa.schema(
        {"game": "string", "time_ms": "int64", "agent": "string", "opponent": "string", "deals": "int64"}
        | dict.fromkeys(FIGURES, "float64")
        | {"made_by": "string"}
    )

    def work(self, row: Mapping[str, Any]) -> Iterator[Task]:
        """Makes a task for each match."""
        game = stier.load_game(row["game"])
        shared = {name: row[name] for name in ("game", "time_ms", "deals", "seed")}
        for agent, opponent in _pairs(row, game.num_players()):
            for text in (agent, opponent):
                _timed(text, game, row["time_ms"])
            what = {**shared, "agent": agent, "opponent": opponent}
            yield self.new_task(f"{agent} {opponent}", what, game, [agent, opponent], row["deals"])

    def measure(
        self, what: Mapping[str, Any], threads: int, work: Path, on_progress: OnProgress
    ) -> list[dict[str, Any]]:
        """Plays a match."""
        game = stier.load_game(what["game"])
        agent, opponent = (_timed(what[name], game, what["time_ms"]) for name in ("agent", "opponent"))
        agents = [agent] + [opponent] * (game.num_players() - 1)
        seed = stier.derive_seed(what["seed"], "strength", 0)
        result = stier.pit(game, agents, deals=what["deals"], seed=seed, threads=threads)
        match = {name: what[name] for name in ("game", "time_ms", "deals")}
        names = {"agent": what["agent"], "opponent": what["opponent"]}
        rows = [{**match, **names, **figures_of(result, 0)}]
        if len(agents) == 2:
            swapped = {"agent": what["opponent"], "opponent": what["agent"]}
            rows.append({**match, **swapped, **figures_of(result, 1)})
        return rows

    def evaluate(self, results: pd.DataFrame) -> Answer:
        """Ranks the agents by their means against the others, with the thinking time of most rows."""
        found = {tuple(row[:4]): row for row in results.itertuples(index=False)}
        details: dict[str, str] = {}
        # For each game a row with the agents of all tables in which all played against all.
        merged: dict[str, dict[str, Any]] = {}
        time_ms = mode(row["time_ms"] for row in self.rows)
        for row in self.rows:
            others = f", against <code>{row['against']}</code> at all other seats" if row["against"] else ""
            label = f"<code>{row['game']}</code>, {row['time_ms']} ms per decision{others}"
            details[label] = self.matches_of(row, found)
            if not row["against"] and row["time_ms"] == time_ms:
                agents = [*merged.get(row["game"], row)["agents"], *row["agents"]]
                merged[row["game"]] = {**row, "agents": list(dict.fromkeys(agents))}
        against, title = next((row["against"] for row in self.rows if row["against"]), ""), self.given.get("title", "")
        # An experiment without a title has the picture of its ranks: their title would not be the finding of this one.
        panels = self.panels_of(against, found) if title and against else {}
        met = {game: [_met(row, agent, found) for agent in row["agents"]] for game, row in merged.items()}
        return Answer(
            "Which agent is strongest?",
            f"mean return with {time_ms} ms per decision",
            {game: self.standings_of(row, found) for game, row in merged.items()},
            lowest=False,
            sure=[
                f"Matches with the same cards for both agents: {results['made_by'].nunique()}. "
                "Whether an agent is ahead of another one is decided by the match of the two.",
                "Another machine: it changes how much is thought in the same time.",
                "How the agents do with more time.",
            ],
            details=details,
            leads={game: self.leads_of(row, found) for game, row in merged.items()},
            apart=[game for game, own in met.items() if any(own) and not all(len(one) == len(own) - 1 for one in own)],
            picture=partial(picture, panels, against, title) if panels else None,
        )

    def panels_of(self, against: str, found: Found) -> Panels:
        """Returns what agents won from one opponent, by game and thinking time, the best first.

        Rows with this opponent have all their agents, and tables in which it is one of the agents the best ones. Times
        and games without a row of the first kind are left out.
        """
        panels: Panels = {}
        for row in (row for row in self.rows if row["against"] == against or not row["against"]):
            game = stier.load_game(row["game"])
            place, players = (row["game"].partition(":")[0], row["time_ms"]), game.num_players()
            keys = [(row["game"], row["time_ms"], agent) for agent in row["agents"]]
            others = [against] if row["against"] else [one for one in row["agents"] if self.name(one) == against]
            there = [one for key in keys for other in others if (one := found.get((*key, other))) is not None]
            won = {self.name(one.agent): Interval.around(one.mean, one.ci95) for one in there}
            if row["against"] and won:
                panels.setdefault(place, {})
            if place in panels:
                names = sorted(won, key=lambda name: -won[name].value)[: None if row["against"] else SHOWN]
                panels[place] |= {f"{name}, {players} players" * (players > 2) or name: won[name] for name in names}
        return {place: dict(sorted(own.items(), key=lambda one: -one[1].value)) for place, own in panels.items()}

    def standings_of(self, row: Mapping[str, Any], found: Found) -> dict[str, Interval]:
        """Returns the mean return of each agent, on average over its opponents, and the ends of its interval.

        The ends are averages, too: matches have the same cards, so errors may add up.
        """
        standings = {}
        for agent in row["agents"]:
            if means := [Interval.around(one.mean, one.ci95) for one in _met(row, agent, found)]:
                standings[self.name(agent)] = Interval(*(sum(ends) / len(means) for ends in zip(*means, strict=True)))
        return standings

    def leads_of(self, row: Mapping[str, Any], found: Found) -> dict[tuple[str, str], Interval]:
        """Returns the mean return of each agent less that of each opponent, where the two share all that is won."""
        game = stier.load_game(row["game"])
        total = game.utility_sum() if game.num_players() == 2 else None
        there = [one for agent in row["agents"] for one in _met(row, agent, found) if total is not None]
        leads = [Interval.around(2 * one.mean - total, 2 * one.ci95) for one in there]
        return {(self.name(one.agent), self.name(one.opponent)): lead for one, lead in zip(there, leads, strict=True)}

    def matches_of(self, row: Mapping[str, Any], found: Found) -> str:
        """Returns the matches of a row: mean return and games won of each agent against each opponent (column)."""
        agents, standings = row["agents"], {} if row["against"] else self.standings_of(row, found)
        opponents = [row["against"]] if row["against"] else agents
        columns = [f"`{self.name(row['against'])}`"] if row["against"] else [*range(1, len(agents) + 1), "mean"]
        rows = []
        for number, agent in enumerate(agents, start=1):
            name = self.name(agent)
            met = [found.get((row["game"], row["time_ms"], agent, other)) for other in opponents]
            cells = ["" if one is None else f"{Interval.around(one.mean, one.ci95)}, {_wins(one)}" for one in met]
            has_all = len(_met(row, agent, found)) == len(agents) - 1
            mean = [] if row["against"] else [f"{standings[name].value:.2f}" if has_all else ""]
            rows.append([number, f"`{name}`", *cells, *mean])
        return f"{row['deals']:,} paired deals per match.\n\n{markdown_table(['', 'agent', *columns], rows, left=2)}"


def picture(panels: Panels, against: str, title: str) -> Any:
    """Draws what agents won from one opponent, in one colour with a network and in another without one."""
    from matplotlib.patches import Patch

    from stier import plots

    lines = -(-len(panels) // 2)
    figure, axes = plots.panels((lines, 2), (8.5, 0.8 + 1.75 * lines), title, grid="x")
    for one, ((game, time_ms), own) in zip(axes, panels.items(), strict=False):
        colours = [plots.COLOURS[0 if name.startswith(NETWORKS) else 1] for name in own]
        plots.bars(own, one, title=f"{game}, {time_ms} ms per decision", colours=colours)
        one.axvline(0, color="0.3", linewidth=0.8)
    for one in axes[len(panels) :]:
        one.axis("off")
    kinds = {"with a network": plots.COLOURS[0], "without a network": plots.COLOURS[1]}
    handles = [Patch(color=colour, label=kind) for kind, colour in kinds.items()]
    label = f"mean return per game against {against}, with 95 % intervals: above 0 the agent wins"
    looks: Any = {"frameon": False, "fontsize": 9, "title_fontsize": 9, "loc": "outside lower center", "ncols": 2}
    figure.legend(handles=handles, title=label, **looks)
    return figure


def _timed(text: str, game: stier.Game, time_ms: int) -> str:
    """Returns an agent with this thinking time, if it thinks."""
    return with_option(text, game, ["time_ms"], time_ms) or text


def _pairs(row: Mapping[str, Any], players: int) -> list[tuple[str, str]]:
    if row["against"]:
        return [(agent, row["against"]) for agent in row["agents"]]
    # For two players one match has both results.
    return list((combinations if players == 2 else permutations)(row["agents"], 2))


def _met(row: Mapping[str, Any], agent: str, found: Found) -> list[Any]:
    """Returns the results of an agent against the other agents of a row, as far as there are any."""
    keys = [(row["game"], row["time_ms"], agent, other) for other in row["agents"] if other != agent]
    return [found[key] for key in keys if key in found]


def figures_of(result: stier.PitResult, agent: int) -> dict[str, Any]:
    """Returns the mean return of an agent, and its share of the decided games, those with one winner."""
    won, decided = np.zeros((2, result.deals))
    for played in result.games:
        best = max(played.returns)
        if played.returns.count(best) == 1:
            decided[played.deal] += 1
            won[played.deal] += played.returns[played.agents.index(agent)] == best
    return dict(zip(FIGURES, (result.mean[agent], result.ci95[agent], *share(won, decided)[:3]), strict=True))


def _wins(one: Any) -> str:
    """Returns the share of the decided games with its interval (see `stier.ratings.share`); a dash without any."""
    return "\N{EN DASH}" if np.isnan(one.share) else f"{Interval(one.share, one.low, one.high).times(100):.1f} %"
