"""Many determinizations and many searches in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import decisions

import stier


def some_states(game: stier.Game, seed: int = 3) -> list[stier.State]:
    return list(decisions(game, seed))[::4]


def one_state(game: stier.Game) -> stier.State:
    """The fifth decision of a random game, or the last of a shorter one."""
    found = list(decisions(game, 3))
    return found[min(4, len(found) - 1)]


def world_seed(seed: int, state: int, world: int) -> int:
    return stier.derive_seed(stier.derive_seed(seed, "resample many", state), "world", world)


def test_worlds_with_histories_are_resampled_states(game: stier.Game) -> None:
    states = some_states(game)
    worlds = stier.resample_many(states, 3, 5, histories=True)
    assert len(worlds) == 3 * len(states)
    assert worlds.players.tolist() == [state.current_player() for state in states for _ in range(3)]
    for index, world in enumerate(worlds):  # type: ignore[arg-type,var-annotated]
        state = states[index // 3]
        player = state.current_player()
        assert world == state.resample_from_infostate(player, world_seed(5, index // 3, index % 3))
        assert world.information_state_string(player) == state.information_state_string(player)
    assert worlds[-1] == worlds[len(worlds) - 1]
    other = stier.resample_many(states[0], 2, 5, player=1, histories=True, threads=1)
    assert other[1] == states[0].resample_from_infostate(1, world_seed(5, 0, 1))


def test_holdings_are_the_cards(game: stier.Game) -> None:
    state = one_state(game)
    player, players = state.current_player(), game.num_players()
    worlds = stier.resample_many(state, 50, 6, histories=True)
    held = worlds.holdings()
    assert (held.dtype, held.shape) == (np.uint8, (50, players, len(worlds.cards)))
    beliefs = stier.load_agent("random", game).beliefs(state)
    assert worlds.cards == beliefs.cards
    # The player knows its own cards, and how many the others have.
    own = beliefs.expected[:, player]
    np.testing.assert_array_equal(held[:, player], np.tile(own, (50, 1)))
    np.testing.assert_allclose(held.sum(2)[0], beliefs.expected.sum(0), atol=1e-9)


def test_worlds_of_an_agent_follow_its_beliefs(game: stier.Game) -> None:
    state, agent = one_state(game), "ismcts:iterations=1,beliefs=policy,model=greedy,model_epsilon=0.3"
    player, seed = state.current_player(), stier.derive_seed(stier.derive_seed(7, "resample many", 0), "beliefs", 0)
    expected = stier.load_agent(agent, game, seed=seed).beliefs(state).expected
    for histories, count in [(False, 20_000), (True, 2_000)]:
        worlds = stier.resample_many(state, count, 7, agent=agent, histories=histories)
        held = worlds.holdings()
        error = 4 * held.std(axis=0) / count**0.5 + 1e-9
        assert (abs(held.mean(axis=0) - expected.T) <= error).all()
        np.testing.assert_array_equal(
            held, stier.resample_many(state, count, 7, agent=agent, histories=histories, threads=1).holdings()
        )
    assert worlds[0].information_state_string(player) == state.information_state_string(player)


def test_beliefs_change_the_worlds(schwinget: stier.Game) -> None:
    state, agent = some_states(schwinget)[3], "ismcts:beliefs=policy,model=fitted"
    chance, believed = (stier.resample_many(state, 20_000, 7, agent=agent).holdings() for agent in (None, agent))
    assert abs(chance.mean(axis=0) - believed.mean(axis=0)).max() > 0.05
    with pytest.raises(stier.AgentError, match="unknown agent 'nobody'"):
        stier.resample_many(state, 1, agent="nobody")


def test_positions_follow_the_same_distribution(schwinget: stier.Game) -> None:
    state = some_states(schwinget)[2]
    worlds = stier.resample_many(state, 20_000, 7)
    expected = stier.load_agent("random", schwinget).beliefs(state).expected
    # Five standard deviations of a share of 20,000.
    assert np.abs(worlds.holdings().mean(0).T - expected).max() < 5 * 0.5 / 20_000**0.5
    with pytest.raises(ValueError, match="histories=True"):
        worlds[0]


def test_observations_of_worlds(game: stier.Game) -> None:
    state = one_state(game)
    player = state.current_player()
    other = (player + 1) % game.num_players()
    worlds = stier.resample_many(state, 4, 6, histories=True)
    own = worlds.observation_tensors()
    assert own.dtype == np.float32
    assert own.tolist() == [state.observation_tensor(player).tolist()] * 4
    seen = worlds.observation_tensors(other, dtype="uint8")
    assert seen.dtype == np.uint8
    for index in range(4):
        np.testing.assert_array_equal(seen[index], worlds[index].observation_tensor(other))


def test_threads_and_company_change_no_world(schwinget: stier.Game) -> None:
    states = some_states(schwinget)
    one, two = (stier.resample_many(states, 5000, 2, threads=threads).holdings() for threads in [1, 2])
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one[:10], stier.resample_many(states[0], 10, 2).holdings())
    assert (one != stier.resample_many(states, 5000, 3).holdings()).any()


def test_what_cannot_be_resampled(schwinget: stier.Game) -> None:
    state, dealing = schwinget.new_initial_state(seed=1), schwinget.new_initial_state()
    other = stier.load_game("schwimmen").new_initial_state(seed=1)
    worlds = stier.resample_many(state, 2)
    bad: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
        (([], 1), {}, ValueError, "states must not be empty"),
        (([state, other], 1), {}, ValueError, "state 1 is of schwimmen, state 0 of schwinget"),
        ((state, 0), {}, ValueError, "n must be between 1 and "),
        ((state, 10**12), {}, ValueError, "n must be between 1 and "),
        ((state, 1, -1), {}, ValueError, "seed must be between 0 and "),
        ((state, 1), {"player": 2}, stier.errors.SeatError, "has no seat 2"),
        (([state, dealing], 1), {}, stier.errors.SeatError, "no player to move"),
        (("schwinget", 1), {}, TypeError, "State"),
        ((7, 1), {}, TypeError, "iter"),
    ]
    for arguments, options, error, message in bad:
        with pytest.raises(error, match=message):
            stier.resample_many(*arguments, **options)
    with pytest.raises(IndexError, match="no world 2: there are 2"):
        worlds[2]
    with pytest.raises(IndexError):
        worlds[-3]
    with pytest.raises(ValueError, match="dtype must be float32 or uint8, got 'int8'"):
        worlds.observation_tensors(dtype="int8")  # type: ignore[call-overload]
    # Before the cards are dealt, and when all is over, a player can be named.
    assert len(stier.resample_many(dealing, 3, player=0)) == 3


def figures(search: stier.Search) -> tuple[Any, ...]:
    return (search.action, search.iterations, search.nodes, [(s.action, s.visits, s.value) for s in search.actions])


def test_searches_are_those_of_new_agents(game: stier.Game) -> None:
    states = some_states(game)[:6]
    found = stier.search_many("ismcts:iterations=60", states, seed=4, threads=2)
    for index, state in enumerate(states):
        agent = stier.load_agent("ismcts:iterations=60", game, seed=stier.derive_seed(4, "search", index))
        assert figures(found[index]) == figures(agent.search(state))
    # An agent's text form enters, with its seed.
    agent = stier.load_agent("ismcts", game, iterations=60, seed=4)
    agent.step(states[0])
    again = stier.search_many(agent, iter(states[:3]), threads=1)
    assert [figures(search) for search in again] == [figures(search) for search in found[:3]]


def test_progress_is_told(schwinget: stier.Game, terminal: pytest.CaptureFixture[str]) -> None:
    states = some_states(schwinget)
    found = stier.search_many("flat_mc:iterations=20", states, progress=True)
    assert len(found) == len(states)
    assert f"{len(states)}/{len(states)}" in terminal.readouterr().err


def test_what_cannot_be_searched(schwinget: stier.Game) -> None:
    state, dealing = schwinget.new_initial_state(seed=1), schwinget.new_initial_state()
    for agent, states, error, message in [
        ("nobody", [state], stier.AgentError, "unknown agent 'nobody'"),
        ("random", [state], stier.AgentError, "random does not search"),
        (3, [state], TypeError, "an agent must be an Agent or its text"),
        (len, [state], stier.AgentError, "len does not search"),
        (stier.load_agent("ismcts", stier.load_game("schwimmen")), [state], stier.AgentError, "was made for"),
        ("ismcts:iterations=10", [state, dealing], stier.AgentError, "state 1: no player can act"),
        ("ismcts:iterations=10", [], ValueError, "states must not be empty"),
    ]:
        arguments: list[Any] = [agent, states]
        with pytest.raises(error, match=message):
            stier.search_many(*arguments)


def test_seeds_are_derived_as_everywhere() -> None:
    assert stier.derive_seed(7, "deal", 3) == 2306064270565769674
    with pytest.raises(ValueError, match="seed must be between 0 and "):
        stier.derive_seed(-1, "deal", 3)
