"""The list of sessions that one can go back to, filtered as one types.

What the agent tells comes page by page; what was recorded here is read in a thread.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Literal

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from acp_tui.host.client import Client, Connection
from acp_tui.host.records.records import Records
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.list_panel import ListPanel, PanelKey
from acp_tui.ui.kit.row_list import ListRow, RowList, grouped
from acp_tui.ui.kit.session_view import SessionView, say
from acp_tui.ui.kit.theme import CLOSE, MUTED
from acp_tui.ui.render.text import cut, cut_left, painted, sanitise_line
from acp_tui.ui.sessions.past_session_actions import PastSessionActions
from acp_tui.ui.sessions.session_actions import SessionActions
from acp_tui.views.board import IDLE_SIGN
from acp_tui.views.formatting import SEPARATOR, Span, age
from acp_tui.views.past_sessions import (
    Listing,
    PastSession,
    SessionColumn,
    columns_of,
    filtered,
    folders_line,
    list_heading,
    list_state,
    list_title,
    searched,
)
from acp_tui.views.row_search import matching
from acp_tui.views.status import LOOKS, State, state_of

NOTHING: Mapping[Session, int] = MappingProxyType({})
Part = Literal["agent", "runs"]
_ELSEWHERE: dict[Listing, str] = {"folder": "this folder", "everywhere": "all folders", "archive": "archive"}
OPEN_FIRST: tuple[State, ...] = ("waiting", "working", "failed", "done", "idle")
STATES = {LOOKS["waiting"].sign: "needs you", LOOKS["working"].sign: "working"}  # in place of the last message
TITLE_AT_LEAST, LAST_AT_LEAST = 18, 20  # cells of a title beside columns, and of a last message
AGE = 15  # cells of the age, and before the title


class SessionBrowser(ListPanel[PastSession, None]):
    """Enter opens the highlighted session. Tab leads from the folder's to those of all folders, and to the archive.

    Runs are hidden unless the user asks for them; all agents' sessions are shown unless the user wants one agent's.
    One that is `wanted` from the beginning is opened as soon as the agent has said how.
    """

    FILTER, PANEL = "Type to filter", "sessions-panel"
    KEYS = (  # the weightiest first, since the last ones but the way out go where there is no room
        PanelKey("enter", lambda panel: "open" * panel.any_listed),
        PanelKey("tab,shift+tab", lambda panel: _ELSEWHERE[panel.following], "widen"),
        PanelKey("ctrl+g", lambda panel: panel.toggles[0], "refilter('agent')"),
        PanelKey("ctrl+o", lambda panel: panel.toggles[1], "refilter('runs')"),
        PanelKey("delete", "delete", "do('delete')", lambda panel: panel.any_listed),
        PanelKey("ctrl+d", act=lambda panel: say(panel.app, "Press Delete to delete", 3)),
        PanelKey("f2,ctrl+t", "rename", "do('rename')", lambda panel: panel.any_listed),
        PanelKey("ctrl+a", lambda panel: panel.archives, "do('archive')", lambda panel: panel.any_listed),
        PanelKey("ctrl+k", lambda panel: "fork" * panel.can.fork_session * panel.any_listed, "do('fork')"),
        PanelKey("ctrl+e", "export", "do('export')", lambda panel: panel.any_listed),
        PanelKey("ctrl+f", "find in sessions", lambda panel: panel.search()),
        PanelKey("f5", "", "look_again"),
        CLOSE,
    )
    beside = 2  # how many there are, and a blank row

    def __init__(
        self,
        opened_from: SessionView,
        sessions: SessionActions,
        records: Records | None,
        words: str = "",
        *,
        wanted: PastSession | None = None,
        runs: bool = False,
    ) -> None:
        """`words` are typed into the filter already; `runs` are shown from the beginning."""
        super().__init__(query=words)
        self._from = opened_from
        self._client = opened_from.client
        self._cwd = opened_from.session.cwd
        self._sessions, self._past = sessions, PastSessionActions(opened_from, sessions, records)
        self._listing: Listing = "folder"
        self._toggled: set[Part] = {"runs"} if runs else set()
        self._asked = False
        self._wanted = wanted
        # The agent may have told its sessions before the records are read again: the wanted one is one of them.
        self._recorded = [wanted.record] if wanted is not None and wanted.record is not None else []
        self._states: list[State] = []  # of the open ones
        self._known: list[PastSession] = []
        self._matching: list[PastSession] = []
        self._state = Static(id="sessions-state")
        self.below = [self._state]
        self._subscriptions: list[Callable[[], None]] = []

    def start(self) -> None:
        self._subscriptions = [
            self._client.known_sessions.list.subscribe(self._told),
            self._client.subscribe(self._connection_changed),
        ]
        self.set_interval(1.0, self._follow_states)
        self.action_look_again()

    def on_unmount(self) -> None:
        for unsubscribe in self._subscriptions:
            unsubscribe()

    # What the user does

    def typed(self) -> None:
        self._look()

    def choose(self, value: PastSession) -> None:
        self._open(value)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        known = self.list.value
        if known is not None and known.info is not None and known.session is None:
            self._client.known_sessions.look(known.info.session_id)

    def action_widen(self) -> None:
        self._listing = self.following
        self.action_look_again()

    def action_refilter(self, part: Part) -> None:
        self._toggled ^= {part}
        self._look()

    def action_look_again(self) -> None:
        self._asked = False
        self._connection_changed()
        self.say()
        self.run_worker(self._read_records(), exclusive=True, group="records", exit_on_error=False)

    def action_do(self, act: str) -> None:
        known, past = self.list.value, self._past
        if known is None:
            return
        match act:
            case "delete":
                past.delete(known, self.action_look_again)
            case "rename":
                past.rename(known, self.action_look_again)
            case "archive":
                past.archive(known, archived=self._listing != "archive")
            case "export":
                self.run_worker(past.export(known), exit_on_error=False)
            case "fork":
                self.leave_for(past.forking(known))

    def search(self) -> None:
        """Search the texts of all sessions."""
        self.leave_for(lambda: self.app.run_worker(self.app.run_action("screen.command('search_records')")))

    def leave_for(self, act: Callable[[], object] | None) -> None:
        if act is not None:
            self.dismiss()
            self.app.call_later(act)

    def _open(self, known: PastSession | None) -> None:
        if not self.is_active or known is None:  # one was opened already, or nothing is chosen
            return
        undecided = self._past.undecided(known, asked=self._asked)
        self._wanted = known if undecided else None
        if undecided:
            self._show_state()
        else:
            self.leave_for(self._past.opening(known))

    def _open_wanted(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            same = (known for known in self._known if known.record and known.record == wanted.record)
            self._open(next(same, wanted))

    # What comes of it

    def _connection_changed(self) -> None:
        self.call_later(self._ask)

    def _told(self) -> None:
        self.call_later(self._look)

    def _ask(self) -> None:
        connection = self._client.connection
        if not self._asked and (connection.phase == "ready" or connection.spoken):
            self._asked = True
            if connection.capabilities.list_sessions:
                self._client.known_sessions.ask(self._folder, archived=self._listing == "archive")
        self._look()

    async def _read_records(self) -> None:
        self._recorded = await self._past.recorded(self._folder)
        self._look()

    @property
    def _folder(self) -> str | None:
        return self._cwd if self._listing == "folder" else None

    def heading(self) -> Content:
        only = self._agent if "agent" in self._toggled else ""
        return painted(list_title(self._listing, self._cwd, only, runs="runs" in self._toggled))

    @property
    def _agent(self) -> str:
        return sanitise_line(self._from.agent_name, 40) or "This agent"

    def _filtered(self) -> tuple[list[PastSession], int]:
        agent = self._from.agent_name if "agent" in self._toggled else ""
        return filtered(self._known, agent, runs="runs" in self._toggled)

    @property
    def any_listed(self) -> bool:
        """Whether the keys have a session."""
        return bool(self._matching)

    @property
    def can(self) -> AgentCapabilities:
        return self._client.connection.capabilities

    @property
    def following(self) -> Listing:
        """Which sessions Tab leads to."""
        if self._listing == "folder":
            return "everywhere"
        return "archive" if self._listing == "everywhere" and self.can.archive_session else "folder"

    @property
    def archives(self) -> str:
        return ("unarchive" if self._listing == "archive" else "archive") * self.can.archive_session

    @property
    def toggles(self) -> tuple[str, str]:
        """What the keys for other agents' sessions and for runs do, where there are any."""
        alone, runs = "agent" in self._toggled, "runs" in self._toggled
        of_agent, _ = filtered(self._known, self._from.agent_name, runs=True)
        others, made = len(of_agent) < len(self._known), any(known.run for known in self._known)
        return (
            ("all agents" if alone else "this agent") * (others or alone),
            ("hide runs" if runs else "show runs") * (made or runs),
        )

    def _look(self) -> None:
        if not self.is_mounted:
            return
        highlighted, at_rest = self.list.value, not self.rows.line.value
        keep = highlighted.id if highlighted and self.rows.moved else None
        self._known = self._past.known(self._recorded if self._listing != "archive" else [])
        found = matching(self.rows.line.value, self._filtered()[0], searched)
        self._matching = sorted(found, key=partial(rank, connection=self._client.connection))
        if keep is None and at_rest:  # nobody goes to where they are already
            keep = next((known.id for known in self._matching if known.id != self._from.session.id), None)
        self.nothing = "No matches" if self._known else "No sessions yet"
        self.fill(lambda known: known.id == keep)
        self._show_state()
        self._open_wanted()

    def _follow_states(self) -> None:
        before, self._states = self._states, open_states(self._client)
        if self._states != before:
            self._told()

    def listed(self) -> list[ListRow[PastSession]]:
        theirs, now, doing = self._agent, datetime.now(UTC), self._client.known_sessions.list.doing
        return grouped((list_heading(known, theirs), self._row(known, doing, now)) for known in self._matching)

    def _row(self, known: PastSession, doing: Mapping[str, str], now: datetime) -> ListRow[PastSession]:
        listing, sign = self._listing, open_sign(known, self._client.connection, self._sessions.numbers)
        roots = (*self._client.roots(), *([known.cwd] if listing != "folder" and known.cwd else []))

        def draw(width: int) -> Content:
            width = max(30, width - 1)
            current = "current" * (known.session is self._from.session)
            done = SEPARATOR.join(filter(None, (current, doing.get(known.id, ""))))
            return session_row(known, width, now, done, listing, sign) + folders_row(known, roots, width)

        return ListRow(draw, known, lines=1 + (folders_line(known, roots) is not None))

    def _show_state(self) -> None:
        shown, hidden = self._filtered()
        listed, log_in = self._client.known_sessions.list, first_way("answer_permission")
        short = all(each.session is not None for each in self._known)  # what else there is, only the agent knows
        state = list_state(
            len(shown), hidden, listed, self._client.connection, asked=self._asked, log_in=log_in, short=short
        )
        if not self._known and self._asked and state[1] == "muted" and not listed.loading:
            state = "", "muted"  # that there are none is said above
        if self._wanted is not None:
            state = "Opening… waiting for the agent", "user"
        self._state.update(painted([state]))


