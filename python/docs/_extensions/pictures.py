"""Directives with pictures: the rules of a game, its cards, and a state as the player to move sees it."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import groupby

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import stier
from stier._svg import HEIGHT, MARGIN, WIDTH, Picture, draw_card

_GAP = 5.0


def _figure(svg: str) -> list[nodes.Node]:
    return [nodes.raw("", svg, format="html")]


def _cards(game: stier.Game) -> str:
    """All cards of a game, a row for each sign; special cards share the last row."""
    faces = game.card_faces()
    rows: list[list[str]] = [list(names) for _, names in groupby(faces, key=lambda name: faces[name][1])]
    suits, special = [row for row in rows if len(row) > 1], [row[0] for row in rows if len(row) == 1]
    picture = Picture()
    for row, names in enumerate([*suits, special] if special else suits):
        for column, name in enumerate(names):
            x, y = MARGIN + column * (WIDTH + _GAP), MARGIN + row * (HEIGHT + _GAP + 16)
            draw_card(picture, name, faces[name], x, y)
            picture.text(x + WIDTH / 2, y + HEIGHT + 13, name, "muted", size=11, anchor="middle")
    return picture.finish(f"The cards of {game}", ", ".join(faces))


class Cards(SphinxDirective):
    """The cards of a game with their names."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return _figure(_cards(stier.load_game(self.arguments[0])))


def _position(name: str, seed: int, decisions: int) -> str:
    game = stier.load_game(name)
    state = game.new_initial_state(seed=seed)
    agent = stier.load_agent("ismcts:iterations=200", game, seed=1)
    for _ in range(decisions):
        state.apply_action(agent.step(state))
    return state.to_svg(state.current_player())


class Position(SphinxDirective):
    """A state as the player to move sees it: a game, a seed, and the number of decisions made by a search."""

    required_arguments = 3

    def run(self) -> list[nodes.Node]:
        name, seed, decisions = self.arguments
        return _figure(_position(name, int(seed), int(decisions)))


def _page(name: str) -> list[str]:
    """The rules page in the package: its introduction and its sections, without the title."""
    text = (files("stier") / "rules" / f"{name}.md").read_text("utf-8")
    return re.split(r"^(?=## )", text.partition("\n")[2], flags=re.MULTILINE)


class Introduction(SphinxDirective):
    """The introduction of the rules of a game."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(_page(self.arguments[0])[0])


class Rules(SphinxDirective):
    """The sections of the rules of a game, with its cards after the section about them."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        cards = f"```{{cards}} {name}\n```\n\n" if stier.load_game(name).card_faces() else ""
        sections = [
            section + cards if section.startswith(("## Cards", "## Material")) else section
            for section in _page(name)[1:]
        ]
        return self.parse_text_to_nodes("".join(sections), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Name the directives."""
    app.add_directive("cards", Cards)
    app.add_directive("introduction", Introduction)
    app.add_directive("position", Position)
    app.add_directive("rules", Rules)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
