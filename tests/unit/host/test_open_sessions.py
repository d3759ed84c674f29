"""Sessions by id: what comes for none of them is told, and ids that the agent makes up are not kept for good."""

from acp_tui.host.early_updates import SESSIONS
from acp_tui.host.open_sessions import LEFT, OpenSessions
from acp_tui.protocol.updates import SessionInfoUpdate

UPDATE = SessionInfoUpdate(title="x")


def test_updates_for_more_sessions_than_are_held_are_told_together() -> None:
    heard: list[tuple[str, str]] = []
    sessions = OpenSessions(lambda kind, message: heard.append((kind, message)))
    sessions.expect()
    for number in range(SESSIONS + 5):
        sessions.deliver(f"s-{number}", [UPDATE])
    assert heard == []
    sessions.settle()
    assert len(heard) == SESSIONS + 1
    assert ("unknown session", f"5 for more than {SESSIONS} others") in heard


def test_sessions_that_were_left_long_ago_are_not_remembered() -> None:
    heard: list[tuple[str, str]] = []
    sessions = OpenSessions(lambda kind, message: heard.append((kind, message)))
    for number in range(LEFT + 1):
        sessions.remove(f"s-{number}")
    sessions.deliver("s-1", [UPDATE])
    assert heard == []
    sessions.deliver("s-0", [UPDATE])
    assert heard == [("unknown session", "'s-0'")]
