"""Solutions on public states with ranges of hands."""

from __future__ import annotations

import math
import pickle
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import random_walk

import stier
from stier.network import Classes, Network
from stier.public import PublicTree
from stier.solving import GameTree

#: Decks with all options: referee and counter, both scorings, all returns of one bout, one to three suits.
DECKS = [
    "suits=2,values=2,counter=off,hand_size=1,set_aside=1",
    "suits=2,values=2,hand_size=2,set_aside=2",
    "suits=2,values=3,referee=off,hand_size=2,set_aside=1,scoring=schwinger",
    "suits=2,values=2,hand_size=1,set_aside=2,utility=win",
    "suits=2,values=2,hand_size=2,set_aside=2,utility=score",
    "suits=2,values=3,hand_size=2,set_aside=4,utility=margin",
    "suits=3,values=2,hand_size=2,set_aside=2,specials=anytime",
    "suits=1,values=5,hand_size=2,set_aside=3,consolation_tricks=1",
    "suits=2,values=3,counter=off,hand_size=3,set_aside=1",
    "suits=3,values=2,referee=off,hand_size=2,set_aside=1,scoring=schwinger",
    "suits=4,values=1,hand_size=2,set_aside=2",
]
#: Games whose public states are found from their histories.
PLAIN = ["kuhn_poker", "leduc_poker", "liars_dice:sides=3", "goofspiel:cards=3", "goofspiel:cards=4"]
ALGORITHMS = ["cfr", "cfr+", "linear_cfr", "discounted_cfr", "predictive_cfr+", "scheduled_cfr"]
#: The other algorithms.
OTHERS = ["external_sampling", "outcome_sampling", "sequence_form"]
#: A million public states with ten million hands: several parts.
LARGE = "schwinget:suits=2,values=5,hand_size=2,set_aside=3,referee=off,scoring=schwinger"


def solve(deck: str, iterations: int = 60, **settings: Any) -> stier.TabularPolicy:
    return stier.solve(f"schwinget:{deck}", iterations=iterations, ranges=True, **settings)


@pytest.fixture(scope="module")
def solution() -> stier.TabularPolicy:
    return solve(DECKS[1])


def test_memory_is_known_by_cause() -> None:
    game = "schwinget:suits=2,values=4,hand_size=3,set_aside=1,referee=off"
    found = stier.solve(game, iterations=1, ranges=True)
    assert list(found.memory) == [
        "regrets and sums",
        "returns",
        "ranges and values",
        "moves of hands",
        "lists of hands",
    ]
    assert min(found.memory.values()) > 0
    least = math.ceil(sum(found.memory.values()) / 1e6)
    stier.solve(game, iterations=1, ranges=True, max_memory_mb=least)
    with pytest.raises(stier.ArgumentError, match=f"takes about {least - 1} MB, and max_memory_mb is {least - 1}"):
        stier.solve(game, iterations=1, ranges=True, max_memory_mb=least - 1)
    assert stier.solve("kuhn_poker", iterations=1).memory is None


@pytest.mark.parametrize("deck", DECKS)
def test_to_forget_the_order_of_draws_loses_nothing(deck: str) -> None:
    """The tree of histories, in which players remember everything, measures the same values and the same NashConv."""
    found = solve(deck)
    tree = GameTree(f"schwinget:{deck}")
    known = tree.policy_of(found)
    assert known.values == pytest.approx(found.values, abs=1e-9)
    assert known.nash_conv == pytest.approx(found.nash_conv, abs=1e-9)
    assert 0 < found.nash_conv < 0.05
    uniform = tree.policy_of("random")
    assert found.nash_conv < uniform.nash_conv / 20


@pytest.mark.parametrize("game", PLAIN)
def test_public_states_of_plain_games(game: str) -> None:
    found = stier.solve(game, iterations=200, ranges=True)
    known = GameTree(game).policy_of(found)
    assert known.values == pytest.approx(found.values, abs=1e-9)
    assert known.nash_conv == pytest.approx(found.nash_conv, abs=1e-9)
    exact = stier.solve(game, iterations=200, ranges=False)
    assert found.values == pytest.approx(exact.values, abs=1e-4)
    assert found.nash_conv == pytest.approx(exact.nash_conv, abs=1e-4)


