"""Pictures for notebooks and web pages: states, searches and beliefs as SVG.

Every function gives the text of one SVG element that stands for itself: no scripts, no fonts or files from elsewhere,
readable on light and on dark pages, with a description in words. Notebooks show the same of a `State`, `Search` or
`Beliefs` that is the last line of a cell. For terminals see `stier.terminal`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, SupportsIndex

from stier._native import State
from stier._output import duration
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
    from stier._results import Beliefs, Line, Search

__all__ = ["beliefs", "search", "state"]


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


#: The size of a cell, the room for the signs of suits, the room between seats, the widest picture.
CELL, ROW, SIGN, BETWEEN, WIDEST = 36.0, 25.0, 30.0, 24.0, 1000.0


def beliefs(beliefs: Beliefs) -> str:
    """Beliefs: for each seat a field of cards, suits by ranks, the darker the likelier.

    Where there is one copy of each card the figures are percentages, else expected numbers of copies.
    """
    picture = Picture()
    faces = beliefs.game.card_faces()
    heading = f"What seat {beliefs.player} believes"
    end = MARGIN + picture.text(MARGIN, 30, heading, size=17, bold=True, fit=True)
    if beliefs.expected.max(initial=0.0) <= 1.0:
        picture.text(end + 12, 30, "probabilities in %", "muted")
    picture.text(MARGIN, 50, basis_in_words(beliefs), "muted", size=12)
    title = f"What seat {beliefs.player} believes of the cards"
    if not faces:
        picture.text(MARGIN, 74, no_cards(beliefs))
        return picture.finish(title, no_cards(beliefs))
    rows = suits(faces)
    columns = max(len(cards) for cards in rows)
    seats = beliefs.expected.shape[1]
    block, field = SIGN + columns * CELL + BETWEEN, 40 + len(rows) * ROW + 16
    across = max(1, min(seats, int(WIDEST // block)))
    for seat in range(seats):
        _field(picture, beliefs, faces, seat, MARGIN + seat % across * block, 64 + seat // across * field)
    picture.extend(MARGIN + across * block - BETWEEN, 64 + (seats + across - 1) // across * field - 16)
    words = []
    for seat in range(seats):
        held = [(card, beliefs.of(card, seat)) for card in beliefs.cards]
        words.append(f"seat {seat}: " + ", ".join(f"{card} {expected:.2f}" for card, expected in held if expected > 0))
    return picture.finish(title, ". ".join(words))


def suits(faces: dict[str, Face]) -> list[list[str]]:
    """The cards by suit; in one row if no suit has two."""
    by_suit: dict[tuple[str, str], list[str]] = {}
    for card, (_, sign, hue) in faces.items():
        by_suit.setdefault((sign, hue), []).append(card)
    rows = list(by_suit.values())
    return rows if any(len(cards) > 1 for cards in rows) else [[card for cards in rows for card in cards]]


def no_cards(beliefs: Beliefs) -> str:
    """Says that the game has no cards whose places a belief could show."""
    return f"{beliefs.game.short_name()} has no cards to show"


def basis_in_words(beliefs: Beliefs) -> str:
    """The source of the probabilities."""
    worlds = f"{beliefs.worlds:,} world{'' if beliefs.worlds == 1 else 's'}"
    if beliefs.basis == "sampled":
        return f"from {worlds} drawn at random"
    told = {
        "enumerated": f"all {worlds}",
        "estimated": f"all {worlds}, weighted by how well they explain the play",
        "particles": f"{worlds} weighted by what the others did",
        "chance": f"{worlds} by chance alone: the model could not be applied",
    }[beliefs.basis]
    weights = f" (worth {beliefs.effective:,.0f} equal ones)"
    return told + (weights if beliefs.effective < 0.995 * beliefs.worlds else "")


def _field(picture: Picture, beliefs: Beliefs, faces: dict[str, Face], seat: int, x: float, y: float) -> None:
    rows = suits(faces)
    columns = max(rows, key=len)
    highest = max(1.0, float(beliefs.expected.max(initial=0.0)))
    own = seat == beliefs.player
    held = f"{float(beliefs.expected[:, seat].sum()):.0f} cards"
    picture.text(x + SIGN, y + 13, f"seat {seat}{' (own)' if own else ''}", bold=True)
    picture.text(x + SIGN + len(columns) * CELL, y + 13, held, "muted", size=11, anchor="end")
    for place, card in enumerate(columns):
        picture.text(x + SIGN + (place + 0.5) * CELL, y + 32, faces[card][0], "muted", size=11, anchor="middle")
    for line, cards in enumerate(rows):
        top = y + 38 + line * ROW
        rank, sign, hue = faces[cards[0]]
        # A card without a suit of its own is called by what is printed on it.
        if len(cards) == 1 and len(rows) > 1:
            picture.text(x + SIGN - 6, top + ROW / 2 + 4, rank, f"fill-{hue}", size=12, anchor="end", bold=True)
        else:
            draw_sign(picture, sign, hue if len(rows) > 1 else "grey", x + SIGN - 14, top + ROW / 2, 15)
        for place, card in enumerate(cards):
            _cell(picture, card, beliefs.of(card, seat), highest, x + SIGN + place * CELL, top)


def figure(expected: float, copies: bool) -> str:
    """An expected number of copies of a card, or its probability in percent."""
    return f"{expected:.1f}" if copies else f"{100 * expected:.0f}"


def _cell(picture: Picture, card: str, expected: float, highest: float, x: float, y: float) -> None:
    share = expected / highest
    copies = highest > 1
    shown = figure(expected, copies)
    if float(shown) == 0:
        shown = "<.1" if copies else "<1"
    picture.begin(f"{card}: {expected:.3f}")
    picture.rect(x + 1, y + 1, CELL - 2, ROW - 2, "soft", radius=4)
    if share > 0:
        picture.rect(x + 1, y + 1, CELL - 2, ROW - 2, "bar", radius=4, more=f'fill-opacity="{0.08 + 0.92 * share:.2f}"')
    if expected == 0:
        picture.text(x + CELL / 2, y + ROW / 2 + 4, "·", "muted", size=12, anchor="middle")
    else:
        style = "on-bar" if share > 0.5 else "ink"
        picture.text(x + CELL / 2, y + ROW / 2 + 4, shown, style, size=12, anchor="middle", bold=share > 0.999)
    picture.end()
