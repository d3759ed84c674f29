"""Text on its way to the thread that writes: nothing is lost, whoever goes first."""

import threading
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.records.lines import JOINED
from acp_tui.host.records.recorder import Growing, Recorder
from acp_tui.host.records.recording import Recording
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.terminals import TerminalOutputChunk
from acp_tui.protocol.vocabulary.updates import MessageChunk, Update
from acp_tui.session.state import Session
from tests.unit.session.speech import say, think, user

WHAT = ("agent_message_chunk", "a")


def text_of(chunk: Update | None) -> str:
    if chunk is None:
        return ""
    assert isinstance(chunk, MessageChunk)
    assert isinstance(chunk.content, TextContent)
    return chunk.content.text


@given(st.lists(st.one_of(st.none(), st.text(max_size=5)), max_size=30))
def test_what_goes_in_comes_out_however_often_it_is_taken(steps: list[str | None]) -> None:
    growing = Growing(say("first "), WHAT)
    out: list[str] = []
    for step in steps:
        if step is None:
            out.append(text_of(growing.take()))
        else:
            assert growing.grow(say(step), WHAT)
    out.append(text_of(growing.take()))
    assert "".join(out) == "first " + "".join(step for step in steps if step is not None)
    assert growing.take() is None


def joined(*events: Update) -> list[Update | None]:
    """What the lines of a record say of events that came together."""
    sent: list[Any] = []
    session = Session("s", "/", clock=lambda: 0.0)
    recording = Recording(Path("/nowhere"), dict)
    Recorder(session, recording, lambda item: sent.append(item[1][1]), lambda: None, lambda _: lambda: None)
    for event in events:
        session.apply(event)
    return [one.take() if isinstance(one, Growing) else one for one in sent]


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


def test_two_threads_lose_nothing() -> None:
    growing = Growing(say(""), WHAT)
    out: list[str] = []
    sent = threading.Semaphore(1)  # the first is on its way
    over = threading.Event()

    def write() -> None:
        while not over.is_set() or sent._value:
            if sent.acquire(timeout=0.01):
                out.append(text_of(growing.take()))

    writer = threading.Thread(target=write)
    writer.start()
    for number in range(3_000):
        growing.grow(say(f"{number} "), WHAT)
        if growing.taken:
            growing.taken = False
            sent.release()
    over.set()
    writer.join(20)
    assert "".join(out).split() == [str(number) for number in range(3_000)]