@pytest.mark.parametrize("game", [*(f"schwinget:{deck}" for deck in DECKS), *PLAIN])
def test_agents_are_as_far_from_equilibrium_as_on_the_tree(game: str, tmp_path: Path) -> None:
    tree = GameTree(game)
    path = tmp_path / "network"
    untrained = Network.random(tree.game, hidden=(8,), seed=1)
    strong = (100 * untrained.policy[0], untrained.policy[1])
    replace(untrained, policy=strong, classes=Classes.of(tree.game)).save(path)
    own = [stier.solve(game, iterations=20)] if game in PLAIN else ["greedy", "rule"]
    network = f"network:path={path},choose=sample"
    for agent in ["random", network, *own]:
        exact = tree.policy_of(agent)
        response = stier.solving.best_response(game, agent, ranges=True)
        found = response.against
        assert found is not None
        assert found.public_states
        assert found.name == exact.name
        assert found.values == pytest.approx(exact.values, abs=1e-6)
        assert found.nash_conv == pytest.approx(exact.nash_conv, abs=1e-6)
        assert stier.solving.nash_conv(game, agent, ranges=True) == found.nash_conv
        assert stier.exploitability(game, agent, ranges=True) == found.exploitability
        if agent == network and tree.information_sets < 20_000:
            gained = [best - value for best, value in zip(response.values, found.values, strict=True)]
            assert gains(tree, agent, response) == pytest.approx(gained, abs=1e-6)


def test_cards_of_a_rank_are_one_hand_for_solvers_and_not_for_agents(tmp_path: Path) -> None:
    """A solution has one policy for J1 and J2, and is asked where an agent is, which may have two."""
    game, tree, public = "leduc_poker", GameTree("leduc_poker"), PublicTree("leduc_poker")
    solution = stier.solve(game, iterations=100, ranges=True)
    assert (solution.information_sets, public.information_sets) == (288, 936)
    rows = tree.policy_of(solution).probabilities()
    folded: dict[str, list[float]] = {}
    for string, row in zip(tree.information_state_strings(), rows.tolist(), strict=True):
        assert folded.setdefault(re.sub(r"\b([JQK])[12]\b", r"\1", string), row) == row
    assert len(folded) == 288
    again = public.solution(public.policies_of(solution))
    assert again.nash_conv == pytest.approx(solution.nash_conv, abs=1e-6)
    state = public.roots[0].child("hidden").child("hidden")
    assert public.follow(solution).value(state) == pytest.approx(solution.values[0], abs=1e-6)
    for action in range(3):
        assert solution.frequency(action) == pytest.approx(tree.policy_of(solution).frequency(action), abs=1e-6)

    def by_suit(state: stier.State) -> int:
        suit = re.findall(" card:[JQK]([12])", state.information_state_string())
        return state.legal_actions()[-1 if suit == ["1"] else 0]

    response = stier.solving.best_response(game, by_suit, ranges=True)
    against, exact = response.against, tree.policy_of(by_suit)
    assert against is not None
    assert against.values == pytest.approx(exact.values, abs=1e-6)
    assert against.nash_conv == pytest.approx(exact.nash_conv, abs=1e-6)
    for policy in (solution, against):
        policy.save(tmp_path / "policy")
        loaded = stier.solving.load_solution(tmp_path / "policy")
        assert loaded.values == pytest.approx(policy.values, abs=1e-3)
        assert loaded.information_sets == policy.information_sets


def gains(tree: GameTree, agent: str | stier.TabularPolicy, response: stier.TabularPolicy) -> list[float]:
    """Returns what each player gains if it alone follows the response, and the others the agent."""
    probabilities = [tree.policy_of(policy).probabilities() for policy in (agent, response)]
    players, before, found = tree.players(), tree.policy(probabilities[0]).values, []
    for player in range(2):
        mixed = np.where((players == player)[:, None], probabilities[1], probabilities[0])
        found.append(tree.policy(mixed).values[player] - before[player])
    return found


