"""Trainings compared: each row of settings with several seeds, measured at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

import stier
from stier import _arguments
from stier._content import was_played
from stier._files import as_path
from stier._output import counted
from stier.errors import ArgumentError
from stier.experiments._pages import Answer, Interval, markdown_table, most
from stier.experiments._plans import OnProgress, TablePlan, Task
from stier.network import Network
from stier.playing import as_agent

__all__ = ["Training"]

#: The seed of the matches, which no training or evaluation has used.
HELD_OUT = 1_000_003
#: In an agent, the path of the network.
NETWORK = "NETWORK"
#: The measures of exact evaluations: on the way, and of uniform play.
DISTANCE, UNIFORM = "eval/nash_conv", "uniform eval/nash_conv"
SHARE = "NashConv in % of uniform play"
#: Smaller values are raised to this before taking logarithms, because log 0 is undefined.
LEAST = 1e-6
#: Arguments of `stier.train.learn` that are not settings of an algorithm and may stand among them.
ARGUMENTS = {"initial", "device", "watch", "judge"}
MOST_SEEDS = 10_000


class Training(TablePlan):
    """Trainings by self-play, a row of settings each: ``settings`` are arguments of `stier.train.learn`.

    Each of ``seeds`` seeds is trained. At the end the network's ``agent`` plays ``matches`` in ``deals`` held-out
    deals, and ``responders`` look for a lower bound on its exploitability in ``responder_deals``. ``exact`` rows
    compute NashConv. `NETWORK` in an agent is the path of the network. A row with a ``file`` measures that network
    instead.
    """

    kind = "training"
    unit = "decisions"
    keys: ClassVar[Mapping[str, Any]] = {"name": str, "game": str}
    defaults: ClassVar[Mapping[str, Any]] = {
        "note": "",
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
        {
            "run": "string",
            "seed": "int64",
            "steps": "int64",
            "cpu_seconds": "float64",
            "measure": "string",
            "value": "float64",
            "ci95": "float64",
            "made_by": "string",
        }
    )

    def work(self, row: Mapping[str, Any]) -> Iterator[Task]:
        """Makes a task for each seed."""
        game = stier.load_game(row["game"])
        if row["name"] in (other["name"] for other in self.rows[:-1]):
            raise ArgumentError(f"names of rows must differ, got '{row['name']}' twice")
        agents = [row["agent"], *row["matches"], *row["responders"]]
        if not was_played(row["file"] or row["agent"]):
            _check(row, game, agents)
        what = {key: value for key, value in row.items() if key not in ("note", "seeds")}
        size = 1 if row["file"] else _steps(row)
        for seed in range(1 if row["file"] else _arguments.whole("seeds", row["seeds"], 1, MOST_SEEDS)):
            yield self.new_task(row["name"], {**what, "seed": seed}, game, agents, size)

    def measure(
        self, what: Mapping[str, Any], threads: int, work: Path, on_progress: OnProgress
    ) -> list[dict[str, Any]]:
        """Trains a network, from its checkpoint if there is one, and measures it."""
        game, seed, file = stier.load_game(what["game"]), what["seed"], what["file"]
        log: Any = [{"steps": Network.load(file).training.get("steps_done", 0)}] if file else None
        rows: list[dict[str, Any]] = []

        def note(at: Mapping[str, Any], measure: str, value: float, ci95: float | None = None) -> None:
            own = {"run": what["name"], "seed": seed, "steps": int(at["steps"]), "cpu_seconds": at.get("cpu_seconds")}
            half = None if ci95 is None else float(f"{ci95:.4g}")
            rows.append({**own, "measure": measure, "value": float(f"{value:.6g}"), "ci95": half})

        if not file:
            given = what["settings"] | {name: what[name] for name in ("evaluations", "exact")}
            shared = {"folder": work, "against": (), "seed": seed, "threads": threads}
            shared["log"] = lambda at: on_progress(int(at["steps"]), _steps(what))
            trained = stier.train.learn(game, what["algorithm"], **given, **shared)
            log, file = trained.log, str(trained.file)
        for at in (one for one in log if DISTANCE in one):
            note(at, DISTANCE, at[DISTANCE])
        if what["exact"]:
            note(log[-1], UNIFORM, stier.solving.nash_conv(game, "random"))
        own, held_out = what["agent"].replace(NETWORK, file), {"seed": HELD_OUT + seed, "threads": threads}
        for other in what["matches"]:
            agents = [own] + [other.replace(NETWORK, file)] * (game.num_players() - 1)
            result = stier.pit(game, agents, deals=what["deals"], **held_out)
            note(log[-1], f"against {other}", result.mean[0], result.ci95[0])
        for responder in what["responders"]:
            best = stier.exploit(game, own, responder.replace(NETWORK, file), deals=what["responder_deals"], **held_out)
            note(log[-1], f"gain of {responder}", best.gain, best.ci95)
        return rows

    def evaluate(self, results: pd.DataFrame) -> Answer:
        """Ranks the runs of the first game that has any, by their first measure."""
        ranks: dict[str, dict[str, Interval]] = {}
        details, measure = {}, ""
        for game in dict.fromkeys(row["game"] for row in self.rows):
            notes = {row["name"]: row["note"].strip() for row in self.rows if row["game"] == game}
            found = _ends(results[results["run"].isin(notes)])
            details[f"<code>{game}</code>"] = _table(notes, found)
            if found and not measure:
                measure, ends = next(iter(found.items()))
                runs, start = ends.groupby("run", sort=False), _start(ends["run"])
                ranks[game] = {run[start:] + " (one seed)" * (len(own) == 1): _mean(own) for run, own in runs}
        earlier = results[~results["run"].isin([row["name"] for row in self.rows])]
        if len(earlier):
            details["Earlier commits"] = _table(earlier.set_index("run")["made_by"].to_dict(), _ends(earlier))
        return Answer(
            "Which training is best?",
            f"mean return {measure}" if measure.startswith("against ") else measure,
            ranks,
            # Shares of uniform play and the gains of responders are losses of the network.
            lowest=measure == SHARE or measure.startswith("gain of "),
            sure=[
                f"The ends of {counted(len(self.rows), 'training')} with "
                f"{most('seed', (row['seeds'] for row in self.rows))}, in deals that no training has seen.",
                "Other seeds: with few of them, small differences may be those of seeds.",
                "How the settings do in other games, or with more decisions.",
            ],
            details=details,
            # Each network would be played by itself.
            apart=[*ranks] if measure.startswith("against ") and NETWORK in measure else [],
        )


def _steps(row: Mapping[str, Any]) -> int:
    """Returns the decisions of a training: those of its settings, or else those of its algorithm."""
    from stier.train._learn import algorithm_of

    return max(1, int(row["settings"].get("steps", algorithm_of(row["algorithm"]).settings.steps)))


def _check(row: Mapping[str, Any], game: stier.Game, agents: list[str]) -> None:
    """Raises for what would stop a training or its measurement, before anything is trained."""
    for name, path in (("file", row["file"]), ("initial", row["settings"].get("initial"))):
        if path and not as_path(path).is_file():
            raise ArgumentError(f"{name} must be the file of a network, got '{path}'")
    if not row["file"]:
        from stier.train._learn import algorithm_of, check_settings, learn

        given = {name: value for name, value in row["settings"].items() if name not in ARGUMENTS}
        if own := sorted({*given} & {"seed", *signature(learn).parameters}):
            raise ArgumentError(f"settings must not contain {own[0]}, which the experiment sets")
        check_settings(row["algorithm"], given)
        algorithm_of(row["algorithm"]).settings(**given)
    with TemporaryDirectory() as folder:
        # Another network of the game takes the place of the one that is not trained yet.
        file = row["file"] or f"{folder}/another.safetensors"
        if not row["file"]:
            Network.random(game, hidden=(1,)).save(file)
        for agent in (agent for agent in agents if not was_played(agent)):
            as_agent(agent.replace(NETWORK, file), game)


def _start(names: Iterable[str]) -> int:
    """Returns the length of the words up to the first comma if all runs begin with the same ones, or else 0."""
    several = set(names)
    starts = {name.partition(", ")[1] and name.partition(", ")[0] for name in several}
    return len(starts.pop()) + len(", ") if len(several) > 1 and len(starts) == 1 and "" not in starts else 0


def _ends(results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Returns the rows at the end of each seed, by measure; NashConv in percent of uniform play comes first."""
    found = dict(tuple(results.groupby(["measure", "run", "seed"], sort=False).tail(1).groupby("measure", sort=False)))
    uniform, distance = found.pop(UNIFORM, None), found.pop(DISTANCE, None)
    found = {name: rows for name, rows in found.items() if "against " in name or name.startswith("gain of ")}
    if uniform is None or distance is None:
        return found
    share = 100 * distance["value"] / distance["run"].map(uniform.groupby("run")["value"].mean())
    return {SHARE: distance.assign(value=share), **found}


