"""The base of all our screens (what of one is painted, and when: at once after a rest, and again as soon as the last
frame allows), and of those that lie over another one.

Textual's own timer does the same on a grid that began with the screen. It skips at least one place of the grid, so that
what changes right after a frame waits for 8 to 17 ms at 120 frames a second. Of 50 keys typed beside an answer that was
being written, all of the nine slowest (11 to 19 ms) waited for that and for nothing else.

A frame is a painting of the screen here. In `bridge` it is the time between two refreshes of what the screen tells
while an agent writes, each of which asks for such a painting.
"""

import inspect
import logging
import sys
from asyncio import sleep
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from time import monotonic, thread_time
from typing import Any

from textual import events
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.constants import MAX_FPS
from textual.geometry import Region
from textual.message_pump import MessagePump
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

log = logging.getLogger(__name__)

COARSE = sys.platform == "win32"  # its clocks and asyncio's sleep go in steps of 15 ms; Textual's timer has finer ones
_TIMER_INTERNALS = {
    (Screen, "_on_timer_update"): ["self"],
    (Screen, "_update_timer"): ["self"],
    (Timer, "_active"): ["self"],
    (Timer, "_run"): ["self"],
    (Timer, "_start"): ["self"],
    (Timer, "_tick"): ["self", "next_timer", "count"],
}


class FrameTimer(Timer):
    """A screen's timer for frames. `interval` is in seconds, from the beginning of a frame to that of the next.

    Painting takes no more than half of the time: keys that come in a burst are read before all of them are painted.
    """

    def __init__(self, pump: MessagePump, interval: float, paint: Callable[[], None] | None = None) -> None:
        super().__init__(pump, interval, name="frames", callback=paint, pause=True)
        self._between = interval

    async def _run(self) -> None:
        due = 0.0
        while True:
            await self._active.wait()  # something is to be painted
            rest = due - monotonic()
            if rest > 0:
                await sleep(rest)  # perhaps it has been painted meanwhile, with a new layout
                continue
            began, worked = monotonic(), thread_time()
            await self._tick(next_timer=began, count=0)
            due = max(began + self._between, monotonic() + thread_time() - worked)


def frame_timer(pump: MessagePump, paint: Callable[[], None]) -> Timer:
    """A timer that paints once it is resumed, and ends with its pump. Only where `times_frames` says so."""
    timer = FrameTimer(pump, 1 / MAX_FPS, paint)
    timer._start()  # noqa: SLF001 (as `set_interval` does)
    pump._timers.add(timer)  # noqa: SLF001 (as above)
    return timer


@cache
def times_frames() -> bool:
    """Whether this Textual has the private names that are overridden and used here; if not, the log names them.

    Never where the system's clocks are coarse.
    """
    if COARSE:
        return False
    missing = [name for (made, name), parameters in _TIMER_INTERNALS.items() if not _is_known(made, name, parameters)]
    if "_timers" not in MessagePump.__init__.__code__.co_names:  # of its instances alone
        missing.append("_timers")
    if missing:
        names = ", ".join(missing)
        log.warning("This Textual times frames in another way (%s): a key may wait longer for its frame", names)
    return not missing


def _is_known(made: type, name: str, parameters: list[str]) -> bool:
    member = inspect.getattr_static(made, name, None)
    function = member.fget if isinstance(member, property) else getattr(member, "func", member)  # of a cached property
    return inspect.isfunction(function) and list(inspect.signature(function).parameters) == parameters


try:
    from textual._compositor import Compositor
except ImportError:  # another Textual
    Compositor = object  # type: ignore[assignment,misc]

Chops = list[dict[int, Strip | None]]  # per row the pieces between its cuts, by their first column
_COMPOSITOR_INTERNALS = {  # what ours overrides or asks for, with its parameters
    "_render_chops": ["self", "crop", "is_rendered_line"],
    "cuts": ["self"],
    "visible_widgets": ["self"],
}


class RowCompositor(Compositor):
    """Asks each widget only for the rows that are dirty and not yet full of widgets in front of it."""

    def _render_chops(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Mapping[int, Strip]]:
        chops: Chops = [dict.fromkeys(cuts[:-1]) for cuts in self.cuts]
        lacking = {y: len(chops[y]) for y in range(len(chops)) if is_rendered_line(y)}  # pieces, per row
        for widget, (region, clip) in self.visible_widgets.items():  # front to back
            if not lacking:
                break
            shown = region.intersection(clip)
            if not (crop.overlaps(clip) and shown.right >= crop.x and shown.x <= crop.right):
                continue
            for start, end in _runs([y for y in shown.line_range if y in lacking and self._open(chops[y], shown)]):
                part = Region(shown.x - region.x, start - region.y, shown.width, end - start)
                for y, strip in zip(range(start, end), widget.render_lines(part), strict=False):
                    lacking[y] -= self._fill(chops[y], y, shown, strip)
                    if not lacking[y]:
                        del lacking[y]
        return chops  # type: ignore[return-value]  # as Textual casts it: what is not painted is None

    @staticmethod
    def _open(pieces: Mapping[int, Strip | None], shown: Region) -> bool:
        return any(strip is None and shown.x <= cut < shown.right for cut, strip in pieces.items())

    def _fill(self, pieces: dict[int, Strip | None], y: int, shown: Region, strip: Strip) -> int:
        """Put a widget's row where nothing is in front of it; how many pieces that were."""
        cuts = [cut for cut in self.cuts[y] if shown.x <= cut <= shown.right]
        filled = 0
        for cut, piece in zip(cuts, strip.divide([cut - shown.x for cut in cuts[1:]]), strict=False):
            if pieces.get(cut, piece) is None:
                pieces[cut] = piece
                filled += 1
        return filled


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at] != rows[at - 1] + 1:
            yield rows[start], rows[at - 1] + 1
            start = at


