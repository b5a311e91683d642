"""Does anything that a player is given depend on what the player cannot know?"""

from __future__ import annotations

from stier._leak._check import check_no_leak
from stier._leak._report import Difference, ImpossibleWorld, LeakReport

__all__ = ["Difference", "ImpossibleWorld", "LeakReport", "check_no_leak"]
