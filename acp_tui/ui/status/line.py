"""The status line: what the agent is doing, or why it is quiet, for how long, and what one can do about it."""

from collections.abc import Callable, Sequence

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.host.client import Connection, Login
from acp_tui.host.system.exit_code import signal_name
from acp_tui.session.entries import MessageEntry, ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.session.tools.background import background_work
from acp_tui.startup import late
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.figures import duration
from acp_tui.ui.kit.theme import AGENT, MUTED
from acp_tui.ui.questions.waiting import login_wanted, waiting
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.sessions.strip import Label
from acp_tui.ui.transcript.view import TranscriptView

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TICK = 0.16  # seconds; six frames a second are enough to look alive
SILENT_AFTER = 5.0  # seconds without a word before the line says so
_DOES = {
    "cancel": "cancels",
    "close_session": "puts it away",
    "quit": "quits",
    "restart_agent": "restarts",
    "show_stderr": "its errors",
}
_ENDS = {
    None: "",
    "end_turn": "",
    "cancelled": "cancelled",
    "refusal": "the agent refused",
    "max_tokens": "stopped: the token limit is reached",
    "max_turn_requests": "stopped: too many requests in one turn",
}
_QUIET_ENDS = (None, "end_turn", "cancelled")  # who cancelled is not surprised
_DOING = {"thought": "thinking", "agent": "answering"}  # by the role of the last message
_UNFINISHED = ("pending", "in_progress")
LOOK_BACK = 60  # entries; a running tool further up than this is not looked for


class Status(Frozen):
    """`text` says what goes on, `hint` what one can do; `busy` while time matters, `tone` is a CSS colour name."""

    text: str = ""
    hint: str = ""
    busy: bool = False
    tone: str = "muted"


class StatusLine(Static):
    """One row above the prompt. No timer runs while it is quiet."""

    def __init__(self, status: Callable[[], Status]) -> None:
        super().__init__(id="status")
        self._ask = status
        self._frame = 0
        self._timer: Timer | None = None
        self._notes: Sequence[Content] = ()

    def on_mount(self) -> None:
        self._timer = self.set_interval(TICK, self._tick, pause=True)
        self.look()

    def look(self, notes: Sequence[Content] = ()) -> None:
        """Ask for the facts again; `notes` stand at the right, beside the hint."""
        self._notes = notes
        self._paint()

    def rest(self) -> None:
        """Nobody looks: let time pass unseen."""
        if self._timer is not None:
            self._timer.pause()

    def on_resize(self) -> None:
        self._paint()

    def _tick(self) -> None:
        self._frame = (self._frame + 1) % len(SPINNER)
        self._paint()

    def _paint(self) -> None:
        status = self._ask()
        if self._timer is not None:
            (self._timer.resume if status.busy else self._timer.pause)()
        self.update(self._line(status), layout=False)

    def _line(self, status: Status) -> Content:
        width = self.size.width
        hint = [Content.styled(status.hint, MUTED)] if status.hint else []
        right = Content.styled(" · ", MUTED).join([*hint, *self._notes])
        mark = f"{SPINNER[self._frame]} " if status.busy else ""
        left = cut(mark + status.text, max(8, width - right.cell_length - 2))
        ink = {"muted": MUTED, "accent": "$foreground"}.get(status.tone, f"${status.tone}")
        text = Content.assemble(
            (left[: len(mark)], AGENT if status.tone == "accent" else ink), (left[len(mark) :], ink)
        )
        gap = max(1, width - text.cell_length - right.cell_length)
        return Content.assemble(text, " " * gap, right) if text or right else Content("")


def notes_of(transcript: TranscriptView, session: Session, labels: Sequence[Label]) -> list[Content]:
    """All of that, each in a few words; loud is only what waits for the user."""
    notes: list[Content] = []
    if not transcript.follow:
        new = transcript.new_entries
        notes.append(Content.styled(f"{new} new below" if new else "more below", MUTED))
    if session.queue:
        notes.append(Content.styled(f"{len(session.queue)} queued", MUTED))
    elsewhere = next((label.number for label in labels if label.state == "waiting" and not label.current), 0)
    if elsewhere:
        way = (f" ({first_way('answer_permission')})", MUTED)
        notes.append(Content.assemble((f"△ session {elsewhere} waits for you", "$warning"), way))
    return notes


def status_of(session: Session, connection: Connection, now: float, unsent_since: float | None = None) -> Status:
    """What the status line says at `now`; `unsent_since` is when the agent ceased to read what is sent to it."""
    asked = len(waiting(session))
    login = connection.login
    if login is not None and (login_wanted(connection) or login.trying) and not (login.trying and asked):
        return _login_status(login)
    if connection.phase == "starting" and asked:
        return _asked_status(asked)
    if connection.phase != "ready":
        return _connection_status(connection, now)
    turn = session.turn
    if turn.cancel_requested_at is not None and turn.active:
        return _cancelling(now - turn.cancel_requested_at)
    if unsent_since is not None and now - unsent_since >= SILENT_AFTER:
        text = f"the agent does not read · {duration(now - unsent_since)}"
        return Status(text, f"{_way_to('restart_agent')} · {_way_to('show_stderr')}", busy=True, tone="warning")
    if asked:
        return _asked_status(asked)
    # The one of the user's commands that was begun last and runs is what the key cancels first.
    own = next((entry for entry in reversed(session.index.own_commands.values()) if not entry.sealed), None)
    if turn.active:
        text, silent = _work(session, now)
        stops = _way_to("cancel") if own is None else f"{_way_to('cancel')} your command"
        hint = f"{stops} · {_way_to('show_stderr')}" if silent else stops
        return Status(text, hint, busy=True, tone="accent")
    if own is not None:
        return Status(f"you run {_what(own, session, now)}", _way_to("cancel"), busy=True)
    return _idle_status(session)


