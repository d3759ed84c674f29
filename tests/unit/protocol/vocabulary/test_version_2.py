"""What an agent of version 2 says, and what drafts of it said, in the words of the vocabulary."""

import base64
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.v2.dialect import READERS, Version2Dialect
from acp_tui.protocol.vocabulary.config_options import ConfigOptionUpdate, SelectOption
from acp_tui.protocol.vocabulary.content import TextContent, UnknownContent
from acp_tui.protocol.vocabulary.session_updates import (
    AvailableCommandsUpdate,
    MessageChunk,
    MessageUpdate,
    Notice,
    PlanRemoved,
    PlanUpdate,
    RejectedUpdate,
    StateUpdate,
    TokenUsage,
    UnknownUpdate,
    Update,
)
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    TerminalOutputChunk,
    TerminalUpdate,
    ToolCallContentChunk,
    ToolCallUpdate,
    UnknownToolCallContent,
)
from tests.examples import THOROUGH, times
from tests.rows import each_of
from tests.unit.protocol.official import NEWER, V2, json_values
from tests.unit.protocol.told import only

PERMISSION_OPTIONS = [{"optionId": "y", "name": "Yes", "kind": "_newer"}]


def say(kind: str, /, **members: Any) -> list[Update]:
    return Version2Dialect().read_update({"sessionId": "s", "update": {"sessionUpdate": kind, **members}})[1]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize("kind", ["user_message", "agent_message", "agent_thought"])
def test_messages_are_upserts_with_three_states(kind: str) -> None:
    omitted = only(MessageUpdate, say(kind, messageId="m"))
    cleared = only(MessageUpdate, say(kind, messageId="m", content=None))
    content = [text("a"), {"type": "_hologram", "x": 1}, {"type": "text"}]
    given_, lost = say(kind, messageId="m", content=content)
    assert isinstance(given_, MessageUpdate)
    assert lost == RejectedUpdate(kind, "content", "1 of 3 items cannot be read", content)
    assert [each.has("content") for each in (omitted, cleared, given_)] == [False, True, True]
    assert cleared.content is None
    hologram = UnknownContent(type="_hologram", raw={"type": "_hologram", "x": 1})
    assert given_.content == [TextContent(text="a"), hologram]


def test_the_same_id_is_another_message_for_another_role() -> None:
    chunk = only(MessageChunk, say("agent_thought_chunk", messageId="m", content=text("x")))
    message = only(MessageUpdate, say("agent_message", messageId="m"))
    assert (chunk.role, message.role) == ("thought", "agent")


def test_states_and_stop_reasons_that_are_newer_are_kept() -> None:
    assert only(StateUpdate, say("state_update", state="_dreaming")).state == "_dreaming"
    idle = only(StateUpdate, say("state_update", state="idle", stopReason="_out_of_ink", usage={"totalTokens": 1}))
    assert (idle.stop_reason, idle.usage) == ("_out_of_ink", TokenUsage(total_tokens=1))
    failed = only(StateUpdate, say("state_update", state="idle", stopReason="error", error={"code": 1, "message": "m"}))
    assert failed.error == {"code": 1, "message": "m"}
    assert only(StateUpdate, say("state_update", state="idle", stopReason=5)).stop_reason is None


def test_background_work_is_told_not_told_or_none() -> None:
    work = [
        {"type": "terminal", "terminalId": "t"},
        {"type": "tool_call", "toolCallId": "c"},
        {"type": "_moon", "x": 1},
    ]
    told = only(StateUpdate, say("state_update", state="idle", background=work)).background
    assert told is not None
    assert [(each.type, each.terminal_id or each.tool_call_id) for each in told] == [
        ("terminal", "t"),
        ("tool_call", "c"),
        ("_moon", None),
    ]
    assert only(StateUpdate, say("state_update", state="idle", background=[])).background == []
    for nothing in (None, 5, [{"type": "terminal"}]):
        assert only(StateUpdate, say("state_update", state="idle", background=nothing)).background is None


