"""Every test that takes a `game` runs for every game and a few of its variants."""

from __future__ import annotations

import os
import platform
import signal
import stat
import subprocess
import sys
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from helpers import all_games

import stier
from web import (
    address as address,
    browser as browser,
    first_page as first_page,
    new_page as new_page,
    page as page,
)


def choose_fast_compilation() -> None:
    """Makes JAX compile quickly rather than well, here and in all processes that tests start.

    Compiling takes most of the time of the tests that train: their networks are small. Notebooks, the commands of the
    documentation and long tests compile as users do.
    """
    if "XLA_FLAGS" in os.environ or find_spec("jaxlib") is None:
        return
    os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"
    # XLA ends a process that names an unknown flag, and has no other way to ask for one.
    flags = "--xla_cpu_use_fusion_emitters=false"
    probe = [sys.executable, "-c", "from jaxlib import xla_client; xla_client.make_cpu_client()"]
    known = subprocess.run(probe, env={**os.environ, "XLA_FLAGS": flags}, capture_output=True, check=False)
    os.environ["XLA_FLAGS"] = flags if known.returncode == 0 else ""


# Before anything imports JAX.
choose_fast_compilation()

# Processes that a shell starts in the background ignore Ctrl-C, and so would those that the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import_or_skip = pytest.importorskip


def import_or_fail(modname: str, *args: Any, **kwargs: Any) -> Any:
    """Imports an optional library, and fails without it unless `make test` does not install it here."""
    no_wheels = sys.platform == "darwin" and platform.machine() == "x86_64"
    absent = {"sb3_contrib", "torch"}  # make test-torch
    absent |= {"jax", "open_spiel", "optax", "pyspiel", "ray"} if no_wheels else set()
    absent |= {"open_spiel", "pyspiel"} if sys.version_info < (3, 11) else set()
    if modname.partition(".")[0] in absent:
        return import_or_skip(modname, *args, **kwargs)
    try:
        return import_or_skip(modname, *args, **kwargs)
    except pytest.skip.Exception as skipped:
        pytest.fail(f"{skipped.msg}; without STIER_ALL this test is skipped", pytrace=False)


#: The libraries that tests name themselves and that the group `dev` does not install.
OPTIONAL = {
    "anywidget",
    "gymnasium",
    "jax",
    "matplotlib",
    "onnx",
    "open_spiel",
    "openskill",
    "optax",
    "pandas",
    "pettingzoo",
    "pyarrow",
    "pyspiel",
    "ray",
    "safetensors",
    "scipy",
    "sphinx",
    "torch",
    "tqdm",
}


@pytest.hookimpl(wrapper=True)
def skip_without_extra() -> Generator[None, object, object]:
    """Skips a test that asks for an extra of the package, or for a library, that is not installed."""
    try:
        return (yield)
    except (stier.errors.MissingExtraError, ModuleNotFoundError) as error:
        if not isinstance(error, stier.errors.MissingExtraError) and str(error.name).partition(".")[0] not in OPTIONAL:
            raise
        pytest.skip(str(error))


# Files and tests that need a library which is not installed are skipped. `make test` sets the variable.
if os.environ.get("STIER_ALL"):
    pytest.importorskip = import_or_fail
else:
    pytest_pyfunc_call = skip_without_extra


@pytest.fixture(autouse=True)
def registered_games_are_forgotten() -> Generator[None, None, None]:
    """Forgets the games that a test registers or loads: other tests go through all games."""
    known = dict(stier.games._classes)
    yield
    stier.games._classes.clear()
    stier.games._classes.update(known)
    stier.games.forget()


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> pytest.CaptureFixture[str]:
    """The output of a test, as if standard error were a terminal."""
    pytest.importorskip("tqdm")
    monkeypatch.setattr("stier._output.draws_bars", lambda: True)
    return capsys


@pytest.fixture(params=all_games(), ids=str)
def game(request: pytest.FixtureRequest) -> stier.Game:
    loaded = request.param
    assert isinstance(loaded, stier.Game)
    return loaded


@pytest.fixture
def schwinget() -> stier.Game:
    return stier.load_game("schwinget")


@pytest.fixture
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Games that are played leave their records in the current folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A device on which there is no room, as /dev/full: one of our own, in case it is replaced."""
    path = tmp_path / "full"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        path.write_bytes(b"")
    except (AttributeError, OSError):
        pytest.skip("devices cannot be made here")
    return path
