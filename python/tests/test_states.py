"""States: OpenSpiel's names and meanings."""

from __future__ import annotations

import copy
import random
from fractions import Fraction

import numpy as np
import pytest
from helpers import decisions, has_chance, player_actions, random_walk

import stier


def test_player_numbers_are_those_of_open_spiel() -> None:
    assert stier.CHANCE == -1
    assert stier.TERMINAL == -4


def test_a_game_from_first_to_last(game: stier.Game) -> None:
    """Every method says the same as every other, before every event of a random game."""
    decided = drawn = 0
    for state in random_walk(game.new_initial_state(), 1):
        player, legal = state.current_player(), state.legal_actions()
        assert state.get_game() == game
        assert state.num_players() == game.num_players()
        assert state.move_number() == len(state.history())
        kinds = [state.is_chance_node(), state.is_player_node(), state.is_terminal()]
        assert kinds == [player == stier.CHANCE, player >= 0, player == stier.TERMINAL]
        assert not state.is_simultaneous_node()
        assert legal == sorted(set(legal))
        assert all(type(action) is int for action in legal)
        assert (legal == []) == state.is_terminal()
        for other in range(game.num_players()):
            assert state.legal_actions(other) == (legal if other == player else [])
        mask = state.legal_actions_mask()
        assert mask.dtype == np.bool_
        assert mask.shape == (game.num_distinct_actions(),)
        assert np.flatnonzero(mask).tolist() == (legal if player >= 0 else [])
        outcomes = state.chance_outcomes()
        assert [outcome for outcome, _ in outcomes] == (legal if player == stier.CHANCE else [])
        if state.is_chance_node():
            assert sum(probability for _, probability in outcomes) == pytest.approx(1)
            assert state.legal_actions(stier.CHANCE) == legal
            drawn += 1
        decided += state.is_player_node()
        for action in legal:
            name = state.action_to_string(action)
            assert state.string_to_action(name) == action
            assert state.action_to_string(player, action) == name
            # A state may say more than the game does of an id, as in "place:a".
            assert name.endswith(game.action_to_string(player, action))
        if not state.is_terminal():
            assert state.returns().tolist() == [0.0] * game.num_players()
    assert 0 < decided <= game.max_game_length()
    assert (drawn > 0) == has_chance(game)
    assert drawn <= game.max_chance_nodes_in_history()
    returns = state.returns()
    assert returns.dtype == np.float64
    assert returns.shape == (game.num_players(),)
    assert state.rewards().tolist() == returns.tolist()
    assert [state.player_return(player) for player in range(game.num_players())] == returns.tolist()
    assert (returns >= game.min_utility()).all()
    assert (returns <= game.max_utility()).all()
    if game.utility_sum() is not None:
        assert returns.sum() == pytest.approx(game.utility_sum(), abs=1e-14)


def test_returns_are_exact_to_the_last_place() -> None:
    """Thirds are the nearest doubles to thirds, and returns sum to what the game says."""
    for name in stier.registered_names():
        options = {option.name: option.allowed for option in stier.catalogue.describe_game(name)}
        for players in range(2, 6) if "players" in options else [None]:
            for utility in options["utility"].split(" | ") if "utility" in options else [None]:
                given = {"utility": utility, "players": players}
                rules = {option: value for option, value in given.items() if value is not None}
                try:
                    game = stier.load_game(name, **rules)
                except stier.RulesError:
                    continue
                for seed in range(20):
                    *_, state = random_walk(game.new_initial_state(seed), seed)
                    returns = state.returns().tolist()
                    # Hundredths, shares of up to five, and differences of both from means of up to four.
                    assert returns == [float(Fraction(value).limit_denominator(1200)) for value in returns]
                    if game.utility_sum() is not None:
                        assert abs(sum(returns) - game.utility_sum()) <= 4 * np.spacing(max(map(abs, returns)))


def test_history_is_what_was_applied(game: stier.Game) -> None:
    applied = []
    rng = random.Random(5)
    state = game.new_initial_state()
    while not state.is_terminal():
        event = (state.current_player(), rng.choice(state.legal_actions()))
        state.apply_action(event[1])
        applied.append(event)
        assert state.history() == applied


