"""CPU time of the reference learner, and the share of the environment.

As in ``stier train``, JAX computes on one thread. CPU time is the sum over all threads of the process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from measure import keep

import stier
from stier.train.ppo import PPO, Settings

#: Iterations before the measurement, for compilation.
WARM = 3
#: Measured iterations.
ITERATIONS = 30


def measure_learner(name: str) -> None:
    """Measures the CPU time of decisions played and learned from, and the share of the environments in it."""
    learner = PPO(stier.load_game(name), Settings())
    for _ in range(WARM):
        learner.iterate()
    whole, inside, spent = [], [], 0.0

    def timed(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            nonlocal spent
            start = time.process_time()
            found = method(*arguments)
            spent += time.process_time() - start
            return found

        return call

    for method in ("observe", "step", "seen_by_critic"):
        setattr(learner.play, method, timed(getattr(learner.play, method)))
    for _ in range(ITERATIONS):
        start, before = time.process_time(), spent
        learner.iterate()
        whole.append((time.process_time() - start) * 1e9)
        inside.append((spent - before) * 1e9)
    keep(f"train/{name}/ppo-cpu", learner.settings.batch_size, whole)
    keep(f"train/{name}/environment-cpu", learner.settings.batch_size, inside)


if __name__ == "__main__":
    for game in stier.registered_names():
        measure_learner(game)
