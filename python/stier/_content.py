"""The content of the networks that agents play with, and of the modules of Python that define agents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from stier import _imports
from stier._files import as_path
from stier._native import Game, networks_of
from stier.playing import is_named

#: Before the name of a module, which stands for its source file.
MODULE = "module "
#: Hashes of contents by path, by the text that names them, as they were when it was played.
_played: ContextVar[Mapping[str, Mapping[str, str]]] = ContextVar("_played")


@contextmanager
def as_played(contents: Mapping[str, Mapping[str, str]]) -> Iterator[None]:
    """Lets `contents_of` answer for these texts, by what an experiment has noted, so that its results can be read."""
    token = _played.set(contents)
    try:
        yield
    finally:
        _played.reset(token)


def was_played(text: str) -> bool:
    """Returns true for a text that `as_played` answers for, whose files need not be there any more."""
    return text in _played.get({})


def contents_of(text: str, *, is_file: bool = False) -> Mapping[str, str]:
    """Returns hashes of what an agent, a game or the file of a network depends on, by path (see `files_of`)."""
    played = _played.get({})
    return played[text] if text in played else contents([text] if is_file else files_of(text))


def content(path: str) -> str | None:
    """Returns a hash of the content of a file, or of the source of a module, or None if it does not exist."""
    if path.startswith(MODULE):
        return _imports.source(path.removeprefix(MODULE))
    file = as_path(path)
    return _hash(file.read_bytes()) if file.is_file() else None


def contents(paths: Iterable[str]) -> dict[str, str]:
    """Returns hashes of the content of the files that are there, by path.

    Paths are relative to the current folder, as everywhere in agents. A file that is missing is an error of its agent.
    """
    return {path: found for path in sorted(set(paths)) if (found := content(path)) is not None}


def files_of(text: str) -> list[str]:
    """Returns what an agent or a game depends on, for `content`; nothing for another text.

    These are the paths of its networks, the file of a solution, or the modules that define it (see
    `stier._imports.sources`).
    """
    if _imports.is_path(text):
        return [f"{MODULE}{module}" for module in _imports.sources(text)]
    if is_named(text):
        return [text]
    return [path for path in networks_of(text) or [] if path]


def own_network(game: Game, agents: Iterable[str]) -> str | None:
    """Returns a hash of the game's own network if one of the agents plays with it, or None."""
    own = game.network() if any("" in (networks_of(agent) or []) for agent in agents) else None
    return None if own is None else _hash(own)


def _hash(found: bytes) -> str:
    return hashlib.sha256(found).hexdigest()[:16]
