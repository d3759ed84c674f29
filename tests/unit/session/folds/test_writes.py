"""Files that were written for the agent: counted by file, and shown by the tool call that wrote them."""

from typing import Any

import pytest

from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    FileChange,
    PermissionRequest,
    PermissionSubject,
    ToolCallLocation,
)
from acp_tui.session.changes import Change, EntryAdded, EntryChanged, FileChanged
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.export import plain, to_json, to_markdown
from acp_tui.session.facts import FileWritten, PermissionAnswered, PermissionReceived
from acp_tui.session.folds import file_changes
from acp_tui.session.folds.file_changes import NAME
from acp_tui.session.state import Session
from acp_tui.session.tools.patches import diffs_of, is_written_here
from tests.unit.session.speech import Told, idle, running, say, text, told, tool


def test_writes_to_one_file_are_added_up_and_the_last_is_last() -> None:
    session = Session("s", "/p")
    changes: list[Change] = []
    session.subscribe(changes.append)
    session.apply(FileWritten("/p/a", 3, 0, 1, created=True))
    session.apply(FileWritten("/p/b", 1, 1, 4))
    session.apply(FileWritten("/p/a", 1, 2, 2))
    assert list(session.index.writes.values()) == [
        FileWritten("/p/b", 1, 1, 4),
        FileWritten("/p/a", 4, 2, 2, created=True),
    ]
    assert changes == [FileChanged("/p/a"), FileChanged("/p/b"), FileChanged("/p/a")]


def written(old: str | None, new: str, path: str = "/project/a") -> FileWritten:
    return FileWritten(path, 1, 0, 1, created=old is None, diff=Diff(path=path, old_text=old, new_text=new))


TOO_LONG = FileWritten("/project/a", 1, 0, 1, diff=Diff(changes=[FileChange(operation="modify", path="/project/a")]))


def shown(one: Told, tool_call_id: str = "1") -> list[tuple[str | None, str | None]]:
    return [(diff.old_text, diff.new_text) for diff in diffs_of(one.session.index.tool_calls[tool_call_id])]


@pytest.mark.parametrize(
    "named",
    [
        {"locations": [ToolCallLocation(path="/project/./a")]},
        {"raw_input": {"file_path": "/project/a", "content": "new"}},
        {"raw_input": {"path": "a"}},
        {"title": "Writing `/project/a`"},
    ],
)
def test_a_call_that_names_the_file_and_tells_no_diff_shows_what_was_written(named: dict[str, Any]) -> None:
    one = told()
    one.apply(running(), tool(status="in_progress", **named), written(None, "new"))
    entry = one.session.index.tool_calls["1"]
    assert (shown(one), entry.content) == ([(None, "new")], [])
    assert one.changes[-1] == EntryChanged(entry)
    one.apply(tool(status="completed", content=[ContentItem(content=text("Wrote 3 bytes"))]))
    assert shown(one) == [(None, "new")]


def test_what_is_shown_of_a_write_is_exported() -> None:
    one = told()
    one.apply(running(), tool(title="/project/a"), written("old\n", "new\n"), tool(status="completed"))
    assert to_json(one.session)["entries"][0]["written"] == [plain(written("old\n", "new\n").diff)]
    assert "Written to disk:" in to_markdown(one.session)
    assert "-old\n+new\n" in to_markdown(one.session)


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_agents_own_diffs_are_shown_instead(when: str) -> None:
    one, own = told(), Diff(path="/project/a", old_text="b", new_text="c")
    one.apply(running(), tool(title="/project/a", content=[own] if when == "before" else []))
    one.apply(written("b", "c and all around"), tool(status="completed", content=[own]))
    assert shown(one) == [("b", "c")]
    assert "Written to disk" not in to_markdown(one.session)


@pytest.mark.parametrize(
    "other",
    [
        {"title": "/project/b", "raw_input": {"path": "/project/b"}},
        {"title": "/project/a", "status": "completed"},
        {"title": "a"},
    ],
)
def test_calls_that_are_over_or_about_other_files_show_nothing_of_it(other: dict[str, Any]) -> None:
    one = told()
    one.apply(running(), tool(**other), written(None, "new"))
    assert shown(one) == []


def test_of_several_calls_the_one_that_runs_shows_it() -> None:
    one = told()
    for number, status in (("1", "pending"), ("2", "in_progress"), ("3", "in_progress")):
        one.apply(running(), tool(number, title="/project/a", status=status))
    one.apply(written(None, "new"))
    assert [len(shown(one, number)) for number in "123"] == [0, 1, 0]


def test_a_call_that_waits_for_the_user_has_written_nothing() -> None:
    one = told()
    subject = PermissionSubject(type="tool_call", tool_call=tool(title="/project/a"))
    request = PermissionRequest(session_id="s", title="?", subject=subject, options=[])
    one.apply(running(), tool(title="/project/a"), PermissionReceived(1, request), written(None, "new"))
    assert shown(one) == []
    one.apply(PermissionAnswered(1, "yes"), written(None, "new"))
    assert shown(one) == [(None, "new")]


