"""The file of a store: whatever lies in its place, whoever else has it, and where the disk is full: words, no harm."""

import errno
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.host.revert.file_operations import FULL, why_not_kept
from acp_tui.host.snapshots import database
from acp_tui.host.snapshots.content import Content
from acp_tui.host.snapshots.database import ASIDE, FILE_NAME, Database, StoreFault


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "s"
    made.mkdir(mode=0o700)
    return made


def keep(folder: Path, data: bytes = b"x") -> str:
    return Content(Database(folder)).keep(data)


@pytest.mark.parametrize(
    "place",
    [
        os.mkfifo,
        lambda path: path.mkdir(),
        lambda path: path.symlink_to(path.with_name("other")),
    ],
    ids=["pipe", "folder", "link"],
)
def test_what_is_no_file_of_ours_is_refused_in_words(folder: Path, place: Callable[[Path], None]) -> None:
    place(folder / FILE_NAME)
    with pytest.raises(StoreFault, match="taken by something else"):
        keep(folder)
    assert not (folder / "other").exists()


@pytest.mark.parametrize("data", [b"garbage " * 5000, b"SQLite format 3\0" + bytes(5000)])
def test_garbage_is_put_aside_said_once_and_then_it_begins_anew(folder: Path, data: bytes) -> None:
    (folder / FILE_NAME).write_bytes(data)
    with pytest.raises(StoreFault, match="damaged"):
        keep(folder)
    (aside,) = folder.glob(f"{ASIDE}*")
    assert aside.read_bytes() == data
    assert Content(Database(folder)).get(keep(folder)) == b"x"


def test_a_file_that_is_cut_short_is_put_aside(folder: Path) -> None:
    keep(folder, os.urandom(200_000))
    os.truncate(folder / FILE_NAME, 50_000)
    with pytest.raises(StoreFault, match="damaged"):
        keep(folder, os.urandom(200_000))
    assert [*folder.glob(f"{ASIDE}*")]
    keep(folder)


def test_a_newer_one_is_left_alone(folder: Path) -> None:
    keep(folder)
    connection = sqlite3.connect(folder / FILE_NAME)
    connection.execute(f"PRAGMA user_version={database.VERSION + 1}")
    connection.close()
    before = (folder / FILE_NAME).read_bytes()
    with pytest.raises(StoreFault, match="newer acp-tui"):
        keep(folder)
    assert (folder / FILE_NAME).read_bytes() == before
    assert not [*folder.glob(f"{ASIDE}*")]


HOLDS = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


