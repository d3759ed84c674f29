"""Tool calls: upserts, ends, and that nothing spins without an agent at work."""

from sys import intern
from uuid import uuid4

import pytest

from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.protocol.vocabulary.tool_calls import (
    TOOL_CALL_STATUSES,
    TOOL_KINDS,
    ContentItem,
    Diff,
    FileChange,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    TerminalReference,
    ToolCallContentChunk,
    ToolCallLocation,
)
from acp_tui.session.changes import EntryAdded, EntryChanged
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.export import plain, to_json, to_markdown
from acp_tui.session.facts import AgentGone, CancelRequested, Fact, PermissionAnswered, PermissionReceived
from acp_tui.session.folds.tool_calls import decide
from tests.rows import each_of
from tests.unit.session.speech import Told, idle, running, text, told, tool

ITEM = ContentItem(content=text("found"))


def call(one: Told, tool_call_id: str = "1") -> ToolCallEntry:
    return one.session.index.tool_calls[tool_call_id]


def test_the_first_update_creates() -> None:
    one = told()
    one.apply(running(), tool(title="Read", kind="read", status="in_progress", locations=[ToolCallLocation(path="/a")]))
    entry = call(one)
    assert (entry.title, entry.kind, entry.status, entry.sealed) == ("Read", "read", "in_progress", False)
    assert one.changes[-1] == EntryAdded(entry)


def test_later_updates_patch_what_they_name() -> None:
    one = told()
    one.apply(running(), tool(title="Read", kind="read"), tool(status="in_progress"))
    entry = call(one)
    assert (entry.title, entry.kind, entry.status, entry.version) == ("Read", "read", "in_progress", 1)
    assert one.changes[-1] == EntryChanged(entry)


def test_calls_share_the_words_that_the_spec_has() -> None:
    one = told()
    one.apply(running(), tool(kind="".join(("ed", "it")), status="".join(("comp", "leted"))))
    assert call(one).kind is next(kind for kind in TOOL_KINDS if kind == "edit")
    assert call(one).status is next(status for status in TOOL_CALL_STATUSES if status == "completed")


def test_no_word_of_an_agent_is_held_longer_than_its_call() -> None:
    kind, status = str(uuid4()), str(uuid4())
    one = told()
    one.apply(running(), tool(kind=kind, status=status))
    assert (call(one).kind, call(one).status) == (kind, status)
    for word in (kind, status):
        equal = "".join((word[:9], word[9:]))
        assert intern(equal) is equal, "the agent's own string was interned, which is for good on Python 3.12"


def test_null_clears_to_the_default() -> None:
    one = told()
    one.apply(running(), tool(title="Read", kind="read", status="in_progress", content=[ITEM], raw_input={"a": 1}))
    one.apply(tool(title=None, kind=None, status=None, content=None, raw_input=None))
    entry = call(one)
    assert (entry.title, entry.kind, entry.status, entry.content, entry.raw_input) == ("", "other", "pending", [], None)


def test_content_is_replaced_as_a_whole() -> None:
    one = told()
    one.apply(running(), tool(content=[ITEM, ITEM]), tool(content=[ITEM]))
    assert call(one).content == [ITEM]


def test_a_content_chunk_appends_and_may_come_first() -> None:
    one = told()
    one.apply(running(), ToolCallContentChunk(tool_call_id="1", content=ITEM))
    one.apply(ToolCallContentChunk(tool_call_id="1", content=TerminalReference(terminal_id="t")))
    assert [item.type for item in call(one).content] == ["content", "terminal"]
    assert one.session.index.terminal_references["t"] == {"1": call(one)}


def test_content_of_an_update_stays_the_updates_own() -> None:
    one, given = told(), [ITEM]
    one.apply(running(), tool(content=given), ToolCallContentChunk(tool_call_id="1", content=ITEM))
    assert (len(call(one).content), len(given)) == (2, 1)


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_a_finished_status_seals(status: str) -> None:
    one = told()
    one.apply(running(), tool())
    one.apply(tool(status=status), after=3)
    entry = call(one)
    assert (entry.sealed, entry.finished_at) == (True, 103)


