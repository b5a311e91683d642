"""Games of OpenSpiel loaded by `load_game`, compared with OpenSpiel's own figures; policies from there and back."""

from __future__ import annotations

import pickle
import random
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import random_walk

import stier
from stier.solving import GameTree, nash_conv

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import expected_game_score, exploitability

from stier.cli import main
from stier.games._open_spiel import OpenSpielGame, turn_based
from stier.open_spiel import PolicyAgent, as_policy, tabular

#: Games that can be enumerated: sequential and simultaneous, zero-sum, general-sum and common-payoff, with two and
#: three players, with and without chance.
SMALL = (
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(dice_sides=3)",
    "goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    "goofspiel(imp_info=True,num_cards=3,points_order=random)",
    "tiny_hanabi",
    "battleship(board_height=2,board_width=2,num_shots=2,ship_sizes=[1],ship_values=[1])",
    "matrix_rps",
    "matrix_pd",
    "matching_pennies_3p",
    "blotto(coins=5,fields=3,players=2)",
    "oshi_zumo(coins=4,horizon=3,size=1)",
    "first_sealed_auction(max_value=4)",
    "dark_hex(num_cols=2,num_rows=2)",
    "lewis_signaling",
    "trade_comm(num_items=2)",
    "misere(game=kuhn_poker())",
    "repeated_game(num_repetitions=2,stage_game=matrix_pd())",
    "turn_based_simultaneous_game(game=matrix_sh())",
    "python_kuhn_poker",
)
#: Small games in which OpenSpiel has no information states, so that it computes no best responses.
OBSERVED = (
    "pig(horizon=6,winscore=4)",
    "coin_game(columns=2,episode_length=2,num_coins_per_color=1,num_extra_coin_colors=0,rows=2)",
)
#: Games whose strings forget something.
FORGETFUL = ("liars_dice_ir(dice_sides=3)", "dark_hex_ir(num_cols=2,num_rows=2)", "phantom_ttt_ir")
#: It has actions that it does not count.
BROKEN = "chat_game"
#: The reasons for which games are refused.
REFUSED = {
    "mfg_garnet": "neither a sequential nor a simultaneous game",
    "negotiation": "must list the outcomes of random events",
    "battleship": "300 actions; at most 256",
    "yacht": "7776 chance outcomes; at most 256",
    "blackjack": "num_players is 1; it must be a whole number from 2 to 5",
    "python_iterated_prisoners_dilemma": "must provide information-state strings or observation strings",
    "crossword": "cannot be used: ObservationTensorShape unimplemented",
    "kuhn_pokr": "unknown game 'kuhn_pokr'; OpenSpiel has kuhn_poker, [a-z_]*, [a-z_]*; all: ",
    "": "unknown game ''; OpenSpiel has ",
    "kuhn_poker(players=77)": "does not load 'kuhn_poker.players=77.'",
    "kuhn_poker(playrs=3)": "Unknown parameter 'playrs'",
    "kuhn_poker(players=x)": "Wrong type for parameter players",
    "kuhn_poker(players=3": "Missing closing bracket",
}


def load(text: str) -> stier.Game:
    return stier.load_game(f"openspiel:{text}")


@cache
def spiel(text: str) -> Any:
    if text.startswith("python_"):
        import_module("open_spiel.python.games")
    return turn_based(pyspiel.load_game(text))


def uniform(game: stier.Game) -> stier.TabularPolicy:
    tree = GameTree(game)
    masks = tree.legal_action_masks()
    return tree.policy(masks / masks.sum(axis=1, keepdims=True))


def strings_to_act(text: str) -> set[tuple[int, str]]:
    """The information states of OpenSpiel in which a player is to act."""
    found, stack = set(), [spiel(text).new_initial_state()]
    while stack:
        state = stack.pop()
        if state.current_player() >= 0:
            found.add((state.current_player(), state.information_state_string()))
        stack += [state.child(action) for action in state.legal_actions()]
    return found


@pytest.mark.parametrize("text", SMALL)
def test_values_and_nash_conv_of_uniform_play_are_theirs(text: str) -> None:
    game, theirs = load(text), spiel(text)
    policy, their_policy = uniform(game), spiel_policy.UniformRandomPolicy(theirs)
    values = expected_game_score.policy_value(theirs.new_initial_state(), [their_policy] * game.num_players())
    assert np.allclose(policy.values, values, rtol=0, atol=1e-10)
    assert policy.nash_conv == pytest.approx(exploitability.nash_conv(theirs, their_policy), abs=1e-10)
    assert GameTree(game).information_sets == len(strings_to_act(text))


