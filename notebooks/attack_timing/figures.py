"""Figures of the study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from attack_timing.chapters import STANDINGS
from attack_timing.tables import first_lead, gain_title, gains_by_hand

Tables = Mapping[str, pd.DataFrame]

#: The meaning of colours in every figure: attacking or its gain, waiting, neither; and who plays the cards.
ATTACK, WAIT, NEITHER = "#5e3c99", "#e08214", "#8c8c8c"
SHADES = LinearSegmentedColormap.from_list("attack", ["#f7f7f7", ATTACK])
PLAYERS = {
    "champion": ("#0072B2", "D", "the network"),
    "fitted": (NEITHER, "o", "greedy"),
    "search": ("#56B4E9", "s", "ISMCTS, 1,000 iterations"),
    "best": ("#009E73", "^", "best, 1,000 iterations"),
}

SEARCHES = {
    "pimc": "pimc",
    "presumed_pimc": "presumed_pimc",
    "epimc": "epimc",
    "ismcts:iterations=20000": "ISMCTS,\n20,000 iterations",
    "best:iterations=20000": "best,\n20,000 iterations",
}

OPPONENTS = {
    "never": "never attacks",
    "random": "attacks at half of the chances",
    "always": "attacks at the first chance",
    "cards": "decides as its card play does",
}


def figures(tables: Tables) -> dict[str, Callable[[], Figure]]:
    """Returns every figure that there are tables for. Their titles say what the tables show. All are about `points`."""
    known: dict[str, tuple[set[str], Callable[[Tables], Figure]]] = {
        "attack_gain": ({"attacks_by_hand"}, gain),
        "attack_value": (
            {"by_tricks", "by_count"},
            partial(value, chapter="broad", counts="by_count", players="greedy"),
        ),
        "attack_value_champion": (
            {"by_tricks", "champion_by_count"},
            partial(value, chapter="champion", counts="champion_by_count", players="the network"),
        ),
        "attack_probability": ({"attacks_by_hand", "equilibria", "equilibria_by_hand"}, probability),
        "attack_advisers": ({"advisers"}, advisers),
        "attack_rule": ({"matches"}, rule),
        "attack_match": ({"match"}, match),
    }
    return {name: partial(_in_style, make, tables) for name, (needed, make) in known.items() if needed <= tables.keys()}


def _in_style(make: Callable[[Tables], Figure], tables: Tables) -> Figure:
    style = {"font.size": 9, "axes.titlesize": 9, "figure.titlesize": 11, "axes.spines.top": False}
    with plt.rc_context({**style, "axes.spines.right": False}):
        return make({name: _points_only(table) for name, table in tables.items()})


def _points_only(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["scoring"] == "points"] if "scoring" in table else table


def gain(tables: Tables) -> Figure:
    """Draws what attacking gains over waiting at the first lead, by hand, if the network plays on."""
    table, attack, wait = gains_by_hand(tables)
    most = float(table["shown"].abs().max()) or 1.0
    figure, ax = plt.subplots(figsize=(5.4, 3.8), layout="constrained")
    figure.suptitle("\n".join(wrap(gain_title(attack, wait), 63)))
    ax.set_title("points per bout that attacking gains over waiting\n(grey: no difference shown), and how often dealt")
    _grid(
        ax,
        table,
        "shown",
        lambda row: f"{row['now_minus_wait']:+.2f}\n{100 * row['dealt']:.1f} %",
        (-1.3 * most, 1.3 * most),
        "PuOr",
        0.75 * most,
    )
    return figure


def value(tables: Tables, chapter: str, counts: str, players: str) -> Figure:
    """Draws the gain of attacking, by the number of tricks and by the rule's count."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    by_tricks = tables["by_tricks"].query("chapter == @chapter")
    counted = tables[counts].query("units >= 100")
    low = counted.loc[counted["count"].between(0, 3)]
    below = float(np.average(low["now_minus_wait"], weights=low["n"])) if len(low) else float("nan")
    figure.suptitle(
        f"If {players} plays on, attacking gains {by_tricks['now_minus_wait'].min():.2f} points per bout or more over "
        f"waiting,\nbut {below:+.2f} with a count below four"
    )
    _intervals(left, by_tricks["tricks"] - 0.08, by_tricks, "now_minus_wait", ATTACK, "o", "over waiting")
    _intervals(left, by_tricks["tricks"] + 0.08, by_tricks, "now_minus_never", NEITHER, "s", "over never attacking")
    left.set(xlabel="finished tricks", ylabel="attacking gains, points per bout", title="all hands")
    left.margins(y=0.25)
    left.legend(frameon=False, fontsize=8, ncols=2, loc="upper center")
    place = counted["count"].where(counted["count"] >= 0, counted["count"].max() + 1.5)
    _intervals(right, place, counted, "now_minus_wait", ATTACK, "o", None)
    right.axvline(3.5, color="grey", lw=0.8, ls=":")
    right.set_xticks(place, ["no trump\nsuit" if one < 0 else str(one) for one in counted["count"].astype(int)])
    right.set(xlabel="count of the rule of thumb, which attacks with four or more", title="over waiting")
    return figure


def _intervals(
    ax: Axes, x: Any, table: pd.DataFrame, name: str, colour: str, marker: str, label: str | None, unit: float = 1
) -> None:
    """Means with their intervals."""
    means, widths = unit * table[name], unit * table[f"{name}_ci95"]
    ax.errorbar(x, means, yerr=widths, fmt=marker, color=colour, ms=5, capsize=2.5, lw=1, label=label)
    ax.axhline(0, color="grey", lw=0.8)


