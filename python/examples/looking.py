"""Draws what a player sees, believes and finds by searching, in one picture: that of the README.

Run it with the path of the SVG to write.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import stier

SVG = "http://www.w3.org/2000/svg"
GAP = 10.0


def position() -> stier.State:
    """Schwinget between two greedy players, in mid-bout: the best lead wins on average, the worst loses."""
    game = stier.load_game("schwinget", scoring="schwinger")
    state = game.new_initial_state(seed=31)
    greedy = stier.load_agent("greedy", game)
    for _ in range(7):
        state.apply_action(greedy.step(state))
    return state


def side_by_side(rows: list[list[str]]) -> str:
    """One picture of several, row below row."""
    whole = ElementTree.Element(f"{{{SVG}}}svg", {"class": "stier", "role": "img"})
    ElementTree.SubElement(whole, f"{{{SVG}}}title").text = "What a player sees, believes and finds by searching"
    width = y = 0.0
    for row in rows:
        x = height = 0.0
        for text in row:
            part = ElementTree.fromstring(text)
            # Its size is that of the part of the whole that it has.
            del part.attrib["style"]
            part.attrib.update(x=f"{x:g}", y=f"{y:g}")
            whole.append(part)
            x += float(part.attrib["width"]) + GAP
            height = max(height, float(part.attrib["height"]))
        width, y = max(width, x - GAP), y + height + GAP
    whole.attrib.update(width=f"{width:g}", height=f"{y - GAP:g}", viewBox=f"0 0 {width:g} {y - GAP:g}")
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(whole, encoding="unicode")


def main(path: Path) -> None:
    """Write the picture."""
    state = position()
    seat = state.current_player()
    agent = stier.load_agent("ismcts:iterations=20000,beliefs=policy,model=greedy", state.get_game())
    beliefs, search = agent.beliefs(state), agent.search(state, tree_depth=2)
    path.write_text(side_by_side([[state.to_svg(seat), beliefs.to_svg()], [search.to_svg()]]), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
