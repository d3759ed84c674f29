"""Slash commands: the agent's list, replaced as a whole."""

from typing import TYPE_CHECKING

from acp_tui.protocol.commands import AvailableCommandsUpdate
from acp_tui.session.changes import CommandsChanged

if TYPE_CHECKING:
    from acp_tui.session.state import Session


def fold_update(session: "Session", update: AvailableCommandsUpdate) -> None:
    """Replace all slash commands."""
    session.commands = list(update.available_commands)
    session.publish(CommandsChanged())
