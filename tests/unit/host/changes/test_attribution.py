"""Whose a change is: what calls name, when commands ran, and where change times prove nothing."""

from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.changes.attribution import EARLIER, LATER, Evidence, Named, Ran, TurnCalls, attributed, change_times
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, Who
from acp_tui.session.entries import ToolCallEntry
from tests.rows import each_of

ROOT = "/real/project"
FILE = PathState("file")
RAN = Ran(((10.0, 20.0),), ((10.0, 20.0), (30.0, 40.0)), 40.0)  # a command, then an edit


def change(path: str, old: str = "", after: PathState = FILE) -> PathChange:
    return PathChange(ROOT, path, "changed", FILE, after, old)


def who(of: PathChange, evidence: Evidence, when: float | None = None) -> tuple[Who, str]:
    (found,) = attributed([of], evidence, lambda _change: when)
    return found.who, found.tool_call


MINE, THEIRS = Named({(ROOT, "a"): "mine"}), Named({(ROOT, "a"): "theirs", (ROOT, "b"): "theirs"})


@each_of(
    ("of", "evidence", "when", "expected"),
    [
        (change("a"), Evidence(MINE, RAN, [THEIRS]), 35.0, "agent"),
        (change("a"), Evidence(MINE, RAN), 40.1, "afterwards"),
        (change("a"), Evidence(MINE, RAN), None, "agent"),  # the time proves nothing
        (change("new", "a"), Evidence(MINE, RAN), 35.0, "agent"),
        (change("b"), Evidence(MINE, RAN, [THEIRS]), 15.0, "session"),
        (change("b"), Evidence(MINE, RAN), 15.0, "command"),
        (change("b"), Evidence(MINE, RAN), 9.9, "unknown"),
        (change("b"), Evidence(MINE, RAN), 20.1, "unknown"),
        (change("b"), Evidence(MINE, RAN), 35.0, "unknown"),  # while an edit of another file ran
        (change("b", after=ABSENT), Evidence(MINE, RAN), 35.0, "command"),  # the edit moved its folder's time on
        (change("b"), Evidence(MINE, RAN), None, "command"),
        (change("b"), Evidence(MINE), None, "unknown"),  # no command ran
        (change("b"), Evidence(MINE, RAN, moved=[ROOT]), 15.0, "unknown"),  # a branch was switched, not by a command
        (change("b"), Evidence(MINE, Ran(RAN.spans, RAN.acts, 40.0, git=True), moved=[ROOT]), 15.0, "command"),
        (change(".state/x"), Evidence(MINE, RAN, own_folders=[".state"]), 15.0, "own"),
        (change(".state"), Evidence(MINE, RAN, own_folders=[".state"]), 15.0, "own"),
        (change(".statement"), Evidence(MINE, RAN, own_folders=[".state"]), 15.0, "command"),
        (change("a"), Evidence(MINE, RAN, own_folders=["a"]), 35.0, "agent"),  # a call names it: it is work
        (change(".state/x"), Evidence(Named(), no_calls=True), 15.0, "own"),
        (change(".old/x", old="x"), Evidence(Named(), no_calls=True), 15.0, "unknown"),  # no longer in the tree
        (change(".old/x", old=".old/y"), Evidence(Named(), no_calls=True), 15.0, "own"),
        (change(".env"), Evidence(Named(), no_calls=True), 15.0, "unknown"),
        (change(".github/x"), Evidence(Named(), no_calls=True), 15.0, "unknown"),
        (change("src/x"), Evidence(Named(), no_calls=True), 15.0, "unknown"),
    ],
)
def test_whose_a_change_is(of: PathChange, evidence: Evidence, when: float | None, expected: Who) -> None:
    assert who(of, evidence, when)[0] == expected


def test_the_call_that_names_it_is_told() -> None:
    assert who(change("new", "a"), Evidence(MINE)) == ("agent", "mine")


def call(kind: str, started: float, finished: float | None, **more: Any) -> ToolCallEntry:
    entry = ToolCallEntry(f"{kind}-{started}", kind=kind, status="in_progress", **more)
    entry.started_at, entry.finished_at = started, finished
    return entry


def ran(*calls: ToolCallEntry, heard_before: float = 0.0, background: Sequence[str] = ()) -> Ran:
    turn = TurnCalls()
    for each in calls:
        turn.add(ROOT, each, WALL, heard_before)
    return turn.ran(WALL, background)


WALL: Callable[[float], float] = lambda seconds: 1000.0 + seconds  # noqa: E731