def test_several_writes_of_one_call_are_one_diff_for_each_file() -> None:
    one = told()
    one.apply(running(), tool(title="/project/a /project/b"))
    one.apply(written("1", "2"), written(None, "b", "/project/b"), written("2", "3"))
    assert shown(one) == [(None, "b"), ("1", "3")]
    one.apply(TOO_LONG)
    assert shown(one) == [(None, "b"), (None, None)]
    one.apply(written("3", "4"))
    assert shown(one) == [(None, "b"), (None, None)]  # one of two steps would not be what was written


@pytest.mark.parametrize(("before", "operation"), [(None, "add"), ("0", "modify")])
def test_of_a_file_that_grew_too_long_it_is_told_whether_it_is_new(before: str | None, operation: str) -> None:
    one = told()
    one.apply(running(), tool(title="/project/a"), written(before, "1"), TOO_LONG)
    [diff] = diffs_of(one.session.index.tool_calls["1"])
    assert diff.changes == [FileChange(operation=operation, path="/project/a")]


def test_the_texts_are_kept_by_the_call_alone() -> None:
    one = told()
    one.apply(running(), tool(title="/project/a"), written(None, "new"))
    assert one.session.index.writes["/project/a"].diff is None


def rows(one: Told) -> list[tuple[str, str, bool, list[tuple[str | None, str | None]]]]:
    """The rows of writes that no call names."""
    found = [entry for entry in one.session.entries if isinstance(entry, ToolCallEntry) and entry.name == NAME]
    return [
        (
            entry.title,
            entry.status,
            is_written_here(entry),
            [(diff.old_text, diff.new_text) for diff in diffs_of(entry)],
        )
        for entry in found
    ]


def test_a_write_that_no_call_names_has_a_row_of_its_own() -> None:
    one = told()
    one.apply(running(), say("I write."), written(None, "new"))
    assert rows(one) == [("/project/a", "completed", True, [(None, "new")])]
    message, row = one.session.entries
    assert (message.sealed, row.sealed) == (True, True)
    assert one.changes[-1] == EntryAdded(row)
    assert row.id not in one.session.index.open_tool_calls


def test_writes_right_after_each_other_are_one_row_and_others_another() -> None:
    one = told()
    one.apply(running(), written("1", "2"), written("2", "3"), written(None, "b", "/project/b"), written("3", "4"))
    assert [diffs for *_, diffs in rows(one)] == [[("1", "3")], [(None, "b")], [("3", "4")]]


@pytest.mark.parametrize(
    "named",
    [
        {"title": "Writing /project/a", "status": "completed"},
        {"kind": "edit", "locations": [ToolCallLocation(path="/project/a")]},
        {"content": [Diff(path="/project/a", old_text=None, new_text="new")], "status": "completed"},
    ],
)
def test_a_call_that_the_agent_reports_afterwards_takes_the_row_over(named: dict[str, Any]) -> None:
    one = told()
    one.apply(running(), written(None, "new"), tool(**named))
    assert rows(one) == []
    assert shown(one) == [(None, "new")]


def test_calls_about_other_files_or_that_only_read_leave_the_row() -> None:
    one = told()
    one.apply(running(), written(None, "new"))
    one.apply(tool("1", title="/project/b"), tool("2", kind="read", locations=[ToolCallLocation(path="/project/a")]))
    assert len(rows(one)) == 1


def test_a_call_of_a_later_turn_leaves_the_row() -> None:
    one = told()
    one.apply(running(), written(None, "new"), idle(), running(), tool(title="/project/a", status="completed"))
    assert len(rows(one)) == 1


def test_what_a_call_of_the_turn_reported_as_a_diff_is_not_shown_again() -> None:
    one = told()
    one.apply(running(), tool(content=[Diff(path="/project/a", old_text=None, new_text="new")], status="completed"))
    one.apply(written(None, "new"))
    assert rows(one) == []


def test_only_in_a_file_that_was_there_the_row_names_a_line() -> None:
    one = told()
    one.apply(running(), written(None, "new"), written("old", "newer", "/project/b"))
    found = one.session.index.lone_writes
    assert [found[path].locations[0].line for path in ("/project/a", "/project/b")] == [None, 1]


def test_of_many_such_texts_the_later_ones_only_say_that_there_was_a_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_changes, "LONE_TEXT_CAP", 5)
    one = told()
    one.apply(
        running(), written(None, "new"), written("old", "newer", "/project/b"), written("newer", "z", "/project/b")
    )
    assert [diffs for *_, diffs in rows(one)] == [[(None, "new")], [(None, None)]]
    one = told()
    one.apply(running(), written("1", "2"), written("2", "3333"), written("old", "newer", "/project/b"))
    assert [diffs for *_, diffs in rows(one)] == [[(None, None)], [(None, None)]]
    [diff] = diffs_of(one.session.index.lone_writes["/project/b"])
    assert diff.changes == [FileChange(operation="modify", path="/project/b")]


@pytest.mark.parametrize("order", [1, -1], ids=["written after it", "written before it"])
def test_a_patch_in_the_input_tells_of_a_write_to_its_file(order: int) -> None:
    one = told()
    patch = "*** Begin Patch\n*** Add File: a\n+1\n*** End Patch"
    steps: list[Any] = [
        tool(title="apply_patch", raw_input={"input": patch}, status="in_progress"),
        written(None, "1\n"),
    ]
    one.apply(running(), *steps[::order])
    assert [type(entry) for entry in one.session.entries] == [ToolCallEntry]
    assert list(one.session.index.tool_calls.values()) == one.session.entries
