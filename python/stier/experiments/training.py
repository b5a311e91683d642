"""Networks trained by self-play: every seed trained, evaluated on the way, and measured at the end."""

from __future__ import annotations

import hashlib
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

import stier
from stier._native import alternatives
from stier.errors import ArgumentError
from stier.experiments._plans import (
    OnProgress,
    Report,
    TablePlan,
    Task,
    build,
    checked,
    digest,
    header,
    line,
    paragraph,
)
from stier.experiments._run import Store
from stier.ratings import estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stier.network import Network
    from stier.train import LearnedResponse

__all__ = ["Training"]

#: The seed of the matches, which no training or evaluation has used.
HELD_OUT = 1_000_003
#: The number of positions for timing a decision, and that of deals for counting the chances of watched actions.
POSITIONS, CHANCES = 200, 3000
#: The iterations of the solver.
ITERATIONS = (1, 2, 5, 10, 20, 50, 100, 200)
#: The measures of evaluations on the way, and that of uniform play.
DISTANCE, GREEDY = "eval/nash_conv", "eval/greedy/mean"
UNIFORM = f"uniform {DISTANCE}"
LEARNED = "gain of learned responder"
SCHEMA = pa.schema(
    [
        *[("run", pa.string()), ("seed", pa.int64()), ("steps", pa.int64()), ("cpu_seconds", pa.float64())],
        *[("measure", pa.string()), ("value", pa.float64()), ("ci95", pa.float64()), ("made_by", pa.string())],
    ]
)
KEYS: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "like": str,
    "about": str,
    "seeds": int,
    "file": str,
    "game": str,
    "algorithm": str,
    "settings": dict,
    "exact": bool,
    "evaluations": int,
    "watch": list,
    "judge": str,
    "matches": list,
    "deals": int,
    "guided": str,
    "guided_matches": list,
    "guided_deals": int,
    "responders": list,
    "learned_responder": dict,
    "responder_deals": int,
}
#: The tables with arguments of a training, and the arguments that they must have.
SETTINGS = {"settings": ("steps",), "learned_responder": ("steps", "deals")}
#: Their arguments that are not settings of the algorithm.
ARGUMENTS = {"algorithm", "initial", "deals", "evaluations", "device"}
#: Arguments that the plan sets itself.
SET_BY_PLAN = {"folder", "threads", "log", "progress"}
#: Keys that mean nothing without others.
NEEDS = {
    "judge": ("watch",),
    "matches": ("deals",),
    "deals": ("matches",),
    "guided_matches": ("guided", "guided_deals"),
    "guided": ("guided_matches",),
    "guided_deals": ("guided_matches",),
    "responders": ("responder_deals",),
    "responder_deals": ("responders",),
}
#: The keys of a training, which a run with a file does not have.
TRAINING = ("algorithm", "settings", "evaluations")

Row = dict[str, Any]


