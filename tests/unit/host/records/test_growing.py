"""Text on its way to the thread that writes: nothing is lost, whoever goes first."""

import threading

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.records.growing import JOINED, GrowingText
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.updates import MessageChunk
from tests.unit.session.speech import say, think


def text_of(chunk: MessageChunk | None) -> str:
    if chunk is None:
        return ""
    assert isinstance(chunk.content, TextContent)
    return chunk.content.text


@given(st.lists(st.one_of(st.none(), st.text(max_size=5)), max_size=30))
def test_what_goes_in_comes_out_however_often_it_is_taken(steps: list[str | None]) -> None:
    growing = GrowingText(say("first "))
    out: list[str] = []
    for step in steps:
        if step is None:
            out.append(text_of(growing.take()))
        else:
            assert growing.grow(say(step))
    out.append(text_of(growing.take()))
    assert "".join(out) == "first " + "".join(step for step in steps if step is not None)
    assert growing.take() is None


def test_only_plain_chunks_of_the_same_message_join() -> None:
    growing = GrowingText(say("a"))
    content = TextContent.model_validate({"type": "text", "text": "b", "extra": 1})
    assert not growing.grow(think("b"))
    assert not growing.grow(say("b", "other"))
    assert not growing.grow(MessageChunk(session_update="agent_message_chunk", message_id="a", content=content))
    assert growing.grow(say("x" * (JOINED + 1)))
    assert not growing.grow(say("b"))


def test_two_threads_lose_nothing() -> None:
    growing = GrowingText(say(""))
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
        growing.grow(say(f"{number} "))
        if growing.taken:
            growing.taken = False
            sent.release()
    over.set()
    writer.join(20)
    assert "".join(out).split() == [str(number) for number in range(3_000)]
