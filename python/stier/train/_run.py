"""The loop around every learner: evaluations, the log, checkpoints, progress."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import math
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import stier
from stier._files import write, write_bytes
from stier._native import Game
from stier._output import Lines, bar
from stier.errors import ArgumentError, IllegalActionError, TrainingError
from stier.network import Network
from stier.train._learner import Learner
from stier.train.evaluation import Evaluation
from stier.train.settings import SELF

#: Seconds between checkpoints.
PAUSE = 10.0
CHECKPOINT, LOG, NETWORK, HISTORY = "checkpoint.safetensors", "log.csv", "network.safetensors", "checkpoints"
#: Raised whenever the same settings would go on otherwise from the same checkpoint.
FORMAT = 7

#: Called with the metrics of an iteration or an evaluation.
Logger = Callable[[dict[str, float]], None]


@dataclass(frozen=True)
class Trained:
    """The result of training."""

    #: The network after the last step.
    network: Network
    #: A row for each evaluation: ``steps``, ``cpu_seconds`` (of this process, evaluations not counted), the metrics of
    #: the iterations as means since the row before, and the columns of :meth:`Evaluation.measure`.
    log: list[dict[str, float]]
    #: The folder of the files, or None.
    folder: Path | None
    #: The columns of the log with the results of evaluations, without their details.
    headlines: list[str]

    def to_pandas(self) -> Any:
        """Returns the log as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.log)


def run(
    learner: Learner,
    *,
    folder: Path | None = None,
    evaluation: Evaluation | None = None,
    evaluations: int = 20,
    checkpoint_every: int = 0,
    log: Logger | None = None,
    progress: bool = False,
) -> Trained:
    """Trains to the end, from a checkpoint if the folder has one.

    Evaluates before the first step, `evaluations` times on the way, and at the end. The network after the last step is
    the same bits however often training was stopped. A checkpoint of a shorter or longer training with the same
    settings is continued: from there on, schedules are those of the new number of steps. The arguments are those of
    `stier.train.learn`.
    """
    if checkpoint_every < 0:
        raise ArgumentError(f"checkpoint_every must be at least 0, got {checkpoint_every}")
    if checkpoint_every and folder is None:
        raise ArgumentError("checkpoint_every needs a folder")
    record = _Record(learner, folder, evaluation, log)
    record.resume()
    if progress and learner.steps:
        print(f"continuing after {learner.steps:,} decisions, from {folder}", file=sys.stderr, flush=True)
    total = learner.settings.steps
    saved = time.monotonic()
    begun = learner.steps
    # PPO ends with a whole update.
    size = getattr(learner.settings, "batch_size", 1)
    last = math.ceil(total / size) * size
    with bar(progress, "decisions", lines=_Lines(record)) as update:
        while True:
            done = learner.steps
            reached, before = done * evaluations // total, record.evaluated * evaluations // total
            if not record.rows or reached > before or done >= total > record.evaluated:
                if progress and not record.rows and evaluation is not None and evaluation.against:
                    print(f"evaluating against {', '.join(evaluation.against)}", file=sys.stderr, flush=True)
                record.evaluate()
                record.save()
                saved = time.monotonic()
            if progress and done == begun < total and learner.compiles:
                print("compiling the learner", file=sys.stderr, flush=True)
            if update is not None:
                update(min(done, last), last, record.note())
            if done >= total:
                return Trained(learner.network(), record.rows, folder, record.headlines)
            try:
                record.iterate()
            except KeyboardInterrupt:
                if progress and folder is not None:
                    kept = f"the same command continues after {record.saved:,}"
                    print(f"stopped after {done:,} decisions; {kept}", file=sys.stderr, flush=True)
                raise
            if checkpoint_every and learner.iteration % checkpoint_every == 0:
                record.keep_network()
            if time.monotonic() - saved > PAUSE:
                record.save()
                saved = time.monotonic()


class _Lines(Lines):
    """Progress without a terminal: also a line for each evaluation, and the newest metrics in between."""

    def __init__(self, record: _Record) -> None:
        super().__init__("decisions")
        self._record = record
        self._note = ""

    def update(self, done: int, total: int, note: str = "") -> None:
        """Prints a line, if there is a new evaluation or it is time."""
        if note == self._note:
            super().update(done, total, ", ".join(f"{name} {one:.4g}" for name, one in self._record.metrics.items()))
        else:
            self._note = note
            self.print(done, total, note)


