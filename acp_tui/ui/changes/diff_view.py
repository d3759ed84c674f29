"""A view of units with a cursor that goes from line to line of the diffs among them, and from hunk to hunk."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from acp_tui.ui.entries.tool_calls.diff import HunkUnit
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.render.diff import DiffLine, FileDiff, Hunk
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.transcript.units_view import UnitsView

BAR, CURSOR = "▎", "›"  # of the current hunk's rows, and of the lines that are selected
SLICE, PAUSE = 0.008, 0.004  # seconds of laying out at a time, and between two of them
MARGIN = 3  # rows that stay in view above and below the cursor


class LinePlace(NamedTuple):
    """A line of a diff by its file and its numbers, from 1: the same one after the file was compared again."""

    path: str
    old: int | None
    new: int | None


class Held(NamedTuple):
    """A logical line of the view: the lines of a hunk that it shows, by their indices."""

    file: FileDiff
    hunk: Hunk
    indices: tuple[int, ...]

    @property
    def place(self) -> LinePlace:
        first, last = self.hunk.lines[self.indices[0]], self.hunk.lines[self.indices[-1]]
        return LinePlace(self.file.path, first.old, last.new)


class LinesView(UnitsView):
    """Tells which lines of which hunk stand in its rows, and measures units as far as somebody asks."""

    def _measure_more(self) -> bool:
        before = self._measured
        self._measure(len(self._rows) + 1)
        return self._measured > before

    def _measure_unit(self, unit: int) -> None:
        while self._measured <= unit and self._measure_more():
            pass

    def _unit_at(self, row: int) -> Unit | None:
        at = bisect_right(self._starts, row) - 1
        return self._units[at] if at >= 0 else None

    def _held(self, row: int | None) -> Held | None:
        if row is None or not 0 <= row < len(self._rows):
            return None
        unit = self._unit_at(row)
        pair = unit.lines_at(self._rows[row].line, self._width) if isinstance(unit, HunkUnit) else None
        if pair is None or not isinstance(unit, HunkUnit):
            return None
        indices = tuple(dict.fromkeys(index for index in pair if index is not None))
        return Held(unit.text.file, unit.hunk, indices) if indices else None

    def _is_changed(self, row: int) -> bool:
        held = self._held(row)
        return held is not None and any(held.hunk.lines[index].sign != " " for index in held.indices)

    def _next(self, row: int, step: int) -> int | None:
        """The first row of the next logical line of a diff, if there is one."""
        here = self._held(row)
        at = row + step
        while at >= 0 and (at < len(self._rows) or self._measure_more()):
            held = self._held(at)
            if held is not None and (here is None or held.indices != here.indices or held.hunk is not here.hunk):
                return self._first_of(at, held)
            at += step
        return None

    def _first_of(self, row: int, held: Held) -> int:
        while (above := self._held(row - 1)) is not None and above == held:
            row -= 1
        return row


class DiffView(LinesView):
    """While it is `live` it shows where the cursor is; the keys are the business of who has the focus."""

    ALLOW_SELECT = False  # the mouse selects lines here

    @dataclass
    class Touched(Message):
        """The mouse set the cursor."""

    @dataclass
    class Moved(Message):
        """The cursor stands on another line, or other lines are selected."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.live = False
        self._row: int | None = None  # of the cursor: the first one of a logical line
        self._anchor: int | None = None  # where the selection began
        self._hunks: list[tuple[Hunk, int]] = []  # with the first unit of each
        self._wanted: LinePlace | None = None
        self._seeking = False  # the end of a long diff

    def show(self, units: Sequence[Unit], width: int | None = None) -> None:
        """Show these units from now on; the cursor stays on its line where that is there, else near it."""
        current = self._held(self._row)
        self._wanted = current.place if current is not None else None
        self._row = self._row if current is not None else None
        self._seeking = False
        self._hunks = []
        for number, unit in enumerate(units):
            if isinstance(unit, HunkUnit) and (not self._hunks or self._hunks[-1][0] is not unit.hunk):
                self._hunks.append((unit.hunk, number))
        super().show(units, width)

    def begin(self, units: Sequence[Unit], *, last: bool = False) -> None:
        """Show the units of something else, with the cursor on the first hunk, or on the `last`."""
        self._row = self._anchor = self._wanted = None
        self.show(units)
        self.scroll_home(animate=False, force=True, immediate=True)
        if self._hunks:
            self._go_to_hunk(len(self._hunks) - 1 if last else 0)

    # where the cursor is

    @property
    def current(self) -> Held | None:
        """What stands in the line with the cursor."""
        return self._held(self._row)

    @property
    def hunk_number(self) -> tuple[int, int]:
        """Which hunk the cursor is in, from 1 (0: in none), and of how many."""
        current = self.current
        at = (n for n, (hunk, _) in enumerate(self._hunks, 1) if current is not None and hunk is current.hunk)
        return next(at, 0), len(self._hunks)

    @property
    def is_selecting(self) -> bool:
        return self._anchor is not None

    @property
    def lines(self) -> list[DiffLine]:
        """The selected lines in their order, at least the one with the cursor; those of one hunk before the next."""
        if self._row is None:
            return []
        anchor = self._row if self._anchor is None else self._anchor
        first, last = sorted((anchor, self._row))
        chosen: dict[int, tuple[Hunk, set[int]]] = {}
        for row in range(first, last + 1):
            held = self._held(row)
            if held is not None:
                chosen.setdefault(id(held.hunk), (held.hunk, set()))[1].update(held.indices)
        return [hunk.lines[index] for hunk, indices in chosen.values() for index in sorted(indices)]

    # moving

    def move(self, step: int, *, select: bool = False) -> None:
        """Go so many lines further; with `select` the lines on the way are selected."""
        self._seeking = False
        if self._row is None:
            self.scroll_relative(y=step, animate=False, force=True, immediate=True)
            return
        self._anchor = (self._row if self._anchor is None else self._anchor) if select else None
        for _ in range(abs(step)):
            row = self._next(self._row, 1 if step > 0 else -1)
            if row is None:
                break
            self._row = row
        self._moved(at_end=step)

    def page(self, step: int) -> None:
        self.move(step * max(1, self.size.height - 1))

    def end(self, step: int) -> None:
        """Go to the last line there is, or to the first (-1); to the last of a long diff in slices."""
        self._seeking = step > 0
        if self._seeking and self._measured < len(self._units):
            self._seek()
            return
        beyond = len(self._rows) if step > 0 else -1
        row = self._next(beyond, -step)
        if row is not None:
            self._row, self._anchor = row, None
        self._moved(at_end=step * MARGIN)

    def _seek(self) -> None:
        """Lay out some more; keys are answered in between, and any of them ends it."""
        stop = perf_counter() + SLICE
        while self._seeking and self._measured < len(self._units) and perf_counter() < stop:
            self._measure_more()
        self._place()
        if self._seeking and self._measured < len(self._units):
            self.set_timer(PAUSE, self._seek)
        elif self._seeking:
            self.end(1)

    def hunk(self, step: int) -> bool:
        """Go to the next hunk, or the one before; False where there is none, and nothing has moved."""
        number, count = self.hunk_number
        wanted = number - 1 + step
        if not 0 <= wanted < count:
            return False
        self._go_to_hunk(wanted)
        return True

    def clear_selection(self) -> None:
        self._anchor = None
        self.refresh()

    def _go_to_hunk(self, number: int) -> None:
        unit = self._hunks[number][1]
        self._measure_unit(unit)
        if unit >= len(self._starts):
            self._wanted = None  # not laid out yet: the first one, as soon as it is
            return
        top = self._starts[unit]
        rows = (row for row in range(top, len(self._rows)) if self._is_changed(row))
        self._row, self._anchor = next(rows, top), None
        height = self.size.height
        if top < self.scroll_y or self._row + MARGIN >= self.scroll_y + height or number == 0:
            self._measure(top + height)
            self._place()
            self.scroll_to(y=max(0, top - 1), animate=False, force=True, immediate=True)
        self._moved()

    def _moved(self, at_end: int = 0) -> None:
        """Have the cursor in view; beyond the first and the last line there may be rows that are none."""
        row, top, height = self._row, int(self.scroll_y), self.size.height
        if row is not None and height:
            edge = min(MARGIN, max(0, height // 2 - 1))
            wanted = min(max(top, row + edge - height + 1), max(0, row - edge))
            if at_end and self._next(row, 1 if at_end > 0 else -1) is None:
                wanted += at_end  # on to what stands there
            if wanted != top:
                self.scroll_to(y=wanted, animate=False, force=True, immediate=True)
        self.refresh()
        self.post_message(self.Moved())

    # rows and lines

    def _begin(self, width: int) -> None:
        place = self._wanted
        if place is None and (held := self._held(self._row)) is not None:
            place = held.place
        super()._begin(width)
        self._wanted = None
        if not width or not self._hunks:
            self._row = self._anchor = None if not self._hunks else self._row
        elif place is not None or self._row is None:
            self._restore(place)

    def _restore(self, place: LinePlace | None) -> None:
        """Have the cursor on the line of this place, else where it was, else on the first hunk."""
        before, self._row, self._anchor = self._row, None, None
        if place is None:
            self._go_to_hunk(0)
            return
        first: int | None = None
        row = 0
        while row < len(self._rows) or self._measure_more():
            held = self._held(row) if row < len(self._rows) else None
            if held is not None:
                first = row if first is None or (before is not None and row <= before) else first
                if held.place == place:
                    self._row = row
                    return
                if before is not None and row > before + 2_000:
                    break  # it is gone: the texts before it are not that much longer
            row += 1
        self._row = first

    # painting and the mouse

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        index = int(self.scroll_offset.y) + y
        held = self._held(index)
        if held is None or not strip.cell_length:
            return strip
        palette, current = palette_of(self.app), self.current
        if self.live and self._is_selected(index, held):
            return _chosen(strip, self.rich_style, palette)
        if current is not None and held.hunk is current.hunk and len(self._hunks) > 1:
            bar = Segment(BAR, self.rich_style + (palette.user if self.live else palette.faint))
            return Strip.join([Strip([bar], 1), strip.crop(1)])
        return strip

    def _is_selected(self, row: int, held: Held) -> bool:
        if self._row is None:
            return False
        anchor = self._row if self._anchor is None else self._anchor
        first, last = sorted((anchor, self._row))
        return first <= row <= last or held == self._held(last)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button == 1 and self._go_to_row(int(self.scroll_offset.y) + event.y, select=event.shift):
            self.capture_mouse()
            self.post_message(self.Touched())

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.app.mouse_captured is self and event.button == 1:
            row = int(self.scroll_offset.y) + event.y
            if row != self._row:
                self._go_to_row(row, select=True)
                self._moved()

    def on_mouse_up(self) -> None:
        if self.app.mouse_captured is self:
            self.capture_mouse(False)

    def _go_to_row(self, row: int, *, select: bool) -> bool:
        held = self._held(row)
        if held is None:
            return False
        anchor = self._row if self._anchor is None else self._anchor
        self._row = self._first_of(row, held)
        self._anchor = anchor if select and anchor != self._row else None
        self.refresh()
        return True


def _chosen(strip: Strip, base: Style, palette: Palette) -> Strip:
    """The row as one that is selected: a sign at its edge, and another ground where it has no colour."""
    ground = Style(bgcolor=palette.panel_background.bgcolor)
    laid = [Segment(CURSOR, base + ground + palette.user + Style(bold=True))]
    for text, style, _ in strip.crop(1):
        own = style or base
        laid.append(Segment(text, own + ground if own.bgcolor in (None, base.bgcolor) else own))
    return Strip(laid, strip.cell_length)