def test_tool_calls_can_be_cancelled_and_cleared() -> None:
    call = only(ToolCallUpdate, say("tool_call_update", toolCallId="c", kind=None, status="paused", content=None))
    assert (call.has("kind"), call.kind, call.status, call.has("title")) == (True, None, "paused", False)
    for given_, cancellable in (({"cancel": {}}, True), ({"cancel": None}, False), ({}, False)):
        call = only(ToolCallUpdate, say("tool_call_update", toolCallId="c", capabilities=given_))
        assert call.capabilities is not None
        assert call.capabilities.cancel is cancellable
    chunk = only(ToolCallContentChunk, say("tool_call_content_chunk", toolCallId="c", content={"type": "_x", "y": 1}))
    assert isinstance(chunk.content, UnknownToolCallContent)
    assert only(RejectedUpdate, say("tool_call_content_chunk", toolCallId="c", content={"type": "diff"}))


def content_of(*items: dict[str, Any]) -> list[Any]:
    call = say("tool_call_update", toolCallId="c", content=list(items))[0]
    assert isinstance(call, ToolCallUpdate)
    return call.content or []


def test_diffs_in_today_s_form() -> None:
    changes: list[dict[str, Any]] = [
        {"operation": "add", "path": "/a", "fileType": "symlink", "mimeType": 5},
        {"operation": "move", "path": "/b", "oldPath": "/c"},
        {"operation": "_chmod", "mode": "755"},
        {"operation": "copy", "path": "/d"},
        {"operation": "delete"},
    ]
    (diff,) = content_of({"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": "x"}})
    assert isinstance(diff, Diff)
    assert [change.operation for change in diff.changes or []] == ["add", "move", "_chmod"]
    assert diff.changes is not None
    assert (diff.changes[0].file_type, diff.changes[0].mime_type) == ("symlink", None)
    assert diff.patch is not None
    (bare,) = content_of({"type": "diff", "changes": [], "patch": 5})
    assert (bare.changes, bare.patch) == ([], None)


def test_diffs_in_the_older_form() -> None:
    (diff,) = content_of({"type": "diff", "path": "/a", "oldText": None, "newText": "b"})
    assert (diff.path, diff.new_text, diff.changes) == ("/a", "b", None)


def test_bad_items_of_content_are_left_out() -> None:
    kept = content_of({"type": "content", "content": text("a")}, {"type": "terminal"}, {"type": "diff"})
    assert kept == [ContentItem(content=TextContent(text="a"))]


def test_terminals_are_decoded_each_piece_by_itself() -> None:
    whole = only(
        TerminalUpdate,
        say("terminal_update", terminalId="t", output={"data": b64(b"\xe6\xbc")}, size={"cols": 80, "rows": 24}),
    )
    assert whole.output == b"\xe6\xbc"
    assert whole.size is not None
    assert (whole.size.cols, whole.size.rows) == (80, 24)
    assert only(TerminalOutputChunk, say("terminal_output_chunk", terminalId="t", data=b64(b"\xa2"))).data == b"\xa2"
    assert only(TerminalUpdate, say("terminal_update", terminalId="t", output=None)).has("output")


@pytest.mark.parametrize("bad", ["x", 5, {}, {"data": 5}, {"data": "*"}, {"data": "YQ"}, []])
def test_output_that_cannot_be_decoded_is_as_if_it_was_not_told(bad: Any) -> None:
    told = only(TerminalUpdate, say("terminal_update", terminalId="t", output=bad, command="make", size={"cols": 0}))
    assert (told.has("output"), told.command, told.size) == (False, "make", None)


@pytest.mark.parametrize("bad", [None, 5, "*", "YQ", "ä"])
def test_a_piece_that_cannot_be_decoded_is_rejected(bad: Any) -> None:
    assert only(RejectedUpdate, say("terminal_output_chunk", terminalId="t", data=bad)).path == "data"


def test_plans_by_their_type() -> None:
    entry = {"content": "Read", "priority": "_now", "status": "cancelled"}
    items = only(PlanUpdate, say("plan_update", plan={"type": "items", "planId": "p", "entries": [entry, 5]})).plan
    assert (items.plan_id, [each.content for each in items.entries]) == ("p", ["Read"])
    file = only(PlanUpdate, say("plan_update", plan={"type": "file", "planId": "f", "uri": "file:///p.md"})).plan
    markdown = only(PlanUpdate, say("plan_update", plan={"type": "markdown", "planId": "m", "content": "# P"})).plan
    newer = only(PlanUpdate, say("plan_update", plan={"type": "_sketch", "id": "s", "svg": "<svg/>"})).plan
    assert (file.uri, markdown.content) == ("file:///p.md", "# P")
    assert (newer.type, newer.plan_id, newer.model_extra) == ("_sketch", "s", {"svg": "<svg/>"})
    assert only(PlanRemoved, say("plan_removed", planId="p")).plan_id == "p"


