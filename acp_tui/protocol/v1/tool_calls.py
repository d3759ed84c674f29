"""Tool calls of protocol 1, what is asked about them, and output of commands that the agent runs itself.

`tool_call` and `tool_call_update` are one upsert, in which `null` changes nothing. A permission's tool call is an
update like any other.

Output comes in `_meta` of tool calls, and becomes terminals on display. A convention outside of the spec:
`terminal_info` (`terminal_id`, `cwd`), `terminal_output` and `terminal_output_delta` (`terminal_id`, `data`; both
append), `terminal_exit` (`terminal_id`, `exit_code`, `signal`).
"""

from typing import Any

from acp_tui.protocol.base import Integer, Lenient, Model
from acp_tui.protocol.calls import PermissionRead
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared.updates import lost_content
from acp_tui.protocol.v1.messages import Version1Memory
from acp_tui.protocol.vocabulary.content import CONTENT_TYPES
from acp_tui.protocol.vocabulary.permissions import PermissionOption, PermissionRequest, PermissionSubject
from acp_tui.protocol.vocabulary.terminals import TerminalExitStatus, TerminalOutputChunk, TerminalUpdate
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate, shared_word
from acp_tui.protocol.vocabulary.updates import Update

MEMBERS = ("terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit")


class TerminalMember(Model):
    """Any of the four members; a terminal without an id is named after its tool call."""

    terminal_id: Lenient[str | None] = None
    cwd: Lenient[str | None] = None
    data: Lenient[str | None] = None
    exit_code: Lenient[Integer | None] = None
    signal: Lenient[str | None] = None


class ToolCallPermission(Model):
    """`session/request_permission` as it comes; its tool call is read by itself, member by member."""

    session_id: str
    tool_call: dict[str, Any]
    options: list[PermissionOption]


def read_tool_call(memory: Version1Memory, update: dict[str, Any]) -> list[Update]:
    """Read `tool_call` (which needs a title when it is new), `tool_call_update` or a permission's `toolCall`."""
    given = _given(update)
    call = read(ToolCallUpdate, given)
    identity = call.tool_call_id
    if identity not in memory.titles:
        if update.get("sessionUpdate") == "tool_call" and call.title is None:
            raise ProtocolFault("The agent sent an invalid tool call", "title", "a string is required")
        memory.close_message()
        memory.titles[identity] = ""
    if call.status is not None and memory.statuses.get(identity) != call.status:
        # Agents do not stream text while a call begins or ends: what comes next is something new. Mere output of a
        # call that runs may come in the middle of a word.
        memory.close_message()
        memory.statuses[identity] = shared_word(call.status)
    if call.title is not None:
        memory.titles[identity] = call.title
    shown = _terminal_output(call)
    if shown and call.meta:
        call = call.model_copy(update={"meta": {key: each for key, each in call.meta.items() if key not in MEMBERS}})
    return [call, *lost_content(call, given.get("content")), *shown]


def _given(update: dict[str, Any]) -> dict[str, Any]:
    """The members that say something, in the vocabulary's shape."""
    given = {key: value for key, value in update.items() if value is not None}
    given["sessionUpdate"] = "tool_call_update"
    if isinstance(given.get("content"), list):
        given["content"] = [_wrapped(item) for item in given["content"]]
    return given


def _wrapped(item: Any) -> Any:
    """A bare content block, as the spec's own example has it, in its wrapping."""
    if isinstance(item, dict) and isinstance(item.get("type"), str) and item["type"] in CONTENT_TYPES:
        return {"type": "content", "content": item}
    return item


def fold_permission(memory: Version1Memory, asked: ToolCallPermission) -> PermissionRead:
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


def _terminal_output(call: ToolCallUpdate) -> list[Update]:
    """What the `_meta` of a tool call says about a terminal, in order; what cannot be read says nothing."""
    if not call.meta:
        return []
    updates: list[Update] = []
    for name in MEMBERS:
        if name in call.meta:
            updates += _read_member(name, call.meta[name], call.tool_call_id)
    return updates


def _read_member(name: str, value: Any, fallback: str) -> list[Update]:
    try:
        member = read(TerminalMember, value)
    except ProtocolFault:
        return []  # `_meta` is nobody's contract
    terminal_id = member.terminal_id or fallback
    if name == "terminal_info":
        cwd = {"cwd": member.cwd} if member.cwd else {}
        return [TerminalUpdate(terminal_id=terminal_id, **cwd)]
    if name == "terminal_exit":
        status = TerminalExitStatus(exit_code=member.exit_code, signal=member.signal)
        return [TerminalUpdate(terminal_id=terminal_id, exit_status=status)]
    if not member.data:
        return []
    return [TerminalOutputChunk(terminal_id=terminal_id, data=member.data.encode(errors="replace"))]
