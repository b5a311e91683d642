"""What is computed from the columns of positions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

ARMS = ("now", "wait", "never")
PARTS = ("result", "flat_throw", "opponents_flat_throw", "consolation")

#: The columns that the values of the arms are summed from.
VALUES = tuple(f"{arm}_{part}" for arm in ARMS for part in PARTS)

#: What `count` needs.
COUNTED = ("has_trump", "trumps", "boss_trumps", "longest_plain", "referee")

#: The count from which the rule of thumb attacks.
ENOUGH = 4


def value(frame: pd.DataFrame, arm: str) -> npt.NDArray[np.float64]:
    """What an arm came to: the mean return over its continuations."""
    return np.asarray(frame[[f"{arm}_{part}" for part in PARTS]].sum(axis=1), dtype=np.float64)


def arms(frame: pd.DataFrame) -> dict[str, npt.NDArray[np.float64]]:
    """The values of all arms and what attacking is better by."""
    found = {arm: value(frame, arm) for arm in ARMS}
    return {
        **found,
        "now_minus_wait": found["now"] - found["wait"],
        "now_minus_never": found["now"] - found["never"],
    }


def count(frame: pd.DataFrame) -> pd.Series:
    """The count of the rule of thumb; without a trump suit not a number, because the rule does not count there."""
    counted = 2 * frame["trumps"] + frame["longest_plain"] + frame["referee"] - frame["boss_trumps"]
    return counted.where(frame["has_trump"] > 0)


def better_arm_losses(
    frame: pd.DataFrame, share: npt.ArrayLike
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """What a player who attacks with probability `share` loses by bad attacks, and by missed ones, at each position.

    The better arm is chosen by one half of the continuations and valued by the other, and the other way round: without
    bias for a player who chooses by half of the continuations, and so at most what the very best choice would be worth.
    """
    attacks = np.asarray(share, dtype=np.float64)
    bad, missed = np.zeros(len(frame)), np.zeros(len(frame))
    for chooses, values in [("even", "odd"), ("odd", "even")]:
        better = np.asarray(frame[f"now_{chooses}"] > frame[f"wait_{chooses}"])
        gain = np.asarray(frame[f"now_{values}"] - frame[f"wait_{values}"], dtype=np.float64)
        missed += np.where(better, gain, 0) * (1 - attacks) / 2
        bad += np.where(better, 0, -gain) * attacks / 2
    return bad, missed