@pytest.mark.parametrize("text", OBSERVED)
def test_values_where_there_are_observations_only(text: str) -> None:
    game, theirs = load(text), spiel(text)
    their_policy = spiel_policy.UniformRandomPolicy(theirs)
    values = expected_game_score.policy_value(theirs.new_initial_state(), [their_policy] * game.num_players())
    assert np.allclose(uniform(game).values, values, rtol=0, atol=1e-10)


@pytest.mark.parametrize("text", FORGETFUL)
def test_players_remember_what_strings_forget(text: str) -> None:
    game = load(text)
    state = game.new_initial_state(seed=1)
    rng = random.Random(1)
    while not state.is_terminal():
        before = state.current_player()
        state.apply_action(rng.choice(state.legal_actions()))
        assert len(state.information_state_string(before).split(" | ")) > 2, "not the last string alone"
    if text.startswith("liars_dice"):
        remembering = load(text.replace("_ir", ""))
        assert GameTree(game).information_sets == GameTree(remembering).information_sets > len(strings_to_act(text))


def test_every_game_of_theirs_plays_like_theirs_or_is_refused() -> None:
    import_module("open_spiel.python.games")  # registers them
    played = 0
    for name in pyspiel.registered_names():
        if name == BROKEN or name.startswith("stier_"):
            continue
        text = f"{name}(use_double_dummy_result=False)" if name == "bridge" else name  # which takes seconds
        try:
            game = load(text)
        except stier.RulesError:
            continue
        state, theirs, rng = game.new_initial_state(seed=1), spiel(text).new_initial_state(), random.Random(1)
        for _ in range(60):
            if state.is_terminal():
                break
            state.apply_action(rng.choice(state.legal_actions()))
        for player, action in state.history():
            assert theirs.current_player() == player
            theirs.apply_action(action)
        assert state.current_player() == theirs.current_player()
        if state.is_terminal():
            assert state.returns().tolist() == theirs.returns()
        else:
            assert state.legal_actions() == theirs.legal_actions()
        played += 1
    assert played > 50


@pytest.mark.parametrize("text", [*SMALL, *OBSERVED, *FORGETFUL])
def test_games_and_states_are_written_and_read(text: str) -> None:
    game = load(text)
    assert game.short_name() == f"openspiel:{pyspiel.load_game(text)}"
    assert game.rules() == {}
    assert game == load(text) == stier.load_game(game.short_name()) == stier.load_game(pyspiel.load_game(text))
    assert pickle.loads(pickle.dumps(game)) == game
    names = [game.action_to_string(0, action) for action in range(game.num_distinct_actions())]
    assert len(set(names)) == len(names)
    assert not any(set(name) & set(" \n") for name in names)
    state = game.new_initial_state(seed=1)
    while not state.is_terminal():
        assert pickle.loads(pickle.dumps(state)) == state
        assert stier.deserialize_game_and_state(stier.serialize_game_and_state(game, state)) == (game, state)
        state.apply_action(state.legal_actions()[-1])


@pytest.mark.parametrize("text", [*SMALL, *OBSERVED, "phantom_ttt"])
def test_searches_play_and_sample_what_may_be(text: str) -> None:
    game = load(text)
    agent = stier.load_agent("ismcts:iterations=20", game)
    state = game.new_initial_state(seed=2)
    for _ in range(6):
        if state.is_terminal():
            break
        player = state.current_player()
        forced = len(state.legal_actions()) == 1
        assert agent.search(state).iterations == (0 if forced else 20)
        other = state.resample_from_infostate(player, 3)
        assert other.information_state_string(player) == state.information_state_string(player)
        state.apply_action(agent.step(state))


@pytest.mark.parametrize("text", [SMALL[2], SMALL[4], SMALL[14], OBSERVED[0], "phantom_ttt"])
def test_other_tools_take_them(text: str) -> None:
    game = load(text)
    envs = stier.VectorEnv(game, 4, seed=1)
    envs.reset()
    for _ in range(8):
        batch = envs.step(envs.sample_actions())
    assert batch.observation.shape == (4, *game.observation_tensor_shape())
    assert stier.check_no_leak(game, games=1, worlds=2).positions > 0
    beliefs = stier.load_agent("random", game).beliefs(game.new_initial_state(seed=1))
    assert "enumerated" in repr(beliefs)


