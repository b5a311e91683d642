"""Every test that takes a `game` runs for every game and a few of its variants."""

from __future__ import annotations

import signal

import pytest
from helpers import all_games

import stier

# Processes that a shell starts in the background ignore Ctrl-C, and so would those that the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> pytest.CaptureFixture[str]:
    """The output of a test, as if standard error were a terminal."""
    monkeypatch.setattr("stier._output.draws_bars", lambda: True)
    return capsys


@pytest.fixture(params=all_games(), ids=str)
def game(request: pytest.FixtureRequest) -> stier.Game:
    loaded = request.param
    assert isinstance(loaded, stier.Game)
    return loaded


@pytest.fixture
def schwinget() -> stier.Game:
    return stier.load_game("schwinget")
