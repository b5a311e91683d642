"""Pictures for terminals: states, searches and beliefs as text, cards drawn as cards.

Colours are those of the terminal's own palette, so that they are readable on light and on dark ground. All of the
information is in the text. Colours are used if the standard output is a terminal and the environment variable
``NO_COLOR`` is not set, or as `colour` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, SupportsIndex

from stier._native import State, judge
from stier._output import duration, in_words
from stier._results import Beliefs, Search
from stier.draw._beliefs import basis_in_words, figure, no_cards, suits
from stier.draw._state import name_in_words, name_of, remarks, returns

if TYPE_CHECKING:
    from rich.style import Style

    from stier._native import _Group, _Place, _Space
    from stier._svg import Face

__all__ = ["beliefs", "search", "state"]

#: Styles of the colours of cards that have another name in a terminal, and of less important text.
_STYLES = {
    "orange": "yellow",
    "violet": "magenta",
    "pink": "bright_red",
    "black": "bold",
    "grey": "cyan",
    "muted": "dim",
}
#: Shades, from nothing to certain.
_SHADES = " ░▒▓█"
#: The widths of the names of seats and of a bar of a search.
_LABEL, _BAR = 9, 30


@cache
def _style(name: str) -> Style:
    from rich.style import Style

    return Style.parse(_STYLES.get(name, name))


def _in_colour() -> bool:
    from rich.console import Console

    console = Console()
    return console.is_terminal and not console.no_color


class Pen:
    """Writes in colours, or without."""

    def __init__(self, colour: bool | None = None) -> None:
        self.colour: bool = _in_colour() if colour is None else colour

    def __call__(self, text: str, style: str) -> str:
        """Returns the text in a style: the colour of a card, ``bold`` or ``muted``."""
        if not self.colour or not text.strip():
            return text
        from rich.color import ColorSystem

        return _style(style).render(text, color_system=ColorSystem.STANDARD)

    def action(self, name: str, faces: dict[str, Face]) -> str:
        """Returns the name of an action, in the colour of its card if it has one."""
        card = name.rpartition(":")[2]
        return self(name, faces[card][2]) if card in faces else name


def state(state: State, player: SupportsIndex | None = None, *, colour: bool | None = None) -> str:
    """A state, as the player sees it, or with all cards open."""
    pen, scene = Pen(colour), state.scene(player)
    faces = state.get_game().card_faces()
    # A dash stands for something that only one seat has.
    shown = [(name_in_words(name), value) for name, value in scene["facts"] if value != "-"]
    facts = "   ".join(f"{pen(f'{name}:', 'muted')} {value}" for name, value in shown)
    lines = [f"{pen(scene['title'], 'bold')}   {facts}"]
    if scene["track"]:
        lines.extend(_track(pen, scene["track"], faces))
    mover = state.current_player()
    for place in scene["places"]:
        lines.extend(_place(pen, place, faces, acts=place["seat"] == mover))
    if state.is_terminal() and scene["tells_returns"]:
        lines.append(f"over: returns {returns(state)}")
    else:
        lines.append(f"next: {scene['next']}")
    return "\n".join(line.rstrip() for line in lines)


def _track(pen: Pen, track: list[_Space], faces: dict[str, Face]) -> list[str]:
    """Two rows of spaces: above from left to right, below back again."""
    cells = []
    for space in track:
        piece = space["piece"]
        if piece is not None:
            cells.append(pen(f"[{piece}]", faces[piece][2]))
        else:
            cells.append(" ● " if space["food"] else " · ")
    upper = (len(cells) + 1) // 2
    rows = [cells[:upper], cells[: upper - 1 : -1]]
    ends = [("╭▶", "╮"), ("╰", "◀╯")]
    return [
        f"{left}{'   ' * (upper - len(row))}{''.join(row)}{right}"
        for (left, right), row in zip(ends, rows, strict=True)
    ]


def _hue(card: str, faces: dict[str, Face]) -> str:
    return faces[card][2] if card in faces else "black"  # games in Python need not list their cards


def _box(pen: Pen, card: str | None, faces: dict[str, Face]) -> list[str]:
    face, hue = (card, _hue(card, faces)) if card is not None else ("░░", "muted")
    width = max(2, len(face))
    lines = [f"╭{'─' * width}╮", f"│{face:<{width}}│", f"╰{'─' * width}╯"]
    return [pen(line, hue) for line in lines]


def _group(pen: Pen, group: _Group, faces: dict[str, Face]) -> list[str]:
    """Cards that lie together, after their name if they are not a hand: three lines of equal width."""
    cards, name = group["cards"], "" if group["name"] == "hand" else group["name"] + " "
    margin = " " * len(name)
    if group["layout"] == "aside":
        names = " ".join(pen(card, _hue(card, faces)) for card in cards if card is not None)
        room = " " * (sum(len(card) + 1 for card in cards if card is not None) - 1)
        return [margin + room, pen(name, "muted") + names, margin + room]
    if group["layout"] == "pile":
        drawn = [pen(line, "muted") for line in ("╭──╮╮", f"│{len(cards):>2}││", "╰──╯╯")]
    else:
        drawn = ["".join(parts) for parts in zip(*(_box(pen, card, faces) for card in cards), strict=True)]
    return [margin + drawn[0], pen(name, "muted") + drawn[1], margin + drawn[2]]


def _place(pen: Pen, place: _Place, faces: dict[str, Face], *, acts: bool) -> list[str]:
    right = ", ".join(remarks(place))
    margin = " " * (_LABEL + 2)
    groups = [group for group in place["groups"] if group["cards"]]
    label = pen(f"{'▶' if acts else ' '} {name_of(place):<{_LABEL}}", "bold" if acts else "muted")
    if not groups:
        return [f"{margin} {right}" if place["seat"] is None else f"{label} {right}"]
    blocks = [[margin, label, margin]]
    if place["suit"] is not None:
        blocks.append(["   ", f"({pen(place['suit'][0], faces[place['suit']][2])})", "   "])
    blocks.extend(_group(pen, group, faces) for group in groups)
    blocks.append(["", right, ""])
    return [" ".join(parts) for parts in zip(*blocks, strict=True)]


def search(search: Search, *, colour: bool | None = None) -> str:
    """The result of a search, the action most visited first, and below it the lines of play if it has noted them."""
    pen = Pen(colour)
    faces = search.game.card_faces()
    stats = sorted(search.actions, key=lambda one: (-one.visits, -one.probability, one.action))
    width = max(6, *(len(one.name) for one in stats))
    most = max(1, stats[0].visits)
    head = f"seat {search.player}: {search.iterations} iterations, {search.nodes} nodes, {duration(search.seconds)}"
    # Most agents always choose one action, which the arrow shows.
    is_mixed = any(0 < one.probability < 1 for one in stats)
    columns = f"  {'action':<{width}}  {'visits':<{_BAR}} {'':>10}  {'value':>8}{'  chosen' if is_mixed else ''}"
    lines = [head, pen(columns, "muted")]
    for one in stats:
        chosen = one.action == search.action
        name = pen.action(one.name, faces) + " " * (width - len(one.name))
        value = f"{one.value:+8.3f}" if one.visits else f"{'-':>8}"
        lines.append(
            f"{'▶' if chosen else ' '} {name}  {pen(_bar(one.visits / most), 'blue')} {one.visits:>10}  {value}"
            f"{f'  {one.probability:>6.1%}' if is_mixed else ''}"
        )
    total = max(1, sum(line.visits for line in search.lines if len(line.actions) == 1))
    seen = [line for line in search.lines if line.visits >= total / 50]
    if seen:
        lines.append(pen("  lines of play with at least 2 % of the visits", "muted"))
    for line in seen:
        name = pen.action(line.names[-1], faces)
        who = f"{'   ' * len(line.actions)}seat {line.players[-1]}"
        lines.append(f"  {who} {name}  {line.visits / total:.0%}  {line.value:+.3f}")
    return "\n".join(lines)


def comparison(searches: Sequence[Search], *, colour: bool | None = None) -> str:
    """Three or more searches of a position: which actions are shown to be worse, in words, and by how much in a table.

    The table begins with the action that most searches choose, with its value. Costs are cross-fitted, so they
    differ from differences within one search.
    """
    pen, first = Pen(colour), searches[0]
    faces = first.game.card_faces()
    best = judge(searches, first.action)[0]
    width = max(len(one.name) for one in first.actions)
    rows = []
    groups: dict[str, list[tuple[float, str]]] = {}
    for one in first.actions:
        _, cost, ci95 = judge(searches, one.action)
        found = [stats for search in searches for stats in search.actions if stats.action == one.action]
        visits = sum(stats.visits for stats in found)
        value = sum(stats.value * stats.visits for stats in found) / max(1, visits)
        if one.action == best:
            agreed = sum(search.action == best for search in searches)
            said, group = f"chosen by {agreed} of {len(searches)} searches", "best"
        elif cost is None or ci95 is None:
            said = group = "not tried by every search"
        else:
            group = side = "worse" if cost > 0 else "better"
            size = f"{abs(cost):.2f}" if abs(cost) >= 0.005 else "less than 0.01"
            said = f"{size} {side} ± {ci95:.2f}"
            if abs(cost) <= ci95:
                said, group = f"{said}: no difference shown", "alike"
        name = pen.action(one.name, faces) + " " * (width - len(one.name))
        row = f"▶ {name}  {value:+8.2f}" if one.action == best else f"  {name}  {'':8}"
        rows.append((one.action != best, -value, f"{row}  {said}"))
        groups.setdefault(group, []).append((-value, one.name))
    by_value = {group: [name for _, name in sorted(names)] for group, names in groups.items()}
    return "\n".join([_in_words(by_value), *(row for *_, row in sorted(rows))])


def _in_words(groups: dict[str, list[str]]) -> str:
    """A comparison in one sentence, from the names of the actions of each group."""
    best, alike = groups["best"], groups.get("alike", [])
    parts = [f"{', '.join([*best, *alike])}: no difference shown" if alike else f"{best[0]} is the choice"]
    for group in ("better", "worse"):
        if names := groups.get(group):
            parts.append(f"{in_words(names)} {'is' if len(names) == 1 else 'are'} {group}")
    return "; ".join(parts) + "."


def _bar(share: float) -> str:
    eighths = round(share * _BAR * 8)
    full, rest = divmod(eighths, 8)
    return f"{'█' * full + (' ▏▎▍▌▋▊▉'[rest] if rest else ''):<{_BAR}}"


def beliefs(beliefs: Beliefs, *, colour: bool | None = None) -> str:
    """A field of cards for each other seat, suits by ranks: shaded, with percentages, or expected numbers of copies.

    Suits of which a seat cannot hold a card are left out.
    """
    pen = Pen(colour)
    faces = beliefs.game.card_faces()
    rows = suits(faces)
    highest = max(1.0, float(beliefs.expected.max(initial=0.0)))
    lines = [f"What seat {beliefs.player} believes ({basis_in_words(beliefs)})"]
    if not faces:
        return "\n".join([*lines, no_cards(beliefs)])
    for seat in range(beliefs.expected.shape[1]):
        if seat == beliefs.player:
            continue
        lines.append(pen(f"seat {seat}", "bold"))
        for cards in rows:
            if any(beliefs.of(card, seat) for card in cards):
                cells = (_cell(pen, card, beliefs.of(card, seat), highest, faces) for card in cards)
                lines.append("  " + " ".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def _cell(pen: Pen, card: str, expected: float, highest: float, faces: dict[str, Face]) -> str:
    shade = _SHADES[min(4, round(expected / highest * 4 + (0.4 if expected > 0 else 0)))]
    shown = figure(expected, highest > 1) if expected else "·"
    return f"{pen(card, faces[card][2])} {shade}{shown:<3}"
