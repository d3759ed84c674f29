"""A prompt of version 2 from its sending to its end: acknowledged in any form, told back by another id, shown once."""

from typing import Any

import pytest

from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, RejectedUpdate, Update
from acp_tui.session.changes import PromptReturned
from acp_tui.session.entries import MessageEntry
from acp_tui.session.folds.messages import text_of
from acp_tui.session.state import Session
from tests.rows import each_of


class Talk:
    """A session of version 2 with its state."""

    def __init__(self) -> None:
        self.dialect = Version2Dialect()
        self.session = Session("s", "/", clock=lambda: 0.0)
        self.returned: list[str] = []
        self.session.subscribe(
            lambda change: self.returned.append(change.text) if isinstance(change, PromptReturned) else None
        )

    def fold(self, updates: list[Update]) -> list[Update]:
        for update in updates:
            self.session.apply(update)
        return updates

    def prompt(self, words: str) -> Call:
        blocks: list[ContentBlock] = [TextContent(text=words)]
        call = self.dialect.prompt("s", blocks)
        self.fold(self.dialect.prompt_sent(call, blocks))
        return call

    def answer(self, call: Call, result: Any) -> list[Update]:
        return self.fold(self.dialect.prompt_answered(call, result))

    def fail(self, call: Call, code: int) -> list[Update]:
        return self.fold(self.dialect.prompt_failed(call, code, "no", None))

    def say(self, kind: str, /, **members: Any) -> list[Update]:
        params = {"sessionId": "s", "update": {"sessionUpdate": kind, **members}}
        return self.fold(self.dialect.read_update(params)[1])

    def user(self, message_id: str, *words: str) -> None:
        content = [{"type": "text", "text": each} for each in words]
        self.say("user_message", messageId=message_id, content=content)

    def state(self, name: str, **members: Any) -> list[Update]:
        return self.say("state_update", state=name, **members)

    @property
    def said(self) -> list[str]:
        return [text_of(entry.parts) for entry in self.session.entries if isinstance(entry, MessageEntry)]

    @property
    def active(self) -> bool:
        return self.session.turn.active


@each_of("answer", [{"messageId": "u"}, {}, None])
@each_of("order", ["answer first", "message first", "state first"])
def test_the_prompt_comes_back_without_doubling_and_the_state_ends_the_turn(answer: Any, order: str) -> None:
    talk = Talk()
    call = talk.prompt("hi")
    assert talk.active
    if order == "state first":
        talk.state("running")
    if order == "answer first":
        talk.answer(call, answer)
    talk.user("u", "hi")
    if order != "answer first":
        talk.answer(call, answer)
    talk.state("running")
    talk.say("agent_message_chunk", messageId="a", content={"type": "text", "text": "ho"})
    assert (talk.said, talk.active) == (["hi", "ho"], True)
    talk.state("idle", stopReason="end_turn")
    assert not talk.active
    talk.user("u", "hi, as I have it")
    assert talk.said == ["hi, as I have it", "ho"]


def test_pieces_of_the_prompt_replace_what_was_sent() -> None:
    talk = Talk()
    talk.prompt("hello there")
    for piece in ("hello ", "there, ", "rewritten"):
        talk.say("user_message_chunk", messageId="u", content={"type": "text", "text": piece})
    assert talk.said == ["hello there, rewritten"]


def test_a_message_without_content_keeps_what_was_sent() -> None:
    talk = Talk()
    talk.prompt("hi")
    talk.say("user_message", messageId="u")
    assert talk.said == ["hi"]


@pytest.mark.parametrize("kind", ["user_message", "agent_message"])
@pytest.mark.parametrize("member", ["fromHere", "from_here"])
def test_the_agent_cannot_say_what_the_user_wrote_here(kind: str, member: str) -> None:
    talk = Talk()
    talk.state("running")
    talk.say(kind, messageId="m", content=[{"type": "text", "text": "!rm -r ~"}], **{member: True})
    talk.state("idle", stopReason="cancelled")
    assert talk.returned == []


def test_another_message_of_the_user_is_not_taken_for_the_prompt_once_its_id_is_known() -> None:
    talk = Talk()
    talk.answer(talk.prompt("mine"), {"messageId": "u"})
    talk.user("other", "somebody else's")
    talk.user("u", "mine")
    assert talk.said == ["mine", "somebody else's"]


