"""Why a line that was sent is held back: it looks like a slash command and is none."""

import pytest

from acp_tui.protocol.vocabulary.commands import AvailableCommand
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.prompt.sent_lines import obstacle
from acp_tui.views.command_index import SlashCommands
from tests.rows import each_of

INDEX = SlashCommands(COMMANDS, [AvailableCommand(name="work"), AvailableCommand(name="my command")])
NOBODYS = "No such command."


@each_of(
    ("text", "told"),
    [
        ("/xyz", NOBODYS),
        ("/xyz and more", NOBODYS),
        ("/agent:quit", NOBODYS),
        ("/client:xyz", NOBODYS),
        ("/compact", "This agent has no /compact."),
        ("/help me with this", "/help takes no argument."),
        ("/help", ""),
        ("/model opus", ""),
        ("/work on it", ""),
        ("/my command", ""),
        ("/etc/hosts is wrong", ""),
        ("/ something", ""),
        ("/", ""),
        ("exit code 3, why?", ""),
    ],
)
def test_what_is_told_of_a_line(text: str, told: str) -> None:
    assert obstacle(Draft(text), INDEX) == told


@pytest.mark.parametrize(("text", "told"), [("/help", "/help takes no attachments."), ("/work", "")])
def test_ours_take_no_attachments(text: str, told: str) -> None:
    assert obstacle(Draft(text, attachments=(TextContent(text="x"),)), INDEX) == told
