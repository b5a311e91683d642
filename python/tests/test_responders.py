"""Learned responders, where the exact best response is known."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stier

pytest.importorskip("safetensors")
pytest.importorskip("jax")

import stier.train
from stier.cli import main
from stier.network import Network
from stier.solving import GameTree
from stier.train import Exact, LearnedResponse
from stier.train.settings import CommonSettings, Settings

TINY: dict[str, Any] = {
    "hidden": 32,
    "num_envs": 64,
    "horizon": 8,
    "learning_rate": 3e-3,
    "entropy_coefficient": 0.3,
}


def exact_gain(found: LearnedResponse, agent: Network | None = None) -> float:
    """The exact gain of a responder against a network that draws its actions, or against uniform play."""
    exact = Exact(GameTree(found.game))
    legal = exact.tree.legal_action_masks()
    policy = legal / legal.sum(axis=1, keepdims=True) if agent is None else exact.probabilities(agent)
    return exact.gain(policy, exact.probabilities(found.trained.network, found.choose))


@pytest.mark.parametrize(
    ("game", "algorithm", "steps"),
    [("kuhn_poker", "ppo", 30_000), ("kuhn_poker", "dmc", 30_000), ("leduc_poker", "ppo", 200_000)],
)
def test_nearly_all_of_the_exploitability_is_found(game: str, algorithm: str, steps: int) -> None:
    settings = TINY if algorithm == "ppo" else {"hidden": 32, "num_envs": 64, "minibatch_size": 64}
    found = stier.train.best_response(game, "random", algorithm, steps=steps, evaluations=1, deals=1000, **settings)
    truth = stier.exploitability(game, "random")
    gain = exact_gain(found)
    assert 0.9 * truth < gain <= truth + 1e-6
    assert abs(found.gain - gain) < 2 * found.ci95
    assert found.gain > 0.8 * truth


def test_a_network_is_exploited_by_default_settings(tmp_path: Path) -> None:
    file = tmp_path / "network.safetensors"
    Network.random(stier.load_game("kuhn_poker"), hidden=(32,), seed=1).save(file)
    agent = f"network:path={file},choose=sample"
    truth = stier.exploitability("kuhn_poker", agent)
    for initial, entropy in ((None, 1.0), (file, 0.05)):
        found = stier.train.best_response("kuhn_poker", agent, initial=initial, steps=30_000, evaluations=1, deals=100)
        settings = found.trained.network.training
        assert settings["entropy_coefficient"] == entropy
        assert (settings["num_envs"], settings["central_critic"]) == (256, True)
        assert 0.75 * truth < exact_gain(found, Network.load(file)) <= truth + 1e-6


def drawing() -> Network:
    """Returns a nearly uniform network, whose likeliest action is always to pass."""
    network = Network.random(stier.load_game("kuhn_poker"), hidden=(32,), seed=0)
    weight, bias = network.policy
    bias = np.zeros_like(bias)
    bias[0] = 0.01
    return dataclasses.replace(network, policy=(np.zeros_like(weight), bias), value=None)


def test_draws_do_not_depend_on_names_of_files(tmp_path: Path) -> None:
    """Passing always loses to uniform play, so this network draws its actions."""
    settings: dict[str, Any] = {**TINY, "steps": 512, "learning_rate": 1e-9, "final_learning_rate": 1e-10, "deals": 200}
    settings |= {"initial": drawing(), "evaluations": 1, "seed": 4}
    kept = stier.train.best_response("kuhn_poker", "random", folder=tmp_path, **settings)
    assert kept.responder == f"network:path={tmp_path / 'network.safetensors'},choose=sample"
    for threads in (1, 2):
        free = stier.train.best_response("kuhn_poker", "random", threads=threads, **settings)
        assert free.responder == "network, drawn actions"
        assert (free.choose, free.gain, free.ci95) == ("sample", kept.gain, kept.ci95)
    own = stier.derive_seed(4, "held out", 0)
    again = stier.train.duel(kept.trained.network, "random", deals=200, seed=own, choose="sample")
    assert (again.mean, again.ci95) == (kept.gain, kept.ci95)
    assert abs(kept.gain - exact_gain(kept)) < 2 * kept.ci95
    assert "worse than the agent" not in str(kept)
    settings["seed"] = 5
    assert stier.train.best_response("kuhn_poker", "random", **settings).gain != kept.gain


def test_a_responder_that_loses_says_so() -> None:
    network = drawing()
    weight, bias = network.policy
    network = dataclasses.replace(network, policy=(weight, 1000 * bias))
    settings: dict[str, Any] = {**TINY, "steps": 512, "learning_rate": 1e-9, "final_learning_rate": 1e-10, "deals": 200}
    found = stier.train.best_response("kuhn_poker", "random", initial=network, evaluations=1, **settings)
    assert found.gain + found.ci95 < 0
    assert "plays worse than the agent would against itself: train it longer (steps) or" in str(found)


def test_a_folder_of_learn_with_other_evaluations_is_refused(tmp_path: Path) -> None:
    settings: dict[str, Any] = {**Settings.of_responder(begun=False), **TINY, "steps": 512}
    stier.train.learn(
        "kuhn_poker", opponents="random", against=(), folder=tmp_path, deals=50, evaluations=1, **settings
    )
    with pytest.raises(stier.errors.ArgumentError, match=r"against: \[\] there, \['random'\] now"):
        stier.train.best_response("kuhn_poker", "random", folder=tmp_path, deals=50, evaluations=1, **settings)


def test_an_interrupted_training_ends_with_the_same_responder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, search = "schwinget:suits=2,values=3,referee=off,hand_size=2,set_aside=1", "ismcts:iterations=10"
    settings: dict[str, Any] = {**TINY, "steps": 2048, "seed": 5, "deals": 10, "evaluations": 1}
    monkeypatch.setattr("stier.train._run.PAUSE", 0.0)
    calls = 0

    def stop(_: dict[str, float]) -> None:
        nonlocal calls
        calls += 1
        if calls % 3 == 0:
            raise KeyboardInterrupt

    for _ in range(20):
        try:
            parts = stier.train.best_response(game, search, folder=tmp_path, log=stop, **settings)
        except KeyboardInterrupt:
            continue
        break
    assert calls > 3, "it was stopped"
    whole = stier.train.best_response(game, search, **settings)
    for name, array in whole.trained.network.tensors().items():
        assert (parts.trained.network.tensors()[name] == array).all(), name
    assert (whole.gain, whole.ci95) == (parts.gain, parts.ci95)
    assert parts.responder.startswith(f"network:path={tmp_path / 'network.safetensors'}")
    assert stier.exploit(game, search, parts.responder, deals=10).responder == parts.responder
    with pytest.raises(ValueError, match=r"other settings \(opponents: \['ismcts:iter.*'\] there, \['greedy'\] now"):
        stier.train.best_response(game, "greedy", folder=tmp_path, **settings)


def test_a_responder_begins_as_a_network(tmp_path: Path) -> None:
    """From a best response, a few steps at a tiny learning rate lose nothing; from nothing they gain nothing."""
    file = tmp_path / "network.safetensors"
    first = stier.train.best_response("kuhn_poker", "random", folder=tmp_path, steps=30_000, deals=500, **TINY)
    few: dict[str, Any] = {**TINY, "steps": 512, "deals": 500, "learning_rate": 1e-5, "evaluations": 1}
    victim = stier.load_agent("random", stier.load_game("kuhn_poker"))
    gains = [stier.train.best_response("kuhn_poker", victim, initial=one, **few).gain for one in (file, None)]
    assert gains[0] == pytest.approx(first.gain, abs=0.02)
    assert gains[1] < gains[0] - 0.2
    again = stier.train.best_response("kuhn_poker", f"network:path={file}", initial=file, **few)
    assert again.agent == f"network:path={file}"
    assert again.trained.network.training["initial"]


#: A deck of Schwinget whose histories can be enumerated one at a time.
TWO_EACH = "schwinget:suits=2,values=3,referee=off,counter=off,hand_size=2,set_aside=2"


@pytest.mark.parametrize(("game", "hand"), [("kuhn_poker", "card"), ("leduc_poker", "card"), (TWO_EACH, "hand")])
def test_the_posterior_is_that_of_all_histories(game: str, hand: str, tmp_path: Path) -> None:
    """Against a network that draws its actions, by the reach of every history of the game."""
    file = tmp_path / "network.safetensors"
    loaded = stier.load_game(game)
    network = Network.random(loaded, hidden=(16,), seed=3)
    dataclasses.replace(network, policy=(400 * network.policy[0], network.policy[1])).save(file)
    agent = f"network:path={file},choose=sample"
    player = stier.load_agent(agent, loaded)
    start = 0
    for name, shape in loaded.observation_tensor_layout():
        size = int(np.prod(shape))
        if name == hand:
            break
        start += size
    held = slice(start, start + size)
    sums: dict[str, Any] = {}
    reaches: dict[str, float] = {}

    def walk(state: stier.State, reach: float) -> None:
        """The reach leaves out the actions of the observer, seat 0, which are the same in all of its histories."""
        if state.is_terminal():
            return
        if state.is_chance_node():
            following = state.chance_outcomes()
        elif state.current_player() == 0:
            key = state.information_state_string(0)
            sums[key] = sums.get(key, 0) + reach * state.observation_tensor(1)[held]
            reaches[key] = reaches.get(key, 0.0) + reach
            following = [(action, 1.0) for action in state.legal_actions()]
        else:
            following = player.step_with_policy(state)[0]
        for action, probability in following:
            walk(state.child(action), reach * probability)

    walk(loaded.new_initial_state(), 1.0)
    envs = stier.VectorEnv(
        loaded, 50, opponents=agent, beliefs=f"lbr:against=({agent}),epsilon=0", autoreset="next_step", seed=1
    )
    width = loaded.observation_tensor_shape()[0]
    assert envs.observation_shape == (width + len(loaded.card_faces()),)
    batch, met, informed = envs.reset(), set(), 0
    for _ in range(40):
        for lane in (~batch.terminated).nonzero()[0]:
            state = envs.state(int(lane))
            key = state.information_state_string(0)
            expected = sums[key] / reaches[key]
            np.testing.assert_allclose(batch.observation[lane, width:], expected, atol=1e-5)
            met.add(key)
            informed += len(set(expected[expected > 0].round(3))) > 1
        assert not batch.observation[batch.terminated, width:].any()
        batch = envs.step(envs.sample_actions())
    assert len(met) >= 6, "positions were met"
    assert informed > 20, "where the actions tell something"


def test_bad_arguments() -> None:
    solution = stier.solve("kuhn_poker", iterations=10)
    with pytest.raises(stier.AgentError, match="is not an agent of the engine"):
        stier.train.best_response("kuhn_poker", solution)  # type: ignore[arg-type]
    with pytest.raises(stier.AgentError, match="agents: "):
        stier.train.best_response("kuhn_poker", "nobody")
    with pytest.raises(ValueError, match="deals must be at least 2, got 1"):
        stier.train.best_response("kuhn_poker", "random", deals=1)
    with pytest.raises(ValueError, match="utility=margin or utility=win"):
        stier.train.best_response("schwinget:utility=score", "random")
    with pytest.raises(stier.AgentError, match="the agent random was made for schwinget, not for kuhn_poker"):
        stier.train.best_response("kuhn_poker", stier.load_agent("random", stier.load_game("schwinget")))
    with pytest.raises(ValueError, match="unknown algorithm 'a2c'"):
        stier.train.best_response("kuhn_poker", "random", "a2c")
    with pytest.raises(ValueError, match="opponents must be left out, since the agent sits there, got 'greedy'"):
        stier.train.best_response("kuhn_poker", "random", opponents="greedy")
    # The arguments of `learn` are not settings.
    for name in ("rate", "against", "exact", "watch", "judge", "checkpoint_every"):
        with pytest.raises(ValueError, match=f"unknown setting '{name}'.*ettings of ppo: steps, seed"):
            stier.train.best_response("kuhn_poker", "random", **{name: 1})


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["exploit", "kuhn_poker", "random", "--responder", "learned", "--steps", "1024", "--deals", "50"]
    command += [option for name, value in TINY.items() for option in ("--set", f"{name}={value}")]
    assert main([*command, "--seed", "2", "--no-progress"]) == 0
    assert not list(tmp_path.iterdir()), "nothing is kept unasked"
    expected = stier.train.best_response("kuhn_poker", "random", steps=1024, deals=50, seed=2, **TINY)
    printed = capsys.readouterr().out.splitlines()
    assert printed[:-1] == str(expected).splitlines()[:-1]
    assert re.fullmatch(r"Learned from 1,024 decisions in \d+ CPU seconds of training\.", printed[-1])
    assert main([*command, "--out", "one", "--evaluations", "2"]) == 0
    error = capsys.readouterr().err
    assert error.startswith("evaluating against random\n")
    assert "measuring the gain against random\n" in error
    assert len(Path("one/log.csv").read_text("utf-8").splitlines()) == 4
    assert main([*command, "--out", "other", "--initial", "one/network.safetensors", "--json"]) == 0
    assert '"steps": 1024' in capsys.readouterr().out


def test_options_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    learned = ["exploit", "kuhn_poker", "random", "--responder", "learned"]
    for option, message in {
        "evaluations=1": "unknown setting 'evaluations'; settings of ppo: hidden, learning_rate,",
        "seed=3": "--set 'seed=3': use --seed",
        "steps=3": "--set 'steps=3': use --steps",
        "opponents=3": "opponents must be left out, since the agent sits there, got 3",
        "against=3": "unknown setting 'against'",
    }.items():
        assert main([*learned, "--set", option]) == 2
        assert message in capsys.readouterr().err
    for option in (
        "steps=0",
        "out=there",
        "initial=file",
        "algorithm=ppo",
        "set=hidden=5",
        "evaluations=4",
        "device=cpu",
    ):
        assert main(["exploit", "kuhn_poker", "random", f"--{option}"]) == 2
        assert f"--{option.split('=')[0]} needs --responder learned" in capsys.readouterr().err
    for responder, message in {
        "lerned": "unknown responder 'lerned'; did you mean 'learned'? Responders: learned, best,",
        "learned:steps=5": "the options of learned are those of this command, such as --steps; got 'learned:steps=5'",
    }.items():
        assert main(["exploit", "kuhn_poker", "random", "--responder", responder]) == 2
        assert message in capsys.readouterr().err
    assert main(["exploit", "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"[default: ({CommonSettings.steps:,})]" in shown
    assert "  entropy_coefficient       0.05 with --initial\n" in shown
