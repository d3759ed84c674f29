"""What is kept for the user alone: folders and files that nobody else can look into, written whole or not at all."""

import os
from pathlib import Path

import pytest

from acp_tui.host.store.folders import private_folder, write_private

posix = pytest.mark.skipif(os.name == "nt", reason="files have no modes")


@posix
def test_parents_are_as_private_as_the_folder(tmp_path: Path) -> None:
    private_folder(tmp_path / "state" / "acp-tui" / "choices")
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("state", "state/acp-tui", "state/acp-tui/choices")]
    assert modes == [0o700] * 3
    assert private_folder(tmp_path) == tmp_path


@posix
def test_a_file_is_private_even_where_it_was_not(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "view.json"
    path.parent.mkdir()
    path.write_text("before")
    path.chmod(0o644)
    write_private(path, b"after")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"after", 0o600)


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken" / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="taken"):
        write_private(tmp_path / "taken", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