class Training(TablePlan):
    """Runs, ``[[run]]``, each with ``seeds`` seeds: arguments of `stier.train.learn`, and the measurements at the end.

    ``watch`` and ``judge`` count the chances of actions, ``matches`` are played for ``deals``, ``guided_matches`` with
    the network in the search ``guided`` for ``guided_deals``, and ``responders`` look for a lower bound on the
    exploitability in ``responder_deals`` held-out deals. So does ``learned_responder``, a table with arguments of
    `stier.train.best_response`: a network that is trained against the likeliest actions of the run's network and
    measured in its own ``deals``. It starts from the run's network, or from the file ``initial``, or with
    ``initial = ""`` from random weights. Its ``evaluations`` are 1 unless they are given. The row with the gain has the
    decisions and CPU seconds of this training.

    A run with ``like = NAME`` starts from all keys of the run of that name above it, except ``name`` and ``about``. Its
    own keys replace them. ``settings`` and ``learned_responder`` are merged key by key; a run with another
    ``algorithm`` has its own settings only. If a run changes, it and the runs like it are trained again, and their old
    rows are left out.

    A run with a ``file`` measures that network. One with ``seeds`` has its own number of them. `NETWORK` in an agent is
    the path of the network. The games of ``exact`` runs are solved for comparison.
    """

    kind = "training"
    unit = "decisions"
    keys: ClassVar = {"seeds": int, "run": list}
    defaults: ClassVar = {"seeds": 1}
    columns = tuple(SCHEMA.names)
    grows = ("seeds", "run")

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self._runs = _complete(self.given["run"])
        self._tasks = list(self._open())

    def _open(self) -> Iterator[Task]:
        """Makes the tasks whose measures the table does not have."""
        for number, run in enumerate(self._runs, start=1):
            _check(f"run {number}: ", run)
        for game, runs in self.exact().items():
            yield from self._task(_solver(game), {"game": game, **_watched(runs[0])}, 0, [])
        for seed in range(max(map(self._seeds, self._runs), default=0)):
            for run in self._runs:
                if seed < self._seeds(run):
                    learned = [LEARNED] if "learned_responder" in run else []
                    yield from self._task(run["name"], run, seed, [*_matches(run), *_responders(run), *learned])

    def _seeds(self, run: Mapping[str, Any]) -> int:
        return 1 if "file" in run else int(run.get("seeds", self.given["seeds"]))

    def exact(self) -> dict[str, list[Mapping[str, Any]]]:
        """Returns the runs whose distance from equilibrium is computed, by game."""
        return _by_game(run for run in self._runs if run.get("exact"))

    def _task(self, name: str, run: Mapping[str, Any], seed: int, measures: list[str]) -> Iterator[Task]:
        there = self.earlier[(self.earlier["run"] == name) & (self.earlier["seed"] == seed)]
        there = there[there["made_by"] == _made_by(run)]
        if not len(there) or not set(measures) <= set(there["measure"]):
            key = digest([self.kind, build(), name, _made_by(run), seed])
            folder = "".join(letter if letter.isalnum() else "_" for letter in name.lower())
            size = max(1, sum(_decisions(run).values()))
            yield Task(f"{folder}/part-{seed:03}-{key}", key, size, name, {"run": run, "name": name, "seed": seed})

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Trains a network, or continues, and measures it."""
        run, name, seed = (task.what[key] for key in ("run", "name", "seed"))
        rows = _solve(run) if name == _solver(run["game"]) else _measure(run, seed, work, on_progress)
        same = {"run": name, "seed": seed, "made_by": _made_by(run)}
        return pa.Table.from_pylist([same | row for row in rows], schema=SCHEMA)

    def results(self, store: Store) -> pd.DataFrame:
        """Returns the rows of the table and of the parts; a part replaces all earlier rows of its run and seed.

        Rows of a run that has changed since are left out.
        """
        played = self.played(store)[list(self.columns)]
        new = set(zip(played["run"], played["seed"], strict=True))
        keys = zip(self.earlier["run"], self.earlier["seed"], strict=True)
        made_by = {run["name"]: _made_by(run) for run in self._runs}
        fresh = self.earlier["made_by"] == self.earlier["run"].map(made_by).fillna(self.earlier["made_by"])
        kept = self.earlier[fresh & np.array([key not in new for key in keys], dtype=bool)]
        names = [*map(_solver, self.exact()), *(run["name"] for run in self._runs)]
        rows = pd.concat([frame for frame in (kept, played) if len(frame)] or [kept], ignore_index=True)
        rows = rows.astype({"seed": int, "steps": int, "cpu_seconds": float, "value": float, "ci95": float})
        order = rows["run"].map({name: place for place, name in enumerate(names)})
        return rows.assign(order=order).sort_values(["order", "seed"], kind="stable").drop(columns="order")

    def report(self, store: Store) -> Report:
        """Makes the page, with one table for the exact runs and one for the others of each game, and its picture."""
        results = self.results(store)
        page = f"# Training\n\n{paragraph(self.given['about'])}{self.machines(store)}"
        figures = {}
        if self.exact():
            figures["training"] = partial(_distances, self.exact(), results)
            page += "\n![NashConv of every seed](training.png)\n"
        for game, runs in self.exact().items():
            page += f"\n## `{game}`\n\n{_solved_section(game, runs, results)}"
        for game, runs in _by_game(run for run in self._runs if not (run.get("exact") or "file" in run)).items():
            page += f"\n## `{game}`\n\n{_trained_section(runs, results)}"
        for run in self._runs:
            if "file" in run:
                page += f"\n## {run['name']}\n\n{paragraph(run.get('about', ''))}{_published_section(run, results)}"
        return Report(page, {self.kind: results}, figures)


def _complete(runs: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Returns the runs with the keys that they have from runs above them."""
    complete: dict[str, Mapping[str, Any]] = {}
    for number, run in enumerate(runs, start=1):
        where = f"run {number}: "
        if not isinstance(run, Mapping):
            raise ArgumentError(f"{where}must be a table, got {run!r}")
        own = checked(run, KEYS, where, optional=KEYS.keys() - {"name"})
        if own["name"] in complete:
            raise ArgumentError(f"{where}there is another run '{own['name']}'")
        if "like" in own:
            name = own.pop("like")
            if name not in complete:
                above = alternatives(name, "runs above", list(complete)) if complete else "; it is the first run"
                raise ArgumentError(f"{where}like must name a run above it, got '{name}'{above}")
            base = {key: value for key, value in complete[name].items() if key != "about"}
            if "algorithm" in own and own["algorithm"] != base.get("algorithm"):
                base.pop("settings", None)
            own = base | own | {key: base[key] | own[key] for key in SETTINGS if key in base and key in own}
        complete[own["name"]] = own
    return list(complete.values())


