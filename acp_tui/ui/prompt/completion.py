"""The pop-up that completes slash commands, and then says what may follow; must not know what a command does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from acp_tui.ui.fuzzy import matching
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.tones import ACCENT, MUTED

if TYPE_CHECKING:
    from acp_tui.protocol.commands import AvailableCommand


ROWS = 8
LONGEST_DESCRIPTION = 300  # cells


def slash_query(text: str) -> str | None:
    """What is written of a command's name, or None where no command is being written."""
    if not text.startswith("/") or any(character.isspace() for character in text):
        return None
    return text[1:]


def find_commands(query: str, commands: Sequence[AvailableCommand]) -> list[AvailableCommand]:
    """The commands that the person may mean, best first."""
    return matching(query, commands, lambda command: (command.name, command.description))


def command_begun(text: str, commands: Sequence[AvailableCommand]) -> AvailableCommand | None:
    """The command whose name is written already and that says what may follow it."""
    name = text[1:].split(" ", 1)[0] if text.startswith("/") and " " in text else ""
    found = next((command for command in commands if name and command.name == name), None)
    return found if found is not None and found.input is not None and found.input.hint else None


class CommandCompletion(OptionList, can_focus=False):
    """A list above the prompt. The editor keeps the focus and hands over the keys that move in it."""

    def __init__(self) -> None:
        super().__init__(id="completion", markup=False, compact=True)
        self._found: list[AvailableCommand] = []
        self._shown: list[AvailableCommand] = []

    @property
    def is_open(self) -> bool:
        return self.display and bool(self._found)

    def on_mount(self) -> None:
        self.display = False

    def close(self) -> None:
        self.display = False

    def offer(self, text: str, commands: Sequence[AvailableCommand]) -> None:
        """Show what completes `text`; of a command that is written, what may follow it; else close."""
        query = slash_query(text)
        found = [] if query is None else find_commands(query, commands)
        begun = command_begun(text, commands)
        shown = found or ([begun] if begun else [])
        if shown == self._shown and self.display == bool(shown):
            return
        self._found, self._shown = found, shown
        self.display = bool(shown)
        if shown:
            width = min(24, max(cell_len(sanitise_line(command.name, 40)) for command in shown))
            self.set_options([Option(_row(command, width), disabled=not found) for command in shown])
            self.highlighted = 0 if found else None

    def stand_on(self, row: int) -> None:
        """End just above this row of the screen."""
        screen = self.screen.size
        self.styles.margin = (0, 1, max(0, screen.height - row), 1)
        self.styles.width = screen.width - 2  # 1fr of a docked widget forgets its margins

    def move(self, step: int) -> None:
        """Highlight another command; the ends meet."""
        self.highlighted = ((self.highlighted or 0) + step) % len(self._found)

    def chosen(self) -> AvailableCommand | None:
        if not self.is_open or self.highlighted is None:
            return None
        return self._found[self.highlighted]


def _row(command: AvailableCommand, width: int) -> Content:
    name = "/" + sanitise_line(command.name, 40)
    hint = sanitise_line(command.input.hint or "", 40) if command.input else ""
    parts: list[str | tuple[str, str]] = [(name + " " * max(2, width + 3 - cell_len(name)), "bold")]
    if hint:
        parts.append((f"<{hint}>  ", ACCENT))
    parts.append((sanitise_line(command.description, LONGEST_DESCRIPTION), MUTED))
    return Content.assemble(*parts)


LOCAL = {
    "config": ("all_options", "Every option that the agent offers, in one list"),
    "rename": ("rename_session", "Give this session another title"),
}


def with_local(commands: Iterable[AvailableCommand]) -> list[AvailableCommand]:
    """The agent's commands, and after them those that act here."""
    from acp_tui.protocol.commands import AvailableCommand  # noqa: PLC0415 (the first frame does not need it)

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
