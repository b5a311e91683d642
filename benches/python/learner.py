"""CPU time of the reference learner, and the share of the environment.

As in ``stier train``, JAX computes on one thread. CPU time is the sum over all threads of the process.
"""

from __future__ import annotations

import time

from measure import keep

import stier
from stier.train.ppo import PPO, Settings

#: Iterations before the measurement, for compilation.
WARM = 3
#: Measured iterations.
ITERATIONS = 30


class Timed:
    """Environments that count the CPU time spent inside them."""

    def __init__(self, envs: object) -> None:
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
    """Measures the CPU time of decisions played and learned from, and the share of the environments in it."""
    learner = PPO(stier.load_game(name), Settings())
    for _ in range(WARM):
        learner.iterate()
    envs = Timed(learner.play.envs)
    learner.play.envs = envs  # type: ignore[assignment]  # it has the same attributes
    whole, inside = [], []
    for _ in range(ITERATIONS):
        start, before = time.process_time(), envs.seconds
        learner.iterate()
        whole.append((time.process_time() - start) * 1e9)
        inside.append((envs.seconds - before) * 1e9)
    keep(f"train/{name}/ppo-cpu", learner.settings.batch_size, whole)
    keep(f"train/{name}/environment-cpu", learner.settings.batch_size, inside)


if __name__ == "__main__":
    for game in stier.registered_names():
        measure_learner(game)
