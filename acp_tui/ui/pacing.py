"""When a screen is painted: at once after a rest, and again as soon as the last frame allows.

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
from collections.abc import Callable
from functools import cache
from time import monotonic, thread_time

from textual.constants import MAX_FPS
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.timer import Timer

log = logging.getLogger(__name__)

COARSE = sys.platform == "win32"  # its clocks and asyncio's sleep go in steps of 15 ms; Textual's timer has finer ones
_USED = {
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
    missing = [name for (made, name), parameters in _USED.items() if not _is_known(made, name, parameters)]
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
