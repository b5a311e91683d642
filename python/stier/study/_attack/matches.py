"""The rule of thumb against other ways to attack, the same agent playing the cards for both: paired deals."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from stier.study._attack.plan import SCORINGS, SEARCH, Chapter, Plan, Size, scoring_of, stack
from stier.study._means import means
from stier.study._parts import Run, Store

BEST = "best:iterations=1000"
FITTED, PLAIN = "greedy", "ismcts:iterations=1000"

#: How the other player attacks: the values of the option `when`.
OTHERS = {
    "never": "rule:when=never,cards=({})",
    "always": "rule:when=always,cards=({})",
    "random": "rule:when=random,chance=0.5,cards=({})",
    "cards": "{}",
}
THUMB = "rule:when=thumb,cards=({})"


def _pairings() -> dict[str, tuple[str, str, Size]]:
    """Both agents and how many deals, by who plays the cards of the first and how the second one attacks."""
    found = {}
    for label, cards, size in [
        ("fitted", FITTED, Size(full=30_000, quick=5_000, chunk=2_000)),
        ("search", PLAIN, Size(full=8_000, quick=240, chunk=240)),
    ]:
        for when, other in OTHERS.items():
            found[f"{label}/{when}"] = (THUMB.format(cards), other.format(cards), size)
    few = Size(full=2_000, quick=40, chunk=40)
    found["best/cards"] = (THUMB.format(BEST), BEST, few)
    found["fitted/best"] = (THUMB.format(FITTED), BEST, few)
    # How strong those are who play on.
    found["strong/fitted"] = (SEARCH, FITTED, Size(full=4_000, quick=100, chunk=200))
    return found


def _runs(plan: Plan) -> list[Run]:
    return [
        plan.match(f"rule/{scoring}/{label}", size, {"scoring": scoring}, [first, second])
        for scoring in SCORINGS
        for label, (first, second, size) in _pairings().items()
    ]


def _tables(store: Store, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    tables = []
    for run in runs:
        frame = store.read(run)
        tables.append(means(frame, [], {"mean": frame["value"], "wins": frame["win"]}, unit="deal"))
    labels = [run.name.split("/")[2:] for run in runs]
    stacked = stack(
        tables,
        scoring=[scoring_of(run) for run in runs],
        cards=[cards for cards, _ in labels],
        against=[against for _, against in labels],
        first=[run.settings["agents"][0] for run in runs],
        second=[run.settings["agents"][1] for run in runs],
    )
    return {"matches": stacked.drop(columns="units").rename(columns={"n": "deals"})}


#: Who wins.
RULE = Chapter("rule", _runs, _tables)
