"""`session/update` of protocol 1: one reader for each kind of update."""

from collections.abc import Callable
from typing import Any

from acp_tui.protocol.commands import AvailableCommandsUpdate
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
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
from acp_tui.protocol.v1.choices import read_config_options, read_current_mode, read_current_model
from acp_tui.protocol.v1.memory import SessionMemory
from acp_tui.protocol.v1.messages import read_chunk
from acp_tui.protocol.v1.plans import read_plan, read_plan_removed, read_plan_update
from acp_tui.protocol.v1.tool_calls import read_tool_call

Reader = Callable[[SessionMemory, dict[str, Any]], list[Update]]


def _as(model: type[AvailableCommandsUpdate | SessionInfoUpdate | UsageUpdate | Notice]) -> Reader:
    """A reader for an update that means the same in protocol 2."""

    def read_it(_memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
        return [read(model, update)]

    return read_it


def _read_compaction(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """A compaction has a place in the conversation, so that what follows is another message."""
    if not isinstance(update.get("status"), str):
        raise ProtocolFault("The agent sent a bad compaction", "status", "a string is required")
    compaction = read(CompactionUpdate, update)
    memory.close_message()
    return [compaction]


def _read_compaction_chunk(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    chunk = read(CompactionSummaryChunk, update)
    memory.close_message()
    return [chunk]


READERS: dict[str, Reader] = {
    "user_message_chunk": read_chunk,
    "agent_message_chunk": read_chunk,
    "agent_thought_chunk": read_chunk,
    "tool_call": read_tool_call,
    "tool_call_update": read_tool_call,
    "plan": read_plan,
    "plan_update": read_plan_update,  # unstable
    "plan_removed": read_plan_removed,  # unstable
    "available_commands_update": _as(AvailableCommandsUpdate),
    "current_mode_update": read_current_mode,
    "current_model_update": read_current_model,  # never released
    "config_option_update": read_config_options,
    "config_options_update": read_config_options,  # as the documentation of v0.10 and v0.11 spelled it
    "session_info_update": _as(SessionInfoUpdate),
    "usage_update": _as(UsageUpdate),
    "notice": _as(Notice),
    "compaction_update": _read_compaction,
    "compaction_summary_chunk": _read_compaction_chunk,
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
