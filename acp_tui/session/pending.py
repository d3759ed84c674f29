"""What waits for the user: permission requests, elicitations, and the options asked before a session is opened."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema, FormElicitation, UrlElicitation
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest
from acp_tui.session.entries import ElicitationEntry
from acp_tui.session.facts import UNWRITTEN


@dataclass(slots=True)
class PendingPermission:
    """One request; `key` is this connection's name for it, `tool_call_id` links it to its entry.

    `call_id` is the call that it belongs to, where the request names another one.
    """

    key: int
    request: PermissionRequest
    asked_at: float = 0.0
    call_id: str | None = None

    @property
    def tool_call_id(self) -> str | None:
        if self.call_id is not None:
            return self.call_id
        subject = self.request.subject
        if subject is None:
            return None
        return subject.tool_call.tool_call_id if subject.tool_call else subject.tool_call_id


@dataclass(slots=True)
class PendingElicitation:
    """One that waits; `key` is this connection's name for it, `entry` its place in the transcript."""

    key: int
    entry: ElicitationEntry
    asked_at: float = 0.0

    @property
    def request(self) -> FormElicitation | UrlElicitation:
        return self.entry.request


@dataclass(slots=True)
class InputOptions:
    """The form that comes before the session; `last` is what was chosen last time, `refused` why it was not taken.

    `way` is how the session is opened: new, load, resume, fork.
    """

    schema: ElicitationSchema
    last: Mapping[str, Any] = field(default_factory=dict, repr=False, metadata=UNWRITTEN)
    refused: str = ""
    asked_at: float = 0.0
    way: str = "new"
