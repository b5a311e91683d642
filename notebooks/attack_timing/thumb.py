"""Rules of thumb: one fitted to positions, and the worth of rules at other positions.

A rule is judged one decision at a time: it decides whether to attack at a position, and the players who continue the
game decide everything after that. So its worth is not that of a player who follows it in all its decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
import pandas as pd

from attack_timing.runs import ARMS, Parts, Run, arms, means, scoring_of, stack

Column = npt.NDArray[np.float64]

#: The weights that `fit` tries, by feature.
WEIGHTS = {
    "trumps": range(5),
    "longest_plain": range(-1, 4),
    "referee": range(-1, 3),
    "boss_trumps": range(-2, 3),
}

#: The features that a rule counts.
FEATURES = tuple(WEIGHTS)

#: A cell holds the hands that are alike in these.
CELL = ("has_trump", "trumps", "longest_plain", "referee")


@dataclass(frozen=True)
class Thumb:
    """A rule: it attacks without a trump suit, and if its weighted count of the hand is at least `enough`."""

    trumps: int
    longest_plain: int
    referee: int
    boss_trumps: int
    enough: int

    def attacks(self, frame: pd.DataFrame) -> Column:
        """Returns 1 at the positions at which the rule attacks, and 0 elsewhere."""
        counted = sum(getattr(self, name) * frame[name] for name in FEATURES)
        return np.asarray((frame["has_trump"] == 0) | (counted >= self.enough), dtype=np.float64)


#: The rule of thumb of the game.
RULE_OF_THUMB = Thumb(trumps=2, longest_plain=1, referee=1, boss_trumps=-1, enough=4)


def fit(frame: pd.DataFrame, gain: npt.ArrayLike) -> Thumb:
    """Returns the simplest rule that is not clearly worse than the best one.

    The best rule has the highest total gain where it attacks. A rule is not clearly worse if it falls short of that by
    at most one standard error of the difference. Of these the one with the smallest sum of weights is returned.

    Args:
        frame: Positions.
        gain: The gain of attacking over waiting at each position.
    """
    gained = np.asarray(gain, dtype=np.float64)
    hands = frame[list(FEATURES)].assign(gain=gained, square=gained**2)[(frame["has_trump"] > 0).to_numpy()]
    cells = hands.groupby(list(FEATURES))[["gain", "square"]].sum().reset_index()
    features = cells[list(FEATURES)].to_numpy(dtype=np.int64)
    gains, squares = (cells[name].to_numpy(dtype=np.float64) for name in ("gain", "square"))
    rules, attacks = [], []
    for weights in (dict(zip(FEATURES, chosen, strict=True)) for chosen in product(*WEIGHTS.values())):
        counted = features @ np.array(list(weights.values()), dtype=np.int64)
        lowest = int(counted.min(initial=0))
        # The gain of all cells with at least a count, from the lowest to one above the highest.
        by_count = np.bincount(counted - lowest, weights=gains)
        totals = np.append(np.cumsum(by_count[::-1])[::-1], 0.0)
        enough = int(totals.argmax()) + lowest
        rules.append(Thumb(**weights, enough=enough))
        attacks.append(counted >= enough)
    totals = np.array([gains[chosen].sum() for chosen in attacks])
    best = attacks[int(totals.argmax())]
    # Positions of one game count as independent: a choice between nearly equal rules needs no more.
    errors = np.array([np.sqrt(squares[chosen != best].sum()) for chosen in attacks])
    near = np.flatnonzero(totals.max() - totals <= errors)
    # Rounded: rules that attack with the same hands must not differ by the order of a sum.
    order = [(_size(rules[index]), -round(float(totals[index]), 6), index) for index in near]
    return rules[min(order)[-1]]


def _size(rule: Thumb) -> int:
    return sum(abs(getattr(rule, name)) for name in FEATURES)


def rule_tables(store: Parts, runs: Sequence[Run], chapter: str) -> dict[str, pd.DataFrame]:
    """Returns the rule that is fitted to the even games of each run, and the worth of rules in its odd games.

    If the run queried an agent, its probability of an attack is judged in the same way, as ``champion``.
    """
    fitted, worth, cells = [], [], []
    for run in runs:
        asked = ["adviser0_share"] if run.settings["advisers"] else []
        columns = ["game", "seat", "tricks", "has_trump", *FEATURES, "rule", *asked, *ARMS]
        frame = store.read(run, columns)
        own, *tables = judged(frame, arms(frame)["now_minus_wait"], frame[asked[0]] if asked else None)
        fitted.append(pd.DataFrame([vars(own)]))
        worth.append(tables[0])
        cells.append(tables[1])
    labels = {"chapter": [chapter] * len(runs), "scoring": [scoring_of(run) for run in runs]}
    found = {"rule_fitted": fitted, "rule_worth": worth, "rule_cells": cells}
    return {name: stack(tables, **labels) for name, tables in found.items()}


def judged(
    frame: pd.DataFrame, gain: npt.ArrayLike, champion: npt.ArrayLike | None = None
) -> tuple[Thumb, pd.DataFrame, pd.DataFrame]:
    """Fits a rule to the even games and judges it and others by the odd games.

    Args:
        frame: Positions in order, with the columns ``game``, ``seat``, ``tricks``, ``rule``, `CELL` and `FEATURES`.
        gain: The gain of attacking over waiting at each position.
        champion: The probability of an attack of a player, to be judged, too.

    Returns:
        The fitted rule; the worth of each way to decide (``per`` decision by tricks, -1 for all, and per bout for the
        first chance of each player); and the loss in each cell, the worst of the rule of thumb first.
    """
    gained = np.asarray(gain, dtype=np.float64)
    even = (frame["game"] % 2 == 0).to_numpy()
    own = fit(frame[even], gained[even])
    better = _better(frame, gained, even)
    odd, of_odd = frame[~even].reset_index(drop=True), gained[~even]
    shares: dict[str, Column] = {
        "rule": np.asarray(odd["rule"], dtype=np.float64),
        "fitted_rule": own.attacks(odd),
        "always": np.ones(len(odd)),
        "best_by_cell": better[~even],
    }
    if champion is not None:
        shares["champion"] = np.asarray(champion, dtype=np.float64)[~even]
    return own, _worth(odd, of_odd, shares), _cells(odd, of_odd, shares)


def _better(frame: pd.DataFrame, gain: Column, chooses: npt.NDArray[np.bool_]) -> Column:
    """Returns 1 in the cells in which attacking is better in the games that choose, and in those without such games."""
    cell = frame.groupby(list(CELL), sort=True).ngroup().to_numpy()
    sums = np.bincount(cell[chooses], weights=gain[chooses], minlength=int(cell.max(initial=0)) + 1)
    better: Column = (sums >= 0)[cell].astype(np.float64)
    return better


def _worth(frame: pd.DataFrame, gain: Column, shares: Mapping[str, Column]) -> pd.DataFrame:
    first = ~frame.duplicated(["game", "seat"]).to_numpy()
    tables = []
    for name, share in shares.items():
        values = {
            "attack_share": share,
            "gain": share * gain,
            "over_always": (share - 1) * gain,
            "over_rule": (share - shares["rule"]) * gain,
        }
        # Each of the two players decides at its first chance.
        of_bout = pd.DataFrame({key: np.where(first, column, 0.0) for key, column in values.items()})
        bouts = of_bout.groupby(frame["game"].to_numpy()).sum() / 2
        bout = means(bouts.assign(tricks=-1, game=bouts.index), ["tricks"], {key: bouts[key] for key in values})
        decisions = [means(grouped, ["tricks"], values) for grouped in (frame.assign(tricks=-1), frame)]
        found = stack([bout, *decisions], per=["bout", "decision", "decision"])
        found["tricks"] = found["tricks"].astype("int64")
        found.insert(0, "decides", name)
        tables.append(found)
    return pd.concat(tables, ignore_index=True)


def _cells(frame: pd.DataFrame, gain: Column, shares: Mapping[str, Column]) -> pd.DataFrame:
    """By cell, the gain of attacking and what each way to decide loses to the best choice by cell.

    A loss is a contribution to the mean over all decisions: those of all cells add up to the whole.
    """
    others = {name: share for name, share in shares.items() if name != "best_by_cell"}
    values = {"now_minus_wait": gain, **{f"{name}_share": share for name, share in others.items()}}
    table = means(frame, CELL, values)
    table = table.drop(columns=[f"{name}_share_ci95" for name in others])
    cell = frame.groupby(list(CELL), sort=True).ngroup().to_numpy()
    for name, share in others.items():
        lost = (shares["best_by_cell"] - share) * gain
        table[f"{name}_loss"] = np.bincount(cell, weights=lost, minlength=len(table)) / len(frame)
    return table.sort_values("rule_loss", ascending=False, ignore_index=True)
