"""Networks in NumPy: files, forward passes, ONNX."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pytest

import stier

pytest.importorskip("safetensors")

from safetensors import safe_open
from safetensors.numpy import save_file

from stier.network import Classes, Network


@pytest.fixture
def network() -> Network:
    game = stier.load_game("schwinget", scoring="schwinger")
    return Network.random(game, hidden=(24, 16), seed=3, value_scale=2.5)


def test_a_file_holds_everything(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    network.save(path)
    again = Network.load(path)
    assert again.game == network.game
    assert again.value_scale == 2.5
    assert [file.name for file in tmp_path.iterdir()] == ["a.safetensors"]
    for name, array in network.tensors().items():
        assert (again.tensors()[name] == array).all()
    with safe_open(path, framework="numpy") as file:
        assert file.metadata()["stier"] == stier.__version__
    # Equal networks are equal files.
    assert again._to_bytes() == network._to_bytes() == path.read_bytes()


def test_files_that_do_not_fit_are_refused(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    with pytest.raises(FileNotFoundError):
        Network.load(path)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match=r"a\.safetensors"):
        Network.load(path)
    save_file({"x": np.zeros(3, np.float32)}, path)
    with pytest.raises(ValueError, match="format is missing"):
        Network.load(path)
    network.save(path)
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    arrays = network.tensors()
    for change, message in [
        ({"version": "3"}, "version must be '1' or '2', got '3'"),
        ({"version": "2"}, "architecture must be 'integers', got 'mlp'"),
        ({"observation": "0:hand:26"}, "observation of schwinget are .*; the network has 0:hand:26"),
        ({"rules": "schwinget:suits=9"}, "suits must be between "),
        ({"beliefs": "lbr:against=greedy"}, "the network reads beliefs about the cards"),
        ({"activation": "gelu"}, "activation must be 'relu' or 'tanh', got 'gelu'"),
    ]:
        save_file(arrays, path, metadata | change)
        with pytest.raises(ValueError, match=message):
            Network.load(path)
    save_file({**arrays, "policy.bias": np.full(29, np.nan, np.float32)}, path, metadata)
    with pytest.raises(ValueError, match="policy: weights and biases must be finite numbers, some are not"):
        Network.load(path)
    save_file({**arrays, "policy.bias": np.zeros(3, np.float32)}, path, metadata)
    with pytest.raises(ValueError, match=r"policy: weight must be \(16, 29\) and bias \(29,\)"):
        Network.load(path)


def test_the_network_that_comes_with_a_game(schwinget: stier.Game, tmp_path: Path) -> None:
    Network.of(schwinget).save(tmp_path / "own.safetensors")
    result = stier.pit(schwinget, ["network", f"network:path={tmp_path / 'own.safetensors'}"], deals=10, seed=1)
    assert (result.to_pandas()["return"].groupby(result.to_pandas()["deal"]).sum() == 0).all()
    assert result.mean[0] == 0, "the same player"
    assert Network.of("schwinget").tensors().keys() == Network.of(schwinget).tensors().keys()
    with pytest.raises(ValueError, match="kuhn_poker comes without a network"):
        Network.of("kuhn_poker")


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_the_forward_pass(network: Network, activation: str) -> None:
    network = Network(
        network.game,
        network.hidden,
        network.policy,
        network.value,
        network.value_scale,
        activation,  # type: ignore[arg-type]
    )
    x = np.random.default_rng(1).random((5, network.game.observation_tensor_shape()[0]))
    hidden = x
    for weight, bias in network.hidden:
        hidden = np.einsum("ni,io->no", hidden, weight.astype(np.float64)) + bias
        hidden = np.maximum(hidden, 0) if activation == "relu" else np.tanh(hidden)
    logits, value = network.forward(x)
    np.testing.assert_allclose(logits, hidden @ network.policy[0].astype(np.float64), atol=1e-5)
    np.testing.assert_allclose(value, 2.5 * (hidden @ network.value[0].astype(np.float64))[:, 0], atol=1e-5)
    legal = np.zeros((5, 29), bool)
    legal[:, [3, 7]] = True
    probabilities, _ = network(x, legal)
    assert (probabilities[~legal] == 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)
    alone, _ = network(x[0], legal[0])
    np.testing.assert_allclose(alone, probabilities[0], atol=1e-6)


@pytest.mark.parametrize("hidden", [(), (12,), (12, 8)])
def test_onnx_computes_the_same(hidden: tuple[int, ...], tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    network = Network.random(stier.load_game("schwimmen"), hidden=hidden, seed=2, value_scale=0.5)
    network.to_onnx(tmp_path / "a.onnx")
    model = onnx.load(tmp_path / "a.onnx")
    x = np.random.default_rng(1).random((7, network.game.observation_tensor_shape()[0]), np.float32)
    logits, value = ReferenceEvaluator(model).run(None, {"observation": x})
    expected = network.forward(x)
    np.testing.assert_allclose(logits, expected[0], atol=1e-5)
    np.testing.assert_allclose(value, expected[1], atol=1e-5)


def positions(game: stier.Game, count: int) -> list[stier.State]:
    """Returns positions with choices from random games."""
    found = []
    for seed in range(count):
        state = game.new_initial_state(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(seed % 9):
            state.apply_action(int(rng.choice(state.legal_actions())))
        found.append(state)
    return found


def test_an_exchange_of_suits_exchanges_the_logits(tmp_path: Path) -> None:
    game = stier.load_game("schwinget")
    classes = Classes.of(game)
    assert classes is not None
    assert (classes.inputs.shape, classes.actions.shape) == ((4, 37), (4, 6))
    network = dataclasses.replace(Network.random(game, hidden=(16,), seed=3), classes=classes)
    network.save(tmp_path / "a.safetensors")
    again = Network.load(tmp_path / "a.safetensors")
    assert network.num_parameters() == Network.random(game, hidden=(16,)).num_parameters()
    states = positions(game, 40)
    x = np.array([state.observation_tensor() for state in states])
    logits, value = again.forward(x)
    for order in ([1, 0, 2, 3], [3, 2, 0, 1]):
        exchanged, expected = x.copy(), logits.copy()
        exchanged[:, classes.inputs[order]] = x[:, classes.inputs]
        expected[:, classes.actions[order]] = logits[:, classes.actions]
        found = again.forward(exchanged)
        # Of suits that look alike the first is the first in every order.
        alike = [len({tuple(row[places]) for places in classes.inputs}) < 4 for row in x]
        np.testing.assert_allclose(found[1], value, atol=1e-5)
        np.testing.assert_allclose(found[0][~np.array(alike)], expected[~np.array(alike)], atol=1e-5)
        assert not all(alike)
    # The engine sorts in the same way.
    for state, row, worth in zip(states, logits, value, strict=True):
        legal = state.legal_actions()
        stats = stier.load_agent("network", game, path=tmp_path / "a.safetensors").search(state)
        weights = np.exp(row[legal] - row[legal].max())
        np.testing.assert_allclose([one.probability for one in stats.actions], weights / weights.sum(), atol=1e-5)
        np.testing.assert_allclose(stats.actions[0].value, worth, atol=1e-5)


def test_onnx_sorts_in_the_same_way(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    widths = []
    for game in map(stier.load_game, stier.registered_names()):
        classes = Classes.of(game)
        if classes is None:
            continue
        widths.append(classes.inputs.shape[1])
        network = dataclasses.replace(Network.random(game, hidden=(16,), seed=3), classes=classes)
        network.to_onnx(tmp_path / "a.onnx")
        x = np.array([state.observation_tensor() for state in positions(game, 60)], np.float32)
        logits, value = ReferenceEvaluator(onnx.load(tmp_path / "a.onnx")).run(None, {"observation": x})
        np.testing.assert_allclose(logits, network.forward(x)[0], atol=1e-5)
        np.testing.assert_allclose(value, network.forward(x)[1], atol=1e-5)
    assert min(widths) < 52 < max(widths), "one block of digits, and several"


def test_classes_are_checked(network: Network, tmp_path: Path) -> None:
    right = Classes(np.array([[0, 1], [2, 3]]), np.array([[0], [1]]))
    for classes, message in [
        (right._replace(inputs=np.array([[0, 1], [2, 2]])), "classes: inputs must be different numbers between 0 and"),
        (right._replace(actions=np.array([[0], [29]])), "classes: actions must be different numbers between 0 and 28"),
        (right._replace(actions=np.array([[0], [1], [2]])), "classes: actions must be"),
    ]:
        with pytest.raises(ValueError, match=message):
            dataclasses.replace(network, classes=classes)
    path = tmp_path / "a.safetensors"
    dataclasses.replace(network, classes=right).save(path)
    with safe_open(path, framework="numpy") as file:
        arrays, metadata = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118
    for changed in (
        {"classes.actions": np.array([[0], [0]], np.float32)},
        {"classes.inputs": np.array([[0.5, 1], [2, 3]], np.float32)},
        {"classes.inputs": np.array([[0, 1], [2, 9999]], np.float32)},
    ):
        save_file({**arrays, **changed}, path, metadata)
        with pytest.raises(stier.AgentError, match="that do not name places once each"):
            stier.load_agent("network", network.game, path=path)


def test_a_network_without_a_value_head_says_so(network: Network, tmp_path: Path) -> None:
    path, game = tmp_path / "a.safetensors", network.game
    plain = dataclasses.replace(network, value=None)
    plain.save(path)
    with safe_open(path, framework="numpy") as file:
        assert file.metadata()["value"] == "none"
        assert not [name for name in file.keys() if name.startswith("value")]  # noqa: SIM118
    again = Network.load(path)
    assert again.value is None
    assert again.num_parameters() == network.num_parameters() - 17
    x = np.random.default_rng(1).random((5, game.observation_tensor_shape()[0]))
    logits, value = again.forward(x)
    assert (logits == network.forward(x)[0]).all()
    assert np.isnan(value).all()

    # It plays and guides. It values nothing: neither alone nor at the leaves of a search.
    state = game.new_initial_state(seed=1)
    found = stier.load_agent("network", game, path=path).search(state)
    assert all(np.isnan(one.value) for one in found.actions)
    for same in (found, pickle.loads(pickle.dumps(found)), stier.load_agent("network", game, path=path).search(state)):
        assert same == found
        assert same.actions == found.actions
    assert "nan" not in found.to_svg()
    guided = "ismcts:iterations=50,selection=puct,prior=network"
    assert stier.load_agent(guided, game, network=path).step(state) in state.legal_actions()
    for agent in (f"{guided},cutoff=0,evaluation=network", "flat_mc:cutoff=2,evaluation=network"):
        with pytest.raises(
            stier.AgentError, match=r"evaluation=network needs a network with a value head; .* has none"
        ):
            stier.load_agent(agent, game, network=path)
    network.save(path)
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    assert metadata["value"] == "return"
    assert stier.load_agent(f"{guided},cutoff=0,evaluation=network", game, network=path)

    # Older files do not say, and all have one.
    del metadata["value"]
    save_file(network.tensors(), path, metadata)
    assert Network.load(path).value is not None
    assert stier.load_agent(f"{guided},cutoff=0,evaluation=network", game, network=path)
    save_file(network.tensors(), path, metadata | {"value": "win"})
    with pytest.raises(ValueError, match="value must be 'return' or 'none', got 'win'"):
        Network.load(path)
    with pytest.raises(stier.AgentError, match="value=win in its metadata, expected return or none"):
        stier.load_agent("network", game, path=path)


def test_onnx_without_a_value_head(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    network = dataclasses.replace(Network.random(stier.load_game("schwimmen"), hidden=(8,), seed=2), value=None)
    network.to_onnx(tmp_path / "a.onnx")
    model = onnx.load(tmp_path / "a.onnx")
    assert [output.name for output in model.graph.output] == ["logits"]
