"""What is sent to an agent, and the answers and requests that say more than one thing."""

from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest
from acp_tui.protocol.vocabulary.updates import Update


class Call(Frozen):
    """A request or notification to send; `params` is plain JSON data."""

    method: str
    params: dict[str, Any]


class SessionSetup(Frozen):
    """The answer to `session/new` and its kin; `updates` are what it says about the session, in order."""

    session_id: str
    updates: list[Update]


class PermissionRead(Frozen):
    """A permission request and what it says about its tool call (apply the updates first)."""

    request: PermissionRequest
    updates: list[Update]
