"""The structure of the package: no circles between modules, and a floor for each room."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import stier

#: The rooms from bottom to top: each imports only itself and those below it, deferred imports included.
ROOMS = [
    *("errors", "_arguments", "_output", "_files", "_imports", "catalogue", "_adapting", "games", "open_spiel"),
    *(
        "_svg",
        "draw",
        "_results",
        "playing",
        "_sequence_form",
        "_content",
        "terminal",
        "replays",
        "schwingfest",
        "network",
        "solving",
        "public",
        "widget",
    ),
    *("gymnasium", "pettingzoo", "leaks", "train", "ratings", "plots", "experiments", "cli", "__main__"),
]
ROOT = Path(stier.__file__).parent
#: The sources of the compiled module, `stier._native`, which all rooms may import.
NATIVE = Path(__file__).parents[1] / "src"
#: Modules that it imports all the same: by name, when a method is called, and never while it is imported itself.
CALLED = {
    "": "pickles name the public functions that make a game or an agent anew",
    "_native": "pickles of matches, policies and states are read by functions of its own",
    "errors": "exceptions are classes of Python",
    "_files": "files are written in one way, in full or not at all",
    "games": "games of Python are found by their text",
    "_results": "beliefs, searches, properties and tables are classes and frames of Python",
    "playing": "agents of Python are found by their text, and what they do is a class of Python",
    "draw": "a state draws itself in notebooks",
    "_sequence_form": "linear programs are solved by SciPy",
}
Module = tuple[str, ...]


def own(path: Path) -> Module:
    inside = path.relative_to(ROOT).with_suffix("").parts
    return inside[:-1] if inside[-1] == "__init__" else inside


def imports(node: ast.AST) -> Iterator[str]:
    """The names that a module imports, in functions too, but not those for type checkers alone."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    if isinstance(node, ast.Attribute):
        # stier.replays.AGENT, where only the package is imported.
        yield ast.unparse(node)
    for child in ast.iter_child_nodes(node):
        yield from imports(child)


@cache
def arrows() -> dict[Module, set[Module]]:
    """The modules that each one imports. The package itself imports every module when it is first used."""
    files = {own(path): path for path in ROOT.rglob("*.py")}
    found: dict[Module, set[Module]] = {module: set() for module in files if module}
    for module in found:
        for name in imports(ast.parse(files[module].read_text("utf-8"))):
            parts = tuple(name.split("."))
            known = [parts[1:end] for end in range(2, len(parts) + 1) if parts[1:end] in found]
            found[module].update([one for one in known[-1:] if parts[0] == "stier" and one != module])
    return found


def test_no_modules_import_each_other() -> None:
    left = {module: set(others) for module, others in arrows().items()}
    assert sum(map(len, left.values())) > 2 * len(left)
    while True:
        used = set().union(*left.values())
        inner = {one: others & left.keys() for one, others in left.items() if one in used and others & left.keys()}
        if inner == left:
            break
        left = inner
    assert not left, "\n".join(f"{'.'.join(one)} imports {sorted(map('.'.join, left[one]))}" for one in left)


def test_rooms_import_only_those_below_them() -> None:
    assert {module[0] for module in arrows()} == set(ROOMS)
    pairs = [(module, other) for module, others in arrows().items() for other in others]
    climbing = [pair for pair in pairs if ROOMS.index(pair[1][0]) > ROOMS.index(pair[0][0])]
    assert not climbing, "\n".join(f"{'.'.join(module)} imports {'.'.join(other)}" for module, other in climbing)


def test_the_compiled_module_calls_low_rooms_only() -> None:
    """Those that it names import only rooms up to `_sequence_form`, none of an environment or a command."""
    if not NATIVE.exists():
        pytest.skip("the sources of the compiled module are not here")
    sources = "\n".join(path.read_text("utf-8") for path in NATIVE.rglob("*.rs"))
    # Every module in quotes, but for the place of a class that is its ``module``.
    named = re.findall(r'(?<!module = )"(stier(?:\.\w+)*)"|import_exception!\((stier\.\w+)', sources)
    assert {"".join(one).removeprefix("stier").removeprefix(".") for one in named} == CALLED.keys()
    assert max(ROOMS.index(name) for name in CALLED.keys() - {"", "_native"}) == ROOMS.index("_sequence_form")
