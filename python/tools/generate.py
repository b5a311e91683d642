"""Writes what a wheel contains and nobody edits, into a folder that is laid over the sources of the package.

LICENSE-THIRD-PARTY has the licences of the crates that are linked into the native module. Their texts come from the
sources that cargo has downloaded; a crate without one is listed with the name of its licence, whose text stands
elsewhere in the file. stier/_native.pyi is the stub with the docstrings of the compiled module, where editors look for
them: they are the doc comments of the Rust code.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

PYTHON = Path(__file__).resolve().parents[1]
STUB = PYTHON / "stier" / "_native.pyi"


def metadata() -> dict[str, Any]:
    """Returns what cargo says of the crates, with the versions of Cargo.lock."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", str(PYTHON / "Cargo.toml")]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def linked(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the packages that the module contains, without those of the project and macros."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [key for key, package in packages.items() if package["name"] == "stier-python"]
    found: dict[str, dict[str, Any]] = {}
    while waiting:
        key = waiting.pop()
        if key in found or any("proc-macro" in target["kind"] for target in packages[key]["targets"]):
            continue
        found[key] = packages[key]
        for dependency in nodes[key]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    outside = [package for package in found.values() if package["source"] is not None]
    return sorted(outside, key=lambda package: (package["name"], package["version"]))


def texts(package: dict[str, Any]) -> list[str]:
    """Returns the texts of a package's licences; where MIT is enough, without the alternatives."""
    folder = Path(package["manifest_path"]).parent
    names = ("LICENSE", "LICENCE", "COPYING", "NOTICE")
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.upper().startswith(names))
    if "MIT" in (package["license"] or ""):
        files = [path for path in files if "APACHE" not in path.name.upper()]
    return ["\n".join(line.rstrip() for line in path.read_text("utf-8").strip().splitlines()) for path in files]


def licences() -> str:
    """Returns the licences of the linked crates: a list of these, then each text once."""
    owners: dict[str, list[str]] = defaultdict(list)
    lines = ["The native module of Stier contains these crates.", ""]
    for package in linked(metadata()):
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name}: {package['license'] or 'see below'}")
        for text in texts(package):
            owners[text].append(name)
    for text, names in owners.items():
        lines += ["", "=" * 80, *names, "-" * 80, "", text]
    return "\n".join(lines) + "\n"


def with_docstrings(stub: str, module: Any) -> str:
    """Returns the text of a stub with the docstrings of the module; a stub that has some is refused."""
    lines = stub.splitlines()
    # From the end, so that the places of what comes before stay right.
    for node, docstring in reversed(_definitions(ast.parse(stub).body, module)):
        if ast.get_docstring(node) is not None:
            raise SystemExit(f"{STUB}:{node.lineno}: {node.name} has a docstring, which belongs into the Rust code")
        text = (docstring or "").strip().replace("\\", "\\\\")
        if not text:
            continue
        # The body is `...` on the last line of the definition, or begins below it.
        first = node.body[0]
        is_empty = isinstance(first, ast.Expr)
        place = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", []))]) - (
            0 if is_empty else 1
        )
        if is_empty:
            lines[place - 1] = lines[place - 1].removesuffix("...").rstrip()
        indent = " " * (node.col_offset + 4)
        quoted = f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'
        lines[place:place] = [f"{indent}{line}".rstrip() for line in quoted.splitlines()]
    return "\n".join(lines) + "\n"


def _definitions(body: list[ast.stmt], owner: Any) -> list[tuple[ast.FunctionDef | ast.ClassDef, str | None]]:
    """The public classes, functions and methods with their docstrings, in the order of the text."""
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


def main(folder: Path) -> None:
    """Writes both files."""
    from stier import _native

    (folder / "stier").mkdir(parents=True, exist_ok=True)
    (folder / "LICENSE-THIRD-PARTY").write_text(licences(), "utf-8")
    (folder / "stier" / STUB.name).write_text(with_docstrings(STUB.read_text("utf-8"), _native), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
