"""Public states as an interface: walks, passes, parts of games, and policies followed through them."""

from __future__ import annotations

import gc
import inspect
import pickle
import random
import sys
import weakref
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers import DiscountedCFR
from test_memory import resident_bytes
from test_ranges import DECKS as SCHWINGET, LARGE, PLAIN

import stier
from stier.public import Play, PublicState, PublicTree, frequency, walk
from stier.solving import GameTree, Rows, Step, iterate, run

#: In the last, a hand may hold a card that is in all hands of the other player.
ALL_DECKS = [f"schwinget:{deck}" for deck in [*SCHWINGET, "suits=2,values=3,hand_size=3,set_aside=1,referee=off"]]
DECKS = ALL_DECKS[1:3]
GAMES = [*PLAIN, *DECKS]

Array = npt.NDArray[Any]


def some_policies(tree: PublicTree, seed: int = 1) -> list[Array]:
    rng = np.random.default_rng(seed)
    players = [Rows.of(tree, player) for player in range(2)]
    return [rows.normalize(rng.random(len(rows)).astype(np.float32)) for rows in players]


class Pass:
    """The results of a pass."""

    def __init__(self, rows: Rows, policies: list[Array]) -> None:
        kind = policies[0].dtype
        self.regrets, self.reach = np.empty(len(rows), kind), np.empty(len(rows), kind)
        self.values, self.others = np.empty(len(rows.sets), kind), np.empty(len(rows.sets), kind)
        rows.tree.regrets_into(rows.player, policies, self.regrets, self.reach, self.values, self.others)


@pytest.mark.parametrize("game", PLAIN)
def test_a_pass_finds_what_it_finds_on_the_tree_of_histories(game: str) -> None:
    public, tree = PublicTree(game), GameTree(game)
    policies = some_policies(public)
    # The place of each row of the tree among those of public states, by what the player knows.
    places: list[dict[str, int]] = [{}, {}]
    for state in walk(public.roots):
        if state.player >= 0:
            wide = np.flatnonzero(state.legal.sum(axis=1) > 1)
            at = state.rows.start
            for hand in wide:
                seen = state.state(state.player, int(hand))
                places[state.player][seen.information_state_string()] = at
                assert seen.current_player() == state.player
                assert [state.actions[column] for column in np.flatnonzero(state.legal[hand])] == seen.legal_actions()
                at += int(state.legal[hand].sum())
            assert at == state.rows.stop
    strings = tree.information_state_strings()
    orders, own = [], []
    for player in range(2):
        rows, other = Rows.of(public, player), Rows.of(tree, player)
        starts = np.array([places[player][strings[number]] for number in other.sets])
        assert sorted(starts.tolist()) == rows.starts.tolist()
        orders.append(np.concatenate([np.arange(a, a + w) for a, w in zip(starts, other.widths, strict=True)]))
        assert rows.actions[orders[-1]].tolist() == other.actions.tolist()
        own.append(policies[player].astype(np.float64)[orders[-1]])
    for player in range(2):
        rows, other = Rows.of(public, player), Rows.of(tree, player)
        found, exact = Pass(rows, policies), Pass(other, own)
        sets = np.searchsorted(rows.starts, orders[player][other.starts])
        assert found.regrets[orders[player]] == pytest.approx(exact.regrets, abs=1e-6)
        assert found.reach[orders[player]] == pytest.approx(exact.reach, abs=1e-6)
        assert found.values[sets] == pytest.approx(exact.values, abs=1e-6)
        assert found.others[sets] == pytest.approx(exact.others, abs=1e-6)
    solution = public.solution(policies, name="any")
    assert solution.values == pytest.approx(tree.solution(own).values, abs=1e-6)
    assert solution.nash_conv == pytest.approx(tree.solution(own).nash_conv, abs=1e-6)
    assert solution.iterations == tree.solution(own).iterations == 0