def test_seeded_states_deal_themselves(game: stier.Game) -> None:
    for state in random_walk(game.new_initial_state(seed=7), 2):
        assert not state.is_chance_node()
        assert state.chance_outcomes() == []


def test_one_seed_one_game(game: stier.Game) -> None:
    def play(deal: int) -> stier.State:
        *_, last = random_walk(game.new_initial_state(seed=deal), 3)
        return last

    assert play(7) == play(7)
    assert (play(7).history() != play(8).history()) == has_chance(game)


def test_a_seeded_game_is_the_same_events_applied_one_by_one(game: stier.Game) -> None:
    explicit = game.new_initial_state()
    for state in random_walk(game.new_initial_state(seed=7), 4):
        for player, action in state.history()[explicit.move_number() :]:
            assert explicit.current_player() == player
            explicit.apply_action(action)
        assert explicit == state
        assert hash(explicit) == hash(state)
        assert explicit.history() == state.history()
        assert str(explicit) == str(state)


def test_the_seed_fixes_the_cards_whatever_is_played(schwinget: stier.Game) -> None:
    one, other = (schwinget.new_initial_state(seed=7) for _ in range(2))
    one.apply_action(one.legal_actions()[0])
    other.apply_action(other.legal_actions()[1])
    drawn = [[action for player, action in state.history() if player == stier.CHANCE] for state in (one, other)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("seed", [None, 7])
def test_illegal_actions_are_refused_and_change_nothing(game: stier.Game, seed: int | None) -> None:
    for state in random_walk(game.new_initial_state(seed=seed), 6):
        before, legal = state.clone(), state.legal_actions()
        count = game.max_chance_outcomes() if state.is_chance_node() else game.num_distinct_actions()
        illegal = sorted(set(range(count)) - set(legal))[:3]
        for action in [*illegal, count, 255, 256, 300, -1, -300, 10**30, -(10**30), np.int64(-1)]:
            with pytest.raises(stier.IllegalActionError) as caught:
                state.apply_action(action)
            assert isinstance(caught.value, ValueError)
            with pytest.raises(stier.IllegalActionError):
                state.child(action)
            for allowed in legal:
                assert f"{state.action_to_string(allowed)} ({allowed})" in str(caught.value)
        assert state == before


def test_illegal_actions_name_the_rule_broken(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    foreign = next(card for card in range(26) if card not in state.legal_actions())
    with pytest.raises(stier.IllegalActionError, match="the card is not in hand; legal here: "):
        state.apply_action(foreign)
    with pytest.raises(stier.IllegalActionError, match="illegal action 300: actions have the ids 0 to 28"):
        state.apply_action(300)


@pytest.mark.parametrize("action", ["G1", 1.0, None, [1], np.float64(1)])
def test_actions_are_whole_numbers(schwinget: stier.Game, action) -> None:
    with pytest.raises(TypeError):
        schwinget.new_initial_state(seed=7).apply_action(action)


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int64, np.array])
def test_actions_may_be_any_kind_of_whole_number(schwinget: stier.Game, kind) -> None:
    state = schwinget.new_initial_state(seed=7)
    action = state.legal_actions()[0]
    assert state.child(kind(action)) == state.child(action)