def probability(tables: Tables) -> Figure:
    """Draws how often the first player attacks at the first lead, by hand, for players and for an equilibrium."""
    by_player = {name: first_lead(tables, name) for name in ("champion", "step", "search")}
    solved = tables["equilibria"].query("player == 'equilibrium'")
    # Of the decks with the largest hands, the one with the most suits.
    sizes = [solved["deck"].str.extract(rf"{name}=(\d+)", expand=False) for name in ("hand_size", "suits", "values")]
    cards, suits, values, deck = max(zip(*sizes, solved["deck"], strict=True))
    sets = tables["equilibria_by_hand"].query("tricks == 0")
    panels = [
        ("the network", by_player["champion"], "attack_share"),
        ("mmds, a search with the network", by_player["step"], "attack_share"),
        ("a search guided by greedy", by_player["search"], "attack_share"),
        ("the rule of thumb", by_player["champion" if len(by_player["champion"]) else "search"], "rule_share"),
        (f"perfect play of {suits} suits of {values}, hands of {cards}", sets[sets["deck"] == deck], "attack_share"),
    ]
    figure, axes = plt.subplots(2, 3, figsize=(11, 6.4), layout="constrained")
    for ax, (title, table, column) in zip(axes.flat, panels, strict=False):
        _shares(ax, table, column)
        ax.set_title(title)
    axes[-1, -1].set_axis_off()
    figure.suptitle(
        "All attack with many trumps more often than with few; they differ most without a trump\n"
        "(attacks at the first lead, in %)"
    )
    return figure


def _shares(ax: Axes, table: pd.DataFrame, column: str) -> None:
    """A grid of shares in per cent, by hand."""
    _grid(ax, table, column, lambda row: f"{100 * row[column]:.0f}", (0, 1.1), SHADES, 0.55)


def _grid(
    ax: Axes,
    table: pd.DataFrame,
    column: str,
    told: Callable[[Any], str],
    limits: tuple[float, float],
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
    ax.imshow(np.ma.masked_invalid(grid), cmap=colours, vmin=limits[0], vmax=limits[1], origin="lower", aspect="auto")
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


def advisers(tables: Tables) -> Figure:
    """By how much searches overestimate the realised value."""
    table = tables["advisers"].query("optimism_now.notna()")
    nearest = table.loc[(table["optimism_now"].abs() + table["optimism_wait"].abs()).idxmin(), "adviser"]
    place = np.arange(len(table))[::-1]
    figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
    for shift, name, colour, marker, label in [
        (0.12, "optimism_now", ATTACK, "o", "value of attacking"),
        (-0.12, "optimism_wait", WAIT, "s", "value of waiting"),
    ]:
        width = table[f"{name}_ci95"]
        ax.errorbar(
            table[name], place + shift, xerr=width, fmt=marker, color=colour, ms=5, capsize=2.5, lw=1, label=label
        )
    ax.axvline(0, color="grey", lw=0.8)
    ax.set_yticks(place, [SEARCHES.get(name, name) for name in table["adviser"]])
    ax.set(ylim=(-0.6, len(table) - 0.4), xlabel="predicted minus realised value, points per bout")
    ax.legend(frameon=False, fontsize=8)
    figure.suptitle(
        f"Most searches misjudge both choices; {SEARCHES.get(nearest, nearest)} errs least".replace(",\n", " with ")
    )
    return figure


def rule(tables: Tables) -> Figure:
    """The rule of thumb against other ways to attack."""
    figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
    table = tables["matches"].query("against in @OPPONENTS and cards in @PLAYERS")
    rows = list(OPPONENTS)[::-1]
    for cards, (colour, marker, label) in PLAYERS.items():
        mine = table[table["cards"] == cards]
        place = [rows.index(name) + 0.15 * (1.5 - list(PLAYERS).index(cards)) for name in mine["against"]]
        width = mine["mean_ci95"]
        ax.errorbar(mine["mean"], place, xerr=width, fmt=marker, color=colour, ms=5, capsize=2.5, lw=1, label=label)
    ax.axvline(0, color="grey", lw=0.8)
    ax.set_yticks(range(len(rows)), [OPPONENTS[name] for name in rows])
    ax.set(ylim=(-0.6, len(rows) - 0.4), xlabel="the rule of thumb wins, points per bout", ylabel="its opponent")
    ax.legend(frameon=False, fontsize=8, title="cards of both played by", title_fontsize=8, loc="lower right")
    never = table.loc[table["against"] == "never", "mean"].min()
    figure.suptitle(f"To the rule of thumb, never attacking loses {never:.2f} points per bout or more")
    return figure


def match(tables: Tables) -> Figure:
    """The value of attacking by the standing of a match."""
    figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for left, colour, marker, label in [
        (0, ATTACK, "o", "the last bout"),
        (1, "#998ec3", "s", "one more bout after this"),
        (2, NEITHER, "^", "two more"),
    ]:
        mine = tables["match"].query("bouts_left == @left")
        place = np.array([STANDINGS.index(name) for name in mine["standing"]]) + 0.18 * (left - 1)
        # Won and lost are +1 and -1.
        _intervals(ax, place, mine, "now_minus_wait", colour, marker, label, unit=50)
    ax.set_xticks(range(len(STANDINGS)), list(STANDINGS))
    ax.set(xlabel="the player on lead is", ylabel="attacking adds to the chance\nto win the match, % points")
    ax.legend(frameon=False, fontsize=8)
    last = tables["match"].query("bouts_left == 0").set_index("standing")["now_minus_wait"]
    figure.suptitle(
        "In the last bout, attacking changes the chance to win the match\nby "
        + " and ".join(f"{50 * last.get(name, np.nan):+.0f} % points if {name}" for name in ("behind", "ahead"))
    )
    return figure