@each_of(
    "plan",
    [
        {"type": "items", "planId": "p"},
        {"type": "items", "entries": []},
        {"type": "items", "planId": "p", "entries": None},
        {"type": "file", "planId": "p"},
        {"type": "markdown", "planId": "p", "content": 5},
        {"type": "_sketch"},
        {"planId": "p"},
        None,
    ],
)
def test_a_plan_without_what_its_type_asks_for_is_rejected(plan: Any) -> None:
    only(RejectedUpdate, say("plan_update", plan=plan))


def test_commands_with_and_without_a_type() -> None:
    commands = [
        {"type": "command", "name": "a", "description": "A", "input": {"type": "text", "hint": "h"}},
        {"name": "b", "description": "B", "input": {"hint": "h"}},
        {"type": "_button", "name": "c", "description": "C", "label": "?"},
        {"type": "command"},
    ]
    told = only(
        AvailableCommandsUpdate, say("available_commands_update", availableCommands=commands)
    ).available_commands
    assert [(each.type, each.name) for each in told] == [("command", "a"), ("command", "b"), ("_button", "c")]
    assert told[0].input is not None
    assert told[2].model_extra == {"label": "?"}
    only(RejectedUpdate, say("available_commands_update", availableCommands=5))


OPTIONS: list[dict[str, Any]] = [
    {
        "configId": "model",
        "name": "Model",
        "type": "select",
        "currentValue": "b",
        "options": [{"groupId": "g", "name": "G", "options": [{"value": "b", "name": "B"}]}],
    },
    {"configId": "fast", "name": "Fast", "type": "boolean", "currentValue": True},
    {"configId": "dial", "name": "Dial", "type": "_dial", "currentValue": 7},
    {"id": "old", "name": "Old", "type": "select", "currentValue": "a", "options": [{"value": "a", "name": "A"}]},
    {"configId": "bad", "name": "Bad", "type": "select"},
]


def test_config_options_by_today_s_and_by_older_names() -> None:
    told = only(ConfigOptionUpdate, say("config_option_update", configOptions=OPTIONS))
    assert [option.id for option in told.config_options] == ["model", "fast", "old"]
    assert told.unknown == [OPTIONS[2]]
    model = told.config_options[0]
    assert isinstance(model, SelectOption)
    assert [(value.value, value.group) for value in model.values] == [("b", "G")]
    only(RejectedUpdate, say("config_option_update", configOptions=None))


@pytest.mark.parametrize(("result", "chosen"), [({"configOptions": OPTIONS}, "b"), ({}, "c"), (None, "c"), ([], "c")])
def test_an_agreed_choice(result: Any, chosen: str) -> None:
    dialect = Version2Dialect()
    dialect.read_session_setup(
        dialect.open_session("new", SessionScope("/")), {"sessionId": "s", "configOptions": OPTIONS}
    )
    call = dialect.set_config_option("s", SelectOption(id="model", name="M", current_value="b"), "c")
    told = only(ConfigOptionUpdate, dialect.config_option_set(call, result))
    assert told.config_options[0].current_value == chosen


def test_what_the_answers_about_sessions_say() -> None:
    dialect = Version2Dialect()
    new, known = dialect.open_session("new", SessionScope("/")), dialect.open_session("load", SessionScope("/"), "k")
    told = dialect.read_session_setup(
        new, {"sessionId": "s", "configOptions": OPTIONS, "availableCommands": [{"name": "a", "description": "A"}]}
    )
    assert told.session_id == "s"
    assert [type(each) for each in told.updates] == [ConfigOptionUpdate, AvailableCommandsUpdate]
    for result in (None, {}, {"configOptions": None, "availableCommands": 5}):
        assert dialect.read_session_setup(known, result).updates == []
        assert dialect.read_session_setup(known, result).session_id == "k"
    with pytest.raises(ProtocolFault):
        dialect.read_session_setup(new, {})