class _Record:
    """Rows, sums since the last row, and the files that they are kept in."""

    def __init__(
        self, learner: Learner, folder: Path | None, evaluation: Evaluation | None, log: Logger | None
    ) -> None:
        self.learner, self.folder, self.evaluation, self.log = learner, folder, evaluation, log
        self.headlines = [] if evaluation is None else evaluation.headlines
        self.rows: list[dict[str, float]] = []
        #: The metrics of the last iteration.
        self.metrics: dict[str, float] = {}
        self.sums: dict[str, float] = {}
        self.iterations = 0
        self.cpu_seconds = 0.0
        #: Steps in the checkpoint.
        self.saved = 0
        own = learner.settings
        agents = [*own.opponents, own.opening, own.beliefs, *(() if evaluation is None else evaluation.against)]
        #: Digests of the files of these agents, as they are before the first game.
        self.files = _digests(learner.game, agents)

    @property
    def evaluated(self) -> int:
        """Steps at the last evaluation."""
        return int(self.rows[-1]["steps"]) if self.rows else -1

    @property
    def settings(self) -> dict[str, Any]:
        """All that the outcome depends on."""
        own = dataclasses.asdict(self.learner.settings)
        own = {key: list(value) if isinstance(value, tuple) else value for key, value in own.items()}
        return {
            "algorithm": self.learner.name,
            "game": str(self.learner.game),
            "version": stier.__version__,
            "checkpoint": FORMAT,
            "initial": self.learner.initial,
            "files": self.files,
            **own,
        }

    def iterate(self) -> None:
        before, start, cpu = self.learner.steps, time.monotonic(), time.process_time()
        try:
            metrics = self.learner.iterate()
        except IllegalActionError as error:
            # Illegal actions are masked by a large negative number: the outputs for all legal ones are below it.
            raise self.diverged("the outputs of the network are too large") from error
        for name, value in metrics.items():
            if name.endswith("loss") and not math.isfinite(value):
                raise self.diverged(f"{name} is {value}")
        # The losses are those before the last step, and nothing that cannot be played may replace a file.
        try:
            network = self.learner.network()
        except ArgumentError as error:
            raise self.diverged(str(error)) from error
        if not _always_finite(network):
            raise self.diverged("the outputs of the network overflow")
        self.cpu_seconds += time.process_time() - cpu
        speed = (self.learner.steps - before) / max(time.monotonic() - start, 1e-9)
        self.metrics = metrics | {"steps_per_second": speed}
        self.iterations += 1
        for name, value in self.metrics.items():
            self.sums[name] = self.sums.get(name, 0.0) + value
        if self.log is not None:
            self.log(self.at() | self.metrics)

    def diverged(self, why: str) -> TrainingError:
        """Returns the error that ends training."""
        return TrainingError(
            f"training has diverged: {why} in iteration {self.learner.iteration}, after "
            f"{self.learner.steps:,} decisions. Use a smaller learning_rate or another payoff_scale"
        )

    def at(self) -> dict[str, float]:
        """Decisions and CPU time so far."""
        return {"steps": self.learner.steps, "cpu_seconds": round(self.cpu_seconds, 2)}

    def evaluate(self) -> None:
        found = {} if self.evaluation is None else self.evaluation.measure(self.learner.network())
        if found and self.log is not None:
            self.log(self.at() | found)
        means = {name: total / self.iterations for name, total in self.sums.items()}
        self.rows.append(self.at() | means | found)
        self.sums, self.iterations = {}, 0

    def note(self) -> str:
        """The results of the last evaluation, for the progress display."""
        if not self.rows:
            return ""
        row = self.rows[-1]
        found = {
            key.removeprefix("eval/"): row[key] for key in self.headlines if key in row and not key.endswith("ci95")
        }
        parts = [f"at {row['steps']:,}", *(f"{key} {value:.3f}" for key, value in found.items())]
        return ", ".join([*parts, f"{row['cpu_seconds']:.0f} CPU s of training"])

    def keep_network(self) -> None:
        """Saves the network beside those of earlier iterations."""
        assert self.folder is not None
        (self.folder / HISTORY).mkdir(parents=True, exist_ok=True)
        self.learner.network().save(self.folder / HISTORY / f"{self.learner.steps:012d}.safetensors")

    def save(self) -> None:
        """Saves everything; the checkpoint last, so that it is never ahead of the other files."""
        if self.folder is None:
            return
        from safetensors.numpy import save

        arrays = {name: np.asarray(array, order="C") for name, array in self.learner.arrays().items()}
        for name, array in arrays.items():
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise self.diverged(f"{name} is not finite")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.learner.network().save(self.folder / NETWORK)
        columns = list(dict.fromkeys(key for row in self.rows for key in row))

        def table(path: Path) -> None:
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, columns)
                writer.writeheader()
                writer.writerows(self.rows)

        write(self.folder / LOG, table)
        state = {"rows": self.rows, "sums": self.sums, "iterations": self.iterations, "cpu_seconds": self.cpu_seconds}
        metadata = {"settings": json.dumps(self.settings), "state": json.dumps(state)}
        write_bytes(self.folder / CHECKPOINT, save(arrays, metadata))
        self.saved = self.learner.steps

    def resume(self) -> None:
        """Continues from the folder's checkpoint, if there is one.

        Raises `ValueError` for one of another format or of other settings, the number of steps excepted.
        """
        if self.folder is None or not (self.folder / CHECKPOINT).exists():
            return
        path = self.folder / CHECKPOINT
        metadata, arrays = _read(path)
        there, here = json.loads(metadata.get("settings", "{}")), self.settings
        if there.get("checkpoint") != FORMAT:
            raise ArgumentError(
                f"{path} has checkpoint format {there.get('checkpoint')}, this version of stier continues only format "
                f"{FORMAT}: choose another folder, or delete it. The {NETWORK} beside it can be the initial network"
            )
        if here["initial"] is None:
            # It need not be named again.
            here["initial"] = there.get("initial")
        # A setting that is younger than the checkpoint had the effect of its default.
        _compare(path, {**dataclasses.asdict(type(self.learner.settings)()), **there}, here)
        self.learner.restore(arrays)
        if there["steps"] > here["steps"] < self.learner.steps:
            raise ArgumentError(
                f"steps must be at least {self.learner.steps:,}, which {path} has done; got {here['steps']:,}"
            )
        self.learner.initial = here["initial"]
        state = json.loads(metadata["state"])
        self.rows, self.sums = state["rows"], state["sums"]
        self.iterations, self.cpu_seconds = state["iterations"], state["cpu_seconds"]
        self.saved = self.learner.steps


