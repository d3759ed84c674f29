"""Sessions that nobody wants any more: the agent puts them away where it can."""

from acp_tui.host.connection.agent_link import AgentLink
from acp_tui.host.sessions.sessions import Sessions
from acp_tui.protocol.dialect import Act
from acp_tui.wire.jsonrpc import Response


class Closings:
    """Has the agent close sessions, and delete those that nobody is to find again.

    What needs a log-in waits for it, and what is about to be forked for the fork: agents fork what is open.
    """

    def __init__(self, link: AgentLink, sessions: Sessions) -> None:
        self._link, self._sessions = link, sessions
        self._waiting: list[tuple[str, list[Act]]] = []

    def close(self, session_id: str, *, forget: bool = False) -> bool:
        """Whether there is any way."""
        can = self._link.can
        offered: dict[Act, bool] = {"close": can.close_session, "delete": forget and can.delete_session}
        acts = [act for act, offers in offered.items() if offers]
        if acts:
            self._waiting.append((session_id, acts))
            self.go_on()
        return bool(acts)

    def go_on(self) -> None:
        """Close what need not wait any more."""
        waiting, self._waiting = self._waiting, []
        for session_id, acts in waiting:
            if self._is_to_be_forked(session_id):
                self._waiting.append((session_id, acts))
            else:
                self._put_away(session_id, acts)

    def _is_to_be_forked(self, session_id: str) -> bool:
        waiting = (each.source for each in self._sessions if not each.is_open)
        return any(source.kind in ("fork", "branch") and source.session_id == session_id for source in waiting)

    def _put_away(self, session_id: str, acts: list[Act]) -> None:
        def answered(answer: Response) -> None:
            if self._link.wants_login(answer):
                self._waiting.append((session_id, acts))
            elif acts[1:]:
                self._put_away(session_id, acts[1:])

        self._link.connection.call(self._link.dialect.about_session(acts[0], session_id), answered)
