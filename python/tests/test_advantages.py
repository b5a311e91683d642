"""Advantages against exact values: on toys whose histories are all known, an estimate must be right on average."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest

import stier

pytest.importorskip("safetensors")

from stier.train import gae


class History(NamedTuple):
    """A whole game under uniform play."""

    probability: float
    #: Of each decision the player, what the player knows, what all players together know, and the action.
    decisions: tuple[tuple[int, object, object, int], ...]
    returns: tuple[float, ...]


def kuhn() -> list[History]:
    """Kuhn poker: three cards, one each; pass or bet."""
    found = []

    def play(cards: tuple[int, int], said: str, decisions: tuple[tuple[int, object, object, int], ...]) -> None:
        if said[-2:] in ("pp", "bp", "bb"):
            higher = 1 if cards[0] > cards[1] else -1
            folded = {"bp": 1, "pbp": -1}.get(said)
            win = folded if folded is not None else higher * (2 if said[-2:] == "bb" else 1)
            found.append(History(0.5 ** len(said) / 6, decisions, (float(win), float(-win))))
            return
        player = len(said) % 2
        for action, word in enumerate("pb"):
            play(cards, said + word, (*decisions, (player, (cards[player], said), (cards, said), action)))

    for cards in itertools.permutations(range(3), 2):
        play(cards, "", ())
    return found


def small_deck() -> list[History]:
    """A deck of six cards, one in hand. The winner of a trick leads the next: the turn order depends on the cards."""
    game = stier.load_game("schwinget", suits=2, values=2, hand_size=1, set_aside=2)
    found = []

    def play(state: stier.State, probability: float, decisions: tuple[tuple[int, object, object, int], ...]) -> None:
        if state.is_terminal():
            found.append(History(probability, decisions, tuple(state.returns())))
        elif state.is_chance_node():
            for outcome, share in state.chance_outcomes():
                play(state.child(outcome), probability * share, decisions)
        else:
            player, legal = state.current_player(), state.legal_actions()
            seen = [state.information_state_string(seat) for seat in range(2)]
            for action in legal:
                decision = (player, (player, seen[player]), tuple(seen), action)
                play(state.child(action), probability / len(legal), (*decisions, decision))

    play(game.new_initial_state(), 1.0, ())
    return found


TOYS = {"kuhn": kuhn(), "small_deck": small_deck()}


def averages(keys: list[object], values: list[float], weights: list[float]) -> dict[object, float]:
    """Weighted means by key."""
    sums: dict[object, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for key, value, weight in zip(keys, values, weights, strict=True):
        sums[key][0] += weight * value
        sums[key][1] += weight
    return {key: total / weight for key, (total, weight) in sums.items()}


def largest_error(
    histories: list[History], *, steps: int | None = None, central: bool = False, actions: bool = False, **options
) -> float:
    """The largest distance of the mean estimate from the exact advantage, with an exact critic.

    The critic sees one hand or all, and may value actions, too. Every lane is a history. The arrays end after so many
    steps; a game that is over is followed by another one.
    """
    longest = max(len(history.decisions) for history in histories)
    rows = [(history, decision) for history in histories for decision in history.decisions]
    shares = [history.probability for history, _ in rows]
    returns = [history.returns[decision[0]] for history, decision in rows]
    own = averages([decision[1] for _, decision in rows], returns, shares)
    action_values = averages([(decision[1], decision[3]) for _, decision in rows], returns, shares)
    seen_by_all = averages([decision[2] for _, decision in rows], returns, shares)
    actions_seen_by_all = averages([(decision[2], decision[3]) for _, decision in rows], returns, shares)

    lanes = len(histories)
    rewards = np.zeros((longest, lanes, 2))
    values, players = np.full((longest + 1, lanes), 7.0), np.zeros((longest + 1, lanes), int)
    over, chosen = np.zeros((longest, lanes), bool), np.zeros((longest, lanes))
    for lane, history in enumerate(histories):
        last = len(history.decisions) - 1
        rewards[last, lane], over[last:, lane] = history.returns, True
        for step, (player, knows, all_know, action) in enumerate(history.decisions):
            players[step, lane] = player
            values[step, lane] = seen_by_all[all_know] if central else own[knows]
            chosen[step, lane] = actions_seen_by_all[all_know, action] if central else action_values[knows, action]
    end = longest if steps is None else steps
    if actions:
        options["action_values"] = chosen[:end]
    found = gae(rewards[:end], values[: end + 1], over[:end], players[: end + 1], **options)
    beyond = chosen[:end] - values[:end] if actions else np.zeros((end, lanes))
    keys, estimates, weights = [], [], []
    for lane, history in enumerate(histories):
        for step, (_, knows, _, action) in enumerate(history.decisions[: len(found.advantages)]):
            if found.known[step, lane]:
                keys.append((knows, action))
                estimates.append(found.advantages[step, lane] + beyond[step, lane])
                weights.append(history.probability)
    mean = averages(keys, estimates, weights)
    return max((abs(estimate - (action_values[key] - own[key[0]])) for key, estimate in mean.items()), default=0.0)


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("lam", [0.0, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("actions", [False, True])
def test_own_trajectories_are_right_on_average(toy: str, lam: float, actions: bool) -> None:
    assert largest_error(TOYS[toy], lam=lam, actions=actions) < 1e-5
    assert largest_error(TOYS[toy], lam=lam, actions=actions, central=True) < 1e-5


@pytest.mark.parametrize(
    ("toy", "lam", "error"),
    [("kuhn", 0.0, 0.5), ("kuhn", 0.95, 0.025), ("small_deck", 0.0, 1.0), ("small_deck", 0.95, 0.05)],
)
def test_minus_the_opponent_s_value_is_wrong_where_cards_are_hidden(toy: str, lam: float, error: float) -> None:
    # The critic sees one hand only, whatever it is called here.
    assert largest_error(TOYS[toy], lam=lam, zero_sum=True, sees_all=True) == pytest.approx(error, abs=1e-4)


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("lam", [0.0, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("actions", [False, True])
def test_minus_the_opponent_s_value_is_right_for_a_critic_that_sees_everything(
    toy: str, lam: float, actions: bool
) -> None:
    assert largest_error(TOYS[toy], lam=lam, zero_sum=True, sees_all=True, central=True, actions=actions) < 1e-5


@pytest.mark.parametrize("toy", TOYS)
def test_with_lam_1_both_ways_are_the_same_if_all_games_end(toy: str) -> None:
    assert largest_error(TOYS[toy], lam=1.0, zero_sum=True) < 1e-5


def test_sign_changes_are_refused_where_they_are_biased() -> None:
    rewards, values, players = np.zeros((2, 1, 2)), np.zeros((3, 1)), [[0], [1], [0]]
    ends, goes_on = [[False], [True]], [[True], [False]]
    for over, options in [(ends, {"lam": 0.95}), (ends, {"lam": 0.0}), (goes_on, {"lam": 1.0})]:
        with pytest.raises(ValueError, match="zero_sum=True is biased where cards are hidden: minus the opponent's"):
            gae(rewards, values, over, players, zero_sum=True, **options)
        gae(rewards, values, over, players, zero_sum=True, sees_all=True, **options)
    gae(rewards, values, ends, players, zero_sum=True, lam=1.0)
    gae(rewards, values, goes_on, players, zero_sum=True, lam=1.0, horizon=1)
    with pytest.raises(ValueError, match="zero_sum is for two players, got 3"):
        gae(np.zeros((2, 1, 3)), values, ends, players, zero_sum=True, sees_all=True)
    with pytest.raises(ValueError, match="horizon must be between 0 and 2, the steps given, got 3"):
        gae(rewards, values, ends, players, horizon=3)


@pytest.mark.parametrize("lam", [0.0, 0.95, 1.0])
def test_the_end_of_the_arrays_biases_nothing_with_a_horizon(lam: float) -> None:
    histories = TOYS["small_deck"]
    longest = max(len(history.decisions) for history in histories)
    dropped = 0.0
    for horizon in range(1, longest):
        assert largest_error(histories, lam=lam, horizon=horizon) < 1e-5
        # Without further steps: whether a decision is known depends on who won the trick.
        dropped = max(dropped, largest_error(histories, lam=lam, steps=horizon))
    assert dropped > 0.1
