"""Fields to write in, drawn safely: foreign text gets there too, as defaults, titles, names of files, and pastes.

Textual draws what such a field holds as it is, escapes and all, and counts the cells of that. A field of ours holds the
text exactly, because that is what is sent; it draws and counts it in place: one character for each.
"""

import re
from typing import cast

from rich.cells import cell_len, get_character_cell_size
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.document._document import Document, DocumentBase
from textual.reactive import reactive
from textual.widgets import Input, TextArea
from textual.widgets.input import Selection
from textual.widgets.text_area import Location

from acp_tui.ui.kit.line_editor import BINDINGS, KillingKeys, Region, beside_emoji, step_left, step_right
from acp_tui.ui.render.text import in_place

_BREAKS = re.compile(r"[\r\n\u2028\u2029\x85]+")


class SafeInput(KillingKeys, Input):
    """A line that is drawn safely; its cursor does not blink, which would wake an idle program twice a second."""

    BINDINGS = BINDINGS
    cursor_blink = reactive(False, init=False)

    def validate_value(self, value: str) -> str:
        return _BREAKS.sub(" ", value)

    @property
    def _value(self) -> Text:
        text = super()._value
        text.plain = in_place(text.plain).replace("\t", " ")
        return text

    def _position_to_cell(self, position: int) -> int:
        return cell_len(self._value.plain[:position])

    def _cell_offset_to_index(self, offset: int) -> int:
        end = 0
        offset += int(self.scroll_offset.x)
        for index, character in enumerate(self._value.plain):
            end += get_character_cell_size(character)
            if offset < end:
                return beside_emoji(self.value, index, len(self.value))
        return len(self.value)

    def action_cursor_left(self, select: bool = False) -> None:
        if select or self.selection.is_empty:
            self._go_to(step_left(self.value, self.cursor_position), select)
        else:
            super().action_cursor_left()

    def action_cursor_right(self, select: bool = False) -> None:
        if select or self.selection.is_empty:
            self._go_to(step_right(self.value, self.cursor_position), select)
        else:
            super().action_cursor_right()

    def _go_to(self, place: int, select: bool) -> None:
        self.selection = Selection(self.selection.start if select else place, place)

    def action_delete_left(self) -> None:
        start, end = sorted(self.selection)
        self.delete(step_left(self.value, end) if start == end else start, end)

    def action_delete_right(self) -> None:
        start, end = sorted(self.selection)
        self.delete(start, step_right(self.value, start) if start == end else end)

    def action_kill(self, region: Region) -> None:
        self.keeps_kills = not self.password
        if self.password and region not in ("line_left", "line_right"):
            region = "line_right" if region == "word_right" else "line_left"  # and where its words end is not shown
        super().action_kill(region)

    def selected_part(self) -> tuple[str, int, int]:
        start, end = sorted(self.selection)
        return self.value, start, end

    def replace_part(self, start: int, end: int, text: str) -> None:
        self.replace(text, start, end)


class SafeTextArea(KillingKeys, TextArea):
    """An area that is drawn safely."""

    BINDINGS = [
        *BINDINGS,
        Binding("ctrl+underscore", "undo", show=False),
        Binding("alt+underscore", "redo", show=False),
    ]

    def _rewrap_and_refresh_virtual_size(self) -> None:
        wrapped = self.wrapped_document
        if wrapped.document is self.document:
            wrapped.document = cast("DocumentBase", _Drawn(self.document))
        super()._rewrap_and_refresh_virtual_size()

    def _recompute_cursor_offset(self) -> None:
        """Undo and redo change the text first: the cursor may be beyond its end when the scrollbar asks for it."""
        self._cursor_offset = self.wrapped_document.location_to_offset(self.clamp_visitable(self.cursor_location))

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        shown = in_place(line.plain)
        if shown != line.plain:
            line.plain = shown
        return line

    def get_cursor_left_location(self) -> Location:
        row, column = self.cursor_location
        return (row, step_left(self.document[row], column)) if column else super().get_cursor_left_location()

    def get_cursor_right_location(self) -> Location:
        row, column = self.cursor_location
        line = self.document[row]
        return (row, step_right(line, column)) if column < len(line) else super().get_cursor_right_location()

    def move_cursor(
        self, location: Location, select: bool = False, center: bool = False, record_width: bool = True
    ) -> None:
        row, column = location
        at, came_from = self.clamp_visitable(location), self.cursor_location
        line = self.document[at[0]]
        column = beside_emoji(line, column, came_from[1] if came_from[0] == row else len(line))
        super().move_cursor((row, column), select, center, record_width)

    def selected_part(self) -> tuple[str, int, int]:
        start, end = map(self.index_of, sorted(self.selection))
        return self.text, start, end

    def replace_part(self, start: int, end: int, text: str) -> None:
        places = self.location_at(start), self.location_at(end)
        self.move_cursor(self.replace(text, *places, maintain_selection_offset=False).end_location)

    def index_of(self, location: Location) -> int:
        return cast("Document", self.document).get_index_from_location(location)

    def location_at(self, index: int) -> Location:
        return cast("Document", self.document).get_location_from_index(index)

    def get_target_document_location(self, event: events.MouseEvent) -> Location:
        row, column = super().get_target_document_location(event)
        line = self.document[row]
        return row, beside_emoji(line, column, len(line))


class _Drawn:
    """A document as it is drawn, for what wraps its lines and counts their cells."""

    def __init__(self, document: DocumentBase) -> None:
        self._document = document

    @property
    def lines(self) -> list[str]:
        return [in_place(line) for line in self._document.lines]

    @property
    def line_count(self) -> int:
        return self._document.line_count

    def get_line(self, index: int) -> str:
        return in_place(self._document.get_line(index))

    def __getitem__(self, index: int) -> str:
        return self.get_line(index)
