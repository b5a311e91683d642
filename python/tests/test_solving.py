"""Small games solved, and the distance of agents from equilibrium."""

from __future__ import annotations

import inspect
import itertools
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
from helpers import DiscountedCFR, random_walk

import stier
from stier import _native

#: Five cards, one in a hand, two in the pile: 544 information sets.
RULES: dict[str, Any] = {"suits": 2, "values": 2, "counter": False, "hand_size": 1, "set_aside": 1}


@pytest.fixture(scope="module")
def tiny() -> stier.Game:
    return stier.load_game("schwinget", **RULES)


@pytest.fixture(scope="module")
def solution(tiny: stier.Game) -> stier.TabularPolicy:
    return stier.solve(tiny, iterations=500, seed=3)


def walk(game: stier.Game, seed: int) -> list[stier.State]:
    """The positions of one game in which a player is to move."""
    states = (state.clone() for state in random_walk(game.new_initial_state(), seed))
    return [state for state in states if state.current_player() >= 0]


def value_of(state: stier.State, agent: stier.TabularPolicy) -> float:
    """The return of player 0 from here if all follow the policy: by brute force."""
    if state.is_terminal():
        return float(state.returns()[0])
    chances = state.chance_outcomes() if state.is_chance_node() else agent.policy(state)
    return sum(chance * value_of(state.child(action), agent) for action, chance in chances if chance > 0)


