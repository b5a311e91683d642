"""Trains the network of a run, or takes that of a file, and measures it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import stier
from stier.experiments._plans import OnProgress
from stier.experiments._training_runs import (
    DISTANCE,
    FIRST,
    GREEDY,
    HELD_OUT,
    LEARNED,
    UNIFORM,
    decisions_of,
    matches_of,
    responders_of,
)

if TYPE_CHECKING:
    from stier.network import Network
    from stier.train import LearnedResponse

#: The deals for counting the chances of watched actions.
CHANCES = 3000
#: The iterations of the solver.
ITERATIONS = (1, 2, 5, 10, 20, 50, 100, 200)
Row = dict[str, Any]


def train_and_measure(
    run: Mapping[str, Any], seed: int, threads: int, work: Path, on_progress: OnProgress | None
) -> list[Row]:
    """Trains one network and measures it, on so many threads."""
    game = stier.load_game(run["game"])
    network, file, log = _published(run) if "file" in run else _train(run, game, seed, threads, work, on_progress)
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

    for name, (text, other, deals) in matches_of(run).items():
        own, agent = named(text), named(other)
        agents = [own] + [agent] * (game.num_players() - 1)
        result = stier.pit(game, agents, deals=deals, seed=HELD_OUT + seed, threads=threads)
        note(log[-1], name, result.mean[0], result.ci95[0])
    for name, responder in responders_of(run).items():
        player, deals = named("network:path=NETWORK"), run["responder_deals"]
        found = stier.exploit(game, player, named(responder), deals=deals, seed=HELD_OUT + seed, threads=threads)
        note(log[-1], name, found.gain, found.ci95)
    if "learned_responder" in run:
        learned = _respond(run, game, seed, file, threads, work, on_progress)
        note(learned.trained.log[-1], LEARNED, learned.gain, learned.ci95)
    return rows


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def _train(
    run: Mapping[str, Any], game: stier.Game, seed: int, threads: int, work: Path, on_progress: OnProgress | None
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
        threads=threads,
        **run["settings"],
    )
    return trained.network, str(work / "network.safetensors"), list(trained.log)


def _respond(
    run: Mapping[str, Any],
    game: stier.Game,
    seed: int,
    file: str,
    threads: int,
    work: Path,
    on_progress: OnProgress | None,
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
        threads=threads,
        **{**given, "initial": given["initial"] or None},
    )


def _teller(run: Mapping[str, Any], key: str, on_progress: OnProgress | None) -> Callable[[Mapping[str, float]], None]:
    """Returns the `log` of one of a run's trainings, which shows the progress in the decisions of all."""
    decisions = decisions_of(run)
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
                when = "per chance" if row.round is None else FIRST
                by = "" if row.judge is None else f", {run['judge']} {row.judge}"
                half = (row.probability_high - row.probability_low) / 2
                yield f"P({action}) {when}{by}", row.probability, half
        first = found.row(round=0)
        yield f"P({action}) above 0.9 {FIRST}", first.above_90, None
        yield f"P({action}) below 0.1 {FIRST}", first.below_10, None
        yield f"chances of {action} after the first lead", found.row().chances - first.chances, None


def solve(run: Mapping[str, Any]) -> list[Row]:
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
