"""Updates, answers and calls about config options and slash commands of protocol 2."""

from typing import Any

from acp_tui.protocol.base import Model
from acp_tui.protocol.commands import AvailableCommand, AvailableCommandsUpdate
from acp_tui.protocol.config_options import ConfigOption
from acp_tui.protocol.dialect import Call
from acp_tui.protocol.reading import read
from acp_tui.protocol.tolerance import SkipInvalid
from acp_tui.protocol.updates import Update
from acp_tui.protocol.v2.memory import SessionMemory


class ConfigOptions(Model):
    """`config_option_update`, or the answer to `session/set_config_option`: all options, read one by one later."""

    config_options: SkipInvalid[list[dict[str, Any]]]


class AvailableCommands(Model):
    """`available_commands_update`."""

    available_commands: SkipInvalid[list[AvailableCommand]]


def read_config_options(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """All config options anew."""
    return [memory.replace_options(list(read(ConfigOptions, update).config_options))]


def read_commands(_memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """All slash commands anew."""
    return [AvailableCommandsUpdate(available_commands=read(AvailableCommands, update).available_commands)]


def choice_call(session_id: str, option: ConfigOption, value: str | bool) -> Call:
    """Choose a value."""
    kind = "boolean" if isinstance(value, bool) else "id"
    params = {"sessionId": session_id, "configId": option.id, "type": kind, "value": value}
    return Call("session/set_config_option", params)


def choice_made(memory: SessionMemory, call: Call, result: Any) -> list[Update]:
    """The agent agreed: with all options anew, or with an empty answer that means the choice itself."""
    if isinstance(result, dict) and "configOptions" in result:
        return read_config_options(memory, result)
    return [memory.option_chosen(call.params["configId"], call.params["value"])]
