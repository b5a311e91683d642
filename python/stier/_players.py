"""What may stand for an agent in a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import SupportsIndex, TypeAlias

from stier._native import Agent, BestResponse, PythonAgent, Solution, State, TabularPolicy

AnyAgent: TypeAlias = (
    Agent | PythonAgent | Solution | BestResponse | TabularPolicy | str | Callable[[State], SupportsIndex]
)
