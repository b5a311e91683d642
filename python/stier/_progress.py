"""The progress of long calls."""

from __future__ import annotations

import sys
import warnings
from typing import Any


class Bar:
    """A tqdm bar that opens when the total is known; without tqdm, one line that says what to install."""

    def __init__(self, unit: str = "games", *, leave: bool = True) -> None:
        self._unit, self._leave = unit, leave
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            warnings.warn("no progress bar without tqdm: pip install 'stier[progress]'", stacklevel=3)
            self._open = None
        else:
            self._open = tqdm

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, done: int, total: int, note: str = "") -> None:
        """Shows `done` of `total`, and a note after it."""
        if self._open is None:
            return
        if self._bar is None:
            self._bar = self._open(total=total, unit=f" {self._unit}", leave=self._leave, file=sys.stderr)
        if note:
            self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(done - self._bar.n)
