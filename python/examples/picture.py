"""Draws the picture of the guide on looking at a game: what a player sees, believes and finds by searching.

Run it with the path of the SVG to write.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import stier

SVG = "http://www.w3.org/2000/svg"
GAP = 10.0

#: The four tricks before the decision.
PLAYED = ("G2", "B1", "G4", "Y1", "B3", "B4", "B6", "BK")


def position() -> stier.State:
    """Schwinget after four tricks, two for each player: the player on lead may attack now, or wait."""
    state = stier.load_game("schwinget").new_initial_state(seed=15)
    for card in PLAYED:
        state.apply_action(state.string_to_action(card))
    return state


def arranged(above: list[str], below: str) -> str:
    """Pictures as one: the first ones side by side, the last one below them and as wide as they are together."""
    whole = ElementTree.Element(f"{{{SVG}}}svg", {"class": "stier", "role": "img"})
    ElementTree.SubElement(whole, f"{{{SVG}}}title").text = "What a player sees, believes and finds by searching"
    parts = [ElementTree.fromstring(text) for text in [*above, below]]
    widths, heights = ([float(part.attrib[name]) for part in parts] for name in ("width", "height"))
    width, top = sum(widths[:-1]) + GAP * (len(above) - 1), max(heights[:-1]) + GAP
    widths[-1], heights[-1] = width, heights[-1] * width / widths[-1]
    x = 0.0
    for part, part_width, part_height in zip(parts, widths, heights, strict=True):
        # The style scales a picture that stands alone.
        del part.attrib["style"]
        left, y = (0.0, top) if part is parts[-1] else (x, 0.0)
        part.attrib.update(x=f"{left:g}", y=f"{y:g}", width=f"{part_width:g}", height=f"{part_height:g}")
        whole.append(part)
        x += part_width + GAP
    height = top + heights[-1]
    whole.attrib.update(width=f"{width:g}", height=f"{height:g}", viewBox=f"0 0 {width:g} {height:g}")
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(whole, encoding="unicode")


def main(path: Path) -> None:
    """Write the picture."""
    state = position()
    agent = stier.load_agent(
        "ismcts:iterations=50000,beliefs=policy,model=greedy,particles=10000", state.get_game(), seed=1
    )
    beliefs, search = agent.beliefs(state), agent.search(state)
    seen = state.to_svg(state.current_player())
    path.write_text(arranged([seen, beliefs.to_svg()], search.to_svg()), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
