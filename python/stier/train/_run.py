"""The loop around every learner: evaluations, the log, checkpoints, progress."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

import stier
from stier import _arguments
from stier._files import write_bytes, write_csv
from stier._native import Game
from stier._output import Lines, bar
from stier.errors import ArgumentError, IllegalActionError, TrainingError, TrainingWarning
from stier.network import Network
from stier.train._checkpoint import CHECKPOINT, FORMAT, NETWORK, compare, digests, parsed, read, sha256
from stier.train.evaluation import Evaluation

#: Seconds between checkpoints.
PAUSE = 10.0
LOG, HISTORY = "log.csv", "checkpoints"
BEST = "best.safetensors"

#: Called with the metrics of an iteration or an evaluation.
Logger = Callable[[dict[str, float]], None]


class Learner(Protocol):
    """An algorithm, at some point of its training."""

    name: str
    game: Game
    settings: Any
    #: A digest of the network that training started from, or None.
    initial: str | None
    #: The number of calls of `iterate`, over all runs.
    iteration: int

    @property
    def steps(self) -> int:
        """The number of decisions learned from."""
        ...

    def iterate(self) -> dict[str, float]:
        """Plays and learns once; returns the metrics that need no further play."""
        ...

    def network(self) -> Network:
        """Returns the network as it is now."""
        ...

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns everything that the future depends on."""
        ...

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Continues from these arrays."""


@dataclass(frozen=True)
class Best:
    """The network that did best in the evaluations of a training."""

    #: The network.
    network: Network
    #: The decisions that it had learned from.
    steps: int
    #: The column of the log by which networks are compared: `Evaluation.measure_of_best`.
    measure: str
    #: Its value in this column.
    value: float

    def __str__(self) -> str:
        return f"{self.measure.removeprefix('eval/')} {self.value:.4g} after {self.steps:,} decisions"


@dataclass(frozen=True)
class Trained:
    """The result of training."""

    #: The network after the last step.
    network: Network
    #: The best network of all evaluations, or None if nothing was measured.
    best: Best | None
    #: A row for each evaluation: ``steps``, ``cpu_seconds`` (of this process, evaluations not counted), the metrics of
    #: the iterations as means since the row before, and the columns of :meth:`Evaluation.measure`.
    log: list[dict[str, float]]
    #: The folder of the files, or None.
    folder: Path | None
    #: The columns of the log with the results of evaluations, without their details.
    headlines: list[str]
    #: The sentence of the `TrainingWarning` about a network that is clearly worse than the best one, or None.
    warning: str | None

    @property
    def file(self) -> Path | None:
        """The file of the network after the last step, or None without a folder."""
        return None if self.folder is None else self.folder / NETWORK

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
    the same bits however often training was stopped, and so is the best one. A checkpoint of a shorter or longer
    training with the same settings and evaluations is continued: from there on, schedules are those of the new number
    of steps. The arguments are those of `stier.train.learn`.
    """
    evaluations = _arguments.whole("evaluations", evaluations)
    checkpoint_every = _arguments.whole("checkpoint_every", checkpoint_every)
    if checkpoint_every and folder is None:
        raise ArgumentError("checkpoint_every needs a folder")
    evaluation = Evaluation(learner.game, ()) if evaluation is None else evaluation
    record = _Record(learner, folder, evaluation, evaluations, log)
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
                if progress and not record.rows and evaluation.against:
                    print(f"evaluating against {', '.join(evaluation.against)}", file=sys.stderr, flush=True)
                record.evaluate()
                record.save()
                saved = time.monotonic()
            if progress and done == begun < total:
                print("compiling the learner", file=sys.stderr, flush=True)
            update(min(done, last), last, record.note())
            if done >= total:
                break
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
    warning = record.warning()
    if warning is not None:
        warnings.warn(warning, TrainingWarning, stacklevel=3)
    return Trained(learner.network(), record.best, record.rows, folder, evaluation.headlines, warning)


class _Lines(Lines):
    """Progress without a terminal: also a line for each evaluation, and the newest metrics in between."""

    def __init__(self, record: _Record) -> None:
        super().__init__("decisions")
        self._record = record
        self._note = ""

    def update(self, done: int, total: int, note: str = "") -> None:
        if note == self._note:
            super().update(done, total, ", ".join(f"{name} {one:.4g}" for name, one in self._record.metrics.items()))
        else:
            self._note = note
            self.print(done, total, note)


