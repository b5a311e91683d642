"""Pictures for notebooks and web pages: states, searches and beliefs as SVG.

Every function gives the text of one SVG element that stands for itself: no scripts, no fonts or files from elsewhere,
readable on light and on dark pages, with a description in words. Notebooks show the same of a `State`, `Search` or
`Beliefs` that is the last line of a cell. For terminals see `stier.terminal`.
"""

from __future__ import annotations

from stier.draw._beliefs import beliefs
from stier.draw._search import search
from stier.draw._state import state

__all__ = ["beliefs", "search", "state"]
