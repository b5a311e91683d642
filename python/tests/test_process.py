"""The process of the command line: Ctrl-C, and standard streams that are full, closed or not UTF-8."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest

import stier
from stier import cli
from stier.cli import _process, main
from stier.cli._app import app
from stier.cli._options import OUTPUT

TINY = "schwinget:suits=2,values=2,counter=off,hand_size=1,set_aside=1"
GAME = """
kind = "matches"
game = "kuhn_poker"
agents = { "Zoë" = "random", "Ueli ±" = "greedy" }
deals = 2
"""
LONG_GAME = GAME.replace("random", "ismcts:iterations=1000000")

#: Every command, with arguments with which it prints something. FILE is a record, GAMES the folder of an experiment.
COMMANDS = {
    "agents": "agents ismcts",
    "check-leak": "check-leak kuhn_poker --games 1 --no-progress",
    "completion": "completion bash",
    "exploit": "exploit kuhn_poker random --deals 12 --no-progress",
    "exploitability": "exploitability kuhn_poker random --no-progress",
    "games": "games",
    "pit": "pit kuhn_poker random greedy --deals 2 --no-progress",
    "play": "play schwinget --against random --seed 1",
    "properties": "properties kuhn_poker --deals 2 --games 2 --no-progress",
    "replay": "replay FILE --agent ismcts:iterations=5 --searches 3",
    "report": "report GAMES",
    "rules": "rules schwinget",
    "run": "run FILE.toml --out GAMES --no-progress",
    "schwingfest": "schwingfest Zoë=random Ueli=random Kari=random",
    "solve": f"solve {TINY} --iterations 2 --no-progress",
    "train": "train kuhn_poker --steps 1 --out OUT --no-progress",
    "web": "web --no-browser",
}


def names(group: click.Group, prefix: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from names(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}"


class Server:
    """A server that stops as soon as it is asked to serve."""

    server_address = ("127.0.0.1", 80)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def serve_forever(self) -> None:
        pass


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Returns the words of one of the commands, and makes the files that it reads."""

    def prepare(name: str, commands: Mapping[str, str] = COMMANDS) -> list[str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"b\nh\nq\n"), "ascii"))
        record = tmp_path / "FILE"
        if name == "replay":
            state = stier.load_game("schwinget").new_initial_state(seed=1)
            state.apply_action(state.legal_actions()[0])
            record.write_text(state.record(), "utf-8")
        elif name in ("run", "report"):
            pytest.importorskip("pyarrow")
            (tmp_path / "FILE.toml").write_text(GAME if commands is COMMANDS else LONG_GAME, "utf-8")
            if name != "run":
                stier.experiments.run(tmp_path / "FILE.toml", tmp_path / "GAMES")
        elif name == "train":
            pytest.importorskip("safetensors")
            monkeypatch.setattr("stier.train.command.train", lambda *_, **__: print("won by 0.5 ± 0.1"))
        elif name == "web":
            (tmp_path / "index.html").write_text("")
            monkeypatch.setattr("stier.cli.web.PAGE", tmp_path)
            monkeypatch.setattr("stier.cli.web.serve", lambda _: Server())
        paths = {"FILE": record, "GAMES": tmp_path / "GAMES", "OUT": tmp_path / "out"}
        found = commands[name].split()
        for mark, path in paths.items():
            found = [f"{path}{word.removeprefix(mark)}" if word.startswith(mark) else word for word in found]
        return found

    return prepare


def test_the_list_has_all_commands() -> None:
    assert set(COMMANDS) == set(names(app))


class Full(io.RawIOBase):
    """A standard output without room, or one whose reader has gone."""

    def __init__(self, code: int) -> None:
        self._code = code

    def writable(self) -> bool:
        return True

    def write(self, _: Any) -> int:
        raise OSError(self._code, os.strerror(self._code))


