"""The ranking list of a Schwingfest as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stier._draw.svg import MARGIN, Picture, text_width

if TYPE_CHECKING:
    from stier._schwingfest import Bout, Schwingfest

#: Heights of a line and of the headings, widths of a bout and of a number.
_LINE, _HEAD, _BOUT, _NUMBER = 30.0, 68.0, 60.0, 30.0
#: What signs of bouts look like: the ground, and the text on it.
_LOOKS = {"+": ("bar", "on-bar"), "-": ("pale", "ink"), "o": ("soft", "muted")}


def ranking(fest: Schwingfest) -> str:
    """Give the ranking list as one SVG element: a line for each wrestler, two bouts for each opponent."""
    picture = Picture()
    lines = fest.ranking
    wrestler = MARGIN + 44
    points = wrestler + max(70.0, *(text_width(one.name, 14, bold=True) for one in lines)) + 66
    counts = points + 14
    first = counts + 3 * _NUMBER + 18
    picture.text(MARGIN, 34, "Schwingfest", size=18, bold=True, fit=True)
    what = f"{len(fest)} wrestlers, {fest.bouts} bouts, seed {fest.seed}"
    picture.text(MARGIN + text_width("Schwingfest", 18, bold=True) + 26, 34, what, "muted", size=13)
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
            bouts = [bout for bout in one.bouts if bout.opponent == opponent.name]
            for number, bout in enumerate(sorted(bouts, key=lambda bout: not bout.led)):
                _bout(picture, first + (2 * column + number) * _BOUT, top, bout)
    words = "; ".join(f"{one.rank} {one.name} with {one.points:.2f} points" for one in lines)
    return picture.finish("Ranking list of a Schwingfest", words)


def _bout(picture: Picture, x: float, top: float, bout: Bout) -> None:
    """One bout: its sign and what it brought."""
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
