"""Protocol 2 as a dialect: one reader for each kind of update.

Terminals are the agent's own: their output comes in base64, each piece by itself.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, ClassVar

from acp_tui.protocol.base import Model, SkipInvalid
from acp_tui.protocol.calls import Call, PermissionRead
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.dialect import Dialect, Way
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared.memories import Memories
from acp_tui.protocol.shared.updates import Reader, read_as, read_compaction, read_plan, read_plan_removed
from acp_tui.protocol.v2.messages import Version2Memory
from acp_tui.protocol.v2.permissions import read_permission
from acp_tui.protocol.vocabulary.commands import AvailableCommand, AvailableCommandsUpdate
from acp_tui.protocol.vocabulary.terminals import TerminalOutputChunk, TerminalUpdate
from acp_tui.protocol.vocabulary.tool_calls import ToolCallContentChunk, ToolCallUpdate
from acp_tui.protocol.vocabulary.updates import CompactionSummaryChunk, Notice, SessionInfoUpdate, Update, UsageUpdate

FROM_START = {"replayFrom": {"type": "start"}}


class AvailableCommands(Model):
    """`available_commands_update`."""

    available_commands: SkipInvalid[list[AvailableCommand]]


def _read_commands(_memory: Version2Memory, update: dict[str, Any]) -> list[Update]:
    return [AvailableCommandsUpdate(available_commands=read(AvailableCommands, update).available_commands)]


def _read_terminal(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `terminal_update`; output that cannot be decoded reads as if it had been omitted."""
    given = dict(update)
    if given.get("output") is not None:
        output = given.pop("output")
        data = _decoded(output.get("data")) if isinstance(output, dict) else None
        given |= {} if data is None else {"output": data}
    return [read(TerminalUpdate, given)]


def _read_output_chunk(_memory: object, update: dict[str, Any]) -> list[Update]:
    data = _decoded(update.get("data"))
    if data is None:
        raise ProtocolFault("The agent sent bad terminal output", "data", "base64 is required")
    return [read(TerminalOutputChunk, {**update, "data": data})]


def _decoded(data: Any) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True) if isinstance(data, str) else None
    except (binascii.Error, ValueError):
        return None


READERS: dict[str, Reader[Version2Memory]] = {
    "user_message": Version2Memory.read_message,
    "user_message_chunk": Version2Memory.read_message,
    "agent_message": Version2Memory.read_message,
    "agent_message_chunk": Version2Memory.read_message,
    "agent_thought": Version2Memory.read_message,
    "agent_thought_chunk": Version2Memory.read_message,
    "state_update": Version2Memory.read_state,
    "tool_call_update": read_as(ToolCallUpdate),
    "tool_call_content_chunk": read_as(ToolCallContentChunk),
    "terminal_update": _read_terminal,
    "terminal_output_chunk": _read_output_chunk,
    "plan_update": read_plan,
    "plan_removed": read_plan_removed,  # unstable
    "available_commands_update": _read_commands,
    "config_option_update": lambda memory, update: [memory.options.read(update)],
    "session_info_update": read_as(SessionInfoUpdate),
    "usage_update": read_as(UsageUpdate),
    "notice": read_as(Notice),
    "compaction_update": read_compaction,
    "compaction_summary_chunk": read_as(CompactionSummaryChunk),
}


class Version2Dialect(Dialect):
    """See `Dialect` for what each method means. `by_load` says that history comes by `session/load`, as in drafts."""

    name = "ACP 2"
    older_names: ClassVar[Mapping[str, str]] = {"auth/login": "authenticate", "auth/logout": "logout"}
    readers = READERS

    def __init__(self, *, by_load: bool = False) -> None:
        self._by_load = by_load
        self._memories: Memories[Version2Memory] = Memories(Version2Memory)

    def open_session(self, way: Way, scope: SessionScope, session_id: str | None = None) -> Call:
        if way != "load" or self._by_load:
            return super().open_session(way, scope, session_id)
        call = super().open_session("resume", scope, session_id)
        return Call(call.method, {**call.params, **FROM_START})

    def authenticate(self, method_id: str) -> Call:
        return Call("auth/login", {"methodId": method_id})

    def logout(self) -> Call:
        return Call("auth/logout", {})

    def cancel(self, session_id: str) -> Call:
        self._memories.of(session_id).cancelling = True
        return super().cancel(session_id)

    def read_permission(self, params: Any) -> PermissionRead:
        return read_permission(params)