def _state(session: Session, connection: Connection) -> State:
    return state_of(session, connection, seen=True)


def open_states(client: Client) -> list[State]:
    return [_state(session, client.connection) for session in client.sessions]


def rank(known: PastSession, connection: Connection) -> tuple[int, bool]:
    """Open ones stand first, those that wait before those that work; then those that the agent lists."""
    place = len(OPEN_FIRST) if known.session is None else OPEN_FIRST.index(_state(known.session, connection))
    return place, known.info is None


def open_sign(known: PastSession, connection: Connection, numbers: Mapping[Session, int] = NOTHING) -> Span:
    """How an open session stands, as on the board, with its number of the `numbers` of tabs; blank for others."""
    if known.session is None:
        return " ", "muted"
    state, number = LOOKS[_state(known.session, connection)], numbers.get(known.session)
    return f"{state.sign or IDLE_SIGN} {number}" if number else state.sign or IDLE_SIGN, state.tone


def session_row(
    known: PastSession,
    width: int,
    now: datetime,
    doing: str,
    listing: Listing,
    sign: Span = (" ", "muted"),
) -> Content:
    """One line: its sign, the title, its state or the last prompt if there is room; at the right what it is doing,
    its columns and its age.
    """
    lead = painted([sign]) + Content(" ")
    width -= lead.cell_length - 2
    right = age(known.updated, now).rjust(AGE - 2)
    columns = Content(_columns(known, width, doing, listing))
    room = width - 2 - len(right) - columns.cell_length - 2 * bool(columns)
    column = max(TITLE_AT_LEAST, (width - 2 - len(right)) * 2 // 5)
    last, for_last = f"last: {sanitise_line(known.last_message)}" * bool(known.last_message), room - column - 2
    state = STATES.get(sign[0][:1], "")
    last, tone = (state, f"${sign[1]}") if state else (last, MUTED)
    if last and for_last >= (len(state) or LAST_AT_LEAST):
        title = Content(cut(sanitise_line(known.title), column))
        title = Content.assemble(title, " " * (column + 2 - title.cell_length), (cut(last, for_last), tone))
    else:
        title = Content(cut(sanitise_line(known.title), max(8, room)))
    gap = " " * max(0, width - 2 - title.cell_length - len(right) - columns.cell_length)
    return Content.assemble(lead, title, gap, columns.stylize(MUTED), (right, MUTED))


def _columns(known: PastSession, width: int, doing: str, listing: Listing) -> str:
    """What it is doing and its columns, without the least important ones if the title would have too little room."""
    cells = [(0, doing), *((each.rank, _cell(each, known, width)) for each in columns_of(listing))]
    cells = [cell for cell in cells if cell[1]]
    while cells and cell_len("  ".join(text for _, text in cells)) + TITLE_AT_LEAST + AGE > width:
        cells.remove(max(cells, key=lambda cell: cell[0]))
    return "  ".join(text for _, text in cells)


def _cell(column: SessionColumn, known: PastSession, width: int) -> str:
    text, room = sanitise_line(column.text(known)) or column.missing, column.listed or column.width
    return cut_left(text, min(room, width // 3)) if column.is_path else cut(text, room)


def folders_row(known: PastSession, roots: Sequence[str], width: int) -> Content:
    """The folders of a session that are not the user's `roots`, in a line of `width` cells; nothing without any."""
    line = folders_line(known, roots)
    if line is None:
        return Content("")
    room = max(8, width - len(line.lead) - 4)
    paths = [sanitise_line(path, 4096) for path in line.paths]
    text = ", ".join(paths)
    if cell_len(text) > room:
        text = cut_left(paths[0], max(8, room - len(line.more))) + line.more
    return Content("\n    ") + painted([(line.lead + text, line.tone)])
