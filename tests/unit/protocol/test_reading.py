"""Where reading says that something is bad, and answers that say nothing."""

from typing import Any

import pytest
from hypothesis import given

from acp_tui.protocol.base import read
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.vocabulary.content import (
    ContentBlock,
    EmbeddedResource,
    TextContent,
    UnknownContent,
    content_data,
)
from acp_tui.protocol.vocabulary.initialization import SessionPage
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, MessageUpdate
from acp_tui.protocol.vocabulary.tool_calls import CreateTerminalRequest, ToolCallContentChunk, ToolCallUpdate
from tests.rows import each_of
from tests.unit.protocol.methods import ANSWERS, PARAMETERS
from tests.unit.protocol.official import json_values

CHUNK = {"sessionUpdate": "agent_message_chunk", "messageId": "m"}


@each_of(
    ("content", "path"),
    [
        ({"type": "text", "text": 5}, "content.text"),
        ({"type": "text"}, "content.text"),
        ({"type": "resource"}, "content.resource"),
        ({"type": "resource", "resource": {"uri": "x"}}, "content.resource.text"),
        ({"type": "resource", "resource": 5}, "content.resource"),
        ({"type": "image", "data": "", "mimeType": []}, "content.mimeType"),
        ({"type": 5}, "content.type"),
        ({}, "content.type"),
        (5, "content"),
        (None, "content"),
    ],
)
def test_a_fault_says_where(content: Any, path: str) -> None:
    with pytest.raises(ProtocolFault) as caught:
        read(MessageChunk, {**CHUNK, "content": content})
    assert caught.value.path == path
    assert caught.value.reason
    assert path in str(caught.value)


def test_a_fault_says_where_in_a_list() -> None:
    with pytest.raises(ProtocolFault) as caught:
        read(CreateTerminalRequest, {"sessionId": "s", "command": "c", "args": ["a", 5]})
    assert caught.value.path == "args[1]"


def test_tolerance_reaches_into_what_is_good_otherwise() -> None:
    image = {
        "type": "image",
        "data": "",
        "mimeType": "x",
        "uri": 5,
        "annotations": {"audience": ["user", 5], "priority": "x"},
    }
    chunk = read(ToolCallContentChunk, {"toolCallId": "t", "content": {"type": "content", "content": image}})
    told = chunk.model_dump(by_alias=True, exclude_unset=True)["content"]["content"]
    assert told == {"type": "image", "data": "", "mimeType": "x", "annotations": {"audience": ["user"]}}


def test_reading_changes_nothing_in_the_data() -> None:
    data = {"toolCallId": "t", "title": 5, "content": [{"type": "diff"}, 5], "locations": None}
    before = repr(data)
    assert read(ToolCallUpdate, data).content == []
    assert repr(data) == before


def test_members_are_told_apart_when_omitted_null_or_bad() -> None:
    update = read(ToolCallUpdate, {"toolCallId": "t", "title": None, "kind": 5})
    assert (update.has("title"), update.has("kind"), update.has("status")) == (True, False, False)


def test_unknown_members_are_kept() -> None:
    assert read(TextContent, {"type": "text", "text": "a", "future": {"x": 1}}).model_extra == {"future": {"x": 1}}


@given(json_values)
def test_an_unknown_block_is_sent_back_as_it_came(extra: Any) -> None:
    raw = {"type": "_x", "raw": extra, "other": extra}
    block = read(MessageChunk, {**CHUNK, "content": raw}).content
    assert isinstance(block, UnknownContent)
    assert content_data(block) == raw
    assert read(MessageChunk, {**CHUNK, "content": content_data(block)}).content == block


def test_words_made_here_pass_through_unions() -> None:
    blocks: list[ContentBlock] = [TextContent(text="a"), UnknownContent(type="x", raw={"type": "x"})]
    assert MessageUpdate(session_update="agent_message", message_id="m", content=blocks).content == blocks


def test_an_embedded_resource_is_text_or_bytes() -> None:
    for member in ("text", "blob"):
        block = read(EmbeddedResource, {"type": "resource", "resource": {"uri": "u", member: "AA", "mimeType": 5}})
        assert getattr(block.resource, member) == "AA"
        assert block.resource.mime_type is None


@each_of("empty", [None, {}, [], "done"])
@each_of("method", ["authenticate", "logout", "session/close", "session/delete", "session/set_mode"])
def test_answers_that_say_nothing(method: str, empty: Any) -> None:
    assert ANSWERS[1][method](empty).model_dump(exclude_unset=True) == {}


def test_null_for_a_list_of_sessions_is_none() -> None:
    page = ANSWERS[1]["session/list"](None)
    assert isinstance(page, SessionPage)
    assert page.sessions == []


def test_sessions_that_cannot_be_read_are_left_out() -> None:
    sessions = [{"sessionId": "a", "cwd": "/", "title": 5}, {"cwd": "/"}, None]
    page = ANSWERS[1]["session/list"]({"sessions": sessions, "nextCursor": 5})
    assert isinstance(page, SessionPage)
    assert [(each.session_id, each.title) for each in page.sessions] == [("a", None)]


@pytest.mark.parametrize("version", [1, 2])
def test_sessions_without_a_folder_are_read_without_one(version: int) -> None:
    sessions = [{"sessionId": "a"}, {"sessionId": "b", "cwd": None}, {"sessionId": "c", "cwd": "/c"}]
    page = ANSWERS[version]["session/list"]({"sessions": sessions})
    assert isinstance(page, SessionPage)
    assert [(each.session_id, each.cwd) for each in page.sessions] == [("a", ""), ("b", ""), ("c", "/c")]
    assert page.next_cursor is None


@each_of("method", sorted(PARAMETERS[1]))
@each_of("junk", [None, [], {}, 5])
def test_parameters_that_cannot_be_read_are_faults(method: str, junk: Any) -> None:
    with pytest.raises(ProtocolFault):
        PARAMETERS[1][method](junk)
