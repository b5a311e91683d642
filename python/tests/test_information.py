"""The knowledge of players: information states and determinizations."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import decisions, has_chance, random_walk

import stier


def legal_from_the_start(state: stier.State) -> stier.State:
    """The same history, applied event by event to a new state."""
    replayed = state.get_game().new_initial_state()
    for player, action in state.history():
        assert replayed.current_player() == player
        assert action in replayed.legal_actions()
        replayed.apply_action(action)
    return replayed


def test_determinizations_are_legal_and_look_alike(game: stier.Game) -> None:
    for state in random_walk(game.new_initial_state(), 21):
        for player in range(game.num_players()):
            other = state.resample_from_infostate(player, state.move_number())
            assert legal_from_the_start(other) == other
            assert other.current_player() == state.current_player()
            assert other.information_state_string(player) == state.information_state_string(player)
            for tensor in ["information_state_tensor", "observation_tensor"]:
                assert np.array_equal(getattr(other, tensor)(player), getattr(state, tensor)(player))
            if state.current_player() == player:
                assert other.legal_actions() == state.legal_actions()


def test_determinizations_differ_in_what_is_hidden(game: stier.Game) -> None:
    dealt = [state for state in decisions(game, 22) if any(player == stier.CHANCE for player, _ in state.history())]
    for state in [state for state in dealt if state.history()[-1][0] == stier.CHANCE][:3]:
        worlds = {state.resample_from_infostate(state.current_player(), seed) for seed in range(20)}
        assert len(worlds) > 1


def test_determinizations_are_a_function_of_the_seed(game: stier.Game) -> None:
    state = next(decisions(game, 23))
    assert state.resample_from_infostate(0, 5) == state.resample_from_infostate(0, np.uint64(5))
    with pytest.raises(ValueError, match="seed must be"):
        state.resample_from_infostate(0, -1)


def test_determinizations_deal_as_the_state_does(game: stier.Game) -> None:
    seeded = game.new_initial_state(seed=24)
    for state in random_walk(seeded.resample_from_infostate(0, 1), 24):
        assert not state.is_chance_node()
    futures = set()
    for seed in range(10):
        *_, last = random_walk(seeded.resample_from_infostate(0, seed), 24)
        futures.add(tuple(last.history()))
    assert (len(futures) > 1) == has_chance(game)


def test_string_and_tensor_of_an_information_state_say_the_same(game: stier.Game) -> None:
    """Over many positions: equal strings if and only if equal tensors."""
    strings: dict[str, bytes] = {}
    for seed in range(5):
        for state in random_walk(game.new_initial_state(), seed):
            for player in range(game.num_players()):
                tensor = state.information_state_tensor(player).tobytes()
                assert strings.setdefault(state.information_state_string(player), tensor) == tensor
    assert len(set(strings.values())) == len(strings)


SMALL = {
    "best": "iterations=60,",
    "epimc": "worlds=3,depth=2,nodes=50,iterations=4,",
    "ismcts": "iterations=300,",
    "ismcts_br": "iterations=20,particles=64,",
    "lbr": "worlds=3,particles=64,",
    "mmds": "rollouts=20,particles=64,",
    "pimc": "worlds=5,nodes=50,iterations=20,",
    "presumed_pimc": "worlds=2,guesses=2,nodes=20,iterations=4,",
    "recursive_pimc": "worlds=1,inner_worlds=1,plies=3,",
    "ris_mcts": "iterations=30,",
}


@pytest.mark.parametrize("agent", [name for name in stier.registered_agents() if name != "oracle"])
def test_agents_cannot_peek(game: stier.Game, agent: str) -> None:
    """In a world that its player cannot tell apart, an agent with the same seed sees the same and does the same."""
    if agent not in stier.registered_agents(game):
        pytest.skip("refused: the agent needs a network, or a built-in policy that the game does not have")
    budget = SMALL.get(agent, "")
    for state in decisions(game, 25):
        other = state.resample_from_infostate(state.current_player(), 1)
        policies = [
            stier.load_agent(f"{agent}:{budget}seed=3", game).step_with_policy(world) for world in (state, other)
        ]
        assert policies[0] == policies[1]


def test_searches_cannot_peek(game: stier.Game) -> None:
    def statistics(world: stier.State) -> list[tuple[float, ...]]:
        search = stier.load_agent("ismcts", game, iterations=500, seed=3).search(world)
        return [(a.action, a.visits, a.value, a.availability, a.probability) for a in search.actions]

    for state in decisions(game, 26):
        assert statistics(state) == statistics(state.resample_from_infostate(state.current_player(), 1))


def test_oracles_peek(schwinget: stier.Game) -> None:
    """In other worlds of the same view they find other values."""
    oracle = stier.load_agent("oracle", schwinget, iterations=100, nodes=1000, worlds=2)
    differ = 0
    for state in decisions(schwinget, 27):
        other = state.resample_from_infostate(state.current_player(), 1)
        if len(state.legal_actions()) > 1 and other != state:
            values = []
            for world in (state, other):
                oracle.restart()
                values.append([stats.value for stats in oracle.search(world).actions])
            assert oracle.step(state) in state.legal_actions()
            differ += values[0] != values[1]
    assert differ > 0


def test_a_known_pile_is_the_one_of_the_seed() -> None:
    """Two oracles who know the pile get what they expect."""
    game = stier.load_game("schwinget", suits=2, values=4, hand_size=2, set_aside=2)
    oracle = stier.load_agent("oracle", game, future="known", nodes=10_000_000)
    for seed in range(5):
        state = game.new_initial_state(seed=seed)
        expected = set()
        while not state.is_terminal():
            if len(state.legal_actions()) > 1:
                value = max(stats.value for stats in oracle.search(state).actions)
                expected.add(value if state.current_player() == 0 else -value)
            state.apply_action(oracle.step(state))
        assert expected <= {state.returns()[0]}
