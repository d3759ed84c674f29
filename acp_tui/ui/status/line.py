"""The status line: what the agent is doing, or why it is quiet, for how long, and what one can do about it."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import NamedTuple

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.host.client import Connection, Login
from acp_tui.host.system.exit_code import signal_name
from acp_tui.session.entries import MessageEntry, ToolCallEntry
from acp_tui.session.state import Session, Subagent
from acp_tui.session.text.words import counted, duration
from acp_tui.session.tools.background import background_work, separate_work
from acp_tui.session.tools.family import spent, working
from acp_tui.startup import late
from acp_tui.ui.bridge import FRAME
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.theme import AGENT, MUTED
from acp_tui.ui.options.limits import reached_words
from acp_tui.ui.questions.waiting import asker, login_wanted, waiting
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.sessions.strip import Label
from acp_tui.ui.transcript.view import TranscriptView

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TICK = 0.16  # seconds; six a second are enough to look alive. Beside a stream it turns in each third of its frames
SILENT_AFTER = 5.0  # seconds without a word before the line says so
_DOES = {
    "cancel": "cancel",
    "cancel_work": "list",
    "open_subagent": "open",
    "close_session": "close",
    "quit": "quit",
    "restart_agent": "restart",
    "show_stderr": "stderr",
}
_ENDS = {
    None: "",
    "end_turn": "",
    "cancelled": "Cancelled",
    "refusal": "The agent refused",
    "max_tokens": "Stopped: token limit reached",
    "max_turn_requests": "Stopped: request limit for one turn reached",
}
_QUIET_ENDS = (None, "end_turn", "cancelled")  # who cancelled is not surprised
_DOING = {"thought": "Thinking", "agent": "Answering"}  # by the role of the last message
_UNFINISHED = ("pending", "in_progress")
SEPARATOR = " · "
LIMIT_CELLS = 60  # of a limit of the account
SUBAGENT_WORDS = "acp_tui.ui.entries.subagent"
LOOK_BACK = 60  # entries; a running tool further up than this is not looked for


class Status(Frozen):
    """`text` says what goes on, `hint` what one can do; `busy` while time matters, `tone` is a CSS colour name."""

    text: str = ""
    hint: str = ""
    busy: bool = False
    tone: str = "muted"


Action = Callable[[], object]


class Note(NamedTuple):
    """What stands at the right, and what a click on it does."""

    words: Content
    action: Action


class StatusLine(Static):
    """One row above the prompt. No timer runs while it is quiet."""

    def __init__(self, status: Callable[[], Status]) -> None:
        super().__init__(id="status")
        self._ask = status
        self._frame = 0
        self._turns, self._turned = False, 0.0  # whether it does, and when it last did
        self._timer: Timer | None = None
        self._notes: Sequence[Note] = ()
        self._aside = ""
        self._places: list[tuple[int, int, Action]] = []

    def on_mount(self) -> None:
        self._timer = self.set_interval(TICK, self._tick, pause=True)
        self.look()

    def look(self, notes: Sequence[Note] = ()) -> None:
        """Ask for the facts again; `notes` stand at the right, beside the hint."""
        self._notes = notes
        self._paint()

    def say_aside(self, words: str) -> None:
        """Have this stand there too, where nothing else needs the room; empty for nothing."""
        if words != self._aside:
            self._aside = words
            if self.is_mounted:
                self._paint()

    def turn_along(self) -> None:
        """A frame is painted now: turn with it, rather than soon in a frame of one's own."""
        if self._turns and self._timer is not None and monotonic() - self._turned >= TICK - FRAME / 2:
            self._timer.reset()
            self._tick()

    def rest(self) -> None:
        """Nobody looks: let time pass unseen."""
        self._turns = False
        if self._timer is not None:
            self._timer.pause()

    def on_resize(self) -> None:
        self._paint()

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for start, end, action in self._places:
            if start <= x < end:
                action()
                return

    def _tick(self) -> None:
        self._frame = (self._frame + 1) % len(SPINNER)
        self._turned = monotonic()
        self._paint()

    def _paint(self) -> None:
        status = self._ask()
        self._turns = status.busy
        if self._timer is not None:
            (self._timer.resume if status.busy else self._timer.pause)()
        self.update(self._line(status), layout=False)

    def _line(self, status: Status) -> Content:
        width = self.size.width
        mark = f"{SPINNER[self._frame]} " if status.busy else ""
        right = self._right(status.hint, width - cell_len(mark + status.text) - 2)
        left = cut(mark + status.text, max(8, width - right.cell_length - 2))
        ink = {"muted": MUTED, "accent": "$foreground"}.get(status.tone, f"${status.tone}")
        text = Content.assemble(
            (left[: len(mark)], AGENT if status.tone == "accent" else ink), (left[len(mark) :], ink)
        )
        gap = max(1, width - text.cell_length - right.cell_length)
        self._place(text.cell_length + gap + right.cell_length)
        return Content.assemble(text, " " * gap, right) if text or right else Content("")

    def _right(self, hint: str, room: int) -> Content:
        """Hints and notes; of several hints only the first where there is no room for all."""
        hints, words = hint.split(SEPARATOR) if hint else [], [note.words for note in self._notes]
        while True:
            parts = [*(Content.styled(each, MUTED) for each in hints), *words]
            right = Content.styled(SEPARATOR, MUTED).join(parts)
            if right.cell_length <= room or len(hints) < 2:
                return self._with_aside(parts, right, room)
            hints.pop()

    def _with_aside(self, parts: Sequence[Content], right: Content, room: int) -> Content:
        if not self._aside:
            return right
        whole = Content.styled(SEPARATOR, MUTED).join([Content.styled(self._aside, MUTED), *parts])
        return whole if whole.cell_length <= room else right

    def _place(self, end: int) -> None:
        """Note which cells show which note; the last one ends there."""
        self._places = []
        for note in reversed(self._notes):
            self._places.append((end - note.words.cell_length, end, note.action))
            end -= note.words.cell_length + len(SEPARATOR)


