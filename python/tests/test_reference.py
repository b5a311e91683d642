"""The reference pages have everything that is public, by its public name."""

from __future__ import annotations

import dataclasses
import html
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import stier

pytest.importorskip("sphinx")
pytest.importorskip("furo")
pytest.importorskip("pyspiel", reason="the pages of stier.open_spiel import it")

from sphinx.util.inventory import InventoryFile

#: The documentation is built once.
pytestmark = pytest.mark.timeout(600)

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, as `make docs` builds it: that of the folder STIER_DOCS if it was built just before."""
    if "STIER_DOCS" in os.environ:
        return Path(os.environ["STIER_DOCS"])
    out = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", str(DOCS), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


def public_modules() -> Iterator[str]:
    yield "stier"
    for info in pkgutil.walk_packages(stier.__path__, "stier."):
        if not any(part.startswith("_") for part in info.name.split(".")):
            yield info.name


def public_fields() -> Iterator[tuple[str, str, str]]:
    """Module, class and field of every public dataclass, without what it inherits, and named tuple."""
    for module in public_modules():
        try:
            found = import_module(module)
        except ImportError:
            continue
        for name in getattr(found, "__all__", []):
            kind = getattr(found, name)
            fields = (
                [field.name for field in dataclasses.fields(kind) if field.name in vars(kind)["__annotations__"]]
                if isinstance(kind, type) and dataclasses.is_dataclass(kind)
                else getattr(kind, "_fields", ())
            )
            yield from ((module, name, field) for field in fields if not field.startswith("_"))


def test_every_public_field_is_in_the_reference(built: Path) -> None:
    with (built / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, name: name)
    there = set(inventory["py:attribute"]) | set(inventory["py:property"])
    # A class that is public in several modules is described in one of them.
    described: dict[tuple[str, str], set[str]] = {}
    for module, name, field in public_fields():
        described.setdefault((f"{getattr(import_module(module), name).__module__}.{name}", field), set()).add(
            f"{module}.{name}.{field}"
        )
    assert len(described) > 100
    missing = sorted(min(names) for names in described.values() if not names & there)
    assert missing == []


def test_types_are_those_of_the_fields(built: Path) -> None:
    """A comment such as "Per update: passes" is not a type, and no type is named by a private module."""
    for page in sorted((built / "reference").glob("*.html")):
        text = html.unescape(re.sub(r"<[^>]+>", "", page.read_text("utf-8")))
        assert re.findall(r"\bstier(?:\.\w+)*\._(?!_)\w+", text) == [], page.name
        for found in re.findall(r"^Type:\s*(.*)$", text, re.MULTILINE):
            unquoted = re.sub(r"\u2018[^\u2019]*\u2019", "", found)
            assert re.search(r"\w \w", unquoted) is None, (page.name, found)