def test_a_solution_is_near_equilibrium(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    assert (solution.game, solution.origin, solution.iterations) == (tiny, "cfr+", 500)
    assert (solution.information_sets, solution.histories) == (544, 1093)
    assert 0 <= solution.nash_conv < 1e-3
    assert solution.exploitability == solution.nash_conv / 2
    assert solution.value == solution.values[0] == pytest.approx(-solution.values[1])
    assert solution.name == "cfr+"
    assert (solution.against, solution.seeds) == (None, 0)
    assert repr(solution).startswith("<stier.TabularPolicy 'cfr+' of schwinget:suits=2,values=2,")
    assert repr(solution).endswith(" after 500 iterations>")


def test_a_solution_can_be_pickled(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    again = pickle.loads(pickle.dumps(solution))
    assert (again.game, again.iterations, again.values) == (solution.game, solution.iterations, solution.values)
    assert (again.history == solution.history).all()
    twin = pickle.loads(pickle.dumps(solution))
    for state in walk(tiny, 1):
        assert again.policy(state) == solution.policy(state)
        assert again.step(state) == twin.step(state)
    with pytest.raises(stier.errors.RecordError, match="a pickled policy: "):
        _native._restore_policy(b"nothing", 0, {"values": [], "nash_conv": None, "seeds": 0, "against": None})


def test_its_value_is_that_of_the_game_tree(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    assert value_of(tiny.new_initial_state(), solution) == pytest.approx(solution.value, abs=1e-6)


def test_a_best_response_gains_what_nash_conv_says(tiny: stier.Game) -> None:
    response = stier.solving.best_response(tiny, "greedy")
    greedy = stier.load_agent("greedy", tiny)

    class Duel:
        """The response of one player against greedy."""

        def __init__(self, player: int) -> None:
            self.player = player

        def policy(self, state: stier.State) -> list[tuple[int, float]]:
            mine = state.current_player() == self.player
            return response.policy(state) if mine else greedy.step_with_policy(state)[0]

    found = [value_of(tiny.new_initial_state(), Duel(player)) for player in range(2)]  # type: ignore[arg-type]
    assert response.values == pytest.approx([found[0], -found[1]], abs=1e-6)
    asked = response.against
    assert asked.nash_conv == pytest.approx(sum(response.values) - sum(asked.values))
    assert asked.nash_conv > 0.1
    assert asked.exploitability == asked.nash_conv / 2
    assert (asked.origin, response.origin, response.name) == ("greedy", *["best response to greedy"] * 2)
    assert (response.game, response.information_sets, response.histories) == (tiny, 544, 1093)
    assert (response.nash_conv, response.exploitability) == (None, None)


def test_policies_are_distributions_over_what_is_legal(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    response = stier.solving.best_response(tiny, solution)
    for seed in range(20):
        for state in walk(tiny, seed):
            row = solution.policy(state)
            assert [action for action, _ in row] == state.legal_actions()
            assert sum(share for _, share in row) == pytest.approx(1)
            assert solution.step_with_policy(state)[0] == row
            assert dict(row)[solution.step(state)] > 0
            # Nothing but what the player knows.
            other = state.resample_from_infostate(state.current_player(), seed)
            assert solution.policy(other) == row
            answer = response.policy(state)
            assert sorted(share for _, share in answer) == [0.0] * (len(answer) - 1) + [1.0]
            assert dict(answer)[response.step(state)] == 1


def test_draws_follow_the_seed(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    states = list(itertools.chain.from_iterable(walk(tiny, seed) for seed in range(30)))
    solution.restart()
    first = [solution.step(state) for state in states]
    solution.restart(3)
    assert [solution.step(state) for state in states] == first


def test_solutions_sit_at_tables(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    result = stier.pit(
        tiny, [solution, "random", stier.solving.best_response(tiny, "random")], deals=400, seed=1, threads=2
    )
    assert result.agents == ["cfr+", "random", "best response to random"]
    assert result.mean[0] > result.ci95[0]
    again = stier.pit(
        tiny, [solution, "random", stier.solving.best_response(tiny, "random")], deals=400, seed=1, threads=1
    )
    assert (again.mean == result.mean).all()
    beaten = result.meeting(2, 1)
    assert beaten is not None
    assert beaten[0] == pytest.approx(stier.exploitability(tiny, "random"), abs=2 * beaten[1])


def test_a_solution_goes_wherever_callables_go(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    assert stier.check_no_leak(tiny, games=2, agents=[lambda state: max(solution.policy(state))[0]]).ok
    agent = stier.PythonAgent(solution.step, name="solved")
    assert agent.step(walk(tiny, 1)[0]) in walk(tiny, 1)[0].legal_actions()


def test_the_distance_of_agents(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    assert stier.solving.nash_conv(tiny, solution) == pytest.approx(solution.nash_conv)
    assert stier.exploitability(tiny, "random") == stier.solving.nash_conv(tiny, "random") / 2
    # As many iterations as there are seconds to wait: the figures do not depend on who asks.
    agent = stier.load_agent("ismcts", tiny, iterations=50)
    assert stier.solving.nash_conv(tiny, agent, seed=2, threads=1) == stier.solving.nash_conv(
        tiny, "ismcts:iterations=50", seed=2, threads=2
    )
    # A callable is asked once for each information set.
    asked: list[stier.State] = []

    def lowest(state: stier.State) -> int:
        asked.append(state)
        return state.legal_actions()[0]

    response = stier.solving.best_response(tiny, lowest)
    assert len(asked) == 544
    assert len({state.information_state_string() for state in asked}) == 544
    assert response.against.origin == "lowest"
    assert response.against.nash_conv == stier.solving.nash_conv(tiny, stier.PythonAgent(lowest))


def test_the_policies_of_several_seeds_are_averaged() -> None:
    game, agent = stier.load_game("kuhn_poker"), "ismcts:iterations=2"
    tree = stier.solving.GameTree(game, threads=1)
    seeds = [0, *(_native.derive_seed(0, "seed of an agent", index) for index in range(1, 30))]
    alone = [tree.policy_of(agent, seed=seed) for seed in seeds]
    told: list[tuple[int, int]] = []
    mean = tree.policy_of(agent, seeds=30, on_progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (30 * tree.information_sets, 30 * tree.information_sets)
    np.testing.assert_allclose(
        mean.probabilities(), np.mean([policy.probabilities() for policy in alone], axis=0), atol=1e-12
    )
    # A best response to the answers of one seed exploits their noise.
    assert np.mean([policy.exploitability for policy in alone]) > mean.exploitability + 0.05
    for measured in (
        stier.exploitability(game, agent, seeds=30),
        stier.solving.nash_conv(game, agent, seeds=30) / 2,
        stier.solving.best_response(game, agent, seeds=30).against.exploitability,
    ):
        assert measured == mean.exploitability
    assert stier.exploitability(game, agent) == alone[0].exploitability
    for needs_none in ("random", "greedy", stier.solve(game, iterations=10)):
        assert stier.solving.best_response(game, needs_none, seeds=5).against.seeds == 0
    assert stier.solving.best_response(game, agent, seeds=5).against.seeds == 5
    for bad, error in [(0, ValueError), (-1, ValueError), (2**70, ValueError), (1.5, TypeError), ("2", TypeError)]:
        with pytest.raises(error):
            stier.exploitability(game, agent, seeds=bad)  # type: ignore[arg-type]


def test_agents_are_queried_at_every_information_set_of_a_tree(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    tree = stier.solving.GameTree(tiny, threads=1)
    attack, told = tiny.string_to_action("attack"), list[tuple[int, int]]()
    for agent in ("random", "ismcts:iterations=20", solution, lambda state: state.legal_actions()[-1]):
        policy = tree.policy_of(agent, seed=3, on_progress=lambda done, total: told.append((done, total)))
        assert told[-1] == (tree.information_sets, tree.information_sets)
        asked = stier.solving.best_response(tiny, agent, seed=3).against
        assert (policy.nash_conv, policy.values) == (asked.nash_conv, asked.values)
    assert policy.frequency(attack) == pytest.approx(1)
    assert tree.policy_of(solution).frequency(attack) == solution.frequency(attack)
    with pytest.raises(stier.AgentError):
        tree.policy_of("oracle")


def test_a_policy_of_any_origin_does_what_the_others_do(tiny: stier.Game, tmp_path: Path) -> None:
    tree = stier.solving.GameTree(tiny)
    made = {
        "cfr+": stier.solve(tiny, iterations=9),
        "regret_matching": stier.solving.run(tree, regret_matching, iterations=9),
        "mine": tree.policy(uniform_of(tree), name="mine", seed=3),
        "greedy": tree.policy_of("greedy"),
        "ismcts:iterations=9": tree.policy_of("ismcts:iterations=9", seeds=2),
        "best response to greedy": stier.solving.best_response(tiny, "greedy"),
    }
    states = walk(tiny, 1)
    for origin, policy in made.items():
        assert policy.origin == policy.name == origin
        assert str(policy) == repr(policy)
        assert (policy.iterations, len(policy.history) > 0) == ((9, True) if origin in [*made][:2] else (0, False))
        assert policy.seeds == (2 if origin.startswith("ismcts") else 0)
        is_response = origin.startswith("best response")
        assert (policy.against is None, policy.nash_conv is None) == (not is_response, is_response)
        assert policy.probabilities().shape == (544, tiny.num_distinct_actions())
        assert policy.beliefs(states[0]).basis == "enumerated"
        assert policy.frequency(tiny.string_to_action("attack")) >= 0
        policy.save(tmp_path / "policy")
        loaded, pickled = stier.solving.load_solution(tmp_path / "policy"), pickle.loads(pickle.dumps(policy))
        for again in (loaded, pickled):
            assert (again.origin, again.iterations, again.game) == (origin, policy.iterations, tiny)
            assert (again.history == policy.history).all()
            assert (again.probabilities() == policy.probabilities()).all()
        assert (pickled.values, pickled.nash_conv, pickled.seeds) == (policy.values, policy.nash_conv, policy.seeds)
        assert repr(pickled) == repr(policy)
        if is_response:
            assert pickled.against.nash_conv == policy.against.nash_conv == made["greedy"].nash_conv
        # A file does not say what a policy was a best response to, so it is measured as any other.
        assert loaded.nash_conv == pytest.approx(tree.policy_of(policy).nash_conv)
        assert stier.pit(tiny, [policy, "random"], deals=2).agents == [origin, "random"]
        policy.restart()
        drawn = [policy.step(state) for state in states]
        assert [pickled.step(state) for state in states] == drawn


def uniform_of(tree: stier.solving.GameTree) -> npt.NDArray[np.float64]:
    legal = tree.legal_action_masks()
    return legal / legal.sum(axis=1, keepdims=True)


def action_values_by_hand(
    tree: stier.solving.GameTree, policy: stier.TabularPolicy, beliefs: str
) -> npt.NDArray[np.float64]:
    """Values of actions as `GameTree.action_values` defines them, by a walk over all histories of the game."""
    numbers: dict[str, int] = {}
    tree.policy_of(lambda state: _note(numbers, state))
    sums, weights = np.zeros(policy.probabilities().shape), np.zeros(tree.information_sets)

    def walk(state: stier.State, chance: float, players: tuple[float, ...]) -> npt.NDArray[np.float64]:
        if state.is_terminal():
            return np.asarray(state.returns())
        if state.is_chance_node():
            events = state.chance_outcomes()
            return sum(odds * walk(state.child(event), chance * odds, players) for event, odds in events)
        player, total = state.current_player(), np.zeros(len(players))
        others = np.prod([reach for seat, reach in enumerate(players) if seat != player])
        weight, number = chance * (others if beliefs == "policy" else 1), numbers[state.information_state_string()]
        weights[number] += weight
        for action, odds in policy.policy(state):
            later = tuple(reach * (odds if seat == player else 1) for seat, reach in enumerate(players))
            value = walk(state.child(action), chance, later)
            total += odds * value
            sums[number, action] += weight * value[player]
        return total

    start = tree.game.new_initial_state()
    walk(start, 1, (1.0,) * tree.game.num_players())
    return sums / weights[:, None]


def _note(numbers: dict[str, int], state: stier.State) -> int:
    numbers[state.information_state_string()] = len(numbers)
    return state.legal_actions()[0]


@pytest.mark.parametrize("beliefs", ["policy", "uniform"])
def test_action_values_are_those_of_a_walk_over_all_histories(beliefs: Literal["policy", "uniform"]) -> None:
    for game in ("kuhn_poker", "kuhn_poker:players=3", "leduc_poker"):
        tree = stier.solving.GameTree(game, threads=1)
        mixed = np.random.default_rng(1).random(tree.legal_action_masks().shape) * tree.legal_action_masks()
        policy = tree.policy(mixed / mixed.sum(axis=1, keepdims=True))
        values = tree.action_values(policy.probabilities(), beliefs=beliefs)
        np.testing.assert_allclose(values, action_values_by_hand(tree, policy, beliefs), atol=1e-12)


def test_action_values_in_kuhn_poker() -> None:
    tree = stier.solving.GameTree("kuhn_poker")
    # The first decision with jack, queen and king.
    passes, bets = tree.action_values(uniform_of(tree))[:3].T
    # A bet wins 1 if the other player folds, and wins or loses 2 otherwise, each half of the time.
    np.testing.assert_allclose(bets, [-0.5, 0.5, 1.5])
    # After a pass, the other player passes for a showdown or bets, and a bet is called half of the time.
    np.testing.assert_allclose(passes, [-1.25, -0.25, 0.75])


def test_equilibria_are_indifferent_between_the_actions_that_they_mix() -> None:
    tree = stier.solving.GameTree("kuhn_poker")
    solution = stier.solve("kuhn_poker", "predictive_cfr+", iterations=3000)
    policy = tree.policy_of(solution)
    played, values = policy.probabilities(), tree.action_values(policy.probabilities())
    best = np.where(tree.legal_action_masks(), values, -np.inf).max(axis=1)
    mixed = (played > 1e-6).sum(axis=1) == 2
    assert mixed.any()
    np.testing.assert_allclose(values[mixed].min(axis=1), best[mixed], atol=1e-6)
    for magnet in (0.0, 0.01):
        after = tree.policy(stier.solving.mirror_step(played, values, step=1e-6, magnet=magnet))
        assert after.nash_conv == pytest.approx(policy.nash_conv, abs=1e-6)


def test_action_values_where_nobody_plays() -> None:
    tree = stier.solving.GameTree("kuhn_poker")
    passive = np.zeros((tree.information_sets, 2))
    passive[:, 0] = 1
    by_policy, by_chance = (tree.action_values(passive, beliefs=beliefs) for beliefs in ("policy", "uniform"))
    # Bets are never made, so the sets after a bet have no posterior; before one, chance alone determines it.
    np.testing.assert_array_equal(by_policy, by_chance)
    assert np.isfinite(by_policy).all()
    with pytest.raises(ValueError, match="beliefs must be uniform, policy or exact, got 'x'"):
        tree.action_values(passive, beliefs="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"probabilities must have shape \[12, 2\], got \[6, 2\]"):
        tree.action_values(passive[:6])
    with pytest.raises(ValueError, match="information set 0"):
        tree.action_values(passive / 2)


def test_mirror_steps() -> None:
    step = stier.solving.mirror_step
    old, values = [[0.5, 0.25, 0.25, 0.0], [0.1, 0.9, 0.0, 0.0]], [[0.0, 1.0, 0.5, 9.0], [3.0, -1.0, 9.0, 9.0]]
    np.testing.assert_allclose(step(old, values, step=0), old, atol=1e-15)
    np.testing.assert_allclose(step(old, values, step=0, magnet=1), old, atol=1e-15)
    np.testing.assert_allclose(step(old, values, step=1e6), [[0, 1, 0, 0], [1, 0, 0, 0]], atol=1e-12)
    weights = np.array([0.5, 0.25 * np.exp(2), 0.25 * np.exp(1), 0]) ** (1 / 1.2)
    np.testing.assert_allclose(step(old, values, step=2, magnet=0.1)[0], weights / weights.sum())
    # The magnet: with a large magnet nothing remains but the uniform policy over the actions that have a chance.
    np.testing.assert_allclose(step(old, values, step=1, magnet=1e9)[0], [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-6)
    with pytest.raises(ValueError, match="step must be 0 or more and finite, got -1"):
        step(old, values, step=-1)
    with pytest.raises(ValueError, match="magnet must be 0 or more and finite, got nan"):
        step(old, values, step=1, magnet=float("nan"))
    with pytest.raises(ValueError, match=r"must have the same shape, got \(2, 4\) and \(1, 4\)"):
        step(old, values[:1], step=1)


def test_one_step_helps_a_little_and_a_large_one_hurts() -> None:
    tree = stier.solving.GameTree("leduc_poker")
    uniform = uniform_of(tree)
    solved = tree.policy_of(stier.solve("leduc_poker", iterations=300)).probabilities()
    most = tree.policy(uniform).nash_conv

    def after(policy: npt.NDArray[np.float64], step: float) -> float:
        values = tree.action_values(policy)
        return tree.policy(stier.solving.mirror_step(policy, values, step=step)).nash_conv / most

    rough, fine = 0.5 * solved + 0.5 * uniform, 0.97 * solved + 0.03 * uniform
    assert after(rough, 1) < 0.9 * after(rough, 0)
    assert after(fine, 0.1) < after(fine, 0)
    assert after(fine, 10) > 3 * after(fine, 0)


def test_frequencies(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    attack = tiny.string_to_action("attack")
    assert 0.5 < solution.frequency(attack) < 0.7
    with pytest.raises(stier.IllegalActionError, match="no action 99"):
        solution.frequency(99)


def test_solutions_are_files(tiny: stier.Game, solution: stier.TabularPolicy, tmp_path: Path) -> None:
    path = tmp_path / "tiny.policy"
    solution.save(path)
    with pytest.raises(stier.errors.ArgumentError, match="more than 1000 histories"):
        stier.solving.load_solution(path, max_histories=1000)
    again = stier.solving.load_solution(path)
    assert (again.game, again.origin, again.iterations) == (tiny, "cfr+", 500)
    assert again.values == solution.values
    assert again.nash_conv == solution.nash_conv
    assert (again.history == solution.history).all()
    for state in walk(tiny, 5):
        assert again.policy(state) == solution.policy(state)
    assert list(tmp_path.iterdir()) == [path]
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(stier.errors.RecordError, match="too early"):
        stier.solving.load_solution(path)
    path.write_text("hello")
    with pytest.raises(stier.errors.RecordError, match="not a stier policy: it begins with 'hello'"):
        stier.solving.load_solution(str(path))
    with pytest.raises(OSError, match="nowhere"):
        stier.solving.load_solution(tmp_path / "nowhere")
    solution.save(tmp_path / "new" / "x")
    assert stier.solving.load_solution(tmp_path / "new" / "x").values == solution.values
    with pytest.raises(OSError, match="tiny"):
        solution.save(path / "x")


def test_runs_go_on_from_checkpoints(tiny: stier.Game, tmp_path: Path) -> None:
    path = tmp_path / "tiny.checkpoint"
    undisturbed = stier.solve(tiny, iterations=60)
    assert stier.solve(tiny, iterations=20, checkpoint=path).iterations == 20
    resumed = stier.solve(tiny, iterations=60, checkpoint=path)
    assert (resumed.iterations, resumed.values) == (60, undisturbed.values)
    for measured in ("iterations", "nash_conv"):
        assert resumed.history[measured].tolist() == undisturbed.history[measured].tolist()
    assert (np.diff(resumed.history["seconds"]) > 0).all()
    with pytest.raises(ValueError, match=r"tiny\.checkpoint: the checkpoint belongs to"):
        stier.solve(tiny, "cfr", checkpoint=path)
    with pytest.raises(ValueError, match="external_sampling keeps no checkpoints"):
        stier.solve(tiny, "external_sampling", checkpoint=tmp_path / "x")
    with pytest.raises(OSError, match="cannot write"):
        stier.solve(tiny, iterations=1, checkpoint=tmp_path / "nowhere" / "x")


def test_a_target_ends_the_run(tiny: stier.Game) -> None:
    found = stier.solve(tiny, target=0.02, iterations=100_000)
    assert found.nash_conv <= 0.02
    assert found.iterations < 1000
    assert found.history["iterations"].tolist() == list(range(10, found.iterations + 1, 10))
    assert (found.history["nash_conv"] > 0.02).tolist() == [True] * (len(found.history) - 1) + [False]


def test_the_history_of_a_run(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    history = solution.history
    assert history.dtype == [("iterations", "int64"), ("seconds", "float64"), ("nash_conv", "float64")]
    assert history["iterations"].tolist() == [1, 2, 4, 8, 16, 32, 64, 128, 256, 500]
    assert history["nash_conv"][-1] == solution.nash_conv
    assert (np.diff(history["seconds"]) > 0).all()
    for measured in (1, 16):
        found = stier.solve(tiny, iterations=measured)
        assert found.nash_conv == dict(history[["iterations", "nash_conv"]].tolist())[measured]
        assert found.history["iterations"].tolist() == [at for at in history["iterations"].tolist() if at <= measured]
    exact = stier.solve(tiny, "sequence_form")
    assert exact.history[["iterations", "nash_conv"]].tolist() == [(1, exact.nash_conv)]
    # A measurement takes as long as a sampled game for each information set: 544 are 4.25 iterations.
    sampled = stier.solve(tiny, "outcome_sampling", iterations=20)
    assert sampled.history["iterations"].tolist() == [4, 8, 16, 20]


@pytest.mark.parametrize(
    ("algorithm", "iterations", "most"),
    [
        ("cfr", 500, 0.1),
        ("linear_cfr", 500, 0.01),
        ("discounted_cfr", 500, 0.01),
        ("predictive_cfr+", 500, 0.01),
        ("scheduled_cfr", 500, 0.01),
        ("external_sampling", 100, 0.5),
        ("outcome_sampling", 500, 1.5),
    ],
)
def test_algorithms(
    tiny: stier.Game, solution: stier.TabularPolicy, algorithm: str, iterations: int, most: float
) -> None:
    found = stier.solve(tiny, algorithm, iterations=iterations, seed=1, threads=1)
    assert found.origin == algorithm
    assert found.iterations == iterations
    assert found.nash_conv < most
    assert found.value == pytest.approx(solution.value, abs=found.nash_conv + solution.nash_conv)
    assert stier.solve(tiny, algorithm, iterations=iterations, seed=1, threads=2).values == found.values


def test_the_sequence_form_is_exact(tiny: stier.Game, solution: stier.TabularPolicy) -> None:
    found = stier.solve(tiny, "sequence_form", seed=1, threads=1)
    assert (found.origin, found.iterations) == ("sequence_form", 1)
    assert abs(found.nash_conv) < 1e-9
    assert found.value == pytest.approx(solution.value, abs=1e-9 + solution.nash_conv)
    again = stier.solve(tiny, "sequence_form", threads=2)
    np.testing.assert_array_equal(again.probabilities(), found.probabilities())


@pytest.mark.parametrize(
    ("game", "value"),
    [
        ("kuhn_poker", -1 / 18),
        ("leduc_poker", -0.0856064241),
        ("liars_dice:sides=3", 1 / 9),
        ("liars_dice:sides=5", 1 / 125),
        ("goofspiel:cards=4", 0.0),
        ("dark_hex:rows=2,columns=2,obstruction=abrupt", 0.5),
        ("schwinget:suits=2,values=3,referee=off,counter=off,hand_size=2,set_aside=2", None),
    ],
)
def test_the_sequence_form_finds_the_values_of_the_literature(game: str, value: float | None) -> None:
    found = stier.solve(game, "sequence_form")
    assert abs(found.nash_conv) < 1e-9
    if value is None:
        value = stier.solve(game, "discounted_cfr", iterations=1000).value
    assert found.value == pytest.approx(value, abs=1e-5 if game.startswith("schwinget") else 1e-9)


def test_no_scipy_no_sequence_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    monkeypatch.delitem(sys.modules, "stier._sequence_form", raising=False)
    with pytest.raises(stier.errors.MissingExtraError, match=r"pip install 'stier\[sequence_form\]'"):
        stier.solve("kuhn_poker", "sequence_form")


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"iterations": 0}, "iterations must be between 1 and "),
        ({"target": -1.0}, "target must be a NashConv of 0 or more"),
        ({"threads": -1}, "threads must be between 0 and "),
        ({"seed": -1}, "seed must be between 0 and "),
        ({"algorithm": "alphazero"}, "algorithm must be cfr, cfr+, "),
        ({"max_histories": 1000, "ranges": False}, "more than 1000 histories"),
        (
            {"max_histories": 100, "ranges": False},
            "an estimated 1.1e3 histories, and max_histories is 100: use smaller rules, or raise it, which",
        ),
        ({"max_histories": 0}, "max_histories must be between 1 and "),
    ],
)
def test_bad_arguments(tiny: stier.Game, settings: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError) as caught:
        stier.solve(tiny, **settings)
    assert named in str(caught.value)


def test_who_cannot_be_asked(tiny: stier.Game, solution: stier.TabularPolicy, schwinget: stier.Game) -> None:
    with pytest.raises(stier.AgentError, match="oracle sees everything"):
        stier.solving.nash_conv(tiny, "oracle")
    with pytest.raises(stier.errors.ArgumentError, match="max_histories is 1000; on public states the hands of a"):
        stier.solving.nash_conv(schwinget, "random", max_histories=1000)
    with pytest.raises(stier.AgentError, match="is for schwinget:suits=2"):
        stier.solving.nash_conv(schwinget, solution)
    with pytest.raises(stier.AgentError, match="is for schwinget:suits=2"):
        stier.pit(schwinget, [solution, "random"])
    with pytest.raises(stier.AgentError, match="unknown agent"):
        stier.exploitability(tiny, "nobody")
    with pytest.raises(TypeError, match="a TabularPolicy"):
        stier.solving.nash_conv(tiny, 7)  # type: ignore[arg-type]
    with pytest.raises(stier.IllegalActionError, match="chose an"):
        stier.solving.nash_conv(tiny, lambda state: 99)
    with pytest.raises(stier.AgentError, match=r"agent <lambda> in schwinget:.* raised ZeroDivisionError") as raised:
        stier.solving.nash_conv(tiny, lambda state: 1 // 0)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    with pytest.raises(stier.AgentError, match="made for schwinget"):
        solution.policy(schwinget.new_initial_state(seed=1))
    with pytest.raises(stier.AgentError, match="no player can act"):
        solution.step(tiny.new_initial_state())


def test_games_for_three_are_solved_without_a_promise() -> None:
    game = stier.load_game("schweins_galopp", players=3, colours=2, cards_per_colour=3, hand_size=1, track=6, rounds=1)
    found = stier.solve(game, iterations=100)
    assert len(found.values) == 3
    assert sum(found.values) == pytest.approx(game.utility_sum())
    assert found.exploitability == pytest.approx(found.nash_conv / 3)
    with pytest.raises(ValueError, match="sequence form solves games of two players"):
        stier.solve(game, "sequence_form")


def test_progress_is_told_while_histories_are_counted() -> None:
    game = stier.load_game("schwinget", suits=2, values=5, referee=False, counter=False, hand_size=2)
    told: list[tuple[int, int]] = []

    def note(*count: int) -> None:
        told.append((count[0], count[1]))

    found = _native.solve(game, "cfr+", 1, 0.0, 0, None, 50_000_000, 0, None, note)
    assert told
    assert told == sorted(told)
    assert told[-1][0] <= found.histories
    assert {estimate for _, estimate in told} == {told[0][1]}
    assert told[0][1] == pytest.approx(found.histories, rel=0.3)


def test_progress_goes_to_stderr(tiny: stier.Game, terminal: pytest.CaptureFixture[str]) -> None:
    stier.solve(tiny, iterations=100, target=1e-9, progress=True)
    stier.solving.nash_conv(tiny, "ismcts:iterations=20", progress=True)
    out, err = terminal.readouterr()
    assert out == ""
    assert "100/100" in err
    assert "NashConv" in err
    assert "544/544" in err


#: Games of every kind: with chance, simultaneous moves and more players, and those written in Python.
SMALL = [
    "kuhn:Kuhn",
    "trumps:Trumps",
    "kuhn_poker",
    "kuhn_poker:players=3",
    "leduc_poker",
    "liars_dice:sides=2",
    "goofspiel:cards=3",
    "schwinget:suits=2,values=2,counter=off,hand_size=1,set_aside=1",
]


@pytest.mark.parametrize("name", SMALL)
def test_a_policy_as_a_table(name: str) -> None:
    pytest.importorskip("pandas")
    game = stier.load_game(name)
    tree, solution = stier.solving.GameTree(game), stier.solve(game, iterations=20)
    frame = solution.to_pandas()
    assert frame.columns.tolist() == ["information_set", "player", "action", "probability", "value", "reach"]
    policy = tree.policy_of(solution)
    assert policy.to_pandas().equals(frame)
    # Each information set has one name, that of the states in it, in the order of the tree.
    texts = tree.information_state_strings()
    assert frame["information_set"].unique().tolist() == texts
    assert tree.information_state_strings(3, 5) == texts[3:5]
    sets, actions = np.nonzero(tree.legal_action_masks())
    assert frame["information_set"].tolist() == [texts[number] for number in sets]
    assert frame["player"].tolist() == tree.players()[sets].tolist()
    probabilities = policy.probabilities()
    assert frame["probability"].tolist() == probabilities[sets, actions].tolist()
    values = tree.action_values(probabilities)
    np.testing.assert_allclose(frame["value"], values[sets, actions], atol=1e-12)
    for seed in range(5):
        for state in walk(game, seed):
            rows = frame[frame["information_set"] == state.information_state_string()]
            assert rows["action"].tolist() == [game.action_to_string(0, action) for action in state.legal_actions()]
            assert rows["probability"].tolist() == [share for _, share in solution.policy(state)]
            assert set(rows["player"]) == {state.current_player()}
    # The reach of the information sets is the expected number of decisions, and that of the actions their frequencies.
    chosen = (frame["probability"] * frame["reach"]).groupby(frame["action"]).sum()
    for action, share in chosen.items():
        assert share == pytest.approx(solution.frequency(game.string_to_action(str(action))))
    first = frame["reach"].to_numpy()[np.searchsorted(sets, 0) : np.searchsorted(sets, 1)]
    assert ((first > 0) & (first <= 1)).all()


def regret_matching(rows: stier.solving.Rows) -> Any:
    """CFR, as a function."""
    regrets = np.zeros(len(rows))

    def update(step: stier.solving.Step) -> tuple[npt.NDArray[np.float64], float]:
        np.add(regrets, step.regrets, out=regrets)
        return rows.normalize(np.maximum(regrets, 0)), 1

    return update


@pytest.mark.parametrize("name", SMALL)
def test_rules_in_python_do_the_same_as_native_solvers(name: str) -> None:
    assert len(inspect.getsource(DiscountedCFR).splitlines()) <= 15
    tree = stier.solving.GameTree(name, threads=1)
    for rule, algorithm, alternating in [(DiscountedCFR, "discounted_cfr", True), (regret_matching, "cfr", False)]:
        own = stier.solving.run(tree, rule, iterations=48, alternating=alternating, seed=3)
        native = stier.solve(name, algorithm, iterations=48, seed=3)
        assert own.history["iterations"].tolist() == native.history["iterations"].tolist()
        assert own.history["nash_conv"] == pytest.approx(native.history["nash_conv"], rel=1e-6, abs=1e-9)
        assert (own.history["seconds"] > 0).all()
        assert own.values == pytest.approx(native.values)
        assert (own.origin, own.iterations, own.game) == (rule.__name__, 48, native.game)
        twin = stier.solving.run(stier.solving.GameTree(name, threads=2), rule, iterations=48, alternating=alternating)
        assert (twin.values, twin.nash_conv) == (own.values, own.nash_conv)


def test_the_end_of_a_run_with_a_rule(tmp_path: Path) -> None:
    tree = stier.solving.GameTree("kuhn_poker")
    own = stier.solving.run(tree, DiscountedCFR, target=0.01, iterations=10_000, name="mine")
    native = stier.solve("kuhn_poker", "discounted_cfr", target=0.01, iterations=10_000)
    assert own.iterations == native.iterations < 1000
    assert own.history["iterations"].tolist() == native.history["iterations"].tolist()
    own.save(tmp_path / "mine.policy")
    again = stier.solving.load_solution(tmp_path / "mine.policy")
    assert (again.name, again.values) == ("mine", own.values)
    assert (again.history == own.history).all()
    # The last policy of CFR goes round in circles.
    last = stier.solving.run(tree, regret_matching, iterations=200, average=False)
    mean = stier.solving.run(tree, regret_matching, iterations=200)
    assert last.nash_conv > 5 * mean.nash_conv


@pytest.mark.parametrize("name", SMALL)
def test_the_numbers_that_rules_get(name: str) -> None:
    tree = stier.solving.GameTree(name)
    players = [stier.solving.Rows.of(tree, player) for player in range(tree.game.num_players())]
    rng = np.random.default_rng(1)
    policies = [rows.normalize(rng.random(len(rows))) for rows in players]
    solution = tree.solution(policies, name="any")
    policy = tree.policy_of(solution)
    values, reached = tree.action_values(policy.probabilities()), np.zeros(tree.information_sets)
    widths = tree.legal_action_masks().sum(axis=1)
    for rows in players:
        assert rows.sets.tolist() == np.flatnonzero((tree.players() == rows.player) & (widths > 1)).tolist()
        masks = tree.legal_action_masks()[rows.sets]
        assert rows.actions.tolist() == np.nonzero(masks)[1].tolist()
        assert rows.widths.tolist() == masks.sum(axis=1).tolist()
        assert policy.probabilities()[rows.sets][masks].tolist() == pytest.approx(policies[rows.player].tolist())
        regrets, reach = np.empty(len(rows)), np.empty(len(rows))
        expected, others = np.empty(len(rows.sets)), np.empty(len(rows.sets))
        tree.regrets_into(rows.player, policies, regrets, reach, expected, others)
        own = rows.sums(reach)
        np.testing.assert_allclose(reach, rows.spread(own) * policies[rows.player], atol=1e-12)
        np.testing.assert_allclose(rows.sums(regrets * policies[rows.player]), 0, atol=1e-12)
        found = (regrets + rows.spread(expected)) / rows.spread(others)
        np.testing.assert_allclose(found, values[rows.sets][masks], atol=1e-10)
        reached[rows.sets] = own * others
    pytest.importorskip("pandas")
    by_set = solution.to_pandas().groupby("information_set", sort=False)["reach"].first()
    np.testing.assert_allclose(reached, by_set.where(widths > 1, 0), atol=1e-12)
    # A single action is certain.
    assert (policy.probabilities()[widths == 1].max(axis=1) == 1).all()


def test_rows_of_a_player_who_never_acts() -> None:
    rows = stier.solving.Rows.of(stier.solving.GameTree("kuhn_poker"), 0)
    nothing = stier.solving.Rows(rows.tree, 0, rows.sets[:0], rows.starts[:0], rows.widths[:0], rows.actions[:0])
    assert len(nothing) == 0
    assert nothing.normalize(np.zeros(0)).tolist() == []
    assert rows.normalize(np.zeros(len(rows))).tolist() == [0.5] * len(rows)


def test_bad_arrays_and_rules() -> None:
    tree = stier.solving.GameTree("kuhn_poker")
    half = np.full(12, 0.5)

    def into(player: Any = 0, policies: Any = (half, half), **other: Any) -> None:
        arrays = {"regrets": np.empty(12), "reach": np.empty(12), "values": np.empty(6), "others": np.empty(6)}
        tree.regrets_into(player, policies, **arrays | other)

    into()
    both = np.empty(12)
    frozen = np.empty(12)
    frozen.flags.writeable = False
    for bad, words in [
        ({"player": 2}, "no seat 2"),
        ({"policies": [half]}, r"one array per player, of \[12, 12\] numbers, got \[12\]"),
        ({"policies": [half, half[:6]]}, r"got \[12, 6\]"),
        ({"policies": [half, half * 2]}, r"information set 0 of player 1: .* they are \[1.0, 1.0\]"),
        ({"policies": [half * np.nan, half]}, r"of player 0: .* they are \[NaN, NaN\]"),
        ({"regrets": np.empty(11)}, r"regrets must be a C-contiguous float64 array of shape \(12\), got float64"),
        ({"reach": np.empty(12, np.float32)}, "reach must be a C-contiguous float64 .* got float32"),
        ({"values": np.empty(12)[::2]}, "values must be C-contiguous"),
        ({"reach": both, "regrets": both}, "apart from the other arrays"),
        ({"others": half[:6]}, "apart from the other arrays"),
        ({"reach": frozen}, "reach must be C-contiguous, writable"),
    ]:
        with pytest.raises(ValueError, match=words):
            into(**bad)
    into(policies=[half.tolist(), np.full(24, 0.5, np.float32)[::2]])
    rules: list[tuple[Any, str]] = [
        (lambda rows: lambda step: step.policy, "<lambda> must return a policy and its weight, got ndarray"),
        (lambda rows: lambda step: None, "must return a policy and its weight, got NoneType"),
        (lambda rows: lambda step: (step.policy[1:], 1), r"of shape \(12,\) for player 0, got \(11,\)"),
        (lambda rows: lambda step: (step.policy, -1), "weight must be 0 or more and finite, got -1"),
        (lambda rows: lambda step: (step.policy * 2, 1), "information set 0 of player 0: the probabilities"),
        (
            lambda step: (step.policy, 1),
            "must take policy from a step, not from the rows; a rule takes the rows of one",
        ),
        (lambda step: (half, 1), "<lambda> returns tuple; a rule takes the rows"),
        (lambda rows, step: (half, 1), "<lambda> cannot be called with the rows alone; a rule takes the rows"),
        (lambda rows: lambda: (half, 1), "<lambda> returns a function of other arguments; a rule takes"),
        (half, "ndarray cannot be called with the rows alone; a rule takes"),
    ]
    for rule, words in rules:
        with pytest.raises(ValueError, match=words):
            stier.solving.run(tree, rule, iterations=2)
    with pytest.raises(ZeroDivisionError):
        stier.solving.run(tree, lambda rows: lambda step: 1 // 0)  # type: ignore[arg-type, return-value]
    with pytest.raises(AttributeError, match="'Rows' object has no attribute 'mine'"):
        stier.solving.run(tree, lambda rows: rows.mine)  # type: ignore[attr-defined]


def test_a_run_with_a_rule_shows_its_progress_and_ends_with_an_interrupt(
    terminal: pytest.CaptureFixture[str],
) -> None:
    tree = stier.solving.GameTree("kuhn_poker")
    stier.solving.run(tree, DiscountedCFR, iterations=100, progress=True)
    out, err = terminal.readouterr()
    assert out == ""
    assert "100/100" in err
    assert "NashConv" in err

    def interrupted(rows: stier.solving.Rows) -> Any:
        update = regret_matching(rows)

        def one(step: stier.solving.Step) -> Any:
            if step.iteration == 5:
                signal.raise_signal(signal.SIGINT)
            return update(step)

        return one

    with pytest.raises(KeyboardInterrupt):
        stier.solving.run(tree, interrupted, iterations=10**9)


def test_a_linear_program_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    from stier import _sequence_form

    monkeypatch.setattr(_sequence_form, "AT_ONCE", 0)
    exact = stier.solve("leduc_poker", "sequence_form")
    assert exact.nash_conv == pytest.approx(0, abs=1e-9)
    # The process sleeps for a minute in place of solving.
    monkeypatch.setattr(_sequence_form, "CHILD", "import time; time.sleep(60)")
    begun = threading.Event()
    kill = subprocess.Popen.kill
    killed = []
    monkeypatch.setattr(subprocess.Popen, "kill", lambda own: (killed.append(own), kill(own)))

    def interrupt() -> None:
        assert begun.wait(20)
        signal.raise_signal(signal.SIGINT)

    start = _sequence_form._in_a_process
    monkeypatch.setattr(_sequence_form, "_in_a_process", lambda *given: (begun.set(), start(*given))[1])
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        stier.solve("leduc_poker", "sequence_form")
    thread.join()
    assert [child.returncode for child in killed] == [-signal.SIGKILL]
    monkeypatch.setattr(_sequence_form, "CHILD", "raise SystemExit(3)")
    with pytest.raises(stier.errors.ArgumentError, match="its process ended with 3"):
        stier.solve("leduc_poker", "sequence_form")


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_linear_programs_may_have_payoffs_of_any_size(scale: float) -> None:
    from stier import _sequence_form

    # Matching pennies in which heads count three times: both players show them a quarter of the time.
    one = (np.array([0, 2]), np.array([0]))
    sequences = [np.array([1, 1, 2, 2]), np.array([1, 2, 1, 2])]
    payoffs = scale * np.array([3.0, -1.0, -1.0, 1 / 3])
    policies = _sequence_form.solve([one, one], sequences, payoffs, lambda: True)
    np.testing.assert_allclose(policies, [[0.25, 0.75], [0.25, 0.75]], atol=1e-9)
