"""`stier.gymnasium`: Gymnasium's own tests, and what they do not ask."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from helpers import fast_agent, illegal_action, player_actions

import stier

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match

import stier.gymnasium as sgym


@pytest.mark.parametrize("make", ["make", "make_vec"])
def test_games_are_found_without_an_import(make: str) -> None:
    script = f"""
import gymnasium
env = gymnasium.{make}("stier.gymnasium:stier/Schwinget-v0", opponents="random")
print(env.unwrapped.spec.id)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "stier/Schwinget-v0\n"


def test_gymnasium_loads_no_plugins() -> None:
    """So an entry point ``gymnasium.envs`` would change nothing: the module has to be imported or named."""
    script = """
import importlib.metadata

def asked(**_):
    raise AssertionError("Gymnasium looks for plugins: give stier an entry point")

importlib.metadata.entry_points = asked
import gymnasium
try:
    gymnasium.make("stier/Schwinget-v0")
except gymnasium.error.NamespaceNotFound:
    print("not found")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "not found\n"


def play(env: Any, seed: int | None, rng: random.Random) -> tuple[list[int], float]:
    """One game at random; gives the actions of the seat and the reward."""
    _, info = env.reset(seed=seed)
    actions = []
    total, over = 0.0, False
    while not over:
        actions.append(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
        _, reward, over, truncated, info = env.step(actions[-1])
        total += reward
        assert not truncated
        assert set(info) == {"action_mask"}
    return actions, total


@pytest.mark.parametrize("name", stier.registered_names())
@pytest.mark.parametrize("mode", [None, "ansi"])
def test_their_checker(name: str, mode: str | None) -> None:
    opponents = fast_agent(stier.load_game(name))
    env = gymnasium.make(sgym.environment_id(name), opponents=opponents, seat="random", render_mode=mode)
    check_env(env.unwrapped)


@pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes")
def test_their_checker_under_other_rules(game: stier.Game) -> None:
    check_env(sgym.make(game, seat=1, tensor="information_state"))


def test_two_of_a_kind_match(game: stier.Game) -> None:
    """Bit by bit, opponents included, over several games without a new seed."""
    one, other = (
        sgym.make(game, opponents="ismcts:iterations=20", seat="random", render_mode="ansi") for _ in range(2)
    )
    check_environments_match(one, other, num_steps=100, seed=11)


def test_ids() -> None:
    assert sgym.environment_id("up_and_down") == "stier/UpAndDown-v0"
    env = gymnasium.make("stier/Schwimmen-v0", players=4, seat=2)
    assert env.unwrapped.game == stier.load_game("schwimmen", players=4)
    assert env.unwrapped.seat == 2
    assert np.array_equal(env.reset(seed=1)[1]["action_mask"], env.get_wrapper_attr("action_masks")())


def test_rewards_are_the_returns_of_the_seat(game: stier.Game) -> None:
    for seat in range(game.num_players()):
        env = sgym.make(game, seat=seat)
        _, reward = play(env, seat, random.Random(seat))
        assert env.stier_state.is_terminal()
        # In single precision, as in the vector environment.
        assert reward == np.float32(env.stier_state.player_return(seat))


def test_opponents_sit_from_the_left_of_the_seat() -> None:
    game = stier.load_game("schweins_galopp", players=3)
    asked: list[tuple[str, int]] = []

    def named(name: str) -> Any:
        def choose(state: stier.State) -> int:
            asked.append((name, state.current_player()))
            return state.legal_actions()[0]

        return choose

    play(sgym.make(game, seat=1, opponents=[named("left"), named("right")]), 1, random.Random(1))
    assert set(asked) == {("left", 2), ("right", 0)}


def test_seats_drawn_from_the_seed() -> None:
    env = sgym.make("schwimmen", players=4, seat="random")
    seats = []
    for seed in range(200):
        env.reset(seed=seed)
        seats.append(env.seat)
    counts = np.bincount(seats, minlength=4)
    assert counts.min() > 25
    env.reset(seed=17)
    assert env.seat == seats[17]


def test_seats_in_turn() -> None:
    env = sgym.make("schwimmen", players=3, seat="rotate")
    seats = []
    for seed in [5, None, None, None, 8, None]:
        env.reset(seed=seed)
        seats.append(env.seat)
    assert seats == [0, 1, 2, 0, 0, 1]


def test_one_seed_one_game_with_every_kind_of_opponent() -> None:
    for opponents in ["random", "ismcts:iterations=30", stier.load_agent("greedy", stier.load_game("schwinget"))]:
        games = []
        for _ in range(2):
            env = sgym.make("schwinget", opponents=opponents)
            play(env, 3, random.Random(3))
            games.append(env.stier_state.history())
        assert games[0] == games[1]
    others = set()
    env = sgym.make("schwinget", opponents="random")
    for seed in range(5):
        play(env, seed, random.Random(0))
        others.add(tuple(player_actions(env.stier_state)))
    assert len(others) == 5


def test_a_deal_may_be_over_before_the_seat_chooses() -> None:
    env = sgym.make("schwimmen", seat=0)
    over = []
    for seed in range(200):
        _, info = env.reset(seed=seed)
        if env.stier_state.is_terminal():
            assert info["action_mask"].all()
            over.append(env.step(0)[1:3])
        else:
            assert not info["action_mask"].all()
    assert over
    assert all(ended for _, ended in over)
    assert {reward for reward, _ in over} <= {0.5, -1.0}


@pytest.mark.parametrize("given", [None, -9.0])
def test_illegal_actions_end_the_game_with_a_penalty(game: stier.Game, given: float | None) -> None:
    env = sgym.make(game, illegal_reward=given)
    for seed in range(20):
        _, info = env.reset(seed=seed)
        if not env.stier_state.is_terminal():
            break
    illegal = illegal_action(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(illegal)
    assert observation.shape == env.observation_space.shape
    assert (reward, terminated, truncated) == (game.min_utility() if given is None else given, True, False)
    assert info["illegal_action"] == illegal
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.step(0)


def test_masks_say_the_same() -> None:
    env = sgym.make("schwinget")
    _, info = env.reset(seed=1)
    assert env.action_masks().dtype == np.bool_
    assert info["action_mask"].dtype == np.int8
    assert np.array_equal(env.action_masks(), info["action_mask"])
    assert np.flatnonzero(env.action_masks()).tolist() == env.stier_state.legal_actions()
    assert env.action_space.sample(info["action_mask"]) in env.stier_state.legal_actions()


def test_renderings_show_what_the_seat_sees(capsys: pytest.CaptureFixture[str]) -> None:
    text = {}
    for mode in ["ansi", "ansi_open"]:
        env = sgym.make("schwinget", seat=1, render_mode=mode)
        env.reset(seed=3)
        text[mode] = env.render()
    assert text == {"ansi": env.stier_state.to_text(1), "ansi_open": str(env.stier_state)}
    sgym.make("schwinget", seat=1, render_mode="human").reset(seed=3)
    assert capsys.readouterr().out == f"{text['ansi']}\n"


def test_arguments() -> None:
    with pytest.raises(stier.errors.SeatError, match="between 0 and 1, 'rotate' or 'random', got 2"):
        sgym.make("schwinget", seat=2)
    with pytest.raises(ValueError, match="one agent or a list of 3, got 2"):
        sgym.make("up_and_down", opponents=["random", "greedy"])
    with pytest.raises(stier.AgentError):
        sgym.make("schwinget", opponents="nobody")
    with pytest.raises(stier.RulesError):
        sgym.make("schwinget", nonsense=1)
    with pytest.raises(stier.RulesError, match="unknown keyword 'opponets'; did you mean 'opponents'"):
        gymnasium.make("stier/Schwinget-v0", opponets="greedy")
    with pytest.raises(stier.RulesError, match="unknown keyword 'nun_envs'; did you mean 'num_envs'"):
        sgym.make_vec("schwinget", nun_envs=2)
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        sgym.make("schwinget").step(0)


def test_games_without_a_seed_follow_from_the_last_one() -> None:
    env = sgym.make("schwinget")

    def deals(seed: int | None) -> list[int]:
        env.reset(seed=seed)
        drawn = [env.deal_seed]
        for _ in range(3):
            env.reset()
            drawn.append(env.deal_seed)
        return drawn

    assert deals(1) == deals(1)
    assert deals(1)[0] == 1
    assert not set(deals(1)) & set(deals(2))
    assert len(set(deals(1))) == 4
    assert sgym.make("schwinget").reset()[0].shape == env.observation_space.shape
