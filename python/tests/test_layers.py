"""One seed gives the same game in every layer: the same cards and dice, the same that players see, the same returns."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

import stier

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

import stier.gymnasium as sgym
import stier.pettingzoo as spz

#: (player, what it sees, mask, action) of every decision; then the returns and everything that happened.
Transcript: TypeAlias = tuple[list[tuple[int, bytes, bytes, int]], list[float], list[tuple[int, int]]]


def choose(mask: Any, rng: random.Random) -> int:
    return rng.choice(np.flatnonzero(mask).tolist())


def of_states(game: stier.Game, seed: int) -> Transcript:
    rng = random.Random(seed)
    state = game.new_initial_state(seed=seed)
    decisions = []
    while not state.is_terminal():
        player, mask = state.current_player(), state.legal_actions_mask()
        action = choose(mask, rng)
        decisions.append((player, state.observation_tensor(player).tobytes(), mask.tobytes(), action))
        state.apply_action(action)
    return decisions, state.returns().tolist(), state.history()


def of_pettingzoo(game: stier.Game, seed: int) -> Transcript:
    rng = random.Random(seed)
    env = spz.env(game)
    env.reset(seed=seed)
    decisions = []
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, _, _ = env.last()
        returns[agent] += reward
        action = None if terminated else choose(seen["action_mask"], rng)
        if action is not None:
            player = env.possible_agents.index(agent)
            decisions.append((player, seen["observation"].tobytes(), seen["action_mask"].tobytes(), action))
        env.step(action)
    return decisions, list(returns.values()), env.stier_state.history()


def of_parallel(game: stier.Game, seed: int) -> Transcript:
    rng = random.Random(seed)
    env = spz.parallel_env(game)
    observations, _ = env.reset(seed=seed)
    decisions: list[tuple[int, bytes, bytes, int]] = []
    rewards: dict[str, float] = {}
    while env.agents:
        first = env.stier_state.current_player()
        actions = {}
        # Choices at once are drawn in the order in which states make them.
        for player in [(first + seat) % game.num_players() for seat in range(game.num_players())]:
            agent = env.possible_agents[player]
            mask = observations[agent]["action_mask"]
            if not mask[env.wait]:
                actions[agent] = choose(mask, rng)
                seen = observations[agent]["observation"]
                decisions.append((player, seen.tobytes(), mask[:-1].tobytes(), actions[agent]))
        observations, rewards, _, _, _ = env.step(actions)
    return decisions, list(rewards.values()), env.stier_state.history()


def moves_so_far(state: stier.State) -> int:
    return sum(player != stier.CHANCE for player, _ in state.history())


def of_gymnasium(game: stier.Game, seed: int) -> Transcript:
    """Every seat in turn is the one that learns; the others do what they did in the game of states."""
    expected, _, _ = of_states(game, seed)
    decisions: list[tuple[int, bytes, bytes, int]] = []
    returns = []

    def as_before(state: stier.State) -> int:
        # An opponent is given a state that it considers possible. In Dark Hex, that history can have another length.
        del state
        return expected[moves_so_far(env.stier_state)][-1]

    for seat in range(game.num_players()):
        env = sgym.make(game, seat=seat, opponents=as_before)
        observation, info = env.reset(seed=seed)
        over, reward = False, 0.0
        while not over:
            if env.stier_state.is_terminal():
                _, reward, over, _, _ = env.step(0)
                continue
            number = moves_so_far(env.stier_state)
            action = expected[number][-1]
            decisions.append((number, observation.tobytes(), info["action_mask"].tobytes(), action))
            observation, reward, over, _, info = env.step(action)
        returns.append(reward)
    decisions.sort()
    return (
        [(expected[number][0], *rest) for number, *rest in decisions],  # type: ignore[misc]
        returns,
        env.stier_state.history(),
    )


def of_open_spiel(game: stier.Game, seed: int) -> Transcript:
    pyspiel = pytest.importorskip("pyspiel")
    import stier.open_spiel as sos

    rng = random.Random(seed)
    state = pyspiel.load_game(sos.PREFIX + game.short_name(), dict(game.rules())).new_initial_state()
    decisions = []
    sos.deal(state, seed)
    while not state.is_terminal():
        player, mask = state.current_player(), np.array(state.legal_actions_mask(), np.bool_)
        action = choose(mask, rng)
        seen = np.array(state.observation_tensor(player), np.float32)
        decisions.append((player, seen.tobytes(), mask.tobytes(), action))
        state.apply_action(action)
        sos.deal(state, seed)
    events = [(item.player, item.action) for item in state.full_history()]
    return decisions, state.returns(), events


@pytest.mark.parametrize("layer", [of_pettingzoo, of_gymnasium, of_open_spiel, of_parallel])
def test_one_seed_one_game_in_every_layer(game: stier.Game, layer: Callable[[stier.Game, int], Transcript]) -> None:
    if layer is of_parallel and not game.is_simultaneous():
        return
    for seed in (0, 7, 2**40):
        decisions, returns, events = of_states(game, seed)
        other_decisions, other_returns, other_events = layer(game, seed)
        assert other_decisions == decisions
        # Gymnasium's rewards are those of the vector environment, which has them in single precision.
        assert other_returns == (np.float32(returns).tolist() if layer is of_gymnasium else returns)
        assert other_events == events
