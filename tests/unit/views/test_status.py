"""What goes on and why it is quiet, in words; and the items of a status line of one's own."""

from pathlib import Path

from acp_tui.host.client import Connection
from acp_tui.host.config.settings_table import STATUS_ITEMS
from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.config_options import ConfigOptionUpdate
from acp_tui.protocol.vocabulary.session_updates import AccountLimit, StateUpdate, SubagentUpdate, Update, UsageUpdate
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest, ToolCallUpdate
from acp_tui.session.facts import AgentGone, CancelRequested, Fact, PermissionReceived, SubagentEvent
from acp_tui.session.state import Session
from acp_tui.views.formatting import SEPARATOR, plain
from acp_tui.views.status import CANCEL, RESTART, STDERR, Status, items_of, status_of
from tests.pilot.fake_client import options, tell_usage
from tests.rows import each_of
from tests.unit.session.speech import prompt

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
    assert status.text == 'Subagent "a": Read a.py · 1 min 00 s'
    assert status.busy


def test_of_several_the_one_that_was_heard_last_does() -> None:
    _, status = told(72.0, "a", "b")
    assert status.text == '2 subagents · "b": Read b.py · 1 min 01 s'


def test_while_the_agent_itself_is_heard_they_are_counted() -> None:
    session, _ = told(72.0, "a", "b")
    session.turn.last_heard_at = 72.0
    assert status_of(session, READY, 72.0).text == "Working · 1 min 12 s · 2 subagents"


def test_what_never_started_is_tried_again_and_not_restarted() -> None:
    session = Session("", "/project")
    words = [status_of(session, Connection(phase="gone", exit_code=code), 1.0).hints[0].word for code in (None, 1)]
    assert words == ["retry", "restart"]


def test_an_open_question_needs_no_status() -> None:
    session, _ = told(71.0, "a")
    session.apply(PermissionReceived(1, read(PermissionRequest, {"sessionId": "a", "title": "?", "options": []})))
    assert status_of(session, READY, 72.0, answering=True) == Status()


def test_the_one_that_waits_is_named() -> None:
    session, _ = told(71.0, "a", "b")
    session.apply(PermissionReceived(1, read(PermissionRequest, {"sessionId": "b", "title": "?", "options": []})))
    assert status_of(session, READY, 72.0).text == 'Waiting for you · subagent "b"'


def test_after_the_turn_they_work_in_the_background_until_the_connection_is_lost() -> None:
    session, status = told(71.0, "a", ended=True)
    assert status.text == 'In the background: Subagent "a": Read a.py · 1 min 00 s'
    assert status.busy
    session.apply(AgentGone("gone"))
    assert "background" not in status_of(session, READY, 72.0).text


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def status(*told: Update | Fact, later: float = 0.0) -> Status:
    clock = Clock()
    session = Session(id="s", cwd="/", clock=clock)
    for event in told:
        session.apply(event)
    clock.now += later
    return status_of(session, Connection(phase="ready"), clock.now)


def test_status_facts() -> None:
    running = StateUpdate(state="running")
    tool = ToolCallUpdate(tool_call_id="t", title="pytest\x1b[2J", status="in_progress")
    assert status() == Status()
    assert status(running, later=2).text == "Working · 2 s"
    silent = status(running, later=75)
    assert (silent.text, silent.hints) == ("No output for 1 min 15 s", (CANCEL, STDERR))
    tooled = status(running, tool, later=40)
    assert (tooled.text, tooled.hints) == ("Running pytest · 40 s", (CANCEL,))
    assert status(running, CancelRequested(), later=3).text == "Cancelling… · 3 s"
    assert status(running, StateUpdate(state="idle", stop_reason="end_turn")) == Status()
    assert status(running, StateUpdate(state="idle", stop_reason="max_tokens")).text.startswith("Stopped")
    assert status(running, StateUpdate(state="idle", stop_reason="refusal")).text == "The agent refused"


@each_of("reason", ["refusal", "max_tokens", "error"])
def test_beside_the_row_that_says_how_the_turn_ended_the_status_does_not(reason: str) -> None:
    session = Session(id="s", cwd="/", clock=Clock())
    for event in (StateUpdate(state="running"), prompt("x"), StateUpdate(state="idle", stop_reason=reason)):
        session.apply(event)
    told = [status_of(session, Connection(phase="ready"), 9, at_end=at_end).text for at_end in (True, False)]
    assert told[0] == ""
    assert told[1]


def test_connection_facts() -> None:
    session = Session(id="s", cwd="/")
    assert status_of(session, Connection(step="starting the agent", since=10), 14).text == "Starting the agent · 4 s"
    late = status_of(session, Connection(step="waiting for it", since=10, late=True), 17)
    assert (late.text, late.hints) == ("No reply for 7 s · waiting for it", (RESTART, STDERR))
    assert status_of(session, Connection(phase="closed", exit_code=3), 0).text == "✗ Agent exited (code 3)"
    assert status_of(session, Connection(phase="closed", exit_code=-9), 0).text == "✗ Agent killed by SIGKILL"
    gone = Connection(phase="gone", exit_code=3)
    session.apply(AgentGone("The agent exited", "Exit code 3."))
    assert status_of(session, gone, 0).text == "✗ Agent exited (code 3)"
    in_sight = status_of(session, gone, 0, at_end=True)
    assert (in_sight.text, [hint.word for hint in in_sight.hints]) == ("", ["restart", "stderr"])
    unread = status_of(session, Connection(phase="ready"), 20, unsent_since=10)
    assert unread.text == "Agent is not reading its input · 10 s"


def session() -> Session:
    known = Session("s", str(Path.home() / "project"))
    known.apply(ConfigOptionUpdate(config_options=options()))
    tell_usage(known)
    known.apply(UsageUpdate(used=68_000, size=200_000, limits=[AccountLimit(kind="five_hour", used=0.4)]))
    return known


def shown(names: tuple[str, ...], branch: str = "main", of: Session | None = None) -> str:
    return SEPARATOR.join(map(plain, items_of(names, of or session(), branch)))


def test_each_name_of_the_setting_is_an_item() -> None:
    assert [name for name in STATUS_ITEMS if not shown((name,))] == []


def test_they_stand_in_the_order_in_which_they_are_named() -> None:
    assert shown(STATUS_ITEMS) == "~/project · main · 34% of 200k · $0.05 · 5 h limit 40% · Sonnet 5"
    assert shown(("model", "folder")) == "Sonnet 5 · ~/project"


def test_what_is_empty_or_unknown_is_left_out() -> None:
    bare = Session("s", "/p")
    assert shown(STATUS_ITEMS, branch="", of=bare) == "/p"
    assert shown(("nonsense", "model", "branch"), of=bare) == "main"
    assert shown((), of=bare) == ""
