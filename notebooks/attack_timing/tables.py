"""The tables that several chapters of the study make, each of the positions of its own players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from attack_timing.hands import PARTS, count
from attack_timing.runs import (
    ARMS,
    Parts,
    Run,
    Scope,
    Size,
    arms,
    better_arm_losses,
    means,
    scoring_of,
    stack,
)
from stier.ratings import estimate

#: The means of every second continuation of each arm.
HALVES = ("now_even", "now_odd", "wait_even", "wait_odd")
#: Circumstances that positions are grouped by; of strength the tenth it lies in.
CIRCUMSTANCES = (
    "trumps",
    "boss_trumps",
    "plain_suits",
    "longest_plain",
    "referee",
    "counter",
    "neutral",
    "lead",
    "opened",
    "strength",
    "count",
)


def first_lead(tables: Mapping[str, pd.DataFrame], players: str) -> pd.DataFrame:
    """Returns the attacks of some players at the first lead under `points`, by hand, without rare hands."""
    table = tables["attacks_by_hand"]
    return table.query("scoring == 'points' and players == @players and tricks == 0 and units >= 20")


def gains_by_hand(tables: Mapping[str, pd.DataFrame]) -> tuple[pd.DataFrame, float, float]:
    """Returns what attacking gains over waiting at the first lead if the network plays on, by hand.

    Its columns ``dealt`` and ``shown`` are the part of the deals, and the gain where its interval excludes 0, or
    else 0. The parts of the deals for which attacking and waiting are better come after it.
    """
    table = first_lead(tables, "champion").query("units >= 50")
    dealt, gains = table["n"] / table["n"].sum(), table["now_minus_wait"]
    shown = gains.where(gains.abs() > table["now_minus_wait_ci95"], 0.0)
    attack, wait = (float(dealt[sign * shown > 0].sum()) for sign in (1, -1))
    return table.assign(shown=shown, dealt=dealt), attack, wait


def gain_title(attack: float, wait: float) -> str:
    """Returns the finding of `gains_by_hand`."""
    return (
        "At the first lead, attacking is better on average for kinds of hands that make up "
        f"{100 * attack:.0f} % of the deals, waiting for {100 * wait:.0f} %"
    )


def anyhow_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """Returns the gain of attacking in all hands: by circumstance, by hand, by count, by rule, and its parts."""
    found: dict[str, list[pd.DataFrame]] = {
        "by_circumstance": [],
        "by_hand": [],
        "by_count": [],
        "by_rule": [],
        "parts": [],
    }
    for run in runs:
        frame = store.read(run)
        frame["count"] = count(frame).where(frame["has_trump"] > 0)
        # Ten groups, the last up to 1.
        frame["strength"] = np.floor(frame["strength"].astype("float64") * 10 + 1e-6).clip(0, 9) / 10
        values = arms(frame)
        found["by_circumstance"].append(
            pd.concat([_by(frame, values, name) for name in CIRCUMSTANCES], ignore_index=True)
        )
        trump = frame["has_trump"].to_numpy() > 0
        difference = {"now_minus_wait": values["now_minus_wait"]}
        with_trump = {"now_minus_wait": values["now_minus_wait"][trump]}
        found["by_hand"].append(means(frame[trump], ["trumps", "longest_plain"], with_trump))
        found["by_count"].append(means(frame.assign(count=frame["count"].fillna(-1)), ["count"], values))
        found["by_rule"].append(with_all(frame, ["tricks", "rule"], difference))
        found["parts"].append(_contributions(frame))
    scoring = [scoring_of(run) for run in runs]
    return {name: stack(parts, scoring=scoring) for name, parts in found.items()}


def with_all(frame: pd.DataFrame, by: Sequence[str], values: Mapping[str, npt.ArrayLike]) -> pd.DataFrame:
    """Returns the means of all rows, marked -1 in the first column of `by`, followed by those of each group."""
    first, *_ = by
    numbered = frame.assign(**{first: frame[first].astype("int64")})
    parts = [means(part, by, values) for part in (numbered.assign(**{first: -1}), numbered)]
    return pd.concat(parts, ignore_index=True)


def _by(frame: pd.DataFrame, values: dict[str, np.ndarray], name: str) -> pd.DataFrame:
    there = frame[name].notna().to_numpy()
    table = means(frame[there], ["tricks", name], {key: column[there] for key, column in values.items()})
    table.insert(1, "circumstance", name)
    return table.rename(columns={name: "value"})


def _contributions(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns the contribution of each part of the return, by tricks and over all."""
    names = [*PARTS, "whole"]
    everywhere = frame.assign(tricks=-1)
    tables = []
    for grouped in [everywhere, frame]:
        for name in names:
            columns = [frame[arm if name == "whole" else f"{arm}_{name}"] for arm in ("now", "wait")]
            now, wait = (np.asarray(column, dtype=np.float64) for column in columns)
            table = means(grouped, ["tricks"], {"now": now, "wait": wait, "now_minus_wait": now - wait})
            table.insert(1, "part", name)
            tables.append(table)
    return pd.concat(tables, ignore_index=True)


