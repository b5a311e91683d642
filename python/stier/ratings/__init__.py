"""The strength of agents with intervals; the deal is the unit. Needs the extra ``ratings``.

Look at the `cross_table` first: who beats whom, with intervals. One number for each agent is `bradley_terry`, for three
and more players `plackett_luce`; `nash_averaging` and `alpha_rank` are not fooled by cycles. `is_better` plays until a
question is answered, `control_variate` and `variance_reduction` say how to need fewer games.
"""

from __future__ import annotations

from importlib.util import find_spec

from stier.errors import missing_extra

if find_spec("scipy") is None:
    raise missing_extra("stier.ratings", "scipy", "ratings")

from stier.ratings._comparing import (
    Comparison,
    Controlled,
    Design,
    Gsprt,
    VarianceReduction,
    control_variate,
    is_better,
    variance_reduction,
)
from stier.ratings._models import NashAverage, Ratings, alpha_rank, bradley_terry, nash_averaging, plackett_luce
from stier.ratings._tables import CrossTable, Estimate, Outcomes, Share, cross_table, estimate, outcomes, share

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
    "plackett_luce",
    "share",
    "variance_reduction",
]
