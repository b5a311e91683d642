"""The content of the networks that agents play with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from stier._files import as_path
from stier._native import Game, networks_of

__all__ = ["content", "contents", "files_of", "own_network"]


def content(path: str) -> str | None:
    """Returns a hash of a file's content, or None if there is no such file."""
    file = as_path(path)
    return _hash(file.read_bytes()) if file.is_file() else None


def contents(paths: Iterable[str]) -> dict[str, str]:
    """Returns hashes of the content of the files that are there, by path.

    Paths are relative to the current folder, as everywhere in agents. A file that is missing is an error of its agent.
    """
    return {path: found for path in sorted(set(paths)) if (found := content(path)) is not None}


def files_of(agent: str) -> list[str]:
    """Returns the paths of the networks in the text of an agent, or nothing for another text."""
    return [path for path in networks_of(agent) or [] if path]


def own_network(game: Game, agents: Iterable[str]) -> str | None:
    """Returns a hash of the game's own network if one of the agents plays with it, or None."""
    own = game.network() if any("" in (networks_of(agent) or []) for agent in agents) else None
    return None if own is None else _hash(own)


def _hash(found: bytes) -> str:
    return hashlib.sha256(found).hexdigest()[:16]