@pytest.mark.parametrize("status", ["pending", "in_progress", "paused", "dreaming"])
def test_any_other_status_is_still_in_progress(status: str) -> None:
    one = told()
    one.apply(running(), tool(status=status))
    assert not call(one).sealed


def test_the_same_end_said_again_keeps_the_time() -> None:
    one = told()
    one.apply(running(), tool(status="completed"))
    one.apply(tool(status="completed"), after=9)
    assert call(one).finished_at == 100


def test_the_end_of_the_turn_stops_what_is_unfinished() -> None:
    one = told()
    one.apply(running(), tool(status="in_progress"))
    one.apply(idle(), after=4)
    entry = call(one)
    assert (entry.status, entry.sealed, entry.finished_at) == ("in_progress", True, 104)


def test_a_cancelled_turn_cancels_what_is_unfinished() -> None:
    one = told()
    one.apply(running(), tool(status="in_progress"), tool("2", status="completed"), idle("cancelled"))
    assert [call(one, "1").status, call(one, "2").status] == ["cancelled", "completed"]


def test_asking_to_cancel_marks_at_once() -> None:
    one = told()
    one.apply(running(), tool(status="in_progress"), CancelRequested())
    assert (call(one).status, call(one).sealed) == ("cancelled", True)


def test_updates_after_asking_to_cancel_are_still_taken() -> None:
    one = told()
    one.apply(running(), tool(status="in_progress"), CancelRequested(), tool(status="in_progress"))
    assert (call(one).status, call(one).sealed) == ("in_progress", False)
    one.apply(idle("cancelled"))
    assert (call(one).status, call(one).sealed) == ("cancelled", True)


def test_a_call_begun_without_a_turn_does_not_spin() -> None:
    one = told()
    one.apply(tool(status="pending"))
    assert call(one).sealed


def test_a_late_update_does_not_open_it_again() -> None:
    one = told()
    one.apply(running(), tool(), idle(), tool(status="in_progress", title="late"))
    assert (call(one).title, call(one).sealed) == ("late", True)


def test_the_same_id_in_a_later_turn_opens_again() -> None:
    one = told()
    one.apply(running(), tool(status="completed"), idle(), running(), tool(status="pending"))
    assert (call(one).sealed, call(one).finished_at) == (False, None)


def test_background_work_goes_on_after_the_turn() -> None:
    one = told()
    one.apply(running(), tool("1"), tool("2"))
    one.apply(idle(background=[{"type": "tool_call", "toolCallId": "2"}, {"type": "terminal", "terminalId": "x"}]))
    assert [call(one, "1").sealed, call(one, "2").sealed] == [True, False]
    one.apply(tool("2", status="completed"))
    assert call(one, "2").sealed


def test_the_agents_death_stops_background_work_too() -> None:
    one = told()
    one.apply(running(), tool("1"), idle(background=[{"type": "tool_call", "toolCallId": "1"}]), AgentGone("gone"))
    assert call(one).sealed


DIFF = Diff(path="/project/a.py", old_text="a = 1\n", new_text="a = 2\n")


def test_diffs_that_content_without_any_replaces_are_remembered() -> None:
    one = told()
    one.apply(running(), tool(content=[DIFF, ITEM]), tool(content=[ITEM]), tool(status="completed", content=[]))
    entry = call(one)
    assert (entry.content, entry.earlier_diffs) == ([], [DIFF])
    assert to_json(one.session)["entries"][0]["earlier_diffs"] == [plain(DIFF)]
    assert "+a = 2" in to_markdown(one.session)


def test_new_diffs_take_the_place_of_earlier_ones() -> None:
    one = told()
    newer = Diff(path="/project/b.py", new_text="b")
    one.apply(running(), tool(content=[DIFF]), tool(content=[ITEM]), tool(content=[newer]))
    assert (call(one).content, call(one).earlier_diffs) == ([newer], ())
    one.apply(tool(content=None))
    assert call(one).earlier_diffs == ()


@pytest.mark.parametrize(
    ("streamed", "kept"),
    [
        ('{"path": "/a", "content": "x"}', {"path": "/a", "content": "x"}),
        ('{"path": "/a", "con', None),
        ("[1]", None),
        ("{a}", None),
        ("{" + '"a":[' * 50_000 + "}", None),
        ("found it", None),
    ],
)
def test_input_that_was_streamed_as_text_stays_the_input(streamed: str, kept: object) -> None:
    one = told()
    one.apply(running(), tool(content=[ContentItem(content=text(streamed))]), tool(content=[ITEM]))
    assert call(one).raw_input == kept


