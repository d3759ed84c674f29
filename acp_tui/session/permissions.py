"""Permission requests that wait for the user, oldest first, and what an answer means for the tool call."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_tui.protocol.permissions import PermissionRequest
from acp_tui.session import tool_calls
from acp_tui.session.changes import PermissionAsked, PermissionSettled
from acp_tui.session.facts import PermissionAnswered, PermissionReceived

if TYPE_CHECKING:
    from acp_tui.session.state import Session


@dataclass(slots=True)
class PendingPermission:
    """One request; `key` is this connection's name for it, `tool_call_id` links it to its entry."""

    key: int
    request: PermissionRequest
    asked_at: float = 0.0

    @property
    def tool_call_id(self) -> str | None:
        """The tool call it is about, if it names one."""
        subject = self.request.subject
        if subject is None:
            return None
        return subject.tool_call.tool_call_id if subject.tool_call else subject.tool_call_id


def fold_received(session: "Session", fact: PermissionReceived) -> None:
    """Put a request at the end of the queue."""
    session.permissions.append(PendingPermission(fact.key, fact.request, session.clock()))
    session.turn.last_heard_at = session.clock()
    session.publish(PermissionAsked(fact.key))


def fold_answered(session: "Session", fact: PermissionAnswered) -> None:
    """Take a request out of the queue; a second answer changes nothing."""
    settle(session, fact.key, fact.option_id)


def settle(session: "Session", key: int, option_id: str | None) -> None:
    """Settle the request `key`, if it still waits."""
    for pending in session.permissions:
        if pending.key == key:
            session.permissions.remove(pending)
            kind = next((option.kind for option in pending.request.options if option.option_id == option_id), "")
            entry = session.index.tool_calls.get(pending.tool_call_id or "")
            if entry is not None:
                tool_calls.decide(session, entry, kind)
            session.publish(PermissionSettled(key, option_id))
            return
