"""The findings of a search, as a picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from stier._output import duration
from stier._svg import HEIGHT, MARGIN, SMALL, WIDTH, Face, Picture, draw_card, number, text_width

if TYPE_CHECKING:
    from stier._results import Line, Search


#: The length of bars and axes.
AXIS = 190.0
#: The number of actions, of replies to each, and so on, in the top of a tree.
BRANCHES = (4, 3, 2)


def search(search: Search) -> str:
    """A search: for each action its visits, its value and the probability with which it is chosen.

    The action most visited comes first; the one chosen is marked. With lines of play (`Agent.search(state,
    tree_depth=2)`), the top of the tree stands below: the lines most visited, the thicker the more.
    """
    picture = Picture()
    faces = search.game.card_faces()
    picture.text(MARGIN, 30, "Search", size=17, bold=True)
    effort = f"{search.iterations:,} iterations · {search.nodes:,} nodes · {duration(search.seconds)}"
    picture.text(MARGIN + 72, 30, f"seat {search.player} · {effort}", "muted")
    stats = sorted(search.actions, key=lambda one: (-one.visits, -one.probability, one.action))
    names = max(_action_width(one.name, faces) for one in stats)
    visits_x = MARGIN + 18 + max(names, 50) + 14
    value_x = visits_x + AXIS + 66
    probability_x = value_x + AXIS + 66
    for x, text in [(MARGIN + 18, "action"), (visits_x, "visits"), (value_x, "value"), (probability_x, "chosen with")]:
        picture.text(x, 56, text, "muted", size=11)
    most = max(1, max(one.visits for one in stats))
    low, high = _range([one.value for one in stats if one.visits > 0])
    missing = "no value" if all(math.isnan(one.value) for one in stats) else "not tried"
    y = 62.0
    for one in stats:
        chosen = one.action == search.action
        if chosen:
            picture.rect(MARGIN - 8, y, probability_x + 76 - MARGIN + 8, 30, "acts", radius=6)
            picture.begin("chosen")
            picture.path(f"M{number(MARGIN)} {number(y + 10)}l8 5-8 5Z", "mark")
            picture.end()
        _action(picture, one.name, faces, MARGIN + 18, y + 15, bold=chosen)
        picture.rect(visits_x, y + 8, max(1.0, AXIS * one.visits / most), 14, "bar", radius=3)
        picture.text(visits_x + AXIS * one.visits / most + 6, y + 19.5, f"{one.visits:,}", size=12)
        _value(picture, one.value if one.visits else None, low, high, value_x, y, missing)
        picture.text(probability_x, y + 19.5, f"{one.probability:.1%}", size=12)
        y += 32
    picture.extend(probability_x + 76, y)
    if search.lines:
        _tree(picture, search, faces, y + 12)
    best = stats[0]
    told = (f"{one.name}: {one.visits} visits, {_told(one.value)}, probability {one.probability:.3f}" for one in stats)
    first = "most visited" if best.visits else "most probable"
    return picture.finish(f"Search of seat {search.player}: {best.name} {first}", ", ".join(told))


def _told(value: float) -> str:
    return "no value" if math.isnan(value) else f"value {value:+.3f}"


def _range(values: list[float]) -> tuple[float, float]:
    """An axis that holds all the values, with room left and right."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    room = max(0.15 * (high - low), 1e-3 * max(1.0, abs(low), abs(high)))
    return low - room, high + room


def _value(picture: Picture, value: float | None, low: float, high: float, x: float, y: float, missing: str) -> None:
    """A point on an axis, from a line at 0 if 0 is on it, and the figure; or why there is none."""
    picture.path(f"M{number(x)} {number(y + 15)}h{number(AXIS)}", "line", more='fill="none"')
    if low < 0 < high:
        zero = x + AXIS * (0 - low) / (high - low)
        picture.path(f"M{number(zero)} {number(y + 8)}v14", "line", more='fill="none"')
    if value is None:
        picture.text(x + AXIS + 8, y + 19.5, missing, "muted", size=12)
        return
    picture.circle(x + AXIS * (value - low) / (high - low), y + 15, 5, "bar")
    picture.text(x + AXIS + 8, y + 19.5, f"{value:+.3f}", size=12)


