"""Timing in Python, written in the format of criterion so that the table program finds it."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

#: Seconds for each line.
SECONDS = 2.0


def machine() -> list[str]:
    """Return lines for the end of a table: the commit, the processor and the version of Python."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], check=True, capture_output=True, text=True)
    words = Path("/proc/cpuinfo").read_text("utf-8").partition("model name")[2] if sys.platform == "linux" else ""
    processor = words.partition("\n")[0].strip(" \t:") or platform.machine()
    return [f"- commit: {commit.stdout.strip()}", f"- machine: {processor}, Python {platform.python_version()}"]


def seconds(work: Callable[[], object], rounds: int = 1, times: int = 1) -> float:
    """Return the CPU seconds of the fastest of some rounds, in each of which `work` is done so many times."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(times):
            work()
        found.append(time.process_time() - start)
    return min(found)


def measure(name: str, elements: int, once: Callable[[], object]) -> None:
    """Time calls of `once`, each of which processes `elements` elements, and keep the median with its 95 % interval."""
    times: list[float] = []
    start = time.perf_counter()
    once()
    while (begun := time.perf_counter()) < start + SECONDS or len(times) < 10:
        once()
        times.append((time.perf_counter() - begun) * 1e9)
    keep(name, elements, times)


def keep(name: str, elements: int, times: list[float]) -> None:
    """Keep the median of times in nanoseconds, each for `elements` elements, with its 95 % interval."""
    times = sorted(times)
    # The interval between order statistics, from the normal approximation of the binomial distribution.
    half = 0.98 * len(times) ** 0.5
    low, high = times[max(0, int(len(times) / 2 - half))], times[min(len(times) - 1, int(len(times) / 2 + half))]
    median = {
        "point_estimate": statistics.median(times),
        "confidence_interval": {"confidence_level": 0.95, "lower_bound": low, "upper_bound": high},
    }
    folder = Path(os.environ.get("CARGO_TARGET_DIR", "target"), "criterion", *name.split("/"), "new")
    folder.mkdir(parents=True, exist_ok=True)
    benchmark = {"full_id": name, "throughput": {"Elements": elements}}
    (folder / "benchmark.json").write_text(json.dumps(benchmark), "utf-8")
    (folder / "estimates.json").write_text(json.dumps({"median": median}), "utf-8")
    rate = elements / median["point_estimate"] * 1e3
    print(f"{name}: {median['point_estimate'] / elements:.1f} ns, {rate:.2f} M/s")
