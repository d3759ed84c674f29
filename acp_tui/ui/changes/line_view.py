"""A view of units with a current line and a selection of lines, over diffs and plans among them.

Other rows (heads, words, what stands below a line) are passed over by the cursor and scrolled like any.
"""

from collections.abc import Callable, Sequence
from time import perf_counter

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from acp_tui.session.changes import Publisher
from acp_tui.ui.changes.line_rows import Below, LineRows, LineSpot
from acp_tui.ui.entries.diff_units import HunkUnit
from acp_tui.ui.kit.list_panel import AHEAD, KeyedWidget, PanelKey
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.render.diff import DiffLine, Hunk
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import Unit, edge
from acp_tui.ui.transcript.row_painter import CURSOR, highlight


class LineCursor(LineRows):
    """The cursor stands on a spot; those from there to where a selection began are selected."""

    class Moved(Message):
        """The cursor is on another line, or other lines are selected."""

    def __init__(self, below: Below, is_read: Callable[[Unit], bool], id: str | None = None) -> None:  # noqa: A002
        super().__init__(below, is_read, id)
        self.at = 0
        self.old = False  # whether the old side is meant, where two lines stand beside each other
        self.selecting = False  # by keys that only move else
        self.rows_moved: Publisher[[]] = Publisher()  # that other rows are in sight, or at other places
        self.live = True  # whether the cursor is shown: the keys are the view's
        self._hunks: list[Hunk] = []
        self._fresh, self._from_end = True, False
        self._seeking = False  # the end of a long diff
        self._anchor: int | None = None

    # What is shown

    def show(self, units: Sequence[Unit], width: int | None = None) -> None:
        """Show other units; the cursor stays on its line if that is among them."""
        before = self.spot
        self._held.clear()
        self._seeking = False
        self.stop_selecting()
        hunks = (unit.hunk for unit in units if isinstance(unit, HunkUnit))
        self._hunks = list({id(hunk): hunk for hunk in hunks}.values())
        super().show(units, width)
        found = None if before is None else self._find(before)
        self._fresh = found is None
        if found is not None:
            self.at = found
            self._scroll_to_cursor()
        self._settle()
        self.post_message(self.Moved())

    def begin(self, units: Sequence[Unit], *, last: bool = False) -> None:
        """Show the units of something else, with the cursor on the first change, or in the `last` hunk."""
        self._spots, self.at, self._from_end = [], 0, last
        self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self.show(units)

    def _settle(self) -> None:
        """Where nobody has moved it yet, the cursor is on the first line that changed."""
        if self._fresh and self._spots:
            self._fresh = False
            self.at = next((at for at, spot in enumerate(self._spots) if spot.old != spot.new), 0)
            if self._from_end and self._hunks:
                self._go_to_hunk(len(self._hunks) - 1)
            else:
                self.call_after_refresh(self._bring_change)  # laid out then
            self.post_message(self.Moved())

    def _bring_change(self) -> None:
        """Have the change in sight that the cursor is at, as much of it as there is room for."""
        if self.at < len(self._extents) and self._spots[self.at].old != self._spots[self.at].new:
            last = self.at
            while self._reaches(last + 1) and self._spots[last + 1].old != self._spots[last + 1].new:
                last += 1
                if self._extents[last].stop - self._extents[self.at].start >= self.size.height:
                    break
            start = self._extents[self.at].start
            self.bring(range(start, min(self._extents[last].stop, start + self.size.height)))
            top = int(self.scroll_y)
            if 0 < top < start and self._rows[top].offset:  # no view begins within a line
                self._scroll(next((row for row in range(top, start) if not self._rows[row].offset), start))

    def draw_again(self) -> None:
        """What stands below lines, or what is marked, is something else."""
        self._begin(self._width)
        self.refresh()
        self.rows_moved.publish()

    @property
    def spot_in_sight(self) -> LineSpot | None:
        """That of the cursor, or the first in sight where that is not."""
        owners = [self._owners[row] for row in self._in_sight() if row in self._owners]
        at = self.at if self.at in owners else next(iter(owners), None)
        return None if at is None else self._spots[at]

    def _find(self, wanted: LineSpot) -> int | None:
        lines = {line.new or -(line.old or 0) for line in (*wanted.new, *wanted.old)}
        at = 0
        while self._reaches(at):
            spot = self._spots[at]
            if spot.path == wanted.path and any(
                (line.new or -(line.old or 0)) in lines for line in (*spot.new, *spot.old)
            ):
                return at
            at += 1
        return None

    def _begin(self, width: int) -> None:
        super()._begin(width)
        self._settle()

    # Where the cursor is

    @property
    def spot(self) -> LineSpot | None:
        return self._spots[self.at] if self.at < len(self._spots) else None

    @property
    def unit(self) -> HunkUnit | None:
        return self._numbers.get(self.at)

    @property
    def chosen(self) -> range:
        """The numbers of the selected spots, at least of the one with the cursor."""
        other = self.at if self._anchor is None else self._anchor
        return range(min(self.at, other), min(max(self.at, other) + 1, len(self._spots)))

    @property
    def selected(self) -> list[LineSpot]:
        return [self._spots[at] for at in self.chosen]

    @property
    def lines(self) -> list[DiffLine]:
        """The selected lines of both sides, as they stand in their hunk."""
        wanted = {id(line) for spot in self.selected for line in (*spot.old, *spot.new)}
        return [line for spot in self.selected[:1] for line in spot.group if id(line) in wanted]

    @property
    def is_selecting(self) -> bool:
        return self.selecting or self._anchor is not None

    @property
    def hunk_number(self) -> tuple[int, int]:
        """Which hunk the cursor is in, from 1 (0: in none), and of how many."""
        here = self.unit
        at = (n for n, hunk in enumerate(self._hunks, 1) if here is not None and hunk is here.hunk)
        return next(at, 0), len(self._hunks)

    def hunk(self, step: int) -> bool:
        """Go to the next hunk, or the one before; False where there is none, and nothing has moved."""
        number, count = self.hunk_number
        found = 0 <= number - 1 + step < count
        if found:
            self._go_to_hunk(number - 1 + step)
        return found

    def _go_to_hunk(self, number: int) -> None:
        lines = self._hunks[number].lines
        first = 0
        while self._reaches(first) and self._spots[first].group is not lines:
            first += 1
        at = first
        while self._reaches(at + 1) and self._spots[at].old == self._spots[at].new:
            at += 1
        self.go_to(at)
        if first < len(self._extents):
            top, seen = max(0, self._extents[first].start - 1), self._in_sight()
            if top not in seen or top + len(lines) > seen.stop:
                self._scroll(0 if number == 0 else top)
            self._scroll_to_cursor()

    def stop_selecting(self) -> bool:
        """Select nothing but the current line; whether more was selected."""
        had = self.selecting or self._anchor is not None
        self.selecting, self._anchor = False, None
        if had:
            self._look()
        return had

    def go_to(self, at: int, *, extend: bool = False) -> None:
        """Put the cursor on a spot, as far as there is one; a selection ends with its hunk."""
        self._seeking = False
        self._reaches(at)
        at = max(0, min(at, len(self._spots) - 1))
        if extend and self._spots:
            self._anchor = self.at if self._anchor is None else self._anchor
            group = self._spots[self._anchor].group
            while self._spots[at].group is not group:
                at += 1 if at < self._anchor else -1
        else:
            self._anchor = None
        self.at = at
        self._scroll_to_cursor()
        self._look()

    def _look(self) -> None:
        self.refresh()
        self.post_message(self.Moved())

    def _in_sight(self) -> range:
        top = int(self.scroll_y)
        return range(top, top + max(1, self.size.height))

    def _scroll_to_cursor(self) -> None:
        if self.at < len(self._extents):
            rows, seen = self._extents[self.at], self._in_sight()
            if len(rows) > len(seen):
                self.bring(self._part_of(rows, seen))
                return
            self.bring(range(0 if self.at == 0 and rows.start < len(seen) else rows.start, rows.stop))

    @staticmethod
    def _part_of(rows: range, seen: range) -> range:
        """As many rows of a line as are in sight at once: those that are, else those of its nearer end."""
        if rows.start >= seen.stop:
            return rows[: len(seen)]
        return rows[-len(seen) :] if rows.stop <= seen.start else range(max(rows.start, seen.start), seen.start + 1)

    def bring(self, rows: range) -> None:
        """Scroll as little as it takes to have these rows in sight, the last ones before all."""
        seen = self._in_sight()
        top = min(seen.start, rows.start)
        self._scroll(max(top, rows.stop - len(seen)))

    def _scroll(self, top: int) -> None:
        if top != int(self.scroll_y):
            self._measure(top + self.size.height + AHEAD)
            self._place()
            self.scroll_to(y=top, animate=False, force=True, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.rows_moved.publish()


READ = "✓"  # before what was read
SLICE, PAUSE = 0.008, 0.004  # seconds of laying out at a time, and between two of them


class LineView(LineCursor, KeyedWidget, can_focus=True, inherit_bindings=False):
    """With the keys that move the cursor, where it has the focus, and the mouse."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "LineView { scrollbar-gutter: stable; }"
    KEYS = (
        PanelKey("up,k", act=lambda view: view.action_step(-1)),
        PanelKey("down,j", act=lambda view: view.action_step(1)),
        PanelKey("shift+up,K", act=lambda view: view.action_step(-1, True)),
        PanelKey("shift+down,J", act=lambda view: view.action_step(1, True)),
        PanelKey("left,h", act=lambda view: view.action_side(True)),
        PanelKey("right,l", act=lambda view: view.action_side(False)),
        PanelKey("pageup", act=lambda view: view.action_page(-1)),
        PanelKey("pagedown", act=lambda view: view.action_page(1)),
        PanelKey("home,g", act=lambda view: view.action_ends(-1)),
        PanelKey("end,G", act=lambda view: view.action_ends(1)),
        PanelKey("V", act=lambda view: view.action_select()),
    )

    class Touched(Message):
        """The mouse set the cursor."""

    def action_step(self, by: int, extend: bool = False) -> None:
        """The next line; where the cursor is out of sight, the first one in sight; at an end, scroll."""
        seen = self._in_sight()
        extent = self._extents[self.at] if self.at < len(self._extents) else range(0)
        before = self.at
        overlap = range(max(extent.start, seen.start), min(extent.stop, seen.stop))
        if overlap and not extend and (extent.stop > seen.stop if by > 0 else extent.start < seen.start):
            self._scroll(seen.start + by)  # the rest of a long line
            return
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
            wanted = next(later, len(self._spots) - 1)
            seen = self._in_sight()
            near = [self._owners[row] for row in seen if row in self._owners]
            wanted = max(near[0], min(wanted, near[-1])) if near else wanted  # a line may be longer than a page
            self.go_to(wanted, extend=self.selecting)

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

    def _is_near(self, at: int, spot: LineSpot) -> bool:
        return self._spots[at].group is spot.group

    def _lit(self, strip: Strip, base: Style, ground: Style, unit: HunkUnit | None, palette: Palette) -> Strip:
        laid, end = [], edge(self._width - self.MARGIN)  # no further than the ground of a change
        for text, style, _ in strip.crop(0, end):
            own = style or base
            laid.append(
                Segment(text, own + Style(bgcolor=ground.bgcolor) if own.bgcolor in (None, base.bgcolor) else own)
            )
        strip = Strip.join([Strip(laid), strip.crop(end)])
        if unit is None:
            return strip
        cells = unit.number_cells(self._width - self.MARGIN, old=self.old)
        return highlight(strip, cells.start, cells.stop, palette.accent + Style(bold=True))
