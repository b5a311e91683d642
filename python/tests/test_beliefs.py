"""The beliefs of agents about hidden cards."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import decisions, random_walk

import stier
from stier.draw._beliefs import basis_in_words


def test_every_player_can_be_asked_at_any_time(game: stier.Game) -> None:
    agent = stier.load_agent("random", game)
    for state in random_walk(game.new_initial_state(seed=3), 3):
        for player in range(game.num_players()):
            beliefs = agent.beliefs(state, player)
            assert beliefs.player == player
            assert beliefs.expected.shape == (len(beliefs.cards), game.num_players())
            assert beliefs.expected.dtype == np.float64
            assert (beliefs.expected >= 0).all()
            assert beliefs.basis in {"enumerated", "sampled"}
            assert beliefs.worlds >= beliefs.effective >= 1 - 1e-9
            # A player is certain of its own hand, and everybody holds whole cards.
            own = beliefs.expected[:, player]
            assert np.allclose(own, own.round())
            assert np.allclose(beliefs.expected.sum(axis=0), beliefs.expected.sum(axis=0).round())


def test_probabilities_are_shares_of_the_determinizations(schwinget: stier.Game) -> None:
    agent = stier.load_agent("random", schwinget)
    for state in list(decisions(schwinget, 5))[2:12:4]:
        player = state.current_player()
        other = 1 - player
        beliefs = agent.beliefs(state)
        assert beliefs.player == player
        assert beliefs.basis == "enumerated"
        counts = np.zeros(len(beliefs.cards))
        for seed in range(500):
            world = state.resample_from_infostate(player, seed)
            certain = agent.beliefs(world, other).expected[:, other]
            counts += certain
        assert np.abs(counts / 500 - beliefs.expected[:, other]).max() < 0.12


def test_games_without_cards_say_so() -> None:
    game = stier.load_game("dark_hex")
    beliefs = stier.load_agent("random", game).beliefs(game.new_initial_state(seed=1))
    assert str(beliefs).endswith("dark_hex has no cards to show; State.resample_from_infostate draws a possible state")


def test_cards_are_found_by_name(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    beliefs = stier.load_agent("random", schwinget).beliefs(state)
    names = [schwinget.action_to_string(0, card) for card in range(len(beliefs.cards))]
    assert names == beliefs.cards
    held = [name for name in beliefs.cards if beliefs.of(name, 0) == 1]
    assert len(held) == 5
    # 20 cards are not seen, and the opponent has 5 of them.
    unseen = [beliefs.of(name, np.int64(1)) for name in beliefs.cards if beliefs.of(name, 1) > 0]
    assert np.allclose(unseen, 5 / 20)
    with pytest.raises(KeyError, match="unknown card 'G7'; cards: G1"):
        beliefs.of("G7", 0)
    with pytest.raises(stier.errors.SeatError, match="seats: 0 to 1"):
        beliefs.of("G1", 2)
    assert "seat 1" in str(beliefs)
    assert "player 0" in repr(beliefs)


def test_colours_are_counted(game: stier.Game) -> None:
    if game.short_name() != "schweins_galopp":
        pytest.skip("cards are told apart")
    agent = stier.load_agent("random", game)
    for state in decisions(game, 4):
        beliefs = agent.beliefs(state)
        assert beliefs.cards == ["a", "b", "c", "d", "e"][: len(beliefs.cards)]
        own = beliefs.expected[:, state.current_player()]
        assert own.max() <= 7


def test_inference_changes_beliefs_and_is_a_function_of_what_is_known(game: stier.Game) -> None:
    changed = 0
    for state in list(decisions(game, 6))[::5]:
        infer = stier.load_agent("ismcts:beliefs=policy,model=greedy,particles=100,seed=2", game)
        beliefs = infer.beliefs(state)
        other = infer.beliefs(state.resample_from_infostate(state.current_player(), 1))
        assert np.array_equal(beliefs.expected, other.expected)
        assert np.array_equal(beliefs.expected, infer.beliefs(state).expected)
        changed += not np.array_equal(beliefs.expected, stier.load_agent("random", game).beliefs(state).expected)
    # Of a few cards only there may be nothing to infer.
    assert changed > 0 or game.num_distinct_actions() < 20


def test_callables_believe_what_chance_says(schwinget: stier.Game) -> None:
    state = schwinget.new_initial_state(seed=7)
    ours = stier.PythonAgent(lambda state: state.legal_actions()[0]).beliefs(state)
    assert np.array_equal(ours.expected, stier.load_agent("greedy", schwinget).beliefs(state).expected)


def test_somebody_must_be_meant(schwinget: stier.Game) -> None:
    agent = stier.load_agent("greedy", schwinget)
    *_, last = random_walk(schwinget.new_initial_state(seed=1), 1)
    with pytest.raises(stier.errors.SeatError, match="the game is over"):
        agent.beliefs(last)
    assert agent.beliefs(last, 0).expected.sum() == 0
    with pytest.raises(stier.AgentError, match="made for schwinget"):
        agent.beliefs(stier.load_game("schwimmen").new_initial_state(seed=1))


def test_the_basis_says_how_worlds_were_weighed(schwinget: stier.Game) -> None:
    agent = stier.load_agent("ismcts:beliefs=policy,model=greedy,model_epsilon=0,particles=100000", schwinget)
    few = stier.load_agent("ismcts:beliefs=policy,model=greedy,particles=100", schwinget)
    seen = set()
    for state in random_walk(schwinget.new_initial_state(seed=5), 3):
        if state.is_player_node():
            beliefs = agent.beliefs(state)
            seen.add(beliefs.basis)
            assert basis_in_words(beliefs).startswith("all ")
            drawn = few.beliefs(state)
            if drawn.basis == "particles":
                assert "weighted by what the others did" in basis_in_words(drawn)
                seen.add("particles")
    # At first the opponent has its dealt hand, later it has drawn cards.
    assert seen == {"enumerated", "estimated", "particles"}