def _check(where: str, run: Mapping[str, Any]) -> None:
    """Raises for a complete run with missing keys, or keys without effect, or names that do not exist."""
    needed = {"name", "game", *(() if "file" in run else TRAINING)}
    needed |= {other for key, others in NEEDS.items() if key in run for other in others}
    checked(run, KEYS, where, optional=KEYS.keys() - needed)
    for key in TRAINING:
        if "file" in run and key in run:
            raise ArgumentError(f"{where}{key} means nothing for the network of a file, which is not trained")
    for key, required in SETTINGS.items():
        table = run.get(key, {})
        if "seed" in table:
            raise ArgumentError(f"{where}{key} must not contain a seed: every seed is trained")
        if own := SET_BY_PLAN & table.keys():
            raise ArgumentError(f"{where}{key} must not contain {min(own)}, which the plan sets")
        for argument in required:
            if key in run and argument not in table:
                raise ArgumentError(f"{where}{key} must contain {argument}")
    try:
        _check_settings(run)
        game = stier.load_game(run["game"])
        for action in run.get("watch", ()):
            game.string_to_action(action)
        for agent in [*run.get("matches", ()), *run.get("responders", ()), *run.get("guided_matches", ())]:
            if "NETWORK" not in agent:
                stier.load_agent(agent, game)
    except ValueError as error:
        raise ArgumentError(f"{where}{error}") from None


def _check_settings(run: Mapping[str, Any]) -> None:
    """Raises for unknown settings, and for values out of range, before anything is trained."""
    import stier.train

    for key in SETTINGS:
        if key in run:
            table = run[key]
            algorithm = run["algorithm"] if key == "settings" else table.get("algorithm", "ppo")
            settings = {name: value for name, value in table.items() if name not in ARGUMENTS}
            stier.train.check_settings(algorithm, settings)
            stier.train.settings_of(algorithm)(**settings)


