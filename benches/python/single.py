"""Benchmarks from Python of single games, on one core: states, and the adapters that wrap them."""

from __future__ import annotations

import random

import numpy as np
from measure import measure

import stier
import stier.gymnasium
import stier.pettingzoo

#: The number of games per call.
GAMES = 20


def measure_states(name: str) -> None:
    """Random games whose actions are known in advance."""
    game = stier.load_game(name)
    rng = np.random.default_rng(1)
    states = [game.new_initial_state(seed=seed) for seed in range(GAMES)]
    played: list[list[int]] = []
    for state in states:
        own, actions = state.clone(), []
        while not own.is_terminal():
            actions.append(int(rng.choice(own.legal_actions())))
            own.apply_action(actions[-1])
        played.append(actions)

    def replay() -> None:
        for state, actions in zip(states, played, strict=True):
            own = state.clone()
            for action in actions:
                own.apply_action(action)

    measure(f"python/{name}/apply_action", sum(map(len, played)), replay)


def choice(mask: np.ndarray) -> int:
    """A random legal action."""
    legal = np.flatnonzero(mask)
    return int(legal[int(random.random() * len(legal))])


def measure_pettingzoo(name: str) -> None:
    """Whole random games through PettingZoo's loop, observations and masks made."""
    env = stier.pettingzoo.env(name)

    def play() -> int:
        random.seed(1)
        decisions = 0
        for seed in range(GAMES):
            env.reset(seed=seed)
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                decisions += not terminated
                env.step(None if terminated or truncated else choice(observation["action_mask"]))
        return decisions

    measure(f"python/{name}/pettingzoo", play(), play)


def measure_gymnasium(name: str) -> None:
    """The learner's decisions in whole random games against random players."""
    env = stier.gymnasium.make(name, opponents="random")

    def play() -> int:
        random.seed(1)
        decisions = 0
        for seed in range(GAMES):
            env.reset(seed=seed)
            over = False
            while not over:
                _, _, over, _, _ = env.step(choice(env.unwrapped.action_masks()))
                decisions += 1
        return decisions

    measure(f"python/{name}/gymnasium", play(), play)


if __name__ == "__main__":
    for registered in stier.registered_names():
        measure_states(registered)
        measure_pettingzoo(registered)
        measure_gymnasium(registered)
