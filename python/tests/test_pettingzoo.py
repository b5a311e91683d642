"""`stier.pettingzoo`: PettingZoo's own tests, and what they do not ask."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest
from helpers import illegal_action, random_walk

import stier

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import stier.pettingzoo as spz
from stier.pettingzoo import choices_at_once

#: Warnings of the test about all but PettingZoo's own games, whose names it lists.
own_games = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably should be"
)

#: Games in which players choose at the same time.
simultaneous = pytest.mark.parametrize(
    ("name", "rules"),
    [
        *[("up_and_down", {"players": players}) for players in (2, 3, 4)],
        *[("goofspiel", {"points": points}) for points in ("descending", "random")],
    ],
)


def legal(observation: dict[str, Any], rng: random.Random) -> int:
    return rng.choice(np.flatnonzero(observation["action_mask"]).tolist())


@own_games
def test_their_api_test(game: stier.Game) -> None:
    api_test(spz.env(game), num_cycles=100)


@pytest.mark.parametrize("tensor", ["observation", "information_state"])
def test_their_seed_test(game: stier.Game, tensor: Any) -> None:
    seed_test(lambda: spz.env(game, tensor=tensor), num_cycles=100)


@simultaneous
def test_their_parallel_tests(name: str, rules: dict[str, Any]) -> None:
    parallel_api_test(spz.parallel_env(name, **rules), num_cycles=200)
    parallel_seed_test(lambda: spz.parallel_env(name, **rules), num_cycles=200)


def test_a_game_pays_its_returns(game: stier.Game) -> None:
    env = spz.env(game)
    rng = random.Random(1)
    for seed in range(3):
        env.reset(seed=seed)
        paid = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            paid[agent] += reward
            assert not truncated
            assert info == {}
            env.step(None if terminated else legal(observation, rng))
        assert env.agents == []
        assert list(paid.values()) == env.stier_state.returns().tolist()


@own_games
def test_observations_are_new_and_only_who_moves_may_act() -> None:
    env = spz.env("schwimmen")
    env.reset(seed=1)
    for agent in env.possible_agents:
        one, other = env.observe(agent), env.observe(agent)
        assert one["observation"] is not other["observation"]
        one["observation"][:] = -1
        assert other["observation"].min() >= 0
        assert bool(one["action_mask"].any()) == (agent == env.agent_selection)
        assert env.observation_space(agent).contains(other)


def test_a_player_may_be_selected_twice_in_a_row() -> None:
    env = spz.env("schwimmen", dealer_swap="off")
    env.reset(seed=1)
    agent, taken = env.agent_selection, env.stier_state.legal_actions()[0]
    assert env.stier_state.action_to_string(taken).startswith("take:")
    env.step(taken)
    assert env.agent_selection == agent


def test_a_deal_may_be_over_before_anybody_chooses() -> None:
    env = spz.env("schwimmen", players=5, dealer_swap="off")
    seeds = [seed for seed in range(300) if env.game.new_initial_state(seed=seed).is_terminal()]
    assert seeds
    env.reset(seed=seeds[0])
    rewards = []
    for _ in env.agent_iter():
        _, reward, terminated, _, _ = env.last()
        assert terminated
        rewards.append(reward)
        env.step(None)
    assert sorted(rewards) == sorted(env.stier_state.returns().tolist())


@pytest.mark.parametrize(("given", "penalty"), [(None, None), (-3.5, -3.5)])
def test_illegal_actions_end_the_game_with_a_penalty(
    game: stier.Game, given: float | None, penalty: float | None
) -> None:
    env = spz.env(game, illegal_reward=given)
    env.reset(seed=2)
    offender = env.agent_selection
    illegal = illegal_action(env.observe(offender)["action_mask"])
    env.step(illegal)
    assert env.infos[offender] == {"illegal_action": illegal}
    assert all(env.terminations.values())
    expected = game.min_utility() if penalty is None else penalty
    assert env.rewards == {agent: expected if agent == offender else 0.0 for agent in env.agents}
    for _ in env.agent_iter():
        env.step(None)


def test_calls_in_the_wrong_order() -> None:
    for env in (spz.env("schwinget"), spz.parallel_env("up_and_down")):
        for call in (lambda env=env: env.step({}), env.state, env.render):
            with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
                call()


def test_games_without_a_seed_follow_from_the_last_one() -> None:
    env = spz.env("schwinget")

    def deals(seed: int) -> list[int]:
        env.reset(seed=seed)
        drawn = []
        for _ in range(3):
            env.reset()
            drawn.append(env.deal_seed)
        return drawn

    assert deals(1) == deals(1)
    assert deals(1) != deals(2)
    assert len(set(deals(1))) == 3


def test_the_random_events_of_another_game_can_be_dealt(game: stier.Game) -> None:
    *_, world = random_walk(game.new_initial_state(seed=3), 3)
    env = spz.env(game)
    env.deal_as(world)
    for seed in (4, 5):
        env.reset(seed=seed)
        for player, action in world.history():
            if player != stier.CHANCE:
                assert env.agent_selection == f"player_{player}"
                env.step(action)
        assert env.stier_state == world
        assert list(env.rewards.values()) == world.returns().tolist()


def test_a_game_ends_where_no_event_is_left_to_deal() -> None:
    env = spz.env("schwinget")
    env.deal_as(stier.load_game("schwinget").new_initial_state(seed=3))
    env.reset()
    with pytest.raises(RuntimeError, match=r"after the last random event that deal_as\(\) was given"):
        env.step(legal(env.observe(env.agent_selection), random.Random(1)))
    env.deal_as(stier.load_game("schwinget").new_initial_state())
    with pytest.raises(RuntimeError, match="last random event"):
        env.reset()


def test_the_state_of_all_players_is_said_to_be_that() -> None:
    env = spz.env("schwinget")
    env.reset(seed=1)
    assert env.state_space.contains(env.state())
    assert np.array_equal(env.state(), [env.observe(agent)["observation"] for agent in env.agents])


def test_copies_and_pickles_go_on_alike() -> None:
    env = spz.env("schwimmen")
    env.reset(seed=5)
    env.step(env.stier_state.legal_actions()[0])
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.stier_state == env.stier_state
        assert twin.stier_state is not env.stier_state
        twin.reset()
        reference = copy.deepcopy(env)
        reference.reset()
        assert twin.stier_state == reference.stier_state


def test_renderings_show_what_the_agent_selected_sees(capsys: pytest.CaptureFixture[str]) -> None:
    env = spz.env("schwinget", render_mode="ansi")
    env.reset(seed=3)
    seat = env.possible_agents.index(env.agent_selection)
    assert env.render() == env.stier_state.to_text(seat)
    shown = spz.env("schwinget", render_mode="ansi_open")
    shown.reset(seed=3)
    assert shown.render() == str(shown.stier_state)
    quiet = spz.env("schwinget")
    quiet.reset(seed=3)
    assert quiet.render() is None
    assert capsys.readouterr().out == ""
    human = spz.env("schwinget", render_mode="human")
    human.reset(seed=3)
    assert capsys.readouterr().out == env.render() + "\n"
    with pytest.raises(ValueError, match="render_mode must be 'ansi', 'human', 'ansi_open' or None, got"):
        spz.env("schwinget", render_mode="rgb_array")


def test_arguments() -> None:
    with pytest.raises(stier.RulesError, match="option"):
        spz.env("schwinget", nonsense=1)
    with pytest.raises(TypeError, match="a loaded game has its own rules"):
        spz.env(stier.load_game("schwinget"), bouts=2)
    with pytest.raises(ValueError, match="tensor must be 'observation' or 'information_state', got"):
        spz.env("schwinget", tensor="all")  # type: ignore[arg-type]
    with pytest.raises(stier.RulesError, match=r"takes games .* \(goofspiel, up_and_down\); for schwimmen use env"):
        spz.parallel_env("schwimmen")


def test_metadata_tell_the_two_kinds_apart() -> None:
    one, all_at_once = spz.env("up_and_down"), spz.parallel_env("up_and_down")
    assert one.metadata["is_parallelizable"] is False
    assert all_at_once.metadata["is_parallelizable"] is True
    assert one.metadata["name"] == "stier_up_and_down_v0"
    assert all_at_once.metadata["name"] == "stier_up_and_down_parallel_v0"


def parallel_game(env: Any, seed: int, rng: random.Random) -> list[dict[str, int]]:
    """Play a game at random; gives the choices of every step."""
    observations, _ = env.reset(seed=seed)
    steps = []
    while env.agents:
        choices = {agent: legal(seen, rng) for agent, seen in observations.items()}
        observations, _, _, _, infos = env.step(choices)
        assert all(info == {} for info in infos.values())
        steps.append({agent: action for agent, action in choices.items() if action != env.wait})
    return steps


def test_parallel_steps_are_a_change_by_the_boss_and_then_a_card_of_each() -> None:
    env = spz.parallel_env("up_and_down", players=3)
    steps = parallel_game(env, 7, random.Random(7))
    changes = [env.game.string_to_action(name) for name in ["flip", "rotate:1", "rotate:2", "rotate:3", "roll"]]
    for change, cards in zip(steps[::2], steps[1::2], strict=True):
        assert len(change) == 1
        assert set(change.values()) <= set(changes)
        assert len(cards) == 3
        assert not set(cards.values()) & set(changes)


@simultaneous
def test_parallel_is_the_same_game_as_one_after_another(name: str, rules: dict[str, Any]) -> None:
    """Same observations at every choice, same returns."""
    for seed in range(3):
        parallel, env = spz.parallel_env(name, **rules), spz.env(name, **rules)
        observations, _ = parallel.reset(seed=seed)
        env.reset(seed=seed)
        rng = random.Random(seed)
        while parallel.agents:
            choices = {agent: legal(seen, rng) for agent, seen in observations.items()}
            for _ in range(sum(action != parallel.wait for action in choices.values())):
                agent = env.agent_selection
                seen, _, _, _, _ = env.last()
                assert np.array_equal(seen["observation"], observations[agent]["observation"])
                assert np.array_equal(seen["action_mask"], observations[agent]["action_mask"][:-1])
                env.step(choices[agent])
            observations, rewards, _, _, _ = parallel.step(choices)
        assert env.rewards == rewards
        assert env.stier_state == parallel.stier_state


@simultaneous
def test_parallel_choices_are_hidden_until_all_are_in(name: str, rules: dict[str, Any]) -> None:
    """The view of a later player does not depend on what an earlier one chooses at the same time."""
    for state in random_walk(stier.load_game(name, **rules).new_initial_state(seed=5), 5):
        if not state.is_terminal():
            at_once = choices_at_once(state)
            for choice in state.legal_actions()[1:] if len(at_once) > 1 else []:
                other = choices_at_once(state.child(choice))
                for seat in list(at_once)[1:]:
                    assert np.array_equal(
                        at_once[seat].information_state_tensor(seat), other[seat].information_state_tensor(seat)
                    )


def test_parallel_waiting() -> None:
    env = spz.parallel_env("up_and_down", players=2)
    observations, _ = env.reset(seed=1)
    idle = [agent for agent, seen in observations.items() if seen["action_mask"][env.wait]]
    assert len(idle) == 1
    assert observations[idle[0]]["action_mask"].sum() == 1
    boss = next(agent for agent in env.agents if agent not in idle)
    with pytest.raises(KeyError, match=boss):
        env.step({idle[0]: env.wait})
    env.step({boss: env.game.string_to_action("flip")})
    assert all(env.action_space(agent).n == env.game.num_distinct_actions() + 1 for agent in env.agents)


def test_parallel_illegal_actions_cost_those_who_chose_them() -> None:
    env = spz.parallel_env("up_and_down", players=3)
    observations, _ = env.reset(seed=1)
    rng = random.Random(1)
    observations, *_ = env.step({agent: legal(seen, rng) for agent, seen in observations.items()})
    choices = {agent: legal(seen, rng) for agent, seen in observations.items()}
    choices["player_0"] = choices["player_2"] = env.wait
    _, rewards, terminations, _, infos = env.step(choices)
    low = env.game.min_utility()
    assert rewards == {"player_0": low, "player_1": 0.0, "player_2": low}
    assert all(terminations.values())
    assert infos == {"player_0": {"illegal_action": env.wait}, "player_1": {}, "player_2": {"illegal_action": env.wait}}
    assert env.agents == []
