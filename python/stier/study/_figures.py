"""Figures of the study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from stier.errors import MissingExtraError
from stier.plots import COLOURS, DIVERGING
from stier.study._chapters import STANDINGS
from stier.study._runs import SCORINGS

try:
    from matplotlib import pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ModuleNotFoundError:
    raise MissingExtraError("figures need matplotlib: pip install 'stier[plots]'") from None

Tables = Mapping[str, pd.DataFrame]

BLUE, ORANGE, GREEN, PINK, SKY, RED = COLOURS
UNITS = {"points": "points", "schwinger": "Schwinger points"}

LIGHTS = {
    "pimc": "open cards\n(pimc)",
    "presumed_pimc": "presumed values\n(presumed_pimc)",
    "epimc": "postponed\n(epimc)",
    "ismcts:iterations=20000": "ISMCTS\n(20,000)",
    "best:iterations=20000": "best agent\n(20,000)",
    "thumb": "rule of thumb",
}

OPPONENTS = {
    "never": "never",
    "random": "at random, half the time",
    "always": "at the first chance",
    "cards": "when its own policy does",
    "best": "as the best agent (1,000),\nwhich also plays its cards",
}


def figures(tables: Tables) -> dict[str, Callable[[], Figure]]:
    """Returns every figure that there are tables for."""
    known: dict[str, tuple[set[str], Callable[[Tables], Figure]]] = {
        "attack_value": (
            {"by_tricks", "by_count"},
            partial(value, chapter="broad", counts="by_count", players="the fitted policy"),
        ),
        "attack_value_champion": (
            {"by_tricks", "champion_by_count"},
            partial(value, chapter="champion", counts="champion_by_count", players="the champion"),
        ),
        "attack_hands": ({"by_hand"}, partial(hands, name="by_hand", players="the fitted policy")),
        "attack_hands_champion": (
            {"champion_by_hand"},
            partial(hands, name="champion_by_hand", players="the champion"),
        ),
        "attack_probability": ({"attacks_by_hand", "equilibria", "equilibria_by_hand"}, probability),
        "attack_lights": ({"lights"}, lights),
        "attack_rule": ({"matches"}, rule),
        "attack_match": ({"match"}, match),
    }
    return {name: partial(_in_style, make, tables) for name, (needed, make) in known.items() if needed <= tables.keys()}


def _in_style(make: Callable[[Tables], Figure], tables: Tables) -> Figure:
    with plt.rc_context({"font.size": 9, "axes.titlesize": 10}):
        return make(tables)


def value(tables: Tables, chapter: str, counts: str, players: str) -> Figure:
    """Draws the gain of attacking over waiting, by the number of tricks and by the rule's count."""
    figure, axes = plt.subplots(2, 2, figsize=(9, 5.8), layout="constrained")
    figure.suptitle(f"Played on by {players}", fontsize=10)
    for row, scoring in zip(axes, SCORINGS, strict=True):
        table = tables["by_tricks"]
        all_hands = table[(table["scoring"] == scoring) & (table["chapter"] == chapter)]
        _points(row[0], all_hands["tricks"] - 0.08, all_hands, "now_minus_wait", BLUE, "o", "than waiting")
        _points(row[0], all_hands["tricks"] + 0.08, all_hands, "now_minus_never", ORANGE, "s", "than never attacking")
        row[0].set_xlabel("finished tricks")
        row[0].set_ylabel(f"attacking is better by\n({UNITS[scoring]} per bout)")
        row[0].margins(y=0.25)
        row[0].legend(frameon=False, fontsize=8, ncols=2, loc="upper center")
        row[0].set_title(f"{scoring}: all hands")
        counted = tables[counts]
        counted = counted[(counted["scoring"] == scoring) & (counted["units"] >= 100)]
        known = counted[counted["count"] >= 0]
        for chosen, colour, marker in [(known["count"] >= 4, BLUE, "o"), (known["count"] < 4, RED, "v")]:
            _points(row[1], known["count"][chosen], known[chosen], "now_minus_wait", colour, marker, None)
        without = counted[counted["count"] < 0]
        place = float(known["count"].max()) + 1.5
        _points(row[1], without["count"] * 0 + place, without, "now_minus_wait", GREEN, "D", None)
        row[1].axvline(3.5, color="grey", lw=0.8, ls=":")
        places = [*known["count"].astype(int), *([place] if len(without) else [])]
        row[1].set_xticks(
            places, [*map(str, known["count"].astype(int)), *(["no trump\nsuit"] if len(without) else [])]
        )
        row[1].set_xlabel("count of the rule of thumb: from 4 on it attacks")
        row[1].set_title(f"{scoring}: attacking instead of waiting")
    return figure


