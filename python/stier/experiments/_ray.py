"""Parts of an experiment on a Ray cluster. Tasks are pure functions of the experiment and numbers of parts.

A task is as many parts as take half a second, so that handing it out costs little; how long parts take is learnt from
those that are done. What a node loses when it dies, Ray plays again elsewhere.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from collections.abc import Generator, Sequence
from threading import Event
from typing import Any, TypeAlias

import pyarrow as pa

import stier
from stier.errors import ArgumentError, MissingExtraError
from stier.experiments._parts import play
from stier.experiments._spec import Experiment

try:
    import ray
    from ray.exceptions import RayTaskError
except ModuleNotFoundError:
    raise MissingExtraError("a cluster needs Ray: pip install 'stier[ray]'") from None

#: Numbers of parts with their tables, as they are done.
Played: TypeAlias = Generator[tuple[int, pa.Table], None, None]

#: The least that a task should take, in seconds.
WORTHWHILE = 0.5
#: Tasks that are handed out for each processor: one is played, one waits.
AHEAD = 2
#: How long to wait for a task before looking for Ctrl-C, in seconds.
PATIENCE = 0.05
#: Whether this process is still part of a cluster that it wants to leave.
_LEAVING = Event()


def task(experiment: Experiment, version: str, numbers: Sequence[int]) -> tuple[list[pa.Table], float]:
    """Play parts on one thread; gives their tables and the seconds that they took."""
    if version != stier.__version__:
        raise ArgumentError(f"this node has stier {stier.__version__}, the experiment is played with {version}")
    begun = time.perf_counter()
    return [play(experiment, experiment.part(number), 1) for number in numbers], time.perf_counter() - begun


def on_cluster(experiment: Experiment, missing: Sequence[int], address: str) -> Played:
    """The missing parts, in the order in which they are done."""
    if _LEAVING.is_set():
        _leave()
    joined = _join(address)
    try:
        yield from _hand_out(experiment, deque(missing))
    except KeyboardInterrupt:
        # To leave takes a second or two: that is done at the next run, or by Ray at exit.
        if joined:
            _LEAVING.set()
        raise
    except BaseException:
        if joined:
            _leave()
        raise
    if joined:
        _leave()


def _leave() -> None:
    _LEAVING.clear()
    ray.shutdown()


def _join(address: str) -> bool:
    """Be part of the cluster; `False` if this process was already."""
    if ray.is_initialized():
        return False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    starts: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING, **starts)
    return True


def _hand_out(experiment: Experiment, missing: deque[int]) -> Played:
    remote = ray.remote(num_cpus=1, max_retries=-1)(task)
    shared = ray.put(experiment)
    pace = _Pace(len(experiment.tables))
    waiting: dict[Any, list[int]] = {}
    try:
        while missing or waiting:
            while missing and len(waiting) < AHEAD * _processors():
                numbers = pace.take(missing)
                waiting[remote.remote(shared, stier.__version__, numbers)] = numbers
            done, _ = ray.wait(list(waiting), timeout=PATIENCE)
            for reference in done:
                tables, seconds = _result(reference)
                numbers = waiting.pop(reference)
                pace.learn(numbers, seconds)
                yield from zip(numbers, tables, strict=True)
    except (KeyboardInterrupt, GeneratorExit):
        # Only here: to cancel a task that is about to end can end this process (ray-project/ray#54527), and where one
        # task has raised the others soon end by themselves.
        for reference in waiting:
            ray.cancel(reference, force=True)
        raise


def _result(reference: Any) -> tuple[list[pa.Table], float]:
    """What a task gave; what it raised is raised."""
    try:
        result: tuple[list[pa.Table], float] = ray.get(reference)
    except RayTaskError as error:
        raise error.cause from None
    return result


def _processors() -> int:
    """Processors of the nodes that are there now."""
    cluster: Any = ray
    return max(1, int(cluster.cluster_resources().get("CPU", 1)))


class _Pace:
    """How long parts take, by pairing."""

    def __init__(self, pairings: int) -> None:
        self._seconds = [0.0] * pairings
        self._parts = [0] * pairings

    def learn(self, numbers: Sequence[int], seconds: float) -> None:
        """Note how long parts took; within a task they count alike."""
        for number in numbers:
            self._seconds[number % len(self._seconds)] += seconds / len(numbers)
            self._parts[number % len(self._parts)] += 1

    def take(self, missing: deque[int]) -> list[int]:
        """The next parts that are worth a task together; of a pairing of which nothing is known, one is enough."""
        numbers, expected = [], 0.0
        while missing and expected < WORTHWHILE:
            number = missing.popleft()
            pairing = number % len(self._seconds)
            parts = self._parts[pairing]
            expected += self._seconds[pairing] / parts if parts else WORTHWHILE
            numbers.append(number)
        return numbers