@pytest.mark.parametrize("game", DECKS)
def test_hands_of_schwinget_stand_for_all_orders_of_draws_and_names_of_suits(game: str) -> None:
    """Numbers of the tree of histories, each times the reach by own choices, add up to those of hands."""
    public, tree = PublicTree(game), GameTree(game)
    policies = some_policies(public)
    exact = tree.policy_of(public.solution(policies))
    masks = tree.legal_action_masks()
    own = [exact.probabilities()[rows.sets][masks[rows.sets]] for rows in (Rows.of(tree, 0), Rows.of(tree, 1))]
    for player in range(2):
        rows, other = Rows.of(public, player), Rows.of(tree, player)
        # No two probabilities are equal, so they tell which row is which.
        known = policies[player].astype(np.float64)
        known /= rows.spread(rows.sums(known))
        order = np.argsort(known)
        places = order[np.searchsorted(known[order] + 1e-13, own[player])]
        assert known[places] == pytest.approx(own[player], abs=1e-13)
        assert len(rows) < len(other)
        found, all_orders = Pass(rows, policies), Pass(other, own)

        def total(numbers: Array, places: Array = places, size: int = len(rows)) -> Array:
            return np.bincount(places, numbers, size)

        reach = all_orders.reach / own[player]
        here = rows.spread(rows.sums(found.reach))
        assert total(reach * all_orders.regrets) == pytest.approx(here * found.regrets, abs=1e-6)
        for name in ("values", "others"):
            numbers = other.spread(getattr(all_orders, name))
            assert total(reach * numbers) == pytest.approx(here * rows.spread(getattr(found, name)), abs=1e-6)
        assert total(all_orders.reach * other.spread(all_orders.others)) == pytest.approx(
            found.reach * rows.spread(found.others), abs=1e-6
        )


@pytest.mark.parametrize("game", [*PLAIN, *ALL_DECKS])
def test_tables_and_moves_have_the_actions_of_rows(game: str) -> None:
    tree = PublicTree(game)
    policies, players = some_policies(tree), [Rows.of(tree, player) for player in range(2)]
    play = tree.follow(policies)
    assert [rows.tolist() for rows in play.policies] == [rows.tolist() for rows in policies]
    assert play.policies[0] is not play.policies[0]
    for state in walk(tree):
        if state.player < 0:
            continue
        rows, actions, legal = players[state.player], np.array(state.actions), state.legal
        several = legal.sum(axis=1) > 1
        hands, columns = np.nonzero(legal & several[:, None])
        assert rows.actions[state.rows].tolist() == actions[columns].tolist()
        first, last = np.searchsorted(rows.starts, [state.rows.start, state.rows.stop])
        assert rows.widths[first:last].tolist() == legal.sum(axis=1)[several].tolist()
        table, policy = state.table(policies[state.player], single=0.25), play.policy(state)
        assert table[hands, columns].tolist() == policies[state.player][state.rows].tolist()
        assert (table[legal & ~several[:, None]] == 0.25).all()
        assert policy.tolist() == state.table(policies[state.player], single=1).tolist()
        assert legal.any(axis=1).all()
        moved = set()
        for event in state.events:
            before, action, _ = state.moves(event, state.player)
            moved |= set(zip(before.tolist(), action.tolist(), strict=True))
            assert (state.moves(event, 1 - state.player)[1] == -1).all()
        fits = state.fits.any(axis=1 - state.player)
        possible = {(hand, actions[column]) for hand, column in np.argwhere(legal) if fits[hand]}
        assert possible <= moved <= {(hand, actions[column]) for hand, column in np.argwhere(legal)}


class CFRPlus:
    """Tammelin 2014."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.regrets = rows, rows.zeros()

    def __call__(self, step: Step) -> tuple[Array, float]:
        np.maximum(self.regrets + step.regrets, 0, out=self.regrets)
        return self.rows.normalize(self.regrets), step.iteration


class CFR:
    """Zinkevich et al. 2007."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.regrets = rows, rows.zeros()

    def __call__(self, step: Step) -> tuple[Array, float]:
        self.regrets += step.regrets
        return self.rows.normalize(np.maximum(self.regrets, 0)), 1


