"""Memory: nothing is left of what is made and dropped."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import stier
from stier import gymnasium, pettingzoo

MADE = 4000
GAME = stier.load_game("schwinget")


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def vector(seed: int) -> None:
    env = stier.VectorEnv(GAME, 2, seed=seed)
    env.step(env.sample_actions())


def single(seed: int) -> None:
    gymnasium.make("schwinget").reset(seed=seed)


def table(seed: int) -> None:
    pettingzoo.env("schwinget").reset(seed=seed)


def agent(seed: int) -> None:
    stier.load_agent("ismcts", GAME, iterations=2, seed=seed).step(GAME.new_initial_state(seed=seed))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("make", [vector, single, table, agent])
def test_nothing_is_left_of_environments_and_agents(make: Callable[[int], None]) -> None:
    for seed in range(MADE // 4):
        make(seed)
    gc.collect()
    before = resident_bytes()
    for seed in range(MADE):
        make(seed)
    gc.collect()
    grown = resident_bytes() - before
    assert grown < 400 * MADE, f"{grown / MADE:.0f} bytes stay of each"
