"""How long ago a message was, where no snapshot tells it."""

from types import SimpleNamespace
from typing import Any, cast

from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.session.state import CopiedHistory, Session
from acp_tui.ui.branches.rewind import RewindSource
from tests.unit.session.speech import prompt, user


class NoSnapshots:
    off, points = "snapshots are switched off", ()

    def before(self, _prompts: int, _words: str) -> None:
        return None


def times(session: Session) -> list[str]:
    source = RewindSource(cast("Any", SimpleNamespace(session=session)), cast("SessionChanges", NoSnapshots()))
    return [source.detail(message) for message in source.messages]


def test_it_is_counted_from_when_the_message_was_sent() -> None:
    clock = SimpleNamespace(now=1000.0)
    session = Session("s", "/project", clock=lambda: clock.now)
    session.apply(prompt("first", "p1"))
    clock.now += 300
    session.apply(prompt("second", "p2"))
    clock.now += 30
    assert times(session) == ["5 min", "now"]


def test_what_an_agent_tells_again_or_a_record_has_is_of_no_known_time() -> None:
    session = Session("s", "/project", clock=lambda: 1000.0)
    session.apply(user("told again"))
    assert times(session) == [""]
    recorded = Session("s", "/project", clock=lambda: -60.0)
    recorded.apply(prompt("recorded"))
    session = Session("s", "/project", clock=lambda: 1000.0)
    session.apply(CopiedHistory(recorded, ""))
    assert times(session) == [""]