def test_simultaneous_choices_are_known_as_such() -> None:
    pytest.importorskip("pettingzoo")
    env = stier.pettingzoo.parallel_env("openspiel:goofspiel(imp_info=True,num_cards=3,points_order=descending)")
    env.reset(seed=1)
    assert env.agents == ["player_0", "player_1"]
    _, rewards, *_ = env.step({"player_0": 0, "player_1": 1})
    assert rewards.keys() == {"player_0", "player_1"}


def test_hidden_moves_are_found() -> None:
    for text in ("phantom_ttt", "dark_hex_ir"):
        with pytest.raises(stier.errors.ArgumentError, match=r"cannot be enumerated .* players miss moves"):
            GameTree(load(text))


@pytest.mark.parametrize("text", REFUSED)
def test_refusals_say_why(text: str) -> None:
    with pytest.raises(stier.RulesError, match=REFUSED[text]):
        load(text)


def test_parameters_are_keywords_too() -> None:
    assert stier.load_game("openspiel:kuhn_poker", players=3) == load("kuhn_poker(players=3)")
    assert stier.load_game("openspiel:kuhn_poker(players=3)", players=2).num_players() == 2
    with pytest.raises(stier.RulesError, match="Unknown parameter 'bouts'"):
        stier.load_game("openspiel:kuhn_poker", bouts=3)
    with pytest.raises(TypeError, match="own parameters, got players"):
        stier.load_game(pyspiel.load_game("kuhn_poker"), players=3)


def test_games_of_this_package_come_back_from_openspiel() -> None:
    game = stier.load_game("kuhn_poker", players=3)
    assert stier.load_game(pyspiel.load_game("stier_kuhn_poker(players=3)")) == game


def test_a_player_to_act_sees_its_string_and_its_tensor() -> None:
    game, theirs = load("leduc_poker"), spiel("leduc_poker").new_initial_state()
    state = game.new_initial_state(seed=5)
    for _ in range(3):
        state.apply_action(1)
    for _, action in state.history():
        theirs.apply_action(action)
    player = state.current_player()
    assert theirs.information_state_string() in state.information_state_string(player)
    tensor = np.array(theirs.information_state_tensor()) != 0
    assert state.observation_tensor(player)[-len(tensor) :].tolist() == tensor.tolist()
    assert not state.observation_tensor(1 - player)[-len(tensor) :].any()
    assert theirs.observation_string(player) in state.to_text(player)


@pytest.mark.parametrize("text", ["coop_box_pushing", "laser_tag"])
def test_a_bound_on_random_events_is_mended(text: str) -> None:
    """OpenSpiel's is too low in these games."""
    adapter, game = OpenSpielGame(pyspiel.load_game(text)), load(text)
    for seed in range(3):
        state = list(random_walk(game.new_initial_state(), seed))[-1]
        events = sum(player == stier.CHANCE for player, _ in state.history())
        assert adapter.max_chance_events >= events > adapter.game.max_chance_nodes_in_history()
        assert state.is_terminal()


@pytest.mark.parametrize("text", [*SMALL, *OBSERVED, *FORGETFUL])
def test_they_pass_the_check(text: str) -> None:
    report = stier.check_game(f"openspiel:{text}", histories=500)
    assert report == stier.check_game(pyspiel.load_game(text) if text[:7] != "python_" else load(text), histories=500)
    if report.exhaustive and "dark_hex" not in text:
        assert sum(report.information_sets) == GameTree(load(text)).information_sets


def test_their_parameters_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "openspiel:leduc_poker(players=3)"]) == 0
    shown = capsys.readouterr().out
    assert "    players = 2   (a whole number)\n" in shown
    assert "    suit_isomorphism = False   (False | True)\n" in shown
    for kind in pyspiel.registered_games():
        if kind.default_loadable and not kind.short_name.startswith(("stier_", "python_")):
            options = stier.catalogue.describe_game(f"openspiel:{kind.short_name}")
            assert [option.name for option in options] == sorted(kind.parameter_specification)


