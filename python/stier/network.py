"""Networks that play: the file they are saved in, and their forward pass in NumPy.

A network is a multilayer perceptron, in single precision or in integers, with two heads over the observation tensor of
the player to move: a logit for every action, and the return that this player can expect. Networks trained by deep Monte
Carlo have no value head. In the engine it is the agent ``network:path=…``; here it is arrays, for looking into it and
for feeding other programs. Neither needs the framework that trained it.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from stier import _arguments
from stier._adapting import as_game
from stier._files import as_path, write_bytes
from stier._native import Game, __version__, load_game
from stier.errors import ArgumentError, optional
from stier.playing import AnyGame

__all__ = ["Classes", "Network"]

FORMAT = "stier.network"
#: The architecture of each version of the file, and its activations.
VERSIONS: dict[str, tuple[str, tuple[str, ...]]] = {"1": ("mlp", ("relu", "tanh")), "2": ("integers", ("products",))}
#: The largest value of a unit of a network in integers, and the divisor of the product of two units.
MOST, PRODUCT = 127, 128
#: The number of zeros and ones that a double holds as digits.
DIGITS = 52

#: In networks in integers, weights are integers.
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class Classes(NamedTuple):
    """Parts of a game that can be exchanged, such as suits, and their order in positions (`stier.Game.symmetry`).

    Parts are compared at their first differing place: the one with 1 comes before the one with 0. Equal parts keep
    their order.
    """

    #: The places of each part among the inputs, ``(parts, places)``.
    inputs: Ints
    #: The actions of each part, ``(parts, actions)``.
    actions: Ints

    @classmethod
    def of(cls, game: Game) -> Classes | None:
        """Returns those of a game; None if nothing can be exchanged."""
        found = game.symmetry()
        return None if found is None else cls(*(np.array(places, np.int64) for places in found))

    def order(self, observations: npt.NDArray[Any]) -> Ints:
        """Returns the parts in order, ``(rows, parts)``, for observations ``(rows, inputs)`` of zeros and ones."""
        missing = ~np.packbits(observations[:, self.inputs] > 0.5, axis=2)
        found: Ints = np.lexsort(tuple(missing[:, :, byte] for byte in reversed(range(missing.shape[2]))))
        return found

    def sorted(self, observations: npt.NDArray[Any], order: Ints) -> npt.NDArray[Any]:
        """Returns a copy with the parts in this order."""
        found: npt.NDArray[Any] = observations.copy()
        places = self.inputs.reshape(-1)
        parts = observations[:, places].reshape(len(found), *self.inputs.shape)
        found[:, places] = np.take_along_axis(parts, order[:, :, None], 1).reshape(len(found), -1)
        return found

    def actions_of(self, order: Ints, count: int) -> Ints:
        """Returns ``(rows, count)``: the game's action for each action of the sorted position."""
        found = np.tile(np.arange(count), (len(order), 1))
        found[:, self.actions.reshape(-1)] = self.actions[order].reshape(len(order), -1)
        return found