def test_a_result_is_never_taken_for_the_input() -> None:
    one = told()
    result = ContentItem(content=text('{"found": 1}'))
    one.apply(running(), tool(content=[result]), tool(status="completed", content=[ITEM]))
    assert call(one).raw_input is None
    one.apply(tool("2", raw_input={"a": 1}, content=[result]), tool("2", content=[ITEM]))
    assert call(one, "2").raw_input == {"a": 1}


def asked(*kinds: str) -> PermissionReceived:
    options = [PermissionOption(option_id=kind, name=kind, kind=kind) for kind in kinds]
    subject = PermissionSubject(type="tool_call", tool_call=tool(), tool_call_id="1")
    return PermissionReceived(1, PermissionRequest(session_id="s", title="?", subject=subject, options=options))


def answered(kind: str | None, *updates: Update) -> tuple[str, str, bool]:
    """Status, what the user did and whether it is over, of a call that was asked for and answered so."""
    one = told()
    one.apply(running(), tool(title="rm x"), asked("allow_once", "allow_always", "reject_once", "reject_always", "new"))
    one.apply(PermissionAnswered(1, kind), *updates)
    entry = one.session.index.tool_calls["1"]
    return entry.status, entry.stopped, entry.sealed


@pytest.mark.parametrize("kind", ["allow_once", "allow_always"])
def test_an_allowed_call_runs_though_the_agent_does_not_report_it(kind: str) -> None:
    assert answered(kind) == ("in_progress", "", False)
    assert answered(kind, tool(status="failed")) == ("failed", "", True)
    assert answered(kind, idle()) == ("in_progress", "", True)


def test_the_time_of_an_allowed_call_is_counted_from_the_answer() -> None:
    one = told()
    one.apply(running(), tool(title="rm x"), asked("allow_once"))
    one.apply(PermissionAnswered(1, "allow_once"), after=30)
    one.apply(tool(status="completed"), after=2)
    entry = one.session.index.tool_calls["1"]
    assert (entry.started_at, entry.finished_at) == (130, 132)


@pytest.mark.parametrize("kind", ["reject_once", "reject_always"])
def test_a_rejected_call_is_over_whatever_the_agent_makes_of_it(kind: str) -> None:
    for reported in ([], [tool(status="failed")], [tool(status="completed")], [idle()], [idle("cancelled")]):
        assert answered(kind, *reported) == ("cancelled", "rejected", True)


def test_a_rejected_call_with_which_the_agent_goes_on_is_a_call_again() -> None:
    assert answered("reject_once", tool(status="in_progress"))[0] == "in_progress"
    assert answered("reject_once", tool(status="in_progress"), tool(status="completed")) == ("completed", "", True)


def test_a_rejected_call_that_is_reported_as_running_before_it_fails_was_rejected() -> None:
    reported = tool(status="in_progress"), tool(status="failed")
    assert answered("reject_once", *reported) == ("cancelled", "rejected", True)


@pytest.mark.parametrize("kind", ["new", None, "never offered"])
def test_an_answer_of_another_kind_changes_no_call(kind: str | None) -> None:
    assert answered(kind) == ("pending", "", False)


def test_a_finished_call_is_not_begun_by_a_late_answer() -> None:
    one = told()
    one.apply(running(), tool(title="rm x"), asked("allow_once"), tool(status="completed"))
    one.apply(PermissionAnswered(1, "allow_once"))
    assert one.session.index.tool_calls["1"].status == "completed"


def test_a_call_that_failed_since_the_user_cancelled_was_cancelled() -> None:
    def reported(*statuses: str) -> tuple[str, str]:
        one = told()
        one.apply(running(), tool(status="in_progress"), CancelRequested())
        one.apply(*(tool(status=status) for status in statuses), idle("cancelled"))
        entry = one.session.index.tool_calls["1"]
        return entry.status, entry.stopped

    assert reported() == reported("failed") == reported("in_progress", "failed") == ("cancelled", "cancelled")
    assert reported("completed") == ("completed", "")


