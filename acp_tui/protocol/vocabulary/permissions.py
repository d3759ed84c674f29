"""Permission requests: what the agent asks before it acts, and what the user answers."""

from typing import Any

from acp_tui.protocol.base import Model
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate

SUBJECT_TYPES = ("tool_call", "command")
PERMISSION_KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")


class PermissionOption(Model):
    """One choice; `kind` is one of PERMISSION_KINDS or a newer word."""

    option_id: str
    name: str
    kind: str


class PermissionSubject(Model):
    """What the request is about.

    `tool_call`: that tool call (already applied to the session as an update). `command`: `command` in `cwd`.
    Anything else is kept in `raw` and shown generically.
    """

    type: str
    tool_call: ToolCallUpdate | None = None
    command: str | None = None
    cwd: str | None = None
    tool_call_id: str | None = None
    terminal_id: str | None = None
    raw: dict[str, Any] | None = None


class PermissionRequest(Model):
    """`session/request_permission`; `options` stay in the agent's order. `title` is prompt copy only."""

    session_id: str
    title: str
    description: str | None = None
    subject: PermissionSubject | None = None
    options: list[PermissionOption]
