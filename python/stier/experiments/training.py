"""Trainings compared: each row of settings with several seeds, measured at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

import stier
from stier import _arguments
from stier._content import was_played
from stier._files import as_path
from stier.errors import ArgumentError
from stier.experiments._plans import OnProgress, Report, Rows, TablePlan, Task, bars, first_sentence, header, line
from stier.experiments._store import Store
from stier.playing import as_agent
from stier.ratings import estimate

__all__ = ["Training"]

#: The seed of the matches, which no training or evaluation has used.
HELD_OUT = 1_000_003
#: In an agent, the path of the network.
NETWORK = "NETWORK"
#: The measures of exact evaluations: on the way, and of uniform play.
DISTANCE, UNIFORM = "eval/nash_conv", "uniform eval/nash_conv"
#: Arguments of `stier.train.learn` that are not settings of an algorithm and may stand among them.
ARGUMENTS = {"initial", "device", "watch", "judge"}
MOST_SEEDS = 10_000


class Training(TablePlan):
    """Trainings by self-play, a row of settings each: ``settings`` are arguments of `stier.train.learn`.

    Each of ``seeds`` seeds is trained. At the end the network's ``agent`` plays ``matches`` in ``deals`` held-out
    deals, and ``responders`` look for a lower bound on its exploitability in ``responder_deals``. ``exact`` rows
    compute NashConv. `NETWORK` in an agent is the path of the network. A row with a ``file`` measures that network
    instead. A row with a ``commit`` was trained there and is not trained again: its rows are those of the table
    ``published``.
    """

    kind = "training"
    unit = "decisions"
    keys: ClassVar[Mapping[str, Any]] = {
        "name": str,
        "note": str,
        "commit": str,
        "game": str,
        "file": str,
        "algorithm": str,
        "settings": dict,
        "seeds": int,
        "evaluations": int,
        "exact": bool,
        "agent": str,
        "matches": list[str],
        "deals": int,
        "responders": list[str],
        "responder_deals": int,
    }
    defaults: ClassVar[Mapping[str, Any]] = {
        "note": "",
        "commit": "",
        "file": "",
        "algorithm": "ppo",
        "settings": {},
        "seeds": 1,
        "evaluations": 1,
        "exact": False,
        "agent": f"network:path={NETWORK}",
        "matches": [],
        "deals": 1_000,
        "responders": [],
        "responder_deals": 1_000,
    }
    schema = pa.schema(
        [
            *[("run", pa.string()), ("seed", pa.int64()), ("steps", pa.int64()), ("cpu_seconds", pa.float64())],
            *[("measure", pa.string()), ("value", pa.float64()), ("ci95", pa.float64()), ("made_by", pa.string())],
        ]
    )

    def work(self, row: Mapping[str, Any]) -> Iterator[Task]:
        """Makes a task for each seed."""
        game = stier.load_game(row["game"])
        if row["name"] in (other["name"] for other in self.rows[:-1]):
            raise ArgumentError(f"there is another row '{row['name']}'")
        if not row["commit"] and not was_played(row["file"] or row["agent"]):
            _check(row, game)
        what = {key: value for key, value in row.items() if key not in ("note", "commit", "seeds")}
        size = max(1, int(row["settings"].get("steps", 1)))
        for seed in range(1 if row["file"] else _arguments.whole("seeds", row["seeds"], 1, MOST_SEEDS)):
            task = self.new_task(row["name"], {**what, "seed": seed}, game, row["matches"], size)
            if not row["commit"] or task.what["made_by"] in self.earlier:
                yield task

    def measure(self, what: Mapping[str, Any], threads: int, work: Path, on_progress: OnProgress | None) -> Rows:
        """Trains a network, from its checkpoint if there is one, and measures it."""
        import stier.train
        from stier.network import Network

        game, seed = stier.load_game(what["game"]), what["seed"]
        file = what["file"]
        log: Any
        if file:
            log = [{"steps": Network.load(file).training.get("steps_done", 0)}]
        else:

            def tell(metrics: Mapping[str, float]) -> None:
                if on_progress is not None:
                    on_progress(int(metrics["steps"]), what["settings"].get("steps", 1))

            shared = {"folder": work, "against": (), "log": tell, "seed": seed, "threads": threads}
            given = {name: what[name] for name in ("evaluations", "exact")}
            log = stier.train.learn(game, what["algorithm"], **given, **shared, **what["settings"]).log
            file = str(work / "network.safetensors")
        end = log[-1]
        found: list[Any] = [(at, DISTANCE, at[DISTANCE], None) for at in log if DISTANCE in at]
        if what["exact"]:
            found.append((end, UNIFORM, stier.solving.nash_conv(game, "random"), None))
        own = what["agent"].replace(NETWORK, file)
        for other in what["matches"]:
            agents = [own] + [other.replace(NETWORK, file)] * (game.num_players() - 1)
            result = stier.pit(game, agents, deals=what["deals"], seed=HELD_OUT + seed, threads=threads)
            found.append((end, f"against {other}", result.mean[0], result.ci95[0]))
        for responder in what["responders"]:
            how = {"deals": what["responder_deals"], "seed": HELD_OUT + seed, "threads": threads}
            best = stier.exploit(game, own, responder.replace(NETWORK, file), **how)
            found.append((end, f"gain of {responder}", best.gain, best.ci95))
        names = {"run": what["name"], "seed": seed}
        return [
            {**names, "steps": int(at["steps"]), "cpu_seconds": at.get("cpu_seconds"), "measure": measure}
            | {"value": _rounded(value, 6), "ci95": _rounded(ci95, 4)}
            for at, measure, value, ci95 in found
        ]

    def report(self, store: Store) -> Report:
        """Makes the page: a table for each game, and a bar for each run of the first one."""
        results = self.results(store)
        details, figures, answer, picture = {}, {}, "Nothing has been trained yet.", None
        for game in dict.fromkeys(row["game"] for row in self.rows):
            rows = [row for row in self.rows if row["game"] == game]
            found = _ends(results[results["run"].isin([row["name"] for row in rows])])
            details[f"<code>{game}</code>"] = _table(rows, found)
            measure = next(iter(found), None)
            if measure is not None and picture is None:
                picture = self.table
                # Shares of uniform play and the gains of responders are losses of the network.
                falls = "%" in measure or measure.startswith("gain of ")
                ranked = found[measure].groupby("run")["value"].mean().sort_values(ascending=falls)
                answer = f"`{ranked.index[0]}` is best in `{game}`: {measure} is {ranked.iloc[0]:.2f}, the mean of its "
                answer += (
                    "seeds."
                    if len(ranked) == 1
                    else f"seeds. The last is `{ranked.index[-1]}`, with {ranked.iloc[-1]:.2f}."
                )
                title = first_sentence(self.given.get("answer", answer))
                figures = {self.table: partial(bars, {game: ranked}, title, f"{measure}, mean over seeds")}
        sure = [
            f"Compared: {len(self.rows)} trainings with {max(row['seeds'] for row in self.rows)} seeds at most, "
            "in deals that no training has seen.",
            "Other seeds could change it: differences between few seeds are small against those within them.",
            "How the settings do in other games or with more decisions is not known.",
        ]
        text = self.page(store, "Which training is best?", answer, sure, details, picture)
        return Report(text, {self.table: results}, figures)


def _check(row: Mapping[str, Any], game: stier.Game) -> None:
    """Raises for what would stop a training or its measurement, before anything is trained."""
    for name, path in (("file", row["file"]), ("initial", row["settings"].get("initial"))):
        if path and not as_path(path).is_file():
            raise ArgumentError(f"{name} must be the file of a network, got '{path}'")
    if not row["file"]:
        from stier.train._learn import algorithm_of, check_settings, learn

        given = {name: value for name, value in row["settings"].items() if name not in ARGUMENTS}
        if own := sorted({*given} & {"seed", *signature(learn).parameters}):
            raise ArgumentError(f"settings must not contain {own[0]}, which the plan sets")
        check_settings(row["algorithm"], given)
        algorithm_of(row["algorithm"]).settings(**given)
    for agent in [row["agent"], *row["matches"], *row["responders"]]:
        if NETWORK not in agent:
            as_agent(agent, game)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def _ends(results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Returns the rows at the end of each seed, by measure; NashConv in percent of uniform play comes first."""
    found = dict(tuple(results.groupby(["measure", "run", "seed"], sort=False).tail(1).groupby("measure", sort=False)))
    uniform, distance = found.pop(UNIFORM, None), found.pop(DISTANCE, None)
    found = {name: rows for name, rows in found.items() if "against " in name or name.startswith("gain of ")}
    if uniform is None or distance is None:
        return found
    scale = 100 / uniform["value"].mean()
    return {"NashConv in % of uniform play": distance.assign(value=scale * distance["value"]), **found}


