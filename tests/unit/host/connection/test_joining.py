from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.connection.connection import LONGEST, MOST, joined
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.session_updates import MessageChunk
from acp_tui.session.state import Session
from acp_tui.wire.jsonrpc import Notification
from acp_tui.wire.peer import Event, StrayMessage
from tests.examples import THOROUGH
from tests.rows import each_of

KINDS = ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"]


def chunk(text: object, kind: str = KINDS[0], session: str = "s", message: object = "m", **more: Any) -> Notification:
    update = {"sessionUpdate": kind, "messageId": message, "content": {"type": "text", "text": text}, **more}
    if message is None:
        del update["messageId"]
    return Notification("session/update", {"sessionId": session, "update": update})


def always(_session_id: str) -> bool:
    return True


def texts(events: list[Event]) -> list[str]:
    one = list(joined(events, always))
    return [each.params["update"]["content"]["text"] for each in one if isinstance(each, Notification)]


def test_a_run_of_chunks_is_one_and_what_interrupts_it_keeps_its_place() -> None:
    noise = StrayMessage("malformed", "not JSON")
    assert list(joined([chunk("a"), chunk("b"), noise, chunk("c")], always)) == [chunk("ab"), noise, chunk("c")]


def test_chunks_of_a_child_are_joined_and_never_with_those_of_another_session() -> None:
    asked: list[str] = []

    def joins(session_id: str) -> bool:
        asked.append(session_id)
        return session_id != "stranger"

    events: list[Event] = [chunk(text, session=name) for name in ("root", "kid", "stranger", "kid") for text in "ab"]
    assert list(joined(events, joins)) == [
        chunk("ab", session="root"),
        chunk("ab", session="kid"),
        *(chunk(text, session="stranger") for text in "ab"),
        chunk("ab", session="kid"),
    ]
    assert "kid" in asked


@each_of(
    "other",
    [
        chunk("b", kind=KINDS[1]),
        chunk("b", session="t"),
        chunk("b", message="n"),
        chunk("b", message=None),
        chunk("b", _meta={"x": 1}),
        chunk(5),
        chunk("b", content={"type": "text", "text": "b", "annotations": {"audience": ["assistant"]}}),
        chunk("b", content={"type": "image", "text": "b"}),
        chunk("b", content=[]),
        Notification("session/update", {"sessionId": "s", "update": chunk("b").params["update"], "_meta": {}}),
        Notification("session/update", [1, 2]),
        Notification("other", chunk("b").params),
    ],
)
def test_what_says_more_or_something_else_stays_alone(other: Notification) -> None:
    assert list(joined([chunk("a"), other, chunk("c")], always)) == [chunk("a"), other, chunk("c")]
    assert list(joined([other, chunk("c")], always)) == [other, chunk("c")]


def test_chunks_of_the_user_are_not_joined() -> None:
    events = [chunk("a", kind=KINDS[2]), chunk("b", kind=KINDS[2])]
    assert list(joined(events, always)) == events


def test_who_hears_it_may_want_every_chunk() -> None:
    asked: list[str] = []

    def never(session_id: str) -> bool:
        asked.append(session_id)
        return False

    events = [chunk("a"), chunk("b"), chunk("c", message=None)]
    assert list(joined(events, never)) == events
    assert asked == ["s"] * 3
    assert list(joined([chunk("")] * 2, never)) == [chunk("")] * 2


def test_a_run_has_an_end() -> None:
    assert [len(text) for text in texts([chunk("x")] * (MOST + 1))] == [MOST, 1]
    half = "x" * (LONGEST // 2)
    assert texts([chunk(half)] * 3) == [half * 2, half]
    assert texts([chunk("a"), chunk("b" * LONGEST), chunk("c")]) == ["a", "b" * LONGEST, "c"]


some = st.builds(
    chunk,
    st.text("ab ", max_size=3),
    st.sampled_from(KINDS),
    st.just("s"),
    st.sampled_from([None, "", "m", "n"]),
)
tool = Notification(
    "session/update", {"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T"}}
)


@THOROUGH
@given(st.lists(some | st.just(tool), max_size=12))
def test_a_session_becomes_the_same(events: list[Event]) -> None:
    """Joined or not."""
    one = list(joined(events, always))
    assert _told(Version1Dialect(), events) == _told(Version1Dialect(), one)
    assert _told(Version2Dialect(), events) == _told(Version2Dialect(), one)


def _told(dialect: Dialect, events: list[Event]) -> list[Any]:
    session = Session("s", "/", clock=lambda: 0.0)
    for event in events:
        if isinstance(event, Notification):
            for update in dialect.read_update(event.params)[1]:
                session.apply(update)
    return [_without_split(entry) for entry in session.entries]


def _without_split(entry: Any) -> Any:
    parts = [getattr(part, "text", part) for part in getattr(entry, "parts", [])]
    return (type(entry), getattr(entry, "id", ""), getattr(entry, "count", 0), parts)


def test_a_joined_chunk_is_a_chunk() -> None:
    [event] = joined([chunk("a"), chunk("b")], always)
    assert isinstance(event, Notification)
    [update] = Version1Dialect().read_update(event.params)[1]
    assert isinstance(update, MessageChunk)
