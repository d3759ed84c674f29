"""Tool calls as upserts, the permission that asks about them, and commands that an agent runs itself."""

from sys import intern
from typing import Any
from uuid import uuid4

import pytest

from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.session_setup import PermissionMessage
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import RejectedUpdate, UnknownUpdate
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    TerminalOutputChunk,
    TerminalReference,
    TerminalUpdate,
    ToolCallUpdate,
    UnknownToolCallContent,
)
from tests.rows import each_of
from tests.unit.protocol.told import Told, only

OPTIONS = [
    {"optionId": "ok", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def call(told: Told, kind: str = "tool_call_update", /, **members: Any) -> ToolCallUpdate:
    return only(ToolCallUpdate, told.say(kind, toolCallId="t", **members))


def ask(told: Told, tool_call: Any, **members: Any) -> PermissionMessage:
    return told.dialect.read_permission({"sessionId": "s", "toolCall": tool_call, "options": OPTIONS, **members})


def test_a_tool_call_is_the_first_upsert() -> None:
    first = call(Told(), "tool_call", title="Read", kind="read", rawInput={"path": "a"})
    assert (first.title, first.kind, first.raw_input) == ("Read", "read", {"path": "a"})
    assert not first.has("status")


def test_null_and_omitted_change_nothing() -> None:
    members = ("name", "title", "kind", "status", "content", "locations", "rawInput", "rawOutput", "_meta")
    nothing: dict[str, Any] = dict.fromkeys(members)
    update = call(Told(), **nothing)
    assert update.model_fields_set == {"session_update", "tool_call_id"}


@pytest.mark.parametrize("kind", ["tool_call", "tool_call_update"])
def test_bad_members_change_nothing_and_the_rest_lives(kind: str) -> None:
    update = call(Told(), kind, title="T", status=["x"], locations="x", name={}, _meta=[])
    assert update.title == "T"
    assert not any(update.has(each) for each in ("status", "locations", "name"))


def test_bad_items_are_left_out_and_unknown_ones_kept() -> None:
    content = [
        {"type": "content", "content": {"type": "text", "text": "a"}},
        {"type": "content", "content": {"type": "text"}},
        {"type": "diff", "path": "/a"},
        {"type": "hologram", "x": 1},
        5,
        {"type": "terminal", "terminalId": "1"},
    ]
    locations = [{"path": "/a", "line": -1}, {}, {"path": "/b", "line": 0}]
    update, lost = Told().say("tool_call_update", toolCallId="t", content=content, locations=locations)
    assert isinstance(update, ToolCallUpdate)
    assert lost == RejectedUpdate("tool_call_update", "content", "3 of 6 items cannot be read", content)
    assert [type(each) for each in update.content or []] == [ContentItem, UnknownToolCallContent, TerminalReference]
    assert [(each.path, each.line) for each in update.locations or []] == [("/a", None), ("/b", 0)]


@each_of("content", [5, "text", {"type": "content", "content": {"type": "text", "text": "a"}}, {}])
@each_of("dialect", [Version1Dialect, Version2Dialect])
def test_content_of_a_wrong_shape_is_told(content: Any, dialect: type[Dialect]) -> None:
    tool_call = {"toolCallId": "t", "title": "T", "content": content}
    update = {"sessionUpdate": "tool_call_update", **tool_call}
    asked = {"sessionId": "s", "toolCall": tool_call, "options": OPTIONS}
    told = dialect().read_update({"sessionId": "s", "update": update})[1]
    for call, lost in (told, dialect().read_permission(asked).updates):
        assert isinstance(call, ToolCallUpdate)
        assert (call.title, call.has("content")) == ("T", False)
        assert lost == RejectedUpdate("tool_call_update", "content", "an array is required", content)


def test_newer_kinds_and_statuses_are_kept() -> None:
    update = call(Told(), kind="dream", status="paused")
    assert (update.kind, update.status) == ("dream", "paused")


def test_a_newer_status_is_not_interned_for_good() -> None:
    status = str(uuid4())
    call(Told(), status=status)
    equal = "".join((status[:9], status[9:]))
    assert intern(equal) is equal


def test_a_bare_content_block_is_wrapped() -> None:
    update = call(Told(), content=[{"type": "text", "text": "bare"}])
    assert update.content == [ContentItem(content=TextContent(text="bare"))]


@pytest.mark.parametrize("old", [{}, {"oldText": None}, {"oldText": ""}])
def test_all_ways_to_tell_a_new_file(old: dict[str, Any]) -> None:
    update = call(Told(), content=[{"type": "diff", "path": "/a", "newText": "b", **old}])
    (diff,) = update.content or []
    assert isinstance(diff, Diff)
    assert not diff.old_text


def test_a_new_tool_call_needs_a_title_and_a_known_one_does_not() -> None:
    told = Told()
    rejected = only(RejectedUpdate, told.say("tool_call", toolCallId="t", title=5))
    assert (rejected.kind, rejected.path) == ("tool_call", "title")
    call(told, title="From an update")
    call(told, "tool_call", status="pending")


@pytest.mark.parametrize("bad", [None, 5])
def test_a_tool_call_needs_an_id(bad: Any) -> None:
    assert only(RejectedUpdate, Told().say("tool_call_update", toolCallId=bad)).path == "toolCallId"


def test_a_permission_tells_its_tool_call() -> None:
    asked = ask(Told(), {"toolCallId": "t", "title": "Write a.txt", "kind": "edit", "status": None})
    update = only(ToolCallUpdate, asked.updates)
    assert (update.tool_call_id, update.title, update.kind, update.has("status")) == ("t", "Write a.txt", "edit", False)
    assert asked.request.title == "Write a.txt"
    assert [option.option_id for option in asked.request.options] == ["ok", "no"]
    subject = asked.request.subject
    assert subject is not None
    assert (subject.type, subject.tool_call, subject.tool_call_id) == ("tool_call", update, "t")


def test_a_permission_without_a_title_has_the_one_told_before() -> None:
    told = Told()
    call(told, "tool_call", title="Remove everything")
    call(told, status="pending")
    assert ask(told, {"toolCallId": "t"}).request.title == "Remove everything"
    assert ask(told, {"toolCallId": "new", "name": "bash"}).request.title == "bash"
    assert ask(told, {"toolCallId": "newer"}).request.title


def test_a_permission_for_a_call_never_told_stands_between_messages() -> None:
    told = Told()
    before = told.chunk()
    ask(told, {"toolCallId": "edit-approval-1", "title": "Edit"})
    assert told.chunk().message_id != before.message_id


def test_newer_permission_kinds_are_kept() -> None:
    asked = ask(Told(), {"toolCallId": "t"}, options=[{"optionId": "x", "name": "X", "kind": "allow_sometimes"}])
    assert asked.request.options[0].kind == "allow_sometimes"


@pytest.mark.parametrize(
    ("params", "path"),
    [
        (None, ""),
        ({"toolCall": {"toolCallId": "t"}, "options": []}, "sessionId"),
        ({"sessionId": "s", "options": []}, "toolCall"),
        ({"sessionId": "s", "toolCall": {}, "options": []}, "toolCallId"),
        ({"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": [{"name": "x"}]}, "options[0].optionId"),
    ],
)
def test_a_bad_permission_request_says_where(params: Any, path: str) -> None:
    with pytest.raises(ProtocolFault) as caught:
        Told().dialect.read_permission(params)
    assert caught.value.path == path


def test_commands_that_the_agent_runs_itself_become_terminals() -> None:
    told = Told()
    meta = {"terminal_info": {"terminal_id": "1", "cwd": "/p"}}
    reference = [{"type": "terminal", "terminalId": "1"}]
    _, info = told.say("tool_call", toolCallId="t", title="ls", content=reference, _meta=meta)
    assert isinstance(info, TerminalUpdate)
    assert (info.terminal_id, info.cwd, info.has("exit_status")) == ("1", "/p", False)
    for name in ("terminal_output", "terminal_output_delta"):
        _, output = told.say("tool_call_update", toolCallId="t", _meta={name: {"terminal_id": "1", "data": "ä\n"}})
        assert isinstance(output, TerminalOutputChunk)
        assert (output.terminal_id, output.data) == ("1", "ä\n".encode())
    exited = {"terminal_exit": {"terminal_id": "1", "exit_code": None, "signal": "SIGTERM"}}
    _, end = told.say("tool_call_update", toolCallId="t", _meta=exited)
    assert isinstance(end, TerminalUpdate)
    assert end.exit_status is not None
    assert (end.exit_status.exit_code, end.exit_status.signal, end.has("cwd")) == (None, "SIGTERM", False)


def test_a_command_s_whole_life_in_one_update_stays_in_order() -> None:
    meta = {"terminal_exit": {"exit_code": 1}, "terminal_output": {"data": "x"}, "terminal_info": {}}
    told = Told().say("tool_call_update", toolCallId="t", _meta=meta)
    assert [type(each) for each in told] == [ToolCallUpdate, TerminalUpdate, TerminalOutputChunk, TerminalUpdate]
    assert all(each.terminal_id == "t" for each in told if isinstance(each, TerminalUpdate | TerminalOutputChunk))


@pytest.mark.parametrize("bad", [None, 5, [], {"data": 5}, {"data": ""}, {"data": None}])
def test_bad_output_in_meta_is_not_shown(bad: Any) -> None:
    assert len(Told().say("tool_call_update", toolCallId="t", _meta={"terminal_output": bad, "other": 1})) == 1


def test_a_bad_exit_code_is_still_an_exit() -> None:
    _, end = Told().say(
        "tool_call_update", toolCallId="t", _meta={"terminal_exit": {"exit_code": "1", "terminal_id": 4}}
    )
    assert isinstance(end, TerminalUpdate)
    assert (end.terminal_id, end.has("exit_status")) == ("t", True)


def test_the_raw_update_of_an_unknown_kind_is_kept() -> None:
    assert only(UnknownUpdate, Told().say("newer_update", sessionId="child")).raw["sessionId"] == "child"
