"""The sessions that the agent knows (`session/list`), and what the user has it do with them.

Each act needs what the agent may or may not offer; what cannot be done, and what went wrong, is said in the list.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from acp_tui.host.connection.connection import AgentLink, words_of
from acp_tui.host.sessions.open_session import ClientVerbs, OpenSessions
from acp_tui.protocol.base import read
from acp_tui.protocol.base_dialect import Act, Dialect
from acp_tui.protocol.faults import METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, ProtocolFault
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.vocabulary.initialization import SessionInfo, SessionStatus, SessionTitle
from acp_tui.protocol.vocabulary.session_updates import SessionInfoUpdate
from acp_tui.session.changes import Publisher
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session
from acp_tui.wire.jsonrpc import Response

CAP = 10_000
"""Sessions that are listed; agents whose pages never end exist."""

ACTIONS = {
    "list_sessions": "list sessions",
    "delete_session": "delete sessions",
    "archive_session": "archive sessions",
    "title_session": "rename sessions",
}
"""What takes which capability, in words."""
CallOf = Callable[[Dialect], Call]
Then = Callable[[str, Response], None]


@dataclass
class SessionList(Publisher[[]]):
    """What `session/list` gave so far; `problem` says why there is no more. `version` grows with every change.

    `cwd` is the folder that was asked for, `None` for all; `archived` where the archive was asked for. `busy` names
    sessions that are being deleted, archived or renamed, `doing` says what some are doing, where the agent told.
    """

    entries: list[SessionInfo] = field(default_factory=list)
    cwd: str | None = None
    archived: bool = False
    loading: bool = False
    problem: str = ""
    busy: set[str] = field(default_factory=set)
    doing: dict[str, str] = field(default_factory=dict)
    version: int = 0

    def changed(self) -> None:
        self.version += 1
        self.publish()


class Pages:
    """All pages of one listing, asked for one after the other, from now on.

    `told` gets the entries of each page, `ended` why there is no more (empty: the end).
    """

    def __init__(
        self,
        link: AgentLink,
        cwd: str | None,
        told: Callable[[list[SessionInfo]], None],
        ended: Callable[[str], None],
        *,
        archived: bool = False,
    ) -> None:
        self._link, self._cwd, self._told, self._ended = link, cwd, told, ended
        self._archived = archived
        self._cursors: set[str | None] = {None}
        self._ids: set[str] = set()
        self._request: int | None = None
        self.wants_login = False
        self._ask(None)

    def stop(self) -> None:
        if self._request is not None:
            self._link.connection.withdraw(self._request)
            self._request = None

    def _ask(self, cursor: str | None) -> None:
        call = self._link.dialect.list_sessions(self._cwd, cursor, archived=self._archived)
        self._request = self._link.connection.call(call, self._answered)

    def _answered(self, answer: Response) -> None:
        if self._request is None:
            return  # nobody wants the rest
        self._request = None
        if answer.error is not None:
            self.wants_login = self._link.wants_login(answer)
            unknown = answer.error.code == METHOD_NOT_FOUND
            self._ended("The agent cannot list sessions." if unknown else words_of(answer.error))
            return
        try:
            page = self._link.dialect.read_session_page(answer.result)
        except ProtocolFault as fault:
            self._ended(str(fault))
            return
        fresh = [info for info in page.sessions if info.session_id not in self._ids]
        self._ids.update(info.session_id for info in fresh)
        # One without a folder is of the folder that was asked for, as far as the agent tells.
        self._told([info if info.cwd else info.model_copy(update={"cwd": self._cwd or ""}) for info in fresh])
        if not page.next_cursor or page.next_cursor in self._cursors:
            self._ended("")
        elif len(self._ids) >= CAP:
            self._ended(f"Showing the first {len(self._ids):,} sessions; there are more.")
        else:
            self._cursors.add(page.next_cursor)
            self._ask(page.next_cursor)


class KnownSessions:
    """Asks, and keeps what came of it: the one writer of `list`."""

    def __init__(self, sessions: OpenSessions, client: ClientVerbs) -> None:
        self.list = SessionList()
        self._sessions, self._client = sessions, client
        self._link: AgentLink | None = None
        self._pages: Pages | None = None
        self._unlisted = False
        self._after_login: list[Callable[[], None]] = []

    def connected(self, link: AgentLink) -> None:
        """There is an agent to ask, or one that takes questions again: ask for what a log-in stood before."""
        self._link = link
        waiting, self._after_login = self._after_login, []
        for act in waiting:
            act()
        if self._unlisted:
            self.ask(self.list.cwd, archived=self.list.archived)

    def gone(self) -> None:
        self._link = None
        self.list.busy.clear()
        self.list.doing.clear()
        if self._pages is not None and self.list.loading:
            self._end("The agent exited before the list was complete.")
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
        link = self._offering("list_sessions")
        if link is None:
            return
        self.list.loading = True
        self.list.changed()
        fresh: list[SessionInfo] = []

        def told(page: list[SessionInfo]) -> None:
            fresh.extend(info for info in page if not self._is_child(info.session_id))
            self.list.entries = list(fresh)
            self.list.changed()

        self._pages = Pages(link, cwd, told, self._end, archived=archived and link.can.archive_session)

    def delete(self, session_id: str) -> None:
        """Have the agent forget a session for good; one that it does not know is gone, too."""
        for session in self._open(session_id):
            self._client.close_session(session)
        self._leave_list("delete_session", "delete", session_id)

    def archive(self, session_id: str, *, archived: bool) -> None:
        """Have the agent put a session into its archive or take it out; either way it leaves this list."""
        self._leave_list("archive_session", "archive" if archived else "unarchive", session_id)

    def title(self, session_id: str, title: str) -> None:
        """Have the agent give a session another title; one that is open is told what came of that."""
        self._have("title_session", session_id, lambda dialect: dialect.title_session(session_id, title), self._titled)

    def _leave_list(self, capability: str, act: Act, session_id: str) -> None:
        self._have(capability, session_id, lambda dialect: dialect.about_session(act, session_id), self._went)

    def look(self, session_id: str) -> None:
        link = self._link
        known = session_id in self.list.doing or self._is_child(session_id)
        if link is not None and link.can.session_status and not known:
            self.list.doing[session_id] = ""
            call = link.dialect.about_session("status", session_id)
            link.connection.call(call, partial(self._status_told, session_id))

    def _open(self, session_id: str) -> list[Session]:
        return [each.session for each in self._sessions if each.session.id == session_id]

    def _is_child(self, session_id: str) -> bool:
        """Whether it is a subagent's: its agent creates it and puts it away, and the user goes to it in its parent."""
        return any(session_id in each.session.family for each in self._sessions)

    def _offering(self, capability: str) -> AgentLink | None:
        """The link where the agent can do this; else the list says that it cannot."""
        if self._link is None:
            self._end("The agent is not connected.")
        elif not getattr(self._link.can, capability):
            self._end(f"The agent cannot {ACTIONS[capability]}.")
        else:
            return self._link
        return None

    def _have(self, capability: str, session_id: str, call_of: CallOf, then: Then) -> None:
        """Ask for a change of one session, which `then` shows; again after a log-in where that is wanted first."""
        link = self._offering(capability)
        if link is None:
            return
        if self._is_child(session_id):
            self._end("This is a subagent of an open session.")
            return

        def answered(answer: Response) -> None:
            self.list.busy.discard(session_id)
            if link.wants_login(answer):
                self._after_login.append(partial(self._have, capability, session_id, call_of, then))
            then(session_id, answer)
            self.list.changed()

        self.list.busy.add(session_id)
        self.list.problem = ""
        self.list.changed()
        link.connection.call(call_of(link.dialect), answered)

    def _went(self, session_id: str, answer: Response) -> None:
        if answer.error is None or answer.error.code == RESOURCE_NOT_FOUND:
            self.list.entries = [info for info in self.list.entries if info.session_id != session_id]
        else:
            self.list.problem = words_of(answer.error)

    def _titled(self, session_id: str, answer: Response) -> None:
        event: SessionInfoUpdate | Noticed
        try:
            if answer.error is not None:
                raise ProtocolFault(words_of(answer.error))
            title = read(SessionTitle, answer.result).title
            event = SessionInfoUpdate(title=title)
            self.list.entries = [
                info.model_copy(update={"title": title}) if info.session_id == session_id else info
                for info in self.list.entries
            ]
        except ProtocolFault as fault:
            self.list.problem = str(fault)
            event = Noticed("warning", "Session not renamed", str(fault))
        for session in self._open(session_id):
            session.apply(event)

    def _status_told(self, session_id: str, answer: Response) -> None:
        if answer.error is not None:
            return  # it is told beside what matters, and not missed
        try:
            self.list.doing[session_id] = read(SessionStatus, answer.result).words
        except ProtocolFault:
            return  # the inspector says so
        self.list.changed()

    def _end(self, problem: str) -> None:
        self._unlisted = self._pages is not None and self._pages.wants_login
        self.list.loading, self.list.problem = False, problem
        self.list.changed()


def newest(entries: list[SessionInfo]) -> SessionInfo | None:
    """The session that was worked on last; without times, the first that the agent names.

    One without a title is taken only where none has one: some agents list sessions in which nothing was said.
    """
    return max(entries, key=lambda info: (bool(info.title), _seconds(info.updated_at)), default=None)


def _seconds(time: str | None) -> float:
    """ISO 8601 as seconds; without a time zone it is UTC, what cannot be read is long ago."""
    try:
        read = datetime.fromisoformat(time or "")
    except ValueError:
        return 0.0
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
