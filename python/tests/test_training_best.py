"""The best network of a training, the warning about a worse end, and checkpoints that are refused."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import TINY

import stier

pytest.importorskip("safetensors")
pytest.importorskip("jax")

from safetensors import safe_open
from safetensors.numpy import save_file

import stier.train
from stier.cli import main
from stier.errors import ArgumentError, TrainingWarning
from stier.network import Network
from stier.train._checkpoint import FORMAT

SETTINGS: dict[str, Any] = {**TINY, "seed": 1, "evaluations": 4, "deals": 20}


class Scripted(stier.train.Evaluation):
    """An evaluation with given figures, one after another: NashConv, or pairs of a mean and half of its interval."""

    def measure(self, network: Network) -> dict[str, float]:
        """Returns the next figure."""
        figure = self.figures.pop(0)
        if self.exact is not None:
            return {"eval/nash_conv": figure}
        return dict(zip(("eval/random/sampled_mean", "eval/random/sampled_ci95"), figure, strict=True))


def scripted(figures: list[Any], folder: Path | None = None) -> stier.train.Trained:
    """Trains for a moment, with an evaluation before each step and one at the end."""
    exact = stier.train.Exact.of("kuhn_poker") if isinstance(figures[0], float) else None
    evaluation = Scripted("kuhn_poker", ("random",), 20, exact=exact)
    evaluation.figures = list(figures)
    steps = 256 * (len(figures) - 1)
    made = stier.train.learner("kuhn_poker", steps=steps, **TINY)
    return stier.train.run(made, folder=folder, evaluation=evaluation, evaluations=len(figures) - 1)


@pytest.mark.filterwarnings("ignore::stier.errors.TrainingWarning")
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_the_best_network_of_all_evaluations_is_kept(algorithm: str, exact: bool, tmp_path: Path) -> None:
    of_ppo = () if algorithm == "ppo" else ("horizon", "minibatches")
    settings = {key: value for key, value in SETTINGS.items() if key not in of_ppo}
    game, measure = stier.load_game("leduc_poker"), "eval/nash_conv" if exact else "eval/random/sampled_mean"
    trained = stier.train.learn(
        game, algorithm, steps=4096, exact=exact, against="random", folder=tmp_path, learning_rate=3e-3, **settings
    )
    values = [row[measure] for row in trained.log]
    best = trained.best
    assert len(values) >= 5
    assert best.measure == measure
    assert best.value == (min(values) if exact else max(values))
    assert best.steps == trained.log[values.index(best.value)]["steps"]
    kept = Network.load(tmp_path / "best.safetensors")
    assert kept.training["steps_done"] == best.steps
    again = stier.train.Evaluation(
        game, ("random",), 20, seed=1, exact=stier.train.Exact.of(game) if exact else None
    ).measure(kept)
    assert again[measure] == best.value
    with (tmp_path / "log.csv").open() as file:
        assert [float(row[measure]) for row in csv.DictReader(file)] == values


def test_without_evaluations_no_network_is_called_the_best(tmp_path: Path) -> None:
    trained = stier.train.learn("kuhn_poker", steps=256, against=(), folder=tmp_path, **TINY)
    assert trained.best is None
    assert trained.warning is None
    assert not (tmp_path / "best.safetensors").exists()


def test_the_best_network_does_not_depend_on_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it depend on whether the file of the best network is still there."""
    figures = [4.0, 1.0, 2.0, 3.0, 1.0, 1.5]
    with pytest.warns(TrainingWarning):
        whole = scripted(figures, tmp_path / "whole")
    assert whole.best.steps == 256, "the first of equals"
    monkeypatch.setattr("stier.train._run.PAUSE", 0.0)
    evaluation = Scripted("kuhn_poker", ("random",), 20, exact=stier.train.Exact.of("kuhn_poker"))
    for stop in range(1, 6):
        made = stier.train.learner("kuhn_poker", steps=1280, **TINY)
        iterate = made.iterate

        def once(stop: int = stop, iterate: Any = iterate, made: Any = made) -> dict[str, float]:
            if made.steps >= 256 * stop:
                raise KeyboardInterrupt
            return iterate()

        made.iterate = once
        (tmp_path / "parts" / "best.safetensors").unlink(missing_ok=True)
        done = 0
        if (tmp_path / "parts" / "log.csv").exists():
            with (tmp_path / "parts" / "log.csv").open() as file:
                done = len(list(csv.DictReader(file)))
        evaluation.figures = figures[done:]
        arguments = {"folder": tmp_path / "parts", "evaluation": evaluation, "evaluations": 5}
        if stop < 5:
            with pytest.raises(KeyboardInterrupt):
                stier.train.run(made, **arguments)
        else:
            with pytest.warns(TrainingWarning):
                parts = stier.train.run(made, **arguments)
    assert (parts.best.steps, parts.best.value) == (256, 1.0)
    for name in ("best.safetensors", "network.safetensors"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize(
    ("figures", "warned"),
    [
        ([4.0, 1.0, 1.1], False),
        ([4.0, 1.0, 1.11], True),
        ([1.0, 4.0, 1.0], False),
        ([1.0, 0.5, 2.0], True),
        ([(-1.0, 0.1), (0.5, 0.3), (0.0, 0.3)], True),
        ([(-1.0, 0.1), (0.5, 0.3), (0.1, 0.3)], False),
        ([(-1.0, 0.1), (0.5, 0.3), (0.6, 0.3)], False),
    ],
)
def test_a_worse_end_is_a_warning(
    figures: list[Any], warned: bool, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    trained = scripted(figures, tmp_path)
    told = [str(one.message) for one in recwarn if one.category is TrainingWarning]
    assert told == ([trained.warning] if warned else [])
    if warned:
        assert told[0].startswith("the network at the end is worse than an earlier one: ")
        assert str(tmp_path / "best.safetensors") in told[0]
        assert f"{trained.best.value:.4g} after {trained.best.steps:,} decisions" in told[0]


def test_the_command_line_tells_of_the_best_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = [4.0, 1.0, 2.0]

    def measure(self: stier.train.Evaluation, network: Network) -> dict[str, float]:
        return {"eval/nash_conv": figures.pop(0)}

    monkeypatch.setattr(stier.train.Evaluation, "measure", measure)
    words = ["--steps", "512", "--evaluations", "2", "--out", str(tmp_path)]
    words += [word for setting in ("num_envs=32", "horizon=8", "hidden=16") for word in ("--set", setting)]
    assert main(["train", "kuhn_poker", *words]) == 0
    told = capsys.readouterr()
    best = f"nash_conv 1 after 256 decisions, {tmp_path / 'best.safetensors'}"
    assert f"best network: {best}\n" in told.out
    assert told.err.endswith(f"warning: the network at the end is worse than an earlier one: {best}, but 2 after 512\n")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"against": ("random", "greedy")}, r"against: ['random'] there, ['random', 'greedy'] now"),
        ({"deals": 30}, "deals: 20 there, 30 now"),
        ({"evaluations": 2}, "evaluations: 4 there, 2 now"),
        ({"exact": True}, "exact: False there, True now"),
        ({"watch": "bet"}, "watch: [] there, ['bet'] now"),
    ],
)
def test_a_log_has_one_kind_of_evaluation(changed: dict[str, Any], told: str, tmp_path: Path) -> None:
    arguments = {**SETTINGS, "against": "random", "folder": tmp_path}
    stier.train.learn("kuhn_poker", steps=256, **arguments)
    with pytest.raises(ArgumentError) as caught:
        stier.train.learn("kuhn_poker", steps=512, **{**arguments, **changed})
    assert f"was made with other settings ({told})" in str(caught.value)


