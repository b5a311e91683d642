"""What is exactly right: equilibria of scaled-down decks, set by set, and what the searches say there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

import stier
from stier._native import derive_seed
from stier.study._attack.plan import SCORINGS, Chapter, Plan, scoring_of, stack
from stier.study._parts import Run, Store

#: From hundreds to two millions of information sets; the first ones are those of a quick study.
DECKS: tuple[dict[str, Any], ...] = (
    {"suits": 2, "values": 2, "counter": "off", "hand_size": 1, "set_aside": 1},
    {"suits": 2, "values": 3, "counter": "off", "hand_size": 1, "set_aside": 1},
    {"suits": 2, "values": 3, "referee": "off", "hand_size": 2, "set_aside": 1},
    {"suits": 2, "values": 4, "referee": "off", "hand_size": 3, "set_aside": 1},
    {"suits": 3, "values": 3, "referee": "off", "counter": "off", "hand_size": 3, "set_aside": 1},
)
QUICK = 3

#: Who is asked: open-card averages, their repairs, searches that hide what is hidden.
LIGHTS = ("pimc", "presumed_pimc", "epimc", "ismcts:iterations=1000", "best:iterations=1000")

#: Iterations of CFR+ at most, and the NashConv at which it stops.
ITERATIONS, TARGET = 1000, 2e-3

#: Players without values. The rule of thumb counts for hands of five cards: with three it would nearly always attack.
RULES = ("equilibrium", "always", "never")

Column = npt.NDArray[np.float64]


def _run(name: str, rules: dict[str, Any], seed: int) -> Run:
    """Every information set with a possible attack of one deck."""

    def play(part: int, threads: int) -> pd.DataFrame:
        game = stier.load_game("schwinget", **rules)
        solution = stier.solve(game, iterations=ITERATIONS, target=TARGET, threads=threads)
        call: Any = stier._native.timing_sets
        frame = pd.DataFrame(call(solution, lights=list(LIGHTS), seed=seed, threads=threads))
        frame["information_sets"] = solution.information_sets
        frame["exploitability"] = solution.exploitability
        return frame

    settings = {
        "kind": "equilibrium",
        "rules": rules,
        "lights": list(LIGHTS),
        "iterations": ITERATIONS,
        "target": TARGET,
        "seed": seed,
    }
    return Run(name, settings, play, 1, 1)


def _runs(plan: Plan) -> list[Run]:
    decks = DECKS[:QUICK] if plan.quick else DECKS
    seed = derive_seed(plan.seed, "equilibria", 0)
    return [
        _run(f"equilibria/{scoring}/{index}", {"scoring": scoring, **deck}, seed)
        for scoring in SCORINGS
        for index, deck in enumerate(decks)
    ]


def _tables(store: Store, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    frames = [store.read(run) for run in runs]
    labels = {"scoring": [scoring_of(run) for run in runs], "deck": [_name(run.settings["rules"]) for run in runs]}
    return {
        "equilibria": stack(map(_deck, frames), **labels),
        "equilibria_by_hand": stack(map(_by_hand, frames), **labels),
    }


def _name(rules: dict[str, Any]) -> str:
    return ",".join(f"{key}={value}" for key, value in rules.items() if key != "scoring")


def _by_hand(frame: pd.DataFrame) -> pd.DataFrame:
    """By tricks, trumps and the longest other suit: how often the equilibrium attacks, and what it is worth."""
    weighed = frame.assign(
        attack_share=frame["share"] * frame["reach"],
        now_minus_wait=(frame["now"] - frame["wait"]) * frame["reach"],
    )
    sums = weighed.groupby(["tricks", "has_trump", "trumps", "longest_plain"])[
        ["reach", "attack_share", "now_minus_wait"]
    ].sum()
    sums = sums[sums["reach"] > 0]
    return sums.div(sums["reach"], axis=0).assign(reach=sums["reach"]).reset_index()


def _deck(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each player; means over the sets, each by the probability of reaching it at the equilibrium."""
    now, wait = _column(frame, "now"), _column(frame, "wait")
    reach = _column(frame, "reach")

    def mean(values: Column) -> float:
        there = ~np.isnan(values)
        return float((values[there] * reach[there]).sum() / reach[there].sum())

    rows = []
    for name in (*RULES, *LIGHTS):
        said_now, said_wait, share = _said(frame, name)
        blank = np.isnan(said_now) | np.isnan(said_wait)
        rows.append(
            {
                "player": name,
                "information_sets": int(frame["information_sets"].iloc[0]),
                "sets": len(frame),
                "exploitability": float(frame["exploitability"].iloc[0]),
                "now_minus_wait": mean(now - wait),
                "wait_minus_never": mean(wait - _column(frame, "never")),
                "attack_share": mean(share),
                "optimism_now": np.nan if blank.all() else mean(np.where(blank, np.nan, said_now - now)),
                "optimism_wait": np.nan if blank.all() else mean(np.where(blank, np.nan, said_wait - wait)),
                # Both are what one decision costs on the mean, against an opponent who plays the equilibrium.
                "loss_bad": mean(share * np.maximum(wait - now, 0)),
                "loss_missed": mean((1 - share) * np.maximum(now - wait, 0)),
            }
        )
    return pd.DataFrame(rows)


def _said(frame: pd.DataFrame, name: str) -> tuple[Column, Column, Column]:
    """What a player says of attacking and of waiting, and how probably it attacks."""
    unknown = np.full(len(frame), np.nan)
    match name:
        case "equilibrium":
            return unknown, unknown, _column(frame, "share")
        case "always" | "never":
            return unknown, unknown, np.full(len(frame), float(name == "always"))
        case _:
            light = f"light{LIGHTS.index(name)}"
            return _column(frame, f"{light}_now"), _column(frame, f"{light}_wait"), _column(frame, f"{light}_share")


def _column(frame: pd.DataFrame, name: str) -> Column:
    return np.asarray(frame[name], dtype=np.float64)


#: Scaled-down decks, solved.
EQUILIBRIA = Chapter("equilibria", _runs, _tables)