def _way_to(command_id: str) -> str:
    return f"{first_way(command_id)} {_DOES[command_id]}"


def _asked_status(asked: int) -> Status:
    several = f" · {asked} questions" if asked > 1 else ""
    return Status(f"△ waiting for you{several}", tone="warning")  # who asks says how to get there


def _login_status(login: Login) -> Status:
    if not login.trying:
        usable = any(method.usable for method in login.methods)
        return Status("△ waiting for you", "" if usable else _way_to("restart_agent"), tone="warning")
    name = next((method.name for method in login.methods if method.method_id == login.trying), login.trying)
    return Status(f"logging in: {sanitise_line(name, 40)}", busy=True)


def _cancelling(waited: float) -> Status:
    text, hint = f"cancelling · {duration(waited)}", f"{first_way('interrupt')} {first_way('interrupt')} quits"
    if waited >= SILENT_AFTER:
        text, hint = f"{text} · not confirmed", f"{_way_to('restart_agent')} · {hint}"
    return Status(text, hint, busy=True, tone="warning")


def _connection_status(connection: Connection, now: float) -> Status:
    if connection.phase == "starting":
        waited = now - connection.since if connection.since else 0.0
        step = f"{connection.step} · {duration(waited)}" if connection.since else connection.step
        if connection.late:  # on a narrow screen the end is cut off
            step = f"no answer for {duration(waited)} · {connection.step}"
        late = f"{_way_to('restart_agent')} · {_way_to('show_stderr')}"
        return Status(step, late if waited >= SILENT_AFTER else _way_to("quit"), busy=True)
    if connection.phase == "closing":
        return Status("ending the agent", "", busy=True)
    if connection.phase == "closed":
        return Status(f"✗ {_ended(connection)}", _way_to("quit"), tone="error")
    return Status(f"✗ {_ended(connection)}", f"enter restarts · {_way_to('show_stderr')}", tone="error")


def _ended(connection: Connection) -> str:
    code = connection.exit_code
    if code is not None:
        return f"agent exited (code {code})" if code >= 0 else f"agent killed by {signal_name(-code)}"
    return sanitise_line(connection.fault.title) if connection.fault else "the agent is gone"


def _work(session: Session, now: float) -> tuple[str, bool]:
    tool = _running_tool(session)
    if tool is not None:
        return f"running {_what(tool, session, now)}", False
    turn = session.turn
    since_start = duration(now - turn.started_at)
    if turn.state == "requires_action":
        return f"the agent waits for something to be done · {since_start}", False
    if turn.state != "running":
        return f"{sanitise_line(turn.state, 40)} · {since_start}", False
    silent = now - max(turn.last_heard_at, turn.started_at)
    if silent >= SILENT_AFTER:
        return f"model silent · {duration(silent)}", True
    last = session.entries[-1] if session.entries else None
    doing = _DOING.get(last.role, "working") if isinstance(last, MessageEntry) else "working"
    return f"{doing} · {since_start}", False


def _what(tool: ToolCallEntry, session: Session, now: float) -> str:
    named = late("acp_tui.ui.entries.tool_calls.words").named(tool, session)
    return f"{sanitise_line(named, 60)} · {duration(now - tool.started_at)}"


def _running_tool(session: Session) -> ToolCallEntry | None:
    for entry in reversed(session.entries[-LOOK_BACK:]):
        if isinstance(entry, MessageEntry) and entry.role == "user":
            return None
        own = session.index.own_commands.get(entry.id) is entry
        if isinstance(entry, ToolCallEntry) and not own and entry.status in _UNFINISHED:
            return entry
    return None


def _idle_status(session: Session) -> Status:
    turn, reason = session.turn, session.turn.stop_reason
    if session.closed:
        return Status("session closed", _way_to("close_session"), tone="error")
    if turn.error is not None or reason == "error":
        return Status("the turn failed", _way_to("show_stderr"), tone="error")
    quiet = reason in _QUIET_ENDS
    if quiet and (works := background_work(session)):
        more = f" and {len(works) - 1} more" if len(works) > 1 else ""
        text = f"in the background: {sanitise_line(works[0].title, 60)}{more}"
        return Status(text, f"{first_way('cancel_work')} lists it")
    text = _ENDS.get(reason, f"stopped: {sanitise_line(reason or '')}")
    return Status(text, tone="muted" if quiet else "warning")
