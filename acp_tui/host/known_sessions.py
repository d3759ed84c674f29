"""The sessions that the agent knows, and what a person has it do with them; must not know how they are shown.

Each act needs what the agent may or may not offer; what cannot be done, and what went wrong, is said in the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from acp_tui.host.pages import Pages
from acp_tui.host.session_list import SessionList
from acp_tui.protocol.faults import RESOURCE_NOT_FOUND, ProtocolFault, error_words

if TYPE_CHECKING:
    from acp_tui.host.conversation import Line
    from acp_tui.protocol.capabilities import AgentCapabilities
    from acp_tui.protocol.dialect import Call
    from acp_tui.protocol.sessions import SessionInfo
    from acp_tui.session.state import Session
    from acp_tui.wire.jsonrpc import Error, Response


class KnownSessions:
    """Asks, and keeps what came of it: the one writer of `list`.

    `can` tells what the agent offers, `sessions` are those that are open, `close` puts one of them away.
    """

    def __init__(
        self,
        can: Callable[[], AgentCapabilities],
        sessions: Sequence[Session],
        close: Callable[[Session], None],
    ) -> None:
        self.list = SessionList()
        self._can, self._sessions, self._close = can, sessions, close
        self._line: Line | None = None
        self._pages: Pages | None = None
        self._unlisted = False
        self._after_login: list[Callable[[], None]] = []

    def connected(self, line: Line) -> None:
        """There is an agent to ask, or one that takes questions again: ask for what a log-in stood before."""
        self._line = line
        waiting, self._after_login = self._after_login, []
        for act in waiting:
            act()
        if self._unlisted:
            self.ask(self.list.cwd, archived=self.list.archived)

    def gone(self) -> None:
        """The agent has ended: nothing that was asked will be answered."""
        self._line = None
        self.list.busy.clear()
        self.list.doing.clear()
        if self._pages is not None and self.list.loading:
            self._end("The agent ended before it had told all.")
        self._pages = None

    def ask(self, cwd: str | None = None, *, archived: bool = False) -> None:
        """List the sessions of a folder (`None`: all) anew; what was there stays until the first page has come."""
        if self._pages is not None:
            self._pages.stop()
        self._pages, self._unlisted = None, False
        self.list.cwd, self.list.problem = cwd, ""
        self.list.doing.clear()
        if archived is not self.list.archived:
            self.list.archived, self.list.entries = archived, []
        line = self._offered(self._can().list_sessions, "list its sessions")
        if line is None:
            return
        self.list.loading = True
        self.list.changed()
        fresh: list[SessionInfo] = []

        def told(page: list[SessionInfo]) -> None:
            fresh.extend(page)
            self.list.entries = list(fresh)
            self.list.changed()

        self._pages = Pages(line, cwd, told, self._end, archived=archived and self._can().archive_session)

    def delete(self, session_id: str) -> None:
        """Have the agent forget a session for good; one that it does not know is gone, too."""
        for session in self._open(session_id):
            self._close(session)
        line = self._offered(self._can().delete_session, "delete sessions")
        if line is not None:
            call = line.dialect.delete_session(session_id)
            self._have_gone(line, session_id, call, partial(self.delete, session_id))

    def archive(self, session_id: str, *, archived: bool) -> None:
        """Have the agent put a session into its archive or take it out; either way it leaves this list."""
        line = self._offered(self._can().archive_session, "archive sessions")
        if line is not None:
            call = line.dialect.archive_session(session_id, archived=archived)
            self._have_gone(line, session_id, call, partial(self.archive, session_id, archived=archived))

    def title(self, session_id: str, title: str) -> None:
        """Have the agent give a session another title; one that is open is told what came of that."""
        line = self._offered(self._can().title_session, "rename sessions")
        if line is not None:
            self._busy(session_id)
            call = line.dialect.title_session(session_id, title)
            again = partial(self.title, session_id, title)
            line.connection.call(call, partial(self._title_told, line, session_id, again))

    def look(self, session_id: str) -> None:
        """Ask what a session is doing, for `list.doing`; nothing where the agent does not offer to tell."""
        line = self._line
        if line is not None and self._can().session_status and session_id not in self.list.doing:
            self.list.doing[session_id] = ""
            call = line.dialect.session_status(session_id)
            line.connection.call(call, partial(self._status_told, line, session_id))

    def _open(self, session_id: str) -> list[Session]:
        return [session for session in self._sessions if session.id == session_id]

    def _offered(self, offered: bool, what: str) -> Line | None:
        """The line where the agent can do this; else the list says that it cannot."""
        if self._line is None:
            self._end("The agent is not connected.")
        elif not offered:
            self._end(f"The agent cannot {what}.")
        else:
            return self._line
        return None

    def _busy(self, session_id: str) -> None:
        self.list.busy.add(session_id)
        self.list.problem = ""
        self.list.changed()

    def _have_gone(self, line: Line, session_id: str, call: Call, again: Callable[[], None]) -> None:
        self._busy(session_id)
        line.connection.call(call, partial(self._went, line, session_id, again))

    def _answered(self, line: Line, session_id: str, again: Callable[[], None], answer: Response) -> None:
        self.list.busy.discard(session_id)
        if line.wants_login(answer):
            self._after_login.append(again)

    def _went(self, line: Line, session_id: str, again: Callable[[], None], answer: Response) -> None:
        self._answered(line, session_id, again, answer)
        if answer.error is None or answer.error.code == RESOURCE_NOT_FOUND:
            self.list.entries = [info for info in self.list.entries if info.session_id != session_id]
        else:
            self.list.problem = _words(answer.error)
        self.list.changed()

    def _title_told(self, line: Line, session_id: str, again: Callable[[], None], answer: Response) -> None:
        from acp_tui.protocol.updates import SessionInfoUpdate  # noqa: PLC0415 (the first frame does not need it)
        from acp_tui.session.facts import Noticed  # noqa: PLC0415 (as above)

        self._answered(line, session_id, again, answer)
        event: SessionInfoUpdate | Noticed
        try:
            if answer.error is not None:
                raise ProtocolFault(_words(answer.error))
            title = line.dialect.read_session_title(answer.result).title
            event = SessionInfoUpdate(title=title)
            self.list.entries = [
                info.model_copy(update={"title": title}) if info.session_id == session_id else info
                for info in self.list.entries
            ]
        except ProtocolFault as fault:
            self.list.problem = str(fault)
            event = Noticed("warning", "The session was not renamed", str(fault))
        self.list.changed()
        for session in self._open(session_id):
            session.apply(event)

    def _status_told(self, line: Line, session_id: str, answer: Response) -> None:
        if answer.error is not None:
            return  # it is told beside what matters, and not missed
        try:
            self.list.doing[session_id] = line.dialect.read_session_status(answer.result).words
        except ProtocolFault:
            return  # the inspector says so
        self.list.changed()

    def _end(self, problem: str) -> None:
        self._unlisted = self._pages is not None and self._pages.wants_login
        self.list.loading, self.list.problem = False, problem
        self.list.changed()


def _words(error: Error) -> str:
    return error_words(error.code, error.message, error.data)
