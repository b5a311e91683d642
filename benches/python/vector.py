"""The figures that are measured from Python: lanes stepped together, worlds drawn in one call; one core.

Writes what criterion would write, so that the table program finds it.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import stier

#: Lanes of a batch.
LANES = 1024
#: Seconds for each line.
SECONDS = 2.0
#: Worlds of a call.
WORLDS = 100_000


def measure(name: str, elements: int, once: Callable[[], object]) -> None:
    """Time calls of `once`, each of which does so many elements, and keep the median with its 95 % interval."""
    times: list[float] = []
    start = time.perf_counter()
    once()
    while (begun := time.perf_counter()) < start + SECONDS or len(times) < 10:
        once()
        times.append((time.perf_counter() - begun) * 1e9)
    times.sort()
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


def measure_lanes(name: str) -> None:
    """Random play in a batch of lanes, actions drawn natively."""
    game = stier.load_game(name)
    for kind in ["float32", "uint8"]:
        envs = stier.VectorEnv(game, LANES, threads=1, observation=kind)
        measure(f"vector/{name}/python-{kind}", LANES, lambda envs=envs: envs.step(envs.sample_actions()))
    envs = stier.VectorEnv(game, LANES, threads=1)
    batch = envs.reset()
    arrays = {
        "observation": batch.observation,
        "action_mask": batch.action_mask,
        "rewards": batch.rewards,
        "terminated": batch.terminated,
        "current_player": batch.current_player,
    }
    measure(f"vector/{name}/python-into", LANES, lambda: envs.step_into(envs.sample_actions(), **arrays))
    against = stier.VectorEnv(game, LANES, threads=1, opponents="random", seat="rotate")
    measure(f"vector/{name}/python-opponents", LANES, lambda: against.step(against.sample_actions()))


def measure_worlds(name: str) -> None:
    """Worlds of a state in the middle of a random game, with all holdings as an array."""
    game = stier.load_game(name)
    rng = np.random.default_rng(1)
    state = game.new_initial_state(seed=1)
    states = []
    while not state.is_terminal():
        states.append(state.clone())
        state.apply_action(rng.choice(state.legal_actions()))
    middle = states[len(states) // 2]
    measure(f"worlds/{name}/python", WORLDS, lambda: stier.resample_many(middle, WORLDS, threads=1))
    measure(f"worlds/{name}/python-holdings", WORLDS, lambda: stier.resample_many(middle, WORLDS, threads=1).holdings())


if __name__ == "__main__":
    for registered in stier.registered_names():
        measure_lanes(registered)
        measure_worlds(registered)