def _card_of(name: str, faces: dict[str, Face]) -> tuple[str, str | None]:
    """The name of an action without its card, and the card, if it names one."""
    before, _, card = name.rpartition(":")
    return (before, card) if card in faces else (name, None)


def _action_width(name: str, faces: dict[str, Face]) -> float:
    words, card = _card_of(name, faces)
    return text_width(words, 13, bold=True) + (6 if words and card else 0) + (WIDTH * SMALL * 0.8 if card else 0)


def _action(picture: Picture, name: str, faces: dict[str, Face], x: float, y: float, *, bold: bool = False) -> float:
    """An action: its words, and its card as a card; its middle at `y`. Gives where it ends."""
    words, card = _card_of(name, faces)
    if words:
        x += picture.text(x, y + 4.5, words, bold=bold) + (6 if card else 0)
    if card is not None:
        scale = SMALL * 0.8
        draw_card(picture, card, faces[card], x, y - HEIGHT * scale / 2, scale)
        x += WIDTH * scale
    return x


def _path(line: Line) -> tuple[tuple[int, int], ...]:
    """The players and actions of a line. After the same actions it may be either player's turn, as in dark_hex."""
    return tuple(zip(line.players, line.actions, strict=True))


def _most_visited(lines: list[Line], path: tuple[tuple[int, int], ...], count: int, least: float) -> list[Line]:
    longer = [line for line in lines if len(line.actions) == len(path) + 1 and _path(line)[:-1] == path]
    seen = [line for line in longer if line.visits >= least]
    return sorted(seen, key=lambda line: (-line.visits, line.actions))[:count]


def _tree(picture: Picture, search: Search, faces: dict[str, Face], y: float) -> None:
    """The lines most visited, from left to right; those with less than a hundredth of the visits are left out."""
    caption = "Lines of play most visited: who acts, share of the visits, value for the searching seat"
    picture.text(MARGIN, y + 12, caption, "muted", size=12)
    row, bend = 34.0, 46.0
    top = y + 24
    total = max(1, sum(line.visits for line in search.lines if len(line.actions) == 1))
    # Where a line ends because no other continues it is a row; what leads there stands in the middle of its rows.
    heights: dict[tuple[tuple[int, int], ...], float] = {}
    shown: list[Line] = []
    rows = 0

    def lay(path: tuple[tuple[int, int], ...]) -> float:
        nonlocal rows
        depth = len(path)
        count = BRANCHES[depth] if depth < len(BRANCHES) else 0
        following = _most_visited(search.lines, path, count, total / 100)
        if following:
            shown.extend(following)
            under = [lay(_path(line)) for line in following]
            heights[path] = (under[0] + under[-1]) / 2
        else:
            rows += 1
            heights[path] = top + row * (rows - 0.5)
        return heights[path]

    root = lay(())
    ends: dict[tuple[tuple[int, int], ...], float] = {(): MARGIN + 12}
    left = MARGIN + 12
    for depth in range(1, max((len(line.actions) for line in shown), default=0) + 1):
        here = [line for line in shown if len(line.actions) == depth]
        left += bend
        for line in here:
            path = _path(line)
            before = path[:-1]
            begin, middle = ends[before], (ends[before] + left) / 2
            thick = 1 + 7 * math.sqrt(line.visits / total)
            picture.path(
                f"M{number(begin)} {number(heights[before])}C{number(middle)} {number(heights[before])} "
                f"{number(middle)} {number(heights[path])} {number(left)} {number(heights[path])}",
                "branch",
                more=f'fill="none" stroke-width="{thick:.1f}" stroke-linecap="round"',
            )
            who, figures = f"seat {line.players[-1]}", f"{line.visits / total:.0%}  {line.value:+.2f}"
            picture.begin(f"{who} {line.names[-1]}: {line.visits} visits, value {line.value:+.3f}")
            x = left + 8
            x += picture.text(x, heights[path] + 4, who, "muted", size=11) + 6
            x = _action(picture, line.names[-1], faces, x, heights[path]) + 7
            x += picture.text(x, heights[path] + 4, figures, size=11) + 8
            picture.end()
            ends[path] = x
        left = max(ends[_path(line)] for line in here)
    picture.circle(MARGIN + 12, root, 6, "bar")
    picture.extend(0, top + row * rows)
