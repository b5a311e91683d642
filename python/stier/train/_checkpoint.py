"""The files of a training: its checkpoints, what may continue them, and the networks that settings name."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from stier._content import contents, files_of, own_network
from stier._native import Game
from stier.errors import ArgumentError
from stier.network import Network

#: The files of a checkpoint, and of the network as it is then.
CHECKPOINT, NETWORK = "checkpoint.safetensors", "network.safetensors"
#: Raised whenever the same settings would go on otherwise from the same checkpoint.
FORMAT = 9
_ANOTHER = "choose another folder, or delete it"


def set_by_initial(folder: Path) -> dict[str, Any]:
    """Returns the settings in a folder's checkpoint that a network has set from which its training started."""
    if not (folder / CHECKPOINT).exists():
        return {}
    there = parsed(folder / CHECKPOINT, read(folder / CHECKPOINT, arrays=False)[0], "settings")
    if there.get("initial") is None:
        return {}
    return {name: there[name] for name in ("hidden", "symmetry")}


def read(path: Path, *, arrays: bool = True) -> tuple[dict[str, str], dict[str, Any]]:
    """Returns the metadata and the arrays of a checkpoint, or no arrays."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            return file.metadata() or {}, {name: file.get_tensor(name) for name in (file.keys() if arrays else ())}
    except SafetensorError as error:
        raise ArgumentError(f"{path}: {error}") from error


def parsed(path: Path, metadata: Mapping[str, str], name: str) -> dict[str, Any]:
    try:
        found = json.loads(metadata[name])
    except (KeyError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise ArgumentError(f"{path} is not a checkpoint of training: {name} is missing in it")
    return found


def sha256(metadata: Mapping[str, str], arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    found = hashlib.sha256(f"{metadata.get('settings')}\n{metadata.get('state')}".encode())
    for name, array in sorted(arrays.items()):
        found.update(f"\n{name} {array.dtype} {array.shape}\n".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def digests(game: Game, agents: Sequence[str]) -> dict[str, str]:
    """Returns digests of the networks that agents play with, by path or by the name of the game."""
    own = own_network(game, agents)
    named = {} if own is None else {f"the network of {game.short_name()}": own}
    return contents(path for agent in agents for path in files_of(agent)) | named


def compare(path: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    before = there.get("files", {})
    changed = [name for name, digest in here["files"].items() if before.get(name, digest) != digest]
    if changed:
        raise ArgumentError(
            f"changed since {path} was made: {', '.join(changed)}. Restore what was there, or {_ANOTHER}"
        )
    ignored = ("steps", "version", "files")
    keys = [key for key in {**there, **here} if there.get(key) != here.get(key) and key not in ignored]
    if keys:
        differences = "; ".join(f"{key}: {there.get(key)} there, {here.get(key)} now" for key in keys)
        raise ArgumentError(f"{path} was made with other settings ({differences}): {_ANOTHER}")


def network_of(setting: str, file: str | os.PathLike[str]) -> Network:
    """Returns the network in the file that the setting names."""
    try:
        return Network.load(file)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{setting} must be the file of a network, got '{file}': {error}") from error
