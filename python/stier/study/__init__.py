"""Studies: questions about the games, answered by play. Needs the extra ``study``.

*When is an attack in Schwinget right?* Players play games against copies of themselves. Every decision at which the
mover may attack is a position, and the game is played on from it in three ways with common random numbers: it attacks
now; it waits, and perhaps attacks later; it never attacks. Values are mean returns of the mover.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from stier.errors import ArgumentError, MissingExtraError

for _name in ("pandas", "pyarrow", "scipy"):
    if find_spec(_name) is None:
        raise MissingExtraError(f"stier.study needs {_name}: pip install 'stier[study]'")

import pandas as pd  # noqa: E402
import pyarrow as pa  # noqa: E402

from stier import _arguments  # noqa: E402
from stier._files import as_path, write_text  # noqa: E402
from stier._native import alternatives, load_agent  # noqa: E402
from stier._output import plus_minus  # noqa: E402
from stier.experiments import run  # noqa: E402
from stier.experiments._plans import (  # noqa: E402
    OUTPUTS,
    OnProgress,
    PageAfter,
    Plan,
    Report,
    Task,
    checked,
    digest,
    header,
    line,
)
from stier.study import _champion, _chapters  # noqa: E402
from stier.study._runs import SCORINGS, Chapter, Run, Scope  # noqa: E402

if TYPE_CHECKING:
    from stier.experiments import Store

__all__ = ["FINDINGS", "RULE", "AttackTiming", "Study", "attack_timing", "load_attack_timing"]

#: All chapters, in the order in which their tables are made.
CHAPTERS: tuple[Chapter, ...] = (
    _champion.RESPONSES,
    _chapters.BROAD,
    _champion.CHAMPION,
    _champion.CHAMPION_OWN,
    _champion.SWAPPED,
    _champion.STEPPED,
    _chapters.MISTAKES,
    _champion.CHAMPION_MISTAKES,
    _chapters.MATCH,
    _chapters.RULE,
    _chapters.STRONG,
    _chapters.PLAYED_ON,
    _chapters.MATCH_SEARCHED,
    _chapters.LIGHTS_CHAPTER,
    _chapters.EQUILIBRIA,
)

#: The largest scale.
MOST_SCALE = 1_000
#: The rule of thumb, for people.
RULE = """\
Without a trump suit, attack. Otherwise count two for every trump in hand, one for every card of your longest other
suit and one for the referee, and take one off for each trump that no unseen trump beats. Attack with four or more."""
#: The answer, from the tables in ``notebooks/data/attack_timing``.
FINDINGS = """\
The full study (`make study`) says: attack nearly always, and early rather than late. Never attacking is the big
mistake: under `points`, if the champion plays all cards, it loses 0.63 ± 0.01 points per bout to the rule of thumb, and
less to a player who attacks at the first chance. With the champion's cards no timing that was tried gains measurably
over attacking at the first chance: the champion's own gains 0.001 ± 0.004, and the rule of thumb loses 0.016 ± 0.004.
If the champion plays on, attacking is worth 0.36 ± 0.01 more than waiting where the rule attacks. Where the rule waits,
it is worth 0.08 ± 0.03 more at the first lead, and 0.39 ± 0.05 less at the last chance, which good players hardly ever
reach. But that depends on the players who play on. If guided searches do, which are weaker, it is worth 0.11 ± 0.07
less over all positions where the rule waits. In the first study, in which the fitted policy plays on, attacking was
worth 0.41 ± 0.01 more and 0.16 ± 0.01 less. Card play changed the second: with the champion's cards, the gain of an
attack where the rule waits rises by 0.17 ± 0.04 on the same positions. The champion before this one played bouts
without attacks badly, so attacks looked better, above all against never attacking. If the fitted policy plays on,
attacking gains 0.25 points per bout over all hands: 0.10 from your own flat throws, 0.04 from preventing the
opponent's, and most of the rest from winning more bouts. In the last bout of a match, attack if you are behind by up to
three points (+6.8 ± 0.4 percentage points to win the match), and wait if you are ahead by up to three (-4.0 ± 0.4). The
values of a match are those of the fitted policy, because the champion cannot play matches. How near all this is to
perfect play is not known."""


class _Figure(NamedTuple):
    """A figure of the answer: its label, and where it is in the tables."""

    label: str
    table: str
    where: dict[str, Any]
    column: str
    scale: float = 1.0
    digits: int = 3


_FIRST = {chapter: {"chapter": chapter, "tricks": 0} for chapter in ("broad", "champion")}
_CHAMPION = {"chapter": "champion", "per": "bout"}
_TIMING = {"cards": "champion_timing", "against": "always"}
_GAIN = "now_minus_wait"
_GAINS = {"wait": _GAIN, "never": "now_minus_never"}
_BEST = "best:iterations=1000"


def _rule_against(cards: str, player: str) -> Iterator[_Figure]:
    """The matches of the rule with these cards on both sides."""
    for against, what in [
        ("never", "never attacking"),
        ("random", "attacking at every second chance at random"),
        ("cards", f"the decision of {player.removesuffix(' (1,000)')} itself"),
        ("always", "attacking at the first chance"),
    ]:
        label = f"the rule against {what}; {player} plays the cards"
        yield _Figure(label, "matches", {"cards": cards, "against": against}, "mean")


_FIGURES = (
    *(
        _Figure(f"champion: attack rather than wait where {place}", "champion_by_rule", where, _GAIN)
        for place, where in [
            ("the rule attacks", {"tricks": -1, "rule": True}),
            ("the rule waits", {"tricks": -1, "rule": False}),
            ("the rule waits at the first lead", {"tricks": 0, "rule": False}),
            ("the rule waits at the last chance", {"tricks": 5, "rule": False}),
        ]
    ),
    *(
        _Figure(f"champion: attack rather than {other} before the first trick", "by_tricks", _FIRST["champion"], gain)
        for other, gain in _GAINS.items()
    ),
    *(
        _Figure(f"champion: {label}, first chances, per bout", "rule_worth", {**_CHAMPION, "decides": who}, column)
        for label, who, column in [
            ("the rule instead of always attacking", "rule", "over_always"),
            ("the fitted rule instead of always attacking", "fitted_rule", "over_always"),
            ("the champion's own decision instead of always attacking", "champion", "over_always"),
            ("the best choice by cell instead of always attacking", "best_by_cell", "over_always"),
        ]
    ),
    *_rule_against("champion", "the champion"),
    _Figure("the champion against itself with an attack at the first chance", "matches", _TIMING, "mean"),
    _Figure("cost of bad attacks, the champion", "champion_mistakes", {"players": "champion"}, "bout_bad"),
    _Figure("cost of missed attacks, the champion", "champion_mistakes", {"players": "champion"}, "bout_missed"),
    *(
        _Figure(f"fitted policy: attack rather than wait where the rule {does}", "by_rule", where, _GAIN)
        for does, where in [("attacks", {"tricks": -1, "rule": True}), ("waits", {"tricks": -1, "rule": False})]
    ),
    *(
        _Figure(f"fitted policy: attack rather than {other} before the first trick", "by_tricks", _FIRST["broad"], gain)
        for other, gain in _GAINS.items()
    ),
    *_rule_against("search", "ISMCTS (1,000)"),
    _Figure(f"the rule against `{_BEST}`, which plays the cards", "matches", {"cards": "best"}, "mean"),
    _Figure("cost of missed attacks, the rule", "mistakes", {"players": "thumb"}, "bout_missed"),
    _Figure("cost of missed attacks, a guided search", "mistakes", {"players": "search"}, "bout_missed"),
    _Figure("cost of bad attacks, always attacking", "mistakes", {"players": "always"}, "bout_bad"),
    *(
        _Figure(f"`{name}` overestimates {what} by", "lights", {"light": name}, column, digits=2)
        for name in ("pimc", "presumed_pimc", "best:iterations=20000")
        for what, column in [("an attack", "optimism_now"), ("waiting", "optimism_wait")]
    ),
    # A match won is worth 1 and one lost -1: half of that is a probability.
    *(
        _Figure(label, "match", {"bouts_left": 0, "standing": standing}, "now_minus_wait", 50.0, 1)
        for standing in ("behind", "level", "ahead")
        for label in [f"attack rather than wait when {standing} in the last of four bouts, percentage points to win"]
    ),
)


#: The players with bounds, in words.
_PLAYERS = {
    "fitted": "the fitted policy",
    "champion": "the champion, which is the agent `network` (trained for `points`)",
    "search": "a guided search",
}


class AttackTiming(Report):
    """The findings of the study; made by `attack_timing` and `load_attack_timing`.

    Attributes:
        tables: pandas frames by name. In each, ``x_ci95`` is the half width of a 95 % interval of ``x``.
        settings: All that each run depends on, its seed included, by the name of its folder.
    """

    page = "answer.md"
    large = 200

    def __init__(self, tables: Mapping[str, pd.DataFrame], settings: Mapping[str, Any]) -> None:
        super().__init__(_answer(tables), tables)
        self.settings: dict[str, Any] = dict(settings)

    @property
    def answer(self) -> str:
        """Returns the rule, the main figures of these tables, and the findings of the full study, in Markdown."""
        return str(self)

    def save(self, folder: str | Path, page: str | Path | None = None) -> list[Path]:
        """Writes the tables, the settings and the answer, and returns the files. `load_attack_timing` reads them."""
        path = Path(folder) / "settings.json"
        write_text(path, json.dumps(self.settings, indent=1, ensure_ascii=False) + "\n")
        return [*super().save(folder, page), path]

    def draw(self, folder: str | Path) -> list[Path]:
        """Draws every figure that there are tables for, and returns the files. Needs the extra ``plots``."""
        from stier.study._figures import figures

        self.figures = figures(self.tables)
        return super().draw(folder)


_READING = """\
`champion:` and `fitted policy:` name the player who plays the positions on. Half widths are those of 95 % intervals
over games."""


def _bounds(tables: Mapping[str, pd.DataFrame]) -> str:
    """The lower bounds on the exploitability of the players whose values follow, if they were computed."""
    if "responders" not in tables:
        return ""
    text = """\
