"""When a screen is painted: at once after a rest, and again as soon as the last frame allows.

Textual's own timer does the same on a grid that began with the screen. It skips at least one place of the grid, so that
what changes right after a frame waits for 8 to 17 ms at 120 frames a second. Of 50 keys typed beside an answer that was
being written, all of the nine slowest (11 to 19 ms) waited for that and for nothing else.
"""

import inspect
import logging
from asyncio import sleep
from collections.abc import Callable
from functools import cache
from time import monotonic, thread_time

from textual.constants import MAX_FPS
from textual.message_pump import MessagePump
from textual.timer import EventTargetGone, Timer

log = logging.getLogger(__name__)

_USED = {
    (Timer, "_active"): ["self"],
    (Timer, "_run"): ["self"],
    (Timer, "_start"): ["self"],
    (Timer, "_tick"): ["self", "next_timer", "count"],
}


class FrameTimer(Timer):
    """A screen's timer for frames. `interval` is in seconds, from the beginning of a frame to that of the next.

    Painting takes no more than half of the time: keys that come in a burst are read before all of them are painted.
    """

    async def _run(self) -> None:
        due = 0.0
        while True:
            await self._active.wait()  # something is to be painted
            rest = due - monotonic()
            if rest > 0:
                await sleep(rest)  # perhaps it has been painted meanwhile, with a new layout
                continue
            began, worked = monotonic(), thread_time()
            try:
                await self._tick(next_timer=began, count=0)
            except EventTargetGone:
                return
            due = max(began + self._interval, monotonic() + thread_time() - worked)


def frame_timer(pump: MessagePump, paint: Callable[[], None]) -> Timer | None:
    """A timer that paints once it is resumed, and ends with its pump; None where Textual's own has to do it."""
    if not _knows_textual():
        return None
    timer = FrameTimer(pump, 1 / MAX_FPS, name="frames", callback=paint, pause=True)
    timer._start()  # noqa: SLF001 (as `set_interval` does)
    pump._timers.add(timer)  # noqa: SLF001 (as above)
    return timer


@cache
def _knows_textual() -> bool:
    """Whether it has the private names that are overridden and used here, with the same parameters."""
    for (made, name), parameters in _USED.items():
        member = inspect.getattr_static(made, name, None)
        function = getattr(member, "func", member)  # of a cached property
        if not inspect.isfunction(function) or list(inspect.signature(function).parameters) != parameters:
            log.warning("This Textual times frames in another way (%s): a key may wait longer for its frame", name)
            return False
    return True
