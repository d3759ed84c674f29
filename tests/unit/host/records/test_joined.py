"""Text and output that come in pieces share lines, and none is lost or there twice whoever goes first."""

import threading
from pathlib import Path

import pytest

from acp_tui.host.records.event_codec import JOINED, GrowingText, growth, read_lines
from acp_tui.host.records.records import Records
from acp_tui.host.system.threads import WriteBehind
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, Update
from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk
from acp_tui.session.facts import Fact
from acp_tui.session.state import Session
from tests.unit.session.speech import idle, running, say, think, user


def text_of(chunk: Update | Fact) -> str:
    assert isinstance(chunk, MessageChunk)
    assert isinstance(chunk.content, TextContent)
    return chunk.content.text


def joined(*events: Update) -> list[Update | Fact]:
    """What the lines of a record say of events that came together."""
    told: list[Update | Fact | GrowingText] = []
    for event in events:
        what, last = growth(event), told[-1] if told else None
        if not (isinstance(last, GrowingText) and last.grow(event, what)):
            told.append(event if what is None else GrowingText(event, what))
    return [event.take() if isinstance(event, GrowingText) else event for event in told]


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


def test_a_first_piece_that_fills_a_line_has_it_alone() -> None:
    assert joined(say("x" * (JOINED + 1)), say("b")) == [say("x" * (JOINED + 1)), say("b")]


def test_what_was_taken_grows_no_more() -> None:
    growing = GrowingText(say("a"), ("agent_message_chunk", "a"))
    assert text_of(growing.take()) == "a"
    assert not growing.grow(say("b"), ("agent_message_chunk", "a"))
    assert text_of(growing.take()) == "a"


def test_two_threads_lose_nothing_and_double_nothing() -> None:
    what, count, out = ("agent_message_chunk", "a"), 20_000, list[str]()
    latest = [GrowingText(say(""), what)]
    over = threading.Event()

    def write() -> None:
        done = 0
        while not over.is_set() or done < len(latest):
            if done < len(latest):
                out.append(text_of(latest[done].take()))
                done += 1

    writer = threading.Thread(target=write)
    writer.start()
    for number in range(count):
        if not latest[-1].grow(say(f"{number} "), what):
            latest.append(GrowingText(say(f"{number} "), what))
    over.set()
    writer.join(60)
    assert "".join(out).split() == [str(number) for number in range(count)]


def test_a_record_has_a_flood_in_few_lines_in_its_order(tmp_path: Path) -> None:
    records, session = Records(tmp_path), Session("s", "/")
    records.record(session)
    for number in range(5_000):
        session.apply(say(f"{number} "))
    assert records.close() == []
    [path] = tmp_path.glob("*.jsonl")
    told = [line["data"]["content"]["text"] for line in read_lines(path) if line["kind"] == "MessageChunk"]
    assert "".join(told).split() == [str(number) for number in range(5_000)]
    assert len(told) < 100


def test_a_turns_end_is_written_soon_its_beginning_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for way in ("hurry", "soon"):
        monkeypatch.setattr(WriteBehind, way, lambda _self, way=way: asked.append(way))
    records, session = Records(tmp_path), Session("s", "/")
    records.record(session)
    session.apply(running())
    session.apply(idle())
    assert asked == ["hurry", "soon"]
    monkeypatch.undo()
    assert records.close() == []
