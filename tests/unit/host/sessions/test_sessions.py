"""Sessions by id: what comes for none of them is told, and ids that the agent makes up are not kept for good."""

from acp_tui.host.sessions.open_session import OpenSessions
from acp_tui.host.sessions.session_routing import LEFT, OTHERS, SESSIONS, EarlyUpdates, Sessions
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.host.system.workspace import Workspace
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.vocabulary.session_updates import SessionInfoUpdate, Update
from acp_tui.session.state import Session

UPDATE = SessionInfoUpdate(title="x")


class Hearing(Sessions):
    """Sessions that remember the noise."""

    def __init__(self) -> None:
        super().__init__(OpenSessions(), ("agent",), asks=False)
        self.heard: list[tuple[str, str]] = []

    def hear(self, kind: str, message: str) -> None:
        self.heard.append((kind, message))


def test_updates_for_more_sessions_than_are_held_are_told_together() -> None:
    sessions = Hearing()
    sessions.expect()
    for number in range(SESSIONS + 5):
        sessions.deliver(f"s-{number}", [UPDATE])
    assert sessions.heard == []
    sessions.settle()
    assert len(sessions.heard) == SESSIONS + 1
    assert ("unknown session", f"5 for more than {SESSIONS} others") in sessions.heard


def test_sessions_that_were_left_long_ago_are_not_remembered() -> None:
    sessions = Hearing()
    for number in range(LEFT + 1):
        sessions.leave(f"s-{number}")
    sessions.deliver("s-1", [UPDATE])
    assert sessions.heard == []
    sessions.deliver("s-0", [UPDATE])
    assert sessions.heard == [("unknown session", "'s-0'")]


def titled(*titles: str) -> list[Update]:
    return [SessionInfoUpdate(title=title) for title in titles]


def test_updates_wait_in_order_for_their_session() -> None:
    early = EarlyUpdates()
    early.add("a", titled("1", "2"))
    early.add("b", titled("x"))
    early.add("a", titled("3"))
    assert early.take("a") == (titled("1", "2", "3"), 0)
    assert early.take("a") == ([], 0)
    assert early.take("b") == (titled("x"), 0)


def test_what_is_over_the_cap_is_counted() -> None:
    early = EarlyUpdates(cap=3)
    early.add("a", titled("1", "2"))
    early.add("b", titled("x", "y", "z"))
    early.add("a", titled("3"))
    assert early.take("a") == (titled("1", "2"), 1)
    assert early.take("b") == (titled("x"), 2)


def test_taking_makes_room() -> None:
    early = EarlyUpdates(cap=1)
    early.add("a", titled("1"))
    early.take("a")
    early.add("b", titled("x"))
    assert early.take("b") == (titled("x"), 0)


def test_clearing_tells_what_there_was() -> None:
    early = EarlyUpdates(cap=2)
    early.add("a", titled("1"))
    early.add("b", titled("x", "y"))
    assert early.clear() == {"a": 1, "b": 2}
    assert early.clear() == {}
    assert early.take("a") == ([], 0)


def test_ids_that_the_agent_makes_up_are_counted_and_not_held() -> None:
    early = EarlyUpdates(cap=1)
    for number in range(3 * SESSIONS):
        early.add(f"made up {number}", titled("x", "y"))
    assert len(early._held) == SESSIONS
    counts = early.clear()
    assert len(counts) == SESSIONS + 1
    assert counts[OTHERS] == 4 * SESSIONS
    assert sum(counts.values()) == 6 * SESSIONS


def test_nobody_is_asked_for_the_options_of_an_aside() -> None:
    scope = SessionScope("/project")
    opened = OpenSessions()
    opened.begin(SessionSource(Session("one", "/project"), scope))
    sessions = Sessions(opened, ("agent",), asks=True)
    opened.begin(SessionSource(Session("aside", "/project"), scope, aside=True))
    assert [conversation.input_options.asks for conversation in sessions] == [True, False]


def test_a_session_has_one_conversation_from_its_beginning_until_it_is_put_away() -> None:
    opened, session = OpenSessions(), Session("one", "/project")
    sessions = Sessions(opened, ("agent",), asks=True)
    begun = opened.begin(SessionSource(session, SessionScope("/project")))
    assert [*sessions] == [begun.conversation] == [opened[session].conversation]
    assert opened.with_id("one") is begun
    sessions.add(begun.conversation, Workspace(SessionScope("/project"), lambda _id, _update: None))
    assert sessions.find("one") is begun
    opened.remove(session)
    assert ([*sessions], opened.get(session), opened.with_id("one")) == ([], None, None)


def test_a_session_that_was_put_away_before_its_agent_named_it_is_found_to_be_closed() -> None:
    opened, session = OpenSessions(), Session("late", "/project")
    sessions = Sessions(opened, ("agent",), asks=True)
    conversation = opened.begin(SessionSource(session, SessionScope("/project"))).conversation
    opened.remove(session)
    sessions.add(conversation, Workspace(SessionScope("/project"), lambda _id, _update: None))
    assert sessions.leave("late")
    assert sessions.find("late") is None
