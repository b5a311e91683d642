"""Training: learners that learn, and runs that go on where they were stopped."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import COMPILING_AS_USERS, TINY, small_deck

import stier

pytest.importorskip("safetensors")
pytest.importorskip("jax")

import stier.train
from stier.cli import main
from stier.network import Network
from stier.solving import GameTree
from stier.train import ppo

#: Off by default.
AVERAGED = {"averaging": 0.5}
#: Settings of PPO that learn a small deck fast: with more environments, a decision costs less.
WIDE: dict[str, Any] = {"num_envs": 128, "horizon": 8, "minibatches": 8, "steps": 50_000}


def error_of_value_head(network: Network) -> float:
    """The mean squared error of the network's values as a share of their variance, if it plays all seats."""
    tree = GameTree(network.game)
    policy, found = [], []
    for start in range(0, tree.information_sets, 4096):
        part = slice(start, min(start + 4096, tree.information_sets))
        outputs = network(
            tree.observation_tensors(part.start, part.stop), tree.legal_action_masks(part.start, part.stop)
        )
        policy.append(outputs[0])
        found.append(outputs[1])
    probabilities = np.concatenate(policy).astype(np.float64)
    probabilities /= probabilities.sum(1, keepdims=True)
    truth = (probabilities * tree.action_values(probabilities)).sum(1)
    return float(((np.concatenate(found) - truth) ** 2).mean() / truth.var())


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("ppo", {**TINY, "num_envs": 64, "minibatches": 8, "steps": 100_000}),
        ("ppo", {**WIDE, "central_critic": True, "action_critic": True}),
        ("ppo", {**WIDE, **AVERAGED, "central_critic": True, "action_critic": True}),
        ("dmc", {"num_envs": 128, "minibatch_size": 64, "steps": 60_000}),
    ],
)
def test_a_learner_comes_nearer_to_equilibrium(algorithm: str, settings: dict[str, Any]) -> None:
    trained = stier.train.learn(
        small_deck(),
        algorithm,
        exact=True,
        evaluations=1,
        deals=200,
        watch=["attack"],
        learning_rate=3e-3,
        **settings | {"hidden": (64,)},
    )
    first, last = trained.log[0], trained.log[-1]
    assert last["steps"] >= settings["steps"]
    assert last["eval/nash_conv"] < 0.5 * first["eval/nash_conv"]
    assert last["eval/greedy/mean"] > first["eval/greedy/mean"] + 0.3
    assert 0.1 < last["eval/attack/probability"] < 0.9, "neither attacking nor waiting is lost"
    assert (trained.network.value is None) == (algorithm == "dmc")
    if trained.network.value is not None:
        # Beside a central critic the value head reads layers that learn from the policy alone.
        assert error_of_value_head(trained.network) < (0.8 if "central_critic" in settings else 0.25)