def notes_of(
    transcript: TranscriptView, session: Session, labels: Sequence[Label], stashed: int, run: Callable[[str], object]
) -> list[Note]:
    """All of that, each in a few words; loud is only what waits for the user. `run` runs a command by its id."""
    notes: list[Note] = []
    if not transcript.follow:
        new = transcript.new_entries
        notes.append(Note(Content.styled(f"{new} new below" if new else "more below", MUTED), transcript.follow_end))
    if session.queue:
        notes.append(Note(Content.styled(f"{len(session.queue)} queued", MUTED), lambda: run("focus_queue")))
    if stashed:
        words = Content.styled(f"{stashed} stashed ({first_way('stash')})", MUTED)
        notes.append(Note(words, lambda: run("stash")))
    elsewhere = next((label.number for label in labels if label.state == "waiting" and not label.current), 0)
    if elsewhere:
        way = (f" ({first_way('answer_permission')})", MUTED)
        words = Content.assemble((f"△ session {elsewhere} needs an answer", "$warning"), way)
        notes.append(Note(words, lambda: run("answer_permission")))
    return notes


def status_of(
    session: Session, connection: Connection, now: float, unsent_since: float | None = None, *, answering: bool = False
) -> Status:
    """What the status line says at `now`; `unsent_since` is when the agent ceased to read what is sent to it.

    While the user is `answering`, the question has the keys, and names them.
    """
    asked = len(waiting(session))
    login = connection.login
    if login is not None and (login_wanted(connection) or login.trying) and not (login.trying and asked):
        return _login_status(login)
    if connection.phase == "starting" and asked:
        return _asked_status(session)
    if connection.phase != "ready":
        return _connection_status(connection, now)
    turn = session.turn
    if turn.cancel_requested_at is not None and turn.active:
        return _cancelling(now - turn.cancel_requested_at)
    if unsent_since is not None and now - unsent_since >= SILENT_AFTER:
        text = f"Agent is not reading its input · {duration(now - unsent_since)}"
        return Status(text, f"{_way_to('restart_agent')} · {_way_to('show_stderr')}", busy=True, tone="warning")
    if asked:
        return _asked_status(session, "" if answering or not turn.active else _way_to("cancel"))
    # The one of the user's commands that was begun last and runs is what the key cancels first.
    own = next((entry for entry in reversed(session.index.own_commands.values()) if not entry.sealed), None)
    if turn.active:
        text, silent = _work(session, now)
        stops = _way_to("cancel") if own is None else f"{_way_to('cancel')} your command"
        hint = f"{stops} · {_way_to('show_stderr')}" if silent else stops
        return Status(text, hint, busy=True, tone="accent")
    if own is not None:
        return Status(f"Your command: {_what(own, session, now)}", _way_to("cancel"), busy=True)
    return _background_status(session) or _idle_status(session)


def _way_to(command_id: str) -> str:
    return f"{first_way(command_id)} {_DOES[command_id]}"


def _asked_status(session: Session, hint: str = "") -> Status:
    asked = waiting(session)
    several = f"{len(asked)} questions" if len(asked) > 1 else ""
    text = SEPARATOR.join(filter(None, ("△ Waiting for you", several, asker(asked[0], session))))
    return Status(text, hint, tone="warning")  # who asks says how to get there


def _login_status(login: Login) -> Status:
    if not login.trying:
        usable = any(method.usable for method in login.methods)
        return Status("△ Waiting for you", "" if usable else _way_to("restart_agent"), tone="warning")
    name = next((method.name for method in login.methods if method.method_id == login.trying), login.trying)
    return Status(f"Logging in: {sanitise_line(name, 40)}", busy=True)


