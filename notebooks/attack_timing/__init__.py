"""When is an attack in Schwinget right? A study by the public tools of `stier`, as an experiment of one's own kind.

Its parts are its chapters:

- ``responders``: lower bounds on the exploitability of the players whose values the study uses.
- ``broad``: all hands at every number of finished tricks, played on by the fitted policy (`greedy`) in three ways:
  attack now, wait, never attack.
- ``champion``: the same, played on by the network that comes with the game, the champion. A rule of thumb is fitted to
  the even games of both and judged by the odd ones.
- ``champion_own``: games of the champion against itself: its attacks by hand, and their values.
- ``swapped``: the same positions with the cards of one player and the later attacks of another.
- ``step``: positions of the champion's games, played on by a search step over it (`mmds`) and by the champion, and what
  the search says there.
- ``champion_mistakes``: as ``mistakes``, for the champion and with its continuations.
- ``mistakes``: the cost of bad and missed attacks for several players; many continuations of every position, with
  hidden cards drawn from the mover's beliefs.
- ``match``, ``match_searched``: matches of four bouts that are won or lost.
- ``rule``: the rule of thumb against other ways to attack, in paired deals.
- ``strong``, ``played_on``: positions of searching players, and those of ``broad``, played on by searching players.
- ``equilibria``: scaled-down decks, solved: the right decisions, and those of the searches.
- ``advisers``: the values of open-card averages, their repairs and searches, beside the realised values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pyarrow as pa

import stier
from attack_timing import champion, chapters
from attack_timing.runs import Chapter, Run, Scope
from attack_timing.tables import gain_title, gains_by_hand
from stier import experiments
from stier.errors import ArgumentError
from stier.experiments import OnProgress, Plan, Report, Store, Task, digest, page

#: All chapters, in the order in which their tables are made.
CHAPTERS: tuple[Chapter, ...] = (
    champion.RESPONSES,
    chapters.BROAD,
    champion.CHAMPION,
    champion.CHAMPION_OWN,
    champion.SWAPPED,
    champion.STEPPED,
    chapters.MISTAKES,
    champion.CHAMPION_MISTAKES,
    chapters.MATCH,
    chapters.RULE,
    chapters.STRONG,
    chapters.PLAYED_ON,
    chapters.MATCH_SEARCHED,
    chapters.ADVISED,
    chapters.EQUILIBRIA,
)
NAMES = [chapter.name for chapter in CHAPTERS]
#: The largest scale.
MOST_SCALE = 1_000

RULE = """\
Without a trump suit, attack. Otherwise count two for every trump in hand, one for every card of your longest other suit
and one for the referee, and take one off for each trump that no unseen trump beats. Attack with four or more."""

#: The first sentence of the answer if attacking is better for nearly all hands, in place of that of `SENTENCES`.
ADVICE = (
    "Attack at the first chance, with nearly every hand: for the player who leads first, that {gains} per bout over "
    "waiting."
)
#: The smallest part of the deals that is nearly all.
NEARLY_ALL = 0.9
#: Sentences of the answer, under `points`: the table, the row, and the column with the figure.
SENTENCES = {
    "Per bout that a player leads first, attacking at once {gains} over waiting if the network plays on.": (
        ("by_tricks", "chapter == 'champion' and tricks == 0", "now_minus_wait")
    ),
    "In a match, where each side leads half of the bouts, a player who never attacks {loses} to one who attacks at the "
    "first chance (95 % intervals).": ("matches", "cards == 'champion_timing' and against == 'never'", "mean"),
    "The network's own timing {gains} over attacking at the first chance.": (
        ("matches", "cards == 'champion_timing' and against == 'always'", "mean")
    ),
    "Per bout that a player leads first, attacking at once {gains} over waiting if `greedy` plays on.": (
        ("by_tricks", "chapter == 'broad' and tricks == 0", "now_minus_wait")
    ),
}
COMPARED = (
    "Three ways to play on from the same positions with the same hidden cards: attack, wait, never attack. The figures "
    "are in the tables `by_tricks`, for bouts that a player leads first, and `matches`, for all bouts of a match."
)
#: Sentences on what could change the answer, and on what is not known, in the same way; without intervals.
CHANGES = {
    "With weak hands, those with which the rule of thumb waits, attacking at the first lead {about}.": (
        ("champion_by_rule", "tricks == 0 and rule == False", "now_minus_wait")
    ),
    "If searches that are weaker than the network play on, attacking with weak hands {about}.": (
        ("rule_played_on", "rule == False", "now_minus_wait")
    ),
    "Against the rule of thumb, a player who never attacks {lost} in a match: the rule waits without being attacked.": (
        ("matches", "cards == 'champion' and against == 'never'", "mean")
    ),
}
UNKNOWN = {
    "An opponent that knows the network's policy {about} if the network draws its actions, as in this study, and "
    "another one may gain more. The game's own network loses 0.17 if it plays its likeliest actions "
    "(`benches/BOUNDS.md`).": ("responders", "players == 'champion' and how == 'lbr'", "gain"),
}


class Findings(Report):
    """The tables of the study and its page; made by `run` and `load`.

    Attributes:
        tables: pandas frames by name. In each, ``x_ci95`` is the half width of a 95 % interval of ``x``.
        settings: All that each run depends on, its seed included, by name.
    """

    page = "answer.md"
    large = 200

    def __init__(self, tables: Mapping[str, pd.DataFrame], settings: Mapping[str, Any]) -> None:
        super().__init__(_page(tables), tables)
        self.settings: dict[str, Any] = dict(settings)

    def save(self, folder: str | Path, page: str | Path | None = None) -> list[Path]:
        """Writes the tables, the settings and the page, and returns the files. `load` reads them."""
        paths = super().save(folder, page)
        path = Path(folder) / "settings.json"
        path.write_text(json.dumps(self.settings, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return [*paths, path]

    def illustrate(self, folder: str) -> None:
        """Sets the page with its picture, which `draw` draws into a folder; its path is relative to the page."""
        if (title := _finding(self.tables)) is not None:
            self.markdown = _page(self.tables, f"![{title}]({folder}/attack_gain.png)")

    def draw(self, folder: str | Path) -> list[Path]:
        """Draws every figure that there are tables for, and returns the files. Needs the extra ``plots``."""
        from attack_timing.figures import figures

        self.figures = figures(self.tables)
        return super().draw(folder)


def _finding(tables: Mapping[str, pd.DataFrame]) -> str | None:
    """Returns the finding that the picture of the page shows, if it can be drawn."""
    return gain_title(*gains_by_hand(tables)[1:]) if "attacks_by_hand" in tables else None


def _sentences(tables: Mapping[str, pd.DataFrame]) -> dict[str, tuple[str, str, str]]:
    (usual, where), *others = SENTENCES.items()
    advised = "attacks_by_hand" in tables and gains_by_hand(tables)[1] >= NEARLY_ALL
    return dict([(ADVICE if advised else usual, where), *others])


def _page(tables: Mapping[str, pd.DataFrame], picture: str | None = None) -> str:
    answer = " ".join(list(_told(tables, _sentences(tables)))[:3])
    changes, unknown = (" ".join(_told(tables, sentences)) for sentences in (CHANGES, UNKNOWN))
    return page(
        "When is an attack in Schwinget right?",
        answer or "The chapters that were played have no short answer: see the tables.",
        picture=picture,
        sure=[
            COMPARED,
            changes or "Other players who play on, and other rules.",
            f"How near the players are to perfect play. {unknown}".strip(),
        ],
        command="python notebooks/attack_timing",
        details={"The rule of thumb": RULE},
    )


def _told(tables: Mapping[str, pd.DataFrame], sentences: Mapping[str, tuple[str, str, str]]) -> Iterator[str]:
    """Yields those of the sentences that there are figures for."""
    for text, (name, where, column) in sentences.items():
        if name in tables:
            for _, row in tables[name].query(f"scoring == 'points' and {where}").iterrows():
                gains, loses = (_gains(sign * row[column], row[f"{column}_ci95"]) for sign in (1, -1))
                about, lost = (re.sub(r" ± [\d.]+", "", told) for told in (gains, loses))
                yield text.format(gains=gains, loses=loses, about=about, lost=lost)


def _gains(mean: float, half: float) -> str:
    if abs(mean) <= half:
        return "gains nothing measurable"
    return (
        f"{'gains' if mean > 0 else 'loses'} {abs(mean):.2f}" + (f" ± {half:.2f}" if half == half else "") + " points"
    )


class AttackTiming(Plan):
    """The study as an experiment: chapters of runs in parts."""

    kind = "attack timing"
    page_after = "end"
    keys: ClassVar = {"quick": bool, "chapters": list[str], "network": str, "seed": int, "scale": float}
    defaults: ClassVar = {"quick": False, "chapters": NAMES, "network": "", "seed": 0, "scale": 1.0}

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        own = self.given
        if not 0 < own["scale"] <= MOST_SCALE:
            raise ArgumentError(f"scale must be above 0 and at most {MOST_SCALE}, got {own['scale']}")
        for name in own["chapters"]:
            if name not in NAMES:
                raise ArgumentError(f"unknown chapter '{name}'; chapters: {', '.join(NAMES)}")
        scope = Scope(*(own[name] for name in ("seed", "quick", "scale", "network")))
        stier.load_agent(scope.champion("points"), "schwinget")
        chosen = [chapter for chapter in CHAPTERS if chapter.name in own["chapters"]]
        self.chapters = [(chapter, chapter.runs(scope)) for chapter in chosen]
        self.runs: list[Run] = [run for _, runs in self.chapters for run in runs]
        parts = [(run, part) for run in self.runs for part in range(run.parts)]
        # All runs evenly, so that the parts form a smaller study at any time.
        parts.sort(key=lambda task: (task[1] + 1) / task[0].parts)
        self.tasks = [
            Task(f"{run.name}/part-{part:05}", digest([run.described(), part]), 1, run.name, (run, part))
            for run, part in parts
        ]

    def fixed(self) -> dict[str, Any]:
        """Returns the settings that all parts in a folder share: a larger study has the same parts, and some more."""
        sizes = {f"games per part of {run.name}": run.chunk for run in self.runs}
        return {**{name: self.given[name] for name in ("quick", "network", "seed")}, **sizes}

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress) -> pa.Table:
        """Plays a part of a run."""
        own, part = task.what
        return pa.Table.from_pandas(own.play(part, threads), preserve_index=False)

    def report(self, store: Store) -> Findings:
        """Makes all tables."""
        if not store.complete:
            raise ArgumentError(f"{store.folder} is not complete: {len(store.missing())} parts are missing")
        tables: dict[str, pd.DataFrame] = {}
        for chapter, runs in self.chapters:
            for name, table in chapter.tables(_Parts(store, self), runs).items():
                tables[name] = pd.concat([tables[name], table], ignore_index=True) if name in tables else table
        return Findings(tables, {run.name: {**run.described(), "parts": run.parts} for run in self.runs})


class _Parts:
    """The parts of the runs in a store."""

    def __init__(self, store: Store, plan: AttackTiming) -> None:
        self._store, self._plan = store, plan

    def read(self, run: Run, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Returns all parts of a run, in order, or some of their columns."""
        numbers = [number for number, task in enumerate(self._plan.tasks) if task.what[0] is run]
        return pa.concat_tables(self._store.tables(numbers, columns)).to_pandas()


