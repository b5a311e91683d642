"""Plans whose results add to a table that is kept beside the plan, and what their pages have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from stier._native import Game, alternatives, load_agent
from stier.errors import ArgumentError
from stier.experiments._store import OUTPUTS, Plan, Store

#: A cell without a figure.
NONE = "\N{EN DASH}"


class TablePlan(Plan):
    """A plan with the rows of earlier runs, which are not played again.

    Attributes:
        given: The keys of the file.
        earlier: The table in the folder ``tables``; without rows if there is none.
    """

    #: The keys with their types. Keys with a default may be left out.
    keys: ClassVar[Mapping[str, type | tuple[type, ...]]]
    defaults: ClassVar[Mapping[str, Any]] = {}
    #: The columns of the table.
    columns: ClassVar[Sequence[str]]
    #: The keys that may change while the parts stay.
    grows: ClassVar[Sequence[str]] = ()

    def __init__(self, given: Mapping[str, Any]) -> None:
        keys = {**self.keys, "about": str, "measured_on": str, **dict.fromkeys(OUTPUTS, str)}
        self.given = checked({**self.defaults, **given}, keys, optional=("about", "measured_on", *OUTPUTS))
        self.outputs = {key: self.given[key] for key in OUTPUTS if key in self.given}
        path = Path(self.outputs.get("tables", "")) / f"{self.kind}.csv"
        self.earlier = pd.DataFrame(columns=list(self.columns))
        if "tables" in self.outputs and path.exists():
            self.earlier = pd.read_csv(path, float_precision="round_trip")

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> TablePlan:
        """Makes the plan from the keys of its file."""
        return cls(given)

    def settings(self) -> dict[str, Any]:
        """Returns the keys of the file."""
        return dict(self.given)

    def fixed(self) -> dict[str, Any]:
        """Returns the keys that the parts have in common."""
        return {key: self.given[key] for key in self.keys if key not in self.grows}

    def played(self, store: Store) -> pd.DataFrame:
        """Returns the rows of the parts, each with the number of its task."""
        missing = set(store.missing())
        frames = [
            store.part(number).to_pandas().assign(task=number)
            for number in range(self.parts())
            if number not in missing
        ]
        return pd.concat([pd.DataFrame(columns=[*self.columns, "task"]), *(one for one in frames if len(one))])

    @property
    def about(self) -> str:
        """Returns the text at the top of the page."""
        return f"{self.given['about'].strip()}\n\n" if "about" in self.given else ""

    def machines(self, store: Store) -> str:
        """Returns a Markdown list of where the figures were measured."""
        known = str(self.given.get("measured_on", "")).strip().splitlines()
        played = len(store.missing()) < self.parts()
        return "\n".join([*known, *(f"- {name}" for name in store.machines if played or not known)]) + "\n"


def checked(
    given: Mapping[str, Any], keys: Mapping[str, type | tuple[type, ...]], where: str = "", optional: Iterable[str] = ()
) -> dict[str, Any]:
    """Returns a copy of a table of a plan. Raises `ArgumentError` for unknown, missing and wrong keys."""
    for key, value in given.items():
        if key not in keys:
            raise ArgumentError(f"{where}unknown key '{key}'{alternatives(key, 'keys', list(keys))}")
        if not isinstance(value, keys[key]) or isinstance(value, bool) != (keys[key] is bool):
            raise ArgumentError(f"{where}{key} has a value of the wrong type: {value!r}")
    for key in keys:
        if key not in given and key not in optional:
            raise ArgumentError(f"{where}{key} is missing")
    return dict(given)


def with_option(text: str, game: Game, names: Sequence[str], value: int) -> tuple[str, bool]:
    """Returns an agent with a value for the first of these options that it has, and whether it has one of them."""
    options = load_agent(text, game).options
    name = next((name for name in names if name in options), None)
    if name is None:
        return text, False
    text = f"{text}{',' if ':' in text else ':'}{name}={value}"
    load_agent(text, game)
    return text, True


def line(cells: Iterable[object]) -> str:
    """Returns a line of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |\n"


def header(names: Sequence[str], left: int = 1) -> str:
    """Returns the first two lines of a Markdown table; all columns but the first ones are numbers."""
    return line(names) + line(["---"] * left + ["---:"] * (len(names) - left))
