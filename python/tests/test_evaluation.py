"""Evaluations in training: duels, chances, sampled play, the log."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from helpers import TINY, small_deck

import stier

pytest.importorskip("safetensors")
pytest.importorskip("jax")

import stier.ratings
import stier.train
from stier.network import Network
from stier.train._chances import _Chance, _row


def test_a_duel_is_what_the_arena_plays() -> None:
    game = small_deck()
    network = Network.random(game, hidden=(8,), seed=1)

    def play(state: stier.State) -> int:
        probabilities, _ = network(state.observation_tensor(), state.legal_actions_mask())
        return int(probabilities.argmax())

    found = stier.train.duel(network, "greedy", deals=60, seed=2)
    expected = stier.pit(game, [play, "greedy"], deals=60, seed=9)
    assert found.values.shape == (60,)
    assert abs(found.mean - expected.mean[0]) < 3 * (found.ci95 + expected.ci95[0]) / 1.96
    again = stier.train.duel(network, "greedy", deals=60, seed=2, threads=2)
    assert (again.values == found.values).all()
    with pytest.raises(ValueError, match="deals must be at least 2, got 1"):
        stier.train.duel(network, "greedy", deals=1)


def test_what_a_network_does_everywhere_is_what_it_does_anywhere() -> None:
    game = small_deck()
    network = Network.random(game, hidden=(8,), seed=1)
    policy = stier.train.Exact.of(game).policy(network)
    state = game.new_initial_state(seed=3)
    while not state.is_terminal():
        probabilities, _ = network(state.observation_tensor(), state.legal_actions_mask())
        for action, share in policy.policy(state):
            assert abs(probabilities[action] - share) < 1e-6
        state.apply_action(state.legal_actions()[-1])


def test_a_game_with_too_many_histories_is_measured_on_public_states(monkeypatch: pytest.MonkeyPatch) -> None:
    def distances(game: stier.Game | str) -> list[float]:
        settings = {**TINY, "steps": 256, "evaluations": 1, "exact": True, "against": ()}
        return [row["eval/nash_conv"] for row in stier.train.learn(game, **settings).log]

    known = distances(small_deck())
    monkeypatch.setattr(stier.train.evaluation, "MOST_HISTORIES", 10)
    assert distances(small_deck()) == pytest.approx(known, abs=1e-6)
    assert known[0] != known[-1]
    with pytest.raises(stier.ArgumentError, match=r"schwimmen is too large: it has .* histories"):
        distances("schwimmen")
    with pytest.raises(stier.ArgumentError, match="dark_hex cannot be enumerated under these rules"):
        distances("dark_hex")


def test_sampled_evaluations_measure_the_policy_and_not_its_likeliest_actions() -> None:
    uniform = Network.random(stier.load_game("kuhn_poker"), hidden=(4,), seed=1)
    uniform = dataclasses.replace(uniform, policy=tuple(np.zeros_like(array) for array in uniform.policy))
    found = stier.train.Evaluation("kuhn_poker", ["random"], deals=2000).measure(uniform)
    assert abs(found["eval/random/sampled_mean"]) < 2 * found["eval/random/sampled_ci95"]
    assert abs(found["eval/random/mean"]) > 2 * found["eval/random/ci95"], "the first action, passing, always"


def test_the_log_can_be_plotted(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from stier import plots

    settings = {**TINY, "steps": 512, "deals": 10, "evaluations": 2, "watch": ["attack"], "exact": True}
    trained = stier.train.learn(small_deck(), folder=tmp_path, **settings)
    for frame in (trained.to_pandas(), pandas.read_csv(tmp_path / "log.csv")):
        axes = plots.learning_curve(frame)
        assert axes.get_xlabel() == "steps"
        assert axes.get_ylabel() == "eval/greedy/mean, 95 % interval"
        assert len(axes.collections) == 1, "the interval"
        axes = plots.learning_curve(frame, x="cpu_seconds", y="eval/nash_conv")
        assert not axes.collections
    matplotlib.pyplot.close("all")


def test_chances_are_counted_one_by_one() -> None:
    game = stier.load_game("schwinget")
    found = stier.train.chances(game, "rule:when=thumb", "attack", judge="rule:when=thumb", deals=200, seed=3)
    assert found.row(judge="takes").share == 1
    assert found.row(judge="declines").share == 0
    assert 0.95 < found.row(judge="takes").share_low < 1, "no interval collapses at the edge"
    assert 0 < found.row(judge="declines").probability_high < 0.1
    assert found.row(round=0).chances == 200, "at the first lead of each deal"
    whole, parts = found.row(), [row for row in found.rows if row.round is not None and row.judge is None]
    assert whole.chances == sum(row.chances for row in parts)
    assert whole.chances > found.row(round=0).chances, "later chances, too"
    assert found.to_pandas().shape == (len(found.rows), 12)
    assert "rule:when=thumb in all seats, 200 deals" in str(found)
    with pytest.raises(KeyError):
        found.row(round=99)

    attack = game.string_to_action("attack")
    network = Network.random(game, hidden=(8,), seed=1)
    for player in (network, stier.load_agent("random", game)):
        row = stier.train.chances(game, player, "attack", deals=100, seed=5).row(round=0)
        by_hand = []
        for deal in range(100):
            state = game.new_initial_state(seed=stier.derive_seed(5, "chances deal", deal))
            if player is network:
                by_hand.append(float(network(state.observation_tensor(), state.legal_actions_mask())[0][attack]))
            else:
                by_hand.append(1 / len(state.legal_actions()))
        assert row.probability == pytest.approx(np.mean(by_hand), abs=1e-6)
        expected = stier.ratings.share(by_hand)
        assert (row.probability_low, row.probability_high) == pytest.approx((expected.low, expected.high), abs=1e-6)
        assert row.share_low < row.probability < row.share_high
    judge = stier.load_agent("rule:when=random", game)
    # By their text, for rows of a single deal have no interval, and NaN equals nothing.
    first, then = (repr(stier.train.chances(game, network, "attack", judge=judge, deals=100, seed=5)) for _ in range(2))
    assert first == then, "whatever the judge was asked before"
    again = stier.train.chances(game, network, "attack", deals=100, seed=5)
    assert again == stier.train.chances(game, network, "attack", deals=100, seed=5)
    with pytest.raises(stier.StierError, match="deals must be at least 2, got 1"):
        stier.train.chances(game, "random", "attack", deals=1)
    with pytest.raises(stier.StierError, match="'attac' is not a valid action of schwinget"):
        stier.train.chances(game, "random", "attac")


def test_intervals_of_shares_hold_the_truth() -> None:
    """Deals with several chances that go together: the deal is the unit."""
    rng = np.random.default_rng(1)
    for truth in (0.02, 0.5):
        held = 0
        for _ in range(400):
            taken = np.repeat(rng.random(150) < truth, 3)
            chances = [_Chance(number // 3, 0, None, float(one), bool(one)) for number, one in enumerate(taken)]
            row = _row(None, None, chances)
            held += row.share_low <= truth <= row.share_high
        assert held / 400 > 0.92