def test_the_same_call_in_a_later_turn_may_fail_by_itself() -> None:
    one = told()
    one.apply(running(), tool(status="in_progress"), CancelRequested(), idle("cancelled"))
    one.apply(running(), tool(status="in_progress"), tool(status="failed"))
    assert one.session.index.tool_calls["1"].status == "failed"


def test_an_allowed_call_that_is_announced_again_still_runs() -> None:
    one = told()
    one.apply(
        running(),
        tool(status="pending"),
        asked("allow_once"),
        PermissionAnswered(1, "allow_once"),
        tool(status="pending"),
    )
    assert call(one).status == "in_progress"
    one.apply(tool(status="failed"))
    assert call(one).status == "failed"


def test_a_call_that_nobody_allowed_is_pending_where_its_agent_says_so() -> None:
    one = told()
    one.apply(running(), tool(status="in_progress"), tool(status="pending"))
    assert call(one).status == "pending"


def long_patch(lines: int) -> str:
    return "--- a/x\n+++ b/x\n" + "@@ -1 +1 @@\n-old\n+new\n" * lines


def test_a_long_patch_that_grows_is_not_read_for_each_bit_of_it() -> None:
    one = told()
    one.apply(running())
    read = 0
    for lines in range(4_000, 8_000, 100):
        one.apply(tool(raw_input={"patch": long_patch(lines)}))
        read += bool(call(one).patches)
    assert read < 8


ENDS: list[Update | Fact] = [
    tool(status="in_progress"),
    tool(status="completed"),
    tool(kind="edit"),
    idle("end_turn"),
    AgentGone("gone"),
]


@each_of("end", ENDS)
def test_a_long_patch_that_grew_is_read_in_the_end(end: Update | Fact) -> None:
    one = told()
    one.apply(
        running(), tool(raw_input={"patch": long_patch(4_000)}), tool(raw_input={"patch": long_patch(4_001)}), end
    )
    (diff,) = call(one).patches
    assert diff.patch is not None
    assert diff.patch.text.count("@@ -1 +1 @@") == 4_001


def test_a_long_patch_that_grew_is_read_once_it_is_allowed() -> None:
    one = told()
    one.apply(running(), *(tool(raw_input={"patch": long_patch(lines)}) for lines in (4_000, 4_001)))
    decide(one.session, call(one), "allow_once")
    assert len(call(one).patches) == 1


def test_a_patch_is_not_read_again_for_what_comes_out() -> None:
    one = told()
    one.apply(running(), tool(raw_input={"patch": long_patch(2)}))
    before = call(one).patches
    one.apply(tool(content=[ITEM]), tool(content=[ITEM, ITEM], raw_input={"patch": long_patch(2)}))
    assert call(one).patches is before


WHOLE = Diff(path="/project/a.py", old_text="one\ntwo\nthree\n", new_text="one\n2\nthree\n")


def test_paths_are_those_of_the_sessions_folder() -> None:
    """The part that replaces a whole diff is known to be of the same file, however the agent names it."""
    one = told()
    one.apply(running(), tool(kind="edit", locations=[ToolCallLocation(path="./a.py", line=2)], content=[WHOLE]))
    one.apply(tool(status="completed", content=[Diff(path="a.py", old_text="two", new_text="2")]))
    entry = call(one)
    assert entry.locations[0].path == "/project/a.py"
    assert [item.path for item in entry.content if isinstance(item, Diff)] == ["/project/a.py"]
    assert entry.earlier_diffs == [WHOLE]


def test_paths_of_later_items_and_of_changes_are_resolved_and_addresses_are_not() -> None:
    one = told()
    moved = Diff(changes=[FileChange(operation="move", path="b.py", old_path="sub/../a.py")])
    one.apply(running(), tool(locations=[ToolCallLocation(path=path) for path in ("~/a", "https://x/a", "")]))
    one.apply(ToolCallContentChunk(tool_call_id="1", content=moved))
    assert [location.path for location in call(one).locations] == ["~/a", "https://x/a", ""]
    assert (moved.changes or [])[0].path == "/project/b.py"
    assert (moved.changes or [])[0].old_path == "/project/a.py"
