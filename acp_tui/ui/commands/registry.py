"""All commands, in the order in which help shows them, and how one is found by its id, key or category."""

from textual.binding import Binding

from acp_tui.ui.commands.conversation import CONVERSATION_COMMANDS
from acp_tui.ui.commands.program import PROGRAM_COMMANDS
from acp_tui.views.command import Command, Scope

COMMANDS: tuple[Command, ...] = (*CONVERSATION_COMMANDS, *PROGRAM_COMMANDS)
BY_ID = {command.id: command for command in COMMANDS}
WINNING = frozenset(name for each in COMMANDS for name in each.slash if each.claims(name))  # slash names
BY_CATEGORY = {command.category: command for command in COMMANDS if command.category}


def after_leader(key: str) -> Command | None:
    """The command that a key means after the leader."""
    return next((command for command in COMMANDS if key in command.leaders), None)


def in_transcript(key: str) -> Command | None:
    """The command that a key means while the transcript has the focus."""
    return next((each for each in COMMANDS if each.scope == "transcript" and key in each.keys), None)


def bindings(scope: Scope) -> list[Binding]:
    """Textual's bindings for the commands of one scope, with the keys that they have now."""
    return [
        Binding(
            ",".join(each.keys),
            f"screen.command('{each.id}')",
            each.label,
            show=False,
            tooltip=each.tooltip,
            id=each.id,
        )
        for each in COMMANDS
        if each.scope == scope and each.keys
    ]
