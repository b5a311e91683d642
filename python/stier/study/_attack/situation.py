"""Matches of four bouts that count only by who wins them: does who is behind attack more?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stier.study._attack.columns import COUNTED, VALUES, arms, count
from stier.study._attack.plan import ANYHOW, SCORINGS, SEARCH, Chapter, Plan, Size, scoring_of, stack
from stier.study._means import means
from stier.study._parts import Run, Store

#: A lead is far if it is more than what winning by an attack brings without a flat throw.
FAR = {"points": 3.0, "schwinger": 1.0}

STANDINGS = ("far behind", "behind", "level", "ahead", "far ahead")

COLUMNS = ("game", "share", "rule", "score_lead", "bouts_left", *COUNTED, *VALUES)


def standing(lead: pd.Series, scoring: str) -> pd.Series:
    """How the mover stands in the match."""
    # Scores are hundredths.
    edges = [-np.inf, -FAR[scoring] - 0.005, -0.005, 0.005, FAR[scoring] + 0.005, np.inf]
    return pd.Series(pd.cut(lead, edges, labels=list(STANDINGS)), index=lead.index)


def _rules(scoring: str) -> dict[str, object]:
    return {"scoring": scoring, "bouts": 4, "utility": "win"}


def _match_runs(plan: Plan) -> list[Run]:
    size = Size(full=60_000, quick=1_200, chunk=6_000)
    return [plan.positions(f"match/{scoring}", size, _rules(scoring), players=ANYHOW) for scoring in SCORINGS]


def _match_tables(store: Store, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    found: dict[str, list[pd.DataFrame]] = {"match": [], "match_by_count": []}
    for run in runs:
        frame = store.read(run, COLUMNS)
        frame["standing"] = standing(frame["score_lead"], scoring_of(run))
        values = arms(frame)
        found["match"].append(means(frame, ["bouts_left", "standing"], values))
        # Without a trump suit there is nothing to count; five stands for five and more, two for two and fewer.
        frame["count"] = count(frame).clip(2, 5)
        there = frame["count"].notna().to_numpy()
        difference = {"now_minus_wait": values["now_minus_wait"][there]}
        found["match_by_count"].append(means(frame[there], ["bouts_left", "standing", "count"], difference))
    scoring = [scoring_of(run) for run in runs]
    return {name: stack(tables, scoring=scoring) for name, tables in found.items()}


def _searched_runs(plan: Plan) -> list[Run]:
    size = Size(full=4_000, quick=100, chunk=200)
    return [plan.positions(f"match_searched/{scoring}", size, _rules(scoring), players=SEARCH) for scoring in SCORINGS]


def _searched_tables(store: Store, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    tables = []
    for run in runs:
        frame = store.read(run, COLUMNS)
        frame["standing"] = standing(frame["score_lead"], scoring_of(run))
        tables.append(
            means(frame, ["bouts_left", "standing"], {"attack_share": frame["share"], "rule_share": frame["rule"]})
        )
    return {"match_searched": stack(tables, scoring=[scoring_of(run) for run in runs])}


#: The value of attacking by the standing of the match.
MATCH = Chapter("match", _match_runs, _match_tables)
#: How often searching players attack in it.
MATCH_SEARCHED = Chapter("match_searched", _searched_runs, _searched_tables)
