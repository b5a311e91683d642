"""The chapters of the study *When is an attack right?*."""

from __future__ import annotations

from stier.study._attack.equilibria import EQUILIBRIA
from stier.study._attack.lights import LIGHTS_CHAPTER, MISTAKES
from stier.study._attack.matches import RULE
from stier.study._attack.plan import Chapter
from stier.study._attack.situation import MATCH, MATCH_SEARCHED
from stier.study._attack.values import BROAD, PLAYED_ON, STRONG

#: All of them, in the order in which they are played: what costs little first.
CHAPTERS: tuple[Chapter, ...] = (
    BROAD,
    MISTAKES,
    MATCH,
    RULE,
    STRONG,
    PLAYED_ON,
    MATCH_SEARCHED,
    LIGHTS_CHAPTER,
    EQUILIBRIA,
)
