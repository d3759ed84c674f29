"""A list to pick one row from, filtered as one types. Rows are data; it must not know what they stand for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.ui.config.row_list import ListRow, RowList
from acp_tui.ui.fields import SafeInput
from acp_tui.ui.fuzzy import matching
from acp_tui.ui.hints import CLOSE, MOVE, key_hints
from acp_tui.ui.overlay import Overlay
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.tones import ACCENT, MUTED

Value = TypeVar("Value")
NAME_AT_MOST = 34
HINT_AT_MOST = 22
ROWS_AT_MOST = 20
ROWS_AROUND = 8  # of the panel that are not the list's


@dataclass(frozen=True, slots=True)
class PickerRow(Generic[Value]):
    """One row: what it stands for, and sanitised words for it.

    The `current` one is marked. A `shortcut` to a row that stands further below too is there until one filters.
    `also` is not shown, and it is found by that too.
    """

    value: Value
    name: str
    description: str = ""
    heading: str = ""
    hint: str = ""
    current: bool = False
    shortcut: bool = False
    also: str = ""


class Picker(Overlay[Value | None], Generic[Value]):
    """Type to filter, arrows to move, Enter or a click to pick, Esc to leave."""

    BINDINGS = [
        Binding("escape,ctrl+c", "leave", "Close", show=False),
        Binding("up,ctrl+p", "move(-1)", show=False),
        Binding("down,ctrl+n,tab", "move(1)", show=False),
        Binding("shift+tab", "move(-1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("ctrl+q", "screen.leave", show=False),
    ]

    def __init__(self, title: str, rows: Sequence[PickerRow[Value]], details: Sequence[str] = ()) -> None:
        """`details` is foreign text that is to be read first; what begins with `!` is loud."""
        super().__init__(classes="picker")
        self._title, self._details = title, details
        self.list = RowList()
        self._rows = list(rows)
        self._shown: list[PickerRow[Value] | None] = []
        self._lines: dict[int, ListRow] = {}  # by the identity of rows, which live as long as this screen
        self._name_width = min(NAME_AT_MOST, max((cell_len(row.name) for row in rows), default=0))
        self._hint_width = min(HINT_AT_MOST, max((cell_len(row.hint) for row in rows if row.hint), default=0))

    def compose(self) -> ComposeResult:
        """Title, filter, list, hints."""
        with Vertical(classes="picker-panel"):
            yield Static(Content.styled(self._title, "bold"), classes="picker-title")
            if self._details:
                yield Static(Content("\n").join(map(_detail, self._details)), classes="picker-details")
            line = _Filter(placeholder="Type to filter", compact=True, select_on_focus=False)
            line.cursor_blink = False
            yield line
            self.list.styles.height = self._height
            yield self.list
            yield Static(key_hints((MOVE, ("enter", "choose"), CLOSE)), classes="picker-hints")

    def on_mount(self) -> None:
        """Fill the list and stand on the current row."""
        self._fill(self._rows)
        current = next((i for i, row in enumerate(self._shown) if row is not None and row.current), None)
        if current is not None:
            self.list.highlight(current)
        self.query_one(Input).focus()

    def on_resize(self) -> None:
        """Another screen has room for another number of rows."""
        self.list.styles.height = self._height

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what answers the filter."""
        event.stop()
        rows = [row for row in self._rows if not row.shortcut] if event.value.strip() else self._rows
        self._fill(matching(event.value, rows, _found_by))

    def on_key(self, event: events.Key) -> None:
        """Letters that were typed before the filter had the focus belong into it all the same."""
        if event.character and event.is_printable:
            event.stop()
            self.query_one(Input).insert_text_at_cursor(event.character)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Pick the highlighted row."""
        event.stop()
        self._pick(self.list.highlighted)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Pick the clicked row."""
        event.stop()
        self._pick(event.index)

    def action_leave(self) -> None:
        """Pick nothing."""
        self.dismiss(None)

    def action_move(self, step: int) -> None:
        """Highlight the next row."""
        self.list.move(step)

    def action_page(self, step: int) -> None:
        """Highlight a row one page away, or the last one that there is."""
        self.list.page(step)

    def _pick(self, index: int | None) -> None:
        row = self._shown[index] if index is not None and index < len(self._shown) else None
        if row is not None:
            self.dismiss(row.value)

    @property
    def _height(self) -> int:
        """As many rows as there are without a filter: what one types moves nothing."""
        headings = {row.heading for row in self._rows if row.heading}
        read_first = len(self._details) + 1 if self._details else 0
        room = max(1, self.app.size.height * 4 // 5 - ROWS_AROUND - read_first)
        return max(1, min(len(self._rows) + len(headings), ROWS_AT_MOST, room))

    def _fill(self, rows: Sequence[PickerRow[Value]]) -> None:
        grouped: dict[str, list[PickerRow[Value]]] = {}
        for row in rows:
            grouped.setdefault(row.heading, []).append(row)
        self._shown = []
        lines: list[ListRow] = []
        for heading, members in grouped.items():
            if heading:
                self._shown.append(None)
                lines.append(ListRow(partial(Content.styled, heading, f"{ACCENT} bold"), choosable=False))
            self._shown.extend(members)
            lines.extend(map(self._drawn, members))
        if not lines:
            self._shown.append(None)
            lines.append(ListRow(partial(Content.styled, "nothing matches", f"{MUTED} italic"), choosable=False))
        self.list.fill(lines)

    def _drawn(self, row: PickerRow[Value]) -> ListRow:
        if id(row) not in self._lines:
            self._lines[id(row)] = ListRow(partial(self._line, row))
        return self._lines[id(row)]

    def _line(self, row: PickerRow[Value]) -> Content:
        padding = " " * max(2, self._name_width + 2 - cell_len(row.name))
        parts: list[tuple[str, str]] = [("● " if row.current else "  ", "bold"), (row.name, "")]
        if row.hint:
            parts += [(padding, ""), (row.hint, ACCENT)]
            padding = " " * max(2, self._hint_width + 2 - cell_len(row.hint))
        if row.description:
            parts += [(padding, ""), (row.description, MUTED)]
        return Content.assemble(*parts)


def _found_by(row: PickerRow[Value]) -> tuple[str, ...]:
    return row.name, row.heading, row.description, row.hint, row.also


def _detail(text: str) -> Content:
    return Content.styled(sanitise(text), "bold $warning" if text.startswith("! ") else "")


class _Filter(SafeInput):
    """The filter's line; keys that move in the list pass by."""

    BINDINGS = [Binding("ctrl+c", "screen.leave", show=False)]
