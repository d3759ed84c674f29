"""Slash commands that the agent offers."""

from typing import ClassVar, Literal

from acp_tui.protocol.base import Lenient, LenientItems, Model, Open


class CommandInput(Open):
    """What may follow the command; `hint` is shown as a placeholder."""

    known: ClassVar = ("text",)

    type: str = "text"
    hint: str | None = None


class AvailableCommand(Open):
    """A slash command; `name` has no slash. Of another `type` than `command` it is something newer."""

    known: ClassVar = ("command",)

    type: str = "command"
    name: str
    description: str = ""
    input: Lenient[CommandInput | None] = None


class AvailableCommandsUpdate(Model):
    """Replaces all slash commands."""

    session_update: Literal["available_commands_update"] = "available_commands_update"
    available_commands: LenientItems[list[AvailableCommand]]
