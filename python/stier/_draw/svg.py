"""A small writer of SVG: shapes, words and colours that are readable on light and on dark pages."""

from __future__ import annotations

from html import escape

#: The class of every picture, by which the rules below find what is theirs on a page.
ROOT = "stier"

#: Where pictures begin: their inner margin.
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
        """Make sure that the picture reaches as far as this."""
        self.width, self.height = max(self.width, x), max(self.height, y)

    def _class(self, names: str) -> str:
        self._used.update(names.split())
        return f'class="{names}"'

    def rect(
        self, x: float, y: float, width: float, height: float, style: str, *, radius: float = 0, more: str = ""
    ) -> None:
        """A rectangle, with rounded corners if there is a radius."""
        self.extend(x + width, y + height)
        self._parts.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
            f'rx="{number(radius)}" {self._class(style)}{more and " " + more}/>'
        )

    def circle(self, x: float, y: float, radius: float, style: str, *, more: str = "") -> None:
        """A circle around a point."""
        self.extend(x + radius, y + radius)
        self._parts.append(
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" '
            f"{self._class(style)}{more and ' ' + more}/>"
        )

    def path(self, path: str, style: str, *, more: str = "") -> None:
        """A path; it does not make the picture larger."""
        self._parts.append(f'<path d="{path}" {self._class(style)}{more and " " + more}/>')

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
    ) -> float:
        """Words, their baseline at `y`; gives about how wide they are; exactly, in any font, if they `fit`."""
        width = text_width(text, size, bold)
        shift = {"start": width, "middle": width / 2, "end": 0.0}[anchor]
        self.extend(x + shift, y + size * 0.3)
        weight = ' font-weight="700"' if bold else ""
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        if fit:
            place += f' textLength="{number(width)}" lengthAdjust="spacingAndGlyphs"'
        self._parts.append(
            f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}"{weight}{place} {self._class(style)}>'
            f"{escape(text)}</text>"
        )
        return width

    def begin(self, title: str, *, more: str = "") -> None:
        """Begin a group with a title, which is read aloud and shown when the pointer rests on it."""
        self._parts.append(f"<g{more and ' ' + more}><title>{escape(title)}</title>")

    def end(self) -> None:
        """End the group."""
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
    """The style sheet of the classes that are used: light, and dark where the reader or the notebook wants it dark."""
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
    notebook = f":is([data-jp-theme-light=false],.vscode-dark) {root}"
    reader = f"svg.{ROOT}:not([data-jp-theme-light=true] *,.vscode-light *) "
    in_the_dark = "".join(reader + rule for rule in dark)
    return (
        "".join(root + rule for rule in light)
        + f"@media (prefers-color-scheme:dark){{{in_the_dark}}}"
        + "".join(notebook + rule for rule in dark)
    )
