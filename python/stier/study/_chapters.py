"""The chapters of the study *When is an attack right?*: runs and tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

import stier
from stier._native import derive_seed

#: Standard errors in the half width of a 95 % interval.
NORMAL = 1.96

#: Units that an interval needs.
FEWEST = 10


def means(
    frame: pd.DataFrame, by: Sequence[str], values: Mapping[str, npt.ArrayLike], *, unit: str = "game"
) -> pd.DataFrame:
    """Returns the mean of each value in each group, with the half width of its 95 % interval.

    The variance is that of a ratio of sums over units (linearized), so that rows of one unit may depend on each other.

    Args:
        frame: Rows with the columns `by` and `unit`.
        by: Columns that make the groups; none for a single group.
        values: Columns to average, by name; as long as the frame. Rows in which one is not a number are left out of it.
        unit: The column of the independent draws.

    Returns:
        One row per group, sorted: `by`, ``n`` (rows), ``units``, and for each value ``name`` and ``name_ci95`` (not a
        number for fewer than ten units: too few for it to mean anything).
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
        mean, half = _ratio(of, sums, sizes, count)
        table[name], table[f"{name}_ci95"] = mean, half
    return table


def _ratio(
    of: npt.NDArray[np.int64], sums: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64], count: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The ratio of two sums over units by group, and its half width."""
    with np.errstate(invalid="ignore", divide="ignore"):
        total = np.bincount(of, weights=sizes, minlength=count)
        mean = np.bincount(of, weights=sums, minlength=count) / total
        residual = sums - mean[of] * sizes
        units = np.bincount(of, weights=sizes > 0, minlength=count)
        variance = np.bincount(of, weights=residual**2, minlength=count) * units / (units - 1) / total**2
    return mean, NORMAL * np.sqrt(np.where(units >= FEWEST, variance, np.nan))


ARMS = ("now", "wait", "never")
PARTS = ("result", "flat_throw", "opponents_flat_throw", "consolation")

#: The columns that the values of the arms are summed from.
VALUES = tuple(f"{arm}_{part}" for arm in ARMS for part in PARTS)

#: The columns that `count` needs.
COUNTED = ("has_trump", "trumps", "boss_trumps", "longest_plain", "referee")

#: The count from which the rule of thumb attacks.
ENOUGH = 4


def value(frame: pd.DataFrame, arm: str) -> npt.NDArray[np.float64]:
    """Returns the value of an arm: the mean return over its continuations."""
    return np.asarray(frame[[f"{arm}_{part}" for part in PARTS]].sum(axis=1), dtype=np.float64)


def arms(frame: pd.DataFrame) -> dict[str, npt.NDArray[np.float64]]:
    """Returns the values of all arms and the gains of attacking."""
    found = {arm: value(frame, arm) for arm in ARMS}
    return {
        **found,
        "now_minus_wait": found["now"] - found["wait"],
        "now_minus_never": found["now"] - found["never"],
    }


def count(frame: pd.DataFrame) -> pd.Series:
    """The count of the rule of thumb; without a trump suit not a number, because the rule does not count there."""
    counted = 2 * frame["trumps"] + frame["longest_plain"] + frame["referee"] - frame["boss_trumps"]
    return counted.where(frame["has_trump"] > 0)


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
        return {**self.settings, "chunk": self.chunk, "version": stier.__version__}

    def play(self, part: int, threads: int) -> pd.DataFrame:
        """Plays a part."""
        return {"positions": _positions, "match": _match, "equilibrium": _equilibrium}[self.settings["kind"]](
            self, part, threads
        )


def _positions(run: Run, part: int, threads: int) -> pd.DataFrame:
    """Plays positions of games of Schwinget on in three ways (see `stier.study`)."""
    settings = {name: value for name, value in run.settings.items() if name not in ("kind", "rules")}
    game = stier.load_game("schwinget", **run.settings["rules"])
    call: Any = stier._native.timing_positions
    columns = call(game, **settings, first=part * run.chunk, games=run.chunk, threads=threads)
    if settings["repeats"] == 1:
        # There is only one half.
        columns = {name: values for name, values in columns.items() if not name.endswith(("_even", "_odd"))}
    frame = pd.DataFrame(columns)
    return frame.astype(dict.fromkeys(frame.select_dtypes("float64").columns, "float32"))


def _match(run: Run, part: int, threads: int) -> pd.DataFrame:
    """Plays paired deals of two agents: the mean return and the share of the wins of the first, by deal."""
    game = stier.load_game("schwinget", **run.settings["rules"])
    seed = derive_seed(run.settings["seed"], "part", part)
    # Both have the same returns in the game of a deal in which they have changed seats.
    games = stier.pit(game, run.settings["agents"], deals=run.chunk, seed=seed, threads=threads).to_pandas()
    first = games[games["entrant"] == 0]
    win = (first["return"] > 0) + 0.5 * (first["return"] == 0)
    frame = pd.DataFrame({"deal": first["deal"] + part * run.chunk, "value": first["return"], "win": win})
    return frame.groupby("deal", as_index=False).mean()


def _equilibrium(run: Run, part: int, threads: int) -> pd.DataFrame:
    """Solves a deck, and returns every information set with a possible attack."""
    lights, iterations, target, seed = (run.settings[name] for name in ("lights", "iterations", "target", "seed"))
    game = stier.load_game("schwinget", **run.settings["rules"])
    solution = stier.solve(game, iterations=iterations, target=target, threads=threads)
    call: Any = stier._native.timing_sets
    frame = pd.DataFrame(call(solution, lights=lights, seed=seed, threads=threads))
    frame["information_sets"] = solution.information_sets
    frame["exploitability"] = solution.exploitability
    return frame


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
            "lights": [],
            "share": 1.0,
        }
        seed = derive_seed(self.seed, name.split("/")[0], 0)
        described = {"kind": "positions", "rules": rules, **full, **settings, "seed": seed}
        return Run(name, described, **self._parts(size))

    def match(self, name: str, size: Size, rules: dict[str, Any], agents: Sequence[str]) -> Run:
        """Makes a run of deals of two agents; all matches of one chapter have the same cards."""
        seed = derive_seed(self.seed, name.split("/")[0], 0)
        return Run(name, {"kind": "match", "rules": rules, "agents": list(agents), "seed": seed}, **self._parts(size))


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


def _broad_runs(plan: Scope) -> list[Run]:
    size = Size(full=200_000, quick=10_000, chunk=20_000)
    return [plan.positions(f"broad/{scoring}", size, {"scoring": scoring}, players=ANYHOW) for scoring in SCORINGS]


def _broad_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
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
    """Returns the contribution of each part of the return, by tricks and over all."""
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


def by_tricks(store: Parts, runs: Sequence[Run], chapter: str) -> pd.DataFrame:
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
    return {"by_tricks": by_tricks(store, runs, "strong")}


def _anyhow_strong_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
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


#: Open-card averages first, then their repairs, then searches that keep the hidden cards hidden.
LIGHTS = ("pimc", "presumed_pimc", "epimc", "ismcts:iterations=20000", "best:iterations=20000")

HALVES = ("now_even", "now_odd", "wait_even", "wait_odd")

#: The players whose mistakes are counted, by name.
PLAYERS = {
    "fitted": "greedy",
    "search": SEARCH,
    "thumb": "rule:when=thumb,cards=greedy",
    "always": "rule:when=always,cards=greedy",
    "anyhow": ANYHOW,
}


def _lights_runs(plan: Scope) -> list[Run]:
    size = Size(full=1000, quick=30, chunk=20)
    how = {"players": ANYHOW, "hidden": "beliefs", "repeats": 256, "lights": list(LIGHTS), "share": 0.5}
    return [plan.positions(f"lights/{scoring}", size, {"scoring": scoring}, **how) for scoring in SCORINGS]


def _lights_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
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


def _mistakes_runs(plan: Scope) -> list[Run]:
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


def _mistakes_tables(store: Parts, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
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
#: The losses of players by bad attacks and by missed ones.
MISTAKES = Chapter("mistakes", _mistakes_runs, _mistakes_tables)


#: A lead is far if it exceeds the points of a win by an attack without a flat throw.
FAR = {"points": 3.0, "schwinger": 1.0}

STANDINGS = ("far behind", "behind", "level", "ahead", "far ahead")

COLUMNS = ("game", "share", "rule", "score_lead", "bouts_left", *COUNTED, *VALUES)


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
        frame["count"] = count(frame).clip(2, 5)
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


def _pairings() -> dict[str, tuple[str, str, Size]]:
    """Returns both agents and the number of deals, by the cards' player and the second one's way to attack."""
    found = {}
    for label, cards, size in [
        ("fitted", FITTED, Size(full=30_000, quick=5_000, chunk=2_000)),
        ("search", PLAIN, Size(full=8_000, quick=240, chunk=240)),
    ]:
        for when, other in OTHERS.items():
            found[f"{label}/{when}"] = (THUMB.format(cards), other.format(cards), size)
    few = Size(full=2_000, quick=40, chunk=40)
    found["best/cards"] = (THUMB.format(BEST), BEST, few)
    found["fitted/best"] = (THUMB.format(FITTED), BEST, few)
    # The strength of the searches that play on.
    found["strong/fitted"] = (SEARCH, FITTED, Size(full=4_000, quick=100, chunk=200))
    return found


def _rule_runs(plan: Scope) -> list[Run]:
    return [
        plan.match(f"rule/{scoring}/{label}", size, {"scoring": scoring}, [first, second])
        for scoring in SCORINGS
        for label, (first, second, size) in _pairings().items()
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
                "lights": list(QUERIED),
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
            light = f"light{QUERIED.index(name)}"
            return _column(frame, f"{light}_now"), _column(frame, f"{light}_wait"), _column(frame, f"{light}_share")


def _column(frame: pd.DataFrame, name: str) -> Column:
    return np.asarray(frame[name], dtype=np.float64)


#: Scaled-down decks, solved.
EQUILIBRIA = Chapter("equilibria", _equilibria_runs, _equilibria_tables)


#: All of them, in the order in which they are played: the cheapest first.
CHAPTERS: tuple[Chapter, ...] = (
    BROAD,
    MISTAKES,
    MATCH,
    RULE,
    STRONG,
    PLAYED_ON,
    MATCH_SEARCHED,
    LIGHTS_CHAPTER,
    EQUILIBRIA,
)
