"""What searches say about attacking, beside what it is worth; and what wrong decisions cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stier.study._attack.columns import VALUES, better_arm_losses, value
from stier.study._attack.plan import ANYHOW, SCORINGS, SEARCH, Chapter, Plan, Size, scoring_of, stack
from stier.study._means import means
from stier.study._parts import Run, Store

#: Open-card averages first, then their repairs, then searches that hide what is hidden.
LIGHTS = ("pimc", "presumed_pimc", "epimc", "ismcts:iterations=20000", "best:iterations=20000")

HALVES = ("now_even", "now_odd", "wait_even", "wait_odd")

#: Whose mistakes are counted, by name.
PLAYERS = {
    "fitted": "greedy",
    "search": SEARCH,
    "thumb": "rule:when=thumb,cards=greedy",
    "always": "rule:when=always,cards=greedy",
    "anyhow": ANYHOW,
}


def _lights_runs(plan: Plan) -> list[Run]:
    size = Size(full=1000, quick=30, chunk=20)
    how = {"players": ANYHOW, "hidden": "beliefs", "repeats": 256, "lights": list(LIGHTS), "share": 0.5}
    return [plan.positions(f"lights/{scoring}", size, {"scoring": scoring}, **how) for scoring in SCORINGS]


def _lights_tables(store: Store, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    overall, by_tricks = [], []
    for run in runs:
        frame = store.read(run)
        overall.append(_light_table(frame, []))
        by_tricks.append(_light_table(frame, ["tricks"]))
    scoring = [scoring_of(run) for run in runs]
    return {"lights": stack(overall, scoring=scoring), "lights_by_tricks": stack(by_tricks, scoring=scoring)}


def _light_table(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """A row for each light, and for the rule of thumb, which has no values."""
    now, wait = value(frame, "now"), value(frame, "wait")
    # Both halves of the continuations say the same.
    clear = np.sign(frame["now_even"] - frame["wait_even"]) == np.sign(frame["now_odd"] - frame["wait_odd"])
    unknown = np.full(len(frame), np.nan)
    tables = []
    for index, name in enumerate([*LIGHTS, "thumb"]):
        if name == "thumb":
            said_now, said_wait, share = unknown, unknown, np.asarray(frame["rule"], dtype=np.float64)
        else:
            columns = (frame[f"light{index}_{what}"] for what in ("now", "wait", "share"))
            said_now, said_wait, share = (np.asarray(column, dtype=np.float64) for column in columns)
        # A light that has not tried to attack says nothing.
        blank = np.isnan(said_now) | np.isnan(said_wait)
        right = np.where(now > wait, share, 1 - share)
        bad, missed = better_arm_losses(frame, share)
        table = means(
            frame,
            by,
            {
                "says_now": said_now,
                "says_wait": said_wait,
                "played_now": now,
                "played_wait": wait,
                "optimism_now": said_now - now,
                "optimism_wait": said_wait - wait,
                "bias_to_attack": np.where(blank, np.nan, (said_now - said_wait) - (now - wait)),
                "attack_share": share,
                "right": right,
                "right_where_clear": np.where(clear, right, np.nan),
                "loss": bad + missed,
                "loss_bad": bad,
                "loss_missed": missed,
            },
        )
        table.insert(len(by), "light", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _mistakes_runs(plan: Plan) -> list[Run]:
    size = Size(full=4000, quick=120, chunk=200)
    return [
        plan.positions(
            f"mistakes/{scoring}/{name}",
            size,
            {"scoring": scoring},
            players=player,
            hidden="beliefs",
            repeats=64,
        )
        for scoring in SCORINGS
        for name, player in PLAYERS.items()
    ]


def _mistakes_tables(store: Store, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    tables = []
    for run in runs:
        frame = store.read(run, ["game", "share", "rule", *HALVES, *VALUES])
        bad, missed = better_arm_losses(frame, frame["share"])
        better = value(frame, "now") > value(frame, "wait")
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
    return {
        "mistakes": stack(
            tables,
            scoring=[scoring_of(run) for run in runs],
            players=[run.name.split("/")[2] for run in runs],
        )
    }


def _per_game(frame: pd.DataFrame, loss: np.ndarray, games: int) -> tuple[float, float]:
    """The mean loss of one of two seats in a game."""
    sums = pd.Series(loss).groupby(frame["game"].to_numpy()).sum().reindex(range(games), fill_value=0.0) / 2
    return float(sums.mean()), float(1.96 * sums.std() / np.sqrt(games))


#: Searches with large budgets, asked about positions whose value is known from many continuations.
LIGHTS_CHAPTER = Chapter("lights", _lights_runs, _lights_tables)
#: What players lose by bad attacks and by missed ones.
MISTAKES = Chapter("mistakes", _mistakes_runs, _mistakes_tables)
