"""Calculations of the study *When is an attack right?* in parts, and means with their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from attack_timing import play
from stier import derive_seed
from stier.experiments import build

#: Units that an interval needs.
FEWEST = 10

#: Variances up to this are 0, but for rounding.
NOTHING = 1e-20

#: Ends of the names of columns that are shares, between 0 and 1.
SHARES = ("share", "right", "wins", "attacks_later")


def means(
    frame: pd.DataFrame, by: Sequence[str], values: Mapping[str, npt.ArrayLike], *, unit: str = "game"
) -> pd.DataFrame:
    """Returns the mean of each value in each group, with the half width of its 95 % interval.

    The variance is that of a ratio of sums over units (linearized), so that rows of one unit may depend on each other.
    The interval is Student's, as that of `stier.ratings.estimate` without a range. Intervals of shares allow for what
    was not seen, as if one more unit lay at the farther end: 20 units that are all alike are not known to be always
    alike.

    Args:
        frame: Rows with the columns `by` and `unit`.
        by: Columns that make the groups; none for a single group.
        values: Columns to average, by name; as long as the frame. Rows in which one is not a number are left out of it.
        unit: The column of the independent draws.

    Returns:
        One row per group, sorted: `by`, ``n`` (rows), ``units``, and for each value ``name`` and ``name_ci95`` (not a
        number for fewer than ten units: too few for it to mean anything; nor for values that are all alike, but for
        shares).
    """
    if by:
        groups = frame.groupby(list(by), observed=True, sort=True)
        group, table = groups.ngroup().to_numpy(), groups.size().index.to_frame(index=False)
    else:
        group, table = np.zeros(len(frame), np.int64), pd.DataFrame(index=range(1))
    count = len(table)
    # Each pair of a group and a unit has a number; `of` is the group of a pair.
    units = pd.factorize(frame[unit])[0]
    pairs, pair = np.unique(group.astype(np.int64) * (units.max(initial=0) + 1) + units, return_inverse=True)
    of = pairs // (units.max(initial=0) + 1)
    table["n"] = np.bincount(group, minlength=count)
    table["units"] = np.bincount(of, minlength=count)
    for name, column in values.items():
        value = np.asarray(column, dtype=np.float64)
        there = ~np.isnan(value)
        sums = np.bincount(pair, weights=np.where(there, value, 0.0), minlength=len(pairs)).astype(np.float64)
        sizes = np.bincount(pair, weights=there, minlength=len(pairs)).astype(np.float64)
        mean, half = _ratio(of, sums, sizes, count, is_share=name.endswith(SHARES))
        table[name], table[f"{name}_ci95"] = mean, half
    return table


def _ratio(
    of: npt.NDArray[np.int64],
    sums: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.float64],
    count: int,
    *,
    is_share: bool,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The ratio of two sums over units by group, and its half width."""
    with np.errstate(invalid="ignore", divide="ignore"):
        total = np.bincount(of, weights=sizes, minlength=count)
        mean = np.bincount(of, weights=sums, minlength=count) / total
        residual = sums - mean[of] * sizes
        units = np.bincount(of, weights=sizes > 0, minlength=count)
        variance = np.bincount(of, weights=residual**2, minlength=count) * units / (units - 1) / total**2
        if is_share:
            variance += (np.maximum(mean, 1 - mean) / (units + 1)) ** 2
        quantile = stats.t.ppf(0.975, units - 1)
    return mean, quantile * np.sqrt(np.where((units >= FEWEST) & (variance > NOTHING), variance, np.nan))


ARMS = ("now", "wait", "never")


def arms(frame: pd.DataFrame) -> dict[str, npt.NDArray[np.float64]]:
    """Returns the values of all arms and the gains of attacking."""
    found = {arm: np.asarray(frame[arm], dtype=np.float64) for arm in ARMS}
    return {
        **found,
        "now_minus_wait": found["now"] - found["wait"],
        "now_minus_never": found["now"] - found["never"],
    }