@pytest.mark.parametrize(
    ("algorithm", "more"),
    [
        ("ppo", {}),
        ("ppo", AVERAGED),
        ("dmc", {}),
    ],
)
def test_a_run_that_was_stopped_ends_with_the_same_network(
    algorithm: str, more: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = stier.load_game("schwimmen", players=3)
    settings = {"steps": 4000, "num_envs": 16, "hidden": (16,), "seed": 3, **more}
    whole = stier.train.learn(game, algorithm, folder=tmp_path / "whole", evaluations=2, deals=20, **settings)
    monkeypatch.setattr("stier.train._run.PAUSE", 0.0)
    count = 0
    for _ in range(100):
        made = stier.train.learner(game, algorithm, **settings)
        iterate = made.iterate

        def once(iterate=iterate) -> dict[str, float]:
            nonlocal count
            count += 1
            if count % 3 == 0:
                raise KeyboardInterrupt
            return iterate()

        made.iterate = once
        evaluation = stier.train.Evaluation(game, ("greedy",), 20, seed=3)
        try:
            parts = stier.train.run(made, folder=tmp_path / "parts", evaluation=evaluation, evaluations=2)
        except KeyboardInterrupt:
            continue
        break
    assert count > 4, "it was stopped"
    for name, array in whole.network.tensors().items():
        assert (parts.network.tensors()[name] == array).all(), name

    def rows(trained: stier.train.Trained) -> list[dict[str, float]]:
        return [
            {key: value for key, value in row.items() if key not in ("cpu_seconds", "steps_per_second")}
            for row in trained.log
        ]

    assert rows(parts) == rows(whole)
    with pytest.raises(ValueError, match=r"made with other settings .seed: 3 there, 4 now"):
        stier.train.learn(game, algorithm, folder=tmp_path / "parts", **(settings | {"seed": 4}))


def test_seeds_decide() -> None:
    game = small_deck()
    first, same, other = (
        stier.train.learn(game, steps=2000, against=(), seed=seed, **TINY).network.policy[0] for seed in (1, 1, 2)
    )
    assert (first == same).all()
    assert (first != other).any()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("schwinget", {"central_critic": True}),
        ("schweins_galopp", {}),
        ("schweins_galopp", {"central_critic": True, "action_critic": True, "critic_hidden": (8, 8)}),
        ("schwimmen", {"central_critic": True, "action_critic": True}),
        ("up_and_down", {}),
    ],
)
def test_every_game_can_be_learned(name: str, settings: dict[str, Any]) -> None:
    trained = stier.train.learn(
        stier.load_game(name),
        steps=512,
        deals=4,
        evaluations=1,
        **TINY,
        **settings,
    )
    assert trained.log[-1].keys() == {
        *("steps", "cpu_seconds", "steps_per_second", "episodes", "learning_rate", "entropy_coefficient"),
        *("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "explained_variance"),
        *(f"eval/greedy/{part}" for part in ("mean", "ci95", "sampled_mean", "sampled_ci95")),
    }
    assert trained.network.value is not None
    assert all(np.isfinite(array).all() for array in trained.network.tensors().values())


def test_the_central_critic_is_shown_how_long_an_action_is_barred() -> None:
    """Without this the value of a position would not be known, and minus the opponent's would be biased."""
    game = stier.load_game("schwinget")
    settings: dict[str, Any] = {"barred": "attack", "barred_share": 1.0, "barred_decisions": 3}
    made = stier.train.learner(game, central_critic=True, num_envs=8, hidden=8, **settings)
    envs, attack = made.play, game.string_to_action("attack")
    width = 2 * game.observation_tensor_shape()[0]
    assert made.params["critic.0.weight"].shape[0] == envs.critic_inputs == width + 3
    batch = envs.reset()
    for step in range(4):
        shown = envs.seen_by_critic()
        left = np.concatenate([part.barred_left() for part in envs.parts])
        assert shown.shape == (8, width + 3)
        assert (shown[:, width:].sum(1) == left).all()
        first = batch.legal_action_mask[:, attack]
        assert not (first & (left > 0)).any(), step
        batch = envs.step(batch.legal_action_mask.argmax(1))
    assert (left == 0).all(), "after three decisions nothing is barred"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("optimized", [False, pytest.param(True, marks=pytest.mark.long)])
def test_networks_do_not_depend_on_threads(optimized: bool) -> None:
    """JAX belongs to the whole process: learners confine what they compute, and change nothing else."""
    text = (
        "import hashlib, jax, os, stier, stier.train\n"
        "before = dict(os.environ)\n"
        "game, ppo = stier.load_game('schwimmen'), {'horizon': 4, 'minibatches': 1}\n"
        "for device in DEVICES:\n"
        "    for algorithm, own in (('ppo', ppo), ('dmc', {})):\n"
        "        settings = {'num_envs': 128, 'hidden': 64, 'seed': 2, **own}\n"
        "        made = stier.train.learner(game, algorithm, device=device, **settings)\n"
        "        made.iterate()\n"
        "        assert dict(os.environ) == before\n"
        "        assert jax.numpy.ones(1).device in jax.devices()\n"
        "        print(hashlib.sha256(made.network().policy[0].tobytes()).hexdigest())\n"
    )

    def trained(threads: int, prelude: str = "", devices: tuple[str | None, ...] = (None,)) -> list[str]:
        environment = os.environ | {"PJRT_NPROC": str(threads)} | (COMPILING_AS_USERS if optimized else {})
        command = [sys.executable, "-c", prelude + text.replace("DEVICES", repr(devices))]
        return subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout.split()

    alone = trained(1)
    assert len(alone) == 2
    assert trained(7) == alone
    # A program that has used JAX before. JAX's own device has all threads, and so other bits.
    *confined, ppo_on_all, dmc_on_all = trained(7, "import jax; jax.numpy.ones(3) + 1\n", (None, "cpu"))
    assert confined == alone
    assert ppo_on_all != alone[0]
    assert dmc_on_all != alone[1]


def test_training_is_extended(tmp_path: Path) -> None:
    game, settings = small_deck(), {**TINY, "against": (), "evaluations": 4, "folder": tmp_path}
    first = stier.train.learn(game, steps=1024, **settings)
    more = stier.train.learn(game, steps=4096, **settings)
    assert more.log[: len(first.log)] == first.log
    assert [row["steps"] for row in more.log] == [0, 256, 512, 768, 1024, 2048, 3072, 4096]
    # The schedule of the new total: after a quarter of it the learning rate is up again.
    assert more.log[5]["learning_rate"] > first.log[-1]["learning_rate"]
    assert more.network.training["steps_done"] == 4096
    again = stier.train.learn(game, steps=4096, **settings)
    assert (again.network.policy[0] == more.network.policy[0]).all()
    with pytest.raises(stier.StierError, match=r"steps must be at least 4,096, which .* has done; got 2,048"):
        stier.train.learn(game, steps=2048, **settings)
    with pytest.raises(stier.StierError, match=r"other settings \(num_envs: 32 there, 16 now\)"):
        stier.train.learn(game, steps=8192, **(settings | {"num_envs": 16}))


def test_training_starts_from_a_network(tmp_path: Path) -> None:
    game, file = small_deck(), tmp_path / "network.safetensors"
    network = Network.random(game, hidden=(16,), seed=1, value_scale=3.0)
    network = dataclasses.replace(network, value=(network.value[0] + 1, network.value[1] + 1))
    network.save(file)
    x = np.random.default_rng(1).integers(2, size=(7, game.observation_tensor_shape()[0]))
    for initial in (network, file, str(file)):
        made = stier.train.learner(game, initial=initial, num_envs=32, horizon=8)
        assert made.settings.hidden == (16,), "as the network has them"
        for found, expected in zip(made.network().forward(x), network.forward(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    # The command line, and going on from the checkpoint without naming it again.
    out = tmp_path / "out"
    arguments = ["train", str(game), "--out", str(out), "--deals", "2", "--set", "num_envs=32", "--set", "horizon=8"]
    assert main([*arguments, "--steps", "256", "--initial", str(file)]) == 0
    trained = Network.load(out / "network.safetensors")
    assert trained.training["initial"] == made.initial
    assert main([*arguments, "--steps", "512", "--set", "hidden=16"]) == 0
    assert Network.load(out / "network.safetensors").training["steps_done"] == 512
    assert main([*arguments, "--steps", "768"]) == 0
    assert Network.load(out / "network.safetensors").training["steps_done"] == 768
    other = Network.random(game, hidden=(16,), seed=2)
    with pytest.raises(stier.StierError, match="initial: "):
        stier.train.learn(game, folder=out, initial=other, steps=512, num_envs=32, horizon=8)

    with pytest.raises(stier.StierError, match=r"hidden must be \(16,\) as in the initial network, got \(8,\)"):
        stier.train.learner(game, initial=network, hidden=8)
    with pytest.raises(stier.StierError, match="observations and actions differ from schwinget:suits=2"):
        stier.train.learner(stier.load_game("schwimmen"), initial=network)
    with pytest.raises(stier.StierError, match="initial must be the file of a network, got "):
        stier.train.learner(game, initial=tmp_path / "missing")
    with pytest.raises(stier.StierError, match="initial must be a network of dmc"):
        stier.train.learner(game, "dmc", initial=network)
    deep = stier.train.learn(game, "dmc", steps=200, num_envs=16, hidden=16, against=())
    warmer = dataclasses.replace(deep.network, training=deep.network.training | {"temperature": 0.1})
    logits = stier.train.learner(game, "dmc", initial=warmer).network().forward(x)[0] / 5
    np.testing.assert_allclose(logits, deep.network.forward(x)[0], rtol=1e-3, atol=1e-3)
    stier.train.learner(game, initial=deep.network, num_envs=32, horizon=8).iterate()


def test_the_command_line_tells_its_progress_without_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--steps", "1024", "--deals", "4", "--evaluations", "2", "--watch", "attack", "--judge", "rule:when=thumb"]
    for name, value in {"hidden": "16", "num_envs": "32", "horizon": "8"}.items():
        words += ["--set", f"{name}={value}"]
    assert main(["train", str(small_deck()), "--out", str(tmp_path / "a"), *words]) == 0
    told = capsys.readouterr()
    evaluating, compiling, *lines = told.err.splitlines()
    assert evaluating == "evaluating against greedy"
    assert compiling == "compiling the learner"
    assert [line.split(" decisions")[0] for line in lines] == ["0 of 1,024", "512 of 1,024", "1,024 of 1,024"]
    assert "greedy/mean" in lines[-1]
    assert "attack/probability" in lines[-1]
    assert "attack/probability" in told.out
    assert Network.load(tmp_path / "a" / "network.safetensors").hidden[0][0].shape[1] == 16
    # Between evaluations, the metrics.
    monkeypatch.setattr("stier._output.PAUSE", 0.0)
    assert main(["train", str(small_deck()), "--out", str(tmp_path / "d"), *words]) == 0
    lines = capsys.readouterr().err.splitlines()[2:]
    assert [line.split(" decisions")[0] for line in lines[1::2]] == ["256 of 1,024", "768 of 1,024"]
    assert "value_loss" in lines[1]
    assert "steps_per_second" in lines[1]
    assert main(["train", str(small_deck()), "--out", str(tmp_path / "b"), *words, "--no-progress"]) == 0
    assert not capsys.readouterr().err
    assert main(["train", str(small_deck()), "--out", str(tmp_path / "c"), "--set", "hidden=0.5"]) == 2
    assert "hidden must be widths of layers, such as 256 or 256,256, got 0.5" in capsys.readouterr().err


def test_the_command_line_measures_small_games_and_has_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--steps", "256", "--deals", "4", "--set", "num_envs=32", "--set", "horizon=8", "--set", "hidden=16"]
    assert main(["train", "kuhn_poker", *words]) == 0
    told = capsys.readouterr().out
    assert "greedy/sampled_mean" in told
    assert "nash_conv" in told
    assert "network:path=out/kuhn_poker/network.safetensors,choose=sample" in told
    assert main(["train", "kuhn_poker", *words, "--no-exact", "--out", "without"]) == 0
    assert "nash_conv" not in capsys.readouterr().out


def test_iterations_are_logged_and_networks_kept(tmp_path: Path) -> None:
    game, told = small_deck(), []
    settings = {**TINY, "evaluations": 2, "deals": 4, "folder": tmp_path}
    trained = stier.train.learn(game, steps=1024, checkpoint_every=2, log=told.append, **settings)
    iterations = [row for row in told if "policy_loss" in row]
    evaluations = [row for row in told if "eval/greedy/mean" in row]
    assert [row["steps"] for row in iterations] == [256, 512, 768, 1024]
    assert [row["steps"] for row in evaluations] == [0, 512, 1024] == [row["steps"] for row in trained.log]
    parts = ("mean", "ci95", "sampled_mean", "sampled_ci95")
    assert trained.headlines == [f"eval/greedy/{part}" for part in parts]
    mean = np.mean([row["policy_loss"] for row in iterations[2:]])
    assert trained.log[-1]["policy_loss"] == pytest.approx(mean)
    kept = sorted((tmp_path / "checkpoints").iterdir())
    assert [file.name for file in kept] == ["000000000512.safetensors", "000000001024.safetensors"]
    first, last = map(Network.load, kept)
    assert first.training["steps_done"] == 512
    assert (last.policy[0] == trained.network.policy[0]).all()
    # Going on from the checkpoint does not tell again what was told.
    told.clear()
    stier.train.learn(game, steps=1280, checkpoint_every=2, log=told.append, **settings)
    assert [row["steps"] for row in told] == [1280, 1280]


@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_training_that_diverges_is_an_error_and_not_saved(algorithm: str, tmp_path: Path) -> None:
    settings = {"steps": 4096, "hidden": 16, "num_envs": 32, "folder": tmp_path, "against": ()}
    with pytest.raises(stier.errors.TrainingError, match=r"diverged: .* in iteration "):
        stier.train.learn(small_deck(), algorithm, learning_rate=1e30, **settings)
    assert Network.load(tmp_path / "network.safetensors").training["steps_done"] == 0


ONE_STEP = {**TINY, "minibatches": 1, "against": ()}


@pytest.fixture
def one_epoch(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A single pass over the decisions of an update."""
    ppo.update.clear_cache()
    monkeypatch.setattr(ppo, "EPOCHS", 1)
    yield
    ppo.update.clear_cache()


@pytest.mark.usefixtures("one_epoch")
@pytest.mark.parametrize("steps", [256, 512])
def test_a_step_after_which_the_network_cannot_play_is_an_error_and_not_saved(steps: int, tmp_path: Path) -> None:
    """The loss of the first step is finite, and the weights after it are too large for any game."""
    with pytest.raises(stier.errors.TrainingError, match="network overflow in iteration 1, after 256"):
        stier.train.learn(
            "kuhn_poker", steps=steps, learning_rate=1e30, folder=tmp_path, checkpoint_every=1, **ONE_STEP
        )
    assert Network.load(tmp_path / "network.safetensors").training["steps_done"] == 0
    assert not (tmp_path / "checkpoints").exists()


def test_outputs_below_those_of_illegal_actions_are_an_error() -> None:
    network = Network.random(small_deck(), hidden=(16,), seed=1)
    weight, bias = network.policy
    network = dataclasses.replace(network, policy=(weight, bias - np.float32(1e12)))
    with pytest.raises(stier.errors.TrainingError, match="the outputs of the network are too large in iteration 0"):
        stier.train.learn(small_deck(), steps=256, initial=network, num_envs=32, horizon=8, against=())


def test_a_folder_of_another_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, settings = small_deck(), {**TINY, "steps": 256, "against": (), "folder": tmp_path}
    monkeypatch.setattr("stier.train._run.FORMAT", 2)
    stier.train.learn(game, **settings)
    monkeypatch.undo()
    with pytest.raises(stier.StierError, match="checkpoint format 2, this version of stier continues only format 9"):
        stier.train.learn(game, **settings)


def test_the_network_that_is_kept_is_the_average_of_the_weights() -> None:
    made = stier.train.learner("kuhn_poker", steps=2560, averaging=0.4, **TINY)
    expected = np.asarray(made.params["policy.weight"])
    for iteration in range(1, 11):
        made.iterate()
        # 0.4 of ten iterations are four; before, all count alike.
        expected = expected + max(1 / iteration, 1 / 4) * (np.asarray(made.params["policy.weight"]) - expected)
        np.testing.assert_allclose(made.network().policy[0], expected, rtol=1e-5, atol=1e-7)
    assert abs(expected - np.asarray(made.params["policy.weight"])).max() > 1e-3
