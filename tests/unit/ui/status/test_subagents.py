"""Why it is quiet: the status line tells of subagents that work or wait."""

from acp_tui.host.client import Connection
from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.permissions import PermissionRequest
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.protocol.vocabulary.updates import StateUpdate, SubagentUpdate
from acp_tui.session.facts import AgentGone, PermissionReceived, SubagentEvent
from acp_tui.session.state import Session
from acp_tui.ui.status.line import Status, status_of

RUNNING = {"state": "running"}
READY = Connection(phase="ready")


def told(now: float, *children: str, ended: bool = False) -> tuple[Session, Status]:
    """A session whose children began to read at 10 s, each a second after the other; and its status at `now`."""
    time = 0.0
    session = Session("root", "/project", clock=lambda: time)
    session.apply(StateUpdate(state="running"))
    time = 10.0
    for name in children:
        time += 1
        session.apply(read(SubagentUpdate, {"sessionId": name, "title": name, "state": RUNNING}))
        call = {"toolCallId": "c", "title": f"Read {name}.py", "kind": "read", "status": "in_progress"}
        session.apply(SubagentEvent(name, read(ToolCallUpdate, call)))
    if ended:
        session.apply(StateUpdate(state="idle", stop_reason="end_turn"))
    time = now
    return session, status_of(session, READY, now)


def test_the_one_that_works_says_why_it_is_quiet() -> None:
    _, status = told(71.0, "a")
    assert status.text == "Subagent “a”: Read a.py · 1 min 00 s"
    assert status.busy


def test_of_several_the_one_that_was_heard_last_does() -> None:
    _, status = told(72.0, "a", "b")
    assert status.text == "2 subagents · “b”: Read b.py · 1 min 01 s"


def test_while_the_agent_itself_is_heard_they_are_counted() -> None:
    session, _ = told(72.0, "a", "b")
    session.turn.last_heard_at = 72.0
    assert status_of(session, READY, 72.0).text == "Working · 1 min 12 s · 2 subagents"


def test_the_one_that_waits_is_named() -> None:
    session, _ = told(71.0, "a", "b")
    session.apply(PermissionReceived(1, read(PermissionRequest, {"sessionId": "b", "title": "?", "options": []})))
    assert status_of(session, READY, 72.0).text == "△ Waiting for you · subagent “b”"


def test_after_the_turn_they_work_in_the_background_until_the_connection_is_lost() -> None:
    session, status = told(71.0, "a", ended=True)
    assert status.text == "In the background: Subagent “a”: Read a.py · 1 min 00 s"
    assert status.busy
    session.apply(AgentGone("gone"))
    assert "background" not in status_of(session, READY, 72.0).text