def _always_finite(network: Network) -> bool:
    """Returns True if no observation makes an output overflow: the largest one with all weights positive does not."""

    def absolute(layer: tuple[Any, Any]) -> tuple[Any, Any]:
        return np.abs(layer[0]), np.abs(layer[1])

    bound = dataclasses.replace(
        network,
        hidden=tuple(map(absolute, network.hidden)),
        policy=absolute(network.policy),
        value=None if network.value is None else absolute(network.value),
    )
    with np.errstate(over="ignore", invalid="ignore"):
        # Learners see observations as bytes. Beliefs are at most the number of copies of a card.
        logits, value = bound.forward(np.full(len(bound.hidden[0][0] if bound.hidden else bound.policy[0]), 255))
    return bool(np.isfinite(logits).all() and (network.value is None or np.isfinite(value)))


def set_by_initial(folder: Path) -> dict[str, Any]:
    """Returns the settings in a folder's checkpoint that a network has set from which its training started."""
    if not (folder / CHECKPOINT).exists():
        return {}
    there = json.loads(_read(folder / CHECKPOINT, arrays=False)[0].get("settings", "{}"))
    if there.get("initial") is None:
        return {}
    return {name: there[name] for name in ("hidden", "symmetry", "beliefs") if name in there}


def _read(path: Path, *, arrays: bool = True) -> tuple[dict[str, str], dict[str, Any]]:
    """Returns the metadata and the arrays of a checkpoint, or no arrays."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            return file.metadata() or {}, {name: file.get_tensor(name) for name in (file.keys() if arrays else ())}
    except SafetensorError as error:
        raise ArgumentError(f"{path}: {error}") from error


def _digests(game: Game, agents: Sequence[str]) -> dict[str, str]:
    """Returns digests of the files named in agents, such as ``network:path=FILE`` and ``mmds:network=FILE``.

    The game's own network is among them, because agents can mean it without a path.
    """
    # With commas or parentheses in it, a path stands in parentheses.
    found = [
        match
        for agent in agents
        for match in re.findall(r"\b(?:path|network)=(?:\(((?:[^()]|\([^()]*\))+)\)|([^,()]+))", agent)
    ]
    paths = {quoted or bare for quoted, bare in found}
    # A file that is missing is an error of its agent.
    files = {path: Path(path).read_bytes() for path in sorted(paths) if Path(path).is_file()}
    own = game.network()
    if own is not None and any(agent not in ("", SELF) for agent in agents):
        files[f"the network of {game.short_name()}"] = own
    return {name: hashlib.sha256(content).hexdigest()[:16] for name, content in files.items()}


def _compare(path: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    before = there.get("files", {})
    changed = [name for name, digest in here["files"].items() if before.get(name, digest) != digest]
    if changed:
        raise ArgumentError(
            f"{path} was made when {', '.join(changed)} had another content: choose another folder, or delete it"
        )
    ignored = ("steps", "version", "files")
    keys = [key for key in {**there, **here} if there.get(key) != here.get(key) and key not in ignored]
    if keys:
        differences = "; ".join(f"{key}: {there.get(key)} there, {here.get(key)} now" for key in keys)
        raise ArgumentError(f"{path} was made with other settings ({differences}): choose another folder, or delete it")
