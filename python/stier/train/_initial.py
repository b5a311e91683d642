"""Training that starts from a network."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from stier._native import Game
from stier.errors import ArgumentError
from stier.network import Network

Floats = npt.NDArray[np.float32]


def digest(network: Network | None) -> str | None:
    """Returns what tells networks apart: a digest of all weights."""
    if network is None:
        return None
    found = hashlib.sha256()
    for name, array in sorted(network.tensors().items()):
        found.update(name.encode())
        found.update(np.ascontiguousarray(array, "<f4").tobytes())
    return found.hexdigest()[:16]


def fitting(network: Network, game: Game, hidden: tuple[int, ...]) -> dict[str, Floats]:
    """Returns the weights by name. Raises `ValueError` for another game or other layers."""
    own, there = network.game, game
    signatures = [(g.short_name(), g.observation_signature(), g.action_signature()) for g in (own, there)]
    if signatures[0] != signatures[1]:
        raise ArgumentError(f"initial must be a network for {there}, whose observations and actions differ from {own}")
    widths = tuple(weight.shape[1] for weight, _ in network.hidden)
    if widths != hidden:
        raise ArgumentError(f"hidden must be {widths} as in the initial network, got {hidden}")
    if network.activation != "relu":
        raise ArgumentError(f"initial must be a network with relu between its layers, got {network.activation}")
    return network.tensors()


def for_ppo(network: Network, game: Game, settings: Any, scale: float) -> dict[str, Floats]:
    """Returns the weights for PPO: the policy, and the value unless there is none or the critic has its own layers."""
    found = fitting(network, game, settings.hidden)
    if settings.central_critic:
        return {name: array for name, array in found.items() if not name.startswith("value")}
    factor = np.float32(network.value_scale / scale)
    return {name: array * factor if name.startswith("value") else array for name, array in found.items()}


def for_dmc(network: Network, game: Game, settings: Any, scale: float) -> dict[str, Floats]:
    """Returns the weights for deep Monte Carlo, whose logits are returns divided by a temperature."""
    made = network.training
    if made.get("algorithm") != "dmc":
        raise ArgumentError(
            f"initial must be a network of dmc, whose logits are returns; this one is of {made.get('algorithm')}"
        )
    factor = np.float32(made["temperature"] * network.value_scale / scale)
    found = fitting(network, game, settings.hidden)
    return {name: array * factor if name.startswith("policy") else array for name, array in found.items()}


def described(learner: Any) -> dict[str, Any]:
    """Returns how a network was made, for its file."""
    found = {"algorithm": learner.name, "steps_done": learner.steps, **dataclasses.asdict(learner.settings)}
    return found if learner.initial is None else found | {"initial": learner.initial}
