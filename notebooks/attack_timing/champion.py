"""The chapters in which the network that comes with the game decides and plays on, and a search step over it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attack_timing.runs import (
    ANYHOW,
    ARMS,
    SCORINGS,
    SEARCH,
    Chapter,
    Parts,
    Run,
    Scope,
    Size,
    arms,
    means,
    scoring_of,
    stack,
)
from attack_timing.tables import anyhow_tables, attacks_by_hand, by_tricks, mistakes_run, mistakes_table, with_all
from attack_timing.thumb import rule_tables

#: A search step over the champion, which beats it at milliseconds per decision.
STEP = "step=100,rollouts=450,particles=200"
#: A search with a step of size 0 plays like the champion, and can be queried for its probabilities at any position.
ASKED = "step=0,rollouts=1,beliefs=uniform"


def _champion_runs(plan: Scope) -> list[Run]:
    return [
        plan.positions(
            f"champion/{scoring}",
            size,
            {"scoring": scoring},
            players=ANYHOW,
            continuation=plan.champion(scoring),
            advisers=[plan.searching(scoring, ASKED)],
        )
        for scoring, size in [
            ("points", Size(full=140_000, quick=2_000, chunk=10_000)),
            ("schwinger", Size(full=60_000, quick=2_000, chunk=10_000)),
        ]
    ]


def _champion_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    tables = {f"champion_{name}": table for name, table in anyhow_tables(store, runs).items()}
    return {"by_tricks": by_tricks(store, runs, "champion"), **tables, **rule_tables(store, runs, "champion")}


def _own_runs(plan: Scope) -> list[Run]:
    size = Size(full=100_000, quick=1_000, chunk=10_000)
    return [
        plan.positions(
            f"champion_own/{scoring}",
            size,
            {"scoring": scoring},
            players=plan.champion(scoring),
            continuation=plan.champion(scoring),
        )
        for scoring in SCORINGS
    ]


def _own_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    return {
        "by_tricks": by_tricks(store, runs, "champion_own"),
        "attacks_by_hand": attacks_by_hand(store, runs, "champion"),
    }


def _mistakes_runs(plan: Scope) -> list[Run]:
    size = Size(full=2_400, quick=60, chunk=200)
    return [
        mistakes_run(plan, f"champion_mistakes/{scoring}/{name}", size, scoring, player, plan.champion(scoring))
        for scoring in SCORINGS
        for name, player in [
            ("champion", plan.champion(scoring)),
            ("thumb", f"rule:when=thumb,cards=({plan.champion(scoring)})"),
            ("always", f"rule:when=always,cards=({plan.champion(scoring)})"),
        ]
    ]


def _mistakes_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    return {"champion_mistakes": mistakes_table(store, runs)}


def _swapped_runs(plan: Scope) -> list[Run]:
    size = Size(full=30_000, quick=400, chunk=10_000)
    players = {"fitted": "greedy", "champion": plan.champion("points")}
    ways = {"own": "{}", "thumb": "rule:when=thumb,cards=({})", "always": "rule:when=always,cards=({})"}
    return [
        plan.positions(
            f"swapped/points/{cards}/{when}",
            size,
            {"scoring": "points"},
            players=ANYHOW,
            continuation=way.format(player),
        )
        for cards, player in players.items()
        for when, way in ways.items()
    ]


def _swapped_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    columns = ["game", "decision", "rule", "wait_committed", "wait_others_committed", *ARMS]
    first = store.read(runs[0], columns)
    tables = []
    for run in runs:
        frame = store.read(run, columns)
        _check_same(frame, first)
        later = {"attacks_later": frame["wait_committed"], "opponent_attacks": frame["wait_others_committed"]}
        values = {**arms(frame), **later}
        values["over_fitted"] = values["now_minus_wait"] - arms(first)["now_minus_wait"]
        tables.append(with_all(frame, ["rule"], values))
    labels = [run.name.split("/")[2:] for run in runs]
    scoring = [scoring_of(run) for run in runs]
    cards, later_attacks = ([label[index] for label in labels] for index in (0, 1))
    return {"swapped": stack(tables, scoring=scoring, cards=cards, later_attacks=later_attacks)}


def _check_same(frame: pd.DataFrame, other: pd.DataFrame) -> None:
    """All runs of a chapter must continue the same positions of the same games."""
    columns = ["game", "decision"]
    if not frame[columns].equals(other[columns]):
        raise RuntimeError("two runs of a chapter have other positions")


def _step_runs(plan: Scope) -> list[Run]:
    # The search takes its opponent for the champion, so the positions are those of the champion's own games.
    own, step = plan.champion("points"), plan.searching("points", STEP)
    few, many = Size(full=4_000, quick=12, chunk=20), Size(full=20_000, quick=40, chunk=500)
    return [
        plan.positions(
            f"step/points/{name}",
            size,
            {"scoring": "points"},
            players=own,
            continuation=continuation,
            advisers=advisers,
        )
        for name, size, continuation, advisers in [
            ("step", few, step, []),
            ("champion", few, own, []),
            ("asked", many, own, [step]),
        ]
    ]


def _step_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    step, played, asked = runs
    columns = ["game", "decision", "rule", *ARMS]
    frame, other = store.read(step, columns), store.read(played, columns)
    _check_same(frame, other)
    searched, by_champion = arms(frame), arms(other)
    values = {
        **{f"{name}_by_step": column for name, column in searched.items()},
        **{f"{name}_by_champion": column for name, column in by_champion.items()},
        "difference": searched["now_minus_wait"] - by_champion["now_minus_wait"],
    }
    return {
        "step": stack([with_all(frame, ["rule"], values)], scoring=["points"]),
        "step_asked": stack([_asked(store, asked)], scoring=["points"]),
        "attacks_by_hand": attacks_by_hand(store, [asked], "step", share="adviser0_share"),
    }


def _asked(store: Parts, run: Run) -> pd.DataFrame:
    """The search's opinion of positions in the champion's games, beside their values if the champion plays on."""
    told = [f"adviser0_{what}" for what in ("now", "wait", "share")]
    frame = store.read(run, ["game", "tricks", "rule", "share", *told, *ARMS])
    now, wait, share = (np.asarray(frame[name], dtype=np.float64) for name in told)
    played = arms(frame)
    values = {
        "champion_share": frame["share"],
        "step_share": share,
        "says_now_minus_wait": now - wait,
        "now_minus_wait": played["now_minus_wait"],
        "optimism_now": now - played["now"],
        "optimism_wait": wait - played["wait"],
    }
    everywhere = means(frame.assign(tricks=-1, rule=-1), ["tricks", "rule"], values)
    groups = means(frame.astype({"tricks": "int64", "rule": "int64"}), ["tricks", "rule"], values)
    return pd.concat([everywhere, groups], ignore_index=True)


#: The responders' options beyond the agent whose policy they know. The second one lets the champion play on and
#: leaves its action only where another is clearly better. The third one is for players that search.
RESPONDERS = {
    "lbr": "",
    "lbr_network": ",continuation=network,margin=1",
    "lbr_small": ",worlds=30,particles=100",
}


def respond(plan: Scope, scoring: str, label: str, agent: str, responder: str, size: Size) -> Run:
    """Makes a run of a responder against an agent whose policy it knows: its mean return is its gain."""
    options = RESPONDERS[responder]
    if plan.network and "continuation" in options:
        options += f",network=({plan.network})"
    agents = [f"lbr:against=({agent}){options}", agent]
    return plan.match(f"responders/{scoring}/{label}/{responder}", size, {"scoring": scoring}, agents)


def _responder_runs(plan: Scope) -> list[Run]:
    # Thousands of simulations per decision, and a search for each query to a player that searches.
    fast, slow = Size(full=2_000, quick=20, chunk=100), Size(full=1_000, quick=10, chunk=50)
    return [
        respond(plan, scoring, label, agent, responder, size)
        for scoring, label, agent, responder, size in [
            ("points", "fitted", "greedy", "lbr", fast),
            ("points", "champion", plan.champion("points"), "lbr", slow),
            ("points", "champion", plan.champion("points"), "lbr_network", slow),
            ("points", "search", SEARCH, "lbr_small", Size(full=300, quick=4, chunk=20)),
            ("schwinger", "fitted", "greedy", "lbr", fast),
            ("schwinger", "champion", plan.champion("schwinger"), "lbr", Size(full=800, quick=6, chunk=40)),
        ]
    ]


def _responder_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    return {"responders": responders(runs, [store.read(run) for run in runs])}


def responders(runs: Sequence[Run], frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Returns the gain of each responder: a lower bound on the exploitability of the player, within the interval."""
    tables = [means(frame, [], {"gain": frame["value"]}, unit="deal") for frame in frames]
    stacked = stack(
        tables,
        scoring=[scoring_of(run) for run in runs],
        players=[run.name.split("/")[2] for run in runs],
        how=[run.name.split("/")[3] for run in runs],
        agent=[run.settings["agents"][1] for run in runs],
        responder=[run.settings["agents"][0] for run in runs],
    )
    return stacked.drop(columns="units").rename(columns={"n": "deals"})


#: All hands, all numbers of tricks, played on by the champion, and the rule of thumb fitted to them.
CHAMPION = Chapter("champion", _champion_runs, _champion_tables)
#: The decisions of the champion, played on by it.
CHAMPION_OWN = Chapter("champion_own", _own_runs, _own_tables)
#: The losses of the champion by bad attacks and by missed ones.
CHAMPION_MISTAKES = Chapter("champion_mistakes", _mistakes_runs, _mistakes_tables)
#: The same positions, played on with the cards of one player and the later attacks of another.
SWAPPED = Chapter("swapped", _swapped_runs, _swapped_tables)
#: Positions of the champion's games, played on by a search step over it and by the champion, and what the step says.
STEPPED = Chapter("step", _step_runs, _step_tables)
#: Lower bounds on the exploitability of the players whose values the study uses.
RESPONSES = Chapter("responders", _responder_runs, _responder_tables)
