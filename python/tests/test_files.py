"""Files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

from stier._files import write, write_text


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
