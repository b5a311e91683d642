"""Networks to start from."""

from __future__ import annotations

import hashlib

import numpy as np

from stier._native import Game
from stier.errors import ArgumentError
from stier.network import Classes, Network
from stier.train._environments import Floats
from stier.train.settings import CommonSettings


def digest(network: Network | None) -> str | None:
    """Returns a digest of all weights."""
    if network is None:
        return None
    found = hashlib.sha256()
    for name, array in sorted(network.tensors().items()):
        found.update(name.encode())
        found.update(np.ascontiguousarray(array, "<f4").tobytes())
    return found.hexdigest()[:16]


def fitting(network: Network, game: Game, settings: CommonSettings) -> dict[str, Floats]:
    """Returns the weights by name. Raises `ValueError` for another game, other layers or another order of suits."""
    hidden, own = settings.hidden, network.game
    signatures = [(g.short_name(), g.observation_signature(), g.action_signature()) for g in (own, game)]
    if signatures[0] != signatures[1]:
        raise ArgumentError(f"initial must be a network for {game}, whose observations and actions differ from {own}")
    widths = tuple(weight.shape[1] for weight, _ in network.hidden)
    if widths != hidden:
        raise ArgumentError(f"hidden must be {widths} as in the initial network, got {hidden}")
    if network.activation != "relu":
        raise ArgumentError(f"initial must be a network with relu between its layers, got {network.activation}")
    classes = Classes.of(game) if settings.symmetry else None
    if [places.tolist() for places in network.classes or ()] != [places.tolist() for places in classes or ()]:
        reads = "positions as they are" if network.classes is None else "sorted positions"
        raise ArgumentError(f"symmetry must be {network.classes is not None}: the initial network reads {reads}")
    return {name: array for name, array in network.tensors().items() if not name.startswith("classes")}
