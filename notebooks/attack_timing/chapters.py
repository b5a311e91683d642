"""The chapters of the study *When is an attack right?* that the fitted policy and searches play: runs and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from attack_timing.hands import COUNTED, count
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
    better_arm_losses,
    means,
    scoring_of,
    stack,
)
from attack_timing.tables import anyhow_tables, attacks_by_hand, by_tricks, mistakes_run, mistakes_table
from attack_timing.thumb import rule_tables
from stier import derive_seed


def _broad_runs(plan: Scope) -> list[Run]:
    size = Size(full=200_000, quick=10_000, chunk=20_000)
    return [plan.positions(f"broad/{scoring}", size, {"scoring": scoring}, players=ANYHOW) for scoring in SCORINGS]


def _broad_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    tables = {"by_tricks": by_tricks(store, runs, "broad"), **anyhow_tables(store, runs)}
    return {**tables, **rule_tables(store, runs, "broad")}


def _strong_runs(plan: Scope) -> list[Run]:
    size = Size(full=15_000, quick=600, chunk=600)
    return [
        plan.positions(f"strong/{scoring}", size, {"scoring": scoring}, players=SEARCH, continuation=SEARCH)
        for scoring in SCORINGS
    ]


def _anyhow_strong_runs(plan: Scope) -> list[Run]:
    size = Size(full=7_500, quick=300, chunk=300)
    return [
        plan.positions(f"played_on/{scoring}", size, {"scoring": scoring}, players=ANYHOW, continuation=SEARCH)
        for scoring in SCORINGS
    ]


def _strong_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    attacks = attacks_by_hand(store, runs, "search")
    return {"by_tricks": by_tricks(store, runs, "strong"), "attacks_by_hand": attacks}


def _anyhow_strong_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    columns = ["game", "rule", *ARMS]
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


#: Open-card averages first, then their repairs, then searches that keep the hidden cards hidden.
ADVISERS = ("pimc", "presumed_pimc", "epimc", "ismcts:iterations=20000", "best:iterations=20000")


#: The players whose mistakes are counted, by name.
PLAYERS = {
    "fitted": "greedy",
    "search": SEARCH,
    "thumb": "rule:when=thumb,cards=greedy",
    "always": "rule:when=always,cards=greedy",
    "anyhow": ANYHOW,
}


def _advisers_runs(plan: Scope) -> list[Run]:
    size = Size(full=1000, quick=30, chunk=20)
    how = {"players": ANYHOW, "hidden": "beliefs", "repeats": 256, "advisers": list(ADVISERS), "share": 0.5}
    return [plan.positions(f"advisers/{scoring}", size, {"scoring": scoring}, **how) for scoring in SCORINGS]


def _advisers_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    overall, by_tricks = [], []
    for run in runs:
        frame = store.read(run)
        overall.append(_adviser_table(frame, []))
        by_tricks.append(_adviser_table(frame, ["tricks"]))
    scoring = [scoring_of(run) for run in runs]
    return {"advisers": stack(overall, scoring=scoring), "advisers_by_tricks": stack(by_tricks, scoring=scoring)}


def _adviser_table(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """A row for each adviser, and for the rule of thumb, which has no values."""
    now, wait = _column(frame, "now"), _column(frame, "wait")
    # Both halves of the continuations say the same.
    clear = np.sign(frame["now_even"] - frame["wait_even"]) == np.sign(frame["now_odd"] - frame["wait_odd"])
    unknown = np.full(len(frame), np.nan)
    tables = []
    for index, name in enumerate([*ADVISERS, "thumb"]):
        if name == "thumb":
            said_now, said_wait, share = unknown, unknown, np.asarray(frame["rule"], dtype=np.float64)
        else:
            columns = (frame[f"adviser{index}_{what}"] for what in ("now", "wait", "share"))
            said_now, said_wait, share = (np.asarray(column, dtype=np.float64) for column in columns)
        # An adviser that has not tried to attack says nothing.
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
        table.insert(len(by), "adviser", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _mistakes_runs(plan: Scope) -> list[Run]:
    size = Size(full=4000, quick=120, chunk=200)
    return [
        mistakes_run(plan, f"mistakes/{scoring}/{name}", size, scoring, player, "greedy")
        for scoring in SCORINGS
        for name, player in PLAYERS.items()
    ]


def _mistakes_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    return {"mistakes": mistakes_table(store, runs)}


#: Searches with large budgets, asked about positions whose value is known from many continuations.
ADVISED = Chapter("advisers", _advisers_runs, _advisers_tables)
#: The losses of players by bad attacks and by missed ones.
MISTAKES = Chapter("mistakes", _mistakes_runs, _mistakes_tables)


#: A lead is far if it exceeds the points of a win by an attack without a flat throw.
FAR = {"points": 3.0, "schwinger": 1.0}

STANDINGS = ("far behind", "behind", "level", "ahead", "far ahead")

COLUMNS = ("game", "share", "rule", "score_lead", "bouts_left", *COUNTED, *ARMS)


def standing(lead: pd.Series, scoring: str) -> pd.Series:
    """Returns the standing of the mover in the match."""
    # Scores are hundredths.
    edges = [-np.inf, -FAR[scoring] - 0.005, -0.005, 0.005, FAR[scoring] + 0.005, np.inf]
    return pd.Series(pd.cut(lead, edges, labels=list(STANDINGS)), index=lead.index)


def _match_rules(scoring: str) -> dict[str, object]:
    return {"scoring": scoring, "bouts": 4, "utility": "win"}


def _match_runs(plan: Scope) -> list[Run]:
    size = Size(full=60_000, quick=1_200, chunk=6_000)
    return [plan.positions(f"match/{scoring}", size, _match_rules(scoring), players=ANYHOW) for scoring in SCORINGS]


def _match_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    found: dict[str, list[pd.DataFrame]] = {"match": [], "match_by_count": []}
    for run in runs:
        frame = store.read(run, COLUMNS)
        frame["standing"] = standing(frame["score_lead"], scoring_of(run))
        values = arms(frame)
        found["match"].append(means(frame, ["bouts_left", "standing"], values))
        # Without a trump suit there is nothing to count; five stands for five and more, two for two and fewer.
        frame["count"] = count(frame).where(frame["has_trump"] > 0).clip(2, 5)
        there = frame["count"].notna().to_numpy()
        difference = {"now_minus_wait": values["now_minus_wait"][there]}
        found["match_by_count"].append(means(frame[there], ["bouts_left", "standing", "count"], difference))
    scoring = [scoring_of(run) for run in runs]
    return {name: stack(tables, scoring=scoring) for name, tables in found.items()}


def _searched_runs(plan: Scope) -> list[Run]:
    size = Size(full=4_000, quick=100, chunk=200)
    return [
        plan.positions(f"match_searched/{scoring}", size, _match_rules(scoring), players=SEARCH) for scoring in SCORINGS
    ]


def _searched_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
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
#: The attacks of searching players in a match.
MATCH_SEARCHED = Chapter("match_searched", _searched_runs, _searched_tables)


BEST = "best:iterations=1000"
FITTED, PLAIN = "greedy", "ismcts:iterations=1000"

#: The other player's ways to attack: the values of the option `when`.
OTHERS = {
    "never": "rule:when=never,cards=({})",
    "always": "rule:when=always,cards=({})",
    "random": "rule:when=random,chance=0.5,cards=({})",
    "cards": "{}",
}
THUMB = "rule:when=thumb,cards=({})"


def _pairings(plan: Scope, scoring: str) -> dict[str, tuple[str, str, Size]]:
    """Returns both agents and the number of deals, by the cards' player and the second one's way to attack."""
    champion, found = plan.champion(scoring), {}
    for label, cards, size in [
        ("champion", champion, Size(full=200_000, quick=4_000, chunk=20_000)),
        ("fitted", FITTED, Size(full=30_000, quick=5_000, chunk=2_000)),
        ("search", PLAIN, Size(full=8_000, quick=240, chunk=240)),
    ]:
        for when, other in OTHERS.items():
            found[f"{label}/{when}"] = (THUMB.format(cards), other.format(cards), size)
    few = Size(full=2_000, quick=40, chunk=40)
    found["best/cards"] = (THUMB.format(BEST), BEST, few)
    found["fitted/best"] = (THUMB.format(FITTED), BEST, few)
    # The worth of the champion's own timing, and of attacking at the first chance.
    always, never = (OTHERS[when].format(champion) for when in ("always", "never"))
    found["champion_timing/always"] = (champion, always, Size(full=200_000, quick=4_000, chunk=20_000))
    found["champion_timing/never"] = (always, never, Size(full=200_000, quick=4_000, chunk=20_000))
    # The strength of the players who play on.
    found["champion/fitted"] = (champion, FITTED, Size(full=50_000, quick=4_000, chunk=10_000))
    found["strong/fitted"] = (SEARCH, FITTED, Size(full=4_000, quick=100, chunk=200))
    return found


def _rule_runs(plan: Scope) -> list[Run]:
    return [
        plan.match(f"rule/{scoring}/{label}", size, {"scoring": scoring}, [first, second])
        for scoring in SCORINGS
        for label, (first, second, size) in _pairings(plan, scoring).items()
    ]


def _rule_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    tables = []
    for run in runs:
        frame = store.read(run)
        tables.append(means(frame, [], {"mean": frame["value"], "wins": frame["win"]}, unit="deal"))
    labels = [run.name.split("/")[2:] for run in runs]
    stacked = stack(
        tables,
        scoring=[scoring_of(run) for run in runs],
        cards=[cards for cards, _ in labels],
        against=[against for _, against in labels],
        first=[run.settings["agents"][0] for run in runs],
        second=[run.settings["agents"][1] for run in runs],
    )
    return {"matches": stacked.drop(columns="units").rename(columns={"n": "deals"})}


#: The rule of thumb against other ways to attack.
RULE = Chapter("rule", _rule_runs, _rule_tables)


#: From hundreds to two millions of information sets; the first ones are those of a quick study.
DECKS: tuple[dict[str, Any], ...] = (
    {"suits": 2, "values": 2, "counter": "off", "hand_size": 1, "set_aside": 1},
    {"suits": 2, "values": 3, "counter": "off", "hand_size": 1, "set_aside": 1},
    {"suits": 2, "values": 3, "referee": "off", "hand_size": 2, "set_aside": 1},
    {"suits": 2, "values": 4, "referee": "off", "hand_size": 3, "set_aside": 1},
    {"suits": 3, "values": 3, "referee": "off", "counter": "off", "hand_size": 3, "set_aside": 1},
)
QUICK = 3

#: The agents that are queried: open-card averages, their repairs, and searches that keep the hidden cards hidden.
QUERIED = ("pimc", "presumed_pimc", "epimc", "ismcts:iterations=1000", "best:iterations=1000")

#: Iterations of CFR+ at most, and the NashConv at which it stops.
ITERATIONS, TARGET = 1000, 2e-3

#: Players without values. The rule of thumb counts for hands of five cards: with three it would nearly always attack.
FIXED = ("equilibrium", "always", "never")

Column = npt.NDArray[np.float64]


def _equilibria_runs(plan: Scope) -> list[Run]:
    decks = DECKS[:QUICK] if plan.quick else DECKS
    seed = derive_seed(plan.seed, "equilibria", 0)
    return [
        Run(
            f"equilibria/{scoring}/{index}",
            {
                "kind": "equilibrium",
                "rules": {"scoring": scoring, **deck},
                "advisers": list(QUERIED),
                "iterations": ITERATIONS,
                "target": TARGET,
                "seed": seed,
            },
            chunk=1,
            parts=1,
        )
        for scoring in SCORINGS
        for index, deck in enumerate(decks)
    ]


def _equilibria_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    frames = [store.read(run) for run in runs]
    labels = {"scoring": [scoring_of(run) for run in runs], "deck": [_name(run.settings["rules"]) for run in runs]}
    return {
        "equilibria": stack(map(_deck, frames), **labels),
        "equilibria_by_hand": stack(map(_by_hand, frames), **labels),
    }


def _name(rules: dict[str, Any]) -> str:
    return ",".join(f"{key}={value}" for key, value in rules.items() if key != "scoring")


def _by_hand(frame: pd.DataFrame) -> pd.DataFrame:
    """By tricks, trumps and the longest other suit: how often the equilibrium attacks, and the value of the attack."""
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
    for name in (*FIXED, *QUERIED):
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
                # Both are the average cost of one decision against an opponent who plays the equilibrium.
                "loss_bad": mean(share * np.maximum(wait - now, 0)),
                "loss_missed": mean((1 - share) * np.maximum(now - wait, 0)),
            }
        )
    return pd.DataFrame(rows)


def _said(frame: pd.DataFrame, name: str) -> tuple[Column, Column, Column]:
    """Returns the values that a player predicts for attacking and for waiting, and its probability of an attack."""
    unknown = np.full(len(frame), np.nan)
    match name:
        case "equilibrium":
            return unknown, unknown, _column(frame, "share")
        case "always" | "never":
            return unknown, unknown, np.full(len(frame), float(name == "always"))
        case _:
            adviser = f"adviser{QUERIED.index(name)}"
            return (*(_column(frame, f"{adviser}_{what}") for what in ("now", "wait", "share")),)


def _column(frame: pd.DataFrame, name: str) -> Column:
    return np.asarray(frame[name], dtype=np.float64)


#: Scaled-down decks, solved.
EQUILIBRIA = Chapter("equilibria", _equilibria_runs, _equilibria_tables)
