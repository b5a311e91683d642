"""A state as a seat sees it, as a picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, SupportsIndex

from stier._native import State
from stier._svg import (
    HEIGHT,
    MARGIN,
    MONOSPACED,
    SMALL,
    WIDTH,
    Face,
    Picture,
    draw_back,
    draw_card,
    draw_sign,
    number,
    text_width,
)

if TYPE_CHECKING:
    from stier._native import _Group, _Place, _Scene, _Space

#: The width of the names of seats, the distance between cards, and the height of a line of words.
LABEL, GAP, LINE = 104.0, 5.0, 20.0


def state(state: State, player: SupportsIndex | None = None) -> str:
    """A state: the seats with their cards, the middle of the table, what happens next.

    Args:
        state: The state.
        player: The player whose view is drawn: the picture contains nothing that this player does not know. All cards
            are open if left out.
    """
    game, scene = state.get_game(), state.scene(player)
    faces = game.card_faces()
    picture = Picture()
    y = _heading(picture, scene)
    if scene["track"]:
        y = _track(picture, scene["track"], faces, y + 4)
    mover = state.current_player()
    # Every row is as wide as the widest: bands behind them are drawn first.
    right = max([picture.width - MARGIN, *(_row_width(place) for place in scene["places"])])
    for place in scene["places"]:
        y = _place(picture, place, faces, y, right, acts=place["seat"] == mover)
    tells_returns = state.is_terminal() and scene["tells_returns"]
    text = f"{scene['next']}: returns {returns(state)}" if tells_returns else scene["next"]
    picture.text(MARGIN, y + 14, text, "muted", size=13)
    picture.extend(MARGIN + right, 0)
    eyes = "all cards open" if player is None else f"as seat {int(player)} sees it"
    return picture.finish(f"{scene['title']}, {eyes}", _in_words(scene, mover, text))


def name_in_words(name: str) -> str:
    return name.replace("_", " ")


def name_of(place: _Place) -> str:
    return "table" if place["seat"] is None else f"seat {place['seat']}"


def remarks(place: _Place) -> list[str]:
    return [name_in_words(remark) for remark in place["remarks"]]


def returns(state: State) -> str:
    """The returns of all seats, with their signs."""
    return " ".join(f"{value:+g}" for value in state.returns().tolist())


def _heading(picture: Picture, scene: _Scene) -> float:
    """The name of the game and the facts, each under its name; gives where the picture goes on."""
    x = MARGIN + picture.text(MARGIN, 33, scene["title"], size=17, bold=True) + 22
    for fact, value in scene["facts"]:
        name = name_in_words(fact)
        width = max(text_width(name, 11), text_width(value, 13))
        picture.text(x, 21, name, "muted", size=11)
        picture.text(x, 37, value)
        x += width + 18
    return 50


def _track(picture: Picture, track: list[_Space], faces: dict[str, Face], y: float) -> float:
    """An oval of spaces, run through clockwise from the upper left; gives where the picture goes on."""
    pitch, radius = 35.0, 46.0
    around = pitch * len(track)
    straight = max(0.0, (around - 2 * math.pi * radius) / 2)
    if straight == 0:
        radius = around / (2 * math.pi)
    left, top = MARGIN + radius + 18, y + 18
    picture.rect(left - radius - 18, y, straight + 2 * radius + 36, 2 * radius + 36, "soft", radius=radius + 18)
    for index, space in enumerate(track):
        x, up = _on_oval(pitch * index, straight, radius)
        _space(picture, index, space, faces, left + x, top + up)
    middle, centre = left + straight / 2, top + radius
    # The way the race goes.
    if straight > 90:
        picture.path(
            f"M{number(middle - 40)} {number(centre)}H{number(middle + 34)}M{number(middle + 26)} {number(centre - 6)}"
            f"L{number(middle + 36)} {number(centre)}L{number(middle + 26)} {number(centre + 6)}",
            "line",
            more='fill="none" stroke-width="2"',
        )
    return y + 2 * radius + 36 + 12


def _on_oval(way: float, straight: float, radius: float) -> tuple[float, float]:
    """A point of an oval, so far from the upper left end of its straight on, clockwise."""
    bend = math.pi * radius
    if way < straight:
        return way, 0
    if way < straight + bend:
        angle = (way - straight) / radius
        return straight + radius * math.sin(angle), radius - radius * math.cos(angle)
    if way < 2 * straight + bend:
        return 2 * straight + bend - way, 2 * radius
    angle = (way - 2 * straight - bend) / radius
    return -radius * math.sin(angle), radius + radius * math.cos(angle)


def _space(picture: Picture, index: int, space: _Space, faces: dict[str, Face], x: float, y: float) -> None:
    piece = space["piece"]
    if piece is not None:
        rank, sign, hue = faces[piece]
        picture.begin(f"{sign} {piece} on space {index}")
        picture.circle(x, y, 15.5, f"paper stroke-{hue}", more='stroke-width="2"')
        draw_sign(picture, sign, hue, x, y - 3.5, 15)
        picture.text(x, y + 12.5, rank, f"fill-{hue}", size=10, anchor="middle", bold=True)
        picture.end()
        return
    picture.circle(x, y, 14, "page line", more='stroke-dasharray="2 3"')
    if space["food"]:
        picture.begin(f"food on space {index}")
        picture.circle(x, y, 6, "food")
        picture.end()
    else:
        picture.text(x, y + 3.5, str(index), "muted", size=10, anchor="middle")


def _groups(place: _Place) -> list[_Group]:
    """The groups that have cards, and those that keep a place for one."""
    return [group for group in place["groups"] if group["cards"] or group["name"] == "card"]


def _group_width(group: _Group) -> float:
    count = len(group["cards"])
    caption = 0.0 if group["name"] == "hand" else text_width(group["name"], 11) + 4
    if group["layout"] == "pile":
        return max(WIDTH + 2 * min(count - 1, 3), caption)
    scale = SMALL if group["layout"] == "aside" else 1.0
    return max(max(count, 1) * (WIDTH * scale + GAP) - GAP, caption)


def _row_width(place: _Place) -> float:
    if not _groups(place):
        if place["seat"] is None:
            return LABEL + max((MONOSPACED * 13 * len(row) for row in place["remarks"]), default=0.0)
        return LABEL + text_width(", ".join(remarks(place)), 13)
    marks = 34.0 if place["suit"] else 0.0
    right = max((text_width(remark, 12) + 16 for remark in _long(place)), default=0.0)
    return LABEL + marks + sum(_group_width(group) + 16 for group in _groups(place)) - 16 + 10 + right


def _place(picture: Picture, place: _Place, faces: dict[str, Face], y: float, width: float, *, acts: bool) -> float:
    """A seat or the middle of the table; gives where the picture goes on."""
    groups, is_table = _groups(place), place["seat"] is None
    if not groups and is_table:
        # A board.
        for row in place["remarks"]:
            picture.text(MARGIN + LABEL, y + 14, row, plain=True)
            y += LINE
        return y
    captions = 14.0 if any(group["name"] != "hand" for group in groups) else 0.0
    height = captions + HEIGHT + 14 if groups else LINE + 8
    if acts or is_table:
        picture.rect(MARGIN - 8, y, width + 16, height, "acts" if acts else "soft", radius=8)
    if not groups:
        _place_label(picture, place, [], y + 14, acts=acts)
        picture.text(MARGIN + LABEL, y + 19, ", ".join(remarks(place)))
        return y + LINE + 10
    top = y + 7 + captions
    _place_label(picture, place, _short(place), top + HEIGHT / 2, acts=acts)
    x = MARGIN + LABEL
    if place["suit"] is not None:
        _, sign, hue = faces[place["suit"]]
        picture.begin(f"the suit that counts here: {sign}")
        picture.circle(x + 12, top + HEIGHT / 2, 13, f"paper stroke-{hue}", more='stroke-width="1.5"')
        draw_sign(picture, sign, hue, x + 12, top + HEIGHT / 2, 15)
        picture.end()
        x += 34
    for group in groups:
        _group(picture, group, faces, x, top)
        x += _group_width(group) + 16
    for line, remark in enumerate(_long(place)):
        picture.text(x, top + HEIGHT / 2 + 4 + 16 * line, remark, "muted", size=12)
    return y + height + 5


def _long(place: _Place) -> list[str]:
    """The remarks that do not fit under the name: they stand to the right of the cards."""
    return [remark for remark in remarks(place) if text_width(remark, 11) >= LABEL - 4]


def _short(place: _Place) -> list[str]:
    return [remark for remark in remarks(place) if remark not in _long(place)]


def _place_label(picture: Picture, place: _Place, below: list[str], middle: float, *, acts: bool) -> None:
    lines: list[str] = []
    for remark in below:
        # As many remarks on a line as fit.
        if lines and text_width(f"{lines[-1]} · {remark}", 11) < LABEL - 10:
            lines[-1] += f" · {remark}"
        else:
            lines.append(remark)
    y = middle + 5 - 7 * len(lines)
    x = MARGIN
    if acts:
        picture.path(f"M{number(x)} {number(y - 9)}L{number(x + 8)} {number(y - 4.5)}L{number(x)} {number(y)}Z", "mark")
        x += 12
    picture.text(x, y, name_of(place), "muted" if place["seat"] is None else "ink", bold=acts)
    for line in lines:
        y += 14
        picture.text(MARGIN, y, line, "muted", size=11)


def _group(picture: Picture, group: _Group, faces: dict[str, Face], x: float, y: float) -> None:
    if group["name"] != "hand":
        picture.text(x, y - 5, group["name"], "muted", size=11)
    cards = group["cards"]
    if group["layout"] == "pile":
        for place in reversed(range(min(len(cards), 4))):
            draw_back(picture, x + 2 * place, y)
        picture.rect(x + 9, y + HEIGHT / 2 - 10, 22, 20, "page", radius=4)
        picture.text(x + 20, y + HEIGHT / 2 + 4.5, str(len(cards)), anchor="middle", bold=True)
        return
    if not cards:
        picture.rect(x, y, WIDTH, HEIGHT, "page line", radius=5, more='fill-opacity="0.4" stroke-dasharray="3 3"')
        return
    scale = SMALL if group["layout"] == "aside" else 1.0
    lower = (1 - scale) * HEIGHT / 2
    for place, card in enumerate(cards):
        left = x + place * (WIDTH * scale + GAP)
        if card is None:
            draw_back(picture, left, y + lower, scale)
        else:
            # Games in Python need not list their cards.
            draw_card(picture, card, faces.get(card, (card, "spade", "black")), left, y + lower, scale)


def _in_words(scene: _Scene, mover: int, text: str) -> str:
    told = ["; ".join(f"{name_in_words(name)} {value}" for name, value in scene["facts"])]
    if scene["track"]:
        pieces = [f"{space['piece']} on {index}" for index, space in enumerate(scene["track"]) if space["piece"]]
        food = [str(index) for index, space in enumerate(scene["track"]) if space["food"]]
        told.append(f"track of {len(scene['track'])} spaces: {', '.join(pieces)}")
        told.extend([f"food on {', '.join(food)}"] if food else [])
    for place in scene["places"]:
        said = [f"{name_of(place)}{', to move' * (place['seat'] == mover)}"]
        if place["suit"]:
            said.append(f"suit of {place['suit']}")
        for group in place["groups"]:
            seen = [card for card in group["cards"] if card is not None]
            unseen = len(group["cards"]) - len(seen)
            if group["cards"]:
                said.append(" ".join([group["name"], *seen, *([f"{unseen} not seen"] if unseen else [])]))
        told.append(", ".join([*said, *remarks(place)]))
    return ". ".join([*told, text])
