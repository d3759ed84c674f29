"""The list of sessions that one can go back to, filtered as one types.

What the agent tells comes page by page; what was recorded here is read in a thread.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.host.records.records import Records
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.session.text.words import counted
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.filtered_list import FilteredList, grouped
from acp_tui.ui.kit.fuzzy import matching
from acp_tui.ui.kit.hints import CLOSE, Hint, HintLine
from acp_tui.ui.kit.overlay import Overlay
from acp_tui.ui.kit.row_list import ListRow, RowList
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.sessions.actions import SessionActions
from acp_tui.ui.sessions.known import Known, filtered, folders_row, known_row, searched
from acp_tui.ui.sessions.known_actions import GoingBack
from acp_tui.views.formatting import home_path

View = Literal["folder", "everywhere", "archive"]
Part = Literal["agent", "runs"]
STATE_ROWS = 2  # how many there are, and a blank one


class SessionBrowser(Overlay[None]):
    """Enter opens the highlighted session. Tab leads from the folder's to those of all folders, and to the archive.

    Runs are hidden unless the user asks for them; all agents' sessions are shown unless the user wants one agent's.
    One that is `wanted` from the beginning is opened as soon as the agent has said how.
    """

    BINDINGS: ClassVar = [
        Binding("escape,ctrl+c,ctrl+q", "dismiss", "Close", show=False),
        Binding("tab,shift+tab", "widen", show=False),
        Binding("ctrl+g", "refilter('agent')", show=False),
        Binding("ctrl+o", "refilter('runs')", show=False),
        Binding("ctrl+d,delete", "do('delete')", show=False),
        Binding("ctrl+e", "do('export')", show=False),
        Binding("f2,ctrl+t", "do('rename')", show=False),
        Binding("ctrl+a", "do('archive')", show=False),
        Binding("ctrl+f", "do('fork')", show=False),
        Binding("ctrl+r,f5", "look_again", show=False),
    ]

    def __init__(
        self,
        opened_from: SessionView,
        sessions: SessionActions,
        records: Records | None,
        words: str = "",
        *,
        wanted: Known | None = None,
        runs: bool = False,
    ) -> None:
        """`words` are typed into the filter already; `runs` are shown from the beginning."""
        super().__init__(classes="picker")
        self._from = opened_from
        self._client = opened_from.client
        self._cwd = opened_from.session.cwd
        self._going_back = GoingBack(opened_from, sessions, records)
        self._view: View = "folder"
        self._toggled: set[Part] = {"runs"} if runs else set()
        self._asked = False
        self._wanted = wanted
        # The agent may have told its sessions before the records are read again: the wanted one is one of them.
        self._recorded = [wanted.record] if wanted is not None and wanted.record is not None else []
        self._known: list[Known] = []
        self._rows = FilteredList[Known](query=words)
        self._subscriptions: list[Callable[[], None]] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="picker-panel sessions-panel"):
            yield Static(id="sessions-title", classes="picker-title")
            yield self._rows
            yield Static(id="sessions-state")
            yield HintLine(id="sessions-hints", classes="picker-hints")

    def on_mount(self) -> None:
        self._subscriptions = [
            self._client.known_sessions.list.subscribe(self._told),
            self._client.subscribe(self._connection_changed),
        ]
        self.action_look_again()

    def on_resize(self) -> None:
        self._rows.list.styles.max_height = self.list_rows(STATE_ROWS)

    def on_unmount(self) -> None:
        for unsubscribe in self._subscriptions:
            unsubscribe()

    @property
    def highlighted(self) -> Known | None:
        return self._rows.list.value

    # What the user does

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._rows.moved = False
        self._fill()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self._open(event.value)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        known = self.highlighted
        if known is not None and known.info is not None and known.session is None:
            self._client.known_sessions.look(known.info.session_id)

    def action_widen(self) -> None:
        archives = self._client.connection.capabilities.archive_session
        self._view = _following(self._view, archives=archives)
        self.action_look_again()

    def action_refilter(self, part: Part) -> None:
        self._toggled ^= {part}
        self._say_title()
        self._fill()

    def action_look_again(self) -> None:
        self._asked = False
        self._connection_changed()
        self._say_title()
        self.run_worker(self._read_records(), exclusive=True, group="records", exit_on_error=False)

    def action_do(self, act: str) -> None:
        known, going_back = self.highlighted, self._going_back
        if known is None:
            return
        match act:
            case "delete":
                going_back.delete(known, self.action_look_again)
            case "rename":
                going_back.rename(known, self.action_look_again)
            case "archive":
                going_back.archive(known, archived=self._view != "archive")
            case "export":
                self.run_worker(going_back.export(known), exit_on_error=False)
            case "fork":
                self._leave_for(going_back.forking(known))

    def _leave_for(self, act: Callable[[], None] | None) -> None:
        if act is not None:
            self.dismiss()
            self.app.call_later(act)

    def _open(self, known: Known | None) -> None:
        if not self.is_active or known is None:  # one was opened already, or nothing is chosen
            return
        undecided = self._going_back.undecided(known, asked=self._asked)
        self._wanted = known if undecided else None
        if undecided:
            self._say_state()
        else:
            self._leave_for(self._going_back.opening(known))

    def _open_wanted(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            same = (known for known in self._known if known.record and known.record == wanted.record)
            self._open(next(same, wanted))

    # What comes of it

    def _connection_changed(self) -> None:
        self.call_later(self._ask)

    def _told(self) -> None:
        self.call_later(self._fill)

    def _ask(self) -> None:
        connection = self._client.connection
        if not self._asked and (connection.phase == "ready" or connection.spoken):
            self._asked = True
            if connection.capabilities.list_sessions:
                self._client.known_sessions.ask(self._folder, archived=self._view == "archive")
        self._fill()

    async def _read_records(self) -> None:
        self._recorded = await self._going_back.recorded(self._folder)
        self._fill()

    @property
    def _folder(self) -> str | None:
        return self._cwd if self._view == "folder" else None

    def _say_title(self) -> None:
        where = {"everywhere": "all folders", "archive": "archived by the agent"}.get(self._view)
        where = where or sanitise_line(home_path(self._cwd), 60)
        only = f"only {self._agent} · " * ("agent" in self._toggled) + "with runs · " * ("runs" in self._toggled)
        where = only + where  # a long path is cut at its end
        self.query_one("#sessions-title", Static).update(Content.assemble(("Sessions", "bold"), (f"  {where}", MUTED)))

    @property
    def _agent(self) -> str:
        return sanitise_line(self._from.agent_name, 40) or "This agent"

    def _filtered(self) -> tuple[list[Known], int]:
        agent = self._from.agent_name if "agent" in self._toggled else ""
        return filtered(self._known, agent, runs="runs" in self._toggled)

    def _toggles(self) -> list[Hint]:
        """The keys for other agents' sessions and for runs, where there are any."""
        alone, runs = "agent" in self._toggled, "runs" in self._toggled
        of_agent, _ = filtered(self._known, self._from.agent_name, runs=True)
        others, made = len(of_agent) < len(self._known), any(known.run for known in self._known)
        agents = [("^G", "all agents" if alone else "this agent")] * (others or alone)
        return [*agents, *[("^O", "hide runs" if runs else "show runs")] * (made or runs)]

    def _fill(self) -> None:
        if not self.is_mounted:
            return
        keep = self.highlighted.id if self.highlighted and self._rows.moved else None
        can, their = self._client.connection.capabilities, self._client.known_sessions.list
        self._known = self._going_back.known(self._recorded if self._view != "archive" else [])
        found = matching(self._rows.line.value, self._filtered()[0], searched)
        theirs = self._agent
        now = datetime.now(UTC)
        found.sort(key=lambda known: known.info is None)
        if keep is None and not self._rows.line.value:  # nobody goes to where they are already
            keep = next((known.id for known in found if known.id != self._from.session.id), None)
        rows = [
            (theirs if known.info is not None else "Local records", self._row(known, their.doing, now))
            for known in found
        ]
        nothing = "No matches" if self._known else "No sessions yet"
        self._rows.show(grouped(rows), lambda known: known.id == keep, nothing)
        self._say_state()
        self.query_one(HintLine).show(_hints(can, self._view, self._toggles()))
        self._open_wanted()

    def _row(self, known: Known, doing: Mapping[str, str], now: datetime) -> ListRow[Known]:
        folders = self._view != "folder"
        roots = (*self._client.roots(), *([known.cwd] if folders and known.cwd else []))

        def draw(width: int) -> Content:
            width = max(30, width - 1)
            row = known_row(known, width, now, doing.get(known.id, ""), folders=folders)
            return row + folders_row(known, roots, width)

        return ListRow(draw, known, lines=1 + bool(folders_row(known, roots, 80)))

    def _say_state(self) -> None:
        listed, connection = self._client.known_sessions.list, self._client.connection
        shown, hidden = self._filtered()
        text, tone = counted(len(shown), "session") + (f" · {counted(hidden, 'run')} hidden" if hidden else ""), MUTED
        if self._wanted is not None:
            text, tone = "Opening… waiting for the agent", ACCENT
        elif not self._asked and connection.phase == "starting":
            text = f"{text} · {connection.step}"
        elif not connection.capabilities.list_sessions:
            text = f"{text} · this agent cannot list sessions"
        elif listed.loading:
            text = f"{text} · loading more…"
        elif listed.problem:
            text, tone = sanitise_line(listed.problem, 200), "$warning"
            if connection.login is not None:
                text = f"{text} · esc, then {first_way('answer_permission')} to log in"
        self.query_one("#sessions-state", Static).update(Content.styled(text, tone))


def _following(view: View, *, archives: bool) -> View:
    """Which sessions Tab leads to."""
    following: dict[View, View] = {"folder": "everywhere", "everywhere": "archive" if archives else "folder"}
    return following.get(view, "folder")


def _hints(can: AgentCapabilities, view: View, toggles: Sequence[Hint]) -> list[Hint]:
    """The weightiest first, since the last ones but the way out go where there is no room."""
    words = {"folder": "this folder", "everywhere": "all folders", "archive": "archive"}
    elsewhere = ("tab", words[_following(view, archives=can.archive_session)])
    archive = [("^A", "unarchive" if view == "archive" else "archive")] * can.archive_session
    kept = (("enter", "open"), elsewhere, *toggles, ("^D", "delete"), ("f2", "rename"))
    return [*kept, *archive, *[("^F", "fork")] * can.fork_session, ("^E", "export"), CLOSE]
