"""Records, pickles and serialized states."""

from __future__ import annotations

import pickle

import pytest
from helpers import random_walk

import stier


def play_on(state: stier.State, seed: int) -> list[tuple[int, int]]:
    *_, last = random_walk(state, seed)
    return last.history()


@pytest.mark.parametrize("seed", [None, 31])
def test_pickles_are_equal_and_have_the_same_future(game: stier.Game, seed: int | None) -> None:
    for state in random_walk(game.new_initial_state(seed=seed), 31):
        again = pickle.loads(pickle.dumps(state))
        assert again == state
        assert hash(again) == hash(state)
        assert again.history() == state.history()
        assert play_on(again, 1) == play_on(state.clone(), 1)


def test_pickles_of_determinizations_have_the_same_future(game: stier.Game) -> None:
    for state in random_walk(game.new_initial_state(seed=32), 32):
        other = state.resample_from_infostate(0, 5)
        for world in random_walk(other, 33):
            again = pickle.loads(pickle.dumps(world))
            assert again == world
            assert play_on(again, 2) == play_on(world.clone(), 2)
        if state.move_number() > 40:
            break


def test_records_are_read_back(game: stier.Game) -> None:
    for state in random_walk(game.new_initial_state(), 34):
        text = state.record()
        again = stier.read_record(text)
        assert again == state
        assert again.get_game() == game
        assert again.record() == text


def test_records_of_seeded_states_have_explicit_chance(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    again = stier.read_record(state.record())
    assert again == state
    again.apply_action(again.legal_actions()[0])
    assert again.is_chance_node()


@pytest.mark.parametrize("seed", [None, 35])
def test_game_and_state_are_serialized_together(game: stier.Game, seed: int | None) -> None:
    for state in random_walk(game.new_initial_state(seed=seed), 35):
        text = stier.serialize_game_and_state(game, state)
        assert text.startswith("stier-state 1\n")
        loaded_game, loaded = stier.deserialize_game_and_state(text)
        assert loaded_game == game
        assert loaded == state
        assert play_on(loaded, 3) == play_on(state.clone(), 3)


def test_a_state_is_serialized_with_its_own_game(schwinget: stier.Game) -> None:
    with pytest.raises(ValueError, match="the state is of schwinget, not of schwinget:bouts=2"):
        stier.serialize_game_and_state(stier.load_game("schwinget", bouts=2), schwinget.new_initial_state())


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def test_corrupt_records_are_refused_with_the_place(schwinget: stier.Game) -> None:
    text = schwinget.new_initial_state(seed=7).record()
    first = text.splitlines()[3].split()[1]
    for corrupt, named in [
        ("", "line 1: expected stier-record 1"),
        ("\n", "line 1"),
        (changed(text, "stier-record 1", "stier-record 2"), "line 1: expected stier-record 1"),
        (changed(text, "game: schwinget", "game: jass"), "unknown game 'jass'; games: "),
        (changed(text, "rules:", "rules: bouts=99"), "bouts must be between 1 and 12, got 99"),
        (changed(text, f"events: {first}", "events: G9"), "event 1: 'G9' is not a valid chance outcome"),
        (changed(text, f"events: {first}", f"events: {first} {first}"), "event 2: illegal action"),
        (changed(text, "result: open", "result: 1 -1"), "but the record states '1 -1'"),
        (changed(text, "result: open\n", ""), "line 5: expected result:"),
        (text + "more\n", "line 6: expected the end"),
        ("\0" + text, "line 1"),
    ]:
        with pytest.raises(stier.errors.RecordError) as caught:
            stier.read_record(corrupt)
        assert named in str(caught.value)
        assert isinstance(caught.value, ValueError)


def test_corrupt_states_are_refused_with_the_place(schwinget: stier.Game) -> None:
    text = stier.serialize_game_and_state(schwinget, schwinget.new_initial_state(seed=7))
    for corrupt, named in [
        ("", "line 1: expected stier-state 1"),
        (changed(text, "stier-state 1", "stier-state 2"), "line 1"),
        (changed(text, "dealing: seed 7", "dealing: seed seven"), "line 2"),
        (changed(text, "dealing: seed 7", "dealing: seed 8"), "the seed does not lead to the events"),
        (changed(text, "since 0", "since 99"), "the seed does not lead to the events"),
        (changed(text, "stier-record 1", "stier-record 9"), "stier-record 1"),
        (text.partition("stier-record")[0], "stier-record 1"),
    ]:
        with pytest.raises(stier.errors.RecordError) as caught:
            stier.deserialize_game_and_state(corrupt)
        assert named in str(caught.value)


def test_line_ends_of_other_systems_are_read(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    text = stier.serialize_game_and_state(schwinget, state)
    assert stier.deserialize_game_and_state(text.replace("\n", "\r\n"))[1] == state
