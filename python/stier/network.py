"""Networks that play: the file they are saved in, and their forward pass in NumPy.

A network is a multilayer perceptron with two heads over the observation tensor of the player to move: a logit for every
action, and the return that this player can expect. Networks trained by deep Monte Carlo or with a central critic have
no value head. In the engine it is the agent ``network:path=…``; here it is arrays,
for looking into it and for feeding other programs. Neither needs the framework that trained it.
"""

from __future__ import annotations

import itertools
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from stier._files import write_bytes
from stier._native import Game, __version__, load_game
from stier.errors import ArgumentError

__all__ = ["Network"]

FORMAT, VERSION = "stier.network", "1"

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Network:
    """A multilayer perceptron with a policy head and, in general, a value head.

    >>> import numpy as np, stier
    >>> from stier.network import Network
    >>> game = stier.load_game("schwinget")
    >>> network = Network.random(game, hidden=(32,), seed=0)
    >>> state = game.new_initial_state(seed=1)
    >>> probabilities, value = network(state.observation_tensor(), state.legal_actions_mask())
    >>> probabilities.shape, bool(np.isclose(probabilities.sum(), 1))
    ((29,), True)
    """

    #: The game, rules included.
    game: Game
    #: The weight (inputs, outputs) and the bias (outputs,) of each hidden layer.
    hidden: tuple[tuple[Floats, Floats], ...]
    #: Weight and bias of the layer that gives the logits.
    policy: tuple[Floats, Floats]
    #: Weight and bias of the layer that gives the value; None without a value head.
    value: tuple[Floats, Floats] | None
    #: Returns are the value head's output times this.
    value_scale: float = 1.0
    #: Between the layers.
    activation: Literal["relu", "tanh"] = "relu"
    #: A record of its training: anything that can be written as JSON.
    training: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.activation not in ("relu", "tanh"):
            raise ArgumentError(f"activation must be 'relu' or 'tanh', got {self.activation!r}")
        width = self.game.observation_tensor_shape()[0]
        layers: list[tuple[str, Floats, Floats, int | None]] = [("hidden", *layer, None) for layer in self.hidden]
        layers.append(("policy", *self.policy, self.game.num_distinct_actions()))
        if self.value is not None:
            layers.append(("value", *self.value, 1))
        for name, weight, bias, outputs in layers:
            expected = (width, weight.shape[-1] if outputs is None else outputs)
            if weight.shape != expected or bias.shape != expected[1:]:
                raise ArgumentError(
                    f"{name}: weight must be {expected} and bias {expected[1:]}, "
                    f"they are {weight.shape} and {bias.shape}"
                )
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise ArgumentError(f"{name}: weights and biases must be finite numbers, some are not")
            if name == "hidden":
                width = expected[1]

    @classmethod
    def random(
        cls, game: Game, hidden: tuple[int, ...] = (256, 256), seed: int = 0, value_scale: float = 1.0
    ) -> Network:
        """Returns an untrained network: He's weights in the hidden layers, nearly 0 in the heads."""
        rng = np.random.default_rng(seed)
        sizes = [game.observation_tensor_shape()[0], *hidden]

        def layer(inputs: int, outputs: int, scale: float) -> tuple[Floats, Floats]:
            weight = rng.standard_normal((inputs, outputs), np.float32) * np.float32(scale / np.sqrt(inputs))
            return weight, np.zeros(outputs, np.float32)

        return cls(
            game=game,
            hidden=tuple(layer(*pair, scale=np.sqrt(2)) for pair in itertools.pairwise(sizes)),
            policy=layer(sizes[-1], game.num_distinct_actions(), scale=0.01),
            value=layer(sizes[-1], 1, scale=0.01),
            value_scale=value_scale,
        )

    def forward(self, observations: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Returns logits ``(…, actions)`` and expected returns ``(…)`` for observations ``(…, inputs)``.

        Without a value head the returns are NaN.
        """
        x: Floats = np.asarray(observations, np.float32)
        for weight, bias in self.hidden:
            x = x @ weight + bias
            x = np.maximum(x, 0) if self.activation == "relu" else np.tanh(x)
        logits = x @ self.policy[0] + self.policy[1]
        if self.value is None:
            return logits, np.full(x.shape[:-1], np.nan, np.float32)
        value = (x @ self.value[0] + self.value[1])[..., 0] * np.float32(self.value_scale)
        return logits, value

    def __call__(self, observations: npt.ArrayLike, legal: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Returns probabilities ``(…, actions)``, zero for what is not legal, and expected returns ``(…)``.

        Without a value head the returns are NaN.
        """
        logits, value = self.forward(observations)
        logits = np.where(np.asarray(legal, bool), logits, -np.inf)
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True), value

    def num_parameters(self) -> int:
        """Returns the number of weights and biases."""
        return sum(array.size for array in self.tensors().values())

    def tensors(self) -> dict[str, Floats]:
        """Returns the arrays by the names that they have in the file."""
        layers = {f"hidden.{i}": layer for i, layer in enumerate(self.hidden)}
        layers["policy"] = self.policy
        if self.value is not None:
            layers["value"] = self.value
        return {
            f"{name}.{part}": array
            for name, layer in layers.items()
            for part, array in zip(("weight", "bias"), layer, strict=True)
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a safetensors file, whole or not at all."""
        from safetensors.numpy import save

        metadata = {
            "format": FORMAT,
            "version": VERSION,
            "architecture": "mlp",
            "activation": self.activation,
            "game": self.game.short_name(),
            "rules": str(self.game),
            "observation": self.game.observation_signature(),
            "actions": self.game.action_signature(),
            "value_scale": repr(float(self.value_scale)),
            "value": "none" if self.value is None else "return",
            "stier": __version__,
            "training": json.dumps(self.training, sort_keys=True),
        }
        arrays = {name: np.ascontiguousarray(array, np.float32) for name, array in self.tensors().items()}
        write_bytes(Path(path), save(arrays, metadata))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Network:
        """Reads what `save` wrote.

        Raises `OSError` for a file that cannot be read, and `ValueError` for one that is not a network, or of another
        version of the game's observations or actions.
        """
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                metadata = file.metadata() or {}
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except SafetensorError as error:
            raise ArgumentError(f"{os.fspath(path)}: {error}") from error
        try:
            return cls._of(metadata, arrays)
        except KeyError as error:
            raise ArgumentError(f"{os.fspath(path)}: no {error.args[0]} in it") from error
        except ValueError as error:
            raise ArgumentError(f"{os.fspath(path)}: {error}") from error

    @classmethod
    def _of(cls, metadata: dict[str, str], arrays: dict[str, Floats]) -> Network:
        for name, expected in [("format", FORMAT), ("version", VERSION), ("architecture", "mlp")]:
            if metadata[name] != expected:
                raise ArgumentError(f"{name} must be {expected!r}, got {metadata[name]!r}")
        game = load_game(metadata["rules"])
        for name, expected in [("observation", game.observation_signature()), ("actions", game.action_signature())]:
            if metadata[name] != expected:
                raise ArgumentError(f"{name} of {game.short_name()} are {expected}; the network has {metadata[name]}")
        # Files written before there was this key all have a value head.
        head = metadata.get("value", "return")
        if head not in ("return", "none"):
            raise ArgumentError(f"value must be 'return' or 'none' in the metadata, got {head!r}")
        count = sum(name.startswith("hidden.") for name in arrays) // 2

        def layer(name: str) -> tuple[Floats, Floats]:
            return arrays[f"{name}.weight"], arrays[f"{name}.bias"]

        return cls(
            game=game,
            hidden=tuple(layer(f"hidden.{i}") for i in range(count)),
            policy=layer("policy"),
            value=None if head == "none" else layer("value"),
            value_scale=float(metadata["value_scale"]),
            activation=metadata["activation"],  # type: ignore[arg-type]  # checked by the class
            training=json.loads(metadata["training"]),
        )

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Writes an ONNX model: ``observation`` (batch, inputs) to ``logits`` (batch, actions) and ``value`` (batch,).

        Logits are those of all actions, legal or not. Without a value head there is no output ``value``. Needs the
        package `onnx`.
        """
        import onnx
        from onnx import TensorProto, helper, numpy_helper

        tensors: dict[str, npt.NDArray[Any]] = dict(self.tensors())
        nodes, x = [], "observation"
        for i in range(len(self.hidden)):
            nodes.append(helper.make_node("Gemm", [x, f"hidden.{i}.weight", f"hidden.{i}.bias"], [f"sum.{i}"]))
            nodes.append(helper.make_node(self.activation.capitalize(), [f"sum.{i}"], [f"hidden.{i}"]))
            x = f"hidden.{i}"
        nodes.append(helper.make_node("Gemm", [x, "policy.weight", "policy.bias"], ["logits"]))
        if self.value is not None:
            nodes.append(helper.make_node("Gemm", [x, "value.weight", "value.bias"], ["column"]))
            nodes.append(helper.make_node("Mul", ["column", "value_scale"], ["scaled"]))
            nodes.append(helper.make_node("Squeeze", ["scaled", "axis"], ["value"]))
            tensors["value_scale"] = np.asarray(self.value_scale, np.float32)
            tensors["axis"] = np.asarray([1], np.int64)

        def info(name: str, *shape: int | str) -> Any:
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))

        inputs, actions = self.game.observation_tensor_shape()[0], self.game.num_distinct_actions()
        graph = helper.make_graph(
            nodes,
            "stier",
            [info("observation", "batch", inputs)],
            [info("logits", "batch", actions), *([] if self.value is None else [info("value", "batch")])],
            [numpy_helper.from_array(array, name) for name, array in tensors.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="stier")
        model.ir_version = 8
        onnx.checker.check_model(model, full_check=True)
        write_bytes(Path(path), model.SerializeToString())

    def __repr__(self) -> str:
        widths = "-".join(str(weight.shape[0]) for weight, _ in (*self.hidden, self.policy))
        return f"<stier.network.Network {widths}-{self.policy[0].shape[1]} for {self.game}>"
