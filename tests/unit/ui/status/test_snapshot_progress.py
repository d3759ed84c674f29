"""How far the first snapshot is: words once it takes long, and none where something else needs the room."""

import pytest

from acp_tui.host.changes.snapshot_history import Progress
from acp_tui.host.config.preferences import SWITCHED_OFF
from acp_tui.ui.status.status_line import SHOWN_AFTER, SnapshotProgress, StatusLine
from acp_tui.views.status import Status
from tests.pilot.fake_changes import FakeChanges


def test_words() -> None:
    assert Progress(12_000, 50_000).words == "12,000 of 50,000 files"
    assert Progress(3, 0).words == "3 files"


def test_it_is_told_once_it_takes_longer_and_no_more_when_it_is_done() -> None:
    source, told, now = FakeChanges(), list[str](), [100.0]
    shown = SnapshotProgress(source, told.append, told.append, lambda: now[0])
    for seconds, progress in ((0.0, Progress(1, 9)), (SHOWN_AFTER, Progress(5, 9)), (0.1, None)):
        now[0] += seconds
        source.progress = progress
        source.changed()
    assert told == ["", "Taking a snapshot: 5 of 9 files", ""]
    shown.close()
    source.changed()
    assert len(told) == 3


@pytest.mark.parametrize(("room", "shown"), [(60, "Snapshot 5 files · esc cancel"), (20, "esc cancel")])
def test_it_stands_where_nothing_else_needs_the_room(room: int, shown: str) -> None:
    line = StatusLine(Status)
    line.say_aside("Snapshot 5 files")
    assert line._right(["esc cancel"], room).plain == shown


@pytest.mark.parametrize(
    ("off", "warned"), [("/home/me is large, so no snapshots are taken", 1), (SWITCHED_OFF.off, 0), ("", 0)]
)
def test_that_there_is_no_undo_is_said_once_but_to_who_has_switched_it_off(off: str, warned: int) -> None:
    source, told = FakeChanges(), list[str]()
    SnapshotProgress(source, lambda _words: None, told.append)
    source.off = off
    source.changed()
    source.changed()
    assert told == [f"Undo is not available here. {off}."] * warned


def test_it_is_not_said_of_an_agent_that_never_ran() -> None:
    source, told, runs = FakeChanges(), list[str](), list[bool]()
    progress = SnapshotProgress(source, lambda _words: None, told.append, runs=lambda: bool(runs))
    source.off = "No room"
    source.changed()
    assert told == []
    runs.append(True)
    progress.look()
    assert told == ["Undo is not available here. No room."]
