"""A scroll view that is placed by a viewport instead of by Textual.

`virtual_size` is a layout reactive and a layout costs O(widgets of the screen), so the widget sets its size and
position past the watchers. Whatever the user scrolls with ends in `watch_scroll_y`, and only that does.
"""

from collections.abc import Callable
from itertools import groupby
from typing import Any

from rich.segment import Segment, Segments
from textual.containers import Horizontal
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender, ScrollDown, ScrollTo, ScrollUp
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.session.entries import Entry
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.thumbnail import pictures_read
from acp_tui.ui.render.wrap import EDGE, Drawing
from acp_tui.ui.transcript.layout import Layout
from acp_tui.ui.transcript.scroll_anchor import LocatedRow
from acp_tui.ui.transcript.viewport import Viewport


class HeldCells:
    """Paints a vertical scrollbar of one column.

    Textual renders all of it through a console wherever the thumb moved, which is with each frame of an answer that
    scrolls: 0.54 ms for 27 rows. Of the four or five cells that differ in a bar each is made once here: 0.08 ms.
    """

    def __init__(self, bar: ScrollBar) -> None:
        self._bar = bar
        self._key: tuple[Any, ...] = ()
        self._strips: list[Strip] | None = []

    def render_lines(self, crop: Region) -> list[Strip]:
        """In place of the widget's own; whatever is not as it is known here is painted by the widget."""
        strips = self._look() if crop.column_span == (0, 1) else None
        return type(self._bar).render_lines(self._bar, crop) if strips is None else strips[crop.y : crop.bottom]

    def refresh(self) -> None:
        """Have the cells painted that differ from what was painted, once size or place is another."""
        before, after = self._strips, self._look()
        if before is None or after is None or len(before) != len(after):
            self._bar.refresh()
        elif changed := [Region(0, y, 1, 1) for y in range(len(after)) if before[y] != after[y]]:
            self._bar.refresh(*changed)

    def _look(self) -> list[Strip] | None:
        bar = self._bar
        rendered = bar.render()
        if not isinstance(rendered, ScrollBarRender) or bar.size.width != 1:
            return None
        shape = (bar.size.height, rendered.virtual_size, rendered.window_size, rendered.position)
        look = (rendered.style, bar.visual_style.rich_style, bar.background_colors[1], tuple(bar.get_line_filters()))
        if (shape, look) != self._key:
            self._key = (shape, look)
            self._strips = self._paint(rendered)
        return self._strips

    def _paint(self, rendered: ScrollBarRender) -> list[Strip] | None:
        bar = self._bar
        options = bar.app.console_options.update(width=1, height=bar.size.height)
        made = list(rendered.__rich_console__(bar.app.console, options))
        if len(made) != 1 or not isinstance(made[0], Segments):  # another Textual
            return None
        base, background = bar.visual_style.rich_style, bar.background_colors[1]
        cells: dict[int, Strip] = {}  # rows that look alike share a segment
        segments = made[0].segments[: bar.size.height]
        for segment in segments:
            if id(segment) not in cells:
                strip = Strip([Segment(segment.text, base + segment.style if segment.style else base)], 1)
                for line_filter in bar.get_line_filters():
                    strip = strip.apply_filter(line_filter, background)
                cells[id(segment)] = strip
        return [cells[id(segment)] for segment in segments]


FULL_WIDTH = "-full-width"  # class of an app whose conversations use all columns of a wide screen


def most_columns(widget: Widget) -> int | None:
    """The columns that a conversation has at most, with the margin behind its one right edge; None: all there are."""
    return None if widget.app.has_class(FULL_WIDTH) else EDGE + 1


def columns_of(widget: Widget) -> int:
    width = widget.app.size.width
    return min(width, most_columns(widget) or width)


class ScrollRow(Horizontal):
    """The row of a scroll view: the wheel scrolls the view where nothing else is, too."""

    def __init__(self, view: "PlacedScroll") -> None:
        super().__init__(view, id="middle")
        self._view = view

    def on_mouse_scroll_down(self) -> None:
        self._view.scroll_relative(y=self.app.scroll_sensitivity_y, animate=False)

    def on_mouse_scroll_up(self) -> None:
        self._view.scroll_relative(y=-self.app.scroll_sensitivity_y, animate=False)


PAGE_OVERLAP = 2  # rows that stay in view when a page is turned


