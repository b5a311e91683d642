"""Arguments of one kind are accepted and refused alike, in every layer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stier import _arguments
from stier.errors import ArgumentError

#: Not a whole number, whatever it stands for.
NOT_WHOLE = [1.5, 3.0, math.nan, math.inf, "7", "x", b"7", None, [1], (), {}, np.float64(2), np.zeros(2), object()]
NOT_A_NUMBER = ["7", b"7", None, [1], (), {}, object()]


def of_kind(check: Callable[..., Any], *more: Any) -> Callable[[Any], Any]:
    return lambda value: check("some", value, *more)


WHOLE: dict[str, tuple[Callable[[Any], Any], list[int]]] = {
    "whole": (of_kind(_arguments.whole, 2, 5), [1, 6, 2**70]),
    "count": (of_kind(_arguments.count), [0, -1, 2**63]),
    "seed": (lambda value: _arguments.seed(value, "some"), [-1, 2**64, 2**200]),
    "threads": (_arguments.threads, [-1, 1025]),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_numbers(kind: str) -> None:
    check, outside = WHOLE[kind]
    name = "threads" if kind == "threads" else "some"
    for value in [3, np.int8(3), np.uint64(3), np.int64(3), np.array(3)]:
        found = check(value)
        assert found == 3
        assert type(found) is int
    for value in NOT_WHOLE:
        with pytest.raises(TypeError, match=f"^{name} must be a whole number, got "):
            check(value)
    for value in outside:
        with pytest.raises(ArgumentError, match=rf"^{name} must be between \d+ and \d+, got {value}$"):
            check(value)
    with pytest.raises(ArgumentError, match=r"^some must be at least 2, got 1$"):
        _arguments.whole("some", 1, 2)


@pytest.mark.parametrize(
    ("check", "outside"),
    [
        (_arguments.number, [math.nan, math.inf, -math.inf, 10**400]),
        (_arguments.share, [math.nan, math.inf, -0.1, 1.5]),
        (_arguments.duration, [math.nan, math.inf, -1]),
    ],
)
def test_numbers(check: Callable[[str, Any], float], outside: list[float]) -> None:
    for value in [1, 1.0, np.float32(1), np.int8(1), np.array(1.0)]:
        found = check("some", value)
        assert found == 1
        assert type(found) is float
    for value in NOT_A_NUMBER:
        with pytest.raises(TypeError, match=r"^some must be a number, got "):
            check("some", value)
    for value in outside:
        with pytest.raises(ArgumentError, match=r"^some must be .*, got "):
            check("some", value)


def test_devices() -> None:
    assert _arguments.device(None) is None
    assert _arguments.device("gpu:0") == "gpu:0"
    with pytest.raises(TypeError, match=r"^device must be a name, .*, got 7 \(int\)$"):
        _arguments.device(7)  # type: ignore[arg-type]
