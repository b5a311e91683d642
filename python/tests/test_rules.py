"""The rules pages in the package: one for each game, with its options and actions."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from helpers import OWN_GAMES

import stier

OPTIONS = {game.name: game.options for game in stier.describe_games()}


@pytest.mark.parametrize("name", OWN_GAMES)
def test_the_rules_of_a_game_name_its_options_with_their_defaults(name: str) -> None:
    text = (files("stier") / "rules" / f"{name}.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| `?([^|`]+?)`? \|", text, re.MULTILINE))
    assert listed == {option.name: str(option.default) for option in OPTIONS[name]}


@pytest.mark.parametrize("name", OWN_GAMES)
def test_the_rules_of_a_game_name_its_actions(name: str) -> None:
    text = (files("stier") / "rules" / f"{name}.md").read_text("utf-8")
    actions = {action.partition(":")[0] for action in named_actions(stier.load_game(name))}
    words = {action for action in actions if re.fullmatch(r"[a-z_]{3,}", action)}
    assert {word for word in words if not re.search(rf"`{word}(:\w+)?`", text)} == set()


def named_actions(game: stier.Game) -> list[str]:
    return [game.action_to_string(0, action) for action in range(game.num_distinct_actions())]


def test_every_game_has_a_page_in_the_documentation() -> None:
    pages = Path(__file__).parents[1] / "docs" / "rules"
    assert {page.stem for page in pages.glob("*.md")} == {"index", *OWN_GAMES}
