"""What the first prompt of a new session carries of the conversation before it."""

import pytest

from acp_tui.host.sessions.continuation import CUT, carried, own_blocks
from acp_tui.protocol.vocabulary.content import EmbeddedResource, TextContent, TextResource, for_agent_only
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, MessageUpdate
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, ToolCallUpdate
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import Noticed
from acp_tui.session.folds import messages
from acp_tui.session.folds.messages import is_carried
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import CARRIED, CARRIED_URI
from tests.unit.session.speech import idle, running, say, text, told, user


def conversation() -> Session:
    """Two questions; for each answer a tool gave 1,000 characters."""
    one = told()
    for number in "12":
        printed = f"output {number} " * 100
        output = [ContentItem(content=text(printed))]
        call = ToolCallUpdate(tool_call_id=number, title=f"Look {number}", status="completed", content=output)
        thought = MessageChunk(session_update="agent_thought_chunk", message_id=number, content=text("a thought"))
        one.apply(user(f"question {number}", number), running(), thought, call, say(f"answer {number}", number), idle())
    one.apply(Noticed("info", "a notice"))
    return one.session


def text_of(session: Session, cap: int = 200_000) -> tuple[str, str]:
    given = carried(session, embedded=True, cap=cap)
    assert isinstance(given.block, EmbeddedResource)
    assert isinstance(given.block.resource, TextResource)
    return given.block.resource.text, given.lacks


def test_what_was_said_and_done_is_carried_in_order() -> None:
    carries, lacks = text_of(conversation())
    words = ("question 1", "Look 1", "output 1", "answer 1", "question 2", "output 2", "answer 2")
    places = [carries.index(each) for each in words]
    assert places == sorted(places)
    assert lacks == ""
    assert "thought" not in carries
    assert "notice" not in carries


def test_it_is_for_the_agent_and_known_again() -> None:
    for embedded in (True, False):
        block = carried(conversation(), embedded=embedded).block
        assert block.type == ("resource" if embedded else "text")
        assert is_carried(block)
        assert isinstance(block, EmbeddedResource | TextContent)
        assert for_agent_only(block)
    assert not is_carried(TextContent(text=CARRIED))


def test_the_oldest_outputs_go_first_and_then_the_beginning() -> None:
    carries, lacks = text_of(conversation(), 1_500)
    assert ("output 1" in carries, "Look 1" in carries, "output 2" in carries) == (False, True, True)
    assert lacks == "the details of one tool call"
    carries, lacks = text_of(conversation(), 60)
    assert CUT in carries
    assert carries.endswith("answer 2\n")
    assert len(carries) < 60 + len(CARRIED) + len(CUT) + 10
    assert lacks == "the details of one tool call and the beginning"


@pytest.mark.parametrize("embedded", [True, False])
def test_what_was_carried_before_is_not_carried_again(*, embedded: bool) -> None:
    session, long = conversation(), conversation()
    long.apply(say("long " * 20_000, "l"))  # of which a message has several blocks
    before = carried(long, embedded=embedded).block
    sent = [before, text("go on")]
    session.apply(MessageUpdate(session_update="user_message", message_id="3", content=sent))
    carries, _ = text_of(session)
    assert (carries.count("question 1"), carries.count("long")) == (1, 0)
    [message] = [each for each in session.entries if isinstance(each, MessageEntry) and each.id == "3"]
    assert own_blocks(message) == [text("go on")]


@pytest.mark.parametrize("before", ["", f"[{CARRIED_URI}]\n"])
def test_what_an_agent_tells_again_of_it_as_text_is_known(before: str) -> None:
    block = carried(conversation(), embedded=False).block
    assert isinstance(block, TextContent)
    again = before + block.text
    one = told()
    one.apply(user(again, "1"), user("go on", "1"), say("answer", "1"), say(again, "2"))
    content = [text(again), text("and on")]
    one.apply(MessageUpdate(session_update="user_message", message_id="2", content=content))
    one.apply(MessageUpdate(session_update="user_message", message_id="3", content=content, from_here=True))
    own = {each.id: each for each in one.session.entries if isinstance(each, MessageEntry) and each.role == "user"}
    assert [messages.text_of(own[id_].parts) for id_ in "123"] == ["go on", "and on", f"{again}and on"]
    assert own_blocks(own["1"]) == [text("go on")]
    answer = one.session.entries[1]
    assert isinstance(answer, MessageEntry)
    assert messages.text_of(answer.parts) == "answer"
