"""Which chunks are one message, what a prompt and its answer mean, and what is only an echo."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.vocabulary.content import ImageContent, TextContent, UnknownContent
from acp_tui.protocol.vocabulary.session_updates import (
    MessageChunk,
    MessageUpdate,
    RejectedUpdate,
    StateUpdate,
    TokenUsage,
)
from tests.examples import THOROUGH
from tests.unit.protocol.told import Told, only


def test_chunks_without_an_id_are_one_message_until_the_kind_changes() -> None:
    told = Told()
    first, second = told.chunk(), told.chunk()
    thought, third = told.chunk("thought"), told.chunk()
    assert first.message_id == second.message_id
    assert len({first.message_id, thought.message_id, third.message_id}) == 3
    assert (first.role, thought.role) == ("agent", "thought")


def test_a_tool_call_that_begins_or_changes_its_status_stands_between_messages_and_its_output_does_not() -> None:
    told = Told()
    ids = [told.chunk().message_id]
    for kind, status in (("tool_call", "pending"), ("tool_call_update", "in_progress"), ("tool_call", "completed")):
        told.say(kind, toolCallId="t", title="Read", status=status)
        ids.append(told.chunk().message_id)
    assert len(set(ids)) == 4
    told.say("tool_call_update", toolCallId="t", status="completed", content=[], rawOutput="more")
    told.say("tool_call_update", toolCallId="t", title="Read it", locations=[])
    assert told.chunk().message_id == ids[-1]


def test_a_new_tool_call_without_a_status_stands_between_messages_too() -> None:
    told = Told()
    before = told.chunk().message_id
    told.say("tool_call", toolCallId="t", title="Read")
    assert told.chunk().message_id != before


def test_a_permission_stands_between_messages() -> None:
    told = Told()
    told.say("tool_call", toolCallId="t", title="Read", status="pending")
    before = told.chunk()
    told.dialect.read_permission({"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": []})
    assert told.chunk().message_id != before.message_id


@pytest.mark.parametrize(
    ("kind", "members"),
    [
        ("plan", {"entries": []}),
        ("plan_update", {"plan": {"id": "p", "type": "markdown", "content": "x"}}),
        ("plan_removed", {"id": "p"}),
    ],
)
def test_a_plan_stands_between_messages_though_it_is_shown_elsewhere(kind: str, members: dict[str, Any]) -> None:
    told = Told()
    before = told.chunk()
    told.say(kind, **members)
    assert told.chunk().message_id != before.message_id


def test_a_prompt_that_is_sent_stands_between_messages() -> None:
    told = Told()
    before = told.chunk()
    told.prompt("hi")
    assert told.chunk().message_id != before.message_id


def user_chunk(told: Told, content: dict[str, Any]) -> str:
    return only(MessageChunk, told.say("user_message_chunk", content=content)).message_id


TEXT, LINK = {"type": "text", "text": "x"}, {"type": "resource_link", "name": "n", "uri": "file:///n"}
ASIDE = {**TEXT, "annotations": {"audience": ["assistant"]}}


def test_in_a_history_text_after_text_of_the_user_is_the_next_prompt() -> None:
    told = Told()
    assert user_chunk(told, TEXT) != user_chunk(told, TEXT)


def test_in_a_history_the_blocks_of_one_prompt_are_one_message() -> None:
    told = Told()
    assert len({user_chunk(told, block) for block in (TEXT, LINK, TEXT, ASIDE, ASIDE)}) == 1


def test_in_a_turn_what_the_user_adds_is_one_message() -> None:
    told = Told()
    told.prompt("hi")
    assert user_chunk(told, TEXT) == user_chunk(told, TEXT)


@pytest.mark.parametrize("kind", ["tool_call_update", "compaction_update", "compaction_summary_chunk"])
def test_whatever_gets_a_place_of_its_own_stands_between_messages(kind: str) -> None:
    told = Told()
    before = told.chunk()
    told.say(kind, toolCallId="new", compactionId="c", status="completed", content={"type": "text", "text": ""})
    assert told.chunk().message_id != before.message_id


@pytest.mark.parametrize("kind", ["usage_update", "notice", "available_commands_update", "_vendor"])
def test_what_has_no_place_does_not_stand_between(kind: str) -> None:
    told = Told()
    before = told.chunk()
    told.say(kind, used=1, size=2, severity="info", title="t", availableCommands=[])
    assert told.chunk().message_id == before.message_id


def test_the_same_id_is_the_same_message_and_another_begins_a_new_one() -> None:
    told = Told()
    ids = [told.chunk(messageId=each).message_id for each in ("a", "a", "b")]
    assert ids == ["a", "a", "b"]
    assert told.chunk().message_id == "b"  # without an id: the message that is open
    told.say("tool_call", toolCallId="t", title="T")
    assert told.chunk(messageId="b").message_id == "b"


@pytest.mark.parametrize("bad", [None, 5, [], {}, ""])
def test_a_bad_id_is_no_id(bad: Any) -> None:
    told = Told()
    assert told.chunk(messageId=bad).message_id == told.chunk().message_id


def test_a_rejected_chunk_opens_no_message() -> None:
    told = Told()
    before = told.chunk()
    rejected = only(RejectedUpdate, told.say("agent_thought_chunk", content={"type": "text", "text": 5}))
    assert (rejected.kind, rejected.path) == ("agent_thought_chunk", "content.text")
    assert told.chunk().message_id == before.message_id


def test_a_chunk_of_an_unknown_type_is_kept_whole() -> None:
    chunk = only(MessageChunk, Told().say("agent_message_chunk", content={"type": "hologram", "data": [1]}))
    assert chunk.content == UnknownContent(type="hologram", raw={"type": "hologram", "data": [1]})


def test_a_prompt_is_the_user_s_message_and_the_session_running() -> None:
    told = Told()
    message, state = told.prompt("hello")
    assert isinstance(message, MessageUpdate)
    assert (message.role, message.content) == ("user", [TextContent(text="hello")])
    assert isinstance(state, StateUpdate)
    assert state.state == "running"


def test_prompts_are_messages_of_their_own() -> None:
    told = Told()
    ids = set()
    for _ in range(3):
        message, _ = told.prompt("again")
        assert isinstance(message, MessageUpdate)
        ids |= {message.message_id, told.chunk().message_id}
        told.answer({"stopReason": "end_turn"})
    assert len(ids) == 6


def test_the_answer_ends_the_turn_and_the_message() -> None:
    told = Told()
    told.prompt("hello")
    before = told.chunk()
    idle = only(StateUpdate, told.answer({"stopReason": "max_tokens", "usage": {"totalTokens": 5}, "_meta": {"a": 1}}))
    assert (idle.state, idle.stop_reason, idle.meta) == ("idle", "max_tokens", {"a": 1})
    assert idle.usage == TokenUsage(total_tokens=5)
    assert told.chunk().message_id != before.message_id  # late updates do come


@pytest.mark.parametrize("result", [None, {}, [], "done", {"stopReason": 5}, {"stopReason": None}])
def test_an_answer_without_a_stop_reason_ends_the_turn_too(result: Any) -> None:
    told = Told()
    told.prompt("hello")
    rejected, idle = told.answer(result)
    assert isinstance(rejected, RejectedUpdate)
    assert rejected.raw == result
    assert isinstance(idle, StateUpdate)
    assert (idle.state, idle.stop_reason) == ("idle", "error")


def test_a_newer_stop_reason_is_kept() -> None:
    told = Told()
    told.prompt("hello")
    assert only(StateUpdate, told.answer({"stopReason": "tired"})).stop_reason == "tired"


@pytest.mark.parametrize(("code", "reason"), [(-32800, "cancelled"), (-32603, "error"), (429, "error")])
def test_an_error_ends_the_turn(code: int, reason: str) -> None:
    told = Told()
    told.prompt("hello")
    assert told.prompted is not None
    idle = only(StateUpdate, told.dialect.prompt_failed(told.prompted, code, "no", {"why": 1}))
    assert (idle.state, idle.stop_reason) == ("idle", reason)
    assert idle.error == (None if reason == "cancelled" else {"code": code, "message": "no", "data": {"why": 1}})


def test_a_dead_agent_s_turn_is_over() -> None:
    told = Told()
    told.prompt("hello")
    before = told.chunk()
    told.dialect.turn_ended("s")
    assert told.chunk().message_id != before.message_id
    assert told.chunk("user", "hello").role == "user"  # no echo is expected any more


@THOROUGH
@given(st.text(min_size=1), st.data())
def test_an_echo_in_any_pieces_is_not_shown_twice(text: str, data: st.DataObject) -> None:
    told = Told()
    told.prompt(text, "second block")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=3)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    for piece in [*pieces, "\n\n", "second ", "block"]:
        assert told.say("user_message_chunk", content={"type": "text", "text": piece}) == []


def test_what_was_not_sent_is_no_echo() -> None:
    told = Told()
    told.prompt("hello")
    assert told.chunk("user", "something else").role == "user"
    assert told.say("user_message_chunk", content={"type": "text", "text": "hello"}) == []
    assert told.chunk("user", "hello").role == "user"  # sent once, echoed once


def test_other_blocks_are_echoed_too_and_once() -> None:
    told = Told()
    told.prompt(blocks=[TextContent(text="see"), ImageContent(data="AA==", mime_type="image/png")])
    image = {"type": "image", "data": "rewritten", "mimeType": "image/jpeg"}
    assert told.say("user_message_chunk", content=image) == []
    assert only(MessageChunk, told.say("user_message_chunk", content=image)).role == "user"


def test_an_echo_does_not_end_the_agent_s_message() -> None:
    told = Told()
    told.prompt("hello")
    before = told.chunk()
    told.say("user_message_chunk", content={"type": "text", "text": "hello"})
    assert told.chunk().message_id == before.message_id


def test_replayed_user_messages_are_shown() -> None:
    assert Told().chunk("user", "from before").role == "user"


def test_sessions_do_not_share_memory() -> None:
    told = Told()
    mine = told.chunk(messageId="a")
    content = {"type": "text", "text": "x"}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    _, updates = told.dialect.read_update({"sessionId": "other", "update": update})
    assert only(MessageChunk, updates).message_id != mine.message_id
