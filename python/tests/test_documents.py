"""The programs in the documents run, and print what the documents say that they print."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import doctest
import importlib
import inspect
import io
import os
import pkgutil
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from helpers import COMPILING_AS_USERS, above_the_folds, assert_form

import stier
from stier.cli._app import app

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "python" / "docs").rglob("*.md"))]
MODULES = ["stier", *(f"stier.{module.name}" for module in pkgutil.iter_modules(stier.__path__))]

#: Characters that a column of the documentation holds.
COLUMN = 112

#: A block of Python; what is printed follows at once or is not checked. Dots stand for anything.
PYTHON = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"^```sh\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


#: The libraries that parts of the package need.
LIBRARIES = {
    "attack_timing": "pyarrow",
    "open_spiel": "pyspiel",
    "pyspiel": "pyspiel",
    "stier.experiments": "pyarrow",
    "stier.gymnasium": "gymnasium",
    "stier.network": "safetensors",
    "stier.pettingzoo": "pettingzoo",
    "stier.plots": "matplotlib",
    "stier.ratings": "scipy",
    "stier.train": "jax",
    "stier.widget": "anywidget",
}


def needs(text: str) -> None:
    """Skips what is about a library that is not installed."""
    for name, library in LIBRARIES.items():
        if name in text:
            pytest.importorskip(library)


def run(document: Path) -> int:
    """Runs the Python of a document from top to bottom, as one program, and returns the number of blocks."""
    text = document.read_text("utf-8")
    stier.games._classes.clear()  # as for a reader who has not registered the examples
    names: dict[str, object] = {"__name__": document.stem}
    checker = doctest.OutputChecker()
    blocks = list(PYTHON.finditer(text))
    for block in blocks:
        # Lines are numbered as in the document.
        code = "\n" * text.count("\n", 0, block.start("code")) + block["code"]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, document, "exec"), names)
        wanted, got = block["output"], printed.getvalue()
        if wanted is not None:
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            where = f"{document}:{text.count(chr(10), 0, block.start('output')) + 1}"
            assert checker.check_output(wanted, got, flags), f"{where} says\n{wanted}but printed is\n{got}"
    return len(blocks)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_the_python_of_a_document_runs(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("python/examples", "notebooks"):
        monkeypatch.syspath_prepend(ROOT / folder)
    needs("".join(block["code"] for block in PYTHON.finditer(document.read_text("utf-8"))))
    count = run(document)
    assert count or document.parent.name != "guides" or document.name == "comparison.md"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_code_is_no_wider_than_the_column(document: Path) -> None:
    text = document.read_text("utf-8")
    blocks = re.findall(r"^```(?:python|sh|toml|text)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert [line for block in blocks for line in block.splitlines() if len(line) > COLUMN] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_the_commands_of_a_document_exist(document: Path) -> None:
    for block in SHELL.findall(document.read_text("utf-8")):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["stier"]:
                ends = [index for index, word in enumerate(words) if word in (">", "|")]
                parse(words[1 : min(ends, default=None)])


#: A block of commands, and their output.
SESSION = re.compile(r"^```sh\n(?P<commands>.*?)^```\n\n```text\n(?P<output>.*?)^```\n", re.DOTALL | re.MULTILINE)


def test_the_commands_of_the_first_hour_print_what_the_page_says(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    text = (ROOT / "python" / "docs" / "guides" / "first_hour.md").read_text("utf-8")
    (toml,) = re.findall(r"^```toml\n(.*?)^```\n", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "hour.toml").write_text(toml, "utf-8")
    checker, environment = doctest.OutputChecker(), {**os.environ, **COMPILING_AS_USERS, "PYTHON": sys.executable}
    sessions = list(SESSION.finditer(text))
    assert len(sessions) == 12
    for session in sessions:
        done = subprocess.run(
            'stier() { "$PYTHON" -m stier "$@"; }\n' + session["commands"],
            input="".join(f"{answer}\n" for answer in re.findall("^> (.*)$", session["output"], re.MULTILINE)),
            shell=True,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert checker.check_output(session["output"], done.stdout, flags), f"{session['commands']}{done.stdout}"


def parse(words: list[str]) -> None:
    """Parse a command line without running it."""
    command: click.Command = app
    while isinstance(command, click.Group) and not words[0].startswith("-"):
        name, _, rest = command.resolve_command(click.Context(command), words)
        assert name is not None
        command, words = command.commands[name], rest
    with contextlib.suppress(click.exceptions.Exit):  # --help
        command.make_context(command.name, words)


def test_the_citation_is_of_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [stier.__version__]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.findall(r"^@software\{stier, .*version = \{(.*?)\}", readme, re.MULTILINE) == [stier.__version__]


def test_the_readme_of_the_package_lists_all_extras() -> None:
    project = (ROOT / "python" / "pyproject.toml").read_text("utf-8")
    tables = re.findall(r"^\[project.optional-dependencies\]\n(.*?)^\[", project, re.DOTALL | re.MULTILINE)
    readme = (ROOT / "python" / "README.md").read_text("utf-8")
    assert re.findall(r"`([\w-]+)`", readme[readme.index("The optional extras are ") :]) == sorted(
        re.findall(r"^([\w-]+) = ", tables[0], re.MULTILINE)
    )


def test_the_changelog_lists_the_formats_of_the_page_on_stability() -> None:
    page = (ROOT / "python" / "docs" / "reference" / "stability.md").read_text("utf-8")
    rows = re.findall(r"^\| [\w ]+ \| `([\w.-]+)`? (\d+)`? \|", page, re.MULTILINE)
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest: dict[str, str] = {}
    for files in re.findall(r"^### Bits\n(.*?)(?=^##|\Z)", changelog, re.DOTALL | re.MULTILINE):
        for name, number in re.findall(r"`([\w.-]+)`? (\d+)", files):
            newest.setdefault(name, number)
    assert len(rows) == 10
    assert dict(rows) == newest


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 130


#: Pages of results, each with a picture.
RESULTS = sorted({*(ROOT / "benches").glob("*.md")} - {ROOT / "benches" / "README.md"})
GUIDES = [ROOT / "python" / "docs" / "guides" / f"{name}.md" for name in ("attack_timing", "near_equilibrium")]
#: Pages that answer a question, all in one form.
ANSWERS = [
    *GUIDES,
    ROOT / "notebooks" / "attack_timing" / "results" / "answer.md",
    *RESULTS,
]


@pytest.mark.parametrize("page", ANSWERS, ids=lambda page: page.stem)
def test_a_page_with_an_answer_has_the_form(page: Path) -> None:
    assert_form(page.read_text("utf-8"), pictures=1)


@pytest.mark.parametrize("page", RESULTS, ids=lambda page: page.stem)
def test_the_picture_of_a_page_of_results_is_small(page: Path) -> None:
    (name,) = re.findall(r"^!\[.+\]\((.+)\)$", above_the_folds(page.read_text("utf-8")), re.MULTILINE)
    assert (page.parent / name).stat().st_size < 60_000


def test_pictures_show_the_tables_of_their_pages() -> None:
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(ROOT / "benches" / "python"))
    charts = importlib.import_module("charts")
    assert len(charts.CHARTS) == 10
    for name in charts.CHARTS:
        page = (ROOT / "benches" / f"{name.upper()}.md").read_text("utf-8")
        assert charts.illustrated(name, page) == page
        chart = charts.CHARTS[name](page)
        if name in (
            "portable",
            "python_games",
            "ranges",
            "results",
            "solving",
        ):  # the answer has the figures of the title
            assert {*re.findall(r"\d[\d.]*\d|\d", chart.title)} <= {
                *re.findall(r"\d[\d.]*\d|\d", page.split("\n![")[0])
            }
        assert {len(lengths) for lengths in chart.series.values()} == {len(chart.rows)}
        (axes,) = chart.draw().axes
        assert [label.get_text() for label in axes.get_yticklabels()] == [*chart.rows]
    importlib.import_module("matplotlib.pyplot").close("all")


def test_the_page_of_speeds_has_the_form() -> None:
    pytest.importorskip("pyarrow")
    sys.path.insert(0, str(ROOT / "benches" / "python"))
    results = importlib.import_module("results")
    rows = {name.format(game): results.Row(80, 79, 81) for name in results.HEADLINES.values() for game in results.GAMES}
    page = results.results(rows, ["- machine: mine"])
    assert_form(page, pictures=1)
    assert "**From Python, one core makes 12 to 12 million decisions per second" in page
    assert "| vector/schwinget/python-float32 | decision | 80.00 | 79.00 .. 81.00 | 12.50 M |" in page


@pytest.mark.parametrize("page", sorted((ROOT / "python" / "docs" / "guides").glob("*.md")), ids=lambda page: page.stem)
def test_a_guide_has_at_most_three_intervals_above_its_folds(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert len(re.findall("±", above_the_folds(text))) <= 3


def test_the_research_guides_are_short() -> None:
    assert sum(len(above_the_folds(page.read_text("utf-8")).split()) for page in GUIDES) <= 1800


def test_the_guide_has_the_speeds_of_the_page() -> None:
    rows = re.findall(r"^\| `.*", (ROOT / "benches" / "PYTHON_GAMES.md").read_text("utf-8"), re.MULTILINE)
    figures = [[float(cell.replace(",", "")) for cell in row.split("|")[2:5]] for row in rows]
    decisions, searches = (
        [100 * own[column] / rust[column] for own, rust in zip(figures[::2], figures[1::2], strict=True)]
        for column in (0, 1)
    )
    states = [1e6 / row[2] for row in figures[::2]]
    ranges = [f"{min(found):.0f} to {max(found):.0f}" for found in (states, decisions, searches)]
    guide = " ".join((ROOT / "python" / "docs" / "guides" / "your_own_game.md").read_text("utf-8").split())
    state, play, search = re.findall(r"\d+ to \d+(?= µs| %)", guide[guide.index("A new state costs") :])
    assert [state, play, search] == ranges


def test_intervals_of_means_are_not_computed_by_hand() -> None:
    by_hand = re.compile(r"1\.96\b.*\bstd\(")
    assert [
        str(path)
        for folder in WRITTEN
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".md", ".ipynb") and "node_modules" not in path.parts
        if by_hand.search(path.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_run(name: str) -> None:
    needs(name)
    if name != "stier.__main__":
        assert doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS).failed == 0


PACKAGE = Path(stier.__file__).parent
PUBLIC = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if not any(part.startswith("_") and part != "__init__.py" for part in path.relative_to(PACKAGE).parts)
]


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_everything_public_is_in_the_reference(path: Path) -> None:
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "python" / "docs" / "reference").glob("*.rst"))
    described = set(re.findall(r"^\.\. (?:auto\w+|class|data):: (?:stier[\w.]*\.)?(\w+)", pages, re.MULTILINE))
    # Constants and other names of something that is described; the command line has a page of its own.
    described |= {"PREFIX", "raw_env", "__version__", "app", "main"}
    exported = re.search(r"^__all__ = (\[.*?\])", path.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert set(ast.literal_eval(exported[1]) if exported else []) <= described


WRITTEN = ("agents", "benches", "core", "notebooks", "python")
QUESTION = "Who|Whose|What|Whether|Which|How|Why|By whom|By what"
#: The descriptions of arguments, attributes and all that stands alone, and comments: none begins with a question word.
RELATIVE = re.compile(
    rf'(?:^\s+\w+: |#: |"""|^\s*//[/!] |/\*\* )(?:{QUESTION}|Where) |^\s*(?:#|//) (?:{QUESTION}) ', re.MULTILINE
)


