"""The transcript's widget: one virtualised ScrollView, painted row by row through the Line API.

It knows painting, the mouse and the entry cursor, and nothing of what an entry means: `draw` turns an entry into
units of rows (unit.py), viewport.py says which are shown, placed.py scrolls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import TYPE_CHECKING

from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from acp_tui.session.entries import Entry
from acp_tui.session.state import Session
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import CHANGES, FOLD, LINK, OPEN, SUBAGENT, Drawing, Opens, Row, ends_a_wash
from acp_tui.ui.transcript.placed_scroll_view import PlacedScroll, columns_of, most_columns
from acp_tui.ui.transcript.row_painter import (
    Marks,
    Match,
    Painter,
    Written,
    around,
    cells_between,
    characters_under,
    entry_text,
    highlight,
    hit_strip,
    key_of,
    row_of,
    selected_text,
    under_cursor,
)
from acp_tui.ui.transcript.viewport import Step

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.content import ContentBlock

CATCH_UP = 0.006  # seconds for changed entries outside the viewport, per refresh


@dataclass
class SubagentClicked(Message):
    """A subagent was clicked, here or in the sidebar."""

    session_id: str


@dataclass
class ChangesClicked(Message):
    """What a turn changed was clicked; turns count from 1, and 0 stands for all of them."""

    turn: int


def show_entry(view: TranscriptView, entry: Entry) -> None:
    """Have the focus on an entry, expanded."""
    place = view.viewport.layout.place_of(entry)
    if place is not None:
        view.focus()
        view.viewport.current = place
        if view.viewport.folded(place):
            view.viewport.toggle(place)
        view.viewport.show(place)
        view.place()
        view.refresh()


class TranscriptView(PlacedScroll):
    """Shows a session's entries; give it a palette and a session.

    `written` gives what is copied of a whole entry where that is not what is drawn (selection.py).
    `welcome` gives the rows of a view without entries, from width, height and palette.
    `paint_seconds` adds up what painting rows took; whoever reads it may set it back.
    """

    FOCUS_ON_CLICK = False
    ALLOW_MAXIMIZE = False

    @dataclass
    class FollowChanged(Message):
        """The view began or ceased to follow the end, or what lies below it changed."""

        follow: bool
        new_entries: int
        grew: bool

    @dataclass
    class LinkClicked(Message):
        """A link was clicked; whoever opens it decides whether its address may be opened."""

        address: str

    @dataclass
    class ContentClicked(Message):
        """A content block was clicked."""

        block: ContentBlock

    def __init__(
        self,
        draw: Callable[[Entry], Drawing],
        written: Written = lambda _entry: None,
        welcome: Callable[[int, int, Palette], Sequence[Row]] | None = None,
        *,
        id: str | None = None,  # noqa: A002 (Textual's name)
    ) -> None:
        super().__init__(draw, id=id)
        self._written, self._welcome = written, welcome
        self.paint_seconds = 0.0
        self._painter = Painter(Style.null(), 0)
        self._marks: Marks | None = None
        self._told = (True, 0, False)
        self._folded = True

    # what to show

    def show(self, session: Session) -> None:
        """Show a session from its end; what happens to it later is told by `refresh_entries`."""
        self.viewport.load(session.entries)
        self.place()

    def refresh_entries(
        self, added: Iterable[Entry] = (), changed: Iterable[Entry] = (), removed: Iterable[Entry] = ()
    ) -> None:
        added = list(added)
        self.viewport.refresh(added, changed, removed)
        stop = perf_counter() + CATCH_UP  # from here, so that some come to their turn where the others took long
        flood = len(added) > self.viewport.height  # what is above the end now will be far above it in the next frame
        self.viewport.catch_up(lambda: perf_counter() > stop, margin=not flood)
        self.place()

    def read_ahead(self, entries: Iterable[Entry]) -> bool:
        """Take over some of what entries got before `refresh_entries`; whether there is more than that should."""
        stop = perf_counter() + CATCH_UP
        return any(self.viewport.layout.read_ahead(entry, lambda: perf_counter() > stop) for entry in entries)

    def refresh_welcome(self) -> None:
        if not self.viewport.layout.entries:
            self.refresh()

    @property
    def behind(self) -> bool:
        return self.viewport.behind

    def placed(self) -> None:
        told = (self.viewport.following, self.viewport.new_entries, self.viewport.grew)
        if told != self._told:
            self._told = told
            self.post_message(self.FollowChanged(*told))

    # entries

    @property
    def current_entry(self) -> Entry | None:
        place = self.viewport.current
        return None if place is None else self.viewport.layout.entries[place]

    def focus_entry(self, step: Step) -> bool:
        moved = self.viewport.focus(step)
        self.place()
        self.refresh()
        return moved

    def clear_cursor(self) -> None:
        self.viewport.current = None
        self.refresh()

    def toggle_current(self) -> bool:
        return self.viewport.current is not None and self.toggle(self.viewport.current)

    @property
    def unfolded(self) -> bool:
        return not self._folded

    def toggle_all(self) -> None:
        self._folded = not self._folded
        self.viewport.fold_all(self._folded)
        self.place()

    def text_of_entry(self, entry: Entry) -> str:
        place = self.viewport.layout.place_of(entry)
        return "" if place is None or not self.viewport.ready else entry_text(self.viewport.layout, place)

    def mark(self, marks: Marks | None) -> None:
        self._marks = marks
        self.refresh()

    def show_match(self, match: Match) -> None:
        rows = self.viewport.layout.measure(match.place, match.unit)
        self.viewport.show_row(match.place, match.unit, row_of(rows, match))
        self.place()
        self.refresh()

    def toggle(self, place: int) -> bool:
        toggled = self.viewport.toggle(place)
        self.place()
        return toggled

    def _columns(self) -> int:
        return min(super()._columns(), columns_of(self) - 1)

    def fit_width(self) -> None:
        """Wrap again if a conversation has other columns now; its scrollbar stands at their end."""
        self.styles.max_width = most_columns(self)
        if self._columns() != self.viewport.layout.width:
            self._reshape()

    # painting

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint rows of the widget from held strips, past Textual's styles cache, and so with its filters."""
        start = thread_time()
        base = self.visual_style.rich_style
        if self.palette is not None:
            base += self.palette.ground
        width = self.outer_size.width  # the scrollbar lies over the last column
        if (base, width) != (self._painter.base, self._painter.width):
            self._painter = Painter(base, width)
        strips = list(
            map(self._strip, crop.line_range) if self.viewport.layout.entries else self._empty(crop.line_range)
        )
        background = self.background_colors[1]
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, width):
            strips = [strip.crop_extend(*crop.column_span, base) for strip in strips]
        self.paint_seconds += thread_time() - start
        return strips

    def _strip(self, y: int) -> Strip:
        if y >= len(self.viewport.shown):
            return self._painter.blank
        place, unit, row = self.viewport.shown[y]
        if y == 0 and ends_a_wash(row):  # what it belongs to is out of sight
            return self._painter.blank
        strip = self._painter.strip(row)
        if place == self.viewport.current and self.palette is not None:
            strip = under_cursor(strip, self._painter.base, self.palette)
        if self._marks is not None and self.palette is not None:
            rows = self.viewport.layout.held_rows(place, unit) or ()
            strip = self._marks.paint(strip, (place, unit, row), rows, self.palette)
        selection = self.text_selection
        span = None if selection is None else selection.get_span(key_of(place, unit, row.line))
        if span is None or self.palette is None:
            return strip
        return highlight(strip, *cells_between(row, *span), self.palette.selection)

    def _empty(self, lines: Iterable[int]) -> Iterator[Strip]:
        welcome, height = self._welcome, self.outer_size.height
        rows = welcome(self._painter.width, height, self.palette) if welcome and self.palette else ()
        for y in lines:
            yield self._painter.paint(rows[y]) if y < len(rows) else self._painter.blank

    def render_line(self, y: int) -> Strip:
        """For hit tests only: which character lies at each cell of a row."""
        shown = self.viewport.shown
        if not shown:
            return Strip.blank(self.viewport.layout.width)
        place, unit, row = shown[min(y, len(shown) - 1)]
        key = key_of(place, unit, row.line)
        strip = hit_strip(row, key, self.viewport.layout.width)
        return strip if y < len(shown) else Strip(list(strip)[-1:])

    # selection and clicks

    def selected_text(self) -> str:
        selection = self.text_selection
        if selection is None or not self.viewport.ready:
            return ""
        return selected_text(self.viewport.layout, selection, self._written)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        if not self.viewport.ready:
            return None
        return selected_text(self.viewport.layout, selection, self._written), "\n"

    def scrolled(self) -> None:
        """What scrolled under a mouse that is selecting is the selection's end now; Textual waits for a move."""
        state = self.screen._select_state  # noqa: SLF001 (there is no public way to go on selecting)
        if state is None or state.end is None or not self.is_mounted:
            return
        widget, offset = self.screen.get_widget_and_offset_at(*state.screen_offset)
        if widget is self and offset is not None and state.end.content_widget is self:
            end = state.end._replace(content_offset=offset)
            self.screen._select_state = state.update_end(state.screen_offset, end)  # noqa: SLF001 (as above)

    def selection_updated(self, selection: Selection | None) -> None:
        """While something is selected the view holds still under the mouse."""
        self.viewport.hold(selection is not None)
        self.place()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()  # Textual would select everything
        if event.y >= len(self.viewport.shown):
            return
        place, unit, row = self.viewport.shown[event.y]
        address = event.style.meta.get(LINK)
        if isinstance(address, str):
            if event.chain == 1:
                self.post_message(self.LinkClicked(address))
        elif isinstance(session_id := event.style.meta.get(SUBAGENT), str):
            if event.chain == 1:
                self.post_message(SubagentClicked(session_id))
        elif isinstance(turn := event.style.meta.get(CHANGES), int) and event.chain == 1:
            self.post_message(ChangesClicked(turn))
        elif OPEN in event.style.meta and isinstance(opens := self.viewport.layout.open(place).units[unit], Opens):
            self.post_message(self.ContentClicked(opens.block))
        elif any(segment.style is not None and FOLD in segment.style.meta for segment in row.segments):
            self.toggle(place)
        elif event.chain > 1:
            key = key_of(place, unit, row.line)
            character = characters_under(row, self.outer_size.width)[event.x]
            self.screen.selections = {self: around(self.viewport.layout, key, character, word=event.chain == 2)}
            self.post_message(events.TextSelected())
