"""CPU time of the reference learner, and the share of the environment.

As in ``stier train``, JAX is limited to one thread. CPU time is the sum over all threads of the process.
"""

from __future__ import annotations

import os
import time

from measure import keep

import stier
from stier.train._command import ONE_THREAD

# Before JAX starts.
for variable, value in ONE_THREAD.items():
    os.environ.setdefault(variable, value)

from stier.train.ppo import PPO, Settings  # noqa: E402

#: Iterations before the measurement, for compilation.
WARM = 3
#: Measured iterations.
ITERATIONS = 30


class Timed:
    """Lanes that count the CPU time spent inside them."""

    def __init__(self, envs: stier.VectorEnv) -> None:
        self._envs, self.seconds = envs, 0.0

    def __getattr__(self, name: str) -> object:
        found = getattr(self._envs, name)
        if not callable(found):
            return found

        def timed(*arguments: object, **named: object) -> object:
            start = time.process_time()
            try:
                return found(*arguments, **named)
            finally:
                self.seconds += time.process_time() - start

        return timed


def measure_learner(name: str) -> None:
    """Decisions played and learned from, and the share of the lanes in that CPU time."""
    learner = PPO(stier.load_game(name), Settings())
    for _ in range(WARM):
        learner.iterate()
    lanes = Timed(learner.play.envs)
    learner.play.envs = lanes  # type: ignore[assignment]  # it has the same attributes
    whole, inside = [], []
    for _ in range(ITERATIONS):
        start, before = time.process_time(), lanes.seconds
        learner.iterate()
        whole.append((time.process_time() - start) * 1e9)
        inside.append((lanes.seconds - before) * 1e9)
    keep(f"train/{name}/ppo-cpu", learner.settings.batch, whole)
    keep(f"train/{name}/environment-cpu", learner.settings.batch, inside)


if __name__ == "__main__":
    for game in stier.registered_names():
        measure_learner(game)