@pytest.mark.parametrize("text", [text for text in SMALL if text[:8] not in ("leduc_po", "repeated")])
def test_policies_go_there_and_back(text: str) -> None:
    game, theirs = load(text), spiel(text)
    solution = stier.solve(game, iterations=5)
    policy = as_policy(solution)
    assert exploitability.nash_conv(theirs, policy) == pytest.approx(solution.nash_conv, abs=1e-10)
    table = policy.to_tabular()
    for other in (policy, table, spiel_policy.python_policy_to_pyspiel_policy(table)):
        read = tabular(game, other)
        assert read.nash_conv == pytest.approx(solution.nash_conv, abs=1e-10)
        assert np.allclose(read.values, solution.values, rtol=0, atol=1e-10)
    assert nash_conv(game, table) == pytest.approx(solution.nash_conv, abs=1e-10)


@pytest.mark.parametrize("text", ["goofspiel(imp_info=True,num_cards=3,points_order=descending)", "matrix_pd"])
def test_policies_of_simultaneous_games(text: str) -> None:
    """In turn or at once."""
    theirs = pyspiel.load_game(text)
    policy = as_policy(stier.solve(theirs, iterations=7))
    values = expected_game_score.policy_value(theirs.new_initial_state(), policy)
    assert np.allclose(values, policy.solution.values, rtol=0, atol=1e-10)
    at_once, in_turn = (nash_conv(theirs, spiel_policy.FirstActionPolicy(game)) for game in (theirs, spiel(text)))
    assert at_once == in_turn > 0


def test_policies_for_games_of_this_package() -> None:
    game, theirs = stier.load_game("kuhn_poker"), pyspiel.load_game("stier_kuhn_poker")
    solution = stier.solve(game, iterations=5)
    policy = as_policy(solution)
    assert exploitability.nash_conv(theirs, policy) == pytest.approx(solution.nash_conv, abs=1e-10)
    assert nash_conv(game, policy.to_tabular()) == pytest.approx(solution.nash_conv, abs=1e-10)


def test_policies_are_agents() -> None:
    game = load("kuhn_poker")
    first, even = spiel_policy.FirstActionPolicy(spiel("kuhn_poker")), pyspiel.UniformRandomPolicy(spiel("kuhn_poker"))
    result = stier.pit(game, [first, even], deals=300, seed=1)
    assert result.agents == ["FirstActionPolicy", "TabularPolicy"]
    assert stier.pit(game, [first, even], deals=300, seed=1).mean.tolist() == result.mean.tolist()
    values = expected_game_score.policy_value(spiel("kuhn_poker").new_initial_state(), [first, even])
    swapped = expected_game_score.policy_value(spiel("kuhn_poker").new_initial_state(), [even, first])
    assert abs(result.mean[0] - (values[0] + swapped[1]) / 2) < 2 * result.ci95[0]
    drawn = {PolicyAgent(even, seed).step(game.new_initial_state(seed=1)) for seed in range(20)}
    assert drawn == {0, 1}
    assert stier.exploitability(game, even) == pytest.approx(stier.exploitability(game, "random"), abs=1e-12)


def test_policies_that_do_not_fit() -> None:
    game = load("leduc_poker")
    for policy in (pyspiel.TabularPolicy({"0": [(0, 1.0)]}), spiel_policy.TabularPolicy(spiel("kuhn_poker"))):
        with pytest.raises(
            stier.AgentError, match=r"TabularPolicy: probabilities must add up to 1, got .* for openspiel:l"
        ):
            stier.exploitability(game, policy)
    with pytest.raises(TypeError, match="as_policy takes a TabularPolicy, got str"):
        as_policy("random")  # type: ignore[arg-type]


def test_the_name_of_the_library_is_corrected() -> None:
    with pytest.raises(stier.RulesError, match=r"is named openspiel:kuhn_poker.*, got 'open_spiel:kuhn_poker"):
        stier.load_game("open_spiel:kuhn_poker(players=3)")


def test_a_suite_has_games_of_openspiel(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from stier import experiments

    loaded = [pyspiel.load_game("kuhn_poker"), pyspiel.load_game("tiny_bridge_2p")]
    suite = experiments.Suite(loaded, ["random", "ismcts:iterations=5"], deals=2)
    assert list(suite.experiments) == ["openspiel:kuhn_poker()", "openspiel:tiny_bridge_2p()"]
    assert suite == experiments.Suite(list(suite.experiments), ["random", "ismcts:iterations=5"], deals=2)
    assert experiments.load(experiments.run(suite, tmp_path).folder).complete
    with pytest.raises(stier.ArgumentError, match="two of the games are the same"):
        experiments.Suite([loaded[0], "openspiel:kuhn_poker"], ["random", "ismcts:iterations=5"])
