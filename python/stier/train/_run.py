"""What every learner needs around it: evaluations, a log, checkpoints, progress."""

from __future__ import annotations

import csv
import dataclasses
import json
import sys
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

import stier
from stier._files import write, write_bytes
from stier._native import Game
from stier._progress import Bar
from stier.errors import ArgumentError
from stier.network import Network
from stier.train._evaluation import Evaluation

#: Seconds between checkpoints, and between lines about the progress where there is no terminal.
PAUSE, SILENCE = 30.0, 60.0
CHECKPOINT, LOG, NETWORK = "checkpoint.safetensors", "log.csv", "network.safetensors"
#: Raised whenever the same settings would go on otherwise from the same checkpoint.
FORMAT = 2


class Learner(Protocol):
    """An algorithm, at some point of its training."""

    name: str
    game: Game
    settings: Any
    #: A digest of the network that training started from, or None.
    initial: str | None

    @property
    def steps(self) -> int:
        """The decisions that have been learned from."""

    def iterate(self) -> dict[str, float]:
        """Play and learn a little; give what can be measured without further play."""

    def network(self) -> Network:
        """Give the network as it is now."""

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Give everything that the future depends on."""

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Go on from there."""


@dataclass(frozen=True)
class Trained:
    """What training gave."""

    #: The network after the last step.
    network: Network
    #: A row for each evaluation: ``steps``, ``cpu_seconds`` (of this process, evaluations not counted), the learner's
    #: measures as means since the row before, and the columns of :meth:`Evaluation.measure`.
    log: list[dict[str, float]]
    #: Where files are kept.
    folder: Path | None

    def to_pandas(self) -> Any:
        """Give the log as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.log)


def run(
    learner: Learner,
    *,
    folder: Path | None = None,
    evaluation: Evaluation | None = None,
    evaluations: int = 20,
    progress: bool = False,
) -> Trained:
    """Train to the end, from a checkpoint if the folder has one.

    Evaluates before the first step, `evaluations` times on the way, and at the end. The network after the last step is
    the same bits however often training was stopped. A checkpoint of a shorter or longer training with the same
    settings is continued: from there on, schedules are those of the new number of steps.
    """
    log = _Log(learner, folder)
    log.resume()
    total = learner.settings.steps
    saved = time.monotonic()
    shown = nullcontext() if not progress else Bar("decisions") if sys.stderr.isatty() else _Lines()
    with shown as bar:
        while True:
            done = learner.steps
            reached, before = done * evaluations // total, log.evaluated * evaluations // total
            if not log.rows or reached > before or done >= total > log.evaluated:
                log.evaluate(evaluation)
                log.save()
                saved = time.monotonic()
            if bar is not None:
                bar.update(min(done, total), total, log.note())
            if done >= total:
                return Trained(learner.network(), log.rows, folder)
            log.iterate()
            if time.monotonic() - saved > PAUSE:
                log.save()
                saved = time.monotonic()


class _Lines:
    """Progress where there is no terminal: a line for each note that is new, and one after a while without any."""

    def __init__(self) -> None:
        self._note = ""
        self._last = time.monotonic()

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, done: int, total: int, note: str = "") -> None:
        """Print how far training is, if it is time."""
        if note == self._note and time.monotonic() - self._last < SILENCE:
            return
        new = f": {note}" if note and note != self._note else ""
        print(f"{done:,} of {total:,} decisions ({done / total:.0%}){new}", file=sys.stderr, flush=True)
        self._note, self._last = note, time.monotonic()


class _Log:
    """Rows, sums since the last row, and the files that they are kept in."""

    def __init__(self, learner: Learner, folder: Path | None) -> None:
        self.learner, self.folder = learner, folder
        self.rows: list[dict[str, float]] = []
        self.sums: dict[str, float] = {}
        self.iterations = 0
        self.cpu_seconds = 0.0

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
            **own,
        }

    def iterate(self) -> None:
        start = time.process_time()
        measures = self.learner.iterate()
        self.cpu_seconds += time.process_time() - start
        self.iterations += 1
        for name, value in measures.items():
            self.sums[name] = self.sums.get(name, 0.0) + value

    def evaluate(self, evaluation: Evaluation | None) -> None:
        row: dict[str, float] = {"steps": self.learner.steps, "cpu_seconds": round(self.cpu_seconds, 2)}
        row |= {name: total / self.iterations for name, total in self.sums.items()}
        if evaluation is not None:
            row |= evaluation.measure(self.learner.network())
        self.rows.append(row)
        self.sums, self.iterations = {}, 0

    def note(self) -> str:
        """The results of the last evaluation, for the progress display."""
        if not self.rows:
            return ""
        row = self.rows[-1]
        found = {key.removeprefix("eval/"): row[key] for key in headlines(row)}
        parts = [f"at {row['steps']:,}", *(f"{key} {value:.3f}" for key, value in found.items())]
        return ", ".join([*parts, f"{row['cpu_seconds']:.0f} CPU s"])

    def save(self) -> None:
        """Keep everything; the checkpoint last, so that it never is ahead of the other files."""
        if self.folder is None:
            return
        from safetensors.numpy import save

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
        arrays = {name: np.asarray(array, order="C") for name, array in self.learner.arrays().items()}
        write_bytes(self.folder / CHECKPOINT, save(arrays, metadata))

    def resume(self) -> None:
        """Go on from the folder's checkpoint, if there is one.

        Raises `ValueError` for one of other settings than these, the number of steps excepted.
        """
        if self.folder is None or not (self.folder / CHECKPOINT).exists():
            return
        from safetensors import SafetensorError, safe_open

        path = self.folder / CHECKPOINT
        try:
            with safe_open(path, framework="numpy") as file:
                metadata = file.metadata() or {}
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except SafetensorError as error:
            raise ArgumentError(f"{path}: {error}") from error
        there, here = json.loads(metadata["settings"]), self.settings
        if here["initial"] is None:
            # It need not be named again.
            here["initial"] = there.get("initial")
        _compare(path, there, here)
        self.learner.restore(arrays)
        if there["steps"] > here["steps"] < self.learner.steps:
            raise ArgumentError(
                f"steps must be at least {self.learner.steps:,}, which {path} has done; got {here['steps']:,}"
            )
        self.learner.initial = here["initial"]
        state = json.loads(metadata["state"])
        self.rows, self.sums = state["rows"], state["sums"]
        self.iterations, self.cpu_seconds = state["iterations"], state["cpu_seconds"]


def headlines(row: Mapping[str, float]) -> list[str]:
    """Give the columns of a row of the log that say most."""
    ends = ("/mean", "/nash_conv", "/probability", "/judge_takes", "/judge_declines")
    return [key for key in row if key.startswith("eval/") and key.endswith(ends)]


def _compare(path: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    keys = [key for key in {**there, **here} if there.get(key) != here.get(key) and key != "steps"]
    if keys:
        differences = "; ".join(f"{key}: {there.get(key)} there, {here.get(key)} now" for key in keys)
        raise ArgumentError(f"{path} was made with other settings ({differences}): choose another folder, or delete it")