@pytest.mark.parametrize("deck", [deck for deck in DECKS if deck[:7] in ("suits=3", "suits=4")])
def test_suits_have_no_names_for_solvers(deck: str, tmp_path: Path) -> None:
    """A solution is the same for all names of suits, and is asked where an agent is, which may tell them apart."""
    solution = solve(deck)
    game, tree, public = solution.game, GameTree(solution.game), PublicTree(solution.game)
    assert solution.information_sets < public.information_sets / 2
    rules = dict(part.split("=") for part in deck.split(","))
    suits, values = int(rules["suits"]), int(rules["values"])
    for seed in range(40):
        names = random.Random(seed).sample(range(suits), suits)

        def renamed(action: int, names: list[int] = names) -> int:
            return names[action // values] * values + action % values if action < suits * values else action

        state, other, draw = game.new_initial_state(), game.new_initial_state(), random.Random(seed)
        while not state.is_terminal():
            if state.current_player() >= 0:
                shares = sorted((renamed(action), share) for action, share in solution.policy(state))
                assert shares == solution.policy(other)
            action = draw.choice(state.legal_actions())
            state.apply_action(action)
            other.apply_action(renamed(action))
    assert solution.frequency(game.string_to_action("attack")) == pytest.approx(
        tree.policy_of(solution).frequency(game.string_to_action("attack")), abs=1e-6
    )
    again = public.solution(public.policies_of(solution))
    assert again.nash_conv == pytest.approx(solution.nash_conv, abs=1e-6)
    assert again.values == pytest.approx(solution.values, abs=1e-6)
    solution.save(tmp_path / "policy")
    loaded = stier.solving.load_solution(tmp_path / "policy")
    known = tree.policy_of(loaded)
    assert known.nash_conv == pytest.approx(loaded.nash_conv, abs=1e-9)
    assert known.values == pytest.approx(loaded.values, abs=1e-9)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "policy").read_bytes()


def test_an_agent_is_asked_with_the_same_seeds_on_any_number_of_threads() -> None:
    game = f"schwinget:{DECKS[1]}"
    asked = [
        stier.solving.best_response(game, "ismcts:iterations=5", ranges=True, seed=3, seeds=2, threads=threads).against
        for threads in (1, 2, 3)
    ]
    assert len({(found.nash_conv, *found.values, found.seeds) for found in asked if found}) == 1
    other = stier.solving.nash_conv(game, "ismcts:iterations=5", ranges=True, seed=4, seeds=2)
    assert 0 < other != asked[0].nash_conv
    assert 0 < asked[0].nash_conv < GameTree(game).policy_of("random").nash_conv * 2


def test_games_with_too_many_histories_are_measured_on_public_states() -> None:
    """The policy of the first iteration is uniform. There are several parts, and several batches of questions."""
    uniform = stier.solve(LARGE, iterations=1)
    found = stier.solving.best_response(LARGE, "random", threads=3).against
    assert found is not None
    assert found.public_states == uniform.public_states
    assert found.values == pytest.approx(uniform.values, abs=1e-9)
    assert found.nash_conv == pytest.approx(uniform.nash_conv, abs=1e-9)
    small = f"schwinget:{DECKS[1]}"
    for settings, states in (({}, None), ({"max_histories": 1000}, 152), ({"ranges": True}, 152)):
        response = stier.solving.best_response(small, "random", **settings)
        assert (response.public_states, response.against and response.against.public_states) == (states, states)
    for settings, message in (
        ({"max_histories": 1000, "ranges": False}, "max_histories is 1000"),
        ({"ranges": True, "max_memory_mb": 0}, "max_memory_mb must be between 1 and"),
    ):
        with pytest.raises(stier.ArgumentError, match=message):
            stier.solving.nash_conv(small, "random", **settings)
    with pytest.raises(stier.ArgumentError, match="cannot be solved on public states"):
        stier.solving.nash_conv("up_and_down", "random", ranges=True)
    with pytest.raises(stier.ArgumentError, match=r"schwinget is too large: it has an estimated .* without a tree"):
        stier.solving.nash_conv("schwinget", "random")
    with pytest.raises(stier.AgentError, match="oracle sees everything"):
        stier.solving.nash_conv(small, "oracle", ranges=True)


def test_asked_policies_can_be_kept(tmp_path: Path) -> None:
    game = f"schwinget:{DECKS[1]}"
    response = stier.solving.best_response(game, "ismcts:iterations=5", ranges=True, seeds=2)
    again = pickle.loads(pickle.dumps(response))
    assert (again.values, again.nash_conv, again.origin) == (response.values, None, response.origin)
    assert again.against.seeds == response.against.seeds == 2
    response.against.save(tmp_path / "policy")
    loaded = stier.solving.load_solution(tmp_path / "policy")
    assert loaded.nash_conv == pytest.approx(response.against.nash_conv, abs=1e-3)
    # The gain of the response when it plays against the agent's policy.
    result = stier.pit(game, [response, response.against], deals=2000, seed=1)
    expected = sum(best - value for best, value in zip(response.values, response.against.values, strict=True)) / 2
    assert abs(result.mean[0] - expected) < 2 * result.ci95[0]


