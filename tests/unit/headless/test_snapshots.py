"""`acp-tui snapshots`: the list, and what a question stands before."""

import sys
from pathlib import Path

import pytest

from acp_tui import cli
from acp_tui.errors import UserFault
from acp_tui.headless import snapshot_commands
from acp_tui.headless.snapshot_commands import PruneSelection, chosen, table
from acp_tui.host.changes.retention import DAY, KeptFolder, KeptSession, kept_folders
from acp_tui.host.config.preferences import SnapshotSettings
from tests.unit.host.changes.kept_sessions import KeptRun

NOW = 100 * DAY
SESSIONS = [
    KeptSession("Claude Agent", "4f2a11", NOW - DAY, 3, ()),
    KeptSession("Claude Agent", "4f2b", NOW - 9 * DAY, 1, ()),
    KeptSession("Other", "4f2b", NOW - 40 * DAY, 1, ()),
]
FOLDERS = [KeptFolder("/p\x1b", Path("/s"), 87_200_000, SESSIONS)]


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        (PruneSelection(), ["4f2b"]),
        (PruneSelection(older_than=7), ["4f2b", "4f2b"]),
        (PruneSelection(older_than=0), ["4f2a11", "4f2b", "4f2b"]),
        (PruneSelection(all=True), ["4f2a11", "4f2b", "4f2b"]),
        (PruneSelection("4f2a"), ["4f2a11"]),
    ],
)
def test_which_sessions_are_meant(asked: PruneSelection, ids: list[str]) -> None:
    assert [each.id for each in chosen(FOLDERS, asked, SnapshotSettings(), NOW)] == ids


@pytest.mark.parametrize(
    ("start", "title"), [("x", "No session with snapshots"), ("4f2", "Several"), ("4f2b", "Several")]
)
def test_none_or_several_are_said(start: str, title: str) -> None:
    with pytest.raises(UserFault, match=title):
        chosen(FOLDERS, PruneSelection(start), SnapshotSettings(), NOW)


def test_the_list_has_sizes_times_turns_and_titles() -> None:
    lines = table(FOLDERS, {("Claude Agent", "4f2a11"): "Fix the\nlogin"})
    assert lines[0] == "/p␛  87.2 MB"
    assert lines[1].split("  ")[2:] == ["4f2a11", "3 turns", "Claude Agent", "Fix the ⏎ login"]
    assert lines[2].split()[2:] == ["4f2b", "1", "turn", "Claude", "Agent"]
    assert lines[-1] == "87.2 MB in 1 folder. Sessions in the same folder share identical files."
    assert table([], {}) == ["No snapshots."]


def test_many_sessions_are_counted() -> None:
    many = KeptFolder("/p", Path("/s"), 12, SESSIONS * 10)
    assert "  and 10 more" in table([many], {})


@pytest.fixture
def run(tmp_path: Path) -> KeptRun:
    (tmp_path / "project").mkdir()
    kept = KeptRun(tmp_path / "project", "4f2a11")
    kept.look("prompt", 1)
    return kept


def test_nobody_is_asked_where_there_is_no_terminal_and_nothing_is_deleted(
    run: KeptRun, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["snapshots", "prune", "--all"]) == 2
    assert "--yes" in capfd.readouterr().err
    assert len(kept_folders()[0].sessions) == 1


def test_no_is_the_answer_where_the_user_does_not_agree(
    run: KeptRun, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(snapshot_commands, "agreed", lambda _question: False)
    assert cli.main(["snapshots", "prune", "--all"]) == 1
    assert "Nothing was deleted." in capfd.readouterr().out
    assert len(kept_folders()[0].sessions) == 1


def test_what_was_agreed_to_is_deleted_and_said(run: KeptRun, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["snapshots"]) == 0
    said = capfd.readouterr().out
    assert "4f2a11" in said
    assert "unused for 30 days (snapshot_days) are deleted, then the oldest above 4,096 MB (snapshot_store_mb)" in said
    assert cli.main(["snapshots", "prune", "4f2a", "--yes"]) == 0
    assert "Deleted the snapshots of 1 session" in capfd.readouterr().out
    assert cli.main(["snapshots"]) == 0
    assert capfd.readouterr().out == "No snapshots.\n"
    assert cli.main(["snapshots", "prune", "--yes"]) == 0
    assert capfd.readouterr().out == "Nothing to delete.\n"


def test_what_the_settings_do_not_keep_goes_without_further_words(
    run: KeptRun, capfd: pytest.CaptureFixture[str]
) -> None:
    run.use(1)
    assert cli.main(["snapshots", "prune", "--yes"]) == 0
    assert "1 session" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["snapshots", "--all"], "These options work only with prune"),
        (["snapshots", "4f2a"], "'4f2a' is not 'prune'"),
        (["snapshots", "prune", "--all", "--older-than", "3"], "cannot be combined with"),
        (["snapshots", "prune", "4f2a", "--all"], "cannot be combined with"),
        (["snapshots", "prune", "--older-than", "x"], "is not a number of days"),
    ],
)
def test_wrong_words_are_said(words: list[str], told: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 2
    assert told in capfd.readouterr().err


def test_what_takes_too_much_goes_the_oldest_first(
    run: KeptRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = KeptRun(tmp_path / "project", "later", at=2)
    other.look("prompt", 1)
    run.use(NOW)
    asked, settings = PruneSelection(yes=True), SnapshotSettings(store=1, days=100_000)
    assert snapshot_commands.prune(asked, settings) == 0
    assert "Deleted the snapshots of 1 session, " in capfd.readouterr().out
    assert [each.id for each in kept_folders()[0].sessions] == ["later"]
