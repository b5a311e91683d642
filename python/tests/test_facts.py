"""Hands and facts of states: what agents in Python look at."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import OWN_GAMES, all_games, random_walk

import stier

GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "python_agents.md"
#: Facts that tell, for which seat it is true, what pictures say beside that seat.
TOLD = {"attacked": "attacker", "boss": "boss", "dealer": "dealer", "knocked": "knocker"}


def table() -> dict[str, dict[str, str]]:
    """The types of the facts of every game, as the guide lists them."""
    found: dict[str, dict[str, str]] = {}
    rows = re.findall(
        r"^\| (?:`(\w+)`)? ?\| `(\w+)` \| ([\w\[\] ]+) \| ([^|]+) \|$", GUIDE.read_text("utf-8"), re.MULTILINE
    )
    for name, fact, kind, meaning in rows:
        game = name or list(found)[-1]
        found.setdefault(game, {})[fact] = kind
        if option := re.match(r"with `(\w+)=(\w+)`", meaning):
            found[game][fact] += f" with {option[1]}={option[2]}"
    return found


def is_of(value: Any, kind: str) -> bool:
    """Tells whether a plain value has the type: exactly, so that a bool is not an int."""
    if value is None or isinstance(value, bool | int | float | str):
        return type(value).__name__.replace("NoneType", "None") in re.sub(r"list\[.*?\]+", "", kind).split(" or ")
    inner = re.findall(r"list\[((?:[^\[\]]|\[[^\[\]]*\])+)\]", kind)
    return type(value) is list and any(all(is_of(one, some) for one in value) for some in inner)


def test_types_are_told_apart() -> None:
    for kind, right, wrong in [
        ("int or None", [1, None], [True, 1.0, "a", [1]]),
        ("bool", [True], [1, None]),
        ("list[str or None]", [[], ["a", None]], [None, ["a", 1], [["a"]]]),
        ("list[list[str]]", [[["a"], []]], [["a"], [[None]], None]),
        ("list[int] or list[float]", [[1], [1.5]], [[1, 1.5], 1]),
        ("list[int] or None", [[1], None], [1, [None]]),
    ]:
        assert all(is_of(value, kind) for value in right), kind
        assert not any(is_of(value, kind) for value in wrong), kind


def positions(game: stier.Game, seed: int) -> list[stier.State]:
    """Positions of some random games, from the first to the last."""
    walks = [[state.clone() for state in random_walk(game.new_initial_state(), seed + number)] for number in range(3)]
    return [state for walk in walks for state in [*walk[:: max(1, len(walk) // 10)], walk[-1]]]


def of_the_package() -> list[stier.Game]:
    """The games of the package, with a few of their variants."""
    variants = [stier.load_game("goofspiel", impinfo=False), stier.load_game("dark_hex", rows=2)]
    return [game for game in all_games() if game.short_name() in OWN_GAMES] + variants


@pytest.mark.parametrize("game", of_the_package(), ids=str)
def test_the_guide_lists_the_facts_of_every_game_with_their_types(game: stier.Game) -> None:
    listed, rules = table()[game.short_name()], game.rules()
    types = {}
    for fact, kind in listed.items():
        plain, _, option = kind.partition(" with ")
        name, _, value = option.partition("=")
        # A fact that comes with an option is absent without it, or None where the type says so.
        if not option or str(rules[name]).lower() == value or ("or None" in plain and not plain.endswith("]")):
            types[fact] = plain
    for state in positions(game, 31):
        for player in range(game.num_players()):
            facts = state.facts(player)
            assert list(facts) == list(types)
            assert [fact for fact, value in facts.items() if not is_of(value, types[fact])] == []


def test_every_fact_changes() -> None:
    """In some game under some rules."""
    values: dict[tuple[str, str], set[str]] = {}
    for game in of_the_package():
        for state in positions(game, 32):
            for player in range(game.num_players()):
                for fact, value in state.facts(player).items():
                    values.setdefault((game.short_name(), fact), set()).add(repr(value))
    assert {key for key, found in values.items() if len(found) == 1} == set()
    assert set(values) == {(game, fact) for game, facts in table().items() for fact in facts}


def test_facts_and_hands_are_the_same_in_all_worlds_that_a_player_takes_for_possible(game: stier.Game) -> None:
    differ = 0
    for state in positions(game, 33):
        for player in range(game.num_players()):
            for seed in range(3):
                other = state.resample_from_infostate(player, seed)
                assert other.facts(player) == state.facts(player)
                assert other.hand(player) == state.hand(player)
                differ += any(other.scene()[key] != state.scene()[key] for key in ("facts", "places"))
    assert differ > 0


def test_hands_are_the_cards_that_scenes_show(game: stier.Game) -> None:
    found = 0
    for state in positions(game, 34):
        for player in range(game.num_players()):
            for scene in (state.scene(player), state.scene()):
                places = [place for place in scene["places"] if place["seat"] == player]
                held = [
                    card for place in places for group in place["groups"] if group["held"] for card in group["cards"]
                ]
                assert state.hand(player) == held
            assert set(held) <= set(game.card_faces())
            found += len(held)
    assert (found > 0) == bool(game.card_faces())


def test_all_that_pictures_tell_is_among_the_facts(game: stier.Game) -> None:
    for state in positions(game, 35):
        for player in range(game.num_players()):
            facts, scene = state.facts(player), state.scene(player)
            for name, words in scene["facts"]:
                assert name in facts, words
            for place in scene["places"]:
                for remark in place["remarks"] if place["seat"] is not None else []:
                    name, _, words = (
                        remark.replace("own dice", "own_dice").replace("at risk", "at_risk").partition(": ")
                    )
                    if name in TOLD:
                        assert facts[TOLD[name]] == place["seat"]
                    elif words and name != "own_dice":
                        value = facts[name if name in facts else f"{name}s"]
                        told = value if name in ("own_stones", "known_stones", "hand", "bid") else value[place["seat"]]
                        assert words == in_words(told, name), remark
                    else:
                        assert name in {"own_dice", "out", "swims"} or name.endswith(("stake", "stakes")), remark


def in_words(value: Any, name: str) -> str:
    if name == "worth":
        return "blitz" if value == 32 else f"{value:g}".replace(".5", "½")
    if isinstance(value, float):
        return f"{value:.2f}"
    return (",".join(value) or "-") if isinstance(value, list) else str(value)


def test_open_bids_are_facts() -> None:
    state = stier.load_game("goofspiel", impinfo=False).new_initial_state()
    for action in (3, 1):
        state.apply_action(action)
    assert state.facts()["last_bids"] == ["4", "2"]


def test_players_are_those_to_act_unless_given(game: stier.Game) -> None:
    state = game.new_initial_state(seed=36)
    assert state.facts() == state.facts(state.current_player())
    assert state.hand() == state.hand(state.current_player())
    for ask in (state.facts, state.hand):
        with pytest.raises(stier.errors.SeatError, match="seats: 0 to"):
            ask(99)


def test_facts_belong_to_the_caller(game: stier.Game) -> None:
    state = game.new_initial_state(seed=37)
    state.facts().clear()
    state.hand().append("joker")
    assert state.facts()
    assert "joker" not in state.hand()


class Suit(Enum):
    HEARTS = "h"


def test_games_in_python_say_their_facts_and_hands() -> None:
    from kuhn import Kuhn

    class Shown(Kuhn):  # type: ignore[misc]
        name = "shown"
        cards = ("J", "Q", "K")

        def facts(self, state: Any, player: int | None) -> dict[str, Any]:
            numbers = {"bets": np.int64(sum(state.actions)), "pot": np.float64(1.5), "open": player is None}
            others = {"suit": Suit.HEARTS, "winner": None, "actions": state.actions, "rest": frozenset({2, 1})}
            return {**numbers, **others, "note": "as you like it"}

        def hand(self, state: Any, player: int) -> list[str]:
            return [self.outcome_name(card) for card in state.cards[player : player + 1]]

    game = stier.load_game(Shown)
    state = game.new_initial_state()
    for event in (2, 0, 0):
        state.apply_action(event)
    facts = {"bets": 0, "pot": 1.5, "open": False, "suit": "HEARTS", "winner": None, "actions": [0], "rest": [1, 2]}
    assert state.facts() == state.facts(1) == {**facts, "note": "as you like it"}
    assert {name: type(value) for name, value in state.facts().items()} == {
        name: type(value) for name, value in {**facts, "note": ""}.items()
    }
    assert (state.hand(0), state.hand(1)) == (["K"], ["J"])
    assert ("winner", "-") in state.scene(0)["facts"]
    test_facts_and_hands_are_the_same_in_all_worlds_that_a_player_takes_for_possible(game)
    test_hands_are_the_cards_that_scenes_show(game)


def test_games_in_python_without_facts_tell_the_observation() -> None:
    from kuhn import Kuhn

    plain = type("Plain", (Kuhn,), {"name": "plain", "facts": None, "hand": None})
    state = stier.load_game(plain).new_initial_state()
    for event in (2, 0, 1):
        state.apply_action(event)
    assert (state.facts(0), state.facts(1)) == ({"sees": [[2], [1]]}, {"sees": [[0], [1]]})
    assert state.hand(0) == []


def test_facts_of_the_wrong_kind_are_errors_of_the_game() -> None:
    from kuhn import Kuhn

    class Failing(Kuhn):  # type: ignore[misc]
        name = "failing"

        def facts(self, state: Any, player: int | None) -> dict[str, Any]:
            raise ZeroDivisionError

    class Huge(Kuhn):  # type: ignore[misc]
        name = "huge"

        def facts(self, state: Any, player: int | None) -> dict[str, Any]:
            return {"stars": 2**100}

    for wrong in (Failing, Huge):
        with pytest.raises(stier.GameError, match="facts"):
            stier.load_game(wrong).new_initial_state().facts(0)
