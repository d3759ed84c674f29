"""What is told of the folders of a session elsewhere, and which answers there are."""

from pathlib import Path

import pytest

from acp_tui.ui.sessions.past_session_actions import FoldersQuestion, described
from tests.rows import each_of

LONG = "/ " + "x" * 600


@each_of(
    ("folder", "told"),
    [
        ("../no-such-folder", "  (not an absolute path, does not exist)"),
        ("/", "  (every file on this machine)"),
        ("/nope", "  (does not exist)"),
        ("/etc", ""),
    ],
)
def test_folders_that_are_odd_are_named_as_what_they_are(folder: str, told: str) -> None:
    assert described(folder) == (folder, told)


def test_a_link_and_the_home_folder_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    link = tmp_path / "link"
    link.symlink_to("/etc")
    assert described(str(link)) == (str(link), "  (links to /etc)")
    assert described(str(tmp_path)) == (str(tmp_path), "  (your home folder)")


@each_of(
    ("folders", "answers", "said"),
    [
        (["/"], ["no", "here", "there"], "! /  (every file on this machine)"),
        (["../no-such-folder"], ["no", "here"], "! ../no-such-folder  (not an absolute path, does not exist)"),
        ([LONG], ["no", "here"], "! 1 folder: too many or too long to show"),
        (["/etc"] * 11, ["no", "here"], "! 11 folders: too many or too long to show"),
    ],
)
def test_what_cannot_be_read_or_is_not_absolute_is_not_opened(
    folders: list[str], answers: list[str], said: str
) -> None:
    question = FoldersQuestion("/project", list(map(described, folders)))
    assert [row.value for row, _ in question._rows] == answers
    assert said in question._details
