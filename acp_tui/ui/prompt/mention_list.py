"""The pop-up that completes mentions: paths above the prompt; must not know where they come from.

The editor keeps the focus. A key costs a search and the rows on the screen: nothing is measured, and nothing is laid
out anew while as many rows are shown.
"""

from collections.abc import Callable, Sequence
from functools import partial

from textual.content import Content

from acp_tui.ui.config.row_list import ListRow, RowList
from acp_tui.ui.render.text import cut_left, sanitise_line
from acp_tui.ui.tones import MUTED

ROWS = 9


class MentionList(RowList[str]):
    """Paths to choose from, the best first, and below them a line of words."""

    DEFAULT_CSS = """
    MentionList {
        layer: popup; dock: bottom; width: 100%; height: 1; margin: 0 1; padding: 0;
        border: none; border-left: outer $primary; background: $surface;
    }
    """

    def __init__(self, clicked: Callable[[], None]) -> None:
        super().__init__()
        self._clicked = clicked
        self.id = "mentions"
        self._paths: list[str] = []
        self._words = ""

    @property
    def is_open(self) -> bool:
        return self.display

    def on_mount(self) -> None:
        self.display = False

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self._clicked()

    def close(self) -> None:
        self.display = False

    def offer(self, paths: Sequence[str], words: str = "") -> None:
        """Show these paths; `words` say what else there is to know. With neither, close."""
        paths = list(paths)
        if self.display and (paths, words) == (self._paths, self._words):
            return
        self._paths, self._words = paths, words
        self.display = bool(paths or words)
        rows = [ListRow(partial(_row, path), path) for path in paths]
        if words:
            rows.append(ListRow(lambda _width: Content.styled(sanitise_line(words), f"{MUTED} italic")))
        self.styles.height = min(ROWS, max(1, len(rows)))
        self.fill(rows)

    def stand_on(self, row: int) -> None:
        """End just above this row of the screen."""
        self.styles.margin = (0, 1, max(0, self.screen.size.height - row), 1)

    def chosen(self) -> str | None:
        return self.value if self.display else None


def _row(path: str, width: int) -> Content:
    """Folders muted, the name not; a long path loses its beginning."""
    shown = cut_left(sanitise_line(path, 4096), max(20, width))
    folder, slash, name = shown.rstrip("/").rpartition("/")
    return Content.assemble((folder + slash, MUTED), name + ("/" if path.endswith("/") else ""))
