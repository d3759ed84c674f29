"""What proves that a path was so when a prompt went out, as pure tables: times, devices, clocks, mounts."""

import os
import time
from pathlib import Path

import pytest

from acp_tui.host.snapshots import proof
from acp_tui.host.snapshots.path_state import (
    COARSE,
    FILE,
    FOLDER,
    IGNORED,
    KEPT,
    LATE,
    NESTED,
    NOTHING,
    TICK,
    UNKNOWN,
    Row,
    SnapshotTree,
    Stat,
)
from acp_tui.host.snapshots.proof import (
    STEP,
    CaptureReads,
    Proof,
    Read,
    Seen,
    Stamp,
    older,
    rows_before,
    rows_unknown,
    stamp_now,
    steady,
    unproved_in,
)
from acp_tui.host.snapshots.tree_walk import WalkResult

WALL = 1_700_000_000_500_000_000
OLD, NEW = WALL - TICK - 1, WALL - TICK + 1
STAMP = Stamp(100.0, WALL, 7_000, 1)
DIGEST = bytes(range(20))
KEPT_FILE = Row(FILE, KEPT, 0o100644, 3, DIGEST)
KEPT_FOLDER = Row(FOLDER, KEPT, 0o40755, 0, NOTHING)


def data(changed: int) -> Stat:
    return 0o100644, 3, 1, 1, changed


def proved(folders: dict[str, Seen], now: Stamp = STAMP, mounted: tuple[str, ...] = (), *, tells: bool = True) -> Proof:
    return Proof(STAMP, now, folders.get, mounted, tells=tells)


ALL_OLD = {"": (1, OLD), "a": (1, OLD), "a/b": (1, OLD)}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (OLD, True),
        (NEW, False),
        (WALL - TICK, False),
        (WALL + 5_000_000, False),
        (WALL - WALL % 10**9, False),  # half a second ago, by a file system that counts in seconds
        (WALL - WALL % 10**9 - COARSE, True),
    ],
)
def test_a_time_is_older_by_more_than_a_tick(changed: int, expected: bool) -> None:
    assert older(changed, STAMP) is expected


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (STAMP, True),
        (STAMP._replace(offset=STAMP.offset - STEP), True),
        (STAMP._replace(offset=STAMP.offset - STEP - 1), False),
        (STAMP._replace(offset=STAMP.offset + 3600 * 10**9), True),
        (STAMP._replace(mounts=2), False),
    ],
)
def test_a_clock_that_went_back_and_other_mounts_prove_nothing(now: Stamp, expected: bool) -> None:
    assert steady(STAMP, now) is expected
    assert proved(ALL_OLD, now).path("a/b/f", data(OLD)) is expected
    assert proved(ALL_OLD, now).absent("a/b/f") is expected
    assert proved(ALL_OLD, now).unchanged(data(OLD)) is expected


@pytest.mark.parametrize(
    ("folders", "changed", "expected"),
    [
        (ALL_OLD, OLD, True),
        (ALL_OLD, NEW, False),
        (ALL_OLD | {"a/b": (1, NEW)}, OLD, False),
        (ALL_OLD | {"a": (1, NEW)}, OLD, False),
        (ALL_OLD | {"": (1, NEW)}, OLD, False),
        (ALL_OLD | {"a": (2, OLD)}, OLD, False),
        ({"": (1, OLD), "a": (1, OLD)}, OLD, False),  # a/b is no folder any more
        ({}, OLD, False),
    ],
)
def test_a_path_is_proved_by_its_time_and_that_of_each_folder_above(
    folders: dict[str, Seen], changed: int, expected: bool
) -> None:
    assert proved(folders).path("a/b/f", data(changed)) is expected


def test_what_is_mounted_on_a_path_or_tells_no_times_is_not_proved() -> None:
    assert not proved(ALL_OLD, mounted=("a/b/f",)).path("a/b/f", data(OLD))
    assert not proved(ALL_OLD, tells=False).path("a/b/f", data(OLD))
    assert not proved(ALL_OLD, tells=False).folder("")


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        ({"": (1, OLD)}, True),
        ({"": (1, NEW)}, False),
        ({"": (1, NEW), "a": (1, OLD)}, False),
        ({"": (1, OLD), "a": (1, NEW)}, False),
        ({"": (1, OLD), "a": (1, OLD)}, True),
    ],
)
def test_a_path_was_not_there_if_the_nearest_folder_had_the_same_names(
    folders: dict[str, Seen], expected: bool
) -> None:
    assert proved(folders).absent("a/b/f") is expected


def found(paths: dict[str, int], folders: tuple[str, ...] = ("",), unknown: dict[str, int] | None = None) -> WalkResult:
    made = WalkResult()
    made.paths, made.stats = list(paths), [data(changed) for changed in paths.values()]
    made.folders = dict.fromkeys(folders, KEPT_FOLDER)
    made.unknown = {path: Row(UNKNOWN, reason, 0, 0, NOTHING) for path, reason in (unknown or {}).items()}
    return made


BEFORE, BEHIND = STAMP.monotonic - 1, STAMP.monotonic + 1
ROOT_NEW = {"": (1, NEW)}


