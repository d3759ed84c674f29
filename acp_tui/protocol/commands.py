"""Slash commands that the agent offers."""

from typing import Literal

from acp_tui.protocol.base import Model
from acp_tui.protocol.tolerance import Lenient, LenientItems


class CommandInput(Model):
    """What may follow the command; `hint` is shown as a placeholder."""

    type: str = "text"
    hint: str | None = None


class AvailableCommand(Model):
    """A slash command; `name` has no slash. Of another `type` than `command` it is something newer."""

    type: str = "command"
    name: str
    description: str = ""
    input: Lenient[CommandInput | None] = None


class AvailableCommandsUpdate(Model):
    """Replaces all slash commands."""

    session_update: Literal["available_commands_update"] = "available_commands_update"
    available_commands: LenientItems[list[AvailableCommand]]
