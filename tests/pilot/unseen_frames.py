"""Frames that nobody looks at: widgets draw what has changed of them, but no screen is composed of it.

Composing is most of what a frame costs: cutting and joining the rows of widgets, and all screens below an overlay again
in paler colours. A test that looks at the screen has it composed then (`Viewer.rows`). And a frame comes once what led
to it is done, not each 4 ms in between.
"""

import asyncio
from collections.abc import Iterator
from time import monotonic
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._context import active_app, visible_screen_stack
from textual.geometry import Region
from textual.screen import Screen

from acp_tui.ui.kit.base_screens import FrameTimer
from tests.still import is_busy

TURNS = 20  # of the event loop that a frame waits for what is under way; a handler may itself wait for a frame


def draw(compositor: Compositor, full: bool = False, screen_stack: Any = None, simplify: bool = False) -> None:
    """In place of `Compositor.render_update`: have the widgets of the screen itself draw the rows that have changed."""
    whole = compositor.size.region
    changed = [whole] if full or whole in compositor._dirty_regions else [*compositor._dirty_regions]
    compositor._dirty_regions.clear()
    visible_screen_stack.set([] if screen_stack is None else screen_stack)
    in_front: list[Region] = []
    for widget, (region, clip) in compositor.visible_widgets.items():  # front to back
        shown = region.intersection(clip)
        if not isinstance(widget, Screen):
            for part in _rows(shown, changed, in_front):
                widget.render_lines(part.translate((-region.x, -region.y)))
        in_front.append(shown)


def _rows(shown: Region, changed: list[Region], in_front: list[Region]) -> Iterator[Region]:
    """The stretches of rows that have changed and that no one widget in front covers."""
    start, columns = None, range(shown.x, shown.right)
    touching = [region for region in changed if region.overlaps(shown)]
    covering = [front for front in in_front if front.x <= columns.start and front.right >= columns.stop]
    for y in range(shown.y, shown.bottom + 1) if touching else ():
        drawn = y < shown.bottom and any(region.y <= y < region.bottom for region in touching)
        drawn = drawn and not any(front.y <= y < front.bottom for front in covering)
        if drawn and start is None:
            start = y
        elif not drawn and start is not None:
            yield Region(shown.x, start, shown.width, y - start)
            start = None


async def run(timer: FrameTimer) -> None:
    """In place of `FrameTimer._run`: a frame as soon as nothing else is to be done."""
    while True:
        await timer._active.wait()
        for _ in range(TURNS):
            if not is_busy(active_app.get()):
                break
            await asyncio.sleep(0)
        await timer._tick(next_timer=monotonic(), count=0)
        # What a frame itself asks for comes in its own time, as always.
        await asyncio.sleep(timer._between if timer._active.is_set() else 0)


def leave_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all screens draw their widgets only."""
    monkeypatch.setattr(Compositor, "render_update", draw)
    monkeypatch.setattr(FrameTimer, "_run", run)