@pytest.fixture
def quiet_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the streams of the tests alone."""
    monkeypatch.setattr("stier.cli._app.discard_output", lambda: None)


@pytest.mark.usefixtures("quiet_end")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_output_is_one_line(
    name: str, words: Callable[..., list[str]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f"stier: standard output: {os.strerror(errno.ENOSPC)}\n"
    for code, expected in [(errno.ENOSPC, (1, line)), (errno.EPIPE, (0, ""))]:
        for buffered in (True, False):
            raw: Any = Full(code)
            sink = io.BufferedWriter(raw) if buffered else raw
            monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(sink, "utf-8", write_through=not buffered))
            found = cli.in_process(words(name))
            assert (found, capsys.readouterr().err) == expected, (code, buffered)
            raw.write = len  # for what is left when the stream is closed


#: The options, or the argument, with which a command writes a file.
OUTPUTS = {
    "pit": ["--csv"],
    "play": ["--record"],
    "replay": ["--html"],
    "report": ["--rows"],
    "schwingfest": ["--svg"],
    "solve": ["--save", "--checkpoint"],
}


def test_the_list_has_all_outputs() -> None:
    found: dict[str, list[str]] = {}
    for name in names(app):
        command = app.get_command(click.Context(app), name.split()[0])
        for parameter in command.params if command is not None else []:
            if parameter.type is OUTPUT:
                found.setdefault(name, []).append(parameter.opts[0])
    assert {name: sorted(options) for name, options in found.items()} == {
        name: sorted(options) for name, options in OUTPUTS.items()
    }


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_output_is_written_through(
    name: str, words: Callable[..., list[str]], full: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = full.with_name("link")
    link.symlink_to(full)
    for option in OUTPUTS[name]:
        for path in (full, link):
            command = words(name)
            if option == "file":
                command[2] = str(path)
            assert main([*command, option, str(path)] if option != "file" else command) == 1
            out, err = capsys.readouterr()
            assert err.startswith(f"stier: {path}: ")
            assert err.count("\n") == 1
            if option != "--checkpoint":
                assert err == f"stier: {path}: {os.strerror(errno.ENOSPC)}\n"
                # The result is shown all the same.
                assert out or name == "replay"
            assert link.is_symlink()
            assert stat.S_ISCHR(full.stat().st_mode)
            text = link.with_name("text")
            link.unlink()
            link.symlink_to(text)
            command = [str(link) if word == str(path) else word for word in command]
            assert main([*command, option, str(link)] if option != "file" else command) == 0
            assert text.stat().st_size > 0
            assert link.is_symlink()
            capsys.readouterr()
            text.unlink()
            link.unlink()
            link.symlink_to(full)


@pytest.mark.usefixtures("quiet_end")
@pytest.mark.parametrize("name", ["pit", "schwingfest", "solve"])
def test_files_are_written_although_nothing_can_be_printed(
    name: str, words: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw: Any = Full(errno.ENOSPC)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "utf-8", write_through=True))
    assert cli.in_process([*words(name), OUTPUTS[name][0], str(tmp_path / "result")]) == 1
    assert (tmp_path / "result").stat().st_size > 0
    raw.write = len


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("name", COMMANDS)
def test_output_that_is_not_utf_8(
    name: str, encoding: str, words: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding, errors="strict"))
    assert cli.in_process(words(name)) == 0
    text = raw.getvalue().decode(encoding)
    assert text
    assert "?" not in text.replace("?, help", "").replace("'?'", "") or name in ("completion", "play", "rules")
    if name == "pit":
        assert ("+-" if encoding == "ascii" else "±") in text


def test_json_and_help_where_output_is_ascii(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for command in (["games", "--json"], ["train", "--help"], ["--help"], []):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii"))
        cli.in_process(command)
        text = raw.getvalue().decode("ascii")
        if "--json" in command:
            assert len(json.loads(text)) == len(stier.registered_names())
    path = tmp_path / "Zoë.policy"
    assert cli.in_process(["solve", "kuhn_poker", "--iterations", "2", "--save", str(path)]) == 0
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii"))
    assert cli.in_process(["pit", "kuhn_poker", str(path), "random", "--deals", "2", "--json"]) == 0
    assert [one["agent"] for one in json.loads(raw.getvalue())["agents"]] == [str(path), "random"]


def test_characters_that_an_encoding_lacks_are_replaced_by_similar_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii"))
    cli.in_process(["completion", "bash"])
    plain = {"0.5 ± 0.1": "0.5 +- 0.1", "╭─╮│█": "+-+|#", "Zoë, µs…": "Zoe, us...", "日\udcff": "??"}
    for text, expected in plain.items():
        assert text.encode("ascii", sys.stdout.errors or "").decode() == expected


#: Runs the command line, and tells when it answers Ctrl-C.
ANSWERING = """
import signal, sys
from stier.cli import main