def test_functions_of_python_are_asked() -> None:
    game, calls = stier.load_game(f"schwinget:{DECKS[7]}"), []

    def last(state: stier.State) -> int:
        calls.append(state.information_state_string())
        return state.legal_actions()[-1]

    found = stier.solving.nash_conv(game, last, ranges=True)
    assert len(calls) == len(set(calls))
    assert found == pytest.approx(stier.solving.nash_conv(game, last, ranges=False), abs=1e-6)


def test_the_lists_of_algorithms_are_whole() -> None:
    names = ", ".join(ALGORITHMS + OTHERS[:-1])
    with pytest.raises(stier.ArgumentError, match=re.escape(f"algorithm must be {names} or {OTHERS[-1]}, got 'x'")):
        stier.solve("kuhn_poker", "x")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_does_what_it_does_on_the_tree(algorithm: str) -> None:
    found, exact = (stier.solve("leduc_poker", algorithm, iterations=40, ranges=ranges) for ranges in (True, False))
    assert found.values == pytest.approx(exact.values, abs=1e-3)
    assert found.history["iterations"].tolist() == [1, 2, 4, 8, 16, 32, 40]
    assert found.history["nash_conv"] == pytest.approx(exact.history["nash_conv"], rel=0.05)


@pytest.mark.parametrize("algorithm", ["cfr+", "scheduled_cfr"])
def test_small_numbers_stay_sound(algorithm: str) -> None:
    """After many iterations, hands that are hardly ever held have very small numbers."""
    found = stier.solve("liars_dice", algorithm, iterations=3000, ranges=True)
    assert 0 < found.nash_conv < 1e-3


def test_threads_change_no_bit() -> None:
    found = [stier.solve(LARGE, iterations=3, ranges=True, threads=threads) for threads in (1, 2, 3)]
    assert {policy.public_states for policy in found} == {1_084_432}
    assert len({(policy.nash_conv, *policy.values) for policy in found}) == 1
    for seed in range(20):
        for state in random_walk(found[0].game.new_initial_state(), seed):
            if state.current_player() >= 0:
                assert found[0].policy(state) == found[1].policy(state) == found[2].policy(state)


def test_a_policy_answers_in_every_state(solution: stier.TabularPolicy) -> None:
    for seed in range(20):
        for state in random_walk(solution.game.new_initial_state(), seed):
            if state.current_player() >= 0:
                policy = solution.policy(state)
                assert [action for action, _ in policy] == state.legal_actions()
                assert sum(share for _, share in policy) == pytest.approx(1)
                assert solution.step(state) in state.legal_actions()
            else:
                with pytest.raises(stier.AgentError, match="no player"):
                    solution.policy(state)
    with pytest.raises(stier.AgentError, match="the agent was made for schwinget:suits=2"):
        solution.policy(stier.load_game("schwinget").new_initial_state(seed=0))


def test_it_plays_matches(solution: stier.TabularPolicy) -> None:
    result = stier.pit(solution.game, [solution, "random"], deals=200, seed=1)
    assert result.mean[0] > 0.1
    again = stier.pit(solution.game, [solution, "random"], deals=200, seed=1, threads=1)
    assert again == result


def test_figures(solution: stier.TabularPolicy) -> None:
    assert solution.public_states == 152
    assert solution.histories is None
    assert 0 < solution.information_sets < GameTree(solution.game).information_sets
    assert f"on {solution.public_states} public states: value" in repr(solution)
    assert stier.solving.nash_conv(solution.game, solution) == solution.nash_conv
    assert stier.exploitability(solution.game, solution) == solution.exploitability
    for call in (solution.probabilities, solution.to_pandas):
        with pytest.raises(
            stier.ArgumentError, match=r"lists no information sets: ask it about states, by policy\(state\)"
        ):
            call()


