"""What attacking, waiting and never attacking are worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stier.study._attack.columns import ARMS, PARTS, VALUES, arms, count, value
from stier.study._attack.plan import ANYHOW, SCORINGS, SEARCH, Chapter, Plan, Size, scoring_of, stack
from stier.study._means import means
from stier.study._parts import Run, Store

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


def _broad_runs(plan: Plan) -> list[Run]:
    size = Size(full=200_000, quick=10_000, chunk=20_000)
    return [plan.positions(f"broad/{scoring}", size, {"scoring": scoring}, players=ANYHOW) for scoring in SCORINGS]


def _broad_tables(store: Store, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    found: dict[str, list[pd.DataFrame]] = {
        "by_circumstance": [],
        "by_hand": [],
        "by_count": [],
        "by_rule": [],
        "parts": [],
    }
    for run in runs:
        frame = store.read(run)
        frame["count"] = count(frame)
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
        everywhere = means(frame, ["rule"], difference)
        everywhere.insert(0, "tricks", -1)
        found["by_rule"].append(
            pd.concat([everywhere, means(frame, ["tricks", "rule"], difference)], ignore_index=True)
        )
        found["parts"].append(_contributions(frame))
    scoring = [scoring_of(run) for run in runs]
    tables = {name: stack(parts, scoring=scoring) for name, parts in found.items()}
    return {"by_tricks": by_tricks(store, runs, "broad"), **tables}


def _by(frame: pd.DataFrame, values: dict[str, np.ndarray], name: str) -> pd.DataFrame:
    there = frame[name].notna().to_numpy()
    table = means(frame[there], ["tricks", name], {key: column[there] for key, column in values.items()})
    table.insert(1, "circumstance", name)
    return table.rename(columns={name: "value"})


def _contributions(frame: pd.DataFrame) -> pd.DataFrame:
    """What each part of the return contributes, by tricks and over all."""
    names = [*PARTS, "whole"]
    everywhere = frame.assign(tricks=-1)
    tables = []
    for grouped in [everywhere, frame]:
        for name in names:
            columns = [value(frame, arm) if name == "whole" else frame[f"{arm}_{name}"] for arm in ARMS[:2]]
            now, wait = (np.asarray(column, dtype=np.float64) for column in columns)
            table = means(grouped, ["tricks"], {"now": now, "wait": wait, "now_minus_wait": now - wait})
            table.insert(1, "part", name)
            tables.append(table)
    return pd.concat(tables, ignore_index=True)


def by_tricks(store: Store, runs: Sequence[Run], chapter: str) -> pd.DataFrame:
    """The values by the number of finished tricks, and how often the players and the rule of thumb attack."""
    columns = ["game", "tricks", "share", "rule", "wait_committed", *VALUES]
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


def _strong_runs(plan: Plan) -> list[Run]:
    size = Size(full=15_000, quick=600, chunk=600)
    return [
        plan.positions(f"strong/{scoring}", size, {"scoring": scoring}, players=SEARCH, continuation=SEARCH)
        for scoring in SCORINGS
    ]


def _anyhow_strong_runs(plan: Plan) -> list[Run]:
    size = Size(full=7_500, quick=300, chunk=300)
    return [
        plan.positions(f"played_on/{scoring}", size, {"scoring": scoring}, players=ANYHOW, continuation=SEARCH)
        for scoring in SCORINGS
    ]


def _strong_tables(store: Store, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    return {"by_tricks": by_tricks(store, runs, "strong")}


def _anyhow_strong_tables(store: Store, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    columns = ["game", "rule", *VALUES]
    frames = [store.read(run, columns) for run in runs]
    table = stack(
        [means(frame, ["rule"], {"now_minus_wait": arms(frame)["now_minus_wait"]}) for frame in frames],
        scoring=[scoring_of(run) for run in runs],
    )
    return {"by_tricks": by_tricks(store, runs, "played_on"), "rule_played_on": table}


#: All hands, all numbers of tricks, played on by the fitted policy.
BROAD = Chapter("broad", _broad_runs, _broad_tables)
#: The decisions of searching players, played on by them.
STRONG = Chapter("strong", _strong_runs, _strong_tables)
#: The positions of `BROAD`, played on by searching players.
PLAYED_ON = Chapter("played_on", _anyhow_strong_runs, _anyhow_strong_tables)