def _table(rows: list[dict[str, Any]], found: Mapping[str, pd.DataFrame]) -> str:
    """Returns a table with a line for each run and a column for each measure, and what the runs are about."""
    text = "± is half of a 95 % interval over seeds; over deals for fewer than three.\n\n"
    text += header(["run", "decisions", "CPU seconds", *found])
    for row in rows:
        own = [table[table["run"] == row["name"]] for table in found.values()]
        first = next((table for table in own if len(table)), None)
        made = ["not trained yet", ""]
        if first is not None:
            seconds = first["cpu_seconds"].mean()
            made = [f"{first['steps'].iloc[0]:,}", "" if np.isnan(seconds) else f"{seconds:.0f}"]
        text += line([row["name"], *made, *(_mean(table) for table in own)])
    notes = [(row, f"trained at commit {row['commit']}. " * bool(row["commit"]) + row["note"].strip()) for row in rows]
    return text + "\n" + "".join(f"- {row['name']}: {note}\n" for row, note in notes if note)


def _mean(rows: pd.DataFrame) -> str:
    """Returns the mean over seeds with its interval; that of a single seed has an interval over deals."""
    values = rows["value"].dropna()
    if not len(values):
        return ""
    half = estimate(values).ci95 if len(values) > 2 else float(pd.to_numeric(rows["ci95"]).mean())
    return f"{values.mean():.3f}" + ("" if np.isnan(half) else f" ± {half:.3f}")
