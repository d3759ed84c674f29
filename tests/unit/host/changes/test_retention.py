"""What is kept, by folder and session, and what is left of it when that is let go: not one byte."""

import os
import time
from pathlib import Path

import anyio
import pytest

from acp_tui.errors import UserFault
from acp_tui.host.changes.retention import (
    DAY,
    ORPHANED,
    KeptFolder,
    KeptSession,
    forget_session,
    kept_folders,
    outdated,
    past_changes,
    retain,
)
from acp_tui.host.config.preferences import SnapshotSettings
from acp_tui.host.snapshots.content import digest_of
from acp_tui.host.snapshots.database import ASIDE
from acp_tui.host.snapshots.path_state import PathState
from tests.unit.host.changes.kept_sessions import AGENT, KeptRun, bytes_below


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "shared").write_bytes(b"shared by both")
    return root


def turn(run: KeptRun, root: Path, name: str) -> None:
    run.look("prompt", 1)
    (root / name).write_bytes(os.urandom(500))
    run.look("ended", 1)


def names(run: KeptRun) -> set[str]:
    return {*run.store.names()}


def test_they_are_listed_by_folder_and_session_the_last_used_first(folder: Path) -> None:
    one, two = KeptRun(folder, "one", at=1), KeptRun(folder, "two", at=2)
    turn(one, folder, "a")
    turn(two, folder, "b")
    one.use(1_000)
    (found,) = kept_folders()
    assert (found.root, found.store) == (one.root, one.store.folder)
    assert [(each.agent, each.id, each.turns) for each in found.sessions] == [(AGENT, "two", 1), (AGENT, "one", 1)]
    assert found.sessions[1].used == 1_000
    assert found.size > 1_000


def test_a_session_that_goes_takes_its_bytes_along_and_leaves_those_of_others(folder: Path) -> None:
    one, two = KeptRun(folder, "one", at=1), KeptRun(folder, "two", at=2)
    turn(one, folder, "secret")
    secret = (folder / "secret").read_bytes()
    mine = names(one)
    (folder / "secret").unlink()
    turn(two, folder, "b")
    anyio.run(forget_session, AGENT, "one")
    assert not one.is_kept
    assert mine.isdisjoint(names(two))
    assert secret not in bytes_below(one.store.folder)
    (left,) = kept_folders()
    assert [each.id for each in left.sessions] == ["two"]
    past = anyio.run(past_changes, AGENT, "two")
    assert [file.path for file in anyio.run(past.between, past.points[0], past.points[1]).files] == ["b"]
    anyio.run(forget_session, AGENT, "two")
    assert names(two) == set()
    assert not two.store.content.digests()


def test_what_a_crash_has_left_goes_too_and_what_is_new_does_not(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = KeptRun(folder, "one")
    turn(run, folder, "a")
    known = names(run)
    other = KeptRun(folder, "two")
    with monkeypatch.context() as context:
        now = time.time_ns
        context.setattr(time, "time_ns", lambda: now() - int((ORPHANED + 60) * 1e9))
        other.store.hold([PathState("file", digest=other.store.keep(b"held long ago"))])
    new = other.look("ended", 1)
    with other.store.database.writing() as connection:
        connection.execute("DELETE FROM need WHERE run = ?", (other.run.name,))
    anyio.run(forget_session, AGENT, "nobody")
    assert names(run) == {*known, new}
    assert not run.store.has(digest_of(b"held long ago").hex())


def test_a_snapshot_that_a_session_ended_before_it_heard_of_goes_with_the_session(folder: Path) -> None:
    one, two = KeptRun(folder, "one"), KeptRun(folder, "two")
    turn(two, folder, "b")
    known = names(two)
    (folder / "secret").write_bytes(os.urandom(500))
    unheard = one.keep_unheard(), two.keep_unheard()
    anyio.run(forget_session, AGENT, "one")
    assert names(two) == {*known, unheard[1]}
    anyio.run(forget_session, AGENT, "two")
    assert not two.store.content.digests()


def test_the_settings_let_old_sessions_go_and_then_the_oldest_ones_while_it_is_too_much(folder: Path) -> None:
    now = time.time()
    for number, age in enumerate((40 * DAY, 2 * DAY, 1 * DAY, 0)):
        run = KeptRun(folder, f"{number}", at=number)
        turn(run, folder, f"{number}")
        run.use(now - age)
    assert anyio.run(retain, SnapshotSettings(days=30)) == 1
    assert anyio.run(retain, SnapshotSettings(days=30, store=1)) == 2
    (left,) = kept_folders()
    assert [each.id for each in left.sessions] == ["3"], "one that is in use stays"


def test_a_damaged_store_that_was_put_aside_goes_with_its_time(folder: Path) -> None:
    run = KeptRun(folder, "one")
    turn(run, folder, "a")
    aside = run.store.folder / f"{ASIDE}1.db"
    aside.write_bytes(b"secret")
    anyio.run(retain, SnapshotSettings(days=1))
    assert aside.exists()
    anyio.run(retain, SnapshotSettings(days=0))
    assert not aside.exists()


def test_days_count_from_the_last_use() -> None:
    sessions = [KeptSession("a", f"{days}", -days * DAY, 1, ()) for days in (1, 7, 8)]
    found = outdated([KeptFolder("/p", Path("/s"), 0, sessions)], 7, 0.0)
    assert [each.id for each in found] == ["7", "8"]


def test_a_session_without_snapshots_has_no_points(folder: Path) -> None:
    KeptRun(folder, "one")
    past = anyio.run(past_changes, AGENT, "one")
    assert list(past.points) == []
    with pytest.raises(UserFault):
        anyio.run(past.look)


def test_bytes_that_are_kept_are_private(folder: Path) -> None:
    run = KeptRun(folder, "one")
    turn(run, folder, "a")
    assert bytes_below(run.store.folder)
    for path in (run.store.folder, *run.store.folder.iterdir()):
        assert path.stat().st_mode & 0o077 == 0


def test_the_end_of_a_turn_in_which_the_program_was_killed_is_its_next_start(folder: Path) -> None:
    """Whose the changes are that came until then, nobody knows; what came later is nobody's turn."""
    first = KeptRun(folder, "one", at=1)
    first.look("prompt", 1)
    (folder / "in the turn").write_text("")
    again = KeptRun(folder, "one", at=2)
    again.look("opened")
    (folder / "later").write_text("")
    again.look("prompt", 1)
    past = anyio.run(past_changes, AGENT, "one")
    kinds = [(point.kind, point.turn) for point in past.points]
    assert kinds == [("prompt", 1), ("opened", 1), ("prompt", 2)]
    whole = anyio.run(past.between, past.points[0], past.points[2])
    assert {file.path: file.who for file in whole.files} == {"in the turn": "unknown", "later": "outside"}