class PredictiveCFRPlus:
    """Farina, Kroer and Sandholm 2021: the last regrets are the prediction of the next."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.regrets = rows, rows.zeros()

    def __call__(self, step: Step) -> tuple[Array, float]:
        np.maximum(self.regrets + step.regrets, 0, out=self.regrets)
        return self.rows.normalize(np.maximum(self.regrets + step.regrets, 0)), step.iteration**2


RULES = [(DiscountedCFR, "discounted_cfr", True), (CFRPlus, "cfr+", True), (CFR, "cfr", False)]


@pytest.mark.parametrize("game", ["leduc_poker", *DECKS])
def test_rules_do_what_native_solvers_do(game: str) -> None:
    tree = PublicTree(game, threads=1)
    for rule, algorithm, alternating in RULES:
        assert len(inspect.getsource(rule).splitlines()) <= 15
        own = run(tree, rule, iterations=16, alternating=alternating)
        native = stier.solve(game, algorithm, iterations=16, ranges=True)
        assert own.history["iterations"].tolist() == native.history["iterations"].tolist()
        assert own.history["nash_conv"] == pytest.approx(native.history["nash_conv"], rel=1e-2, abs=1e-6)
        assert own.values == pytest.approx(native.values, abs=1e-4)
        assert (own.origin, own.public_states) == (rule.__name__, tree.public_states)
        # Solvers count cards of one rank in Leduc poker once.
        assert native.public_states == (242 if game == "leduc_poker" else tree.public_states)
    assert len(inspect.getsource(PredictiveCFRPlus).splitlines()) <= 15
    fast = run(tree, PredictiveCFRPlus, iterations=64)
    assert fast.nash_conv is not None
    assert own.nash_conv is not None
    assert fast.nash_conv < own.nash_conv / 4


def test_threads_change_no_bit() -> None:
    policies: list[Array] | None = None
    found = []
    for threads in (1, 3):
        tree = PublicTree(LARGE, threads=threads)
        rows = Rows.of(tree, 1)
        policies = policies or some_policies(tree)
        found.append(Pass(rows, policies))
    for name in ("regrets", "reach", "values", "others"):
        first, second = (getattr(one, name) for one in found)
        assert (first == second).all()
        assert np.abs(first).max() > 0


def naive(state: PublicState, policy: Play, ranges: list[Array], player: int) -> Array:
    """The counterfactual values of a player's hands, by a walk in Python."""
    if not state.children():
        pays = state.weights * state.returns(player)
        return np.asarray(pays @ ranges[1] if player == 0 else ranges[0] @ pays)
    values = np.zeros(state.hands(player))
    shares = policy.policy(state) if state.player >= 0 else None
    for event, child in zip(state.events, state.children(), strict=True):
        after, moves = [], []
        for mover in range(2):
            before, action, to = state.moves(event, mover)
            share = np.ones(len(before))
            if shares is not None and mover == state.player:
                columns = [state.actions.index(taken) for taken in action]
                share = shares[before, columns]
            assert shares is None or (mover == state.player) == bool((action >= 0).all())
            after.append(np.bincount(to, weights=ranges[mover][before] * share, minlength=child.hands(mover)))
            moves.append((before, share, to))
        below = naive(child, policy, after, player)
        before, share, to = moves[player]
        np.add.at(values, before, share * below[to])
    return values


@pytest.mark.parametrize("game", ["kuhn_poker", "liars_dice:sides=2", "goofspiel:cards=3", DECKS[0]])
def test_a_walk_in_python_finds_what_follow_finds(game: str) -> None:
    tree = PublicTree(game)
    policies = some_policies(tree)
    play = tree.follow(policies)
    solution = tree.solution(policies)
    for player in range(2):
        total = 0.0
        for root in tree.roots:
            ones = [np.ones(root.hands(each)) for each in range(2)]
            values = naive(root, play, ones, player)
            assert play.values(root)[player] == pytest.approx(values, abs=1e-6)
            total += float(values.sum())
        assert total == pytest.approx(solution.values[player], abs=1e-6)
    check_play(tree, play)


def check_play(tree: PublicTree, play: Play) -> None:
    """Checks the numbers of every public state against each other."""
    states = list(walk(tree.roots))
    ends = [play.reach(state) for state in states if not state.children()]
    assert sum(ends) == pytest.approx(1, abs=1e-6)
    assert len(states) == tree.public_states
    for state in states:
        check_state(play, state)