def _points(ax: Axes, x: Any, table: pd.DataFrame, name: str, colour: str, marker: str, label: str | None) -> None:
    """Means with their intervals."""
    ax.errorbar(
        x, table[name], yerr=table[f"{name}_ci95"], fmt=marker, color=colour, ms=5, capsize=2.5, lw=1, label=label
    )
    ax.axhline(0, color="grey", lw=0.8)
    ax.spines[["top", "right"]].set_visible(False)


def hands(tables: Tables, name: str, players: str) -> Figure:
    """Draws the gain of attacking over waiting, by trumps and the longest other suit, from one of the tables."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.9), layout="constrained")
    figure.suptitle(f"Played on by {players}", fontsize=10)
    for ax, scoring in zip(axes, SCORINGS, strict=True):
        table = tables[name]
        _gains(ax, table[(table["scoring"] == scoring) & (table["units"] >= 50)])
        ax.set_title(f"{scoring}: attacking instead of waiting, {UNITS[scoring]}")
    return figure


def probability(tables: Tables) -> Figure:
    """Draws how often the first player attacks at the first lead, by hand, for players and for an equilibrium."""
    attacks = tables["attacks_by_hand"]
    first = attacks[(attacks["scoring"] == "points") & (attacks["tricks"] == 0) & (attacks["units"] >= 20)]
    by_player = {name: first[first["players"] == name] for name in ("champion", "step", "search")}
    solved = tables["equilibria"].query("scoring == 'points' and player == 'equilibrium'")
    # Of the decks with the largest hands, the one with the most suits.
    sizes = [solved["deck"].str.extract(rf"{name}=(\d+)", expand=False) for name in ("hand_size", "suits", "values")]
    cards, suits, values, deck = max(zip(*sizes, solved["deck"], strict=True))
    sets = tables["equilibria_by_hand"].query("scoring == 'points' and tricks == 0")
    panels = [
        ("the champion", by_player["champion"], "attack_share"),
        ("a search step over the champion", by_player["step"], "attack_share"),
        ("a search guided by the fitted policy", by_player["search"], "attack_share"),
        ("the rule of thumb", by_player["champion" if len(by_player["champion"]) else "search"], "rule_share"),
        (f"equilibrium, {suits} suits of {values}, hands of {cards}", sets[sets["deck"] == deck], "attack_share"),
    ]
    figure, axes = plt.subplots(3, 2, figsize=(9, 9.6), layout="constrained")
    for ax, (title, table, column) in zip(axes.flat, panels, strict=False):
        _shares(ax, table, column)
        ax.set_title(title)
    _gains(axes[-1, -1], by_player["champion"].query("units >= 50"))
    axes[-1, -1].set_title("what attacking gains over waiting, points")
    figure.suptitle(
        "How often the first player attacks at the first lead, per cent; below right, what it is worth\n"
        "if the champion plays on (empty: too few deals)",
        fontsize=11,
    )
    return figure


def _shares(ax: Axes, table: pd.DataFrame, column: str) -> None:
    """A grid of shares in per cent, by hand."""
    _grid(ax, table, column, lambda row: f"{100 * row[column]:.0f}", 0, 1.25, "Blues", 0.75)


def _gains(ax: Axes, table: pd.DataFrame) -> None:
    """A grid of gains with their intervals, by hand; without colour where the interval contains 0."""
    gain, width = table["now_minus_wait"], table["now_minus_wait_ci95"]
    shown = table.assign(shown=gain.where(gain.abs() > width, 0.0))
    most = float(shown["shown"].abs().max()) or 1.0
    told = lambda row: f"{row['now_minus_wait']:+.2f}\n± {row['now_minus_wait_ci95']:.2f}"  # noqa: E731
    _grid(ax, shown, "shown", told, -1.3 * most, 1.3 * most, DIVERGING, 0.75 * most)


def _grid(
    ax: Axes,
    table: pd.DataFrame,
    column: str,
    told: Callable[[Any], str],
    low: float,
    high: float,
    colours: Any,
    dark: float,
) -> None:
    """A grid of hands: trumps upwards, hands without a trump suit below them, the longest other suit to the right."""
    if table.empty:
        ax.set_axis_off()
        return
    known = table["has_trump"] > 0 if "has_trump" in table else np.ones(len(table), dtype=bool)
    rows = table.assign(row=table["trumps"].where(known, -1).astype("int64"))
    grid = rows.pivot(index="row", columns="longest_plain", values=column)
    ax.imshow(np.ma.masked_invalid(grid), cmap=colours, vmin=low, vmax=high, origin="lower", aspect="auto")
    for _, row in rows.iterrows():
        place = (grid.columns.get_loc(row["longest_plain"]), grid.index.get_loc(row["row"]))
        colour = "white" if abs(row[column]) > dark else "black"
        ax.text(*place, told(row), ha="center", va="center", fontsize=8, color=colour)
    ax.set_xticks(range(len(grid.columns)), [str(int(one)) for one in grid.columns])
    ax.set_yticks(range(len(grid.index)), ["no trump\nsuit" if one < 0 else str(int(one)) for one in grid.index])
    ax.set_xlabel("cards of the longest other suit")
    ax.set_ylabel("trumps in hand")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def lights(tables: Tables) -> Figure:
    """By how much searches overestimate the realised value."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
    for ax, scoring in zip(axes, SCORINGS, strict=True):
        table = tables["lights"]
        table = table[(table["scoring"] == scoring) & table["optimism_now"].notna()]
        place = np.arange(len(table))[::-1]
        for shift, name, colour, marker, label in [
            (0.12, "optimism_now", BLUE, "o", "attacking"),
            (-0.12, "optimism_wait", ORANGE, "s", "waiting"),
        ]:
            width = table[f"{name}_ci95"]
            ax.errorbar(
                table[name], place + shift, xerr=width, fmt=marker, color=colour, ms=5, capsize=2.5, lw=1, label=label
            )
        ax.axvline(0, color="grey", lw=0.8)
        ax.set_yticks(place, [LIGHTS[name] for name in table["light"]])
        ax.set_ylim(-0.6, len(table) - 0.4)
        ax.set_xlabel(f"overestimates the realised value by ({UNITS[scoring]})")
        ax.set_title(f"{scoring} scoring")
        ax.spines[["top", "right"]].set_visible(False)
    _legend(figure, axes[0], "value of")
    return figure


