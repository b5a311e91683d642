"""`stier.open_spiel`: OpenSpiel's own tests, and what they do not ask."""

from __future__ import annotations

import importlib
import pickle
import random
import subprocess
import sys
import unittest
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from helpers import decisions, hides_attempts, illegal_action

import stier

pytest.importorskip("pyspiel")

import pyspiel
from absl import flags
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts
from open_spiel.python.observation import make_observation
from open_spiel.python.tests import games_sim_test

import stier.open_spiel as sos

#: Schwinget with four cards and the referee: the pile may be locked; 1,118 nodes.
TINY_SCHWINGET = "stier_schwinget(suits=2,values=2,referee=on,counter=off,hand_size=1,set_aside=1)"
#: With the counter instead, and the other scoring.
TINY_SCHWINGER = "stier_schwinget(scoring=schwinger,suits=2,values=2,referee=off,hand_size=1,set_aside=1)"
TINY_GALOPP = "stier_schweins_galopp(players=2,colours=2,cards_per_colour=2,hand_size=2,track=6,rounds=1)"
TINY_UP_AND_DOWN = "stier_up_and_down(players=2,hand_size=1,die_faces=2)"
#: Games with observation tensors that have no piece "seat".
SEATLESS_OBSERVATIONS = ("kuhn", "kuhn_poker", "leduc", "leduc_poker", "liars_dice", "trumps")


def spiel_game(game: stier.Game) -> Any:
    return pyspiel.load_game(sos.PREFIX + game.short_name(), dict(game.rules()))


@pytest.fixture
def spiel(game: stier.Game) -> Any:
    return spiel_game(game)


def test_all_games_are_registered() -> None:
    assert sos.register() == [f"stier_{name}" for name in stier.registered_names()]
    assert set(sos.register()) <= set(pyspiel.registered_names())


def test_their_random_sim_test(spiel: Any) -> None:
    pyspiel.random_sim_test(spiel, num_sims=2, serialize=True, verbose=False)


def test_their_games_sim_test(spiel: Any) -> None:
    games_sim_test.GamesSimTest().sim_game(spiel)


def their_api_test() -> ModuleType:
    """When it is imported it makes a list of the games that there are."""
    return importlib.import_module("open_spiel.integration_tests.api_test")


def test_their_api_test() -> None:
    api_test = their_api_test()
    flags.FLAGS(["api_test", "--test_only_games=^stier_"])
    result = unittest.TestResult()
    api_test.load_tests(unittest.defaultTestLoader, None, None).run(result)
    assert result.testsRun == 5 * len(stier.registered_names())
    assert result.wasSuccessful(), [*result.errors, *result.failures]


# OpenSpiel formats with a class that NumPy deprecates since 2.5.
@pytest.mark.filterwarnings("ignore:The chararray class is deprecated:DeprecationWarning")
@pytest.mark.parametrize("text", [TINY_SCHWINGET, TINY_GALOPP, TINY_UP_AND_DOWN, "stier_schwimmen(max_turns=4)"])
def test_their_playthrough(text: str) -> None:
    once, again = (generate_playthrough.playthrough(text, None, seed=1) for _ in range(2))
    assert once == again
    assert "GameType.utility = Utility.ZERO_SUM" in once


@pytest.mark.parametrize("text", [TINY_SCHWINGET, TINY_GALOPP])
def test_their_full_tree_perfect_recall(text: str) -> None:
    found = their_api_test()._assert_is_perfect_recall(pyspiel.load_game(text))
    assert len(found) > 10


def test_their_solver_approaches_an_equilibrium() -> None:
    """Counterfactual regret minimization and best responses of theirs, on rules of ours."""
    game = pyspiel.load_game(TINY_SCHWINGET)
    solver = pyspiel.CFRPlusSolver(game)
    before = pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game))
    for _ in range(20):
        solver.evaluate_and_update_policy()
    after = pyspiel.nash_conv(game, solver.average_policy())
    assert before > 1.5
    assert 0 <= after < 0.02


@pytest.mark.parametrize("text", [TINY_SCHWINGET, TINY_SCHWINGER])
def test_their_solver_and_ours_agree(text: str) -> None:
    """On the value, on what a best response gains against uniform play, and each on the other's solution."""
    theirs = pyspiel.load_game(text)
    ours = theirs.new_initial_state().stier_state.get_game()
    solver = pyspiel.CFRPlusSolver(theirs)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    values = pyspiel.expected_returns(theirs.new_initial_state(), average, -1, True)
    solution = stier.solve(ours, iterations=500)
    assert solution.nash_conv < 1e-3
    assert values == pytest.approx(solution.values, abs=1e-3)
    uniform = pyspiel.nash_conv(theirs, pyspiel.UniformRandomPolicy(theirs))
    assert stier.solving.nash_conv(ours, "random") == pytest.approx(uniform, abs=1e-5)

    # They enumerate card by card what ours merges; what a player knows is the same.
    states = positions(ours)
    assert len(states) == solution.information_sets
    table = {state.information_state_string(): solution.policy(state) for state in states}
    assert pyspiel.nash_conv(theirs, pyspiel.TabularPolicy(table)) == pytest.approx(solution.nash_conv, abs=1e-5)


