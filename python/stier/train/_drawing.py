"""A network as a player in Python: its inputs, and actions drawn from its probabilities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stier._native import Agent, State

#: Games of a network that are played side by side.
SIDE_BY_SIDE = 1024


def inputs_of(state: State, believer: Agent | None) -> npt.NDArray[np.float32]:
    """Returns the inputs of a network: the observation, and the beliefs of an agent if there is one."""
    seen = state.observation_tensor()
    if believer is None:
        return seen
    believer.restart()
    return np.concatenate([seen, believer.beliefs(state).tensor().reshape(-1)])


def draw(probabilities: npt.NDArray[np.float32], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draws an action by each row."""
    levels = probabilities.cumsum(axis=1)
    return np.asarray((levels > rng.random((len(levels), 1)) * levels[:, -1:]).argmax(axis=1), np.int64)
