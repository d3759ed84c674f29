"""Sessions in the palette that are not open: those of this folder that one can go back to."""

from collections.abc import Sequence
from datetime import UTC, datetime

from acp_tui.host.records.records import Records
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.palette.entries import Row, known_rows, runs_row
from acp_tui.ui.sessions.actions import SessionActions
from acp_tui.ui.sessions.browser import SessionBrowser
from acp_tui.ui.sessions.known import Known, filtered
from acp_tui.ui.sessions.known_actions import GoingBack


class PastSessions:
    """What is at hand of them: the agent is not asked, records are read in a thread."""

    def __init__(self, view: SessionView, sessions: SessionActions, records: Records | None) -> None:
        self._view, self._sessions, self._records = view, sessions, records
        self._going_back = GoingBack(view, sessions, records)

    async def rows(self) -> Sequence[Row]:
        folder = self._view.session.cwd
        recorded = await self._going_back.recorded(folder)
        archived = self._view.client.known_sessions.list.archived
        known = [
            each
            for each in self._going_back.known(recorded)
            if each.session is None and each.cwd == folder and not (archived and each.info)
        ]
        shown, hidden = filtered(known)
        rows = known_rows(shown, self._open, datetime.now(UTC))
        return [*rows, runs_row(hidden, self._show_runs)] if hidden else rows

    def _show_runs(self) -> None:
        self._view.open(SessionBrowser(self._view, self._sessions, self._records, runs=True))

    def _open(self, known: Known) -> None:
        """Open it; where only the agent can say how, the list of sessions asks it first."""
        if self._going_back.undecided(known, asked=False):
            self._view.open(SessionBrowser(self._view, self._sessions, self._records, wanted=known))
        elif (opening := self._going_back.opening(known)) is not None:
            opening()
