"""Long computations in numbered parts that are kept: killed at any moment they go on, and end with the same files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import stier
from stier._files import write, write_text
from stier._native import derive_seed
from stier.errors import ArgumentError


@dataclass(frozen=True)
class Run:
    """Something that is played in parts of equal size.

    Attributes:
        name: Its folder, such as ``broad/points``.
        settings: All that its parts depend on, as JSON has it, but for the version, the chunk and the number of parts.
        play: Plays one part: its number and threads; gives its rows.
        chunk: Games or deals of a part.
        parts: How many.
    """

    name: str
    settings: dict[str, Any]
    play: Callable[[int, int], pd.DataFrame]
    chunk: int
    parts: int

    def described(self) -> dict[str, Any]:
        """All that a part depends on."""
        return {**self.settings, "chunk": self.chunk, "version": stier.__version__}


def positions(name: str, *, seed: int, rules: dict[str, Any], chunk: int, parts: int, **settings: Any) -> Run:
    """Positions of `chunk` games of Schwinget a part, each played on in three ways (see `stier.study`)."""
    full = {"players": "greedy", "continuation": "greedy", "repeats": 1, "hidden": "truth", "lights": [], "share": 1.0}
    if unknown := settings.keys() - full.keys():
        raise TypeError(f"unknown settings: {', '.join(sorted(unknown))}")
    full |= settings

    def play(part: int, threads: int) -> pd.DataFrame:
        game = stier.load_game("schwinget", **rules)
        call: Any = stier._native.timing_positions
        columns = call(game, **full, seed=seed, first=part * chunk, games=chunk, threads=threads)
        if full["repeats"] == 1:
            # There is only one half.
            columns = {column: values for column, values in columns.items() if not column.endswith(("_even", "_odd"))}
        frame = pd.DataFrame(columns)
        wide = frame.select_dtypes("float64").columns
        return frame.astype(dict.fromkeys(wide, "float32"))

    return Run(name, {"kind": "positions", "rules": rules, **full, "seed": seed}, play, chunk, parts)


def match(name: str, *, seed: int, rules: dict[str, Any], agents: Sequence[str], chunk: int, parts: int) -> Run:
    """Paired deals of two agents, `chunk` a part: mean return and share of the wins of the first, by deal."""

    def play(part: int, threads: int) -> pd.DataFrame:
        game = stier.load_game("schwinget", **rules)
        result = stier.pit(game, agents, deals=chunk, seed=derive_seed(seed, "part", part), threads=threads)
        # Both have the same returns in the game of a deal in which they have changed seats.
        games = result.to_pandas()
        first = games[games["entrant"] == 0]
        win = (first["return"] > 0) + 0.5 * (first["return"] == 0)
        frame = pd.DataFrame({"deal": first["deal"] + part * chunk, "value": first["return"], "win": win})
        return frame.groupby("deal", as_index=False).mean()

    return Run(name, {"kind": "match", "rules": rules, "agents": list(agents), "seed": seed}, play, chunk, parts)


class Store:
    """The folder of a study: ``settings.json`` and a folder of Parquet files for each run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def _settings(self) -> Path:
        return self.folder / "settings.json"

    def settings(self) -> dict[str, Any]:
        """The settings of each run that was begun here."""
        try:
            found = json.loads(self._settings.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except json.JSONDecodeError as error:
            raise ArgumentError(f"{self._settings} cannot be read: {error}") from None
        if not isinstance(found, dict):
            raise ArgumentError(f"{self._settings} has no settings of runs")
        return found

    def prepare(self, runs: Iterable[Run]) -> None:
        """Note the settings; parts made with other ones are refused."""
        noted = self.settings()
        for run in runs:
            described = run.described()
            if run.name in noted:
                _compare(self.folder / run.name, noted[run.name], described)
            elif any((self.folder / run.name).glob("part-*.parquet")):
                raise ArgumentError(
                    f"{self.folder / run.name} has parts of unknown settings: delete them, or choose another folder"
                )
            noted[run.name] = described
            (self.folder / run.name).mkdir(parents=True, exist_ok=True)
            for left in (self.folder / run.name).glob("*.new"):
                left.unlink()
        write_text(self._settings, json.dumps(dict(sorted(noted.items())), indent=1, ensure_ascii=False) + "\n")

    def missing(self, run: Run) -> list[int]:
        """The parts that are not there."""
        return [part for part in range(run.parts) if not self._part(run, part).exists()]

    def play(self, run: Run, part: int, threads: int) -> None:
        """Make a part and keep it."""
        frame = run.play(part, threads)
        write(self._part(run, part), lambda path: frame.to_parquet(path, index=False, compression="zstd"))

    def read(self, run: Run, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """All parts of a run, in order."""
        wanted = None if columns is None else list(columns)
        return pd.concat(
            [pd.read_parquet(self._part(run, part), columns=wanted) for part in range(run.parts)], ignore_index=True
        )

    def _part(self, run: Run, part: int) -> Path:
        return self.folder / run.name / f"part-{part:05}.parquet"


def _compare(folder: Path, there: dict[str, Any], here: dict[str, Any]) -> None:
    """Refuse what was made otherwise."""
    keys = [key for key in {**there, **here} if there.get(key) != here.get(key)]
    if keys:
        differences = "; ".join(f"{key}: {there.get(key)} there, {here.get(key)} now" for key in keys)
        raise ArgumentError(
            f"{folder} has parts made with other settings ({differences}): choose another folder, or delete it"
        )
