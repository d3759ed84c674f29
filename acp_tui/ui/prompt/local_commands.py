"""Slash commands that act here and are not sent, where the agent has none of the same name."""

from collections.abc import Iterable

from acp_tui.protocol.commands import AvailableCommand

LOCAL = {
    "config": ("all_options", "Every option that the agent offers, in one list"),
    "rename": ("rename_session", "Give this session another title"),
}


def with_local(commands: Iterable[AvailableCommand]) -> list[AvailableCommand]:
    """The agent's commands, and after them those that act here."""
    offered = [command for command in commands if command.type == "command"]
    names = {command.name for command in offered}
    ours = (AvailableCommand(name=name, description=told) for name, (_, told) in LOCAL.items() if name not in names)
    return [*offered, *ours]


def local_command(text: str, commands: Iterable[AvailableCommand]) -> str | None:
    """The id of the command that a prompt names and that acts here; None if the prompt is the agent's business."""
    name = text.strip().removeprefix("/")
    if not text.startswith("/") or name not in LOCAL or any(command.name == name for command in commands):
        return None
    return LOCAL[name][0]