def _by_game(runs: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        found.setdefault(run["game"], []).append(run)
    return found


def _solver(game: str) -> str:
    """Returns the name of the solver's rows."""
    return f"CFR+ in {game}"


def _made_by(run: Mapping[str, Any]) -> str:
    """Returns a digest of what the figures of a run depend on: its keys, and the content of its file."""
    work = {key: value for key, value in run.items() if key not in ("name", "about", "seeds")}
    if "file" in run:
        try:
            work["file"] = hashlib.sha256(Path(run["file"]).read_bytes()).hexdigest()
        except OSError as error:
            raise ArgumentError(f"run {run['name']}: {error}") from None
    return digest(work)


def _watched(run: Mapping[str, Any]) -> Row:
    return {key: run[key] for key in ("watch", "judge") if key in run}


def _matches(run: Mapping[str, Any]) -> dict[str, tuple[str, str, int]]:
    """Returns the matches at the end, by name: the network's agent, its opponent and the number of deals."""
    matches = {f"against {agent}": ("network:path=NETWORK", agent, run["deals"]) for agent in run.get("matches", ())}
    for agent in run.get("guided_matches", ()):
        matches[f"guided against {agent}"] = (run["guided"], agent, run["guided_deals"])
    return matches


def _responders(run: Mapping[str, Any]) -> dict[str, str]:
    return {f"gain of {responder}": responder for responder in run.get("responders", ())}


def _decisions(run: Mapping[str, Any]) -> dict[str, int]:
    """Returns the decisions of the training and of the learned responder's."""
    return {key: run.get(key, {}).get("steps", 0) for key in SETTINGS}


def _measure(run: Mapping[str, Any], seed: int, work: Path, on_progress: OnProgress | None) -> list[Row]:
    """Trains one network and measures it."""
    game = stier.load_game(run["game"])
    network, file, log = _published(run) if "file" in run else _train(run, game, seed, work, on_progress)
    rows: list[Row] = []

    def note(at: Mapping[str, Any], measure: str, value: float, ci95: float | None = None) -> None:
        place = {"steps": int(at["steps"]), "cpu_seconds": at["cpu_seconds"]}
        rows.append({**place, "measure": measure, "value": _rounded(value, 6), "ci95": _rounded(ci95, 4)})

    for at in log:
        if DISTANCE in at:
            note(at, DISTANCE, at[DISTANCE])
        if GREEDY in at:
            note(at, GREEDY, at[GREEDY], at["eval/greedy/ci95"])
    for name, value, interval in _chances(run, network, HELD_OUT + seed):
        note(log[-1], name, value, interval)

    def named(text: str) -> str:
        return text.replace("NETWORK", file)

    for name, (text, other, deals) in _matches(run).items():
        own, agent = named(text), named(other)
        result = stier.pit(game, [own] + [agent] * (game.num_players() - 1), deals=deals, seed=HELD_OUT + seed)
        note(log[-1], name, result.mean[0], result.ci95[0])
        if agent.startswith("ismcts:iterations"):
            who = "guided, times" if name.startswith("guided") else "times"
            note(log[-1], f"{who} as fast as {agent}", _seconds(game, agent) / _seconds(game, own))
    for name, responder in _responders(run).items():
        player, deals = named("network:path=NETWORK"), run["responder_deals"]
        found = stier.exploit(game, player, named(responder), deals=deals, seed=HELD_OUT + seed)
        note(log[-1], name, found.gain, found.ci95)
    if "learned_responder" in run:
        learned = _respond(run, game, seed, file, work, on_progress)
        note(learned.trained.log[-1], LEARNED, learned.gain, learned.ci95)
    return rows


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def _train(
    run: Mapping[str, Any], game: stier.Game, seed: int, work: Path, on_progress: OnProgress | None
) -> tuple[Network, str, list[Row]]:
    """Trains a network, from its checkpoint if there is one, and returns it with its file and its log."""
    import stier.train

    exact = run.get("exact", False)
    trained = stier.train.learn(
        game,
        run["algorithm"],
        folder=work,
        against=() if exact else ("greedy",),
        evaluations=run["evaluations"],
        exact=exact,
        watch=run.get("watch", ()),
        judge=run.get("judge"),
        log=_teller(run, "settings", on_progress),
        seed=seed,
        **run["settings"],
    )
    return trained.network, str(work / "network.safetensors"), list(trained.log)


def _respond(
    run: Mapping[str, Any], game: stier.Game, seed: int, file: str, work: Path, on_progress: OnProgress | None
) -> LearnedResponse:
    """Trains a responder to a network, from its checkpoint if there is one, and measures its gain."""
    import stier.train

    given = {"evaluations": 1, "initial": file, **run["learned_responder"]}
    return stier.train.best_response(
        game,
        f"network:path={file}",
        folder=work / "response",
        log=_teller(run, "learned_responder", on_progress),
        seed=HELD_OUT + seed,
        **{**given, "initial": given["initial"] or None},
    )


def _teller(run: Mapping[str, Any], key: str, on_progress: OnProgress | None) -> Callable[[Mapping[str, float]], None]:
    """Returns the `log` of one of a run's trainings, which shows the progress in the decisions of all."""
    decisions = _decisions(run)
    before = 0 if key == "settings" else decisions["settings"]

    def tell(metrics: Mapping[str, float]) -> None:
        if on_progress is not None:
            on_progress(before + min(int(metrics["steps"]), decisions[key]), sum(decisions.values()))

    return tell


def _published(run: Mapping[str, Any]) -> tuple[Network, str, list[Row]]:
    """Returns a trained network with its file and a line for the length of its training."""
    from stier.network import Network

    network = Network.load(run["file"])
    return network, run["file"], [{"steps": network.training.get("steps_done", 0), "cpu_seconds": None}]


def _chances(run: Mapping[str, Any], player: Any, seed: int) -> Iterator[tuple[str, float, float | None]]:
    """Counts the chances of watched actions: all, at the first lead, and by the judge."""
    if "watch" not in run:
        return
    import stier.train

    for action in run["watch"]:
        found = stier.train.chances(
            stier.load_game(run["game"]), player, action, judge=run.get("judge"), deals=CHANCES, seed=seed
        )
        for row in found.rows:
            if row.round in (None, 0):
                when = "per chance" if row.round is None else "at the first lead"
                by = "" if row.judge is None else f", {run['judge']} {row.judge}"
                half = (row.probability_high - row.probability_low) / 2
                yield f"P({action}) {when}{by}", row.probability, half
        first = found.row(round=0)
        yield f"P({action}) above 0.9 at the first lead", first.above_90, None
        yield f"P({action}) below 0.1 at the first lead", first.below_10, None
        yield f"chances of {action} after the first lead", found.row().chances - first.chances, None


def _seconds(game: stier.Game, agent: str) -> float:
    """Returns the time per decision: the quickest of three searches, averaged over positions with a choice."""
    player, times = stier.load_agent(agent, game), []
    for seed in range(POSITIONS):
        state = game.new_initial_state(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(seed % 12):
            state.apply_action(int(rng.choice(state.legal_actions())))
            if state.is_terminal():
                break
        if not state.is_terminal() and len(state.legal_actions()) > 1:
            times.append(min(player.search(state).seconds for _ in range(3)))
    return float(np.mean(times))


def _solve(run: Mapping[str, Any]) -> list[Row]:
    """Returns the distance of CFR+ from equilibrium by time. The tree is built anew for every row."""
    game = stier.load_game(run["game"])
    rows: list[Row] = []
    at: Row = {}
    solution = None
    for iterations in ITERATIONS:
        start = time.process_time()
        solution = stier.solve(game, iterations=iterations, threads=1)
        at = {"steps": iterations, "cpu_seconds": round(time.process_time() - start, 2)}
        measured = [(DISTANCE, solution.nash_conv)]
        for action in run.get("watch", ()):
            measured.append((f"{action} %", 100 * solution.frequency(game.string_to_action(action))))
        rows += [{**at, "measure": measure, "value": _rounded(value, 6)} for measure, value in measured]
    assert solution is not None
    for measure, value, ci95 in _chances(run, solution, HELD_OUT):
        rows.append({**at, "measure": measure, "value": _rounded(value, 6), "ci95": _rounded(ci95, 4)})
    uniform = stier.solving.nash_conv(game, "random")
    return [*rows, {**at, "steps": 0, "measure": UNIFORM, "value": _rounded(uniform, 6)}]


def _rows(results: pd.DataFrame, run: str, measure: str) -> pd.DataFrame:
    return results[(results["run"] == run) & (results["measure"] == measure)]


def _last(results: pd.DataFrame, run: str, measure: str) -> pd.DataFrame:
    """Returns the last row with that measure of each seed, with the seed as index."""
    return _rows(results, run, measure).groupby("seed").last()


def _solved_section(game: str, runs: list[Mapping[str, Any]], results: pd.DataFrame) -> str:
    """Returns the table of the runs in a game whose equilibrium is known, and their commands."""
    solved = _last(results, _solver(game), DISTANCE)
    if not len(solved):
        return "Not solved yet.\n"
    uniform = _number(results, _solver(game), UNIFORM)
    share, seconds = 100 * solved["value"].iloc[0] / uniform, solved["cpu_seconds"].iloc[0]
    text = f"NashConv is {uniform:.4f} for uniform play, and CFR+ leaves {share:.2g} % of that after {seconds:.1f} s."
    watched = [f"P({action}) at the first lead" for action in runs[0].get("watch", ())]
    for name in watched:
        text += f" In equilibrium, {name} is {_number(results, _solver(game), name):.2f}."
    titles = ["run", "decisions", "CPU seconds", "NashConv, % of uniform play, by seed", "geometric mean", *watched]
    text += "\n\n" + header(titles)
    for run in runs:
        last = _last(results, run["name"], DISTANCE)
        if not len(last):
            text += line([run["name"], "not trained yet", *[""] * (len(titles) - 2)])
            continue
        shares = 100 * last["value"] / uniform
        cells = [f"{_last(results, run['name'], name)['value'].mean():.2f}".replace("nan", "") for name in watched]
        decisions, each = f"{last['steps'].iloc[0]:,}", ", ".join(f"{share:.2f}" for share in shares)
        text += line([run["name"], decisions, _cpu_seconds(last), each, _mean(shares), *cells])
    return text + _commands(runs)


def _cpu_seconds(rows: pd.DataFrame) -> str:
    """Returns the fewest and most CPU seconds."""
    if not len(rows):
        return ""
    ends = (rows["cpu_seconds"].min(), rows["cpu_seconds"].max())
    return " to ".join(dict.fromkeys(f"{end:.0f}" for end in ends))


def _number(results: pd.DataFrame, run: str, measure: str) -> float:
    return float(_last(results, run, measure)["value"].iloc[0])


def _mean(values: pd.Series) -> str:
    """Returns the geometric mean of the seeds, from three seeds on with a 95 % interval for that of all seeds."""
    found = estimate(np.log(values))
    middle = f"{np.exp(found.mean):.2f}"
    if len(values) < 3:
        return middle
    low, high = np.exp([found.mean - found.ci95, found.mean + found.ci95])
    return f"{middle} ({low:.2f} to {high:.2f})"


def _trained_section(runs: list[Mapping[str, Any]], results: pd.DataFrame) -> str:
    """Returns the table of the runs in a game that cannot be solved, and their commands."""
    names = [run["name"] for run in runs]
    measures = list(dict.fromkeys(results[results["run"].isin(names)]["measure"]))
    chances = [name for name in measures if " at the first lead" in name and " 0." not in name]
    gains = [name for name in measures if name.startswith(("against ", "guided against ", "gain of "))]
    titles = ["run", "decisions", "CPU seconds", *(f"{name}, by seed" for name in chances)]
    for name in gains:
        titles += [f"{name}, by seed", f"{name}, mean", *(["CPU seconds of the responder"] if name == LEARNED else [])]
    text = "Matches and gains are mean returns per game in held-out deals. ± is half of a 95 % interval: for one seed "
    text += "over deals, for a mean of at least three seeds over seeds.\n\n"
    for guided in dict.fromkeys(run["guided"] for run in runs if "guided" in run):
        text += f"*Guided* is `{guided}`.\n\n"
    text += header(titles)
    for name in names:
        last = {measure: _last(results, name, measure) for measure in (GREEDY, *chances, *gains)}
        if not len(last[GREEDY]):
            text += line([name, "not trained yet", *[""] * (len(titles) - 2)])
            continue
        cells = [", ".join(f"{value:.2f}" for value in last[chance]["value"]) for chance in chances]
        for gain in gains:
            rows = last[gain]
            cells += [", ".join(_cell(gain, row) for _, row in rows.iterrows()), _average(rows["value"])]
            cells += [_cpu_seconds(rows)] if gain == LEARNED else []
        text += line([name, f"{last[GREEDY]['steps'].iloc[0]:,}", _cpu_seconds(last[GREEDY]), *cells])
    return text + _commands(runs)


def _average(values: pd.Series) -> str:
    """Returns the mean of the seeds, from three seeds on with a 95 % interval for that of all seeds."""
    if len(values) < 3:
        return f"{values.mean():+.3f}" if len(values) else ""
    found = estimate(values)
    return f"{found.mean:+.3f} ± {found.ci95:.3f}"


def _published_section(run: Mapping[str, Any], results: pd.DataFrame) -> str:
    """Returns the table of a network with a file."""
    measures = list(dict.fromkeys(results[results["run"] == run["name"]]["measure"]))
    if not measures:
        return "Not measured yet.\n"
    lines = (line([name, _cell(name, _last(results, run["name"], name).iloc[-1])]) for name in measures)
    return header(["measure", "value"]) + "".join(lines)


def _cell(measure: str, row: pd.Series) -> str:
    """Returns a figure for the page."""
    value, ci95 = float(row["value"]), float("nan" if row["ci95"] is None else row["ci95"])
    if measure.startswith("P(") and " 0." in measure:
        return f"{100 * value:.1f} % of the hands"
    if measure.startswith("P("):
        return f"{value:.3f} ± {ci95:.3f}"
    if not np.isnan(ci95):
        return f"{value:+.3f} ± {ci95:.3f}"
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _commands(runs: list[Mapping[str, Any]]) -> str:
    """Returns a list of the runs and what they are about, with their commands and those of their learned responders."""
    text = "\nThe commands, for one seed; GAME is the text above.\n\n"
    for run in runs:
        about = " ".join(run.get("about", "").split())
        text += f"- {run['name']}{': ' + about if about else '.'}\n  `{_command(run)}`\n"
    learned = dict.fromkeys(_responder_command(run) for run in runs if "learned_responder" in run)
    about = f"The learned responder. Its SEED is larger by {HELD_OUT:,}."
    return text + "".join(f"- {about}\n  `{command}`\n" for command in learned)


def _command(run: Mapping[str, Any]) -> str:
    """Returns the command that trains the same network."""
    words = ["stier", "train", "GAME", "--out", "DIR", "--seed", "SEED"]
    words += ["--algorithm", run["algorithm"]] if run["algorithm"] != "ppo" else []
    words += _options(run["settings"])
    return shlex.join([*words, "--exact"] if run.get("exact") else words)


def _responder_command(run: Mapping[str, Any]) -> str:
    """Returns the command that trains the same responder and measures its gain."""
    file = "DIR/network.safetensors"
    given = {"initial": file, **run["learned_responder"]}
    words = ["stier", "exploit", "GAME", f"network:path={file}", "--responder", "learned", "--seed", "SEED"]
    return shlex.join([*words, *_options({key: value for key, value in given.items() if value != ""})])


def _options(given: Mapping[str, Any]) -> list[str]:
    """Returns the options for arguments of a training."""
    words = []
    for name, value in given.items():
        shown = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        shown = ("off", "on")[value] if isinstance(value, bool) else shown
        own = name in ("algorithm", "initial", "evaluations", "steps", "deals")
        words += [f"--{name}", shown] if own else ["--set", f"{name}={shown}"]
    return words


def _distances(games: Mapping[str, list[Mapping[str, Any]]], results: pd.DataFrame) -> Figure:
    """Draws the NashConv at the end of every seed, one line per run and one panel per game."""
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FixedLocator, NullLocator

    from stier.plots import COLOURS

    heights = [len(runs) for runs in games.values()]
    size = (9, 1.2 * len(games) + 0.28 * sum(heights))
    figure, panels = plt.subplots(
        len(games), figsize=size, layout="constrained", squeeze=False, height_ratios=heights, sharex=True
    )
    for axes, (game, runs) in zip(panels[:, 0], games.items(), strict=True):
        uniform = _last(results, _solver(game), UNIFORM)["value"].mean()
        names = []
        for place, run in enumerate(runs):
            last = _last(results, run["name"], DISTANCE)
            shares = 100 * last["value"] / uniform
            axes.scatter(shares, [place] * len(shares), color=COLOURS[0], s=18, alpha=0.7)
            names.append(run["name"].split(", ", 1)[-1])
            if len(shares) > 1:
                axes.scatter(np.exp(np.log(shares).mean()), place, color=COLOURS[1], marker="|", s=160)
        axes.set(xscale="log", yticks=range(len(runs)), yticklabels=names)
        axes.xaxis.set_major_locator(FixedLocator([0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 20, 30]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter("{x:g} %")
        axes.set_title(game, fontsize=9)
        axes.invert_yaxis()
        axes.tick_params(labelbottom=True)
        axes.grid(alpha=0.3, axis="x")
        axes.spines[["top", "right"]].set_visible(False)
    panels[-1, 0].set_xlabel("NashConv in percent of uniform play (points: seeds, lines: geometric means)")
    return figure