def check_state(play: Play, state: PublicState) -> None:
    near = partial(pytest.approx, rel=1e-5, abs=1e-9)
    weights, ranges, others, children = state.weights, play.ranges(state), play.others(state), state.children()
    assert (state.fits == (weights > 0)).all()
    assert weights.shape == (state.hands(0), state.hands(1))
    assert others[0] == near(weights @ ranges[1])
    assert others[1] == near(ranges[0] @ weights)
    reach = float(ranges[0] @ weights @ ranges[1])
    assert play.reach(state) == near(reach)
    if reach > 1e-6:
        assert sum(play.value(state, player) for player in range(2)) == pytest.approx(
            float(sum(play.values(state)[p] @ ranges[p] for p in range(2))) / reach, abs=1e-4
        )
    if children:
        assert sum(map(play.reach, children)) == near(reach)
        assert len(children) == len(state.events) == len(set(state.events))
    else:
        assert play.values(state)[0] == near((weights * state.returns(0)) @ ranges[1])
        assert play.values(state)[1] == near(ranges[0] @ (weights * state.returns(1)))
    if state.player >= 0:
        policy = play.policy(state)
        assert policy.shape == state.legal.shape == (state.hands(state.player), len(state.actions))
        assert policy.sum(axis=1) == pytest.approx(1, abs=1e-6)
        assert (policy[~state.legal] == 0).all()


def test_a_large_deck_has_sound_numbers_in_all_its_parts() -> None:
    """It has too many public states for one walk: some lines of play are followed to the end."""
    tree, rng = PublicTree(LARGE), random.Random(1)
    policies = some_policies(tree)
    play, solution = tree.follow(policies), tree.solution(policies)
    for player in range(2):
        total = sum(float(play.values(root)[player].sum()) for root in tree.roots)
        assert total == pytest.approx(solution.values[player], abs=1e-6)
    for state in tree.roots * 5:
        check_state(play, state)
        while state.children():
            state = rng.choice(state.children())
            check_state(play, state)


@pytest.mark.parametrize("game", GAMES)
def test_a_part_of_a_game_has_the_values_of_the_whole(game: str) -> None:
    whole = PublicTree(game)
    policies = some_policies(whole)
    play, solution = whole.follow(policies), whole.solution(policies)
    state = whole.roots[-1]
    while len(state.history) < 4 and any(child.children() for child in state.children()):
        state = next(child for child in reversed(state.children()) if child.children())
    part = PublicTree(game, root=state, ranges=play.ranges(state))
    (root,) = part.roots
    assert part.public_states == sum(1 for _ in walk([state]))
    assert (root.player, root.hands(0), root.hands(1)) == (state.player, state.hands(0), state.hands(1))
    assert (root.weights == state.weights).all()
    assert root != state
    own = part.policies_of(solution)
    inside = part.follow(own)
    for player in range(2):
        assert inside.values(root)[player] == pytest.approx(play.values(state)[player], abs=1e-6)
        assert inside.ranges(root)[player].tolist() == play.ranges(state)[player].tolist()
        hand = state.hands(player) - 1
        there, here = (where.state(player, hand).information_state_string(player) for where in (state, root))
        assert there == here
    assert inside.reach(root) == pytest.approx(play.reach(state), abs=1e-6)
    for child, other in zip(root.children(), state.children(), strict=True):
        assert child.events == other.events
        assert inside.values(child)[0] == pytest.approx(play.values(other)[0], abs=1e-6)
    # An agent is asked about the places in the whole game.
    asked = part.policies_of(lambda state: solution.step(state) if state.history() else 0, seeds=1)
    assert all((rows > 0).any() for rows in asked if len(rows))
    below = PublicTree(game, root=root)
    assert below.public_states == part.public_states
    with pytest.raises(stier.ArgumentError, match="a part of its game"):
        part.solution(own)


class TrueValues:
    """The values of a followed policy at the leaves of a tree, which stand for what a network would learn."""

    def __init__(self, play: Play, states: list[PublicState]) -> None:
        self.play, self.states, self.calls = play, states, 0

    def __call__(self, player: int, ranges: list[Array]) -> Array:
        self.calls += 1
        values = np.zeros(ranges[player].shape, np.float32)
        for row, state in enumerate(self.states):
            found = self.play.values(state)[player]
            values[row, : len(found)] = found
            for seat in range(2):
                known = self.play.ranges(state)[seat]
                assert ranges[seat][row, : len(known)] == pytest.approx(known, abs=1e-6)
                assert (ranges[seat][row, len(known) :] == 0).all()
        return values


def same_place(whole: PublicTree, state: PublicState) -> PublicState:
    """Returns the same public state in another tree with the same roots."""
    found = whole.roots[state.tree.roots.index(root_of(state))]
    for event in state.history:
        found = found.child(event)
    return found