def positions(game: stier.Game) -> list[stier.State]:
    """One state of every information set."""
    found: dict[tuple[int, str], stier.State] = {}
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.current_player() >= 0:
            found.setdefault((state.current_player(), state.information_state_string()), state)
        stack += [state.child(action) for action in state.legal_actions()]
    return list(found.values())


def test_their_ismcts_bot_plays() -> None:
    """On worlds that are drawn by `resample_from_infostate`."""
    game = pyspiel.load_game("stier_schwinget")
    bot = ismcts.ISMCTSBot(
        game=game,
        uct_c=2.0,
        evaluator=mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=np.random.RandomState(2)),
        max_simulations=20,
        random_state=np.random.RandomState(1),
    )
    state = game.new_initial_state()
    sos.deal(state, 1)
    while not state.is_terminal():
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)
        sos.deal(state, 1)


def test_games_say_what_ours_say(game: stier.Game, spiel: Any) -> None:
    assert spiel.num_players() == game.num_players()
    assert spiel.num_distinct_actions() == game.num_distinct_actions()
    assert spiel.max_chance_outcomes() == game.max_chance_outcomes()
    assert spiel.max_game_length() == game.max_game_length()
    assert spiel.max_chance_nodes_in_history() == game.max_chance_nodes_in_history()
    assert spiel.min_utility() == game.min_utility()
    assert spiel.max_utility() == game.max_utility()
    assert spiel.utility_sum() == game.utility_sum()
    assert spiel.observation_tensor_shape() == game.observation_tensor_shape()
    assert spiel.information_state_tensor_shape() == game.information_state_tensor_shape()
    kind = spiel.get_type()
    assert kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    chance_mode = pyspiel.GameType.ChanceMode
    random_events = game.max_chance_nodes_in_history() > 0
    assert kind.chance_mode == (chance_mode.EXPLICIT_STOCHASTIC if random_events else chance_mode.DETERMINISTIC)
    zero_sum = game.utility_sum() == 0
    assert kind.utility == (pyspiel.GameType.Utility.ZERO_SUM if zero_sum else pyspiel.GameType.Utility.GENERAL_SUM)
    assert kind.min_num_players <= spiel.num_players() <= kind.max_num_players


def test_chance_is_a_matter_of_the_rules() -> None:
    """OpenSpiel expects random events exactly where the type of a game announces them."""
    chance_mode = pyspiel.GameType.ChanceMode
    for text, expected in [
        ("stier_schwinget", chance_mode.EXPLICIT_STOCHASTIC),
        ("stier_dark_hex", chance_mode.DETERMINISTIC),
        ("stier_goofspiel", chance_mode.DETERMINISTIC),
        ("stier_goofspiel(points=random)", chance_mode.EXPLICIT_STOCHASTIC),
    ]:
        spiel = pyspiel.load_game(text)
        assert spiel.get_type().chance_mode == expected
        assert spiel.new_initial_state().is_chance_node() == (expected == chance_mode.EXPLICIT_STOCHASTIC)
        pyspiel.random_sim_test(spiel, num_sims=1, serialize=True, verbose=False)


def test_states_say_what_ours_say(game: stier.Game, spiel: Any) -> None:
    rng = random.Random(3)
    ours, theirs = game.new_initial_state(), spiel.new_initial_state()
    while not ours.is_terminal():
        assert theirs.current_player() == ours.current_player()
        assert theirs.legal_actions() == ours.legal_actions()
        assert theirs.chance_outcomes() == ours.chance_outcomes() if ours.is_chance_node() else True
        assert str(theirs) == str(ours)
        for player in range(game.num_players()):
            assert theirs.information_state_string(player) == ours.information_state_string(player)
            assert theirs.observation_string(player) == ours.to_text(player)
            assert np.array_equal(theirs.observation_tensor(player), ours.observation_tensor(player))
            assert np.array_equal(theirs.information_state_tensor(player), ours.information_state_tensor(player))
        action = rng.choice(ours.legal_actions())
        assert theirs.action_to_string(action) == ours.action_to_string(action)
        ours.apply_action(action)
        theirs.apply_action(action)
    assert theirs.is_terminal()
    assert theirs.returns() == ours.returns().tolist()
    assert theirs.rewards() == ours.rewards().tolist()
    assert theirs.history() == [action for _, action in ours.history()]