def better_arm_losses(
    frame: pd.DataFrame, share: npt.ArrayLike
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns the loss from bad attacks and from missed ones, at each position, for a player who attacks with `share`.

    The better arm is chosen by one half of the continuations and valued by the other, and the other way round: without
    bias for a player who chooses by half of the continuations, and so at most the value of the very best choice.
    """
    attacks = np.asarray(share, dtype=np.float64)
    bad, missed = np.zeros(len(frame)), np.zeros(len(frame))
    for chooses, values in [("even", "odd"), ("odd", "even")]:
        better = np.asarray(frame[f"now_{chooses}"] > frame[f"wait_{chooses}"])
        gain = np.asarray(frame[f"now_{values}"] - frame[f"wait_{values}"], dtype=np.float64)
        missed += np.where(better, gain, 0) * (1 - attacks) / 2
        bad += np.where(better, 0, -gain) * attacks / 2
    return bad, missed


SCORINGS = ("points", "schwinger")

#: Plays the cards by the game's fitted policy and attacks at random, so that all hands reach a decision at every trick.
ANYHOW = "rule:when=random,chance=0.25,cards=greedy"

#: The strongest player that can play tens of thousands of bouts: guided by the fitted policy, exact at the end.
SEARCH = "ismcts:selection=puct,prior=fitted,rollout=fitted,endings=on,opponents=fitted,iterations=100"


@dataclass(frozen=True)
class Run:
    """A calculation in parts of equal size.

    Attributes:
        name: Its folder, such as ``broad/points``.
        settings: All that its parts depend on, as JSON has it, but for the version and the size of a part.
        chunk: Games or deals of a part.
        parts: The number of parts.
    """

    name: str
    settings: dict[str, Any]
    chunk: int
    parts: int

    def described(self) -> dict[str, Any]:
        """Returns all that a part depends on."""
        return {**self.settings, "chunk": self.chunk, "version": build()}

    def play(self, part: int, threads: int) -> pd.DataFrame:
        """Plays a part."""
        match self.settings["kind"]:
            case "match":
                return play.match(self.settings, part, self.chunk, threads)
            case "equilibrium":
                return play.equilibrium(self.settings, threads)
            case _:
                return play.positions(self.settings, range(part * self.chunk, (part + 1) * self.chunk), threads)


@dataclass(frozen=True)
class Size:
    """Games or deals of a run: in the full study, in the quick one, and in a part."""

    full: int
    quick: int
    chunk: int


@dataclass(frozen=True)
class Scope:
    """The size of a study."""

    seed: int
    quick: bool
    scale: float
    #: The file of the network that is the champion; that of the game if it is empty.
    network: str = ""

    def champion(self, scoring: str) -> str:
        """Returns the champion as an agent that draws its actions, as in its training.

        The game's network was trained for bouts of `points`. Under `schwinger` it is a stand-in that plays as if points
        counted.
        """
        path = f"path=({self.network})," if self.network else ""
        return f"network:{path}choose=sample{'' if scoring == 'points' else ',rules=any'}"

    def searching(self, scoring: str, options: str) -> str:
        """Returns the search step over the champion, with these options."""
        path = f",network=({self.network})" if self.network else ""
        return f"mmds:{options}{path}{'' if scoring == 'points' else ',network_rules=any'}"

    def _parts(self, size: Size) -> dict[str, int]:
        base = size.quick if self.quick else size.full
        games = max(1, round(self.scale * base))
        # Studies of scale 1 and more have the same parts.
        chunk = min(size.chunk, base, games)
        return {"chunk": chunk, "parts": math.ceil(games / chunk)}

    def positions(self, name: str, size: Size, rules: dict[str, Any], **settings: Any) -> Run:
        """Makes a run of positions of games; the runs of one chapter have, game for game, the same cards."""
        full = {
            "players": "greedy",
            "continuation": "greedy",
            "repeats": 1,
            "hidden": "truth",
            "advisers": [],
            "share": 1.0,
        }
        seed = derive_seed(self.seed, name.split("/")[0], 0)
        described = {"kind": "positions", "rules": rules, **full, **settings, "seed": seed}
        return Run(name, described, **self._parts(size))

    def match(self, name: str, size: Size, rules: dict[str, Any], agents: Sequence[str]) -> Run:
        """Makes a run of deals of two agents; all matches of one chapter have the same cards."""
        seed = derive_seed(self.seed, name.split("/")[0], 0)
        described = {"kind": "match", "rules": rules, "agents": list(agents), "seed": seed}
        return Run(name, described, **self._parts(size))


class Parts(Protocol):
    """The parts of the runs."""

    def read(self, run: Run, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Returns all parts of a run, in order, or some of their columns."""


@dataclass(frozen=True)
class Chapter:
    """A part of the study.

    Attributes:
        name: Its name, and its folder.
        runs: Makes the runs.
        tables: Makes its tables, by name, from the runs.
    """

    name: str
    runs: Callable[[Scope], list[Run]]
    tables: Callable[[Parts, Sequence[Run]], dict[str, pd.DataFrame]]


def scoring_of(run: Run) -> str:
    """The scoring that a run was played under."""
    return str(run.settings["rules"]["scoring"])


def stack(tables: Iterable[pd.DataFrame], **labels: Sequence[object]) -> pd.DataFrame:
    """One table of several, each with its labels in front."""
    labelled = []
    for index, table in enumerate(tables):
        front = pd.DataFrame({name: values[index] for name, values in labels.items()}, index=table.index)
        labelled.append(pd.concat([front, table], axis=1))
    return pd.concat(labelled, ignore_index=True)
