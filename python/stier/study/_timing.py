"""The study *When is an attack right?*: play, tables, answer, figures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from stier._files import write, write_text
from stier._output import Bar
from stier.errors import ArgumentError
from stier.study._attack import CHAPTERS
from stier.study._attack.answer import answer
from stier.study._attack.plan import Chapter, Plan
from stier.study._parts import Run, Store

#: Tables with more rows than this are saved as Parquet, the others as text.
SMALL = 200


class AttackTiming:
    """What the study has found; made by `attack_timing` and `load_attack_timing`.

    Attributes:
        tables: pandas frames by name. In each, ``x_ci95`` is the half width of a 95 % interval of ``x``.
        settings: All that each run depends on, its seed included, by the name of its folder.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame], settings: Mapping[str, Any]) -> None:
        self.tables = dict(tables)
        self.settings = dict(settings)

    @property
    def answer(self) -> str:
        """What the tables say, in words."""
        return answer(self.tables)

    def save(self, folder: str | Path) -> list[Path]:
        """Write the tables, the settings and the answer; gives the files. `load_attack_timing` reads them."""
        folder, paths = Path(folder), []
        for name, table in self.tables.items():
            if len(table) <= SMALL:
                paths.append(folder / f"{name}.csv")
                text = table.to_csv(index=False, float_format="%.6g", lineterminator="\n")
                write_text(paths[-1], text)
            else:
                paths.append(folder / f"{name}.parquet")
                write(paths[-1], partial(_to_parquet, table))
        paths.append(folder / "settings.json")
        write_text(paths[-1], json.dumps(self.settings, indent=1, ensure_ascii=False) + "\n")
        paths.append(folder / "answer.md")
        write_text(paths[-1], self.answer + "\n")
        return paths

    def draw(self, folder: str | Path) -> list[Path]:
        """Draw every figure that the tables have the data for; gives the files. Needs the extra ``plots``."""
        from stier.study._attack.figures import draw

        return draw(self.tables, Path(folder))

    def __str__(self) -> str:
        """The tables that fit a screen, and the answer."""
        from stier.study._attack.text import tables_as_text

        return f"{tables_as_text(self.tables)}\n{self.answer}\n"

    def __repr__(self) -> str:
        return f"<stier.study.AttackTiming: {', '.join(self.tables)}>"


def _to_parquet(table: pd.DataFrame, path: Path) -> None:
    table.to_parquet(path, index=False, compression="zstd")


def attack_timing(
    out: str | Path | None = None,
    *,
    quick: bool = False,
    chapters: Sequence[str] | None = None,
    seed: int = 0,
    scale: float = 1.0,
    threads: int = 0,
    progress: bool = False,
) -> AttackTiming:
    """When is an attack in Schwinget right? Play what is missing of the study, and evaluate all of it.

    What is played is kept in `out` in numbered Parquet files, so that an interrupted study goes on where it was, and
    ends with the same files. The result depends on `quick`, `chapters`, `seed` and `scale` only. The chapters:

    - ``broad``: all hands at every number of finished tricks, played on by the fitted policy (`greedy`) in three ways:
      attack now, wait, never attack.
    - ``mistakes``: what bad and missed attacks cost several players; many continuations of every position, with hidden
      cards drawn from what the mover can infer.
    - ``match``, ``match_searched``: matches of four bouts that are won or lost.
    - ``rule``: the rule of thumb against other ways to attack, in paired deals.
    - ``strong``, ``played_on``: positions of searching players, and those of ``broad``, played on by searching players.
    - ``equilibria``: scaled-down decks, solved: what is exactly right, and what the searches say there.
    - ``lights``: what open-card averages, their repairs and searches say about a position, beside what it came to.

    Args:
        out: The folder; ``out/study`` if left out, ``out/study/quick`` for a quick one.
        quick: A small study of all chapters: a minute of one core instead of half an hour.
        chapters: Which chapters; all if left out.
        seed: The seed of everything.
        scale: Multiplies the number of games. From 1 on, a larger study goes on from the parts of a smaller one.
        threads: Threads; 0 for all cores. No influence on the result.
        progress: Whether to show a progress bar; needs tqdm.

    Raises:
        ValueError: An unknown chapter, a scale that is not above 0, or a folder with parts of other settings.
    """
    if not 0 < scale < float("inf"):
        raise ArgumentError(f"scale must be above 0, not {scale}")
    chosen = _chosen(chapters)
    folder = default_folder(quick=quick) if out is None else Path(out)
    store, plan = Store(folder), Plan(seed, quick, scale)
    played = [(chapter, chapter.runs(plan)) for chapter in chosen]
    _play(store, [run for _, runs in played for run in runs], threads, progress)
    tables: dict[str, pd.DataFrame] = {}
    for chapter, runs in played:
        for name, table in chapter.tables(store, runs).items():
            tables[name] = pd.concat([tables[name], table], ignore_index=True) if name in tables else table
    settings = {run.name: {**run.described(), "parts": run.parts} for _, runs in played for run in runs}
    return AttackTiming(tables, settings)


def default_folder(*, quick: bool) -> Path:
    """Where a study is kept if nothing else is said."""
    return Path("out/study/quick" if quick else "out/study")


def load_attack_timing(folder: str | Path) -> AttackTiming:
    """Read what `AttackTiming.save` wrote.

    Raises:
        FileNotFoundError: There is nothing of it.
    """
    folder = Path(folder)
    settings = json.loads((folder / "settings.json").read_text("utf-8"))
    read = {path.stem: pd.read_csv(path) for path in folder.glob("*.csv")}
    read |= {path.stem: pd.read_parquet(path) for path in folder.glob("*.parquet")}
    return AttackTiming(dict(sorted(read.items())), settings)


def _chosen(names: Sequence[str] | None) -> list[Chapter]:
    known = {chapter.name: chapter for chapter in CHAPTERS}
    if names is None:
        return list(CHAPTERS)
    for name in names:
        if name not in known:
            raise ArgumentError(f"unknown chapter '{name}'; the chapters are {', '.join(known)}")
    return [chapter for name, chapter in known.items() if name in names]


def _play(store: Store, runs: Sequence[Run], threads: int, progress: bool) -> None:
    """Make the parts that are missing: all runs evenly, so that what is there at any moment is a smaller study."""
    store.prepare(runs)
    todo = sorted(
        ((run, part) for run in runs for part in store.missing(run)), key=lambda one: (one[1] + 1) / one[0].parts
    )
    if not progress:
        for run, part in todo:
            store.play(run, part, threads)
        return
    total = sum(run.parts for run in runs)
    with Bar("parts") as bar:
        bar.update(total - len(todo), total)
        for done, (run, part) in enumerate(todo, start=total - len(todo) + 1):
            store.play(run, part, threads)
            bar.update(done, total)