def test_broken_checkpoints_are_refused(tmp_path: Path) -> None:
    """Whatever is missing or changed in one, the error names the file."""
    arguments = {**SETTINGS, "against": "random", "folder": tmp_path, "steps": 256}
    stier.train.learn("kuhn_poker", **arguments)
    path = tmp_path / "checkpoint.safetensors"
    content = path.read_bytes()
    with safe_open(path, framework="numpy") as file:
        metadata, arrays = file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118

    def refused(told: str) -> None:
        with pytest.raises(ArgumentError) as caught:
            stier.train.learn("kuhn_poker", **arguments)
        assert str(path) in str(caught.value)
        assert told in str(caught.value)

    settings = json.loads(metadata["settings"])
    assert settings["checkpoint"] == FORMAT
    for name in ("settings", "state"):
        for text in ("{", "[]", "", json.dumps("text")):
            save_file(arrays, path, {**metadata, name: text})
            refused(f"{name} is missing" if name == "settings" else "is damaged")
    for left_out in metadata:
        save_file(arrays, path, {name: text for name, text in metadata.items() if name != left_out})
        refused("settings is missing" if left_out == "settings" else "is damaged")
    for name, array in arrays.items():
        save_file({one: other for one, other in arrays.items() if one != name}, path, metadata)
        refused("is damaged")
        if array.size:
            other = array.copy()
            other.reshape(-1).view(np.uint8)[0] ^= 1
            save_file({**arrays, name: other}, path, metadata)
            refused("is damaged")
    save_file(arrays, path)
    refused("settings is missing")
    for size in (0, 1, 8, 100, math.ceil(len(content) / 2), len(content) - 1):
        path.write_bytes(content[:size])
        refused(str(path))
    path.write_bytes(content)
    assert stier.train.learn("kuhn_poker", **arguments).best is not None