@pytest.mark.parametrize("folder", WRITTEN)
def test_descriptions_do_not_begin_with_a_question_word(folder: str) -> None:
    found = []
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in (".py", ".pyi", ".rs", ".ts") and not {"node_modules", "target"} & {*path.parts}:
            # Of comments in several lines, the first line alone.
            line = r"(?://[/!]?|#) .*\n"
            text = re.sub(rf"^(\s*{line})(?:\s*{line})+", r"\1", path.read_text("utf-8"), flags=re.MULTILINE)
            found += [f"{path.name}: {one}" for one in RELATIVE.findall(text)]
    assert found == []


@pytest.mark.parametrize("name", sorted(set(stier.__all__) - {"CHANCE", "TERMINAL", "__version__"}))
def test_everything_public_has_a_docstring(name: str) -> None:
    thing = getattr(stier, name)
    assert thing.__doc__
    members = [member for member in vars(thing) if not member.startswith("_")] if isinstance(thing, type) else []
    if dataclasses.is_dataclass(thing) or issubclass(thing if isinstance(thing, type) else object, tuple):
        # Their fields are described by comments.
        members = [member for member in members if inspect.isfunction(getattr(thing, member))]
    assert [member for member in members if not inspect.getdoc(getattr(thing, member))] == []


def test_the_typed_program_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(HERE / "typed_use.py"), run_name="__main__")
    assert capsys.readouterr().out


def test_the_licences_of_the_linked_crates_are_there() -> None:
    tool = runpy.run_path(str(ROOT / "python" / "tools" / "generate.py"))
    text = tool["licences"]()
    named = re.findall(r"^(\S+ \S+): ", text, re.MULTILINE)
    assert named == [f"{package['name']} {package['version']}" for package in tool["linked"](tool["metadata"]())]
    assert {"numpy", "pyo3", "safetensors"} <= {name.split()[0] for name in named}
    assert text.count("Permission is hereby granted, free of charge") > 10
