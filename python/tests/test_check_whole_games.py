"""`stier.check_game` on whole games: the examples, those of the package, and large ones with faults deep inside."""

from __future__ import annotations

import re
import runpy
from typing import Any

import pytest
from helpers import EXAMPLES, hides_attempts, sentence
from kuhn import Kuhn
from trumps import Trumps

import stier


def test_the_examples_keep_their_promises() -> None:
    report = stier.check_game(Kuhn(players=3))
    assert report.exhaustive
    assert report.histories == 617
    assert sum(report.information_sets) == stier.solve("kuhn_poker:players=3", iterations=1).information_sets


@pytest.mark.parametrize(
    ("name", "native", "histories"),
    [("kuhn", "kuhn_poker", 58), ("leduc", "leduc_poker", 9457), ("trumps", None, 4261)],
)
def test_the_examples_are_short_programs(
    name: str, native: str | None, histories: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """They check themselves, and find what the solver finds."""
    assert len((EXAMPLES / f"{name}.py").read_text("utf-8").splitlines()) < 80
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    said = f"^{name}: no fault found in all {histories} histories: \\d+ decisions in (\\d+) \\+ (\\d+) information sets"
    found = re.search(said, capsys.readouterr().out, re.MULTILINE)
    assert found is not None
    if native is not None:
        assert sum(map(int, found.groups())) == stier.solve(native, iterations=1).information_sets


def trick_winner(hand_size: int, led: str, reply: str) -> int:
    """The winner of the first trick if these are the cards of players 0 and 1."""
    game = Trumps(hand_size)
    led_id, reply_id = game.cards.index(led), game.cards.index(reply)
    others = [card for card in range(game.num_actions) if card not in (led_id, reply_id)]
    others = [card for card in others if card // 3 != led_id // 3][: 2 * hand_size - 2]
    state = game.initial_state()
    for card in [led_id, *others[: hand_size - 1], reply_id, *others[hand_size - 1 :], led_id, reply_id]:
        state = game.apply(state, card)
    return int(state.player)


def test_tricks_are_won_by_trumps_and_by_high_cards_of_the_suit_led() -> None:
    assert trick_winner(3, "CK", "CQ") == 0
    assert trick_winner(3, "CK", "CA") == 1
    assert trick_winner(3, "CQ", "DA") == 0
    assert trick_winner(3, "DQ", "CA") == 0
    assert trick_winner(3, "CA", "HQ") == 1
    assert trick_winner(3, "HQ", "CA") == 0
    assert trick_winner(3, "HQ", "HK") == 1


def test_suit_must_be_followed() -> None:
    game = Trumps(2)
    state = game.initial_state()
    for card in (0, 3, 1, 4):  # CQ and DQ to player 0, CK and DK to player 1
        state = game.apply(state, card)
    assert game.legal_actions(state) == [0, 3]
    assert game.legal_actions(game.apply(state, 3)) == [4]


class Native:
    """A game of the package, as if it were written in Python."""

    def __init__(self, game: stier.Game) -> None:
        self.game = game
        self.name = game.short_name()
        self.num_players = game.num_players()
        self.num_actions = game.num_distinct_actions()
        self.num_outcomes = game.max_chance_outcomes()
        self.max_decisions = game.max_game_length()
        self.max_chance_events = game.max_chance_nodes_in_history()
        self.utility_range = (game.min_utility(), game.max_utility())
        self.utility_sum = game.utility_sum()
        self.hidden_moves = hides_attempts(game)

    def initial_state(self) -> stier.State:
        return self.game.new_initial_state()

    def current_player(self, state: stier.State) -> int:
        return state.current_player()

    def legal_actions(self, state: stier.State) -> list[int]:
        return state.legal_actions()

    def chance_outcomes(self, state: stier.State) -> list[tuple[int, float]]:
        return state.chance_outcomes()

    def apply(self, state: stier.State, action: int) -> stier.State:
        return state.child(action)

    def returns(self, state: stier.State) -> Any:
        return state.returns()

    def observation(self, state: stier.State, player: int | None) -> bytes | None:
        return None if player is None else state.observation_tensor(player).tobytes()


def test_the_games_of_the_package_pass(game: stier.Game) -> None:
    report = stier.check_game(Native(game), histories=300)
    assert report.exhaustive == (report.histories <= 300)
    loaded = stier.check_game(game, histories=300)
    assert (loaded.game, loaded.exhaustive) == (game.short_name(), report.exhaustive)
    if loaded.exhaustive:
        assert loaded == stier.check_game(str(game)) == report


@pytest.mark.parametrize(
    "name",
    [
        "goofspiel:cards=3",
        "liars_dice:sides=2",
        "schwinget:suits=2,values=2,counter=off,hand_size=1,set_aside=1",
        "kuhn_poker:players=3",
    ],
)
def test_information_sets_are_those_of_the_engine(name: str) -> None:
    report = stier.check_game(Native(stier.load_game(name)))
    assert report.exhaustive
    assert sum(report.information_sets) == stier.solve(name, iterations=1).information_sets


def test_hidden_moves_of_dark_hex_must_be_declared() -> None:
    game = Native(stier.load_game("dark_hex:rows=2,columns=2"))
    assert stier.check_game(game).exhaustive
    game.hidden_moves = False
    assert "the number of decisions differs though player 0 cannot tell the histories apart: " in sentence(game)


#: A game too large to be explored, with a fault deep in it.
class Large(Trumps):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(4)


class Peeking(Large):
    """A player may not lead a suit that the other lacks, from the second trick on."""

    def legal_actions(self, state: Any) -> list[int]:
        legal: list[int] = super().legal_actions(state)
        suits = {card // 3 for card in state.hands[1 - state.player]}
        if len(state.played) in (2, 4):
            return [card for card in legal if card // 3 in suits] or legal
        return legal


class Telling(Large):
    """The facts tell the last card of the other player before it is played."""

    def facts(self, state: Any, player: int | None) -> dict[str, Any]:
        hands = [state.hands[other] for other in (0, 1) if other != player and len(state.played) == 6]
        return {"others": sorted(hands[0]) if hands else None}


@pytest.mark.parametrize("seed", range(3))
def test_faults_deep_in_large_games_are_found(seed: int) -> None:
    assert re.match(
        "trumps: legal_actions differ though player . cannot tell", sentence(Peeking, histories=1000, seed=seed)
    )
    assert re.match(
        r"trumps: facts\(state, .\) differs though player . cannot tell", sentence(Telling, histories=1000, seed=seed)
    )


def test_large_games_are_sampled() -> None:
    reports = [stier.check_game(Trumps(3), histories=1000, seed=seed) for seed in (1, 1, 2)]
    assert not reports[0].exhaustive
    assert 1000 < reports[0].histories <= 2100
    assert reports[0].longest == 6
    assert str(reports[0]).startswith(f"trumps: no fault found in {reports[0].histories} of its histories: ")
    assert reports[0] == reports[1] != reports[2]


def test_progress_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("stier._output.PAUSE", 0.0)
    stier.check_game(Trumps(3), histories=20)
    assert capsys.readouterr().err == ""
    stier.check_game(Trumps(3), histories=20, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert (lines[0], lines[-1]) == ("1 of 40 histories (2%)", "40 of 40 histories (100%)")
