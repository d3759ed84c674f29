"""The pop-ups above the prompt that complete what is written: slash commands, and the paths of mentions.

The editor keeps the focus. A key costs a search and the rows on the screen: nothing is measured, and nothing is laid
out anew while as many rows are shown.
"""

from collections.abc import Callable, Sequence
from functools import partial

from rich.cells import cell_len
from textual.content import Content

from acp_tui.session.text.words import counted
from acp_tui.ui.kit.filtered_list import words_row
from acp_tui.ui.kit.row_list import ListRow, RowList, Value
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import cut, cut_left, sanitise_line
from acp_tui.views.command_index import Offer, SlashCommands

COMMANDS_AT_MOST, PATHS_AT_MOST = 8, 9  # rows; what else there is scrolls
ROWS_AT_MOST = 200  # of commands; who has more of them types some letters
NAME_AT_MOST = 40  # cells
OWNER_WIDTH = 9  # cells of the word that says whose a command is, with a gap


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


def command_begun(text: str, commands: SlashCommands) -> Offer | None:
    """The command whose name is written already and that says what may follow it."""
    meant = commands.of_line(text) if " " in text else None
    return meant[0] if meant is not None and meant[0].hint else None


class CommandCompletion(PopUp[Offer]):
    """Slash commands and whose they are; of one that is written already, what may follow it, which cannot be chosen."""

    def __init__(self, clicked: Callable[[], None], changed: Callable[[], None]) -> None:
        super().__init__("completion", clicked, changed)
        self._offered: tuple[list[Offer], int, bool] = [], 0, False
        self._moved = False

    @property
    def is_open(self) -> bool:
        return self.chosen() is not None

    def move(self, step: int) -> None:
        super().move(step)
        self._moved = True

    def meant(self, typed: str) -> Offer | None:
        """The highlighted command, if the user moved to it or typed its name."""
        offer = self.chosen()
        return offer if offer is not None and (self._moved or offer.name == typed) else None

    def offer(self, text: str, commands: SlashCommands) -> None:
        query = slash_query(text)
        found = commands.found(query) if query is not None else []
        begun = command_begun(text, commands)
        shown = found[:ROWS_AT_MOST] or ([begun] if begun else [])
        more = len(found) - len(shown) if found else 0
        offered = shown, more, bool(found)
        if offered == self._offered and self.display == bool(shown):
            return
        self._offered, self._moved = offered, False
        width = min(NAME_AT_MOST, max((cell_len(each.name) for each in shown), default=0))
        rows = [ListRow(partial(_command_row, each, width), each if found and each.can_run else None) for each in shown]
        unusable = commands.unusable if found and not query else 0
        left_out = f"{counted(unusable, 'agent command')} left out: unusable names" if unusable else ""
        cut_off = f"{counted(more, 'more command')}: type to filter" if more else ""
        if told := " · ".join(filter(None, (cut_off, left_out))):
            rows.insert(0, words_row(told, f"{MUTED} italic"))
        self._open(rows, COMMANDS_AT_MOST)


def _command_row(offer: Offer, name_width: int, width: int) -> Content:
    """Name, whose it is, what may follow, what it does. On a narrow screen names are not aligned."""
    width_of_name = min(name_width, max(8, width // 3))
    name = "/" + cut(offer.name, NAME_AT_MOST)
    gap = " " * max(2, width_of_name + 3 - cell_len(name))
    side = f"{offer.owner if offer.can_run else '':{OWNER_WIDTH}}"
    if not offer.can_run:
        return Content.styled(f"{name}{gap}{side}{offer.description}", MUTED)
    parts: list[str | tuple[str, str]] = [(name + gap, "bold"), (side, MUTED)]
    if offer.hint:
        parts.append((f"{offer.argument}  ", ACCENT))
    parts.append((offer.words, MUTED))
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
