"""A view of units with a current line and a selection of lines, over diffs and plans among them.

Other rows (heads, words, what stands below a line) are passed over by the cursor and scrolled like any.
"""

from time import perf_counter

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.strip import Strip

from acp_tui.ui.diff_view.line_cursor import LineCursor
from acp_tui.ui.diff_view.spots import Spot
from acp_tui.ui.entries.tool_calls.diff import HunkUnit
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.transcript.paint import CURSOR, highlight
from acp_tui.ui.transcript.units_view import AHEAD

READ = "✓"  # before what was read
SLICE, PAUSE = 0.008, 0.004  # seconds of laying out at a time, and between two of them


class LineView(LineCursor, can_focus=True, inherit_bindings=False):
    """With the keys that move the cursor, where it has the focus, and the mouse."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "LineView { scrollbar-gutter: stable; }"
    BINDINGS = [
        Binding("up,k", "step(-1)", show=False),
        Binding("down,j", "step(1)", show=False),
        Binding("shift+up,K", "step(-1, True)", show=False),
        Binding("shift+down,J", "step(1, True)", show=False),
        Binding("left,h", "side(True)", show=False),
        Binding("right,l", "side(False)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home,g", "ends(-1)", show=False),
        Binding("end,G", "ends(1)", show=False),
        Binding("V", "select", show=False),
    ]

    class Touched(Message):
        """The mouse set the cursor."""

    def action_step(self, by: int, extend: bool = False) -> None:
        """The next line; where the cursor is out of sight, the first one in sight; at an end, scroll."""
        seen = self._in_sight()
        extent = self._extents[self.at] if self.at < len(self._extents) else range(0)
        before = self.at
        if not extent or not (extent.start in seen or extent.stop - 1 in seen):
            visible = [at for at, rows in enumerate(self._extents) if rows.start in seen]
            if visible:
                self.go_to(visible[0 if by > 0 else -1])
                return
        self.go_to(self.at + by, extend=extend or self.selecting)
        if self.at == before:
            self._scroll(max(0, min(int(self.scroll_y) + by, self.max_scroll_y)))

    def action_page(self, by: int) -> None:
        rows = max(1, self.size.height - 1) * by
        top = int(self.scroll_y) + rows
        self._measure(max(0, top) + self.size.height + AHEAD)
        self._place()
        wanted = (self._extents[self.at].start if self.at < len(self._extents) else 0) + rows
        self._scroll(max(0, min(top, self.max_scroll_y)))
        if self._spots:
            later = (at for at, extent in enumerate(self._extents) if extent.start >= wanted)
            self.go_to(next(later, len(self._spots) - 1), extend=self.selecting)

    def action_ends(self, by: int) -> None:
        """Go to the first line there is (-1), or to the last; to that of a long diff in slices."""
        self._seeking = by > 0
        if by > 0:
            self._seek()
        else:
            self.go_to(0, extend=self.selecting)
            self._scroll(0)

    def _seek(self) -> None:
        """Lay out some more; keys are answered in between, and any that moves the cursor ends it."""
        stop = perf_counter() + SLICE
        while self._seeking and self._measured < len(self._units) and perf_counter() < stop:
            self._measure(len(self._rows) + 1)
        self._place()
        if self._seeking and self._measured < len(self._units):
            self.set_timer(PAUSE, self._seek)
        elif self._seeking:
            self.go_to(len(self._spots) - 1, extend=self.selecting)
            self._scroll(self.max_scroll_y)

    def action_side(self, old: bool) -> None:
        self.old = old
        self._look()

    def action_select(self) -> None:
        """Begin to select lines, or end that."""
        if not self.stop_selecting() and self._spots:
            self.selecting, self._anchor = True, self.at
            self._look()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        at = self._owners.get(event.y + int(self.scroll_y))
        if at is not None and event.button == 1:
            if self.can_focus:
                self.focus()
            self.stop_selecting()
            unit = self._numbers.get(at)
            if unit is not None:
                self.old = event.x - self.MARGIN < unit.number_cells(self._width - self.MARGIN, old=False).start
            self.go_to(at)
            self.capture_mouse()
            self.post_message(self.Touched())

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.app.mouse_captured is self and self._spots:
            row = max(0, event.y + int(self.scroll_y))
            at = self._owners.get(row)
            if at is not None and at != self.at:
                self.go_to(at, extend=True)

    def on_mouse_up(self) -> None:
        self.release_mouse()

    # Painting

    def render_line(self, y: int) -> Strip:
        index = int(self.scroll_offset.y) + y
        strip = super().render_line(y)
        base, palette = self.rich_style, palette_of(self.app)
        at = self._owners.get(index)
        own = at if at is not None and index in self._extents[at] else None
        lit = self.live and own is not None and own in self.chosen
        ground = base + Style(bgcolor=palette.panel_background.bgcolor) if lit else base
        near = own is not None and len(self._hunks) > 1 and self.spot is not None and self._is_near(own, self.spot)
        bar = Segment(CURSOR if lit or near else " ", ground + (palette.accent if lit else palette.border))
        mark = Segment(READ if index in self._marks else " ", ground + palette.success)
        if lit and own is not None:
            strip = self._lit(strip, base, ground, self._numbers.get(own), palette)
        return Strip.join([Strip([bar, mark], 2), strip])

    def _is_near(self, at: int, spot: Spot) -> bool:
        """Whether a spot is in the hunk with the cursor, where there are several."""
        return self._spots[at].group is spot.group

    def _lit(self, strip: Strip, base: Style, ground: Style, unit: HunkUnit | None, palette: Palette) -> Strip:
        """A row of a selected line: another ground where it has no colours, its number in the accent."""
        laid = []
        for text, style, _ in strip:
            own = style or base
            laid.append(
                Segment(text, own + Style(bgcolor=ground.bgcolor) if own.bgcolor in (None, base.bgcolor) else own)
            )
        strip = Strip(laid, strip.cell_length)
        if unit is None:
            return strip
        cells = unit.number_cells(self._width - self.MARGIN, old=self.old)
        return highlight(strip, cells.start, cells.stop, palette.accent + Style(bold=True))
