"""The current folder, and what is relative to it, where it is there and where it is gone."""

import os
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.system.paths import absolute_path, current_folder, real_path, written_path


@pytest.fixture
def gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own that is the current one, and does not exist any more."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    return folder


def test_what_is_relative_is_below_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/someone")
    assert current_folder() == tmp_path
    assert absolute_path("link/./a") == tmp_path / "link" / "a"
    assert real_path("link/../a") == real_path(tmp_path / "link").parent / "a"
    assert written_path("~/a") == Path("/home/someone/a")


@pytest.mark.usefixtures("gone")
@pytest.mark.parametrize("ask", [current_folder, lambda: absolute_path("a"), lambda: real_path("a")])
def test_a_current_folder_that_is_gone_is_said(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(UserFault, match="current folder no longer exists"):
        ask()


@pytest.mark.usefixtures("gone")
def test_it_does_not_matter_to_an_absolute_path(tmp_path: Path) -> None:
    assert absolute_path(tmp_path) == tmp_path
    assert real_path(tmp_path) == Path(os.path.realpath(tmp_path))


def test_the_home_folder_of_nobody_is_said() -> None:
    with pytest.raises(UserFault, match="~nobody-of-that-name: no such home folder"):
        written_path("~nobody-of-that-name")
