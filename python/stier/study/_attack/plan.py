"""How much is played, and by whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from stier._native import derive_seed
from stier.study._parts import Run, Store, match, positions

SCORINGS = ("points", "schwinger")

#: Plays the cards by the game's fitted policy and attacks at random, so that all hands come to decide at every trick.
ANYHOW = "rule:when=random,chance=0.25,cards=greedy"

#: The strongest player that can play tens of thousands of bouts: guided by the fitted policy, exact at the end.
SEARCH = "ismcts:selection=puct,prior=fitted,rollout=fitted,endings=on,opponents=fitted,iterations=100"


@dataclass(frozen=True)
class Size:
    """Games or deals of a run: in the full study, in the quick one, and in a part."""

    full: int
    quick: int
    chunk: int


@dataclass(frozen=True)
class Plan:
    """How large a study is."""

    seed: int
    quick: bool
    scale: float

    def _parts(self, size: Size) -> dict[str, int]:
        base = size.quick if self.quick else size.full
        games = max(1, round(self.scale * base))
        # Studies of scale 1 and more have the same parts.
        chunk = min(size.chunk, base, games)
        return {"chunk": chunk, "parts": math.ceil(games / chunk)}

    def positions(self, name: str, size: Size, rules: dict[str, Any], **settings: Any) -> Run:
        """Positions of games; of runs of one chapter, game for game the same cards."""
        seed = derive_seed(self.seed, name.split("/")[0], 0)
        return positions(name, seed=seed, rules=rules, **self._parts(size), **settings)

    def match(self, name: str, size: Size, rules: dict[str, Any], agents: Sequence[str]) -> Run:
        """Deals of two agents; in all matches of one chapter the same cards."""
        seed = derive_seed(self.seed, name.split("/")[0], 0)
        return match(name, seed=seed, rules=rules, agents=agents, **self._parts(size))


@dataclass(frozen=True)
class Chapter:
    """A part of the study.

    Attributes:
        name: What it is called, and its folder.
        runs: What it plays.
        tables: What it finds, by name, from its runs.
    """

    name: str
    runs: Callable[[Plan], list[Run]]
    tables: Callable[[Store, Sequence[Run]], dict[str, pd.DataFrame]]


def scoring_of(run: Run) -> str:
    """The scoring that a run was played under."""
    return str(run.settings["rules"]["scoring"])


def stack(tables: Iterable[pd.DataFrame], **labels: Sequence[object]) -> pd.DataFrame:
    """One table of several, each with its labels in front."""
    labelled = []
    for index, table in enumerate(tables):
        front = pd.DataFrame({name: values[index] for name, values in labels.items()}, index=table.index)
        labelled.append(pd.concat([front, table], axis=1))
    return pd.concat(labelled, ignore_index=True)
