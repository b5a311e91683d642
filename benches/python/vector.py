"""Benchmarks from Python of many games at once, on one core: environments, and worlds drawn in one call."""

from __future__ import annotations

import numpy as np
from measure import measure

import stier

#: The number of environments.
ENVIRONMENTS = 1024
#: The number of worlds per call.
WORLDS = 100_000


def measure_lanes(name: str) -> None:
    """Random play in a batch of environments, actions drawn natively."""
    game = stier.load_game(name)
    for kind in ["float32", "uint8"]:
        envs = stier.VectorEnv(game, ENVIRONMENTS, threads=1, observation=kind)
        measure(f"vector/{name}/python-{kind}", ENVIRONMENTS, lambda envs=envs: envs.step(envs.sample_actions()))
    envs = stier.VectorEnv(game, ENVIRONMENTS, threads=1)
    batch = envs.reset()
    arrays = {
        "observation": batch.observation,
        "action_mask": batch.action_mask,
        "rewards": batch.rewards,
        "terminated": batch.terminated,
        "current_player": batch.current_player,
    }
    measure(f"vector/{name}/python-into", ENVIRONMENTS, lambda: envs.step_into(envs.sample_actions(), **arrays))
    against = stier.VectorEnv(game, ENVIRONMENTS, threads=1, opponents="random", seat="rotate")
    measure(f"vector/{name}/python-opponents", ENVIRONMENTS, lambda: against.step(against.sample_actions()))


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