@dataclass(frozen=True, eq=False)
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
    #: Between the layers. Networks with ``"products"`` compute in integers. A unit is then its sum, divided by a power
    #: of two, rounded down and clipped to 0 to 127. Units of the first half of the first layer are multiplied by those
    #: of the second half, divided by 128 and rounded down; the products are the inputs of the next layer.
    activation: Literal["relu", "tanh", "products"] = "relu"
    #: A record of its training: anything that can be written as JSON.
    training: dict[str, Any] = field(default_factory=dict)
    #: The parts of the game that are sorted before the first layer; None if positions are read as they are.
    classes: Classes | None = None
    #: In integers: the binary digits by which the sums of each hidden layer are shifted to the right.
    shifts: tuple[int, ...] = ()
    #: In integers: logits are the sums of the policy head times the first number, the value those of its head times the
    #: second.
    scales: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self) -> None:
        _arguments.choice("activation", self.activation, ("relu", "tanh", "products"))
        if not 0 < self.value_scale < np.inf:
            raise ArgumentError(f"value_scale must be more than 0, got {self.value_scale}")
        self._check_integers()
        width = self._inputs
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
                width = expected[1] // 2 if self.in_integers and weight is self.hidden[0][0] else expected[1]
        if self.classes is not None:
            for name, places, size in [
                ("inputs", self.classes.inputs, self._inputs),
                ("actions", self.classes.actions, self.game.num_distinct_actions()),
            ]:
                right = places.ndim == 2 and len(places) == len(self.classes.inputs) and 2 <= len(places) <= 16
                inside = bool(places.size) and places.min() >= 0 and places.max() < size
                if not right or not inside or len(np.unique(places)) < places.size:
                    known = f"different numbers between 0 and {size - 1}, in 2 to 16 rows"
                    raise ArgumentError(f"classes: {name} must be {known}")

    def _check_integers(self) -> None:
        if not self.in_integers:
            return
        if not self.hidden or self.hidden[0][0].shape[-1] % 2:
            raise ArgumentError("networks in integers must have a first layer with an even number of units")
        if len(self.shifts) != len(self.hidden) or not all(0 <= shift < 16 for shift in self.shifts):
            raise ArgumentError(f"shifts must be a number from 0 to 15 for each hidden layer, got {self.shifts}")
        if not all(0 < scale < np.inf for scale in self.scales):
            raise ArgumentError(f"scales must be two numbers above 0, got {self.scales}")
        for name, array in self.tensors().items():
            first = np.int16 if name == "hidden.0.bias" else np.int32
            expected = np.dtype(np.int8 if name.endswith("weight") else first)
            if array.dtype != expected and not name.startswith("classes"):
                raise ArgumentError(f"{name} must be of type {expected}, got {array.dtype}")

    @property
    def in_integers(self) -> bool:
        """Returns true if the network computes in integers: if its activation is ``"products"``."""
        return self.activation == "products"

    @property
    def _inputs(self) -> int:
        return self.game.observation_tensor_shape()[0]

    @classmethod
    def random(
        cls, game: Game, hidden: tuple[int, ...] = (256, 256), seed: int = 0, value_scale: float = 1.0
    ) -> Network:
        """Returns an untrained network: He's weights in the hidden layers, nearly 0 in the heads."""
        rng = np.random.default_rng(_arguments.seed(seed))
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
        shape = x.shape[:-1]
        x = x.reshape(-1, x.shape[-1])
        if x.shape[1] != self._inputs:
            raise ArgumentError(f"rows must have {self._inputs} values, an observation, got {x.shape[1]}")
        if self.classes is None:
            logits, value = self._layers(x)
        else:
            order = self.classes.order(x)
            of_sorted, value = self._layers(self.classes.sorted(x, order))
            logits = np.empty_like(of_sorted)
            np.put_along_axis(logits, self.classes.actions_of(order, logits.shape[1]), of_sorted, 1)
        return logits.reshape(*shape, -1), value.reshape(shape)

    def _layers(self, x: Floats) -> tuple[Floats, Floats]:
        if self.in_integers:
            return self._integer_layers(x)
        for weight, bias in self.hidden:
            x = x @ weight + bias
            x = np.maximum(x, 0) if self.activation == "relu" else np.tanh(x)
        logits = x @ self.policy[0] + self.policy[1]
        if self.value is None:
            return logits, np.full(len(x), np.nan, np.float32)
        return logits, (x @ self.value[0] + self.value[1])[:, 0] * np.float32(self.value_scale)

    def _integer_layers(self, x: Floats) -> tuple[Floats, Floats]:
        # Double precision holds all sums exactly.
        units = (x != 0).astype(np.float64)

        def sums(layer: tuple[Floats, Floats]) -> npt.NDArray[np.float64]:
            found: npt.NDArray[np.float64] = units @ layer[0].astype(np.float64) + layer[1]
            return found

        for layer, shift in zip(self.hidden, self.shifts, strict=True):
            first = layer is self.hidden[0]
            units = np.clip(np.floor(sums(layer) / 2**shift), 0, MOST)
            if first:
                units = np.floor(np.multiply(*np.split(units, 2, axis=1)) / PRODUCT)
        scales = np.array(self.scales, np.float32)
        logits = sums(self.policy).astype(np.float32) * scales[0]
        if self.value is None:
            return logits, np.full(len(x), np.nan, np.float32)
        return logits, (sums(self.value).astype(np.float32) * scales[1])[:, 0] * np.float32(self.value_scale)

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
        return sum(array.size for name, array in self.tensors().items() if not name.startswith("classes"))

    def tensors(self) -> dict[str, Floats]:
        """Returns the arrays by the names that they have in the file."""
        layers = {f"hidden.{i}": layer for i, layer in enumerate(self.hidden)}
        layers["policy"] = self.policy
        if self.value is not None:
            layers["value"] = self.value
        found = {
            f"{name}.{part}": array
            for name, layer in layers.items()
            for part, array in zip(("weight", "bias"), layer, strict=True)
        }
        if self.classes is not None:
            for name, places in self.classes._asdict().items():
                found[f"classes.{name}"] = places.astype(np.float32)
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a safetensors file, whole or not at all."""
        write_bytes(as_path(path), self._to_bytes())

    def _to_bytes(self) -> bytes:
        save = optional("safetensors.numpy", "a network's file", "networks").save
        metadata = {
            "format": FORMAT,
            "version": "2" if self.in_integers else "1",
            "architecture": "integers" if self.in_integers else "mlp",
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
        arrays = {name: np.ascontiguousarray(array) for name, array in self.tensors().items()}
        if self.in_integers:
            metadata["shifts"] = ",".join(map(str, self.shifts))
            metadata["scales"] = ",".join(repr(float(scale)) for scale in self.scales)
        else:
            arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
        return _sorted_header(save(arrays, metadata))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Network:
        """Reads what `save` wrote.

        Raises `OSError` for a file that cannot be read, and `ValueError` for one that is not a network, or of another
        version of the game's observations or actions.
        """
        return cls._from_bytes(os.fspath(path), as_path(path).read_bytes())

    @classmethod
    def of(cls, game: AnyGame) -> Network:
        """Returns the network that comes with a game: that of the agent ``network``, trained for the default rules.

        Raises `ValueError` if the game comes without one.

        >>> Network.of("schwinget")
        <stier.network.Network 234-512-32-32-29 in integers for schwinget>
        """
        game = as_game(game)
        file = game.network()
        if file is None:
            raise ArgumentError(f"{game.short_name()} comes without a network")
        return cls._from_bytes(game.short_name(), file)

    @classmethod
    def _from_bytes(cls, source: str, file: bytes) -> Network:
        library = optional("safetensors", "a network's file", "networks")
        load = optional("safetensors.numpy", "a network's file", "networks").load
        try:
            arrays = load(file)
            # The header follows its length.
            metadata = json.loads(file[8 : 8 + int.from_bytes(file[:8], "little")]).get("__metadata__", {})
            return cls._from_arrays(metadata, arrays)
        except (library.SafetensorError, KeyError, ValueError) as error:
            what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else error
            raise ArgumentError(f"{source}: {what}") from error

    @classmethod
    def _from_arrays(cls, metadata: dict[str, str], arrays: dict[str, Floats]) -> Network:
        _arguments.choice("format", metadata["format"], [FORMAT])
        architecture, activations = VERSIONS[_arguments.choice("version", metadata["version"], VERSIONS)]
        _arguments.choice("architecture", metadata["architecture"], [architecture])
        _arguments.choice("activation", metadata["activation"], activations)
        # Files written before there was this key all have a value head.
        head = _arguments.choice("value", metadata.get("value", "return"), ("return", "none"))
        game = load_game(metadata["rules"])
        if "beliefs" in metadata:
            raise ArgumentError("the network reads beliefs about the cards; this version reads the observation alone")
        for name, expected in [("observation", game.observation_signature()), ("actions", game.action_signature())]:
            if metadata[name] != expected:
                raise ArgumentError(f"{name} of {game.short_name()} are {expected}; the network has {metadata[name]}")
        count = sum(name.startswith("hidden.") for name in arrays) // 2

        def layer(name: str) -> tuple[Floats, Floats]:
            return arrays[f"{name}.weight"], arrays[f"{name}.bias"]

        classes = None
        if any(name.startswith("classes") for name in arrays):
            places = [arrays[f"classes.{name}"] for name in Classes._fields]
            if any((own != np.trunc(own)).any() for own in places):
                raise ArgumentError("classes must be whole numbers, some are not")
            classes = Classes(*(own.astype(np.int64) for own in places))
        return cls(
            game=game,
            hidden=tuple(layer(f"hidden.{i}") for i in range(count)),
            policy=layer("policy"),
            value=None if head == "none" else layer("value"),
            value_scale=float(metadata["value_scale"]),
            activation=metadata["activation"],  # type: ignore[arg-type]  # checked by the class
            training=json.loads(metadata["training"]),
            classes=classes,
            shifts=tuple(int(shift) for shift in metadata.get("shifts", "").split(",") if shift),
            scales=_pair(metadata.get("scales", "1,1")),
        )

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Writes an ONNX model: ``observation`` (batch, inputs) to ``logits`` (batch, actions) and ``value`` (batch,).

        Logits are those of all actions, legal or not. Without a value head, ``logits`` are the only output. Needs the
        extra ``onnx``.
        """
        onnx = optional("onnx", "an ONNX model", "onnx")
        helper = onnx.helper
        graph, x, logits = _Graph(), "observation", "logits"
        for name, array in dataclasses.replace(self, classes=None).tensors().items():
            # Single precision holds the sums of integers exactly, up to 2 ** 24.
            graph.constants[name] = array.astype(np.float32)
        if self.classes is not None:
            x, logits = "sorted", "sorted_logits"
            graph.sort(self.classes)
        if self.in_integers:
            graph.constants |= {"least": np.float32(0), "most": np.float32(MOST), "product": np.float32(1 / PRODUCT)}
            graph.node("Abs", [x], "sizes")
            graph.node("Sign", ["sizes"], "ones")
            x = "ones"
        for i in range(len(self.hidden)):
            graph.node("Gemm", [x, f"hidden.{i}.weight", f"hidden.{i}.bias"], f"sum.{i}")
            if self.in_integers:
                graph.round_units(i, self.shifts[i])
            else:
                graph.node(self.activation.capitalize(), [f"sum.{i}"], f"hidden.{i}")
            x = f"hidden.{i}"

        def head(name: str, out: str, scale: float) -> None:
            sums = f"{name}.sum" if self.in_integers else out
            graph.node("Gemm", [x, f"{name}.weight", f"{name}.bias"], sums)
            if self.in_integers:
                graph.constants[f"{name}.scale"] = np.float32(scale)
                graph.node("Mul", [sums, f"{name}.scale"], out)

        head("policy", logits, self.scales[0])
        if self.classes is not None:
            graph.restore(self.classes)
        if self.value is not None:
            head("value", "column", self.scales[1])
            graph.node("Mul", ["column", "value_scale"], "scaled")
            graph.node("Squeeze", ["scaled", "axis"], "value")
            graph.constants |= {"value_scale": np.float32(self.value_scale), "axis": np.array([1])}

        def info(name: str, *shape: int | str) -> Any:
            return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, list(shape))

        made = helper.make_graph(
            [helper.make_node(kind, inputs, outputs, **options) for kind, inputs, outputs, options in graph.nodes],
            "stier",
            [info("observation", "batch", self._inputs)],
            [
                info("logits", "batch", self.game.num_distinct_actions()),
                *([] if self.value is None else [info("value", "batch")]),
            ],
            [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in graph.constants.items()],
        )
        model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], producer_name="stier")
        model.ir_version = 8
        onnx.checker.check_model(model, full_check=True)
        write_bytes(as_path(path), model.SerializeToString())

    def __repr__(self) -> str:
        inputs, *widths = (weight.shape for weight, _ in (*self.hidden, self.policy))
        sizes = "-".join(map(str, [inputs[0], inputs[1], *(width[1] for width in widths)]))
        return f"<stier.network.Network {sizes}{' in integers' if self.in_integers else ''} for {self.game}>"


