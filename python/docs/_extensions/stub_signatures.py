"""Signatures with types for the compiled classes and functions: autodoc finds names only, the stubs have the types."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any, TypeAlias

from sphinx.application import Sphinx

import stier

_Definition: TypeAlias = ast.FunctionDef | ast.ClassDef

#: The names of types for readers.
_SHORT = {"SupportsIndex": "int", "npt.NDArray": "NDArray", "np.": ""}


class _Stubs:
    """The definitions of a stub file, by dotted name."""

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text("utf-8"))
        self._aliases = {
            node.target.id: node.value
            for node in tree.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None
        }
        self._found: dict[str, list[_Definition]] = {}
        self._collect("", tree.body)

    def _collect(self, prefix: str, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self._found.setdefault(prefix + node.name, []).append(node)
            if isinstance(node, ast.ClassDef):
                self._collect(f"{node.name}.", node.body)

    def function(self, name: str) -> ast.FunctionDef | None:
        """The function, method, constructor or property of that name, unless it has several signatures."""
        found = self._found.get(name, [])
        if len(found) == 1 and isinstance(found[0], ast.ClassDef):
            found = self._found.get(f"{name}.__new__", [])
        return found[0] if len(found) == 1 and isinstance(found[0], ast.FunctionDef) else None

    def text(self, annotation: ast.expr | ast.arguments) -> str:
        """Types as readers write them, aliases of the stubs spelled out."""
        text = ast.unparse(_Expand(self._aliases).visit(annotation))
        for long, short in _SHORT.items():
            text = text.replace(long, short)
        return text


class _Expand(ast.NodeTransformer):
    def __init__(self, aliases: dict[str, ast.expr]) -> None:
        self._aliases = aliases

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._aliases[node.id] if node.id.startswith("_") and node.id in self._aliases else node


_stubs = _Stubs(Path(stier.__file__).with_name("_native.pyi"))


def _compiled(name: str, what: str, obj: Any) -> ast.FunctionDef | None:
    """The stub of something that is not written in Python."""
    if what in ("function", "method") and inspect.isfunction(obj):
        return None
    found = re.fullmatch(r"stier\.(?:(?:playing|solving)\.)?([^.]+(?:\.[^.]+)?)", name)
    return _stubs.function(found[1]) if found else None


def _signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    stub = _compiled(name, what, obj) if what in ("class", "function", "method") else None
    if stub is None:
        return signature, returns
    arguments = stub.args
    if what != "function":
        # The object itself, or its class.
        del (arguments.posonlyargs or arguments.args)[:1]
    result = None if what == "class" or stub.returns is None else _stubs.text(stub.returns)
    return f"({_stubs.text(arguments)})", result


def _docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Getters have no signature: their types go before the text."""
    stub = _compiled(name, what, obj) if what in ("attribute", "property") else None
    if stub is not None and stub.returns is not None:
        lines[:0] = [f"``{_stubs.text(stub.returns)}``", ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the two."""
    app.connect("autodoc-process-signature", _signature)
    # Before napoleon, which takes the first line of an attribute for its type if there is a colon in it.
    app.connect("autodoc-process-docstring", _docstring, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
