"""Trainings of several lengths in decks of several sizes: how near to equilibrium they end. A kind of `stier run`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

import stier
from stier.experiments import Answer, Interval, OnProgress, TablePlan, Task, markdown_table

UNIFORM, SHARE = "random", "NashConv in % of uniform play"
#: The columns of costs, with their names on the page.
COSTS = {"steps": "decisions", "each": "decisions per information set", "cpu_seconds": "CPU seconds"}
#: The costs that are drawn, with the format of their numbers.
DRAWN = {"steps": "{x:,.0f}", "cpu_seconds": "{x:g}"}

#: Shares for which costs are compared: the lowest one that all trainings have reached.
LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 100)


class Scaling(TablePlan):
    """PPO in a deck with the settings of each of the ``recipes``, once for each length in ``decisions`` and each seed.

    Beside it the ``agents``, and the ``solvers`` with their numbers of iterations. Networks are measured by their
    probabilities of actions. Solvers that sample, whose names end with ``_sampling``, have the tree of histories, all
    else has public states. ``sets`` is the number of information sets in the tree.
    """

    kind = "scaling"
    unit = "decisions"
    keys: ClassVar[Mapping[str, Any]] = {"name": str, "game": str, "sets": int, "recipes": dict}
    defaults: ClassVar[Mapping[str, Any]] = {"decisions": [1_000_000], "seeds": 1, "agents": [UNIFORM], "solvers": {}}
    schema = pa.schema(
        {"game": "string", "player": "string", "steps": "int64", "seed": "int64", "cpu_seconds": "float64"}
        | {"nash_conv": "float64", "made_by": "string"}
    )

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        # The shortest first, seed by seed, so that an experiment that is stopped has all decks.
        self.tasks = sorted(self.tasks, key=lambda task: (task.size, task.what.get("seed", 0)))

    def work(self, row: Mapping[str, Any]) -> Iterator[Task]:
        """Makes a task for each agent, for each number of iterations, and for each length and seed of training."""
        game = stier.load_game(row["game"])

        def task(size: int = 1, **what: Any) -> Task:
            agents = [what["player"]] if "steps" not in what else []
            return self.new_task(row["name"], {"game": row["game"], **what}, game, agents, size)

        yield from (task(player=agent) for agent in row["agents"])
        for solver, iterations in row["solvers"].items():
            yield from (task(player=solver, steps=number) for number in iterations)
        for recipe, settings in row["recipes"].items():
            for steps in row["decisions"]:
                for seed in range(row["seeds"]):
                    yield task(steps, player=recipe, settings=settings, steps=steps, seed=seed)

    def measure(
        self, what: Mapping[str, Any], threads: int, work: Path, on_progress: OnProgress
    ) -> list[dict[str, Any]]:
        """Trains, solves or asks, and measures NashConv."""
        game, player = stier.load_game(what["game"]), what["player"]
        row = {name: what.get(name) for name in ("game", "player", "steps", "seed")}
        if "steps" in what and "settings" not in what:
            begun, ranges = time.process_time(), not player.endswith("_sampling")
            found = stier.solve(game, player, iterations=what["steps"], ranges=ranges, threads=threads)
            return [{**row, "cpu_seconds": time.process_time() - begun, "nash_conv": found.nash_conv}]
        if "settings" in what:
            # The first update compiles, which is not counted.
            stier.train.learner(game, **what["settings"]).iterate()
            given = what["settings"] | {name: what[name] for name in ("steps", "seed")}
            given["log"] = lambda at: on_progress(int(at["steps"]), what["steps"])
            trained = stier.train.learn(game, folder=work, against=(), evaluations=1, threads=threads, **given)
            row |= {name: trained.log[-1][name] for name in ("steps", "cpu_seconds")}
            player = f"network:path={trained.file},choose=sample"
        return [{**row, "nash_conv": stier.solving.nash_conv(game, player, ranges=True, threads=threads)}]

    def evaluate(self, results: pd.DataFrame) -> Answer:
        """Compares the decks at equal costs, and ranks the recipes by their longest trainings."""
        decks = {row["game"]: row for row in self.rows}
        uniform = results[results["player"] == UNIFORM].set_index("game")["nash_conv"]
        shown = results.join(pd.DataFrame(decks).T[["name", "sets"]].astype({"sets": int}), on="game")
        shown["share"] = 100 * shown["nash_conv"] / shown["game"].map(uniform)
        shown = shown.dropna(subset=["share"]).rename(columns={"name": "deck"})
        shown["each"] = shown["steps"] / shown["sets"]
        trained = shown[shown["seed"].notna()].astype({"steps": float, "each": float})
        ends = trained[trained["steps"] == trained.groupby(["deck", "player"])["steps"].transform("max")]
        ranks = {
            str(deck): {str(player): mean(own["share"]) for player, own in players.groupby("player", sort=False)}
            for deck, players in ends.groupby("deck", sort=False)
        }
        tables = {
            f"<code>{game}</code>": _table(row, shown[shown["game"] == game].sort_values("player", kind="stable"))
            for game, row in decks.items()
        }
        return Answer(
            "Does learning scale?",
            SHARE,
            ranks,
            lowest=True,
            sure=[
                f"The ends of {len(trained)} trainings, each with schedules of its own length.",
                "Other settings for each deck, and other batches for short trainings.",
                "Larger decks and longer trainings.",
            ],
            details={"The decks compared": _compared(trained), **tables} if len(trained) else tables,
            figures={self.table: partial(_curves, shown, str(self.given.get("title", "Learning scales")))},
        )


def mean(shares: Any) -> Interval:
    """Returns the geometric mean over seeds, and its interval by Student; without an interval for fewer than three."""
    return Interval.mean(shares, logs=True)


def read(trained: pd.DataFrame, known: str, value: float, wanted: str) -> Interval:
    """Returns a column where another one has a value, by lines between the lengths of each seed on logarithmic axes."""
    seeds = [own.sort_values(known) for _, own in trained.groupby("seed")]
    return mean([np.exp(np.interp(np.log(value), np.log(own[known]), np.log(own[wanted]))) for own in seeds])


def _compared(trained: pd.DataFrame) -> str:
    """Returns the shares of the decks at the same cost, and what the same share costs in each.

    It compares the lengths that all seeds of all recipes have, at the largest cost that all decks have reached.
    """
    planned = trained.groupby(["deck", "steps"])["seed"].transform("size")
    trained = trained[planned == planned.max()]
    decks = dict(list(trained.groupby("deck", sort=False)))
    share = min(level for level in LEVELS if level > trained.groupby(["deck", "player", "seed"])["share"].min().max())
    shares, costs = [], []
    for cost, name in COSTS.items():
        value = float(trained.groupby(["deck", "player"])[cost].max().min())
        for player in dict.fromkeys(trained["player"]):
            own = [deck[deck["player"] == player] for deck in decks.values()]
            cells = (f"{'*over* ' * bool(value < one[cost].min())}{read(one, cost, value, 'share'):.2f}" for one in own)
            shares.append([f"{_number(value)} {name}", player, *cells])
            ends = (tuple(map(_number, read(one, "share", share, cost))) for one in own)
            costs.append([name, player, *(f"{found} ({low} to {high})" for found, low, high in ends)])
    return (
        f"{SHARE} at the largest cost that all decks have reached; *over* is the share after less.\n\n"
        f"{markdown_table(['at', 'settings', *decks], shares, left=2)}\nThe cost at which {share} % are left.\n\n"
        f"{markdown_table(['cost', 'settings', *decks], costs, left=2)}\n"
        "Read from straight lines between lengths on logarithmic axes, seed by seed.\n"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value > 100 else f"{value:.2g}"


def _table(row: Mapping[str, Any], shown: pd.DataFrame) -> str:
    """Returns the table of a deck: a line for each length of training, number of iterations and agent."""
    names = ["player", "decisions or iterations", "decisions per set", "CPU seconds", "seeds", "NashConv", SHARE]
    rows = []
    for (player, _), own in shown.groupby(["player", "steps"], sort=False, dropna=False):
        seeds, steps, seconds = own["seed"].count(), own["steps"].iloc[0], own["cpu_seconds"].mean()
        cells = ["" if pd.isna(steps) else f"{steps:,}", f"{own['each'].iloc[0]:.2g}" if seeds else ""]
        cells += ["" if np.isnan(seconds) else f"{seconds:.3g}", seeds or ""]
        cells += [f"{mean(own['nash_conv']).value:.3g}", f"{mean(own['share']):.3g}"]
        rows.append([player if seeds else f"`{player}`", *cells])
    return f"{row['name']}: {row['sets']:,} information sets.\n\n{markdown_table(names, rows)}"


def _curves(shown: pd.DataFrame, title: str) -> Any:
    """Draws the share by decisions and by CPU seconds, with a line for each deck and recipe."""
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    from stier import plots

    figure, axes = plots.panels((1, 2), (10, 4.8), title, width=90, sharey=True)
    drawn = shown[shown["steps"].notna()]
    colours = dict(zip(dict.fromkeys(drawn["deck"]), plots.COLOURS, strict=False))
    styles = dict(zip(dict.fromkeys(drawn.sort_values("seed")["player"]), ("-", "--", ":", "-."), strict=False))
    for (deck, player), own in drawn.groupby(["deck", "player"], sort=False):
        lengths = [length for _, length in own.groupby("steps")]
        value, *ends = np.array([mean(length["share"]) for length in lengths]).T
        for one, cost in zip(axes, DRAWN, strict=True):
            # An iteration is not a decision.
            if cost == "cpu_seconds" or own["seed"].notna().all():
                costs = [length[cost].mean() for length in lengths]
                one.plot(costs, value, marker=".", color=colours[deck], linestyle=styles[player])
                one.fill_between(costs, *ends, color=colours[deck], alpha=0.15, linewidth=0)
    for one, (cost, form) in zip(axes, DRAWN.items(), strict=True):
        one.set(xscale="log", yscale="log", xlabel=COSTS[cost])
        one.xaxis.set_major_formatter(form)
    axes[0].set_ylabel(SHARE)
    axes[0].yaxis.set_major_formatter("{x:g}")
    sizes = [f"{deck}: {sets:,} sets" for deck, sets in drawn.groupby("deck", sort=False)["sets"].first().items()]
    legends: Any = (
        ("lower left", sizes, [{"color": one} for one in colours.values()]),
        ("lower right", styles, [{"color": "0.3", "linestyle": one} for one in styles.values()]),
    )
    for place, labels, looks in legends:
        handles = [Line2D([], [], **look) for look in looks]
        axes[0].add_artist(Legend(axes[0], handles, labels, loc=place, frameon=False, fontsize=8))
    return figure
