"""Output of several commands."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, Protocol

from stier.catalogue import OptionInfo
from stier.errors import MissingExtraError


def print_json(value: Any) -> None:
    """Prints a value as JSON; numbers that JSON does not have become ``null``."""
    print(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def print_options(options: Sequence[OptionInfo]) -> None:
    """Prints options with their defaults, ranges and meanings."""
    for option in options:
        print(f"    {option.name} = {option.default}   ({option.allowed})")
        for line in wrap(option.about, 100):
            print(f"        {line}")


class _Drawable(Protocol):
    def draw(self, folder: Path, /) -> object: ...


def draw(found: _Drawable, tables: Path, figures: Path) -> None:
    """Draws the figures if matplotlib is there, and prints where everything is."""
    print(f"\nTables in {tables}, ", end="")
    try:
        found.draw(figures)
    except MissingExtraError as error:
        print(f"no figures ({error})")
    else:
        print(f"figures in {figures}")