def test_one_that_another_program_holds_for_ever_is_said_to_be_in_use(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = keep(folder)
    monkeypatch.setattr(database, "LOCKED_FOR", 0.05)
    command = [sys.executable, "-c", HOLDS, str(folder / FILE_NAME)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        for act in (lambda: keep(folder, b"y"), lambda: Content(Database(folder)).get(kept)):
            with pytest.raises(StoreFault, match="in use"):
                act()
        holder.communicate()
    assert Content(Database(folder)).get(kept) == b"x"
    assert not [*folder.glob(f"{ASIDE}*")]


def test_a_full_disk_is_one_in_words_and_what_is_there_stays(folder: Path) -> None:
    full = Database(folder)
    first = Content(full).keep(b"first")
    with full.reading() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StoreFault, match="No space left") as fault:
        Content(full).keep(os.urandom(3 << 20))
    assert why_not_kept(fault.value) == FULL
    assert Content(full).get(first) == b"first"


def test_deleting_needs_no_room(folder: Path) -> None:
    """SQLite fills the disk with its journal; the second time there is none on it."""
    full, modes = Database(folder), list[str]()
    Content(full).keep(os.urandom(1000))

    def delete(connection: sqlite3.Connection) -> str:
        modes.append(connection.execute("PRAGMA journal_mode").fetchone()[0])
        if modes == ["truncate"]:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        connection.execute("DELETE FROM piece")
        return "done"

    assert full.deleting(delete) == "done"
    assert modes == ["truncate", "memory"]
    with full.reading() as connection:
        assert connection.execute("SELECT count(*) FROM piece").fetchone() == (0,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("truncate",)


def test_what_is_free_is_given_back_though_the_disk_is_full(folder: Path) -> None:
    full, failed = Database(folder), list[bool]()
    Content(full).keep(os.urandom(3 << 20))
    with full.writing() as connection:
        connection.execute("DELETE FROM piece")

    def give_back(connection: sqlite3.Connection) -> int:
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "truncate":
            failed.append(True)
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return give_some_back(connection)

    give_some_back = database._give_back
    with pytest.MonkeyPatch.context() as context:
        context.setattr(database, "_give_back", give_back)
        full.vacuum()
    assert failed
    assert (folder / FILE_NAME).stat().st_size < 1 << 20


@pytest.mark.parametrize("place", [os.mkfifo, lambda path: path.mkdir()], ids=["pipe", "folder"])
def test_what_is_in_the_place_of_its_journal_is_said(folder: Path, place: Callable[[Path], None]) -> None:
    keep(folder)
    journal = folder / f"{FILE_NAME}-journal"
    journal.unlink(missing_ok=True)
    place(journal)
    with pytest.raises(StoreFault, match="taken by something else"):
        keep(folder)


def test_a_damaged_one_that_was_put_aside_by_another_is_not_put_aside_again(folder: Path) -> None:
    late = Database(folder)
    Content(late).keep(b"damaged")
    (folder / FILE_NAME).rename(folder / "put aside by another")
    kept = keep(folder, b"begun anew")
    malformed = sqlite3.DatabaseError("malformed")
    malformed.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    with pytest.raises(StoreFault, match="damaged"), late._in_words():
        raise malformed
    assert Content(Database(folder)).get(kept) == b"begun anew"


def test_a_read_error_that_is_no_damage_drops_nothing(folder: Path) -> None:
    kept = keep(folder)
    broken = Database(folder)
    unreadable = sqlite3.OperationalError("disk I/O error")
    unreadable.sqlite_errorcode = sqlite3.SQLITE_IOERR
    with pytest.raises(StoreFault, match="cannot be used"), broken.reading():
        raise unreadable
    with pytest.raises(StoreFault, match="cannot be used"), broken.reading():
        raise OSError(errno.EIO, "Input/output error")
    assert Content(Database(folder)).get(kept) == b"x"


def test_a_place_that_cannot_be_written_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFault, match=r"Not a directory|File exists"):
        keep(tmp_path / "file" / "s")


def test_one_that_was_removed_or_replaced_is_opened_anew(folder: Path) -> None:
    open_all_the_time = Content(Database(folder))
    first = open_all_the_time.keep(b"first")
    (folder / FILE_NAME).rename(folder / "away")
    assert not open_all_the_time.has(first)
    second = open_all_the_time.keep(b"second")
    assert Content(Database(folder)).get(second) == b"second"


def test_who_only_reads_makes_no_file(tmp_path: Path) -> None:
    assert not Content(Database(tmp_path / "none")).has("00" * 20)
    assert not (tmp_path / "none").exists()


def test_the_settings_that_were_tried(folder: Path) -> None:
    keep(folder)
    names = ("page_size", "auto_vacuum", "journal_mode", "synchronous", "secure_delete")
    with Database(folder).reading() as connection:
        found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
    assert found == [16384, 2, "truncate", 2, 1]


def test_who_writes_a_snapshot_waits_for_longer_than_one_transaction(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCKED_FOR", -1.0)
    first = Database(folder).alone()
    first.__enter__()
    monkeypatch.setattr(time, "sleep", lambda _: first.__exit__(None, None, None))
    with Database(folder).alone():
        assert (folder / "lock").exists()


def test_the_first_look_of_many_programs_at_once(folder: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from acp_tui.host.snapshots.database import Database;"
        " from acp_tui.host.snapshots.content import Content; Content(Database(Path(sys.argv[1]))).keep(b'x')"
    )
    begun = [subprocess.Popen([sys.executable, "-c", script, str(folder)], stderr=subprocess.PIPE) for _ in range(10)]
    assert [(each.wait(60), each.communicate()[1]) for each in begun] == [(0, b"")] * 10
    assert len(Content(Database(folder)).digests()) == 1


def test_free_pages_are_given_back_many_in_a_transaction(folder: Path) -> None:
    kept = Database(folder)
    Content(kept).keep(os.urandom(3 << 20))
    with kept.writing() as connection:
        connection.execute("DELETE FROM piece")
    count = list[None]()
    kept.vacuum(lambda: count.append(None))
    with kept.reading() as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert len(count) < 10