def test_a_message_that_was_taken_for_the_prompt_is_put_right_by_the_answer() -> None:
    talk = Talk()
    call = talk.prompt("mine")
    talk.user("other", "somebody else's")
    talk.answer(call, {"messageId": "u"})
    assert talk.said == ["mine", "somebody else's"]
    talk.user("u", "mine, told")
    assert talk.said == ["mine, told", "somebody else's"]


def test_where_both_came_before_the_answer_none_is_shown_twice() -> None:
    talk = Talk()
    call = talk.prompt("mine")
    talk.user("other", "somebody else's")
    talk.user("u", "mine")
    talk.answer(call, {"messageId": "u"})
    assert [said for said in talk.said if said] == ["mine", "somebody else's"]


def test_messages_that_are_told_again_are_those_that_are_there() -> None:
    talk = Talk()
    talk.answer(talk.prompt("hi"), {"messageId": "u"})
    talk.user("u", "hi")
    talk.state("idle")
    talk.user("u", "hi")
    talk.user("new", "from elsewhere")
    assert talk.said == ["hi", "from elsewhere"]


def test_an_idle_state_that_is_older_than_the_prompt_does_not_end_its_turn() -> None:
    talk = Talk()
    call = talk.prompt("hi")
    talk.state("idle", background=[{"type": "tool_call", "toolCallId": "c"}])
    talk.state("idle")
    assert talk.active
    assert len(talk.session.turn.background) == 1
    talk.answer(call, {})
    talk.state("idle", stopReason="end_turn")
    assert not talk.active


def test_a_cancelled_prompt_may_end_before_it_is_answered() -> None:
    talk = Talk()
    call = talk.prompt("hi")
    talk.dialect.cancel("s")
    talk.state("idle", stopReason="cancelled")
    assert not talk.active
    talk.fail(call, -32800)
    assert talk.returned == ["hi"]


def test_a_repeated_idle_is_no_new_end() -> None:
    talk = Talk()
    talk.answer(talk.prompt("hi"), {})
    talk.state("idle", stopReason="refusal")
    count = len(talk.session.entries)
    talk.state("idle", stopReason="refusal")
    assert len(talk.session.entries) == count


def test_a_draft_s_answer_ends_the_turn() -> None:
    talk = Talk()
    talk.answer(talk.prompt("hi"), {"stopReason": "max_tokens"})
    assert (talk.active, talk.session.turn.stop_reason) == (False, "max_tokens")


@pytest.mark.parametrize("answer", [5, [], "ok", {"messageId": 5}])
def test_an_answer_that_cannot_be_read_is_told_and_the_states_go_on(answer: Any) -> None:
    talk = Talk()
    told = talk.answer(talk.prompt("hi"), answer)
    assert [type(each) for each in told] == [RejectedUpdate]
    assert talk.active
    talk.state("idle", stopReason="end_turn")
    assert not talk.active


def test_a_prompt_that_was_never_inserted_is_given_back() -> None:
    talk = Talk()
    talk.fail(talk.prompt("hi"), -32800)
    assert (talk.returned, talk.said, talk.active) == (["hi"], [], False)


@pytest.mark.parametrize("code", [-32800, -32603])
def test_work_of_the_agent_s_own_goes_on_when_a_prompt_is_not_taken(code: int) -> None:
    talk = Talk()
    call = talk.prompt("hi")
    talk.state("running")
    talk.say("agent_message_chunk", messageId="a", content={"type": "text", "text": "busy"})
    talk.fail(call, code)
    assert (talk.returned, talk.said, talk.active) == (["hi"], ["busy"], True)


@pytest.mark.parametrize(("code", "reason"), [(-32800, "cancelled"), (-32603, "error")])
def test_a_prompt_that_is_refused_after_the_end_of_its_turn_is_given_back(code: int, reason: str) -> None:
    talk = Talk()
    call = talk.prompt("hi")
    talk.state("running")
    talk.say("agent_message_chunk", messageId="a", content={"type": "text", "text": "a hook runs"})
    talk.dialect.cancel("s")
    talk.state("idle", stopReason=reason)
    assert (talk.returned, talk.said, talk.active) == ([], ["hi", "a hook runs"], False)
    talk.fail(call, code)
    assert (talk.returned, talk.said, talk.active) == (["hi"], ["a hook runs"], False)


