"""The modules of the bindings, in Rust: none uses itself by way of others."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"


def uses(folder: Path, prefix: str) -> dict[str, set[str]]:
    """The modules in a folder that each module there names, as ``prefix::module`` or in a list of such names."""
    paths = {path.stem: [path] if path.is_file() else sorted(path.rglob("*.rs")) for path in folder.iterdir()}
    found: dict[str, set[str]] = {}
    for name in paths.keys() - {"lib", "mod"}:
        text = "\n".join(re.sub(r"//.*", "", path.read_text("utf-8")) for path in paths[name])
        names = re.findall(rf"\b{prefix}::(\w+|\{{[^;]*\}})", text)
        found[name] = {word for part in names for word in re.findall(r"\w+", part)} & paths.keys() - {name}
    return found


@pytest.mark.parametrize(("folder", "prefix"), [(SOURCE, "crate"), (SOURCE / "python_game", "super")])
def test_no_module_uses_itself_by_way_of_others(folder: Path, prefix: str) -> None:
    graph = uses(folder, prefix)
    assert sum(map(len, graph.values())) > len(graph)
    assert list(TopologicalSorter(graph).static_order())
    # A circle would be found.
    with pytest.raises(ValueError, match="cycle"):
        TopologicalSorter(graph | {min(graph): {max(graph)}, max(graph): {min(graph)}}).prepare()
