"""A small writer of SVG: shapes, words, colours that are readable on light and on dark pages, and cards."""

from __future__ import annotations

import math
from html import escape
from typing import TypeAlias

#: The class of every picture, by which the rules below find what is theirs on a page.
ROOT = "stier"

#: The inner margin of pictures.
MARGIN = 16.0

#: Colours by class: (property, on light pages, on dark pages).
COLOURS: dict[str, tuple[str, str, str]] = {
    "page": ("fill", "#ffffff", "#1b1f24"),
    "frame": ("stroke", "#d0d7de", "#444c56"),
    "soft": ("fill", "#f3f5f7", "#262c34"),
    "acts": ("fill", "#fff4d1", "#3b3216"),
    "ink": ("fill", "#1f2328", "#e6edf3"),
    "muted": ("fill", "#57606a", "#a0aab4"),
    "line": ("stroke", "#afb8c1", "#57606a"),
    "paper": ("fill", "#ffffff", "#2d333b"),
    "back": ("fill", "#8c959f", "#57606a"),
    "pattern": ("stroke", "#d0d7de", "#8c959f"),
    "bar": ("fill", "#0969da", "#58a6ff"),
    "pale": ("fill", "#b6d4f5", "#2b4a70"),
    "on-bar": ("fill", "#ffffff", "#0d1117"),
    "branch": ("stroke", "#6ea8e5", "#3d6ea5"),
    "mark": ("fill", "#bc4c00", "#ffa657"),
    "food": ("fill", "#bc4c00", "#ffa657"),
}

#: The colours of cards, for fill and for stroke.
HUES: dict[str, tuple[str, str]] = {
    "green": ("#1a7f37", "#56d364"),
    "red": ("#c9252d", "#ff8078"),
    "blue": ("#0860c8", "#79c0ff"),
    "yellow": ("#9c6f00", "#eac54f"),
    "orange": ("#c04a00", "#ffa657"),
    "violet": ("#7440d0", "#d2a8ff"),
    "pink": ("#bf3070", "#ff9bce"),
    "black": ("#24292f", "#e6edf3"),
    "grey": ("#57606a", "#b8c1cb"),
}

#: The width of a character in parts of the font size: narrow, wide and capital ones, all others.
_NARROW, _WIDE = set("iljtfrI.,:;'|!()[] ·/-"), set("mwMWG@%+±")
#: The width of a monospaced character in parts of the font size.
MONOSPACED = 0.62


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is: fonts differ, so leave room."""
    parts = (0.34 if c in _NARROW else 0.84 if c in _WIDE else 0.66 if c.isupper() else 0.57 for c in text)
    return sum(parts) * size * (1.06 if bold else 1.0)


def number(value: float) -> str:
    """A coordinate, no longer than it must be."""
    return f"{value:.1f}".removesuffix(".0")


class Picture:
    """Collects elements, row below row or wherever the caller puts them, and writes them as one SVG element."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._used: set[str] = set()
        self.width = 0.0
        self.height = 0.0

    def extend(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)

    def _add(self, tag: str, style: str, more: str, end: str = "/>") -> None:
        self._used.update(style.split())
        self._parts.append(f'<{tag} class="{style}"{more and " " + more}{end}')

    def rect(
        self, x: float, y: float, width: float, height: float, style: str, *, radius: float = 0, more: str = ""
    ) -> None:
        self.extend(x + width, y + height)
        size = f'width="{number(width)}" height="{number(height)}" rx="{number(radius)}"'
        self._add(f'rect x="{number(x)}" y="{number(y)}" {size}', style, more)

    def circle(self, x: float, y: float, radius: float, style: str, *, more: str = "") -> None:
        self.extend(x + radius, y + radius)
        self._add(f'circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"', style, more)

    def path(self, path: str, style: str, *, more: str = "") -> None:
        """A path; it does not make the picture larger."""
        self._add(f'path d="{path}"', style, more)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        style: str = "ink",
        *,
        size: float = 13,
        anchor: str = "start",
        bold: bool = False,
        fit: bool = False,
        plain: bool = False,
    ) -> float:
        """Words, their baseline at `y`; gives about how wide they are; exactly, in any font, if they `fit`.

        `plain` text is monospaced and keeps its spaces.
        """
        width = MONOSPACED * size * len(text) if plain else text_width(text, size, bold)
        shift = {"start": width, "middle": width / 2, "end": 0.0}[anchor]
        self.extend(x + shift, y + size * 0.3)
        weight = ' font-weight="700"' if bold else ""
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        if fit:
            place += f' textLength="{number(width)}" lengthAdjust="spacingAndGlyphs"'
        if plain:
            place += ' font-family="ui-monospace, monospace" xml:space="preserve"'
        start = f'text x="{number(x)}" y="{number(y)}" font-size="{number(size)}"{weight}{place}'
        self._add(start, style, "", f">{escape(text)}</text>")
        return width

    def begin(self, title: str, *, more: str = "") -> None:
        """Begins a group with a title, which is read aloud and shown when the pointer rests on it."""
        self._parts.append(f"<g{more and ' ' + more}><title>{escape(title)}</title>")

    def end(self) -> None:
        self._parts.append("</g>")

    def finish(self, title: str, description: str, *, margin: float = 14) -> str:
        """The element: everything so far on a framed page, with what it shows in words for those who cannot see it."""
        width, height = self.width + margin, self.height + margin
        frame = Picture()
        frame.rect(0.5, 0.5, width - 1, height - 1, "page frame", radius=10)
        style = _rules(self._used | frame._used)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{ROOT}" role="img" '
            f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}" '
            'font-family="system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif" '
            f'style="max-width:100%;height:auto"><title>{escape(title)}</title><desc>{escape(description)}</desc>'
            f"<style>{style}</style>{''.join(frame._parts)}{''.join(self._parts)}</svg>"
        )


def _rules(used: set[str]) -> str:
    """The style sheet of the classes that are used: light, and dark where reader, notebook or page is dark."""
    light, dark = [], []
    for name in sorted(used):
        if name in COLOURS:
            what, on_light, on_dark = COLOURS[name]
        else:
            what, _, hue = name.partition("-")
            on_light, on_dark = HUES[hue]
        light.append(f".{name}{{{what}:{on_light}}}")
        dark.append(f".{name}{{{what}:{on_dark}}}")
    root = f"svg.{ROOT} "
    notebook = f":is([data-jp-theme-light=false],.vscode-dark,[data-theme=dark]) {root}"
    reader = f"svg.{ROOT}:not([data-jp-theme-light=true] *,.vscode-light *,[data-theme=light] *) "
    in_the_dark = "".join(reader + rule for rule in dark)
    return (
        "".join(root + rule for rule in light)
        + f"@media (prefers-color-scheme:dark){{{in_the_dark}}}"
        + "".join(notebook + rule for rule in dark)
    )


#: The face of a card: (rank, sign, colour), as in `Game.card_faces`.
Face: TypeAlias = tuple[str, str, str]

#: The size of a card, and of one that lies aside.
WIDTH, HEIGHT = 40.0, 56.0
SMALL = 0.6


def _sun() -> str:
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