class _Record:
    """Rows, sums since the last row, and the files that they are kept in."""

    def __init__(
        self, learner: Learner, folder: Path | None, evaluation: Evaluation, evaluations: int, log: Logger | None
    ) -> None:
        self.learner, self.folder, self.evaluation, self.log = learner, folder, evaluation, log
        #: The evaluations, and their number.
        self.measured = {**evaluation.described(), "evaluations": evaluations}
        self.best: Best | None = None
        self.rows: list[dict[str, float]] = []
        #: The metrics of the last iteration.
        self.metrics: dict[str, float] = {}
        self.sums: dict[str, float] = {}
        self.iterations = 0
        self.cpu_seconds = 0.0
        #: Steps in the checkpoint.
        self.saved = 0
        own = learner.settings
        agents = [*own.opponents, own.opening, *evaluation.against]
        #: Digests of the files of these agents, as they are before the first game.
        self.files = digests(learner.game, agents)

    @property
    def evaluated(self) -> int:
        return int(self.rows[-1]["steps"]) if self.rows else -1

    @property
    def settings(self) -> dict[str, Any]:
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
            **self.measured,
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
        return TrainingError(
            f"training has diverged: {why} in iteration {self.learner.iteration}, after "
            f"{self.learner.steps:,} decisions. Use a smaller learning_rate"
        )

    def at(self) -> dict[str, float]:
        return {"steps": self.learner.steps, "cpu_seconds": round(self.cpu_seconds, 2)}

    def evaluate(self) -> None:
        network = self.learner.network()
        found, measure = self.evaluation.measure(network), self.evaluation.measure_of_best
        if measure is not None and (self.best is None or self.evaluation.is_better(found[measure], self.best.value)):
            self.best = Best(network, self.learner.steps, measure, found[measure])
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
        keys = [key for key in self.evaluation.headlines if key in row and not key.endswith("ci95")]
        parts = [f"at {row['steps']:,}", *(f"{key.removeprefix('eval/')} {row[key]:.3f}" for key in keys)]
        return ", ".join([*parts, f"{row['cpu_seconds']:.0f} CPU s of training"])

    def warning(self) -> str | None:
        """Returns a sentence if the last network is clearly worse than the best one."""
        if self.best is None:
            return None
        last, best = self.rows[-1], next(row for row in self.rows if row["steps"] == self.best.steps)
        if not self.evaluation.is_clearly_worse(last, best):
            return None
        end = f"{last[self.best.measure]:.4g} after {last['steps']:,}"
        kept = f", {self.folder / BEST}" if self.folder is not None else ""
        return f"the network at the end is worse than an earlier one: {self.best}{kept}, but {end}"

    def keep_network(self) -> None:
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
        kept: dict[str, Any] | None = None
        if self.best is not None:
            content = self.best.network._to_bytes()
            write_bytes(self.folder / BEST, content)
            arrays["best"] = np.frombuffer(content, np.uint8)
            kept = {"steps": self.best.steps, "measure": self.best.measure, "value": self.best.value}
        columns = list(dict.fromkeys(key for row in self.rows for key in row))
        write_csv(self.folder / LOG, columns, ([row.get(key, "") for key in columns] for row in self.rows))
        state = {"rows": self.rows, "sums": self.sums, "iterations": self.iterations, "cpu_seconds": self.cpu_seconds}
        metadata = {"settings": json.dumps(self.settings), "state": json.dumps(state | {"best": kept})}
        metadata["sha256"] = sha256(metadata, arrays)
        write_bytes(self.folder / CHECKPOINT, save(arrays, metadata))
        self.saved = self.learner.steps

    def resume(self) -> None:
        """Continues from the folder's checkpoint, if there is one.

        Raises `ValueError` for one of another format, of other settings or evaluations, the number of steps excepted,
        and for a damaged file.
        """
        if self.folder is None or not (self.folder / CHECKPOINT).exists():
            return
        path = self.folder / CHECKPOINT
        metadata, arrays = read(path)
        there, here = parsed(path, metadata, "settings"), self.settings
        if there.get("checkpoint") != FORMAT:
            raise ArgumentError(
                f"{path} has checkpoint format {there.get('checkpoint')}, this version of stier continues only format "
                f"{FORMAT}: choose another folder, or delete it. The {NETWORK} beside it can be the initial network"
            )
        if metadata.get("sha256") != sha256(metadata, arrays):
            raise ArgumentError(f"{path} is damaged, its checksum is wrong: choose another folder, or delete it")
        if here["initial"] is None:
            # It need not be named again.
            here["initial"] = there.get("initial")
        # Settings that the checkpoint does not have are at their defaults.
        compare(path, {**dataclasses.asdict(type(self.learner.settings)()), **there}, here)
        self.learner.restore(arrays)
        if there["steps"] > here["steps"] < self.learner.steps:
            done = f"{self.learner.steps:,}"
            raise ArgumentError(f"steps must be at least {done}, which {path} has done; got {here['steps']:,}")
        self.learner.initial = here["initial"]
        state = parsed(path, metadata, "state")
        self.rows, self.sums = state["rows"], state["sums"]
        self.iterations, self.cpu_seconds = state["iterations"], state["cpu_seconds"]
        if state["best"] is not None:
            network = Network._from_bytes(f"the best network in {path}", arrays["best"].tobytes())
            self.best = Best(network, **state["best"])
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
        # Learners see observations as bytes.
        logits, value = bound.forward(np.full(len(bound.hidden[0][0] if bound.hidden else bound.policy[0]), 255))
    return bool(np.isfinite(logits).all() and (network.value is None or np.isfinite(value)))