def _legend(figure: Figure, ax: Axes, title: str) -> None:
    """A legend below the data."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(
        handles,
        [f"{title} {label}" for label in labels],
        frameon=False,
        fontsize=8.5,
        loc="outside lower center",
        ncols=2 if len(labels) == 4 else 3,
    )


def rule(tables: Tables) -> Figure:
    """The rule of thumb against other ways to attack."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
    looks = {
        "champion": (RED, "D", "the champion"),
        "fitted": (BLUE, "o", "the fitted policy"),
        "search": (ORANGE, "s", "ISMCTS (1,000)"),
        "best": (GREEN, "^", "the best agent (1,000)"),
    }
    for ax, scoring in zip(axes, SCORINGS, strict=True):
        table = tables["matches"]
        table = table[(table["scoring"] == scoring) & table["against"].isin(list(OPPONENTS))]
        # Those that are there share a row's height, the first on top.
        there = {
            name: [cards for cards in looks if cards in set(mine["cards"])] for name, mine in table.groupby("against")
        }
        for cards, (colour, marker, label) in looks.items():
            mine = table[table["cards"] == cards]
            place = [
                len(OPPONENTS)
                - 1
                - list(OPPONENTS).index(name)
                + 0.2 * ((len(there[name]) - 1) / 2 - there[name].index(cards))
                for name in mine["against"]
            ]
            width = mine["mean_ci95"]
            ax.errorbar(mine["mean"], place, xerr=width, fmt=marker, color=colour, ms=5, capsize=2.5, lw=1, label=label)
        ax.axvline(0, color="grey", lw=0.8)
        ax.set_yticks(range(len(OPPONENTS)), list(OPPONENTS.values())[::-1])
        ax.set_ylim(-0.6, len(OPPONENTS) - 0.4)
        ax.set_xlabel(f"gain of the rule ({UNITS[scoring]} per bout)")
        ax.set_title(f"{scoring} scoring")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("the opponent attacks")
    _legend(figure, axes[0], "cards played by")
    return figure


def match(tables: Tables) -> Figure:
    """The value of attacking by the standing of a match."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharey=True)
    looks = {0: (BLUE, "o", "the last bout"), 1: (ORANGE, "s", "one more bout after this"), 2: (GREEN, "^", "two more")}
    for ax, scoring in zip(axes, SCORINGS, strict=True):
        table = tables["match"]
        for number, (left, (colour, marker, label)) in enumerate(looks.items()):
            mine = table[(table["scoring"] == scoring) & (table["bouts_left"] == left)]
            place = np.array([STANDINGS.index(name) for name in mine["standing"]]) + 0.18 * (number - 1)
            percent, width = 50 * mine["now_minus_wait"], 50 * mine["now_minus_wait_ci95"]
            ax.errorbar(place, percent, yerr=width, fmt=marker, color=colour, ms=5, capsize=2.5, lw=1, label=label)
        ax.axhline(0, color="grey", lw=0.8)
        ax.set_xticks(range(len(STANDINGS)), list(STANDINGS))
        ax.set_title(f"{scoring}: four bouts, share of matches won")
        ax.set_xlabel("the player on lead is")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("attacking instead of waiting:\nchance to win the match, percentage points")
    axes[1].legend(frameon=False, fontsize=8)
    return figure
