"""A *Schwingfest*: the rulebook's tournament of Schwinget, with a ranking list as at a real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from stier import _native
from stier._native import load_game
from stier._svg import MARGIN, Picture, text_width
from stier.errors import AgentError
from stier.playing import AnyAgent, listed

__all__ = ["Bout", "Ranked", "Schwingfest", "schwingfest"]


#: The signs of a ranking list for a bout won, drawn, lost.
WON, DRAWN, LOST = "+", "-", "o"


@dataclass(frozen=True)
class Bout:
    """One bout, as one wrestler sees it.

    Attributes:
        opponent: The name of the other.
        led: True if the wrestler led the first trick.
        sign: ``+`` won, ``-`` drawn (*gestellt*), ``o`` lost.
        points: The wrestler's points, from 8.50 to 10.00.
    """

    opponent: str
    led: bool
    sign: str
    points: float


@dataclass(frozen=True)
class Ranked:
    """One line of a ranking list.

    Attributes:
        rank: Such as ``1``. Wrestlers with the same points share a rank, ``2a`` and ``2b``; the next one is 3.
        name: The wrestler.
        agent: The agent, as in `PitResult.agents`.
        points: The sum of all bouts.
        bouts: Its bouts, two for each opponent, in the order in which they were fought.
    """

    rank: str
    name: str
    agent: str
    points: float
    bouts: tuple[Bout, ...]

    def count(self, sign: str) -> int:
        """The number of bouts with this sign."""
        return sum(bout.sign == sign for bout in self.bouts)

    def _bouts_against(self, opponent: Ranked) -> list[Bout]:
        """The bouts against another wrestler, the one that this one led first."""
        return sorted((one for one in self.bouts if one.opponent == opponent.name), key=lambda bout: not bout.led)


class Schwingfest(Sequence[Ranked]):
    """A ranking list, best first; made by `schwingfest`. Printed, or as the last line of a cell, it shows itself."""

    def __init__(self, ranking: Sequence[Ranked], seed: int) -> None:
        self.ranking: list[Ranked] = list(ranking)
        self.seed = seed

    def __len__(self) -> int:
        return len(self.ranking)

    def __getitem__(self, index: int) -> Ranked:  # type: ignore[override]
        return self.ranking[index]

    @property
    def bouts(self) -> int:
        """The number of bouts."""
        return sum(len(one.bouts) for one in self.ranking) // 2

    def __repr__(self) -> str:
        return f"<stier.Schwingfest of {len(self)}: {', '.join(f'{one.rank} {one.name}' for one in self.ranking)}>"

    def __str__(self) -> str:
        """The ranking list for a terminal."""
        width = max(8, *(len(one.name) for one in self.ranking))
        lines = [
            f"Schwingfest, {_summary(self)}",
            f"{'rank':<5} {'wrestler':<{width}} {'points':>7} {WON:>3} {DRAWN:>3} {LOST:>3}  "
            "bouts, led and not led, against each in this order",
        ]
        for one in self.ranking:
            counts = " ".join(f"{one.count(sign):3}" for sign in (WON, DRAWN, LOST))
            lines.append(f"{one.rank:<5} {one.name:<{width}} {one.points:7.2f} {counts}  {self._against(one)}".rstrip())
        return "\n".join(lines) + "\n"

    def _against(self, one: Ranked) -> str:
        """The bouts against each, in the order of the list; blanks against oneself."""
        cells = []
        for opponent in self.ranking:
            bouts = one._bouts_against(opponent)
            cells.append(" ".join(f"{bout.sign}{bout.points:5.2f}" for bout in bouts) or " " * 13)
        return "  ".join(cells)

    def to_svg(self) -> str:
        """The ranking list as a picture: one SVG element that stands for itself, for light and dark pages."""
        picture = Picture()
        lines = self.ranking
        wrestler = MARGIN + 44
        points = wrestler + max(70.0, *(text_width(one.name, 14, bold=True) for one in lines)) + 66
        counts = points + 14
        first = counts + 3 * _NUMBER + 18
        picture.text(MARGIN, 34, "Schwingfest", size=18, bold=True, fit=True)
        picture.text(MARGIN + text_width("Schwingfest", 18, bold=True) + 26, 34, _summary(self), "muted", size=13)
        for x, heading, anchor in [
            (MARGIN, "rank", "start"),
            (wrestler, "wrestler", "start"),
            (points, "points", "end"),
            *((counts + (place + 0.5) * _NUMBER, sign, "middle") for place, sign in enumerate(_LOOKS)),
            *((first + 2 * place * _BOUT, f"v. {_short(one.name)}", "start") for place, one in enumerate(lines)),
        ]:
            picture.text(x, _HEAD, heading, "muted", size=12, anchor=anchor, fit=True)
        for place, one in enumerate(lines):
            top = _HEAD + 8 + place * _LINE
            base = top + 20
            leader = one.points == lines[0].points
            picture.text(MARGIN, base, one.rank, "mark" if leader else "ink", size=14, bold=True)
            picture.begin(one.agent)
            picture.text(wrestler, base, one.name, size=14, bold=leader, fit=True)
            picture.end()
            picture.text(points, base, f"{one.points:.2f}", size=14, anchor="end", bold=True)
            for number, sign in enumerate(_LOOKS):
                x = counts + (number + 0.5) * _NUMBER
                picture.text(x, base, str(one.count(sign)), size=13, anchor="middle")
            for column, opponent in enumerate(lines):
                for number, bout in enumerate(one._bouts_against(opponent)):
                    _bout(picture, first + (2 * column + number) * _BOUT, top, bout)
        words = "; ".join(f"{one.rank} {one.name} with {one.points:.2f} points" for one in lines)
        return picture.finish("Ranking list of a Schwingfest", words)

    _repr_html_ = to_svg


def schwingfest(agents: Mapping[str, AnyAgent] | Sequence[AnyAgent], *, seed: int = 0, threads: int = 0) -> Schwingfest:
    """Holds a Schwingfest: every pair meets twice, each leading once, with new cards for each bout; points add up.

    A bout brings 10.00 or 9.75 to who wins it, 9.00 to both if it is drawn, 8.75 or 8.50 to who loses it. So few bouts
    say little about who is stronger: for that, see `stier.pit` and `stier.ratings`.

    The order in which the agents are named has no influence. Wrestlers with as many points are listed by name.

    Args:
        agents: Three agents or more; by the names of the wrestlers, if they have any.
        seed: The seed of deals and agents.
        threads: Threads; 0 for all cores. No influence on the result.

    Raises:
        AgentError: Fewer than three agents, or see `stier.pit`.
    """
    game = load_game("schwinget", scoring="schwinger", utility="score")
    names: list[str] | None = None
    if isinstance(agents, Mapping):
        # By name: wrestlers with the same agent are told apart by their order.
        names, agents = sorted(agents), [agents[name] for name in sorted(agents)]
    entrants = list(listed(agents))
    if len(entrants) < 3:
        raise AgentError(f"a Schwingfest needs at least 3 agents, got {len(entrants)}")
    result = _native.pit(game, entrants, 1, seed, False, threads)
    names = result.agents if names is None else names
    bouts: list[list[Bout]] = [[] for _ in entrants]
    for played in result.games:
        for seat, (agent, points) in enumerate(zip(played.agents, played.returns, strict=True)):
            other = 1 - seat
            theirs = played.returns[other]
            sign = WON if points > theirs else LOST if points < theirs else DRAWN
            bouts[agent].append(Bout(names[played.agents[other]], seat == 0, sign, points))
    # Hundredths are whole: sums of them are not to differ by rounding.
    hundredths = [sum(round(100 * bout.points) for bout in own) for own in bouts]
    order = sorted(range(len(entrants)), key=lambda agent: (-hundredths[agent], names[agent]))
    ranks = _ranks([hundredths[agent] for agent in order])
    ranking = [
        Ranked(rank, names[agent], result.agents[agent], hundredths[agent] / 100, tuple(bouts[agent]))
        for rank, agent in zip(ranks, order, strict=True)
    ]
    return Schwingfest(ranking, seed)


def _ranks(points: Sequence[int]) -> list[str]:
    """The ranks of points in falling order: those who share one have letters, and none is left out after them."""
    levels = sorted(set(points), reverse=True)
    ranks = []
    for place, own in enumerate(points):
        rank, ties = str(levels.index(own) + 1), points.count(own)
        ranks.append(rank if ties == 1 else rank + _letters(points[:place].count(own)))
    return ranks


def _letters(number: int) -> str:
    """A, b, … z, aa, ab, …: as many as are needed."""
    rest, last = divmod(number, len(ascii_lowercase))
    return (_letters(rest - 1) if rest else "") + ascii_lowercase[last]


#: Heights of a line and of the headings, widths of a bout and of a number.
_LINE, _HEAD, _BOUT, _NUMBER = 30.0, 68.0, 60.0, 30.0
#: The colours of the signs: the ground, and the text on it.
_LOOKS = {"+": ("bar", "on-bar"), "-": ("pale", "ink"), "o": ("soft", "muted")}


def _summary(fest: Schwingfest) -> str:
    """The size of the tournament, and the meaning of the signs."""
    signs = f"{WON} won, {DRAWN} drawn, {LOST} lost"
    return f"{len(fest)} wrestlers, {fest.bouts} bouts, seed {fest.seed}: {signs}"


def _bout(picture: Picture, x: float, top: float, bout: Bout) -> None:
    ground, ink = _LOOKS[bout.sign]
    picture.begin(f"against {bout.opponent}{', led' if bout.led else ''}: {bout.sign} {bout.points:.2f}")
    picture.rect(x, top + 4, _BOUT - 4, _LINE - 8, ground, radius=5)
    picture.text(x + (_BOUT - 4) / 2, top + 19, f"{bout.sign} {bout.points:.2f}", ink, size=12, anchor="middle")
    picture.end()


def _short(name: str) -> str:
    """The name, if there is room for it over two bouts."""
    while text_width(f"v. {name}", 12) > 2 * _BOUT - 8:
        name = name.removesuffix("…")[:-1] + "…"
    return name