def by_tricks(store: Parts, runs: Sequence[Run], chapter: str) -> pd.DataFrame:
    """The values by the number of finished tricks, and how often the players and the rule of thumb attack."""
    columns = ["game", "tricks", "share", "rule", "wait_committed", *ARMS]
    tables = []
    for run in runs:
        frame = store.read(run, columns)
        shares = {
            "attack_share": frame["share"],
            "rule_share": frame["rule"],
            "attacks_later": frame["wait_committed"],
        }
        tables.append(means(frame, ["tricks"], {**arms(frame), **shares}))
    return stack(tables, chapter=[chapter] * len(runs), scoring=[scoring_of(run) for run in runs])


def attacks_by_hand(store: Parts, runs: Sequence[Run], players: str, share: str = "share") -> pd.DataFrame:
    """The share of attacks at the runs' positions, by tricks and hand, and the gain of attacking there.

    `share` is the column with the share: that of the players themselves, or of an agent that was queried.
    """
    columns = ["game", "tricks", "has_trump", "trumps", "longest_plain", share, "rule", *ARMS]
    tables = []
    for run in runs:
        frame = store.read(run, columns)
        shares = {"attack_share": frame[share], "rule_share": frame["rule"]}
        found = {**shares, "now_minus_wait": arms(frame)["now_minus_wait"]}
        tables.append(means(frame, ["tricks", "has_trump", "trumps", "longest_plain"], found))
    return stack(tables, players=[players] * len(runs), scoring=[scoring_of(run) for run in runs])


def mistakes_run(plan: Scope, name: str, size: Size, scoring: str, players: str, continuation: str) -> Run:
    """Makes a run of the positions of a player with 64 continuations each, for `mistakes_table`."""
    return plan.positions(
        name,
        size,
        {"scoring": scoring},
        players=players,
        continuation=continuation,
        hidden="beliefs",
        repeats=64,
    )


def mistakes_table(store: Parts, runs: Sequence[Run]) -> pd.DataFrame:
    """Returns the losses of players by bad and missed attacks; their names are the third part of those of the runs."""
    tables = []
    for run in runs:
        frame = store.read(run, ["game", "share", "rule", *HALVES, *ARMS])
        bad, missed = better_arm_losses(frame, frame["share"])
        better = np.asarray(frame["now"] > frame["wait"])
        share = np.asarray(frame["share"], dtype=np.float64)
        table = means(
            frame,
            [],
            {
                "attack_share": share,
                "right": np.where(better, share, 1 - share),
                "rule_right": np.asarray(frame["rule"]) == better,
                "loss_bad": bad,
                "loss_missed": missed,
                "loss": bad + missed,
            },
        )
        # A bout of two players: a game without any position counts, too.
        for name, loss in [("bad", bad), ("missed", missed), ("any", bad + missed)]:
            table[f"bout_{name}"], table[f"bout_{name}_ci95"] = _per_game(frame, loss, run.chunk * run.parts)
        tables.append(table)
    return stack(
        tables,
        scoring=[scoring_of(run) for run in runs],
        players=[run.name.split("/")[2] for run in runs],
    )


def _per_game(frame: pd.DataFrame, loss: np.ndarray, games: int) -> tuple[float, float]:
    """The mean loss of one of two seats in a game."""
    sums = pd.Series(loss).groupby(frame["game"].to_numpy()).sum().reindex(range(games), fill_value=0.0) / 2
    found = estimate(sums)
    return found.mean, found.ci95
