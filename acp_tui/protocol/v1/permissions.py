"""Permission requests of protocol 1, whose tool call is an update like any other."""

from typing import Any

from acp_tui.protocol.base import Model
from acp_tui.protocol.dialect import PermissionRead
from acp_tui.protocol.v1.memory import SessionMemory
from acp_tui.protocol.v1.tool_calls import read_tool_call
from acp_tui.protocol.vocabulary.permissions import PermissionOption, PermissionRequest, PermissionSubject
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate


class ToolCallPermission(Model):
    """`session/request_permission` as it comes; its tool call is read by itself, member by member."""

    session_id: str
    tool_call: dict[str, Any]
    options: list[PermissionOption]


def fold_permission(memory: SessionMemory, asked: ToolCallPermission) -> PermissionRead:
    """The request with a title (the tool call's, or the one it had before), and its tool call as an update."""
    updates = read_tool_call(memory, asked.tool_call)
    memory.close_message()  # the agent waits for the user: what it says after that is not the sentence before
    call = next(update for update in updates if isinstance(update, ToolCallUpdate))
    title = memory.titles[call.tool_call_id] or call.name or call.kind or "Permission"
    subject = PermissionSubject(type="tool_call", tool_call=call, tool_call_id=call.tool_call_id)
    request = PermissionRequest(
        meta=asked.meta, session_id=asked.session_id, title=title, subject=subject, options=asked.options
    )
    return PermissionRead(request, updates)
