"""The command palette and the list of themes: pickers over the commands and over Textual's themes."""

from collections.abc import Callable
from typing import Any

from textual.app import App

from acp_tui.ui.commands.key_table import key_words
from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.kit.picker import Picker, PickerRow


def open_palette(app: App[Any], run: Callable[[str], None]) -> None:
    """Let the user find a command by its name, and run it by its id."""
    rows = [
        PickerRow(command.id, command.label, key_words(command), heading=command.group)
        for command in COMMANDS
        if command.in_palette
    ]

    def chosen(command_id: str | None) -> None:
        if command_id is not None:
            run(command_id)

    app.push_screen(Picker("Commands", rows), chosen)


def open_themes(app: App[Any]) -> None:
    """Let the user pick a theme."""
    themes = app.available_themes
    rows = [
        PickerRow(name, name, "dark" if theme.dark else "light", current=name == app.theme)
        for name, theme in sorted(themes.items(), key=lambda item: (not item[0].startswith("acp-"), item[0]))
    ]

    def choose(name: str | None) -> None:
        if name is not None:
            app.theme = name

    app.push_screen(Picker("Themes", rows), choose)
