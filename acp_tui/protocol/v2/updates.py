"""`session/update` of protocol 2: one reader for each kind of update."""

from typing import Any

from acp_tui.protocol.base import Model, SkipInvalid
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared.updates import Reader, read_as, read_compaction
from acp_tui.protocol.v2.config_options import read_config_options
from acp_tui.protocol.v2.memory import SessionMemory
from acp_tui.protocol.v2.messages import read_message, read_state
from acp_tui.protocol.v2.plans import read_plan, read_plan_removed
from acp_tui.protocol.v2.terminals import read_output_chunk, read_terminal
from acp_tui.protocol.vocabulary.commands import AvailableCommand, AvailableCommandsUpdate
from acp_tui.protocol.vocabulary.tool_calls import ToolCallContentChunk, ToolCallUpdate
from acp_tui.protocol.vocabulary.updates import CompactionSummaryChunk, Notice, SessionInfoUpdate, Update, UsageUpdate


class AvailableCommands(Model):
    """`available_commands_update`."""

    available_commands: SkipInvalid[list[AvailableCommand]]


def _read_commands(_memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    return [AvailableCommandsUpdate(available_commands=read(AvailableCommands, update).available_commands)]


def _read_config_options(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    return [read_config_options(memory.options, update)]


READERS: dict[str, Reader[SessionMemory]] = {
    "user_message": read_message,
    "user_message_chunk": read_message,
    "agent_message": read_message,
    "agent_message_chunk": read_message,
    "agent_thought": read_message,
    "agent_thought_chunk": read_message,
    "state_update": read_state,
    "tool_call_update": read_as(ToolCallUpdate),
    "tool_call_content_chunk": read_as(ToolCallContentChunk),
    "terminal_update": read_terminal,
    "terminal_output_chunk": read_output_chunk,
    "plan_update": read_plan,
    "plan_removed": read_plan_removed,  # unstable
    "available_commands_update": _read_commands,
    "config_option_update": _read_config_options,
    "session_info_update": read_as(SessionInfoUpdate),
    "usage_update": read_as(UsageUpdate),
    "notice": read_as(Notice),
    "compaction_update": read_compaction,
    "compaction_summary_chunk": read_as(CompactionSummaryChunk),
}