class PlacedScroll(ScrollView, can_focus=True, inherit_bindings=False):
    """Scrolling, size and scrollbar for a viewport; rows that differ are repainted after every act."""

    DEFAULT_CSS = """
    PlacedScroll {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, draw: Callable[[Entry], Drawing], *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.viewport = Viewport(Layout(draw))
        self.palette: Palette | None = None
        self._placing = False
        self._fraction = 0.0
        self._painted: list[LocatedRow] = []
        self._cells: HeldCells | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._seconds: Timer | None = None
        self.click_focuses = True  # where it does not, a click folds, selects and opens all the same

    def focus_on_click(self) -> bool:
        return self.click_focuses

    def on_mount(self) -> None:
        self.styles.max_width = most_columns(self)
        bar = self.vertical_scrollbar
        self._cells = HeldCells(bar)
        bar.render_lines = self._cells.render_lines  # type: ignore[method-assign]
        self._unsubscribe = pictures_read.subscribe(lambda: self.call_later(self._look_again))
        self._seconds = self.set_interval(1.0, self._second, pause=True)

    def on_unmount(self) -> None:
        self._unsubscribe()

    def _look_again(self) -> None:
        self.viewport.refresh()  # a picture is another now, though its entry did not change, or a second has passed
        self.place()

    def _second(self) -> None:
        if self.screen.is_active:
            self._look_again()

    def set_palette(self, palette: Palette) -> None:
        self.palette = palette
        self._reshape()

    def placed(self) -> None:
        """Called after every change of place or content."""

    def scrolled(self) -> None:
        """Called after the user scrolled."""

    @property
    def follow(self) -> bool:
        return self.viewport.following

    @property
    def new_entries(self) -> int:
        return self.viewport.new_entries

    def follow_end(self) -> None:
        self._fraction = 0.0
        self.viewport.follow_end()
        self.place()

    def scroll_to_start(self) -> None:
        self._scroll(0)

    def page_up(self) -> None:
        self._scroll(self.viewport.top - self._page)

    def page_down(self) -> None:
        self._scroll(self.viewport.top + self._page)

    action_scroll_home = scroll_to_start
    action_scroll_end = follow_end
    action_page_up = page_up
    action_page_down = page_down

    @property
    def _page(self) -> int:
        return max(1, self.viewport.height - PAGE_OVERLAP)

    def _scroll(self, row: float) -> None:
        self.scroll_target_y = self.scroll_y = row

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:  # noqa: ARG002 (Textual's signature)
        """The user scrolled, by whatever means: all of them set `scroll_y`."""
        if self._placing:
            return
        row = round(new_value)
        self._fraction = max(-0.49, min(0.49, new_value - row))
        if row != self.viewport.top or row >= self.viewport.end:
            self.viewport.scroll_to(row)
        self.place()
        self.scrolled()

    def on_scroll_to(self, event: ScrollTo) -> None:
        event.stop().prevent_default()
        if event.y is not None:
            self._scroll(event.y)

    def on_scroll_up(self, event: ScrollUp) -> None:
        event.stop().prevent_default()
        self.page_up()

    def on_scroll_down(self, event: ScrollDown) -> None:
        event.stop().prevent_default()
        self.page_down()

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        self._placing = True
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        self._placing = False
        if changed:
            self._reshape()
        return changed

    def _reshape(self) -> None:
        self.viewport.reshape(max(0, self._columns()), self.container_size.height, self.palette)
        self._painted = []
        self.place()

    def _columns(self) -> int:
        return self.container_size.width - self.scrollbar_size_vertical

    def place(self) -> None:
        viewport = self.viewport
        if not viewport.ready:
            return
        total, top, height = viewport.layout.total, viewport.top, viewport.height
        row = max(0.0, min(float(viewport.end), top + self._fraction))
        self.set_reactive(Widget.virtual_size, Size(viewport.layout.width, total))
        self.set_reactive(Widget.scroll_y, row)
        self.set_reactive(Widget.scroll_target_y, row)
        self._place_scrollbar(total, row, height)
        self._refresh_changed_rows()
        if self._seconds is not None:
            (self._seconds.resume if self.viewport.ticks else self._seconds.pause)()
        self.placed()

    def _place_scrollbar(self, total: int, row: float, height: int) -> None:
        bar = self.vertical_scrollbar
        if bar.grabbed and (end := bar.window_virtual_size - height) > 0:
            bar.grabbed_position *= (total - height) / end  # the drag goes on by where on the bar it began
        bar.set_reactive(ScrollBar.window_virtual_size, total)
        bar.set_reactive(ScrollBar.window_size, height)
        bar.set_reactive(ScrollBar.position, int(row * 8) / 8)
        if self._cells is not None:
            self._cells.refresh()

    def _refresh_changed_rows(self) -> None:
        old, new = self._painted, self.viewport.shown
        self._painted = new
        regions: list[Region] = []

        def differs(y: int) -> bool:
            return not old or old[y : y + 1] != new[y : y + 1]

        for changed, rows in groupby(range(self.viewport.height), differs):
            first, *others = rows
            if changed:
                regions.append(Region(0, first, self.container_size.width, 1 + len(others)))
        if regions:
            self.refresh(*regions)
