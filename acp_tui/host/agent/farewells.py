"""Sessions that nobody wants any more: the agent puts them away where it can."""

from acp_tui.host.connection.agent_link import AgentLink
from acp_tui.protocol.dialect import Act
from acp_tui.wire.jsonrpc import Response


class Farewells:
    """Has the agent close sessions, and delete those that nobody is to find again; what needs a log-in waits for it."""

    def __init__(self, link: AgentLink) -> None:
        self._link = link
        self._waiting: list[tuple[str, list[Act]]] = []

    def say(self, session_id: str, *, forget: bool = False) -> bool:
        """Whether there is any way."""
        can = self._link.can
        offered: dict[Act, bool] = {"close": can.close_session, "delete": forget and can.delete_session}
        acts = [act for act, offers in offered.items() if offers]
        if acts:
            self._put_away(session_id, acts)
        return bool(acts)

    def go_on(self) -> None:
        waiting, self._waiting = self._waiting, []
        for session_id, acts in waiting:
            self._put_away(session_id, acts)

    def _put_away(self, session_id: str, acts: list[Act]) -> None:
        def answered(answer: Response) -> None:
            if self._link.wants_login(answer):
                self._waiting.append((session_id, acts))
            elif acts[1:]:
                self._put_away(session_id, acts[1:])

        self._link.connection.call(self._link.dialect.about_session(acts[0], session_id), answered)
