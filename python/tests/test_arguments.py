"""Arguments of one kind are accepted and refused alike, in every layer."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

import stier
from stier import _arguments
from stier.cli import main
from stier.errors import AgentError, ArgumentError, SeatError

#: Not a whole number, whatever it stands for.
NOT_WHOLE = [1.5, 3.0, math.nan, math.inf, "7", "x", b"7", None, [1], (), {}, np.float64(2), np.zeros(2), object()]
NOT_A_NUMBER = ["7", b"7", None, [1], (), {}, object()]


def of_kind(check: Callable[..., Any], *more: Any) -> Callable[[Any], Any]:
    return lambda value: check("some", value, *more)


WHOLE: dict[str, tuple[Callable[[Any], Any], list[int]]] = {
    "whole": (of_kind(_arguments.whole, 2, 5), [1, 6, 2**70]),
    "count": (of_kind(lambda name, value: _arguments.whole(name, value, 1)), [0, -1]),
    "seed": (lambda value: _arguments.seed(value, "some"), [-1, 2**64, 2**200]),
    "threads": (_arguments.threads, [-1, 1025]),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_numbers(kind: str) -> None:
    check, outside = WHOLE[kind]
    name = "threads" if kind == "threads" else "some"
    for value in [3, np.int8(3), np.uint64(3), np.int64(3), np.array(3)]:
        found = check(value)
        assert found == 3
        assert type(found) is int
    for value in NOT_WHOLE:
        with pytest.raises(TypeError, match=f"^{name} must be a whole number, got "):
            check(value)
    for value in outside:
        with pytest.raises(ArgumentError, match=rf"^{name} must be (between \d+ and|at least) \d+, got {value}$"):
            check(value)
    with pytest.raises(ArgumentError, match=r"^some must be at least 2, got 1$"):
        _arguments.whole("some", 1, 2)


@pytest.mark.parametrize(
    ("check", "outside"),
    [
        (_arguments.number, [math.nan, math.inf, -math.inf, 10**400]),
        (lambda name, value: _arguments.number(name, value, 0, 1), [math.nan, math.inf, -0.1, 1.5]),
        (lambda name, value: _arguments.number(name, value, 0), [math.nan, math.inf, -1]),
    ],
)
def test_numbers(check: Callable[[str, Any], float], outside: list[float]) -> None:
    for value in [1, 1.0, np.float32(1), np.int8(1), np.array(1.0)]:
        found = check("some", value)
        assert found == 1
        assert type(found) is float
    for value in NOT_A_NUMBER:
        with pytest.raises(TypeError, match=r"^some must be a number, got "):
            check("some", value)
    for value in outside:
        with pytest.raises(ArgumentError, match=r"^some must be .*, got "):
            check("some", value)


def test_devices() -> None:
    assert _arguments.device(None) is None
    assert _arguments.device("gpu:0") == "gpu:0"
    with pytest.raises(TypeError, match=r"^device must be a name, .*, got 7 \(int\)$"):
        _arguments.device(7)  # type: ignore[arg-type]


#: Kinds of arguments, by name: values of a wrong type, values that are out of range, and one that is allowed.
KINDS: dict[str, tuple[list[Any], list[Any], int]] = {
    "seed": ([1.5, 3.0, "7", b"7", {}, object()], [-1, 2**64, 2**200], 7),
    **dict.fromkeys(["deals", "deals_per_part", "iterations", "seeds"], (NOT_WHOLE, [0, -1, 2**64], 2)),
    "max_histories": (NOT_WHOLE, [0, -1, 2**64], 100),
    "games": (NOT_WHOLE, [0, -1], 2),
    **dict.fromkeys(["searches", "worlds"], (NOT_WHOLE, [0, -1], 1)),
    "num_envs": (NOT_WHOLE, [0, -1, 2**24 + 1], 2),
    "threads": (NOT_WHOLE, [-1, 1025], 1),
    "tree_depth": (NOT_WHOLE, [-1], 1),
    "seat": ([1.5, 1.0, b"7", None, {}], [-1, 2, 2**70], 1),
    **dict.fromkeys(["step", "magnet"], (NOT_A_NUMBER, [math.nan, math.inf, -1], 1)),
    "target": (NOT_A_NUMBER, [math.nan, math.inf, -1], 1),
    "scale": (NOT_A_NUMBER, [math.nan, math.inf, -1, 0, 1001], 1),
    "minutes": ([value for value in NOT_A_NUMBER if value is not None], [math.nan, math.inf, -1], 1),
    "illegal_reward": (["7", b"7", [1], {}], [math.nan, math.inf], 1),
    **dict.fromkeys(["most_deals", "deals_at_once", "reference"], (NOT_WHOLE, [0, -1], 1)),
    "resamples": (NOT_WHOLE, [-1, 1], 100),
    "population": (NOT_WHOLE, [0, -1, 1], 2),
    "alpha": (NOT_A_NUMBER, [math.nan, math.inf, -1, 0, 1000], 1),
    "prior": (NOT_A_NUMBER, [math.nan, math.inf, -1], 1),
    "by": (NOT_A_NUMBER, [math.nan, math.inf, -math.inf], 1),
    "than": (NOT_A_NUMBER, [math.nan, math.inf, -math.inf], -1),
}

GAME = stier.load_game("kuhn_poker")
STATE = GAME.new_initial_state(seed=1)
RANDOM = {"game": GAME, "agent": "random"}


def matches(deals: Any = 1, deals_per_part: Any = 1, seed: Any = 0) -> stier.experiments.Experiment:
    settings = {"deals": deals, "deals_per_part": deals_per_part, "seeds": [seed]}
    return stier.experiments.Experiment("kuhn_poker", ["random", "greedy"], **settings)


MATCH = stier.pit(GAME, ["random", "random"], deals=2)
PAIR = {"game": GAME, "a": "random", "b": "random"}
#: A library that some calls need, the function, its other arguments, and arguments that its signature does not name.
Call: TypeAlias = tuple[str, Callable[[], Callable[..., object]], dict[str, Any], list[str]]
CALLS: dict[str, Call] = {
    "Agent.restart": ("", lambda: stier.load_agent("random", GAME).restart, {}, []),
    "PythonAgent": ("", lambda: stier.PythonAgent, {"function": len}, ["seed"]),
    "State.resample_from_infostate": ("", lambda: STATE.resample_from_infostate, {"player": 0}, []),
    "VectorEnv": (
        "",
        lambda: stier.VectorEnv,
        {"game": GAME, "num_envs": 1, "opponents": "random"},
        ["num_envs", "seed", "threads"],
    ),
    "check_no_leak": ("", lambda: stier.check_no_leak, {"game": GAME, "games": 1, "worlds": 1, "agents": []}, []),
    "Game.new_initial_state": ("", lambda: GAME.new_initial_state, {}, []),
    "derive_seed": ("", lambda: stier.derive_seed, {"seed": 1, "purpose": "test", "index": 0}, []),
    "Experiment": ("pyarrow", lambda: matches, {}, []),
    "check_game": ("", lambda: stier.check_game, {"game": "kuhn:Kuhn", "histories": 10}, []),
    "exploit": ("", lambda: stier.exploit, {**RANDOM, "deals": 2}, []),
    "exploitability": ("", lambda: stier.exploitability, RANDOM, []),
    "load_agent": ("", lambda: stier.load_agent, {"agent": "random", "game": GAME}, []),
    "pit": ("", lambda: stier.pit, {"game": GAME, "agents": ["random", "random"], "deals": 1}, []),
    "replay": ("", lambda: stier.replay, {"game": STATE, "seat": 0, "agent": "ismcts:iterations=2"}, []),
    "resample_many": ("", lambda: stier.resample_many, {"states": [STATE], "n": 1}, []),
    "search_many": ("", lambda: stier.search_many, {"agent": "ismcts:iterations=2", "states": [STATE]}, []),
    "solve": ("", lambda: stier.solve, {"game": GAME, "iterations": 2, "target": 0.1}, []),
    "playing.properties": ("", lambda: stier.playing.properties, {"game": GAME, "deals": 1}, []),
    "schwingfest": ("", lambda: stier.schwingfest.schwingfest, {"agents": ["random"] * 3}, []),
    "solving.best_response": ("", lambda: stier.solving.best_response, RANDOM, []),
    "solving.load_solution": ("", lambda: stier.solving.load_solution, {}, []),
    "solving.run": (
        "",
        lambda: stier.solving.run,
        {"tree": stier.solving.GameTree(GAME), "rule": lambda rows: lambda step: (step.policy, 1), "iterations": 2},
        [],
    ),
    "solving.iterate": (
        "",
        lambda: stier.solving.iterate,
        {"tree": stier.solving.GameTree(GAME), "rule": lambda rows: lambda step: (step.policy, 1), "iterations": 2},
        [],
    ),
    "solving.nash_conv": ("", lambda: stier.solving.nash_conv, RANDOM, []),
    "solving.mirror_step": (
        "",
        lambda: stier.solving.mirror_step,
        {"probabilities": [0.5, 0.5], "values": [1, 0], "step": 1},
        [],
    ),
    "network.Network.random": ("", lambda: stier.network.Network.random, {"game": GAME, "hidden": (2,)}, []),
    "gymnasium.make": ("gymnasium", lambda: stier.gymnasium.make, {"game": GAME}, []),
    "gymnasium.make_vec": ("gymnasium", lambda: stier.gymnasium.make_vec, {"game": GAME}, ["num_envs"]),
    "gymnasium reset": ("gymnasium", lambda: stier.gymnasium.make(GAME).reset, {}, []),
    "gymnasium vector reset": ("gymnasium", lambda: stier.gymnasium.make_vec(GAME, num_envs=2).reset, {}, []),
    "pettingzoo.env": ("pettingzoo", lambda: stier.pettingzoo.env, {"game": GAME}, []),
    "pettingzoo.parallel_env": ("pettingzoo", lambda: stier.pettingzoo.parallel_env, {"game": "goofspiel"}, []),
    "pettingzoo reset": ("pettingzoo", lambda: stier.pettingzoo.env(GAME).reset, {}, []),
    "pettingzoo parallel reset": ("pettingzoo", lambda: stier.pettingzoo.parallel_env("goofspiel").reset, {}, []),
    **{
        f"ratings.{name}": (library, lambda name=name: getattr(import_module("stier.ratings"), name), others, [])
        for name, library, others in [
            ("bradley_terry", "scipy", {"results": MATCH, "resamples": 0}),
            ("plackett_luce", "openskill", {"results": MATCH, "resamples": 2}),
            ("alpha_rank", "open_spiel", {"payoffs": [[0, 1], [-1, 0]]}),
            ("is_better", "scipy", {**PAIR, "by": 0.5, "than": -3, "most_deals": 1}),
            ("variance_reduction", "scipy", {**PAIR, "control": ("random", "random"), "deals": 10}),
        ]
    },
    "experiments.run": ("pyarrow", lambda: import_module("stier.experiments").run, {}, []),
    "widget.play": ("anywidget", lambda: stier.widget.play, {"game": GAME, "opponent": "random"}, []),
}


def of_signature(function: Callable[..., object]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:
        return []


def arguments() -> list[tuple[str, str]]:
    """Every call with each of its arguments that are of a kind."""
    found = []
    for name, (library, function, _, more) in CALLS.items():
        if library and find_spec(library) is None:
            continue
        found += [(name, argument) for argument in {*of_signature(function()), *more} if argument in KINDS]
    # The games of an experiment are not numbers.
    return sorted(found)


@pytest.mark.parametrize(("name", "argument"), arguments())
def test_every_layer_refuses_alike(name: str, argument: str, tmp_path: Path) -> None:
    _, function, others, _ = CALLS[name]
    call = function()
    wrong, outside, allowed = KINDS[argument]
    if name == "load_agent":
        wrong = [1.5, b"7", {}]  # as an option it may be a text
    if name == "gymnasium vector reset":
        wrong = [value for value in wrong if value != {}]  # a seed for each environment
    if name == "VectorEnv" and argument == "seat":
        wrong = [value for value in wrong if value is not None]  # all seats
    if name == "solving.load_solution":
        stier.solve(GAME, iterations=1).save(tmp_path / "policy")
        others = {"path": tmp_path / "policy"}
    if name.startswith("experiments."):
        experiments = import_module("stier.experiments")
        plan = experiments.Experiment("kuhn_poker", ["random", "random:seed=1"], deals=1)
        store = experiments.run(plan, tmp_path)
        others = {"experiment": plan, "out": tmp_path} if name == "experiments.run" else {"games": store}
    if argument == "minutes":
        wrong = [value for value in wrong if value is not None]  # no limit
    if name == "ratings.variance_reduction" and argument == "deals":
        allowed = 10
    if name == "ratings.is_better" and argument == "alpha":
        kinds: list[Any] = []  # between 0 and 0.5
    else:
        kinds = [int, np.int8, np.int64, np.uint16] if allowed >= 0 else [int, np.int8, np.int64]
    for value in wrong:
        with pytest.raises(AgentError if name == "load_agent" and value == 1.5 else TypeError):
            call(**others | {argument: value})
    for value in outside:
        with pytest.raises((ArgumentError, AgentError, SeatError)) as raised:
            call(**others | {argument: value})
        assert argument in str(raised.value)
    for kind in kinds:
        call(**others | {argument: kind(allowed)})


def test_the_list_has_every_function() -> None:
    """Functions of the modules whose arguments are settings of a training or an experiment are not here."""
    others = {"stier.ratings.control_variate"}
    known = {function() for library, function, *_ in CALLS.values() if not library or find_spec(library)}
    modules = ["stier", "stier.playing", "stier.solving", "stier.schwingfest", "stier.replays", "stier.network"]
    modules += ["stier.ratings"] * bool(find_spec("scipy")) + ["stier.experiments"] * bool(find_spec("pyarrow"))
    for module in modules:
        found = import_module(module)
        for name in found.__all__:
            thing = getattr(found, name)
            if inspect.isroutine(thing) and set(of_signature(thing)) & set(KINDS):
                assert thing in known or f"{module}.{name}" in others, f"{module}.{name}"


def test_minutes_of_experiments_are_checked_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiments = pytest.importorskip("stier.experiments")
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text('game = "kuhn_poker"\nagents = ["random", "random:seed=1"]\ndeals = 1\n')
    for value in ("nan", "-1", "inf", "-inf", "x", ""):
        assert main(["run", str(plan), "--out", str(out), f"--minutes={value}"]) == 2
        assert "minutes" in capsys.readouterr().err
        wrong, error = (value, TypeError) if value in ("x", "") else (float(value), ArgumentError)
        with pytest.raises(error, match=r"^minutes must be "):
            experiments.run(plan, out, minutes=wrong)
    assert not out.exists()
