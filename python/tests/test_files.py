"""Files that are there whole or not at all, and what else can stand at the place of a file."""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import stier
from stier import _files
from stier._files import write, write_bytes, write_text
from stier.errors import FileError
from stier.network import Network


def test_writes_of_one_file_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "file"

    def outer(temporary: Path) -> None:
        temporary.write_text("outer", encoding="utf-8")
        # While one call writes, as on another thread, a second one begins and ends.
        write_text(path, "inner")
        assert path.read_text(encoding="utf-8") == "inner"

    write(path, outer)
    assert path.read_text(encoding="utf-8") == "outer"
    assert list(tmp_path.iterdir()) == [path]


#: Everything that writes a file.
WRITERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: write_text(path, "content"),
    "bytes": lambda path: write_bytes(path, b"content"),
    "solution": lambda path: stier.solve("kuhn_poker", iterations=1).save(path),
    "network": lambda path: Network.random(stier.load_game("kuhn_poker"), hidden=(2,), seed=0).save(path),
    "ONNX": lambda path: Network.random(stier.load_game("kuhn_poker"), hidden=(2,), seed=0).to_onnx(path),
}
unix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and devices are those of Unix")


@unix
@pytest.mark.parametrize("writer", WRITERS)
def test_links_stay_and_pipes_are_written_to(writer: str, tmp_path: Path) -> None:
    file, link, pipe, missing = (tmp_path / name for name in ("file", "link", "pipe", "missing"))
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to("file")
    WRITERS[writer](link)
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    content = file.read_bytes()
    assert content != b"old"
    link.unlink()
    link.symlink_to("missing")
    WRITERS[writer](link)
    assert link.is_symlink()
    assert len(missing.read_bytes()) == len(content)
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    WRITERS[writer](pipe)
    reader.join()
    assert len(read[0]) == len(content)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert {path.name for path in tmp_path.iterdir()} == {"file", "link", "missing", "pipe"}


@pytest.mark.parametrize("writer", WRITERS)
def test_devices_are_written_to(writer: str, full: Path) -> None:
    with pytest.raises(FileError) as raised:
        WRITERS[writer](full)
    assert raised.value.errno == errno.ENOSPC
    assert raised.value.filename == str(full)
    assert stat.S_ISCHR(full.stat().st_mode)


@unix
@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_is_an_error_about_the_file(writer: str, tmp_path: Path) -> None:
    """Files may not grow, which is reported when they are written to, without a name."""
    import resource

    path = tmp_path / "file"
    path.write_bytes(b"old")
    WRITERS[writer](tmp_path / "once")  # so that all is imported
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, limit[1]))
    try:
        with pytest.raises(FileError, match="File too large") as raised:
            WRITERS[writer](path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert str(path) in str(raised.value)
    assert _files.UNFINISHED not in str(raised.value)
    assert path.read_bytes() == b"old"
    assert {one.name for one in tmp_path.iterdir()} == {"file", "once"}


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "[Errno 28] No space left on device: '{path}'"),
        (OSError("Error writing bytes to file"), "{path}: Error writing bytes to file"),
        (PermissionError(errno.EACCES, "Permission denied", "other"), "[Errno 13] Permission denied: 'other'"),
    ],
)
def test_errors_name_the_file(error: OSError, text: str, tmp_path: Path) -> None:
    path = tmp_path / "file"

    def fail(temporary: Path) -> None:
        temporary.write_text("half")
        raise error

    with pytest.raises(FileError) as raised:
        write(path, fail)
    assert str(raised.value) == text.format(path=path)
    assert list(tmp_path.iterdir()) == []


def test_the_tilde_is_the_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    game = stier.load_game("kuhn_poker")
    network = Network.random(game, hidden=(2,), seed=0)
    network.save("~/net")
    assert (Network.load("~/net").policy[0] == network.policy[0]).all()
    network.to_onnx("~/net.onnx")
    stier.solve(game, iterations=1, checkpoint="~/checkpoint").save(tmp_path / "policy")
    assert stier.solving.load_solution("~/policy").game == game
    assert {path.name for path in tmp_path.iterdir()} == {"net", "net.onnx", "checkpoint", "policy"}
    assert _files.as_path("~nobody-has-this-name/x") == Path("~nobody-has-this-name/x")


@unix
def test_checkpoints_are_regular_files(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    with pytest.raises(FileError, match="pipe: must be a regular file"):
        stier.solve("kuhn_poker", iterations=1, checkpoint=pipe)
    link.symlink_to("file")
    stier.solve("kuhn_poker", iterations=1, checkpoint=link)
    assert link.is_symlink()
    assert (tmp_path / "file").is_file()