def test_bools_are_the_numbers_they_are_in_python(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state()
    assert state.child(True) == state.child(1)


@pytest.mark.parametrize("player", [-2, -1, -4, 2, 255, 256, 10**30, np.int64(-1)])
def test_players_that_the_game_does_not_have(schwinget: stier.Game, player: int) -> None:
    state = schwinget.new_initial_state(seed=7)
    for call in [
        state.information_state_string,
        state.information_state_tensor,
        state.observation_tensor,
        state.player_return,
        state.to_text,
        state.to_html,
        lambda player: state.resample_from_infostate(player, 0),
    ]:
        with pytest.raises(stier.errors.SeatError, match="seats: 0 to 1"):
            call(player)
        with pytest.raises(RuntimeError):
            call(player)
    if player != stier.CHANCE:
        with pytest.raises(stier.errors.SeatError):
            state.legal_actions(player)
        with pytest.raises(stier.errors.SeatError):
            state.action_to_string(player, 0)


def test_knowledge_without_a_player_is_that_of_the_player_to_move(game: stier.Game) -> None:
    for state in random_walk(game.new_initial_state(), 8):
        calls = [state.information_state_string, state.information_state_tensor, state.observation_tensor]
        for call in calls:
            if state.is_player_node():
                assert np.array_equal(call(), call(state.current_player()))
            else:
                with pytest.raises(stier.errors.SeatError, match="a player from 0 to"):
                    call()


def test_tensors_have_the_shapes_that_the_game_says(game: stier.Game) -> None:
    for state in random_walk(game.new_initial_state(), 9):
        for player in range(game.num_players()):
            for tensor, shape in [
                (state.observation_tensor(player), game.observation_tensor_shape()),
                (state.information_state_tensor(player), game.information_state_tensor_shape()),
            ]:
                assert tensor.dtype == np.float32
                assert list(tensor.shape) == shape
                assert tensor.min() >= 0
                assert tensor.max() <= 1


def test_arrays_belong_to_the_caller(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    for make in [state.legal_actions_mask, state.returns, state.observation_tensor, state.information_state_tensor]:
        array = make()
        array[:] = 1
        assert not np.array_equal(make(), array)


def test_copies_go_their_own_way(game: stier.Game) -> None:
    for make in [stier.State.clone, copy.copy, copy.deepcopy]:
        state = game.new_initial_state(seed=11)
        twin = make(state)
        before = state.history()
        twin.apply_action(twin.legal_actions()[0])
        assert state.history() == before
        child = state.child(state.legal_actions()[0])
        assert child == twin
        assert state.history() == before


def test_equality_and_hash_are_game_and_history(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    assert state == state.clone()
    assert state != state.child(state.legal_actions()[0])
    assert state != schwinget.new_initial_state(seed=8)
    assert state != 7
    assert state != stier.load_game("schwinget", bouts=2).new_initial_state(seed=7)
    assert len({state, state.clone(), schwinget.new_initial_state(seed=8)}) == 2


def test_text_and_html_hide_what_a_player_cannot_see(game: stier.Game) -> None:
    for state in decisions(game, 12):
        player = state.current_player()
        other = state.resample_from_infostate(player, 3)
        assert state.to_text(player) == other.to_text(player)
        assert state.to_html(player) == other.to_html(player)
        assert str(state) == state.to_text()
        assert state._repr_html_() == state.to_html()
        assert state.to_html().startswith("<")


def test_repr_says_what_it_is(schwinget: stier.Game) -> None:
    assert repr(schwinget.new_initial_state(seed=7)) == "<stier.State of schwinget after 11 events>"


def test_names_may_be_of_actions_that_are_not_legal(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    assert state.string_to_action("lead:self") == 27
    assert state.action_to_string(27) == "lead:self"
    assert state.action_to_string(stier.CHANCE, 24) == "KR"
    for text in ["G7", "", "g1"]:
        with pytest.raises(stier.IllegalActionError, match="xpected one of G1"):
            state.string_to_action(text)
    for number in [29, 300, -1]:
        with pytest.raises(stier.IllegalActionError, match="actions 0 to 28"):
            state.action_to_string(number)
        with pytest.raises(stier.IllegalActionError, match="outcomes 0 to 25"):
            schwinget.new_initial_state().action_to_string(number)


def test_events_replayed_by_number_give_the_same_decisions(game: stier.Game) -> None:
    *_, last = random_walk(game.new_initial_state(seed=13), 13)
    again = game.new_initial_state(seed=13)
    for action in player_actions(last):
        again.apply_action(action)
    assert again == last


def test_the_name_of_an_action_is_refused_with_the_way_to_its_number(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    calls = [state.apply_action, state.child, lambda name: state.undo_action(0, name)]
    for call in calls:
        with pytest.raises(TypeError, match=r"got 'attack'; state.string_to_action\('attack'\) returns it"):
            call("attack")  # type: ignore[arg-type]
    state.apply_action(state.string_to_action("attack"))
