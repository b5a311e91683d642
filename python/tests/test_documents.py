"""What the documents say runs."""

from __future__ import annotations

import doctest
import importlib.util
import re
import runpy
from pathlib import Path

import pytest

import stier

HERE = Path(__file__).parent


def test_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.findall(r"```python\n(.*?)```", (HERE.parent / "README.md").read_text("utf-8"), re.DOTALL)
    assert code
    for snippet in code:
        # OpenSpiel is not to be had for every Python.
        if "pyspiel" not in snippet or importlib.util.find_spec("pyspiel"):
            exec(snippet, {})
    assert "greedy" in capsys.readouterr().out


def test_the_section_on_many_at_once_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (HERE.parent.parent / "README.md").read_text("utf-8")
    section = text.split("\n## Many at once\n")[1].split("\n## ")[0]
    (snippet,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    names: dict[str, object] = {}
    exec(snippet, names)
    assert len(names["searches"]) == 64  # type: ignore[arg-type]
    assert "[[" in capsys.readouterr().out


def test_the_docstring_of_the_package_runs() -> None:
    assert doctest.testmod(stier).failed == 0


def test_the_typed_program_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(HERE / "typed_use.py"), run_name="__main__")
    assert capsys.readouterr().out