def set_signal(*arguments):
    signal.signal = before
    before(*arguments)
    print("go", flush=True)

before, signal.signal = signal.signal, set_signal
sys.exit(main())
"""


def interrupted(*words: str, wait: float = 0.0, line: str = "", first: str = "") -> subprocess.CompletedProcess[str]:
    """Interrupts a command some seconds after it has begun to answer Ctrl-C, and has told a line that matches."""
    command = [sys.executable, "-c", first + ANSWERING, *words]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert process.stdout.readline() == "go\n"
            time.sleep(wait)
            assert not line or any(re.match(line, told) for told in process.stderr)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    return subprocess.CompletedProcess(command, process.returncode, out, err)


#: Makes a command tell its progress whenever there is some.
TELLING = "import stier._output; stier._output.PAUSE = 0.0\n"

unix = pytest.mark.skipif(sys.platform == "win32", reason="signals and descriptors are those of Unix")

#: Commands that run until they are interrupted, with files as in `COMMANDS`.
LONG = {
    "check-leak": "check-leak schwinget --games 1000000 --no-progress",
    "exploit": "exploit schwinget greedy --deals 1000000 --no-progress",
    "exploitability": "exploitability liars_dice ismcts:iterations=100000 --no-progress",
    "pit": "pit schwinget ismcts:iterations=5000 greedy --deals 100000 --no-progress",
    "play": "play schwinget --seed 1",
    "properties": "properties schwinget --deals 10000000 --no-progress",
    "replay": "replay FILE --agent ismcts:iterations=1000000000",
    "run": "run FILE.toml --out OUT --no-progress",
    "schwingfest": "schwingfest Zoë=ismcts:iterations=1000000 Ueli=random Kari=random",
    "solve": "solve leduc_poker --iterations 100000000 --no-progress",
    "train": "train kuhn_poker --steps 1000000000 --set hidden=16 --out OUT --no-progress",
    "web": "web --no-browser",
}
#: Commands that end in a moment, whatever they are given.
SHORT = {"agents", "completion", "games", "report", "rules"}


def test_every_command_is_long_or_short() -> None:
    assert sorted([*LONG, *SHORT]) == sorted(names(app))


@unix
@pytest.mark.parametrize("wait", [0, 0.2, 1])
@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_every_long_command(
    name: str, wait: float, words: Callable[..., list[str]], tmp_path: Path
) -> None:
    if name in ("run", "train"):
        pytest.importorskip("pyarrow" if name != "train" else "jax")
    page = f"import pathlib, stier.cli.web; stier.cli.web.PAGE = pathlib.Path({str(tmp_path)!r})"
    done = interrupted(*words(name, LONG), wait=wait, first=page if name == "web" else "")
    if done.returncode == 0:
        # At the prompt, the person leaves the game.
        assert name == "play"
        assert "You leave the game." in done.stdout
    else:
        assert (done.returncode, done.stderr) == (130, "stier: interrupted\n")


def test_ctrl_c_may_come_at_any_moment_while_the_streams_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atexit._run_exitfuncs", lambda: None)

    def interrupted_after(instructions: int) -> bool:
        """Interrupts `set_streams` after some instructions; False if it has fewer."""
        left = instructions

        def trace(frame: Any, event: str, _: object) -> Any:
            nonlocal left
            if frame.f_code is not _process.set_streams.__code__:
                return None
            frame.f_trace_opcodes = True
            left -= event == "opcode"
            if left < 0:
                raise KeyboardInterrupt
            return trace

        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            _process.set_streams()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    after = 0
    while interrupted_after(after):
        _process.end()
        after += 1
    assert after > 50
    monkeypatch.setattr(sys, "stdout", None)
    _process.end()


@unix
@pytest.mark.parametrize(("ranges", "keeps"), [(False, False), (False, True), (True, True)])
def test_an_interrupted_solve_tells_what_is_kept(ranges: bool, keeps: bool, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    command = ["solve", "leduc_poker", "--iterations", "100000000", *(["--checkpoint", str(kept)] if keeps else [])]
    command += ["--ranges"] if ranges else []
    done = interrupted(*command, line=r"[1-9][\d,]* of 100,000,000 iterations", first=TELLING)
    told = f"the iterations are in {kept}, and the same command continues"
    told = told if keeps else "nothing was kept; --checkpoint FILE keeps the iterations"
    assert (done.returncode, kept.exists()) == (130, keeps)
    assert re.search(rf"\bstopped after iteration \d+: {re.escape(told)}\nstier: interrupted\n$", done.stderr)


BEGIN = """
import gc, signal, sys, time
from stier import cli
from stier.cli import main

