"""Writes the docstrings of the compiled module into its stub, where editors look for them.

The docstrings are the doc comments of the Rust code, as they are at run time: ``python tools/stub_docstrings.py`` after
every change of them. With ``--check`` nothing is written, and the exit status is 1 if the stub would change.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

from stier import _native

STUB = Path(__file__).parents[1] / "stier" / "_native.pyi"


def with_docstrings(stub: str) -> str:
    """Returns the text of the stub with the docstrings of the compiled module, and no others."""
    lines = stub.splitlines(keepends=True)
    # From the end, so that the places of what comes before stay right.
    for node, docstring in reversed(_definitions(ast.parse(stub).body, _native)):
        _document(lines, node, docstring)
    return "".join(lines)


def _definitions(body: list[ast.stmt], owner: Any) -> list[tuple[ast.FunctionDef | ast.ClassDef, str | None]]:
    """The classes, functions and methods of the compiled module with their docstrings, in the order of the text."""
    found: list[tuple[ast.FunctionDef | ast.ClassDef, str | None]] = []
    names = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            documented = getattr(owner, node.name)
            # Of several signatures the first has the docstring.
            found.append((node, documented.__doc__ if node.name not in names else None))
            names.add(node.name)
            if isinstance(node, ast.ClassDef):
                found.extend(_definitions(node.body, documented))
    return found


def _document(lines: list[str], node: ast.FunctionDef | ast.ClassDef, docstring: str | None) -> None:
    """Replaces the docstring of a definition, or the dots that stand for its body."""
    first = node.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    start = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", []))]) - 1
    stop = (first.end_lineno or 0) if is_text else start
    # The line with the colon, in which the body may begin.
    begun = lines[start][: first.col_offset].rstrip() if is_text else ""
    while not begun:
        start -= 1
        begun = lines[start].rstrip()
    text = (docstring or "").strip().replace("\\", "\\\\")
    if text:
        indent = " " * (node.col_offset + 4)
        block = "\n".join(f"{indent}{line}".rstrip() for line in f'"""{text}'.splitlines())
        lines[start:stop] = [f"{begun}\n", block + (f'\n{indent}"""\n' if "\n" in text else '"""\n')]
    elif len(node.body) > 1 or not is_text:
        lines[start:stop] = [f"{begun}\n"]
    else:
        lines[start:stop] = [f"{begun} ...\n"]


def main() -> int:
    """Writes or checks the stub."""
    stub = STUB.read_text("utf-8")
    new = with_docstrings(stub)
    if "--check" in sys.argv[1:]:
        if new != stub:
            print(f"{STUB} lacks docstrings: run python/tools/stub_docstrings.py", file=sys.stderr)
        return int(new != stub)
    STUB.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
