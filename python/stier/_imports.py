"""Objects of Python that are named by text: ``module:name``."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from contextlib import suppress
from importlib import import_module, invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from stier._native import alternatives
from stier.errors import ArgumentError, StierError

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
#: ``module:name``, with any arguments behind it. An option such as ``iterations=5`` is not a name.
_PATH = re.compile(rf"\s*(?P<module>{_NAME}):(?P<name>{_NAME})\s*(?P<arguments>\(.*\))?\s*", re.DOTALL)
#: The word before the colon that stands for OpenSpiel's games.
OPEN_SPIEL_WORD = "openspiel"
#: Hashes of source files by module, as they were when the module was first asked for.
_noted: dict[str, str | None] = {}


def is_path(text: str) -> bool:
    """Returns true if a text names an object of Python, as ``my_games:Trumps`` or ``my_games:Trumps(players=3)`` do."""
    found = _PATH.fullmatch(text)
    return found is not None and found["module"] != OPEN_SPIEL_WORD


def load(text: str, error: type[StierError] = ArgumentError, beside: Path | None = None) -> Any:
    """Imports the object that a text names; what stands in brackets behind it is the caller's business.

    Modules in the current folder are found, as with ``python -m``.

    Args:
        text: A text of which `is_path` is true.
        error: The class of the error.
        beside: A folder in which the module may be, too.

    Raises:
        StierError: `error`: the module or name does not exist, or the import raised an exception, which is the cause.
    """
    found = _PATH.fullmatch(text)
    if found is None:
        raise error(f"'{text}' must be MODULE:NAME, such as my_agents:choose")
    module, where = _module(found["module"], text, error, beside), found["module"]
    one: Any = module
    for name in found["name"].split("."):
        if not hasattr(one, name):
            known = [key for key, value in getattr(one, "__dict__", {}).items() if _is_public(key, value, module)]
            raise error(f"{text}: {where} has no '{name}'{alternatives(name, 'names', known) if known else ''}")
        one, where = getattr(one, name), f"{where}.{name}"
    return one


def _is_public(name: str, value: object, module: ModuleType) -> bool:
    """Returns true for what a module defines itself, rather than imports."""
    is_named = hasattr(value, "__qualname__") and hasattr(value, "__module__")
    imported = isinstance(value, ModuleType) or (is_named and value.__module__ != module.__name__)
    return not name.startswith("_") and not imported


def _module(name: str, text: str, error: type[StierError], beside: Path | None) -> ModuleType:
    _reach_here()
    if beside is not None and str(beside.absolute()) not in sys.path:
        sys.path.append(str(beside.absolute()))
    try:
        module = import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{name}.".startswith(f"{missing.name}."):
            raise error(f"{text}: {name} needs a module that is not installed: {missing}") from missing
        where = f"in {Path.cwd()} or where Python looks for modules"
        raise error(f"{text}: there is no module '{missing.name}' {where}") from None
    except Exception as raised:
        raise error(f"{text}: importing {name} raised {type(raised).__name__}: {raised}") from raised
    _noted.setdefault(name, source(name))
    return module


def _reach_here() -> None:
    """Lets Python look for modules in the current folder first, as it does for ``python -m``."""
    here = os.getcwd()  # noqa: PTH109 - as the interpreter writes it
    if not getattr(sys.flags, "safe_path", False) and not {"", here} & set(sys.path):
        sys.path.insert(0, here)
    # A file may be newer than the list of its folder.
    invalidate_caches()


def path_of(found: object) -> str | None:
    """Returns the text that names a function or class, or None if no text does."""
    module, name = getattr(found, "__module__", None), getattr(found, "__qualname__", None)
    text = f"{module}:{name}"
    with suppress(StierError):
        if isinstance(name, str) and is_path(text) and load(text) is found:
            return text
    return None


def source(module: str) -> str | None:
    """Returns a hash of the source file of a module as it is now, or None without a file."""
    _reach_here()
    try:
        spec = getattr(sys.modules.get(module), "__spec__", None) or find_spec(module)
    except (ImportError, ValueError):
        return None
    file = None if spec is None or spec.origin is None else Path(spec.origin)
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file is not None and file.is_file() else None


def sources(text: str) -> dict[str, str]:
    """Returns hashes of the source files that define the object that a text names, by module.

    These are the module in the text and, if that only imports the object, the one in which it is defined. There are
    none for a text whose module has not been imported.

    Raises:
        ArgumentError: A module without a file, or one whose file has changed since it was imported.
    """
    named = _PATH.fullmatch(text)
    if named is None or not is_path(text) or named["module"] not in sys.modules:
        return {}
    try:
        one = load(text)
    except ArgumentError:
        return {}
    own = getattr(one if hasattr(one, "__qualname__") else type(one), "__module__", None) or named["module"]
    modules = [named["module"], *([] if own.partition(".")[0] in sys.stdlib_module_names else [own])]
    found = {}
    for module in modules:
        now = source(module)
        if now is None:
            raise ArgumentError(f"{text}: {module} has no source file: put the agent into a file of its own")
        if _noted.setdefault(module, now) != now:
            raise ArgumentError(f"{text}: {module} has changed since it was imported: start Python anew")
        found[module] = now
    return found