All values depend on the players who play on, and these players can be exploited. This is what a responder gains that
knows a player's policy, in points per bout with 95 % intervals over paired deals; another one may gain more:

"""
    text += header(["player", *(f"`{scoring}`" for scoring in SCORINGS)])
    for (players, how), rows in tables["responders"].groupby(["players", "how"], sort=False):
        found = rows.set_index("scoring")
        gain, half = found["gain"], found["gain_ci95"]
        cells = [f"{gain[own]:+.3f}{plus_minus(half[own], 3)}" if own in found.index else "" for own in SCORINGS]
        text += line([f"{_PLAYERS[str(players)]}, against `{how!s}`", *cells])
    return f"{text}\n"


def _answer(tables: Mapping[str, pd.DataFrame]) -> str:
    text = f"# When is an attack right?\n\n{_bounds(tables)}{FINDINGS}\n\nThe rule of thumb:\n\n{RULE}\n\n"
    text += header(["", *(f"`{scoring}`" for scoring in SCORINGS)])
    for figure in _FIGURES:
        if figure.table in tables:
            found = tables[figure.table]
            for name, value in figure.where.items():
                found = found[found[name] == value]
            rows = [found[found["scoring"] == scoring] for scoring in SCORINGS]
            if any(map(len, rows)):
                text += line([figure.label, *(_cell(figure, own.iloc[0]) if len(own) else "" for own in rows)])
    return f"{text}\n{_READING}\n"


def _cell(figure: _Figure, row: Any) -> str:
    mean, half = figure.scale * row[figure.column], figure.scale * row[f"{figure.column}_ci95"]
    return f"{mean:+.{figure.digits}f}{plus_minus(half, figure.digits)}"


class Study(Plan):
    """The study as an experiment: chapters of runs in parts."""

    kind = "study"
    page_after: ClassVar[PageAfter] = "end"
    keys: ClassVar[Mapping[str, Any]] = {
        "quick": bool,
        "chapters": list[str],
        "network": str,
        "seed": int,
        "scale": float,
        **dict.fromkeys(OUTPUTS, str),
    }
    defaults: ClassVar[Mapping[str, Any]] = {
        "quick": False,
        "chapters": [chapter.name for chapter in CHAPTERS],
        "network": "",
        "seed": 0,
        "scale": 1.0,
    }

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given: dict[str, Any] = checked({**self.defaults, **given}, self.keys, optional=OUTPUTS)
        self.outputs = {key: self.given[key] for key in OUTPUTS if key in self.given}
        _arguments.seed(self.given["seed"])
        if not 0 < self.given["scale"] <= MOST_SCALE:
            raise ArgumentError(f"scale must be above 0 and at most {MOST_SCALE}, got {self.given['scale']}")
        known = [chapter.name for chapter in CHAPTERS]
        for name in self.given["chapters"]:
            if name not in known:
                raise ArgumentError(f"unknown chapter '{name}'{alternatives(str(name), 'chapters', known)}")
        scope = Scope(*(self.given[name] for name in ("seed", "quick", "scale", "network")))
        load_agent(scope.champion("points"), "schwinget")
        chosen = [chapter for chapter in CHAPTERS if chapter.name in self.given["chapters"]]
        self.chapters = [(chapter, chapter.runs(scope)) for chapter in chosen]
        self.runs: list[Run] = [run for _, runs in self.chapters for run in runs]
        tasks = [(run, part) for run in self.runs for part in range(run.parts)]
        # All runs evenly, so that the parts form a smaller study at any time.
        tasks.sort(key=lambda task: (task[1] + 1) / task[0].parts)
        keys_of = {run.name: digest(run.described()) for run in self.runs}
        self.tasks = [
            Task(f"{run.name}/part-{part:05}", digest([keys_of[run.name], part]), 1, run.name, (run, part))
            for run, part in tasks
        ]

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Study:
        """Makes the study from the keys of its file."""
        return cls(given)

    def settings(self) -> dict[str, Any]:
        """Returns the keys of the file."""
        return self.given

    def fixed(self) -> dict[str, Any]:
        """Returns the settings that all parts in a folder share: a larger study has the same parts, and some more."""
        sizes = {f"games per part of {run.name}": run.chunk for run in self.runs}
        return {**{name: self.given[name] for name in ("quick", "network", "seed")}, **sizes}

    def play(self, task: Task, threads: int, work: Path, on_progress: OnProgress | None = None) -> pa.Table:
        """Plays a part of a run."""
        own, part = task.what
        return pa.Table.from_pandas(own.play(part, threads), preserve_index=False)

    def report(self, store: Store) -> AttackTiming:
        """Makes all tables."""
        if not store.complete:
            raise ArgumentError(f"{store.folder} is not complete: {len(store.missing())} parts are missing")
        tables: dict[str, pd.DataFrame] = {}
        for chapter, runs in self.chapters:
            for name, table in chapter.tables(_Parts(store), runs).items():
                tables[name] = pd.concat([tables[name], table], ignore_index=True) if name in tables else table
        return AttackTiming(tables, {run.name: {**run.described(), "parts": run.parts} for run in self.runs})


class _Parts:
    """The parts of the runs in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, run: Run, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Returns all parts of a run, in order, or some of their columns."""
        plan = self._store.experiment
        numbers = [number for number in range(plan.parts()) if plan.task(number).what[0] is run]
        return pa.concat_tables(self._store.tables(numbers, columns)).to_pandas()


def attack_timing(
    out: str | Path | None = None,
    *,
    quick: bool = False,
    chapters: Sequence[str] | None = None,
    network: str | Path | None = None,
    seed: int = 0,
    scale: float = 1.0,
    threads: int = 0,
    progress: bool = False,
) -> AttackTiming:
    """Plays the missing parts of the study *When is an attack in Schwinget right?*, and evaluates all of it.

    It is an experiment (`stier.experiments.run`), so an interrupted study continues and ends with the same files. The
    result depends on `quick`, `chapters`, `network`, `seed` and `scale` only. The chapters:

    - ``responders``: lower bounds on the exploitability of the players whose values the study uses.
    - ``broad``: all hands at every number of finished tricks, played on by the fitted policy (`greedy`) in three ways:
      attack now, wait, never attack.
    - ``champion``: the same, played on by the network that comes with the game, the champion. A rule of thumb is fitted
      to the even games of both and judged by the odd ones.
    - ``champion_own``: games of the champion against itself: its attacks by hand, and their values.
    - ``swapped``: the same positions with the cards of one player and the later attacks of another.
    - ``step``: positions of the champion's games, played on by a search step over it (`mmds`) and by the champion, and
      what the search says there.
    - ``champion_mistakes``: as ``mistakes``, for the champion and with its continuations.
    - ``mistakes``: the cost of bad and missed attacks for several players; many continuations of every position, with
      hidden cards drawn from the mover's beliefs.
    - ``match``, ``match_searched``: matches of four bouts that are won or lost.
    - ``rule``: the rule of thumb against other ways to attack, in paired deals.
    - ``strong``, ``played_on``: positions of searching players, and those of ``broad``, played on by searching players.
    - ``equilibria``: scaled-down decks, solved: the right decisions, and those of the searches.
    - ``lights``: the values of open-card averages, their repairs and searches, beside the realised values.

    Args:
        out: The folder; ``out/study`` if left out, ``out/study/quick`` for a quick one.
        quick: A small study of all chapters: two minutes of one core instead of some hours.
        chapters: The names of some chapters; all if left out.
        network: The file of another network that takes the part of the champion; the game's own if left out.
        seed: The seed of everything.
        scale: Multiplies the number of games. From 1 on, a larger study continues from the parts of a smaller one.
        threads: Threads; 0 for all cores. No influence on the result.
        progress: Shows a progress bar, or prints lines without a terminal or without tqdm.

    Raises:
        ArgumentError: An unknown chapter, a scale that is not above 0, or the folder of another study.
        AgentError: The file is not a network for Schwinget.
    """
    numbers = {"seed": _arguments.seed(seed), "scale": _arguments.number("scale", scale, 0, MOST_SCALE)}
    given: dict[str, Any] = {"quick": quick, "network": str(network or ""), **numbers}
    plan = Study(given if chapters is None else {**given, "chapters": list(chapters)})
    folder = default_folder(quick=quick) if out is None else as_path(out)
    return plan.report(run(plan, folder, threads=threads, progress=progress))


def default_folder(*, quick: bool) -> Path:
    """Returns the folder of a study by default."""
    return Path("out/study/quick" if quick else "out/study")


def load_attack_timing(folder: str | Path) -> AttackTiming:
    """Reads the files of `AttackTiming.save`.

    Raises:
        FileNotFoundError: They are not there.
    """
    folder = as_path(folder)
    settings = json.loads((folder / "settings.json").read_text("utf-8"))
    read = {path.stem: pd.read_csv(path) for path in folder.glob("*.csv")}
    read |= {path.stem: pd.read_parquet(path) for path in folder.glob("*.parquet")}
    return AttackTiming(dict(sorted(read.items())), settings)