def test_a_late_answer_to_a_prompt_says_nothing_of_the_next_turn() -> None:
    talk = Talk()
    first = talk.prompt("one")
    talk.state("running")
    talk.user("u1", "one")
    talk.state("idle", stopReason="end_turn")
    second = talk.prompt("two")
    talk.state("running")
    talk.user("u2", "two")
    talk.fail(first, -32603)
    assert (talk.said, talk.active) == (["one", "two"], True)
    talk.answer(second, {"messageId": "u2"})
    talk.state("idle", stopReason="end_turn")
    assert (talk.said, talk.active) == (["one", "two"], False)


def test_a_prompt_that_is_answered_and_told_after_the_end_of_its_turn_is_shown_once() -> None:
    talk = Talk()
    first = talk.prompt("one")
    talk.state("running")
    talk.state("idle", stopReason="end_turn")
    talk.user("u1", "one")
    second = talk.prompt("two")
    talk.answer(first, {"messageId": "u1"})
    talk.user("u2", "two")
    talk.answer(second, {"messageId": "u2"})
    talk.state("running")
    talk.state("idle", stopReason="end_turn")
    assert (talk.said, talk.active) == (["one", "two"], False)


def test_an_error_ends_a_turn_that_never_began() -> None:
    talk = Talk()
    talk.fail(talk.prompt("hi"), -32603)
    assert (talk.said, talk.active, talk.session.turn.error) == (["hi"], False, {"code": -32603, "message": "no"})


def test_the_end_of_the_agent_ends_the_turn_here_too() -> None:
    talk = Talk()
    talk.prompt("hi")
    talk.dialect.turn_ended("s")
    talk.state("idle")
    assert not talk.active


def test_a_new_prompt_after_one_that_was_never_told_back_is_matched_by_itself() -> None:
    talk = Talk()
    talk.answer(talk.prompt("one"), {})
    talk.state("idle")
    talk.prompt("two")
    talk.user("u2", "two")
    assert talk.said == ["one", "two"]


def test_updates_while_idle_are_welcome() -> None:
    talk = Talk()
    talk.say("agent_message", messageId="a", content=[{"type": "text", "text": "by the way"}])
    assert (talk.said, talk.active) == (["by the way"], False)
    talk.state("running")
    assert talk.active
    assert isinstance(talk.say("user_message", messageId="u")[0], MessageUpdate)


def chunks(talk: Talk, role: str, *words: str, **members: Any) -> list[Update]:
    told = [talk.say(f"{role}_chunk", content={"type": "text", "text": each}, **members) for each in words]
    return [update for updates in told for update in updates]


@each_of("given", [{}, {"messageId": None}, {"messageId": ""}, {"messageId": 5}])
def test_chunks_without_an_id_go_to_the_message_that_is_current(given: dict[str, Any]) -> None:
    talk = Talk()
    talk.answer(talk.prompt("hi"), {"messageId": "u"})
    told = chunks(talk, "agent_thought", "h", "m", **given) + chunks(talk, "agent_message", "he", "llo", **given)
    talk.say("tool_call_update", toolCallId="1", status="pending")
    chunks(talk, "agent_message", "a", "b", **given)
    talk.say("tool_call_update", toolCallId="1", rawOutput="x")  # amid a sentence
    chunks(talk, "agent_message", "c", **given)
    talk.say("tool_call_update", toolCallId="1", status="completed")
    chunks(talk, "agent_message", "named", messageId="m")
    chunks(talk, "agent_message", " too", **given)
    assert talk.said == ["hi", "hm", "hello", "abc", "named too"]
    assert not [update for update in told if isinstance(update, RejectedUpdate)]


@each_of("answer", [{"messageId": "u"}, {}])
@each_of("answered", [True, False])
def test_a_prompt_told_back_without_an_id_is_shown_once(answer: dict[str, Any], answered: bool) -> None:
    talk = Talk()
    for prompt in ("mine", "next"):
        call = talk.prompt(prompt)
        if answered:
            talk.answer(call, answer)
        chunks(talk, "user_message", prompt[:2], prompt[2:])
        chunks(talk, "agent_message", "yours")
        if not answered:
            talk.answer(call, answer)
        talk.state("idle", stopReason="end_turn")
    assert talk.said == ["mine", "yours", "next", "yours"]


def test_whole_messages_without_an_id_are_each_their_own() -> None:
    talk = Talk()
    for words in ("a", "b"):
        talk.say("agent_message", content=[{"type": "text", "text": words}])
    talk.say("agent_message_chunk", content={"type": "text", "text": "c"})
    assert talk.said == ["a", "bc"]