def interrupt():
    signal.raise_signal(signal.SIGINT)

def work(words):
    try:
        {work}
    finally:
        print("cleaned up", flush=True)

cli.in_process = work
sys.argv[1:] = []
sys.exit(main())
"""

#: Something that happens during an interrupt, with whether what the command cleans up is done.
MOMENTS = {
    "at work": ("interrupt(); time.sleep(20)", True),
    "where it is lost": (
        "gc.callbacks.append(lambda *_: gc.callbacks.clear() or interrupt()); gc.collect(); time.sleep(20)",
        True,
    ),
    "where it becomes another error": (
        "exec('try: interrupt()\\nexcept BaseException: raise ValueError from None')",
        True,
    ),
    "where the command gets an error": (
        "from stier.cli import _app; from stier import AgentError\n"
        "        class Unprintable:\n"
        "            def __del__(self): interrupt()\n"
        "        def fail(**_):\n"
        "            Unprintable()\n"
        "            raise AgentError('unknown')\n"
        "        _app.app.commands['games'].callback = fail\n"
        "        return _app.execute(['games'])",
        True,
    ),
    "in an import": (
        "sys.path.insert(0, {folder!r}); import interrupted",
        False,
    ),
    "twice at once": ("interrupt(); interrupt()", True),
    "where a library swallows it": ("exec('try: interrupt()\\nexcept BaseException: pass'); return 0", True),
    "twice, where handlers at the end wait": (
        "import atexit\n"
        "        atexit.register(lambda: (time.sleep(0.6), interrupt(), time.sleep(20), print('too late')))\n"
        "        interrupt()",
        True,
    ),
    "while it cleans up": (
        "exec('try: interrupt()\\nfinally: time.sleep(0.6); interrupt()')",
        False,
    ),
}


@unix
@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_is_answered_at_every_moment(moment: str, tmp_path: Path) -> None:
    work, cleans_up = MOMENTS[moment]
    (tmp_path / "interrupted.py").write_text(
        "from __main__ import interrupt\ntry:\n    interrupt()\nexcept BaseException:\n    pass\n"
    )
    command = [sys.executable, "-c", BEGIN.format(work=work.format(folder=str(tmp_path)))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "stier: interrupted\n")
    assert done.stdout == ("cleaned up\n" if cleans_up else "")


@unix
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_device_and_a_reader_that_goes_away(unbuffered: str, full: Path) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    for words in ("games", "--help"):
        command = [sys.executable, "-m", "stier", *words.split()]
        with full.open("wb") as out:
            done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, env=environment, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, f"stier: standard output: {os.strerror(errno.ENOSPC)}\n")
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as out:
            done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, env=environment, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@unix
def test_closed_streams() -> None:
    shell = ["bash", "-c", f"{sys.executable} -m stier games >&-"]
    done = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "stier: standard output is closed\n")
    shell = ["bash", "-c", f"{sys.executable} -m stier play kuhn_poker <&- 2>&-"]
    done = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "You leave the game." in done.stdout


def test_nothing_takes_time_before_ctrl_c_is_answered() -> None:
    code = "import sys; import stier.cli; print(*{'numpy', 'click', 'typing', 'stier._native'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
