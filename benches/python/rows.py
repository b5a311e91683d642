"""Tables of rows that are measured once: what a table lacks is played in a folder of `stier.experiments`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from stier import experiments
from stier.experiments import OnProgress, Plan, Report, Store, Task, build, digest

Row = dict[str, str]


class Rows(Plan):
    """A row for each key."""

    kind = "rows"
    unit = "rows"

    def __init__(self, name: str, keys: Iterable[Sequence[str]], measure: Callable[..., Row]) -> None:
        super().__init__({})
        self.tasks = [Task(name, digest([name, key, build()]), 1, key[0], key) for key in keys]
        self._measure = measure

    def fixed(self) -> dict[str, Any]:
        """Nothing: other rows may be in the same folder."""
        return {}

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress) -> pa.Table:
        """The row of a key."""
        return pa.Table.from_pylist([self._measure(*task.what)])

    def report(self, store: Store) -> Report:
        """The rows without a page."""
        return Report("", {"rows": store.to_pandas()})


def completed(
    path: Path, key: Sequence[str], wanted: Iterable[Sequence[str]], measure: Callable[..., Row]
) -> list[Row]:
    """The rows of a table of texts and those that it lacks of the wanted ones, which are measured and added to it.

    Args:
        path: The table, CSV or Parquet by its number of rows (see `Report.save`).
        key: The columns by which rows are known.
        wanted: Keys of rows.
        measure: Makes a row from its key.
    """
    read = pd.read_parquet if path.suffix == ".parquet" else lambda path: pd.read_csv(path, dtype=str, na_filter=False)
    there = read(path) if path.exists() else pd.DataFrame(columns=list(key), dtype=str)
    known = set(there[list(key)].itertuples(index=False, name=None))
    store = experiments.run(
        Rows(path.stem, [one for one in wanted if one not in known], measure), Path("out") / path.stem, progress=True
    )
    found = pd.concat([there, store.to_pandas()]) if store.experiment.parts() else there
    Report("", {path.stem: found}, digits=None).save(path.parent, store.folder / "page.md")
    return found.to_dict("records")