def _pair(text: str) -> tuple[float, float]:
    """Returns two numbers with a comma between them."""
    first, second = map(float, text.split(","))
    return first, second


def _sorted_header(file: bytes) -> bytes:
    """Returns a safetensors file with its header in order, so that equal networks are equal files."""
    end = 8 + int.from_bytes(file[:8], "little")
    header = json.dumps(json.loads(file[8:end]), sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    # The arrays begin at a multiple of eight bytes.
    header = header.ljust(-(-len(header) // 8) * 8)
    return len(header).to_bytes(8, "little") + header + file[end:]


class _Graph:
    """The nodes and constants of an ONNX model."""

    def __init__(self) -> None:
        self.nodes: list[tuple[str, list[str], list[str], dict[str, Any]]] = []
        self.constants: dict[str, npt.NDArray[Any] | np.generic] = {}

    def node(self, kind: str, inputs: list[str], *outputs: str, **options: Any) -> None:
        self.nodes.append((kind, inputs, list(outputs), options))

    def round_units(self, layer: int, shift: int) -> None:
        """Leads from the sums of a layer in integers to the inputs of the next."""
        self.constants[f"factor.{layer}"] = np.float32(2.0**-shift)
        units = f"units.{layer}" if layer == 0 else f"hidden.{layer}"
        self.node("Mul", [f"sum.{layer}", f"factor.{layer}"], f"shifted.{layer}")
        self.node("Floor", [f"shifted.{layer}"], f"whole.{layer}")
        self.node("Clip", [f"whole.{layer}", "least", "most"], units)
        if layer == 0:
            self.constants["halves"] = np.full(2, self.constants["hidden.0.bias"].size // 2)
            self.node("Split", [units, "halves"], "first", "second", axis=1)
            self.node("Mul", ["first", "second"], "pairs")
            self.node("Mul", ["pairs", "product"], "divided")
            self.node("Floor", ["divided"], "hidden.0")

    def sort(self, classes: Classes) -> None:
        """Leads from ``observation`` to ``sorted`` and ``order``."""
        from onnx import TensorProto

        parts, places = classes.inputs.shape
        self.constants |= {"places": classes.inputs.reshape(-1), "places_row": classes.inputs.reshape(1, -1)}
        self.constants |= {"by_part": np.array([-1, parts, places]), "in_a_row": np.array([-1, parts * places])}
        self.constants |= {"parts": np.array([parts]), "last": np.array([2])}
        self.node("Gather", ["observation", "places"], "own", axis=1)
        self.node("Reshape", ["own", "by_part"], "unsorted")
        self.node("Cast", ["unsorted"], "wide", to=TensorProto.DOUBLE)
        # A double holds some digits of a key at a time. TopK keeps the order of equals, so the last digits come first.
        order = ""
        for start in reversed(range(0, places, DIGITS)):
            self.constants[f"digits.{start}"] = digits = np.zeros(places)
            digits[start : start + DIGITS] = 2.0 ** -np.arange(len(digits[start : start + DIGITS]))
            self.node("MatMul", ["wide", f"digits.{start}"], f"keys.{start}")
            final = "order" if start == 0 else f"order.{start}"
            if not order:
                self.node("TopK", [f"keys.{start}", "parts"], f"highest.{start}", final, axis=1)
            else:
                self.node("GatherElements", [f"keys.{start}", order], f"again.{start}", axis=1)
                self.node("TopK", [f"again.{start}", "parts"], f"highest.{start}", f"moved.{start}", axis=1)
                self.node("GatherElements", [order, f"moved.{start}"], final, axis=1)
            order = final
        self.node("Unsqueeze", ["order", "last"], "order_column")
        self.node("Shape", ["unsorted"], "block")
        self.node("Expand", ["order_column", "block"], "from")
        self.node("GatherElements", ["unsorted", "from"], "exchanged", axis=1)
        self.node("Reshape", ["exchanged", "in_a_row"], "exchanged_row")
        self.node("Shape", ["exchanged_row"], "row")
        self.node("Expand", ["places_row", "row"], "to")
        self.node("ScatterElements", ["observation", "to", "exchanged_row"], "sorted", axis=1)

    def restore(self, classes: Classes) -> None:
        """Leads from ``sorted_logits`` and ``order`` to ``logits``."""
        self.constants |= {"actions": classes.actions.reshape(-1), "actions_by_part": classes.actions}
        self.constants["actions_in_a_row"] = np.array([-1, classes.actions.size])
        self.node("Gather", ["sorted_logits", "actions"], "own_logits", axis=1)
        self.node("Gather", ["actions_by_part", "order"], "exchanged_actions", axis=0)
        self.node("Reshape", ["exchanged_actions", "actions_in_a_row"], "game_actions")
        self.node("ScatterElements", ["sorted_logits", "game_actions", "own_logits"], "logits", axis=1)
