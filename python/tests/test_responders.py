"""Learned responders, where the exact best response is known."""

from __future__ import annotations

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

TINY: dict[str, Any] = {
    "hidden": 32,
    "num_envs": 64,
    "horizon": 8,
    "learning_rate": 3e-3,
    "entropy_coefficient": 0.3,
}


def exact_gain(tree: GameTree, network: Network) -> float:
    """The expected return of the network's likeliest actions against uniform play, on average over the seats."""
    legal, players = tree.legal_action_masks(), tree.players()
    probabilities, _ = network(tree.observation_tensors(), legal)
    best = np.eye(legal.shape[1])[probabilities.argmax(axis=1)]
    uniform = legal / legal.sum(axis=1, keepdims=True)
    mixed = [np.where((players == seat)[:, None], best, uniform) for seat in (0, 1)]
    return float(np.mean([tree.policy(policy).values[seat] for seat, policy in enumerate(mixed)]))


@pytest.mark.parametrize(
    ("game", "algorithm", "steps"),
    [("kuhn_poker", "ppo", 30_000), ("kuhn_poker", "dmc", 30_000), ("leduc_poker", "ppo", 200_000)],
)
def test_nearly_all_of_the_exploitability_is_found(game: str, algorithm: str, steps: int) -> None:
    settings = TINY if algorithm == "ppo" else {"hidden": 32, "num_envs": 64, "minibatch_size": 64}
    found = stier.train.best_response(game, "random", algorithm, steps=steps, evaluations=1, deals=1000, **settings)
    truth = stier.exploitability(game, "random")
    gain = exact_gain(GameTree(game), found.trained.network)
    assert 0.9 * truth < gain <= truth + 1e-9
    if found.responder == "network:choose=best":
        assert abs(found.gain - gain) < 2 * found.ci95
    assert found.gain > 0.8 * truth


def test_an_interrupted_training_ends_with_the_same_responder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, search = "schwinget:suits=2,values=3,referee=off,hand_size=2,set_aside=1", "ismcts:iterations=10"
    settings = {**TINY, "steps": 2048, "seed": 5, "deals": 10, "evaluations": 1}
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
    # What was measured can be played again.
    assert parts.responder.startswith(f"network:path={tmp_path / 'network.safetensors'}")
    again = stier.exploit(game, search, parts.responder, deals=10, seed=5)
    assert (again.gain, again.ci95) == (parts.gain, parts.ci95)
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


def test_bad_arguments() -> None:
    solution = stier.solve("kuhn_poker", iterations=10)
    with pytest.raises(stier.AgentError, match="agent must be an Agent or its text, got Solution"):
        stier.train.best_response("kuhn_poker", solution)  # type: ignore[arg-type]
    with pytest.raises(stier.AgentError, match="agents: "):
        stier.train.best_response("kuhn_poker", "nobody")
    with pytest.raises(ValueError, match="deals must be at least 2, got 1"):
        stier.train.best_response("kuhn_poker", "random", deals=1)
    with pytest.raises(ValueError, match="utility=margin or utility=win"):
        stier.train.best_response("schwinget:utility=score", "random")
    with pytest.raises(ValueError, match="unknown setting 'rate'"):
        stier.train.best_response("kuhn_poker", "random", rate=1)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["exploit", "kuhn_poker", "random", "--responder", "learned", "--steps", "1024", "--deals", "50"]
    command += [option for name, value in TINY.items() for option in ("--set", f"{name}={value}")]
    assert main([*command, "--seed", "2", "--no-progress"]) == 0
    settings = {**TINY, "steps": 1024, "deals": 50, "seed": 2, "folder": "out/kuhn_poker_response"}
    expected = stier.train.best_response("kuhn_poker", "random", **settings)
    assert capsys.readouterr().out == str(expected)
    assert str(expected).splitlines()[-1].startswith("Learned from 1,024 decisions in ")
    assert main([*command, "--out", "other", "--initial", "out/kuhn_poker_response/network.safetensors", "--json"]) == 0
    assert '"steps": 1024' in capsys.readouterr().out
    assert main([*command, "--set", "evaluations=1"]) == 2
    assert "unknown setting 'evaluations'; settings: steps, seed, hidden," in capsys.readouterr().err
    for option in ("--steps=5", "--out=there", "--initial=file", "--algorithm=dmc", "--set=hidden=5"):
        assert main(["exploit", "kuhn_poker", "random", option]) == 2
        assert f"{option.split('=')[0]} needs --responder learned" in capsys.readouterr().err