@pytest.mark.parametrize(
    ("listed_at", "read", "known", "folders", "expected"),
    [
        (BEFORE, Read(BEFORE, data(NEW), as_listed=True), False, ROOT_NEW, {}),
        (BEFORE, Read(BEHIND, data(OLD), as_listed=True), False, ROOT_NEW, {}),  # the file that was listed
        (BEFORE, Read(BEHIND, data(NEW), as_listed=True), False, {"": (1, OLD)}, {"f": False}),
        (BEFORE, Read(BEHIND, data(OLD), as_listed=False), False, ROOT_NEW, {"f": True}),
        (BEFORE, Read(BEHIND, data(OLD), as_listed=False), False, {"": (1, OLD)}, {}),
        (BEFORE, Read(BEHIND, None, as_listed=False), False, {"": (1, OLD)}, {"f": False}),  # gone by then
        (BEFORE, None, False, ROOT_NEW, {}),
        (BEHIND, None, False, ROOT_NEW, {"f": True, "": False}),
        (BEHIND, None, True, ROOT_NEW, {"": False}),  # as at the last look
        (BEHIND, Read(BEHIND, data(OLD), as_listed=True), True, ROOT_NEW, {"f": True, "": False}),
        (BEHIND, Read(BEHIND, data(OLD), as_listed=True), False, {"": (1, OLD)}, {}),
    ],
)
def test_what_was_looked_at_late_and_is_not_proved(
    listed_at: float, read: Read | None, known: bool, folders: dict[str, Seen], expected: dict[str, bool]
) -> None:
    changed = OLD if read is None or read.data is None else read.data[4]
    looked = CaptureReads(found({"f": changed}), {} if read is None else {0: read}, (), listed_at, known)
    assert unproved_in(looked, proved(folders), STAMP) == expected


def test_what_may_be_left_out_only_since_then_is_not_proved() -> None:
    listing = found({".gitignore": NEW}, unknown={"out": IGNORED, "nested": NESTED, "old": NESTED})
    folders = {"": (1, OLD), "nested": (1, NEW), "old": (1, OLD)}
    looked = CaptureReads(listing, {}, ("gone",), BEHIND, known=False)
    assert unproved_in(looked, proved(folders), STAMP).keys() == {".gitignore", "out", "nested"}


def test_without_an_earlier_look_nothing_is_known_of_what_is_not_proved() -> None:
    ignored = Row(UNKNOWN, IGNORED, 0, 0, NOTHING)
    rows = {"f": KEPT_FILE, "d": KEPT_FOLDER, "out": ignored}
    assert dict(rows_unknown(rows, {"f": True, "d": False, "out": False, "gone": False})) == {
        "f": Row(UNKNOWN, LATE, KEPT_FILE.mode, KEPT_FILE.size, DIGEST),
        "d": Row(UNKNOWN, LATE, KEPT_FOLDER.mode, 0, NOTHING),
        "out": ignored,
        "gone": Row(UNKNOWN, LATE, 0, 0, NOTHING),
    }


def test_what_an_earlier_look_has_or_has_not_counts_where_something_is_not_proved() -> None:
    other, covered = KEPT_FILE._replace(size=4), Row(UNKNOWN, IGNORED, 0, 0, NOTHING)
    before = {"": KEPT_FOLDER, "f": KEPT_FILE, "d": KEPT_FOLDER, "d/gone": KEPT_FILE, "e": KEPT_FOLDER, "out": covered}
    before |= {"edited": KEPT_FILE, "same": KEPT_FILE, "d/hidden": covered}
    earlier = SnapshotTree(before | {"e/gone": KEPT_FILE})
    rows = {"": KEPT_FOLDER, "f": other, "new": other, "d": KEPT_FOLDER, "e": KEPT_FOLDER, "out/x": other}
    rows |= {"made": other, "edited": other, "same": KEPT_FILE}
    unproved = dict.fromkeys(["new", "made", "edited", "same"], True) | dict.fromkeys(["f", "d", "out/x"], False)
    late = dict(rows_before(rows, unproved, earlier, moved=["new"]))
    assert late == {
        "f": KEPT_FILE,
        "new": None,
        "d": KEPT_FOLDER,
        "made": Row(UNKNOWN, LATE, other.mode, other.size, other.digest),
        "edited": Row(UNKNOWN, LATE, other.mode, other.size, other.digest),
        "same": KEPT_FILE,
        "d/hidden": covered,
        "d/gone": KEPT_FILE,  # and not e/gone: that folder had the same names at the prompt
        "out/x": Row(UNKNOWN, LATE, other.mode, other.size, NOTHING),
    }


def test_a_stamp_has_the_clock_of_inodes(tmp_path: Path) -> None:
    """What is written behind it has no older time, but for less than the margin."""
    stamp = stamp_now(b"")
    (tmp_path / "f").write_text("")
    assert not older((tmp_path / "f").stat().st_ctime_ns, stamp)
    while not older((tmp_path / "f").stat().st_ctime_ns, stamp_now(b"")):
        os.sched_yield()
    assert steady(stamp, stamp_now(b""))
    assert not steady(stamp, stamp_now(b"mounted"))


def test_the_clocks_are_read_again_where_the_process_was_stopped_between_them(monkeypatch: pytest.MonkeyPatch) -> None:
    boot = iter([0, STEP, STEP, STEP, STEP, STEP])
    monkeypatch.setattr(proof, "_since_start", lambda: next(boot))
    monkeypatch.setattr(time, "time_ns", lambda: WALL)
    assert proof._offset() == WALL - STEP


def test_rules_that_leave_themselves_out_prove_nothing() -> None:
    looked = CaptureReads(found({}, unknown={".gitignore": IGNORED, "x": IGNORED}), {}, (), BEHIND, known=False)
    assert unproved_in(looked, proved({"": (1, OLD)}), STAMP).keys() == {".gitignore", "x"}