@each_of(
    ("entry", "spans"),
    [
        (call("execute", 1.0, 3.0), [(1001.0 - EARLIER, 1003.0 + LATER)]),
        (call("execute", 1.0, None), [(1001.0 - EARLIER, inf)]),
        (call("other", 1.0, 3.0), [(1001.0 - EARLIER, 1003.0 + LATER)]),
        (call("newer_kind", 1.0, 3.0), [(1001.0 - EARLIER, 1003.0 + LATER)]),
        (call("execute", 1.0, 3.0, raw_input={"command": "x &", "run_in_background": True}), [(1001.0 - EARLIER, inf)]),
        (call("execute", 1.0, 3.0, raw_input={"isBackground": False}), [(1001.0 - EARLIER, 1003.0 + LATER)]),
        (call("execute", 1.0, 3.0, stopped="rejected"), []),
        (call("read", 1.0, 3.0), []),
        (call("think", 1.0, 3.0), []),
        (call("think", 1.0, 3.0, raw_input={"prompt": "a subagent's"}), [(1001.0 - EARLIER, 1003.0 + LATER)]),
        (call("think", 1.0, 3.0, raw_input={"agent": "a", "task": "b"}), [(1001.0 - EARLIER, 1003.0 + LATER)]),
        (call("edit", 1.0, 3.0, raw_input={"file_path": "a"}), []),
        (call("edit", 1.0, 3.0), [(1001.0 - EARLIER, 1003.0 + LATER)]),  # which says of no file what it does
    ],
)
def test_when_a_call_ran_that_may_do_more_than_it_names(entry: ToolCallEntry, spans: list[tuple[float, float]]) -> None:
    assert list(ran(entry).spans) == spans


def test_a_call_that_comes_as_done_began_after_the_update_before_it() -> None:
    assert (
        ran(
            call(
                "execute",
                9.0,
                9.0,
            ),
            heard_before=4.0,
        ).spans[0][0]
        == 1009.0 - EARLIER
    )
    done = call("execute", 9.0, 9.0)
    done.status = "completed"
    assert ran(done, heard_before=4.0).spans[0][0] == 1004.0 - EARLIER


def test_a_call_that_goes_on_in_the_background_has_no_end() -> None:
    entry = call("execute", 1.0, 2.0)
    assert ran(entry, background=[entry.id]).spans[0][1] == inf


def test_the_last_act_is_the_end_of_an_edit_or_a_write_through_us() -> None:
    turn = TurnCalls()
    turn.add(ROOT, call("edit", 1.0, 2.0, raw_input={"file_path": "a"}), WALL, 0.0)
    assert turn.ran(WALL).last == 1002.0 + LATER
    turn.wrote_at = 1007.0
    assert turn.ran(WALL).last == 1007.0 + LATER


def test_a_call_of_an_earlier_turn_of_which_more_comes_was_at_work_until_then() -> None:
    edit = call("edit", 1.0, 2.0, raw_input={"file_path": "a"})
    turn = TurnCalls(began=5.0)
    turn.add(ROOT, edit, WALL, 0.0, now=9.0)
    assert turn.ran(WALL).last == 1009.0 + LATER
    of_this_turn = TurnCalls(began=1.0)
    of_this_turn.add(ROOT, edit, WALL, 0.0, now=9.0)
    assert of_this_turn.ran(WALL).last == 1002.0 + LATER


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"command": "git switch main"}, True),
        ({"command": ["bash", "-c", "git pull"]}, True),
        ("git pull", True),
        ({"command": "make digits"}, False),
    ],
)
def test_whether_a_command_names_git(given: Any, *, names: bool) -> None:
    assert ran(call("execute", 1.0, 2.0, raw_input=given)).git is names


def test_the_change_time_of_what_is_gone_is_its_folders(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a").write_text("")
    times = change_times(str(tmp_path), proves=True)

    def at(path: str) -> float | None:
        return times(PathChange(str(tmp_path), path, "changed", FILE, FILE))

    assert at("d/a") == (tmp_path / "d/a").lstat().st_ctime
    assert at("d/b/c") == (tmp_path / "d").stat().st_ctime
    assert at("d/a/b") == (tmp_path / "d/a").stat().st_ctime
    assert at("nul\0") is None
    assert times(PathChange("/elsewhere", "a", "changed", FILE, FILE)) is None
    assert change_times(str(tmp_path), proves=False)(PathChange(str(tmp_path), "d/a", "changed", FILE, FILE)) is None


def test_what_a_command_moved_with_its_folder_is_its_work() -> None:
    """`mv src lib`: the times of all files in it stay as they were."""
    folder = PathChange(ROOT, "lib", "new", ABSENT, PathState("folder"))
    moved = PathChange(ROOT, "lib/deep/a", "renamed", FILE, FILE, "src/deep/a")
    beside = PathChange(ROOT, "other/a", "new", ABSENT, FILE)
    times = {"lib": 15.0, "lib/deep/a": 1.0, "other/a": 1.0}
    found = attributed([folder, moved, beside], Evidence(Named(), RAN), lambda each: times[each.path])
    assert [each.who for each in found] == ["command", "command", "unknown"]
    times["lib/deep/a"] = 25.0  # edited since
    found = attributed([folder, moved], Evidence(Named(), RAN), lambda each: times[each.path])
    assert [each.who for each in found] == ["command", "unknown"]
    found = attributed([folder, moved], Evidence(Named(), RAN), lambda _each: None)
    assert {each.who for each in found} == {"command"}
