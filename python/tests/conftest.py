"""Every test that takes a `game` runs for every game and a few of its variants."""

from __future__ import annotations

import pytest
from helpers import all_games

import stier


@pytest.fixture(params=all_games(), ids=str)
def game(request: pytest.FixtureRequest) -> stier.Game:
    loaded = request.param
    assert isinstance(loaded, stier.Game)
    return loaded


@pytest.fixture
def schwinget() -> stier.Game:
    return stier.load_game("schwinget")
