"""Memory: nothing is left of what is made and dropped."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import stier

#: Things made in each of two halves. Before a release: ``STIER_MADE=1_000_000``, with ``--timeout 0``.
MADE = int(os.environ.get("STIER_MADE", "4000")) // 2
GAME = stier.load_game("schwinget")


def resident_bytes() -> int:
    import resource

    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def vector(seed: int) -> None:
    env = stier.VectorEnv(GAME, 2, seed=seed)
    env.step(env.sample_actions())


def single(seed: int) -> None:
    pytest.importorskip("gymnasium")
    stier.gymnasium.make(GAME).reset(seed=seed)


def table(seed: int) -> None:
    pytest.importorskip("pettingzoo")
    # By name: the game is one of the things that are dropped.
    stier.pettingzoo.env("schwinget").reset(seed=seed)


def agent(seed: int) -> None:
    stier.load_agent("ismcts", GAME, iterations=2, seed=seed).step(GAME.new_initial_state(seed=seed))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("make", [vector, single, table, agent])
def test_nothing_is_left_of_environments_and_agents(make: Callable[[int], None]) -> None:
    found = []
    for half in range(3):  # the first one warms up
        for seed in range(MADE):
            make(half * MADE + seed)
        found.append(resident_bytes())
    # Memory that grows once is not left of each.
    grown = min(found[1] - found[0], found[2] - found[1])
    assert grown < 8 * MADE, f"{grown / MADE:.0f} bytes stay of each"
