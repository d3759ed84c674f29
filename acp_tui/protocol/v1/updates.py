"""`session/update` of protocol 1: one reader for each kind of update."""

from collections.abc import Callable
from typing import Any

from acp_tui.protocol.shared.updates import Reader, read_as, read_compaction
from acp_tui.protocol.v1.config_options import (
    OptionsAndModes,
    read_config_options,
    read_current_mode,
    read_current_model,
)
from acp_tui.protocol.v1.memory import SessionMemory
from acp_tui.protocol.v1.messages import read_chunk
from acp_tui.protocol.v1.plans import read_plan, read_plan_removed, read_plan_update
from acp_tui.protocol.v1.tool_calls import read_tool_call
from acp_tui.protocol.vocabulary.commands import AvailableCommandsUpdate
from acp_tui.protocol.vocabulary.config_options import ConfigOptionUpdate
from acp_tui.protocol.vocabulary.updates import CompactionSummaryChunk, Notice, SessionInfoUpdate, Update, UsageUpdate


def _option(read_it: Callable[[OptionsAndModes, dict[str, Any]], ConfigOptionUpdate]) -> Reader[SessionMemory]:
    return lambda memory, update: [read_it(memory.options, update)]


def _between(read_it: Reader[SessionMemory]) -> Reader[SessionMemory]:
    """What has a place in the conversation of its own, so that what follows is another message."""

    def read_and_close(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
        updates = read_it(memory, update)
        memory.close_message()
        return updates

    return read_and_close


READERS: dict[str, Reader[SessionMemory]] = {
    "user_message_chunk": read_chunk,
    "agent_message_chunk": read_chunk,
    "agent_thought_chunk": read_chunk,
    "tool_call": read_tool_call,
    "tool_call_update": read_tool_call,
    "plan": _between(read_plan),
    "plan_update": _between(read_plan_update),  # unstable
    "plan_removed": _between(read_plan_removed),  # unstable
    "available_commands_update": read_as(AvailableCommandsUpdate),
    "current_mode_update": _option(read_current_mode),
    "current_model_update": _option(read_current_model),  # never released
    "config_option_update": _option(read_config_options),
    "config_options_update": _option(read_config_options),  # as the documentation of v0.10 and v0.11 spelled it
    "session_info_update": read_as(SessionInfoUpdate),
    "usage_update": read_as(UsageUpdate),
    "notice": read_as(Notice),
    "compaction_update": _between(read_compaction),
    "compaction_summary_chunk": _between(read_as(CompactionSummaryChunk)),
}
