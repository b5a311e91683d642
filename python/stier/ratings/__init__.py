"""How strong agents are, with intervals; the deal is the unit. Needs the extra ``ratings``.

Look at the `cross_table` first: who beats whom, with intervals. One number for each agent is `bradley_terry`, for three
and more players `plackett_luce`; `nash_averaging` and `alpha_rank` are not fooled by cycles. `is_better` plays until a
question is answered, `control_variate` and `variance_reduction` say how to need fewer games.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("scipy") is None:
    raise ImportError("stier.ratings needs scipy: pip install 'stier[ratings]'")

from stier.ratings._bradley_terry import Ratings, bradley_terry
from stier.ratings._estimate import Estimate, Share, estimate, share
from stier.ratings._gsprt import Comparison, Gsprt, is_better
from stier.ratings._meta import NashAverage, alpha_rank, nash_averaging
from stier.ratings._outcomes import CrossTable, Outcomes, cross_table, outcomes
from stier.ratings._plackett_luce import plackett_luce
from stier.ratings._variance import (
    Controlled,
    Design,
    VarianceReduction,
    control_variate,
    pairing_gain,
    variance_reduction,
)

__all__ = [
    "Comparison",
    "Controlled",
    "CrossTable",
    "Design",
    "Estimate",
    "Gsprt",
    "NashAverage",
    "Outcomes",
    "Ratings",
    "Share",
    "VarianceReduction",
    "alpha_rank",
    "bradley_terry",
    "control_variate",
    "cross_table",
    "estimate",
    "is_better",
    "nash_averaging",
    "outcomes",
    "pairing_gain",
    "plackett_luce",
    "share",
    "variance_reduction",
]