def test_permissions_for_tool_calls_do_not_rename_them() -> None:
    call = {"toolCallId": "c", "title": "Write x"}
    asked = Version2Dialect().read_permission(
        {
            "sessionId": "s",
            "title": "May I?",
            "description": "Really?",
            "subject": {"type": "tool_call", "toolCall": call},
            "options": PERMISSION_OPTIONS,
        }
    )
    assert (asked.request.title, asked.request.description) == ("May I?", "Really?")
    assert only(ToolCallUpdate, asked.updates).title == "Write x"
    assert asked.request.options[0].kind == "_newer"


def test_permissions_for_commands_for_nothing_and_for_what_is_newer() -> None:
    def subject(given_: Any) -> Any:
        params = {"sessionId": "s", "title": "May I?", "subject": given_, "options": PERMISSION_OPTIONS}
        asked = Version2Dialect().read_permission(params)
        assert asked.updates == []
        return asked.request.subject

    command = subject({"type": "command", "command": "make", "cwd": "/p", "toolCallId": "c", "terminalId": 5})
    assert (command.command, command.cwd, command.tool_call_id, command.terminal_id) == ("make", "/p", "c", None)
    assert subject(None) is None
    moon = subject({"type": "_moon", "phase": "full"})
    assert (moon.type, moon.raw) == ("_moon", {"type": "_moon", "phase": "full"})


@pytest.mark.parametrize(
    "bad",
    [
        {"options": []},
        {"title": None},
        {"subject": {"type": "tool_call"}},
        {"subject": {"type": "command", "command": "make"}},
        {"subject": {"phase": "full"}},
        {"subject": 5},
    ],
)
def test_a_bad_permission_request_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ProtocolFault):
        Version2Dialect().read_permission({"sessionId": "s", "title": "T", "options": PERMISSION_OPTIONS, **bad})


def test_a_draft_s_permission_is_about_its_tool_call() -> None:
    params = {"sessionId": "s", "toolCall": {"toolCallId": "c", "title": "Write"}, "options": PERMISSION_OPTIONS}
    asked = Version2Dialect().read_permission(params)
    assert asked.request.title == "Write"
    assert only(ToolCallUpdate, asked.updates).tool_call_id == "c"


def test_unknown_updates_are_kept_and_known_ones_with_a_bad_payload_rejected() -> None:
    sparkle = only(UnknownUpdate, say("_sparkle", colour="green"))
    assert sparkle.raw == {"sessionUpdate": "_sparkle", "colour": "green"}
    assert only(Notice, say("notice", severity="_odd", title="t")).severity == "_odd"
    assert only(RejectedUpdate, say("notice", severity="info", title="")).path == "title"
    assert only(RejectedUpdate, say("compaction_update", compactionId="c")).path == "status"


@THOROUGH
@given(
    st.sampled_from(sorted(READERS)),
    st.dictionaries(
        st.sampled_from(
            [
                "messageId",
                "content",
                "toolCallId",
                "terminalId",
                "data",
                "state",
                "background",
                "plan",
                "output",
                "availableCommands",
                "configOptions",
            ]
        ),
        json_values,
    ),
)
def test_nothing_that_an_agent_says_raises(kind: str, members: dict[str, Any]) -> None:
    assert isinstance(say(kind, **members), list)


@pytest.mark.parametrize(
    "params", [None, [], {}, {"sessionId": 5}, {"sessionId": "s"}, {"sessionId": "s", "update": []}]
)
def test_what_is_no_update_is_rejected(params: Any) -> None:
    assert isinstance(Version2Dialect().read_update(params)[1][0], RejectedUpdate)


@settings(times(6), suppress_health_check=list(HealthCheck))
@given(V2.defined("UpdateSessionNotification"))
def test_every_valid_update_is_read(params: dict[str, Any]) -> None:
    session_id, told = Version2Dialect().read_update(params)
    assert session_id == params["sessionId"]
    newer = params["update"]["sessionUpdate"] == NEWER
    assert all(isinstance(each, UnknownUpdate) is newer for each in told)
    if "data" not in params["update"]:  # which is base64, what the schema does not check
        assert not any(isinstance(each, RejectedUpdate) for each in told)
