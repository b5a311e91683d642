"""Beliefs about hidden cards, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stier._output import counted
from stier._svg import MARGIN, Face, Picture, draw_sign

if TYPE_CHECKING:
    from stier._results import Beliefs

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
    worlds = counted(beliefs.worlds, "world")
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
