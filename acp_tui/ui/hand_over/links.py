"""Following a link of the transcript: to the session where it is open, else to what was recorded of it."""

from acp_tui.host.records.records import Records
from acp_tui.host.system.blocking import in_thread
from acp_tui.session.entries import Entry
from acp_tui.session.folds.history import HandOverEntry
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.sessions.past_session_actions import HistoryScreen, read_record
from acp_tui.ui.sessions.tabs import Program, Tab

OPPOSITE = {"to": "from", "from": "to"}


class Links:
    """The links that one session shows, or a record that is read from there."""

    def __init__(self, view: SessionView, program: Program) -> None:
        self._view, self._tabs, self._program = view, program.tabs, program

    def follow(self, entry: Entry | None) -> bool:
        """Go where an entry leads; whether it is a link."""
        if not isinstance(entry, HandOverEntry):
            return False
        tab = self._open_tab(entry)
        if tab is not None:
            app = self._view.app
            while len(app.screen_stack) > 1:  # the record in which the link stands
                app.pop_screen()
            self._tabs.show(tab)
        else:
            self._view.run(self._read(entry))
        return True

    def _open_tab(self, link: HandOverEntry) -> Tab | None:
        """The tab with the other side of this hand-over; one that its agent told anew has only the id."""
        tabs = [tab for tab in self._tabs.entries if not any(entry is link for entry in tab.session.entries)]
        marked = (tab for tab in tabs if _has_other_side(tab, link))
        named = (link.session_id, link.agent) if link.session_id else None
        same = (tab for tab in tabs if (tab.session.id, tab.session.agent_name) == named)
        return next(marked, None) or next(same, None)

    async def _read(self, link: HandOverEntry) -> None:
        records = self._program.records or Records()
        records.flush()
        info = await in_thread(records.linked, link.agent, link.session_id, link.mark)
        if info is None:
            agent = sanitise_line(link.agent, 40) or "the other agent"
            self._view.say(f"No record of the session with {agent} on this machine", 5, "warning")
            return
        session = await read_record(self._view.app, records, info)
        if session is not None:
            self._view.open(HistoryScreen(session, info, self.follow))


def _has_other_side(tab: Tab, link: HandOverEntry) -> bool:
    links = (entry for entry in tab.session.entries if isinstance(entry, HandOverEntry))
    return any((each.way, each.mark) == (OPPOSITE[link.way], link.mark) for each in links)
