"""Networks in integers: the same bits in NumPy, in the engine, in training and in ONNX."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stier
from stier.network import Network

pytest.importorskip("safetensors")

#: The folder of the engine's tests of networks, which has a network and what NumPy makes of it.
RUST = Path(__file__).parents[2] / "agents/tests/networks"
#: The networks in single precision from which those of the games learned.
TEACHERS = Path(__file__).parents[2] / "benches/networks"
GAMES = ["schwinget", "up_and_down", "schwimmen", "schweins_galopp"]


def network(game: str = "schwinget", widths: tuple[int, ...] = (24, 16, 8), seed: int = 0) -> Network:
    """Returns a network with random weights."""
    rules, rng = stier.load_game(game), np.random.default_rng(seed)

    def layer(inputs: int, outputs: int, kind: type) -> tuple[np.ndarray, np.ndarray]:
        weight = rng.integers(-127, 128, (inputs, outputs)).astype(np.int8)
        return weight, rng.integers(-3000, 3000, outputs).astype(kind)

    inputs, hidden = rules.observation_tensor_shape()[0], []
    for index, width in enumerate(widths):
        hidden.append(layer(inputs, width, np.int32 if index else np.int16))
        inputs = width if index else width // 2
    return Network(
        game=rules,
        hidden=tuple(hidden),
        policy=layer(inputs, rules.num_distinct_actions(), np.int32),
        value=layer(inputs, 1, np.int32),
        value_scale=2.5,
        activation="products",
        shifts=(3, 7, 6)[: len(widths)],
        scales=(0.0004, 0.0003),
    )


def observations(game: stier.Game, count: int = 200) -> stier.Batch:
    envs = stier.VectorEnv(game, count, seed=1, threads=1)
    batch = envs.reset()
    for _ in range(5):
        batch = envs.step(envs.sample_actions())
    return batch


def test_a_file_holds_everything(tmp_path: Path) -> None:
    made = network()
    made.save(tmp_path / "a.safetensors")
    again = Network.load(tmp_path / "a.safetensors")
    assert (again.shifts, again.scales, again.activation) == (made.shifts, made.scales, "products")
    assert again._to_bytes() == made._to_bytes()
    assert all((again.tensors()[name] == array).all() for name, array in made.tensors().items())


def test_the_engine_tests_have_these_outputs() -> None:
    if not RUST.exists():
        pytest.skip("the engine's tests are not here")
    found = dataclasses.replace(Network.load(RUST / "integers.safetensors"), value_scale=1.0)
    x = [[row >> place & 1 for place in range(11)] for row in range(1, 64, 9)]
    logits, value = found.forward(x)
    listed = re.search(r"const OUTPUTS: .*?= \[(.*?)\];", (RUST / "integers.rs").read_text(), re.DOTALL)
    assert listed is not None
    rows = np.array(re.findall(r"-?\d+\.\d+", listed[1]), np.float32).reshape(7, 3)
    assert (np.column_stack([logits, value]) * 1024 == rows).all()


def test_the_engine_plays_by_the_same_probabilities(tmp_path: Path) -> None:
    made = network()
    made.save(tmp_path / "a.safetensors")
    agent = stier.load_agent("network", made.game, path=tmp_path / "a.safetensors", choose="sample")
    for seed in range(20):
        state = made.game.new_initial_state(seed=seed)
        policy, _ = agent.step_with_policy(state)
        expected, _ = made(state.observation_tensor(), state.legal_actions_mask())
        for action, probability in dict(policy).items():
            assert probability == pytest.approx(expected[action], abs=1e-6)


@pytest.mark.parametrize("game", GAMES)
def test_the_network_of_a_game_plays_like_its_teacher(game: str) -> None:
    path = TEACHERS / f"{game}.safetensors"
    if not path.exists():
        pytest.skip("the benches are not here")
    own_network, rules = Network.of(game), stier.load_game(game)
    assert own_network.in_integers
    agents = [stier.load_agent(text, rules, choose="sample") for text in ("network", f"network:path={path}")]
    same, probabilities = [], []
    for seed in range(60):
        state = rules.new_initial_state(seed=seed)
        for action in np.random.default_rng(seed).integers(0, 100, 6):
            if not state.is_terminal():
                state.apply_action(state.legal_actions()[action % len(state.legal_actions())])
        if state.is_terminal() or len(state.legal_actions()) == 1:
            continue
        own, other = (dict(agent.step_with_policy(state)[0]) for agent in agents)
        expected, _ = own_network(state.observation_tensor(), state.legal_actions_mask())
        assert all(own[action] == pytest.approx(expected[action], abs=1e-6) for action in own)
        same.append(max(own, key=own.get) == max(other, key=other.get))
        probabilities.append(sum(abs(own[action] - other.get(action, 0.0)) for action in own) / 2)
    assert np.mean(same) > 0.8
    assert np.mean(probabilities) < 0.15


@pytest.mark.parametrize("game", [None, *GAMES])
def test_onnx_computes_the_same(game: str | None, tmp_path: Path) -> None:
    """Also with the parts that the networks of games sort."""
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    made = network() if game is None else Network.of(game)
    made.to_onnx(tmp_path / "a.onnx")
    x = observations(made.game).observation
    found: Any = ReferenceEvaluator(onnx.load(tmp_path / "a.onnx")).run(None, {"observation": x})
    logits, value = found
    expected = made.forward(x)
    assert (logits == expected[0]).all()
    np.testing.assert_allclose(value, expected[1], rtol=1e-6)


def test_what_does_not_fit_is_refused() -> None:
    made = network()
    for change, message in [
        ({"shifts": (3, 7)}, r"shifts must be a number from 0 to 15 for each hidden layer, got \(3, 7\)"),
        ({"scales": (1.0, 0.0)}, r"scales must be two numbers above 0, got \(1.0, 0.0\)"),
        ({"hidden": ()}, "must have a first layer with an even number of units"),
        (
            {"policy": (made.policy[0].astype(np.float32), made.policy[1])},
            "policy.weight must be of type int8, got float",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            dataclasses.replace(made, **change)


def test_training_rounds_as_the_exported_network() -> None:
    pytest.importorskip("jax")
    from stier.train._learn import learner
    from stier.train.distill import student

    settings: dict[str, Any] = {"hidden": (32, 16), "num_envs": 64, "horizon": 4, "minibatches": 2, "steps": 2048}
    made: Any = learner("schwinget", "distill", seed=1, learning_rate=0.01, **settings)
    losses = [made.iterate()["teacher_kl"] for _ in range(8)]
    assert losses[-1] < losses[0]
    exported = dataclasses.replace(made.network(), classes=None)
    x = observations(made.game).observation
    logits, value = student(made.params, x)
    found = exported.forward(x)
    assert (found[0] == np.asarray(logits)).all()
    np.testing.assert_allclose(found[1], np.asarray(value) * exported.value_scale, rtol=1e-6)
    again = learner("schwinget", "distill", seed=1, learning_rate=0.01, **settings)
    assert [again.iterate()["teacher_kl"] for _ in range(8)] == losses


@pytest.mark.parametrize("game", GAMES)
def test_a_network_in_integers_teaches(game: str) -> None:
    pytest.importorskip("jax")
    from stier.train._learn import learner

    made: Any = learner(game, "distill", hidden=(32, 16), num_envs=8, horizon=1, minibatches=1, steps=64)
    x = observations(made.game).observation
    logits, value = made.teach(made.teaching, x)
    found = dataclasses.replace(made.teacher, classes=None).forward(x)
    assert (found[0] == np.asarray(logits)).all()
    np.testing.assert_allclose(found[1], np.asarray(value) * made.teacher.value_scale, rtol=1e-6)
    assert made.iterate()["teacher_kl"] > 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hidden": (31, 16)}, "hidden must begin with an even number of units, got 31"),
        ({"symmetry": False}, "symmetry must be True, as it is in the teacher"),
        ({"teacher": "nothing"}, "teacher must be the file of a network, got 'nothing'"),
        ({"initial": Network.random(stier.load_game("schwinget"))}, "give the network to learn from as teacher"),
    ],
)
def test_a_student_needs_a_teacher_that_fits(settings: dict[str, Any], message: str) -> None:
    pytest.importorskip("jax")
    from stier.train._learn import learner

    with pytest.raises(ValueError, match=message):
        learner("schwinget", "distill", **settings)
    with pytest.raises(ValueError, match="initial must be a network in single precision"):
        learner("schwinget", "ppo", initial=network())
    with pytest.raises(ValueError, match="kuhn_poker comes without a network: give the file of a teacher"):
        learner("kuhn_poker", "distill")
