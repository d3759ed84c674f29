"""A list over the screen to pick one row from, filtered as one types."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import ClassVar, Generic

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.ui.kit.filtered_list import FilteredList, grouped
from acp_tui.ui.kit.hints import CLOSE, MOVE, Hint, HintLine
from acp_tui.ui.kit.overlay import Overlay
from acp_tui.ui.kit.row_list import ListRow, RowList
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import sanitise
from acp_tui.views.fuzzy_search import Index
from acp_tui.views.palette_rows import PickerRow, Value, texts_of

__all__ = ["Picker", "PickerRow"]

NAME_AT_MOST = 34
DETAILS, DETAILS_SHORT = 15, 5  # rows of them, as the styles have it; on a screen of few rows
HINT_AT_MOST = 22
DESCRIPTION_AT_LEAST = 20  # cells; on a narrow screen names are not aligned where that would leave less
TEXT_AT_LEAST = 4  # cells; of less than that nothing can be read
MARK, GAP = 2, 2  # cells of the current row's mark, and between two columns


class Picker(Overlay[Value | None], Generic[Value]):
    """Type to filter, arrows to move, Enter or a click to pick, Esc to leave."""

    PLACEHOLDER = "Type to filter"
    HINTS: ClassVar[Sequence[Hint]] = (MOVE, ("enter", "select"), CLOSE)

    def __init__(
        self, title: str, rows: Sequence[PickerRow[Value]], details: Sequence[str] = (), query: str = ""
    ) -> None:
        """`details` is foreign text that is to be read first; what begins with `!` is loud.

        `query` stands in the filter from the beginning, and is edited there as if it had been typed.
        """
        super().__init__(classes="picker")
        self._title, self._details = title, details
        self.rows = FilteredList[PickerRow[Value]](self.PLACEHOLDER, query=query)
        name_width = min(NAME_AT_MOST, max((cell_len(row.name) for row in rows), default=0))
        hint_width = min(HINT_AT_MOST, max((cell_len(row.hint) for row in rows if row.hint), default=0))
        self._widths = name_width, hint_width
        # Made once, so that what was drawn of a row serves for every filter.
        self._rows = [(row, self.drawn(row)) for row in rows]

    def compose(self) -> ComposeResult:
        with Vertical(classes="picker-panel"):
            yield Static(Content.styled(self._title, "bold"), classes="picker-title")
            if self._details:
                yield Static(Content("\n").join(map(_detail, self._details)), classes="picker-details")
            yield self.rows
            yield HintLine(self.HINTS, classes="picker-hints")

    def on_mount(self) -> None:
        self.on_resize()
        self.show(None if self.query_typed else lambda row: row.current)

    def on_resize(self) -> None:
        headings = {row.heading for row, _ in self._rows if row.heading}
        read_first = min(len(self._details) + 1, DETAILS_SHORT if self.is_short else DETAILS) if self._details else 0
        rows = min(len(self._rows) + len(headings), self.list_rows(read_first))
        self.rows.list.styles.height = max(1, rows)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.rows.moved = False
        self.show()

    def on_key(self, event: events.Key) -> None:
        """Letters that were typed before the filter had the focus belong into it all the same."""
        if event.character and event.is_printable:
            event.stop()
            self.rows.line.insert_text_at_cursor(event.character)

    def drawn(self, row: PickerRow[Value]) -> ListRow[PickerRow[Value]]:
        return ListRow(partial(_words, row, *self._widths), row)

    def listed(self, query: str) -> list[ListRow[PickerRow[Value]]]:
        """The rows that answer the filter, below their headings; without one all."""
        return grouped((row.heading, drawn) for row, drawn in (self._index.find(query) if query else self._rows))

    def show(self, keep: Callable[[PickerRow[Value]], bool] | None = None) -> None:
        """Show what answers the filter, with the highlight on the row to `keep`, else on the first."""
        self.rows.show(self.listed(self.query_typed), keep)

    @property
    def query_typed(self) -> str:
        return self.rows.line.value.strip()

    @cached_property
    def _index(self) -> Index[tuple[PickerRow[Value], ListRow[PickerRow[Value]]]]:
        return Index([each for each in self._rows if not each[0].shortcut], lambda each: texts_of(each[0]))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.pick(event.value)

    def pick(self, row: PickerRow[Value]) -> None:
        self.dismiss(row.value)


def _words(row: PickerRow[Value], name_width: int, hint_width: int, width: int) -> Content:
    """One line, in columns as far as the name leaves them their place."""
    name_width = min(name_width, width - MARK - GAP - (hint_width or DESCRIPTION_AT_LEAST))
    line = Content.assemble(("● " if row.current else "  ", "bold"), (row.name, ""))
    column = MARK + name_width + GAP
    for text, style, cells in ((row.hint, ACCENT, hint_width), (row.description, MUTED, 0)):
        gap = max(GAP, column - line.cell_length)
        if text and width - line.cell_length - gap >= TEXT_AT_LEAST:
            line = Content.assemble(line, " " * gap, (text, style))
            column += cells + GAP
    return line


def _detail(text: str) -> Content:
    return Content.styled(sanitise(text), "bold $warning" if text.startswith("! ") else "")
