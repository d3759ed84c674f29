"""The command palette and the list of themes: pickers over the commands and over Textual's themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.commands.registry import BY_ID, COMMANDS
from acp_tui.ui.commands.table import key_words
from acp_tui.ui.config.picker import Picker, PickerRow

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


def open_palette(screen: ConversationScreen) -> None:
    """Let the person find a command by its name, and run it."""
    rows = [
        PickerRow(command.id, command.label, key_words(command), heading=command.group)
        for command in COMMANDS
        if command.in_palette
    ]

    def run(command_id: str | None) -> None:
        if command_id is not None:
            BY_ID[command_id].run(screen)

    screen.app.push_screen(Picker("Commands", rows), run)


def open_themes(screen: ConversationScreen) -> None:
    """Let the person pick a theme."""
    themes = screen.app.available_themes
    rows = [
        PickerRow(name, name, "dark" if theme.dark else "light", current=name == screen.app.theme)
        for name, theme in sorted(themes.items(), key=lambda item: (not item[0].startswith("acp-"), item[0]))
    ]

    def choose(name: str | None) -> None:
        if name is not None:
            screen.app.theme = name

    screen.app.push_screen(Picker("Themes", rows), choose)