def _table(notes: Mapping[str, str], found: Mapping[str, pd.DataFrame]) -> str:
    """Returns a table with a line for each run and a column for each measure, and the notes on the runs."""
    about = "95 % intervals are over three or more seeds, or the deals of one. Means of NashConv are geometric."
    rows = []
    for run in notes:
        own = [table[table["run"] == run] for table in found.values()]
        there = [table for table in own if len(table)]
        seeds, made = max(map(len, there), default=0), ["not trained yet", "", ""]
        if there:
            seconds = there[0]["cpu_seconds"].mean()
            made = [str(seeds), f"{there[0]['steps'].iloc[0]:,}", "" if np.isnan(seconds) else f"{seconds:.0f}"]
        few = {len(table): f", {len(table)} seeds" for table in there} | {seeds: "", 1: ", one seed"}
        cells = [f"{_mean(table):.3f}" + few[len(table)] if len(table) else "" for table in own]
        rows.append([run, *made, *cells])
    told = "".join(f"- {run}: {note}\n" for run, note in notes.items() if note)
    return f"{about}\n\n{markdown_table(['run', 'seeds', 'decisions', 'CPU seconds', *found], rows)}\n{told}"


def _mean(seeds: pd.DataFrame) -> Interval:
    """Returns the mean of a measure, geometric for NashConv, over the seeds that have it.

    Its interval is over seeds; that of one seed is over deals, and two seeds have none.
    """
    logs, seeds = seeds["measure"].iloc[0] == DISTANCE, seeds[seeds["value"].notna()]
    mean = Interval.mean(seeds["value"].clip(lower=LEAST) if logs else seeds["value"], logs=logs)
    return mean if len(seeds) > 1 else Interval.around(mean.value, float(pd.to_numeric(seeds["ci95"]).mean()))
