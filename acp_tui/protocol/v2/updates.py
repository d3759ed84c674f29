"""`session/update` of protocol 2: one reader for each kind of update."""

from collections.abc import Callable
from typing import Any

from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.tool_calls import ToolCallContentChunk, ToolCallUpdate
from acp_tui.protocol.updates import (
    CompactionSummaryChunk,
    CompactionUpdate,
    Notice,
    RejectedUpdate,
    SessionInfoUpdate,
    UnknownUpdate,
    Update,
    UsageUpdate,
)
from acp_tui.protocol.v2.choices import read_commands, read_config_options
from acp_tui.protocol.v2.memory import SessionMemory
from acp_tui.protocol.v2.messages import read_message
from acp_tui.protocol.v2.plans import read_plan, read_plan_removed
from acp_tui.protocol.v2.terminals import read_output_chunk, read_terminal
from acp_tui.protocol.v2.turn import read_state

Reader = Callable[[SessionMemory, dict[str, Any]], list[Update]]
Plain = ToolCallUpdate | ToolCallContentChunk | SessionInfoUpdate | UsageUpdate | Notice | CompactionSummaryChunk


def _as(model: type[Plain]) -> Reader:
    """A reader for an update that is told as the vocabulary has it."""

    def read_it(_memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
        return [read(model, update)]

    return read_it


def _read_compaction(_memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    if not isinstance(update.get("status"), str):
        raise ProtocolFault("The agent sent a bad compaction", "status", "a string is required")
    return [read(CompactionUpdate, update)]


READERS: dict[str, Reader] = {
    "user_message": read_message,
    "user_message_chunk": read_message,
    "agent_message": read_message,
    "agent_message_chunk": read_message,
    "agent_thought": read_message,
    "agent_thought_chunk": read_message,
    "state_update": read_state,
    "tool_call_update": _as(ToolCallUpdate),
    "tool_call_content_chunk": _as(ToolCallContentChunk),
    "terminal_update": read_terminal,
    "terminal_output_chunk": read_output_chunk,
    "plan_update": read_plan,
    "plan_removed": read_plan_removed,  # unstable
    "available_commands_update": read_commands,
    "config_option_update": read_config_options,
    "session_info_update": _as(SessionInfoUpdate),
    "usage_update": _as(UsageUpdate),
    "notice": _as(Notice),
    "compaction_update": _read_compaction,
    "compaction_summary_chunk": _as(CompactionSummaryChunk),
}


def read_update(memory: SessionMemory, update: Any) -> list[Update]:
    """Read the `update` of one session; what cannot be read is a value too."""
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    if not isinstance(kind, str):
        return [RejectedUpdate("session/update", "update.sessionUpdate", "a string is required", update)]
    reader = READERS.get(kind)
    if reader is None:
        return [UnknownUpdate(kind, update)]
    try:
        return reader(memory, update)
    except ProtocolFault as fault:
        return [RejectedUpdate(kind, fault.path, fault.reason, update)]