@pytest.mark.parametrize("perfect_recall", [False, True])
def test_observers_have_named_pieces(game: stier.Game, spiel: Any, perfect_recall: bool) -> None:
    observation = make_observation(spiel, pyspiel.IIGObservationType(perfect_recall=perfect_recall))
    layout = game.information_state_tensor_layout() if perfect_recall else game.observation_tensor_layout()
    assert [(name, list(piece.shape)) for name, piece in observation.dict.items()] == layout
    state = spiel.new_initial_state()
    sos.deal(state, 1)
    observation.set_from(state, 0)
    assert observation.tensor.dtype == np.float32
    assert np.array_equal(np.concatenate([piece.ravel() for piece in observation.dict.values()]), observation.tensor)
    seen = state.stier_state.information_state_tensor(0) if perfect_recall else state.stier_state.observation_tensor(0)
    assert np.array_equal(observation.tensor, seen)
    # Every information state names the seat. The observations of these games do not.
    names_the_seat = perfect_recall or game.short_name() not in SEATLESS_OBSERVATIONS
    assert ("seat" in observation.dict) == names_the_seat
    if names_the_seat:
        assert observation.dict["seat"].tolist() == [1.0] + [0.0] * (game.num_players() - 1)


def test_observers_that_there_are_not() -> None:
    game = pyspiel.load_game("stier_schwinget")
    private = pyspiel.IIGObservationType(
        perfect_recall=False, public_info=False, private_info=pyspiel.PrivateInfoType.SINGLE_PLAYER
    )
    assert make_observation(game, private) is None
    with pytest.raises(ValueError, match="observers take none"):
        game.make_py_observer(None, {"a": 1})


def test_parameters() -> None:
    game = pyspiel.load_game("stier_schwinget(scoring=schwinger,bouts=4)")
    assert str(game) == "stier_schwinget(bouts=4,scoring=schwinger)"
    assert pyspiel.load_game("stier_schwimmen(players=5,three_of_a_kind=on)").num_players() == 5
    assert game.game == stier.load_game("schwinget", scoring="schwinger", bouts=4)
    for wrong, why in [
        ("bouts=99", "1 and 12"),
        ("scoring=x", "schwinger"),
        ("nope=1", "Unknown parameter 'nope'"),
    ]:
        with pytest.raises((ValueError, RuntimeError), match=why):
            pyspiel.load_game(f"stier_schwinget({wrong})")


def test_illegal_actions_raise_and_change_nothing(spiel: Any) -> None:
    state = spiel.new_initial_state()
    sos.deal(state, 2)
    before = (str(state), state.history())
    for action in [illegal_action(state.legal_actions_mask()), 10_000, -3]:
        with pytest.raises(stier.IllegalActionError, match="legal here"):
            state.apply_action(action)
    assert (str(state), state.history()) == before


def test_clones_and_pickles_go_their_own_way(spiel: Any) -> None:
    state = spiel.new_initial_state()
    sos.deal(state, 2)
    for twin in (state.clone(), pickle.loads(pickle.dumps(state)), spiel.deserialize_state(state.serialize())):
        assert (str(twin), twin.history()) == (str(state), state.history())
        twin.apply_action(twin.legal_actions()[0])
        assert len(twin.history()) == len(state.history()) + 1
        assert twin.stier_state != state.stier_state


def test_pickles_are_read_by_a_program_that_knows_nothing() -> None:
    game = pyspiel.load_game("stier_schwimmen(players=4)")
    state = game.new_initial_state()
    sos.deal(state, 2)
    program = "import pickle, sys; print(pickle.load(sys.stdin.buffer))"
    read = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps(state), capture_output=True, check=True, timeout=60
    )
    assert read.stdout.decode().rstrip() == str(state).rstrip()


@pytest.mark.parametrize("source", [5, np.random.default_rng(5), pyspiel.UniformProbabilitySampler(5, 0.0, 1.0)])
def test_resampled_states_are_of_the_information_set(game: stier.Game, spiel: Any, source: Any) -> None:
    for ours in list(decisions(game, 4))[::5]:
        state = spiel.new_initial_state()
        for _, action in ours.history():
            state.apply_action(action)
        player = state.current_player()
        other = state.resample_from_infostate(player, source)
        assert other.information_state_string(player) == state.information_state_string(player)
        assert other.legal_actions() == state.legal_actions()
        own, others_own = (
            [item.action for item in world.full_history() if item.player == player] for world in (state, other)
        )
        assert others_own == own
        if not hides_attempts(game):
            assert len(other.history()) == len(state.history())


def test_deals_of_a_seed_go_on_from_where_the_game_is(game: stier.Game, spiel: Any) -> None:
    rng = random.Random(6)
    state, seeded = spiel.new_initial_state(), game.new_initial_state(seed=6)
    sos.deal(state, 6)
    while not seeded.is_terminal():
        assert state.stier_state == seeded
        action = rng.choice(seeded.legal_actions())
        seeded.apply_action(action)
        state.apply_action(action)
        sos.deal(state, 6)
    assert state.is_terminal()


def test_deals_that_do_not_fit() -> None:
    state = pyspiel.load_game("stier_schwinget").new_initial_state()
    sos.deal(state, 1)
    with pytest.raises(ValueError, match="seed 2 does not lead to this state: event "):
        sos.deal(state, 2)
