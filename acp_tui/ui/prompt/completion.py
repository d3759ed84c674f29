"""The pop-ups above the prompt that complete what is written: slash commands, and the paths of mentions.

The editor keeps the focus. A key costs a search and the rows on the screen: nothing is measured, and nothing is laid
out anew while as many rows are shown.
"""

from collections.abc import Callable, Sequence
from functools import partial

from rich.cells import cell_len
from textual.content import Content

from acp_tui.protocol.vocabulary.commands import AvailableCommand
from acp_tui.ui.kit.fuzzy import matching
from acp_tui.ui.kit.row_list import ListRow, RowList, Value
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import cut_left, sanitise_line

COMMANDS_AT_MOST, PATHS_AT_MOST = 8, 9  # rows; what else there is scrolls
LONGEST_DESCRIPTION = 300  # cells


class PopUp(RowList[Value]):
    """A list that stands on the prompt."""

    DEFAULT_CSS = "PopUp { layer: popup; dock: bottom; height: 1; border-left: outer $primary; background: $surface; }"

    def __init__(self, name: str, clicked: Callable[[], None], changed: Callable[[], None]) -> None:
        super().__init__()
        self.id = name
        self._clicked, self._changed = clicked, changed
        self.display = False

    @property
    def is_open(self) -> bool:
        return self.display

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self._clicked()

    def close(self) -> None:
        self.display = False
        self._changed()

    def stand_on(self, row: int) -> None:
        screen = self.screen.size
        self.styles.margin = (0, 1, max(0, screen.height - row), 1)
        self.styles.width = screen.width - 2  # 1fr of a docked widget forgets its margins

    def chosen(self) -> Value | None:
        return self.value if self.display else None

    def _open(self, rows: Sequence[ListRow[Value]], most: int) -> None:
        self.display = bool(rows)
        self.styles.height = min(most, max(1, len(rows)))
        self.fill(rows)
        self._changed()


def slash_query(text: str) -> str | None:
    """What is written of a command's name, or None where no command is being written."""
    if not text.startswith("/") or any(character.isspace() for character in text):
        return None
    return text[1:]


def wants_words(command: AvailableCommand) -> bool:
    """Whether a command says what may follow its name."""
    return command.input is not None and bool(command.input.hint)


def command_begun(text: str, commands: Sequence[AvailableCommand]) -> AvailableCommand | None:
    """The command whose name is written already and that says what may follow it."""
    name = text[1:].split(" ", 1)[0] if text.startswith("/") and " " in text else ""
    return next((command for command in commands if name and command.name == name and wants_words(command)), None)


class CommandCompletion(PopUp[AvailableCommand]):
    """Slash commands; of one that is written already, what may follow it, which cannot be chosen."""

    def __init__(self, clicked: Callable[[], None], changed: Callable[[], None]) -> None:
        super().__init__("completion", clicked, changed)
        self._offered: list[AvailableCommand] = []
        self._query, self._moved = "", False

    @property
    def is_open(self) -> bool:
        return self.chosen() is not None

    def move(self, step: int) -> None:
        super().move(step)
        self._moved = True

    def meant(self) -> AvailableCommand | None:
        """The highlighted command, if the user moved to it or typed the beginning of its name."""
        command = self.chosen()
        typed = self._query.lower()
        if command is None or self._moved or (typed and command.name.lower().startswith(typed)):
            return command
        return None

    def offer(self, text: str, commands: Sequence[AvailableCommand]) -> None:
        query = slash_query(text)
        self._query = query or ""
        found: list[AvailableCommand] = []
        if query is not None:
            found = matching(query, commands, lambda command: (command.name, command.description))
        begun = command_begun(text, commands)
        shown = found or ([begun] if begun else [])
        if shown == self._offered and self.display == bool(shown):
            return
        self._offered, self._moved = shown, False
        width = min(24, max((cell_len(sanitise_line(command.name, 40)) for command in shown), default=0))
        rows = [ListRow(partial(_command_row, command, width), command) for command in found]
        if begun and not found:
            told = _command_row(begun, width, 0).stylize_before("$text-disabled")
            rows = [ListRow(lambda _width: told)]
        self._open(rows, COMMANDS_AT_MOST)


def _command_row(command: AvailableCommand, name_width: int, _width: int) -> Content:
    name = "/" + sanitise_line(command.name, 40)
    hint = sanitise_line(command.input.hint or "", 40) if command.input else ""
    parts: list[str | tuple[str, str]] = [(name + " " * max(2, name_width + 3 - cell_len(name)), "bold")]
    if hint:
        parts.append((f"<{hint}>  ", ACCENT))
    parts.append((sanitise_line(command.description, LONGEST_DESCRIPTION), MUTED))
    return Content.assemble(*parts)


class MentionList(PopUp[str]):
    """Paths, the best first, and below them a line of words."""

    def __init__(self, clicked: Callable[[], None], changed: Callable[[], None]) -> None:
        super().__init__("mentions", clicked, changed)
        self._offered: tuple[list[str], str] = [], ""

    def offer(self, paths: Sequence[str], words: str = "") -> None:
        """Show these paths; `words` say what else there is to know. With neither, close."""
        offered = list(paths), words
        if self.display and offered == self._offered:
            return
        self._offered = offered
        rows = [ListRow(partial(_path_row, path), path) for path in paths]
        if words:
            rows.append(ListRow(lambda _width: Content.styled(sanitise_line(words), f"{MUTED} italic")))
        self._open(rows, PATHS_AT_MOST)


def _path_row(path: str, width: int) -> Content:
    """Folders muted, the name not; a long path loses its beginning."""
    shown = cut_left(sanitise_line(path, 4096), max(20, width))
    folder, slash, name = shown.rstrip("/").rpartition("/")
    return Content.assemble((folder + slash, MUTED), name + ("/" if path.endswith("/") else ""))