def _cancelling(waited: float) -> Status:
    text, hint = "Cancelling…", f"{first_way('interrupt')} {first_way('interrupt')} quit"
    if waited >= SILENT_AFTER:
        text, hint = f"{text} agent has not confirmed", f"{_way_to('restart_agent')} · {hint}"
    text = f"{text} · {duration(waited)}"
    return Status(text, hint, busy=True, tone="warning")


def _connection_status(connection: Connection, now: float) -> Status:
    if connection.phase == "starting":
        waited = now - connection.since if connection.since else 0.0
        step = connection.step[:1].upper() + connection.step[1:]
        if connection.late:  # on a narrow screen the end is cut off
            step = f"No reply for {duration(waited)} · {connection.step}"
        elif connection.since:
            step = f"{step} · {duration(waited)}"
        late = f"{_way_to('restart_agent')} · {_way_to('show_stderr')}"
        return Status(step, late if waited >= SILENT_AFTER else _way_to("quit"), busy=True)
    if connection.phase == "closing":
        return Status("Stopping the agent", "", busy=True)
    if connection.phase == "closed":
        return Status(f"✗ {_ended(connection)}", _way_to("quit"), tone="error")
    return Status(f"✗ {_ended(connection)}", f"enter restart · {_way_to('show_stderr')}", tone="error")


def _ended(connection: Connection) -> str:
    code = connection.exit_code
    if code is not None:
        return f"Agent exited (code {code})" if code >= 0 else f"Agent killed by {signal_name(-code)}"
    return sanitise_line(connection.fault.title) if connection.fault else "Agent disconnected"


def _work(session: Session, now: float) -> tuple[str, bool]:
    """What goes on, and whether nothing is heard; subagents that work are counted, or named where all else is quiet."""
    children = working(session)
    tool = _running_tool(session)
    if tool is not None:
        text, silent = f"Running {_what(tool, session, now)}", False
    else:
        text, silent = _own_work(session, now)
    if silent and children:
        return _children(children), False
    return SEPARATOR.join(filter(None, (text, counted(len(children), "subagent") if children else ""))), silent


def _children(children: Sequence[Subagent]) -> str:
    """One that works by what it does, several by what the one does that was heard last."""
    last = max(children, key=lambda child: child.session.turn.last_heard_at)
    drawn = late(SUBAGENT_WORDS)
    doing = f"“{drawn.title_of(last.entry, 30)}”: {cut(drawn.last_of(last) or 'working', 60)}"
    many = f"{len(children)} subagents" if len(children) > 1 else "Subagent"
    parts = [many, doing] if len(children) > 1 else [f"{many} {doing}"]
    return SEPARATOR.join((*parts, duration(max(map(spent, children)))))


def _background_status(session: Session) -> Status | None:
    """Subagents that work although the turn has ended."""
    children = working(session)
    if not children or session.closed:
        return None
    hint = [_way_to("open_subagent"), *([_way_to("cancel_work")] if separate_work(session) else [])]
    return Status(f"In the background: {_children(children)}", SEPARATOR.join(hint), busy=True)


def _own_work(session: Session, now: float) -> tuple[str, bool]:
    turn = session.turn
    since_start = duration(now - turn.started_at)
    if turn.state == "requires_action":
        return f"Agent is waiting for an action · {since_start}", False
    if turn.state != "running":
        return f"{sanitise_line(turn.state, 40)} · {since_start}", False
    silent = now - max(turn.last_heard_at, turn.started_at)
    if silent >= SILENT_AFTER:
        limit = sanitise_line(reached_words(session.usage), LIMIT_CELLS)
        return SEPARATOR.join(filter(None, (f"No output for {duration(silent)}", limit))), True
    last = session.entries[-1] if session.entries else None
    doing = _DOING.get(last.role, "Working") if isinstance(last, MessageEntry) else "Working"
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
    limit = sanitise_line(reached_words(session.usage), LIMIT_CELLS)
    if session.closed:
        return Status("Session closed", _way_to("close_session"), tone="error")
    if turn.error is not None or reason == "error":
        text = SEPARATOR.join(filter(None, ("Turn failed", limit)))
        return Status(text, _way_to("show_stderr"), tone="error")
    quiet = reason in _QUIET_ENDS
    if quiet and (works := background_work(session)):
        more = f" and {len(works) - 1} more" if len(works) > 1 else ""
        text = f"In the background: {sanitise_line(works[0].title, 60)}{more}"
        return Status(text, _way_to("cancel_work"))
    if quiet and limit:
        return Status(f"△ {limit[:1].upper()}{limit[1:]}", tone="warning")
    text = _ENDS.get(reason, f"Stopped: {sanitise_line(reason or '')}")
    text = SEPARATOR.join(filter(None, (text, limit)))
    return Status(text, tone="muted" if quiet else "warning")