def root_of(state: PublicState) -> PublicState:
    (found,) = [root for root in state.tree.roots if state in set(walk([root]))]
    return found


@pytest.mark.parametrize("game", GAMES)
def test_a_tree_that_is_cut_off_has_the_values_of_the_whole(game: str) -> None:
    whole = PublicTree(game)
    policies = some_policies(whole)
    play, solution = whole.follow(policies), whole.solution(policies)
    blank = PublicTree(game, depth=2)
    assert blank.leaves
    assert all(leaf.legal.any() and leaf.events == [] for leaf in blank.leaves)
    assert all(leaf.is_leaf and leaf.player >= 0 and not leaf.children() for leaf in blank.leaves)
    values = TrueValues(play, [same_place(whole, leaf) for leaf in blank.leaves])
    tree = PublicTree(game, depth=2, values=values)
    assert tree.public_states < whole.public_states
    followed = tree.follow(tree.policies_of(solution))
    assert values.calls == 2
    for state in walk(tree.roots):
        other = same_place(whole, state)
        for player in range(2):
            assert followed.values(state)[player] == pytest.approx(play.values(other)[player], abs=1e-6)
            assert followed.others(state)[player] == pytest.approx(play.others(other)[player], abs=1e-6)
        assert followed.reach(state) == pytest.approx(play.reach(other), abs=1e-6)
    with pytest.raises(stier.ArgumentError, match=r"needs values\(player, ranges\)"):
        blank.follow(blank.policies_of(solution))
    assert PublicTree(game, depth=1000).leaves == []


@pytest.mark.parametrize("game", ["leduc_poker", DECKS[1]])
def test_a_part_solved_anew_has_its_value_in_the_equilibrium(game: str) -> None:
    """The equilibrium of a game is one in each part, for the ranges that lead there."""
    whole = PublicTree(game)
    solution = run(whole, DiscountedCFR, iterations=400)
    play = whole.follow(solution)
    states = [state for state in walk(whole.roots) if 2 <= len(state.history) <= 3 and state.player >= 0]
    state = max(states, key=play.reach)
    part = PublicTree(game, root=state, ranges=play.ranges(state))
    policies = iterate(part, DiscountedCFR, iterations=400)
    again = part.follow(policies)
    assert again.value(part.roots[0]) == pytest.approx(play.value(state), abs=5e-3)
    assert any((first != second).any() for first, second in zip(policies, part.policies_of(solution), strict=True))


def test_values_of_solved_parts_solve_the_trunk() -> None:
    """CFR in the trunk, with leaves that are solved for the ranges there, finds the value of Kuhn poker."""
    game = "kuhn_poker"
    whole = PublicTree(game)
    parts = [PublicTree(game, root=same_place(whole, leaf)) for leaf in PublicTree(game, depth=1).leaves]

    def values(player: int, ranges: list[Array]) -> Array:
        found = np.zeros(ranges[player].shape, np.float32)
        for row, part in enumerate(parts):
            given = part.with_ranges([ranges[seat][row] for seat in range(2)])
            play = given.follow(iterate(given, DiscountedCFR, iterations=40))
            found[row] = play.values(given.roots[0])[player]
        return found

    trunk = PublicTree(game, depth=1, values=values)
    policies = iterate(trunk, DiscountedCFR, iterations=40)
    (root,) = trunk.roots
    assert trunk.follow(policies).value(root) == pytest.approx(-1 / 18, abs=0.01)


@pytest.mark.parametrize("game", [*PLAIN, *ALL_DECKS])
def test_how_often_an_action_is_chosen(game: str) -> None:
    tree = PublicTree(game)
    policies = some_policies(tree)
    solution, play = tree.solution(policies), tree.follow(policies)
    exact = GameTree(game).policy_of(solution)
    names = {action: tree.game.action_to_string(0, action) for action in range(tree.game.num_distinct_actions())}
    others = {"attack", "lead:self", "lead:opponent"}
    cards = set() if game in PLAIN else {action for action, name in names.items() if name not in others}
    for action in cards:
        with pytest.raises(stier.ArgumentError, match="has no frequency on public states: suits have no names there"):
            solution.frequency(action)
    actions = sorted(names.keys() - cards)
    assert actions
    for action in actions:
        found = frequency(play, action)
        times = sum(share * weight for share, weight in found.values())
        assert solution.frequency(action) == pytest.approx(exact.frequency(action), abs=1e-6)
        assert times == pytest.approx(exact.frequency(action), abs=1e-5)
    by_hand = frequency(play, actions[-1], lambda state: state.information_state_string()[:5], tree.roots[:1])
    assert all(0 <= share <= 1 for share, _ in by_hand.values())
    with pytest.raises(stier.ArgumentError, match="action must be between 0 and"):
        frequency(play, 999)
    with pytest.raises(stier.ArgumentError, match="the public state belongs to another tree"):
        frequency(play, actions[-1], states=PublicTree("kuhn_poker").roots)
    with pytest.raises(stier.IllegalActionError):
        solution.frequency(99)


