"""Cards drawn as cards: their signs, their faces and their backs."""

from __future__ import annotations

import math
from typing import TypeAlias

from stier._draw.svg import Picture, number

#: What is printed on a card: (rank, sign, colour), as `Game.card_faces` has it.
Face: TypeAlias = tuple[str, str, str]

#: The size of a card, and of one that lies aside.
WIDTH, HEIGHT = 40.0, 56.0
SMALL = 0.6


def _sun() -> str:
    """A star of twelve rays."""
    points = []
    for corner in range(24):
        radius = 10.5 if corner % 2 == 0 else 6.3
        angle = math.pi * corner / 12
        points.append(f"{number(12 + radius * math.sin(angle))} {number(12 - radius * math.cos(angle))}")
    return f"M{'L'.join(points)}Z"


#: The signs, each in a square of 24 by 24; holes are cut out by the even-odd rule.
SIGNS: dict[str, str] = {
    "diamond": "M12 1.5 20 12 12 22.5 4 12Z",
    "heart": "M12 21.5C5 15.5 1.5 12 1.5 8A5.4 5.4 0 0 1 12 5.6 5.4 5.4 0 0 1 22.5 8C22.5 12 19 15.5 12 21.5Z",
    "spade": "M12 1.5C15 7 21.5 10 21.5 14.6A4.7 4.7 0 0 1 13.4 17.6L15.3 22.5H8.7L10.6 17.6A4.7 4.7 0 0 1 2.5 14.6"
    "C2.5 10 9 7 12 1.5Z",
    "club": "M12 1.5A4.9 4.9 0 0 1 16 9.2 4.9 4.9 0 1 1 13.3 16.6L15.2 22.5H8.8L10.7 16.6A4.9 4.9 0 1 1 8 9.2"
    "A4.9 4.9 0 0 1 12 1.5Z",
    "leaf": "M12 1.5C21 6 21 14.5 12.9 18.6V22.5H11.1V18.6C3 14.5 3 6 12 1.5ZM11.4 7V16.5H12.6V7Z",
    "cross": "M8.7 2.5H15.3V8.7H21.5V15.3H15.3V21.5H8.7V15.3H2.5V8.7H8.7Z",
    "drop": "M12 1.5C16 8 19.5 11.5 19.5 15.2A7.5 7.5 0 0 1 4.5 15.2C4.5 11.5 8 8 12 1.5Z"
    "M7.2 15A4.8 4.8 0 0 0 12 20V18.4A3.3 3.3 0 0 1 8.8 15Z",
    "sun": _sun(),
    "whistle": "M1.5 7H22.5V11H15.2A6.9 6.9 0 1 1 1.5 13.5ZM5.6 13.8A2.6 2.6 0 1 0 10.8 13.8 2.6 2.6 0 1 0 5.6 13.8Z",
    "bolt": "M13.5 1.5 4 13.6H11L8.6 22.5 20 9.4H12.6Z",
    "pig": "M3.6 2.6 9.2 4.9A9.6 9.6 0 0 1 14.8 4.9L20.4 2.6 19.8 8.5A8.6 8.6 0 0 1 12 22 8.6 8.6 0 0 1 4.2 8.5Z"
    "M7.4 14.6A1.6 2.3 0 1 0 10.6 14.6 1.6 2.3 0 1 0 7.4 14.6Z"
    "M13.4 14.6A1.6 2.3 0 1 0 16.6 14.6 1.6 2.3 0 1 0 13.4 14.6Z",
}


def draw_sign(picture: Picture, sign: str, hue: str, x: float, y: float, size: float) -> None:
    """A sign, centred on a point."""
    scale = size / 24
    place = f"translate({number(x - size / 2)} {number(y - size / 2)}) scale({scale:.3f})"
    picture.path(SIGNS[sign], f"fill-{hue}", more=f'transform="{place}" fill-rule="evenodd"')


def draw_card(picture: Picture, name: str, face: Face, x: float, y: float, scale: float = 1.0) -> None:
    """A card, face up, its upper left corner at a point. It is marked with its name."""
    rank, sign, hue = face
    width, height = WIDTH * scale, HEIGHT * scale
    picture.begin(name, more=f'data-card="{name}"')
    thick = f'stroke-width="{1.2 + 0.6 * scale:.1f}"'
    picture.rect(x, y, width, height, f"paper stroke-{hue}", radius=5 * scale, more=thick)
    picture.rect(x, y, width, height, f"fill-{hue}", radius=5 * scale, more='fill-opacity="0.1"')
    if scale < 1:
        picture.text(x + width / 2, y + height * 0.46, rank, f"fill-{hue}", size=20 * scale, anchor="middle", bold=True)
        draw_sign(picture, sign, hue, x + width / 2, y + height * 0.73, 17 * scale)
    else:
        picture.text(x + width / 2, y + 22, rank, f"fill-{hue}", size=18, anchor="middle", bold=True)
        draw_sign(picture, sign, hue, x + width / 2, y + 39, 20)
    picture.end()


def draw_back(picture: Picture, x: float, y: float, scale: float = 1.0) -> None:
    """A card, face down."""
    width, height = WIDTH * scale, HEIGHT * scale
    picture.begin("a card that is not seen")
    picture.rect(x, y, width, height, "paper line", radius=5 * scale)
    picture.rect(x + 3 * scale, y + 3 * scale, width - 6 * scale, height - 6 * scale, "back", radius=3 * scale)
    lines = []
    for step in range(1, 5):
        # Lozenges: lines that climb and fall, mirrored.
        left, right, top = x + 6 * scale, x + width - 6 * scale, y + (height * step / 5)
        lines.append(f"M{number(left)} {number(top - 5 * scale)}L{number(right)} {number(top + 5 * scale)}")
        lines.append(f"M{number(left)} {number(top + 5 * scale)}L{number(right)} {number(top - 5 * scale)}")
    picture.path("".join(lines), "pattern", more='fill="none" stroke-width="1"')
    picture.end()
