"""A scrolling view of units for panels: top to bottom, measured no further than somebody scrolled.

The transcript's own view keeps a reader's place while things grow; this one shows what does not change.
"""

from collections.abc import Callable, Sequence

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.thumbnail import pictures_read
from acp_tui.ui.render.wrap import Row, Unit
from acp_tui.ui.transcript.row_painting import Painter

AHEAD = 50  # rows that are measured below the last visible one


class UnitsView(ScrollView, can_focus=False):
    """Shows units; `show` replaces them and keeps the place."""

    DEFAULT_CSS = """
    UnitsView {
        height: 1fr;
        background: transparent;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        overflow-x: hidden;
    }
    """

    MARGIN = 0  # cells before the rows

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._units: Sequence[Unit] = ()
        self._rows: list[Row] = []
        self._measured = 0
        self._width = 0
        self._painter: Painter | None = None
        self._versions: list[int] = []  # of the units that were measured
        self._palette: Palette | None = None  # in which they were drawn
        self._unsubscribe: Callable[[], None] = lambda: None

    def on_mount(self) -> None:
        self._unsubscribe = pictures_read.subscribe(lambda: self.call_later(self._look_again))

    def on_unmount(self) -> None:
        self._unsubscribe()

    def _look_again(self) -> None:
        if self._versions != [unit.version for unit in self._units[: self._measured]]:
            self._begin(self._width)
            self.refresh()

    def show(self, units: Sequence[Unit], width: int | None = None) -> None:
        """Show these units from now on; `width` in cells where the view was not laid out yet."""
        self._units = units
        self._begin(width or self._width or self.scrollable_content_region.width)
        self.refresh()

    def begin_at(self, row: int) -> None:
        """Scroll so that this is the first row, if there are enough below it; before the view is laid out too."""
        self._measure(row + self.size.height + AHEAD)
        self._place()
        self.scroll_to(y=row, animate=False, force=True, immediate=True)

    def rows_at_most(self, limit: int) -> int:
        self._measure(limit)
        return min(len(self._rows), limit)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        self._measure(int(new_value) + self.size.height + AHEAD)
        self._place()
        super().watch_scroll_y(old_value, new_value)

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        if width and width != self._width:
            self._begin(width)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self._width and palette_of(self.app) is not self._palette:
            self._begin(self._width)

    def _begin(self, width: int) -> None:
        self._rows, self._measured, self._width, self._painter = [], 0, width, None
        self._versions = []
        if width:
            self._measure(int(self.scroll_y) + self.size.height + AHEAD)
            self._place()

    def _measure(self, rows: int) -> None:
        self._palette = palette = palette_of(self.app)
        while self._measured < len(self._units) and len(self._rows) < rows and self._width:
            self._versions.append(self._units[self._measured].version)
            self._rows.extend(self._rows_of(self._units[self._measured], palette))
            self._measured += 1

    def _rows_of(self, unit: Unit, palette: Palette) -> Sequence[Row]:
        return unit.rows(max(1, self._width - self.MARGIN), palette)

    def _place(self) -> None:
        rest = sum(unit.estimate(self._width) for unit in self._units[self._measured :])
        self.virtual_size = Size(self._width, len(self._rows) + rest)

    def render_line(self, y: int) -> Strip:
        painter, index = self._paint(), int(self.scroll_offset.y) + y
        return painter.strip(self._rows[index]) if index < len(self._rows) else painter.blank

    def _paint(self) -> Painter:
        base = self.rich_style
        width = max(1, self.scrollable_content_region.width - self.MARGIN)
        if self._painter is None or self._painter.width != width or self._painter.base != base:
            self._painter = Painter(base, width)
        return self._painter
