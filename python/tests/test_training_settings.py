"""The settings of training: ranges, what needs what, schedules, help."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import sys
from typing import Any

import pytest
from helpers import small_deck

import stier

pytest.importorskip("safetensors")
pytest.importorskip("jax")

import stier.train
from stier.cli import main
from stier.train import Settings
from stier.train.command import OPTIONS


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"algorithm": "reinforce"}, "unknown algorithm 'reinforce'; algorithms: ppo, dmc, distill"),
        ({"rate": 1}, "unknown setting 'rate'; settings of ppo: steps, seed, hidden,"),
        ({"num_envs": 0}, "num_envs must be at least 1, got 0"),
        ({"num_envs": 3, "horizon": 3}, "minibatches must divide num_envs times horizon, 9, got 16"),
        ({"entropy_coefficient": 0.0}, "entropy_coefficient must be more than 0, got 0.0"),
        ({"hidden": (0,)}, "hidden must be widths of layers, such as 256 or 256,256, got (0,)"),
        ({"hidden": 0.5}, "hidden must be widths of layers, such as 256 or 256,256, got 0.5"),
        ({"hidden": "64"}, "hidden must be widths of layers, such as 256 or 256,256, got '64'"),
        ({"num_envs": 0.5}, "num_envs must be a whole number, got 0.5"),
        ({"action_critic": True}, "action_critic=True needs central_critic"),
        ({"critic_hidden": 8}, "critic_hidden=(8,) needs central_critic"),
        ({"opening_share": 0.1}, "opening_share=0.1 needs opening"),
        ({"barred_decisions": 12}, "barred_decisions=12 needs barred"),
        ({"critic_hidden": 0.5}, "critic_hidden must be widths of layers, such as 256 or 256,256, got 0.5"),
        ({"central_critic": 1}, "central_critic must be True or False (on or off), got 1"),
        ({"averaging": (1, 2)}, "averaging must be a number, got (1, 2)"),
        ({"algorithm": "dmc", "minibatch_size": 0}, "minibatch_size must be at least 1, got 0"),
        ({"opponents": ()}, "opponents must be names of agents, such as 'self' or 'greedy', got ()"),
        (
            {"opponents": ["self"] * 3, "num_envs": 2},
            "num_envs must be at least 3, one for each opponent, got 2",
        ),
        ({"opponents": "greedi"}, "greedi"),
        ({"opening": "greedi"}, "greedi"),
        ({"opening": 1}, "opening must be text, got 1"),
        ({"opening": "random", "opening_share": 2}, "opening_share must be between 0 and 1, got 2"),
        ({"opening": "random", "opening_decisions": 0}, "opening_decisions must be at least 1, got 0"),
        ({"barred": "fold"}, "barred: 'fold' is not a valid action of schwinget"),
        ({"barred": "attack", "barred_share": 2}, "barred_share must be between 0 and 1, got 2"),
        ({"barred": "attack", "barred_decisions": 0}, "barred_decisions must be at least 1, got 0"),
        ({"device": "gpu:99"}, "device must be one of JAX's, such as 'cpu' or 'gpu:0', got 'gpu:99'"),
        ({"checkpoint_every": 1}, "checkpoint_every needs a folder"),
        ({"checkpoint_every": -1}, "checkpoint_every must be at least 0, got -1"),
        ({"evaluations": -1}, "evaluations must be at least 0, got -1"),
        ({"deals": 1}, "deals must be at least 2, got 1"),
        ({"threads": -1}, "threads must be between 0 and 1024, got -1"),
        ({"watch": ["attac"]}, "'attac' is not a valid action of schwinget"),
    ],
)
def test_settings_are_checked(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        stier.train.learn(small_deck(), **settings)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"device": 7}, "device must be a name, such as 'cpu' or 'gpu:0', or None, got 7"),
        ({"evaluations": 1.5}, "evaluations must be a whole number, got 1.5"),
        ({"deals": "20"}, "deals must be a whole number, got '20'"),
        ({"checkpoint_every": 0.5}, "checkpoint_every must be a whole number, got 0.5"),
        ({"threads": None}, "threads must be a whole number, got None"),
    ],
)
def test_types_are_checked(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        stier.train.learn(small_deck(), steps=256, **arguments)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("entropy_decay", 2),
        ("entropy_decay", 0),
        ("final_entropy_coefficient", -1.0),
        ("entropy_coefficient", math.nan),
        ("averaging", 1.5),
        ("averaging", math.nan),
        ("learning_rate", math.inf),
    ],
)
def test_settings_have_ranges(name: str, value: float) -> None:
    with pytest.raises(stier.StierError, match=f"{name} must be"):
        stier.train.Settings(**{name: value})


def test_schedules_begin_and_end_where_they_say() -> None:
    settings = stier.train.Settings(steps=1000)
    schedules = [(settings.learning_rate_after(steps), settings.entropy_after(steps)) for steps in range(0, 1001, 10)]
    assert schedules[0] == (settings.learning_rate, settings.entropy_coefficient)
    assert schedules[-1] == pytest.approx((settings.final_learning_rate, settings.final_entropy_coefficient))
    for values in zip(*schedules, strict=True):
        assert all(later <= earlier for earlier, later in itertools.pairwise(values))


#: In the tables of networks that were trained at earlier commits.
REMOVED = (
    *("power_law", "advantage_share", "population_share", "population_size", "population_weights"),
    *("kl_coefficient", "magnet_coefficient", "gae_lambda", "epochs", "beliefs"),
)


@pytest.mark.parametrize("name", REMOVED)
@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_settings_without_use_are_gone(algorithm: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(stier.errors.ArgumentError, match=f"unknown setting '{name}'; settings of {algorithm}: steps"):
        stier.train.learner("kuhn_poker", algorithm, **{name: 1})
    assert main(["train", "kuhn_poker", "--algorithm", algorithm, "--set", f"{name}=1"]) == 2
    assert f"unknown setting '{name}'; settings of {algorithm}: hidden, learning_rate," in capsys.readouterr().err


def test_a_responder_has_the_settings_of_its_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    learned = ["exploit", "kuhn_poker", "random", "--responder", "learned", "--algorithm", "dmc"]
    assert main([*learned, "--set", "horizon=64"]) == 2
    assert "unknown setting 'horizon'; settings of dmc: hidden," in capsys.readouterr().err


def test_help_lists_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--help"]) == 0
    told = capsys.readouterr().out
    words = " ".join(told.split())
    common = stier.train.CommonSettings.meanings()
    for kind in (stier.train.CommonSettings, Settings, stier.train.DMCSettings, stier.train.DistillSettings):
        meanings = common | kind.meanings()
        assert set(meanings) == {field.name for field in dataclasses.fields(kind)}
        for field in dataclasses.fields(kind):
            if field.name not in OPTIONS:
                assert f"  {field.name} " in told
                assert meanings[field.name] in words
    assert "(default: 256,256)" in told


def test_a_missing_jax_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stier.train._learn.find_spec", lambda _: None)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(stier.errors.MissingExtraError, match=r"ppo needs jax: pip install 'stier\[train\]'"):
        stier.train.learner("kuhn_poker")
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    with pytest.raises(stier.errors.MissingExtraError, match="which Macs with Intel processors cannot run"):
        stier.train.learner("kuhn_poker")