def in_place_of(textual: Any) -> Any:
    """Ours, where a screen's compositor is exactly the one it was written for; else that one, which paints the same."""
    if type(textual) is Compositor and _fits(Compositor):
        return RowCompositor()
    if not isinstance(textual, Compositor) or not _fits(Compositor):  # else somebody's own, for a reason of theirs
        _tell()
    return textual


@cache
def _tell() -> None:
    log.warning("all rows of all widgets are painted, for Textual has changed: it composes screens in another way")


@cache
def _fits(textual: type) -> bool:
    """Whether it has the private names that ours overrides and uses, with the same parameters."""
    for name, parameters in _COMPOSITOR_INTERNALS.items():
        member = inspect.getattr_static(textual, name, None)
        function = member.fget if isinstance(member, property) else member
        if not inspect.isfunction(function) or list(inspect.signature(function).parameters) != parameters:
            return False
    return True


class PaintedScreen(Screen[ScreenResultType]):
    """A screen of which only the rows that changed are painted, as soon as the last frame allows."""

    _frame_timer: Timer | None = None

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(name, id, classes)
        compositor = in_place_of(getattr(self, "_compositor", None))
        if compositor is not None:
            self._compositor = compositor
        times_frames()  # the log tells what has changed even where nothing asks for the timer by this name

    @property
    def _update_timer(self) -> Timer:
        if self._frame_timer is None:
            paced = times_frames()
            self._frame_timer = frame_timer(self, self._on_timer_update) if paced else super()._update_timer
        return self._frame_timer


SHORT = 22  # rows of a screen; with fewer of them an overlay has none to leave blank
BESIDE, BESIDE_SHORT = 8, 3  # rows of a panel with a list that are not the list's
ROWS: list[tuple[int, str]] = [(0, "-short"), (SHORT, "-tall")]
MOST_ROWS = 20  # of a list in a panel
LEAVING = ("escape", "ctrl+c", "ctrl+q")


class SelectableScreen(PaintedScreen[None], inherit_bindings=False):
    """A screen on which the end of a drag is no click: it folds and opens nothing where something was selected."""

    def _forward_event(self, event: events.Event) -> None:
        if not (isinstance(event, events.Click) and self.selections):
            super()._forward_event(event)


class Closable(PaintedScreen[ScreenResultType]):
    """A screen that the keys which opened it close again."""

    opened_by: Sequence[str] = ()  # as commands have them: `alt+p`, `ctrl+x m`
    _first = ""  # of two keys, the one that was pressed

    def takes(self, event: events.Key) -> bool:
        """Whether this key closes the screen, or is the first of two that do, and is nobody else's then.

        In a line the first of two may be the one that cuts out what is selected. A letter is written there, and
        another sign too, unless the line is empty.
        """
        line = self.focused if isinstance(self.focused, Input) else None
        way = f"{self._first} {event.key}" if self._first else event.key
        self._first = ""
        if way in self.opened_by and not (line and way == event.key and _is_written(event, line)):
            self.dismiss()
        elif any(each.startswith(f"{event.key} ") for each in self.opened_by) and not (line and line.selected_text):
            self._first = event.key
        else:
            return False
        return True


def _is_written(event: events.Key, line: Input) -> bool:
    sign = event.character if event.is_printable else None
    return sign is not None and (sign.isalnum() or bool(line.value))


class Overlay(Closable[ScreenResultType], ModalScreen[ScreenResultType]):
    """A screen over another one, which leaves once, however many keys were pressed before it had.

    A click beside its panel (it is a `.picker` then) closes it, too.
    """

    VERTICAL_BREAKPOINTS = ROWS
    BINDINGS = [
        Binding(",".join(LEAVING), "dismiss", show=False),
        Binding("ctrl+l", "app.redraw", show=False),
    ]

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave; once it has left, Textual would take away the screen below."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    @property
    def is_short(self) -> bool:
        return self.app.size.height < SHORT

    def list_rows(self, beside: int = 0) -> int:
        """How many rows a list may have in the panel, where `beside` rows are taken by more than title and hints."""
        height = self.app.size.height
        room = height - BESIDE_SHORT if self.is_short else height * 4 // 5 - BESIDE
        return max(1, min(MOST_ROWS, room - beside))

    def on_click(self, event: events.Click) -> None:
        if self.has_class("picker") and self.get_widget_at(event.screen_x, event.screen_y)[0] is self:
            event.stop()
            self.dismiss()


def give_way(parts: Sequence[Widget], *, asked: bool) -> None:
    """Have these parts of a screen leave room for a question. It counts at once, since rows are shared out by it.

    Each part has the class by itself: one of the screen would be looked up for all that is on it (25 ms).
    """
    for part in parts:
        part.set_class(asked, "-asked", update=False)
    parts[0].app.stylesheet.update_nodes(parts)
