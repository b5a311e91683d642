"""Writes python/LICENSE-THIRD-PARTY: the licences of the crates that are linked into the native module.

Run it after a change of Cargo.lock. The texts come from the sources that cargo has downloaded; a crate without one is
listed with the name of its licence, whose text stands elsewhere in the file.
"""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

PYTHON = Path(__file__).resolve().parents[1]
PAGE = PYTHON / "LICENSE-THIRD-PARTY"


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


def main() -> None:
    packages = linked(metadata())
    owners: dict[str, list[str]] = defaultdict(list)
    lines = ["The native module of Stier contains these crates.", ""]
    for package in packages:
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name}: {package['license'] or 'see below'}")
        for text in texts(package):
            owners[text].append(name)
    for text, names in owners.items():
        lines += ["", "=" * 80, *names, "-" * 80, "", text]
    PAGE.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