def test_files_and_pickles_keep_it(solution: stier.TabularPolicy, tmp_path: Path) -> None:
    file = tmp_path / "solution"
    solution.save(file)
    found, pickled = stier.solving.load_solution(file), pickle.loads(pickle.dumps(solution))
    for again in (found, pickled):
        assert (again.game, again.origin, again.iterations) == (solution.game, "cfr+", 60)
        assert (again.history == solution.history).all()
        assert again.nash_conv == pytest.approx(solution.nash_conv, abs=1e-4)
        for state in random_walk(solution.game.new_initial_state(), 3):
            if state.current_player() >= 0:
                for (action, share), (other, before) in zip(again.policy(state), solution.policy(state), strict=True):
                    assert (action, share) == (other, pytest.approx(before, abs=2e-5))
    found.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == file.read_bytes()
    whole = file.read_bytes()
    for place in range(0, len(whole), 7):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(stier.RecordError):
            stier.solving.load_solution(file)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_checkpoint_goes_on_with_the_same_bits(algorithm: str, tmp_path: Path) -> None:
    checkpoint, files = tmp_path / "checkpoint", (tmp_path / "whole", tmp_path / "parts")
    if algorithm == "scheduled_cfr":
        solve(DECKS[2], 3, algorithm=algorithm, checkpoint=checkpoint)
        with pytest.raises(stier.ArgumentError, match="belongs to 'planned=3', expected 'planned=10'"):
            solve(DECKS[2], 10, algorithm=algorithm, checkpoint=checkpoint)
        checkpoint.unlink()
    for iterations in (10, 10) if algorithm == "scheduled_cfr" else (3, 10):
        parts = solve(DECKS[2], iterations, algorithm=algorithm, checkpoint=checkpoint)
    parts.save(files[1])
    whole = solve(DECKS[2], 10, algorithm=algorithm)
    whole.save(files[0])
    assert (whole.nash_conv, whole.values) == (parts.nash_conv, parts.values)
    with pytest.raises(stier.ArgumentError, match="the checkpoint belongs to"):
        solve(DECKS[1], 10, algorithm=algorithm, checkpoint=checkpoint)
    with pytest.raises(stier.ArgumentError, match="the checkpoint is of another kind: it begins with 'stier-ranges "):
        stier.solve(f"schwinget:{DECKS[2]}", algorithm, iterations=10, checkpoint=checkpoint, ranges=False)


def test_games_with_too_many_histories_are_solved_on_public_states() -> None:
    game = f"schwinget:{DECKS[1]}"
    assert stier.solve(game, iterations=2).public_states is None
    assert stier.solve(game, iterations=2, max_histories=1000).public_states == 152
    with pytest.raises(stier.ArgumentError, match=r"it has an estimated .* histories, and max_histories is 1000"):
        stier.solve(game, iterations=2, max_histories=1000, ranges=False)
    with pytest.raises(stier.ArgumentError, match="histories"):
        stier.solve(game, "external_sampling", iterations=2, max_histories=1000)


