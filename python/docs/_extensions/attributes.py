"""Attributes as readers know them: their comments whole, their types by public names."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

import stier


def _comment(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Napoleon takes a first line with a colon in it for a type: an empty comment goes first."""
    if what in ("attribute", "data", "property") and lines:
        lines[:0] = ["..", ""]


def _modules() -> Iterator[str]:
    """The public modules that can be imported, the package itself last."""
    for info in pkgutil.walk_packages(stier.__path__, "stier."):
        if "._" not in info.name:
            try:
                import_module(info.name)
            except ImportError:
                continue
            yield info.name
    yield "stier"


@cache
def _public_names() -> dict[str, str]:
    """By the name of a class with its private module, the name that readers import."""
    exported = (
        (module, name, getattr(found, name))
        for module, found in ((module, import_module(module)) for module in _modules())
        for name in getattr(found, "__all__", ())
    )
    return {
        f"{one.__module__}.{name}": f"{module}.{name}"
        for module, name, one in exported
        if isinstance(one, type) and "._" in one.__module__
    }


def _types(app: Sphinx, doctree: nodes.document) -> None:
    """Types are named, and found, by their public names."""
    for reference in doctree.findall(pending_xref):
        public = _public_names().get(reference.get("reftarget"))
        if public is not None:
            reference["reftarget"] = public
            reference.children = [nodes.Text(public.rpartition(".")[2])]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the two."""
    # Before napoleon, after the types of compiled attributes.
    app.connect("autodoc-process-docstring", _comment, priority=410)
    app.connect("doctree-read", _types)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
