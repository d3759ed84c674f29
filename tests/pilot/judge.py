"""Judges each frame of the real app: the cells that what we write gives, against those that Textual's painting gives.

The app runs on a driver that is not headless and remembers. Each update is composed twice, by our compositor and by
Textual's own, and written twice: by the app into one emulated terminal, by Textual's rendering into another. Both
terminals get all else that is written, and are scrambled alike.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from rich.control import Control
from textual._compositor import Compositor
from textual.driver import Driver
from textual.drivers import headless_driver
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.kit.base_screens import RowCompositor
from tests.emulated_terminal import Cells, written_by_textual

Painted = Sequence[Mapping[int, Strip]]
SHOWN = 8  # differing cells that a failure names
LOOKS, WAIT = 300, 0.01  # times, and seconds between them, until an app must have painted all


class Judge:
    """`wrong` tells what differed. `patch` it in before the app is made."""

    def __init__(self, width: int, height: int) -> None:
        self.ours, self.textual = Cells(width, height), Cells(width, height)
        self.wrong: list[str] = []
        self.frames = self.bytes = self.bytes_by_textual = self.moves = 0
        self.foreign = False  # whether others wrote on the terminal since all was drawn
        self.doing = "the start"
        self._by_textual = self._displaying = False
        self._written: list[str] = []

    def patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have every app of this test judged."""
        monkeypatch.setattr(headless_driver, "HeadlessDriver", self._driver())
        self._compose_twice(monkeypatch)
        display, judge = AcpTuiApp._display, self

        def judged(app: AcpTuiApp, screen: Screen[Any], update: Any) -> None:
            judge._written, judge._displaying = [], True
            try:
                display(app, screen, update)
            finally:
                judge._displaying = False
            if judge._written and update is not None:
                judge._compare(app, update)

        monkeypatch.setattr(AcpTuiApp, "_display", judged)

    def write(self, data: str) -> None:
        """What the driver is given."""
        self.ours.feed(data)
        if self._displaying:
            self._written.append(data)
        else:
            self.textual.feed(data)

    def resize(self, width: int, height: int) -> None:
        """The terminal has this size, and what it shows is not defined."""
        self.ours.resize(width, height)
        self.textual.resize(width, height)
        self.scramble()

    def scramble(self) -> None:
        """Others write all over the terminal."""
        self.foreign = True
        self.ours.scramble(self.frames)
        self.textual.scramble(self.frames)

    async def look(self, app: AcpTuiApp) -> None:
        """Wait until the terminal shows what Textual makes of all of the app as it is, and note it if it never does."""
        for _ in range(LOOKS):
            whole = self._whole(app)
            if whole.rows == self.ours.rows:
                return
            await asyncio.sleep(WAIT)
        self._note("as a whole", self.ours, whole)

    def _whole(self, app: AcpTuiApp) -> Cells:
        compositor = app.screen._compositor
        dirty = compositor._dirty_regions.copy()
        with self._composed_by_textual():
            update: Any = compositor.render_update(full=True, screen_stack=app._background_screens)
            whole = Cells(*compositor.size)
            whole.feed(written_by_textual(update, app.console))
        compositor._dirty_regions = dirty
        return whole

    def _compare(self, app: AcpTuiApp, update: Any) -> None:
        by_textual = written_by_textual(update.by_textual, app.console)
        self.frames += 1
        written = "".join(self._written)
        self.bytes += len(written)
        self.bytes_by_textual += len(by_textual)
        self.moves += any(f"{what}\x1b[r" in written for what in "ML")
        self.textual.feed(by_textual + Control.move_to(*app._previous_cursor_position).segment.text)
        if app.screen._compositor.size == (self.ours.width, self.ours.height):  # else it is resized in a moment
            self._note(f"frame {self.frames}, {type(update).__name__}", self.ours, self.textual)
            assert (self.ours.x, self.ours.y) == (self.textual.x, self.textual.y)

    def _note(self, what: str, ours: Cells, other: Cells) -> None:
        if ours.rows == other.rows or self.wrong:
            return
        cells = [
            f"{x},{y}: {ours.rows[y][x]} for {other.rows[y][x]}"
            for y in range(ours.height)
            for x in range(ours.width)
            if ours.rows[y][x] != other.rows[y][x]
        ]
        self.wrong.append(f"{what} after {self.doing}: {len(cells)} cells differ\n  " + "\n  ".join(cells[:SHOWN]))

    def _driver(self) -> type[Driver]:
        judge = self

        class Recording(HeadlessDriver):
            is_headless = property(lambda _: False)
            can_suspend = property(lambda _: True)

            def write(self, data: str) -> None:
                judge.write(data)

        return Recording

    def _compose_twice(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each update has the one of Textual's own compositor as `by_textual`; which is made first changes in turn."""
        judge, compose, render = self, RowCompositor._render_chops, Compositor.render_update

        def either(self: RowCompositor, crop: Region, is_rendered_line: Callable[[int], bool]) -> Painted:
            own = Compositor._render_chops if judge._by_textual else compose
            return own(self, crop, is_rendered_line)

        def both(self: Compositor, full: bool = False, screen_stack: Any = None, simplify: bool = False) -> Any:
            if judge._by_textual:
                return render(self, full, screen_stack, simplify)
            dirty = self._dirty_regions.copy()
            made: dict[bool, Any] = {}
            for by_textual in (True, False) if judge.frames % 2 else (False, True):
                self._dirty_regions = dirty.copy()
                if by_textual:
                    with judge._composed_by_textual():
                        made[by_textual] = render(self, full, screen_stack, simplify)
                else:
                    made[by_textual] = render(self, full, screen_stack, simplify)
            if made[False] is not None:
                made[False].by_textual = made[True]
            return made[False]

        monkeypatch.setattr(RowCompositor, "_render_chops", either)
        monkeypatch.setattr(Compositor, "render_update", both)

    @contextmanager
    def _composed_by_textual(self) -> Iterator[None]:
        self._by_textual = True
        try:
            yield
        finally:
            self._by_textual = False
