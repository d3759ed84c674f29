"""Text and output that come in pieces share lines."""

from acp_tui.host.records import lines
from acp_tui.host.records.lines import JOINED, lines_of
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.terminals import TerminalOutputChunk
from acp_tui.protocol.vocabulary.updates import MessageChunk, Update
from acp_tui.session.facts import Fact
from tests.unit.session.speech import say, think, user


def text_of(chunk: Update | Fact) -> str:
    assert isinstance(chunk, MessageChunk)
    assert isinstance(chunk.content, TextContent)
    return chunk.content.text


def joined(*events: Update) -> list[Update | Fact]:
    """What the lines of a record say of events that came together."""
    return [event for event, _ in lines_of(lines.joined((0.0, event) for event in events))]


def test_growing_text_is_one_line_until_something_comes_between() -> None:
    joint = joined(say("a"), say("b"), user("c"), say("d"))
    assert [text_of(event) for event in joint] == ["ab", "c", "d"]


def test_output_is_joined_by_terminal() -> None:
    def output(name: str, data: bytes) -> TerminalOutputChunk:
        return TerminalOutputChunk(terminal_id=name, data=data)

    joint = joined(output("1", b"a"), output("1", b"\xff"), output("2", b"c"))
    assert joint == [output("1", b"a\xff"), output("2", b"c")]


def test_text_with_more_to_it_stands_alone() -> None:
    content = TextContent.model_validate({"type": "text", "text": "b", "annotations": {"priority": 1}})
    special = MessageChunk(session_update="agent_message_chunk", message_id="a", content=content)
    assert joined(say("a"), special, say("c")) == [say("a"), special, say("c")]


def test_a_flood_of_text_becomes_few_lines_that_are_not_endless() -> None:
    assert 5 <= len(joined(*[say("x" * 24) for _ in range(10_000)])) <= 10


def test_messages_and_kinds_are_kept_apart() -> None:
    assert (
        len(joined(say("a"), think("b"), say("b", "other"), say("x" * (JOINED + 1), "other"), say("b", "other"))) == 4
    )
