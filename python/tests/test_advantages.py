"""Advantages: by brute force, and against exact values of toys, where an estimate must be right on average."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest
from helpers import TINY

import stier

pytest.importorskip("safetensors")
pytest.importorskip("jax")

import stier.train
from stier.train import Settings, gae, ppo
from stier.train._selfplay import Decisions, SelfPlay


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


def brute_force(rewards, values, expected, terminated, players, gamma, lam, zero_sum):
    """Advantages by their definition: the sum over all later decisions of discounted errors of the critic."""
    steps, lanes, _ = rewards.shape
    advantages, known = np.zeros((steps, lanes)), np.ones((steps, lanes), bool)
    for lane, step in itertools.product(range(lanes), range(steps)):
        me = players[step, lane]
        total, weight, at = 0.0, 1.0, step
        while True:
            # The next decision that counts: anybody's with signs, else the next one of the same player.
            received, after, over = 0.0, at, False
            while True:
                received += rewards[after, lane, me]
                over = bool(terminated[after, lane])
                after += 1
                if over or after == steps or zero_sum or players[after, lane] == me:
                    break
            sign = 1 if players[at, lane] == me else -1
            own = sign * expected[at, lane]
            if over:
                total += weight * (received - own)
                break
            if after == steps and players[after, lane] != me and not zero_sum:
                # Nobody can say what this decision was worth; what came before stops at its value.
                known[step, lane] = at != step
                break
            later = (1 if players[after, lane] == me else -1) * values[after, lane]
            total += weight * (received + gamma * later - own)
            weight *= gamma * lam
            at = after
            if at == steps:
                break
        advantages[step, lane] = total if known[step, lane] else 0
    return advantages, known


@pytest.mark.parametrize(("seats", "zero_sum"), [(2, True), (2, False), (3, False), (5, False)])
@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 1.0), (1.0, 0.95), (0.9, 0.5), (1.0, 0.0)])
@pytest.mark.parametrize("actions", [False, True])
def test_advantages_are_those_of_the_definition(
    seats: int, zero_sum: bool, gamma: float, lam: float, actions: bool
) -> None:
    rng = np.random.default_rng(seats)
    steps, lanes = 24, 50
    rewards = rng.standard_normal((steps, lanes, seats)).astype(np.float32)
    if zero_sum:
        rewards[..., 1] = -rewards[..., 0]
    values = rng.standard_normal((steps + 1, lanes)).astype(np.float32)
    terminated = rng.random((steps, lanes)) < 0.15
    players = rng.integers(seats, size=(steps + 1, lanes))
    options = {"gamma": gamma, "lam": lam, "zero_sum": zero_sum, "sees_all": zero_sum}
    critic = values[:-1]
    if actions:
        critic = rng.standard_normal((steps, lanes)).astype(np.float32)
        options["action_values"] = critic
    found = stier.train.gae(rewards, values, terminated, players, **options)
    expected, known = brute_force(rewards, values, critic, terminated, players, gamma, lam, zero_sum)
    assert (found.known == known).all()
    assert known.all() == zero_sum
    np.testing.assert_allclose(found.advantages, expected, atol=2e-5)
    np.testing.assert_allclose(found.returns, found.advantages + critic)


def test_turns_that_alternate_are_told_from_those_that_do_not() -> None:
    # Player 0 decides twice in a row, then player 1, who loses a point to player 0.
    rewards = np.zeros((3, 1, 2))
    rewards[2, 0] = [1, -1]
    values = np.array([[0.5], [0.75], [-0.25], [9.0]])
    arguments = (rewards, values, [[False], [False], [True]], [[0], [0], [1], [0]])
    found = stier.train.gae(*arguments, lam=0.0, zero_sum=True, sees_all=True)
    assert found.advantages[:, 0].tolist() == [0.25, -0.5, -0.75]
    assert stier.train.gae(*arguments, lam=0.0).advantages[:, 0].tolist() == [0.25, 0.25, -0.75]


def test_arrays_that_do_not_go_together_are_refused() -> None:
    rewards, values, over, players = np.zeros((4, 2, 3)), np.zeros((5, 2)), np.zeros((4, 2)), np.zeros((5, 2), int)
    stier.train.gae(rewards, values, over, players)
    with pytest.raises(ValueError, match=r"rewards must be \(steps, environments, players\)"):
        stier.train.gae(rewards[0], values, over, players)
    with pytest.raises(ValueError, match=r"values must be \(5, 2\)"):
        stier.train.gae(rewards, values[1:], over, players)
    with pytest.raises(ValueError, match=r"action_values must be \(4, 2\) for rewards of .*, got \(5, 2\)"):
        stier.train.gae(rewards, values, over, players, action_values=values)


def test_advantages_of_all_actions_are_right_on_average_with_any_critic() -> None:
    """In one decision whose actions are chosen as often as the policy says, and return what they truly do."""
    made = stier.train.learner("leduc_poker", central_critic=True, action_critic=True, **TINY)
    state = stier.load_game("leduc_poker").new_initial_state(seed=1)
    legal = state.legal_actions_mask()
    truth = np.random.default_rng(1).standard_normal(len(legal)).astype(np.float32)
    seen = state.observation_tensor().astype(np.uint8)[None]
    everything = np.concatenate([seen, seen], 1)
    log_policy, values, _ = (np.asarray(found) for found in ppo.forward(made.params, seen, everything, legal[None]))
    policy = np.exp(log_policy[0])
    count = int(legal.sum())
    batch = Decisions(
        observation=np.repeat(seen, count, 0),
        critic_observation=np.repeat(everything, count, 0),
        legal=np.repeat(legal[None], count, 0),
        action=np.flatnonzero(legal).astype(np.int32),
        log_policy=np.repeat(log_policy, count, 0),
        advantages=(truth - values[0])[legal],
        returns=truth[legal],
    )
    found = np.asarray(ppo.advantages_of_actions(made.params, batch))
    mean = (policy[legal][:, None] * found).sum(0)
    np.testing.assert_allclose(mean[legal], (truth - (policy * values[0])[legal].sum())[legal], atol=1e-5)
    assert (found[:, ~legal] == 0).all()
    assert count < len(legal)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("schwinget", {}),
        ("schwinget", {"central_critic": True}),
        ("schweins_galopp", {"horizon": 2}),
        ("schwimmen", {"horizon": 5}),
        ("up_and_down", {}),
    ],
)
def test_every_decision_is_learned_from_once_with_a_known_advantage(
    name: str, settings: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batch by batch the same as in one go: no decision at the end of a batch is dropped."""
    monkeypatch.setattr("stier.train._selfplay.LAMBDA", 0.0)
    game = stier.load_game(name)
    settings = {"num_envs": 8, "horizon": 6, "minibatches": 1, "seed": 4, **settings}
    weights = np.random.default_rng(1).standard_normal(game.num_distinct_actions()).astype(np.float32)

    def choose(observation, critic, legal, call):
        # The choice depends on the observation, and on nothing else.
        logits = np.where(legal, weights + observation.sum(1, keepdims=True) % 7 * weights[::-1], -1e9)
        value = np.sin(critic.astype(np.float32) @ np.arange(critic.shape[1], dtype=np.float32))
        return logits.argmax(1), logits.astype(np.float32), value, np.cos(value)

    play = SelfPlay(game, Settings(**settings))
    assert play.zero_sum == bool(settings.get("central_critic"))
    parts = [play.collect(choose)[0] for _ in range(20)]
    assert bool(play.ahead) != play.zero_sum
    whole, _ = SelfPlay(game, Settings(**(settings | {"horizon": 20 * settings["horizon"]}))).collect(choose)
    for column in ("observation", "critic_observation", "legal", "action", "log_policy"):
        together = np.concatenate([getattr(part, column) for part in parts])
        assert (together == getattr(whole, column)).all(), column
    for column in ("advantages", "returns"):
        together = np.concatenate([getattr(part, column) for part in parts])
        np.testing.assert_allclose(together, getattr(whole, column), atol=1e-5)