@pytest.mark.parametrize(
    ("game", "settings", "message"),
    [
        ("up_and_down", {}, "up_and_down cannot be solved on public states: these rules have none; Schwinget has"),
        ("schwinget:bouts=2", {}, "these rules have none; a single bout has: set bouts=1"),
        ("kuhn_poker:players=3", {}, "public states need two players, and it has 3"),
        ("dark_hex:rows=2,columns=2", {}, "its moves are hidden, so that players do not always know whose turn it is"),
        ("liars_dice", {"max_histories": 1000}, "histories, of which it has more than max_histories, 1000"),
        (
            f"schwinget:{DECKS[1]}",
            {"algorithm": "external_sampling"},
            "external_sampling does not work on public states",
        ),
        (f"schwinget:{DECKS[1]}", {"algorithm": "sequence_form"}, "sequence_form does not work on public states"),
        (
            LARGE,
            {"max_memory_mb": 1},
            r"after \d+ different public states .*; max_memory_mb is 1: use smaller rules, or raise it",
        ),
        (LARGE, {"max_memory_mb": 0}, "max_memory_mb must be between 1 and"),
        ("schwinget", {}, "is too large: the hands of a public state have more than 65535 actions: use smaller rules"),
    ],
)
def test_what_cannot_be_solved_is_refused(game: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(stier.ArgumentError, match=message):
        stier.solve(game, ranges=True, **settings)


class Coin:
    """A coin is tossed; then the players guess in turn."""

    name = "coin"
    num_players = 2
    num_actions = 3
    num_outcomes = 2
    max_decisions = 2
    utility_range = (-2.0, 2.0)
    utility_sum = 0.0

    def initial_state(self) -> tuple[int, ...]:
        return ()

    def current_player(self, state: tuple[int, ...]) -> int:
        return stier.CHANCE if len(state) < 1 else len(state) - 1 if len(state) < 3 else stier.TERMINAL

    def chance_outcomes(self, _: tuple[int, ...]) -> list[tuple[int, float]]:
        return [(0, 0.5), (1, 0.5)]

    def legal_actions(self, _: tuple[int, ...]) -> list[int]:
        return [0, 1, 2]

    def apply(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*state, action)

    def returns(self, state: tuple[int, ...]) -> list[float]:
        value = (state[1] == state[0]) - float(state[2] == state[0])
        return [value, -value]

    def observation(self, state: tuple[int, ...], player: int | None) -> Any:
        """The number of actions and the actions; not the coin."""
        del player
        return (len(state), state[1:])


class HiddenLegal(Coin):
    """The legal actions tell the coin."""

    name = "hidden_legal"

    def legal_actions(self, state: tuple[int, ...]) -> list[int]:
        return [0, 1, 2] if state[0] == 0 else [0, 1]


class SpectatorSees(Coin):
    """The spectator sees the coin, and the second player does not."""

    name = "spectator_sees"

    def observation(self, state: tuple[int, ...], player: int | None) -> Any:
        return (len(state), state[1:]) if player == 1 else state


class Long(Coin):
    """Three hundred guesses."""

    name = "long"
    max_decisions = 300

    def current_player(self, state: tuple[int, ...]) -> int:
        return stier.CHANCE if len(state) < 1 else len(state) % 2 if len(state) < 301 else stier.TERMINAL

    def legal_actions(self, _: tuple[int, ...]) -> list[int]:
        return [0]


class Wide(Coin):
    """As many actions as there may be."""

    name = "wide"
    num_actions = 256

    def legal_actions(self, _: tuple[int, ...]) -> list[int]:
        return list(range(256))


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (HiddenLegal, "the legal actions of player 0 differ in histories that it cannot tell apart"),
        (SpectatorSees, "players do not always know whose turn it is, or what all have seen"),
        (Long, "it has more than 256 events"),
        (Wide, "a public state has more than 255 public events, or a player more than 255 actions"),
    ],
)
def test_games_that_do_not_fit_are_refused(game: type, message: str) -> None:
    with pytest.raises(stier.ArgumentError, match=message):
        stier.solve(game, iterations=2, ranges=True)


def test_a_game_in_python() -> None:
    found, exact = (stier.solve(Coin, iterations=100, ranges=ranges) for ranges in (True, False))
    assert found.information_sets == exact.information_sets
    assert found.values == pytest.approx(exact.values, abs=1e-4)


def test_arguments_of_another_kind_are_refused(tmp_path: Path) -> None:
    calls: list[Any] = [
        lambda: stier.solve("kuhn_poker", iterations=1, ranges="yes"),  # type: ignore[arg-type]
        lambda: stier.exploitability("kuhn_poker", "random", ranges="yes"),  # type: ignore[arg-type]
        lambda: stier.solving.nash_conv("kuhn_poker", "random", ranges="yes"),  # type: ignore[arg-type]
        lambda: stier.solving.best_response("kuhn_poker", "random", ranges="yes"),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(TypeError, match="it must be True, False or None, got 'yes'\nwhile processing 'ranges'"):
            call()
    path = tmp_path / "policy"
    solve(DECKS[1], 1).save(path)
    with pytest.raises(TypeError, match="it must be a whole number, got 'kuhn_poker'\nwhile processing 'seed'"):
        stier.solving.load_solution(path, "kuhn_poker")  # type: ignore[arg-type]


def test_too_many_public_states_are_refused_before_they_are_found() -> None:
    with pytest.raises(
        stier.ArgumentError, match=r"has an estimated .* histories, .*; on public states .*max_memory_mb is 3"
    ):
        stier.solve("schwinget:suits=3,values=4,hand_size=2,set_aside=5,referee=off", iterations=2, max_memory_mb=3)