def test_what_does_not_fit_is_refused() -> None:
    tree = PublicTree("kuhn_poker")
    (root,) = tree.roots
    deal = root.child("hidden").child("hidden")
    end = deal.child("pass").child("pass")
    ranges = [np.ones(3), np.ones(3)]
    zeros = [np.full(6, 0.5, np.float32)] * 2
    leaves = PublicTree("kuhn_poker", depth=1, values=lambda player, ranges: ranges[player])

    def values(result: Any) -> Any:
        return lambda: PublicTree("kuhn_poker", depth=1, values=lambda *_: result).follow(leaves.policies_of("random"))

    play = tree.follow(tree.policies_of("random"))
    trees: list[tuple[Any, str]] = [
        (lambda: PublicTree("up_and_down"), "these rules have none; Schwinget has"),
        (lambda: PublicTree("schwinget:bouts=2"), "a single bout has: set bouts=1"),
        (lambda: PublicTree("kuhn_poker:players=3"), "public states need two players"),
        (lambda: PublicTree("dark_hex:rows=2,columns=2"), "its moves are hidden"),
        (
            lambda: PublicTree("liars_dice", max_histories=1000),
            "histories, of which it has more than max_histories, 1000",
        ),
        (lambda: PublicTree("schwinget"), "schwinget is too large"),
        (lambda: PublicTree("kuhn_poker", max_memory_mb=0), "max_memory_mb must be between 1 and"),
        (lambda: PublicTree("leduc_poker", root=deal), "the root is a public state of kuhn_poker, not of leduc_poker"),
        (lambda: PublicTree("kuhn_poker", depth=0), "depth must be between 1 and 1000, got 0"),
        (lambda: PublicTree("kuhn_poker", values=lambda *_: 0), "values are those of leaves"),
        (
            lambda: PublicTree("kuhn_poker", root=deal, ranges=ranges[:1]),
            r"one array per player, of \[3, 3\] numbers, got",
        ),
        (lambda: PublicTree("kuhn_poker", root=deal, ranges=[-ranges[0], ranges[1]]), "ranges must be 0 or more"),
        (lambda: tree.with_ranges([np.full(1, np.nan), np.ones(1)]), "ranges must be 0 or more and finite, got NaN"),
        (lambda: PublicTree(DECKS[0]).with_ranges(ranges), "the tree has several: name one"),
        (lambda: tree.follow(zeros[:1]), r"one array per player, of \[12, 12\] numbers, got \[6\]"),
        (lambda: tree.follow([np.ones(12), np.full(12, 0.5)]), "information set 0 of player 0: the probabilities must"),
        (lambda: tree.solution([np.full(12, 0.5), np.full(12, np.nan)]), "information set 0 of player 1: the prob"),
        (lambda: tree.follow(stier.solve("kuhn_poker", iterations=1)), r"use follow\(tree.policies_of\(policy\)\)"),
        (lambda: tree.follow(stier.solve("leduc_poker", iterations=1)), "is for leduc_poker, not for kuhn_poker"),
        (lambda: tree.regrets_into(0, zeros, *zeros, *zeros), r"of \[12, 12\] numbers, got \[6, 6\]"),
        (lambda: tree.rows(2), "no seat 2"),
        (lambda: deal.child("raise"), "no event 'raise'; events: pass, bet"),
        (lambda: end.child("pass"), "nothing can follow this public state"),
        (lambda: leaves.leaves[0].child("pass"), "the tree is cut off at this public state"),
        (lambda: deal.returns(0), "the game has not ended in this public state"),
        (lambda: leaves.leaves[0].table(np.zeros(0)), "the tree is cut off at this public state"),
        (
            lambda: leaves.follow(leaves.policies_of("random")).policy(leaves.leaves[0]),
            "the tree is cut off at this public state",
        ),
        (lambda: leaves.leaves[0].returns(0), "the game has not ended in this public state"),
        (lambda: deal.state(0, 3), "hand must be between 0 and 2, got 3"),
        (lambda: deal.table(np.zeros(5)), "numbers must be those of all 12 rows of player 0, got 5"),
        (lambda: play.values(PublicTree("kuhn_poker").roots[0]), "the public state belongs to another tree"),
        (values(np.zeros((2, 2))), r"array \(leaves, most hands\) of shape \[2, 3\], got \[2, 2\]"),
        (values(np.full((2, 3), np.inf)), "values must return finite numbers, got inf"),
        (values(np.zeros((2, 3), complex)), r"values must return numbers of shape \[2, 3\]"),
        (values("no"), r"values must return numbers of shape \[2, 3\]"),
    ]
    for call, words in trees:
        with pytest.raises(ValueError, match=words):
            call()
    kinds: list[tuple[Any, str]] = [
        (lambda: PublicTree("kuhn_poker", depth=1, values=3), "values must be a function"),
        (lambda: pickle.dumps(tree), "cannot pickle a public tree: pass the game and the settings"),
        (lambda: pickle.dumps(deal), "cannot pickle a public state: pass the game and `history`"),
        (lambda: pickle.dumps(play), "cannot pickle a public play: pass the game and the policy"),
        (lambda: tree.follow("random"), r"for an agent use follow\(tree.policies_of\(agent\)\)"),
        (lambda: deal.child(1), r"an event is given in words, got 1; events: pass, bet; children\(\) has"),
        (lambda: deal.moves(1, 0), "an event is given in words, got 1; events: pass, bet"),
        (lambda: deal.table(np.zeros(12, complex)), "1-dimensional array of real numbers, got complex128"),
        (lambda: deal.table([[0.0]]), r"1-dimensional array of real numbers, got float64 of shape \[1, 1\]"),
        (
            lambda: PublicTree("kuhn_poker", ranges=3),
            "it must be one array of real numbers .*\nwhile processing 'ranges'",
        ),
    ]
    for wrong in ("yes", None, np.ones(3), [None, None], [1j, 1j], [zeros[0] + 0j, zeros[1]], [["a"], ["b"]]):
        kinds.append(
            (
                lambda wrong=wrong: tree.with_ranges(wrong),
                "it must be one array of real numbers .*\nwhile processing 'ranges'",
            )
        )
        kinds.append(
            (
                lambda wrong=wrong: tree.solution(wrong),
                "it must be one array of real numbers .*\nwhile processing 'policies'",
            )
        )
        kinds.append(
            (
                lambda wrong=wrong: GameTree("kuhn_poker").solution(wrong),
                "it must be one array of real numbers .*\nwhile processing 'policies'",
            )
        )
        kinds.append((lambda wrong=wrong: tree.follow(wrong), "one array of real numbers for each player"))
    for call, words in kinds:
        with pytest.raises(TypeError, match=words):
            call()
    with pytest.raises(ZeroDivisionError):
        PublicTree("kuhn_poker", depth=1, values=lambda *_: 1 // 0).follow(leaves.policies_of("random"))


def test_what_a_public_state_says() -> None:
    tree = PublicTree("kuhn_poker")
    deal = tree.roots[0].child("hidden").child("hidden")
    assert (deal.player, deal.events, deal.history) == (0, ["pass", "bet"], ["hidden", "hidden"])
    assert [deal.hands(player) for player in range(2)] == [3, 3]
    assert deal.fits.sum(axis=0).tolist() == deal.fits.sum(axis=1).tolist() == [2, 2, 2]
    assert deal.weights == pytest.approx(deal.fits / 6)
    assert deal.child("bet") == deal.children()[deal.events.index("bet")] != deal
    assert len({deal, tree.roots[0].child("hidden").child("hidden"), deal.child("pass")}) == 2
    assert list(walk(tree)) == list(walk(tree.roots)) == list(walk(tree.roots[0]))
    assert tree.roots[0].player == stier.CHANCE
    end = deal.child("bet").child("pass")
    assert end.player == stier.TERMINAL
    assert (end.returns(0) == end.fits).all()
    assert (end.returns(1) == -1.0 * end.fits).all()
    assert end.rows == slice(0, 0, 1)
    assert (
        repr(end) == "<stier.public.PublicState of kuhn_poker after hidden, hidden, bet, pass: the end, 3 and 3 hands>"
    )
    rows = Rows.of(tree, 0)
    numbers = np.arange(len(rows), dtype=np.float32)
    assert deal.table(numbers).ravel().tolist() == numbers[deal.rows].tolist()
    before, action, after = deal.moves("bet", 0)
    assert (before.tolist(), action.tolist(), after.tolist()) == ([0, 1, 2], [1, 1, 1], [0, 1, 2])
    assert deal.moves("bet", 1)[1].tolist() == [-1, -1, -1]
    state = deal.state(0, 2)
    assert (state.current_player(), state.legal_actions()) == (0, [0, 1])
    for player in range(2):
        assert sorted(deal.state(player, hand).hand(player) for hand in range(3)) == [["J"], ["K"], ["Q"]]


@pytest.mark.parametrize("game", ALL_DECKS)
def test_roots_say_which_card_was_turned_up(game: str) -> None:
    tree = PublicTree(game)
    turned = [root.state(0, 0).facts()["turned_up"] for root in tree.roots]
    assert len(set(turned)) == len(turned)
    for root, card in zip(tree.roots, turned, strict=True):
        assert f" from {card}: player 0 to act" in repr(root)
        event = root.events[0]
        assert f" from {card} after {event}: " in repr(root.child(event))
        assert f" from {card}: player 0 to act" in repr(PublicTree(game, root=root).roots[0])


@pytest.mark.parametrize("game", GAMES)
def test_every_hand_that_can_be_held_has_a_state(game: str) -> None:
    lost = 0
    for state in walk(PublicTree(game).roots):
        weights = state.weights
        for player in range(2):
            seen, cards = set(), set()
            for hand in range(state.hands(player)):
                if not weights.take(hand, axis=player).any():
                    with pytest.raises(stier.ArgumentError, match=f"no hand of the other player fits hand {hand}"):
                        state.state(player, hand)
                    lost += 1
                    continue
                found = state.state(player, hand)
                seen.add(found.information_state_string(player))
                cards.add(tuple(sorted(found.hand(player))))
                # Nobody has a choice in the last trick of Schwinget.
                ends = state.player == stier.TERMINAL and game in DECKS
                assert ends or found.current_player() == state.player
            # In games with cards they tell the hands of either player apart.
            assert len(cards) == len(seen) or game.startswith(("liars_dice", "goofspiel"))
            assert len(seen) + (weights.sum(axis=1 - player) == 0).sum() == state.hands(player)
    assert (lost > 0) == (game == DECKS[1])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_leaves_take_little_memory() -> None:
    deck = "schwinget:suits=3,values=5,hand_size=3,set_aside=1,referee=off,counter=off"
    before = resident_bytes()
    tree = PublicTree(deck, depth=2, threads=1)
    leaves = tree.leaves
    pairs = sum(leaf.hands(0) * leaf.hands(1) for leaf in leaves)
    assert resident_bytes() - before < 4 * pairs / 3


def test_trees_with_values_are_freed() -> None:
    class Values:
        """A function of leaves that knows its tree, a public state of it and a course of play."""

        def __call__(self, player: int, ranges: list[Array]) -> Array:
            return np.zeros_like(ranges[player])

    def make(kind: str) -> weakref.ref[Values]:
        values = Values()
        tree = PublicTree("kuhn_poker", depth=1, values=values)
        known = {"tree": tree, "state": tree.leaves[0], "play": tree.follow(tree.policies_of("random"))}
        values.known = known[kind]  # type: ignore[attr-defined]
        return weakref.ref(values)

    kept = [make(kind) for kind in ("tree", "state", "play")]
    gc.collect()
    assert [found() for found in kept] == [None] * 3


def test_leaves_may_ask_for_other_passes_of_their_tree() -> None:
    calls = []

    def values(player: int, ranges: list[Array]) -> Array:
        calls.append(player)
        if len(calls) < 4:
            tree.follow(policies)
        return np.zeros_like(ranges[player])

    tree = PublicTree("kuhn_poker", depth=1, values=values)
    policies = tree.policies_of("random")
    assert tree.follow(policies).value(tree.roots[0]) == 0
    assert len(calls) > 4