def run(
    out: str | Path | None = None,
    *,
    quick: bool = False,
    chapters: Sequence[str] | None = None,
    network: str | Path | None = None,
    seed: int = 0,
    scale: float = 1.0,
    **options: Any,
) -> Findings:
    """Plays the missing parts of the study, and evaluates all of it.

    It is an experiment, so an interrupted study continues and ends with the same rows. The result depends on `quick`,
    `chapters`, `network`, `seed` and `scale` only.

    Args:
        out: The folder; ``out/study`` if left out, ``out/study/quick`` for a quick one.
        quick: A small study of all chapters: some minutes of one core instead of hours.
        chapters: The names of some chapters; all if left out.
        network: The file of another network that takes the part of the champion; the game's own if left out.
        seed: The seed of everything.
        scale: Multiplies the number of games. From 1 on, a larger study continues from the parts of a smaller one.
        options: Those of `stier.experiments.run`, such as ``threads``, ``ray`` and ``progress``.

    Raises:
        ArgumentError: An unknown chapter, a scale that is not above 0, or the folder of another study.
        AgentError: The file is not a network for Schwinget.
    """
    given = {"quick": quick, "network": str(network or ""), "seed": seed, "scale": float(scale)}
    plan = AttackTiming(given if chapters is None else {**given, "chapters": list(chapters)})
    return plan.report(experiments.run(plan, default_folder(quick=quick) if out is None else out, **options))


def default_folder(*, quick: bool) -> Path:
    """Returns the folder of a study by default."""
    return Path("out/study/quick" if quick else "out/study")


def load(folder: str | Path) -> Findings:
    """Reads the files of `Findings.save`."""
    folder = Path(folder)
    settings = json.loads((folder / "settings.json").read_text("utf-8"))
    read = {path.stem: pd.read_csv(path) for path in folder.glob("*.csv")}
    read |= {path.stem: pd.read_parquet(path) for path in folder.glob("*.parquet")}
    return Findings(dict(sorted(read.items())), settings)
