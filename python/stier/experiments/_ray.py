"""Parts of an experiment on a Ray cluster, as pure functions of the experiment and the numbers of parts.

A job is as many parts as take half a second, so that handing it out costs little. The time that parts take is learned
from those that are done. If a node dies, Ray plays its jobs again elsewhere.
"""

from __future__ import annotations

import logging
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from threading import Event
from typing import Any, TypeAlias

import pyarrow as pa

from stier.errors import ArgumentError, missing_extra
from stier.experiments._plans import build
from stier.experiments._store import Store, machine

try:
    import ray
    from ray.exceptions import RayTaskError
except ModuleNotFoundError:
    raise missing_extra("a cluster", "Ray", "ray") from None

#: Numbers of parts with their tables and the machines that played them, in the order in which they are done.
Played: TypeAlias = Generator[tuple[int, pa.Table, str], None, None]

#: The least that a job should take, in seconds.
WORTHWHILE = 0.5
#: Jobs that are handed out for each processor: one is played, one waits.
AHEAD = 2
#: Seconds to wait for a job before looking for Ctrl-C.
PATIENCE = 0.05
#: Set while this process is still part of a cluster that it wants to leave.
_LEAVING = Event()


def job(store: Store, version: str, numbers: Sequence[int]) -> tuple[list[pa.Table], str, float]:
    """Plays parts on one thread, and returns their tables, the machine and the seconds that they took."""
    if version != build():
        raise ArgumentError(f"this node has stier {build()}, the experiment is played with {version}")
    store.experiment.check_networks()
    begun, tables = time.perf_counter(), []
    for task in map(store.experiment.task, numbers):
        tables.append(store.experiment.play(task, 1, store.work(task), _tell_nobody))
    return tables, machine(), time.perf_counter() - begun


def _tell_nobody(done: int, total: int) -> None:
    """Nodes do not report progress within a part."""


def on_cluster(store: Store, address: str) -> Played:
    """Plays the missing parts, in the order in which they are done."""
    if _LEAVING.is_set():
        _leave()
    joined = _join(address)
    try:
        yield from _hand_out(store, deque(store.missing()))
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
    """Joins the cluster, and returns false if this process had already joined."""
    if ray.is_initialized():
        return False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    starts: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING, **starts)
    return True


def _hand_out(store: Store, missing: deque[int]) -> Played:
    remote = ray.remote(num_cpus=1, max_retries=-1)(job)
    shared = ray.put(store)
    pace = _Pace(lambda number: store.experiment.task(number).group)
    waiting: dict[Any, list[int]] = {}
    cluster: Any = ray
    try:
        while missing or waiting:
            # The processors of the nodes that are there now.
            ahead = AHEAD * max(1, int(cluster.cluster_resources().get("CPU", 1)))
            while missing and len(waiting) < ahead:
                numbers = pace.take(missing)
                waiting[remote.remote(shared, build(), numbers)] = numbers
            done, _ = ray.wait(list(waiting), timeout=PATIENCE)
            for reference in done:
                tables, where, seconds = _result(reference)
                numbers = waiting.pop(reference)
                pace.learn(numbers, seconds)
                yield from ((number, table, where) for number, table in zip(numbers, tables, strict=True))
    except (KeyboardInterrupt, GeneratorExit):
        # Only here: to cancel a job that is about to end can end this process (ray-project/ray#54527), and where one
        # job has raised the others soon end by themselves.
        for reference in waiting:
            ray.cancel(reference, force=True)
        raise


def _result(reference: Any) -> tuple[list[pa.Table], str, float]:
    """Returns the result of a job, or raises its exception."""
    try:
        result: tuple[list[pa.Table], str, float] = ray.get(reference)
    except RayTaskError as error:
        raise error.cause from None
    return result


class _Pace:
    """The time that parts take, by group."""

    def __init__(self, group: Callable[[int], object]) -> None:
        self._group = group
        self._seconds: dict[object, float] = {}
        self._parts: Counter[object] = Counter()

    def learn(self, numbers: Sequence[int], seconds: float) -> None:
        """Notes the time that parts took; within a job they count alike."""
        for group in map(self._group, numbers):
            self._seconds[group] = self._seconds.get(group, 0.0) + seconds / len(numbers)
            self._parts[group] += 1

    def take(self, missing: deque[int]) -> list[int]:
        """Takes the next parts that are worth a job together; one is enough of a group without known times."""
        numbers, expected = [], 0.0
        while missing and expected < WORTHWHILE:
            numbers.append(missing.popleft())
            group = self._group(numbers[-1])
            expected += self._seconds[group] / self._parts[group] if group in self._seconds else WORTHWHILE
        return numbers
