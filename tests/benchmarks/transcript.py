"""What the transcript view costs: per chunk, at load, on resize, in memory; run it by hand.

    python -m tests.benchmarks.transcript [--smoke] [--plain] [ENTRIES...]

Times are CPU milliseconds of the process (flush, layout, painting and Textual's share), at 120x40, with the real
drawings, or with the tests' plain ones, which measures the view without markdown.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import asyncio
import gc
import random
import time
import tracemalloc
from collections.abc import Awaitable, Callable

from rich.console import RenderableType
from textual._compositor import CompositorUpdate
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from acp_tui.session.changes import EntryChanged
from acp_tui.session.entries import Entry, MessageEntry, ToolCallEntry
from acp_tui.ui.bridge import Bridge
from acp_tui.ui.entries.drawings import draw, written
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.wrap import Drawing
from acp_tui.ui.transcript.transcript_view import TranscriptView
from tests.transcript_fakes import FakeDrawing, TranscriptApp, extend, message, palette, text_in

SIZE = (120, 40)
CHUNKS = 1000


class BenchApp(TranscriptApp):
    """With real drawings or plain ones; bytes are made as for a terminal, and dropped."""

    plain = False

    def compose(self) -> ComposeResult:
        yield TranscriptView(self.draw, (lambda _entry: None) if self.plain else written, id="transcript")

    def on_mount(self) -> None:
        self.view.set_palette(palette() if self.plain else palette_for(DARK))
        self.view.show(self.session)

    def draw(self, entry: Entry) -> Drawing:
        if not self.plain:
            return draw(entry, self.session)
        return FakeDrawing(entry if isinstance(entry, MessageEntry) else message(0, entry.id))

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, CompositorUpdate):
            renderable.render_segments(self.console)
            self.paints += 1


def mixed(count: int) -> list[Entry]:
    """User prompts, answers and tool calls."""
    chance = random.Random(1)
    entries: list[Entry] = []
    for number in range(count):
        if number % 3 == 2:
            title = f"Read file {number}"
            entries.append(ToolCallEntry(f"t{number}", title=title, status="completed", started_at=float(number)))
        else:
            words = " ".join(chance.choices(("alpha", "beta", "gamma", "delta"), k=chance.choice((8, 40, 120))))
            entries.append(message(number, f"{words}\n\n{words}", "user" if number % 3 == 0 else "agent"))
            entries[-1].started_at = float(number)
    return entries


def cpu() -> float:
    return time.process_time() * 1000


async def stream(pilot: Pilot[None], app: TranscriptApp, bridge: Bridge, per_frame: int) -> float:
    """CPU milliseconds per chunk, `per_frame` chunks between paints."""
    entry = message(-1, "begin")
    app.add(entry)
    await pilot.pause()
    start = cpu()
    for number in range(CHUNKS):
        extend(entry, "some words of text " if number % 9 else "the end.\n\n")
        bridge.collect(EntryChanged(entry))
        if number % per_frame == per_frame - 1:
            bridge._flush()
            await paint(pilot)
    return (cpu() - start) / CHUNKS


async def paint(pilot: Pilot[None]) -> None:
    """One frame now: the widget's messages reach the screen, and the screen does not wait for its timer."""
    for _ in range(4):
        await asyncio.sleep(0)
    pilot.app.screen._on_timer_update()


async def timed(pilot: Pilot[None], act: Callable[[], Awaitable[None] | None]) -> float:
    start = cpu()
    result = act()
    if result is not None:
        await result
    await paint(pilot)
    return cpu() - start


def pages_down(app: TranscriptApp, count: int) -> None:
    for _ in range(count):
        app.view.page_down()


async def measure(count: int) -> None:
    entries = mixed(count)
    gc.collect()
    tracemalloc.start()
    app = BenchApp()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        before = tracemalloc.get_traced_memory()[0]
        app.session.entries.extend(entries)
        app.view.show(app.session)
        held = (tracemalloc.get_traced_memory()[0] - before) / max(1, count)
        tracemalloc.stop()
        load = await timed(pilot, lambda: app.view.show(app.session))
        bridge = Bridge(app.session, app.view)
        bridge.start(lambda changes: None)
        single = await stream(pilot, app, bridge, 1)
        coalesced = await stream(pilot, app, bridge, 5)
        resize = await timed(pilot, lambda: pilot.resize_terminal(100, 40))
        start = await timed(pilot, app.view.scroll_to_start)
        paged = await timed(pilot, lambda: pages_down(app, 50))
        everything = await timed(pilot, app.view.text_select_all)
        copy = await timed(pilot, lambda: print(f"  selected: {len(app.view.selected_text()):,} characters"))
        size = sum(len(text_in(entry)) for entry in entries if isinstance(entry, MessageEntry))
        print(f"  of {size:,} characters in {count:,} entries, {held:.0f} bytes held for each")
        print(f"  load {load:.1f} ms, resize {resize:.1f}, to the start {start:.1f}, 50 pages {paged:.1f}")
        print(f"  select all {everything:.1f} ms, copy {copy:.1f}")
        assert app.paints > CHUNKS, "not every frame was painted"
        print(f"  per chunk: painted each time {single:.2f} ms, 5 to a frame {coalesced:.2f} ms")


def main() -> None:
    BenchApp.plain = "--plain" in sys.argv
    counts = [int(argument) for argument in sys.argv[1:] if argument.isdecimal()]
    counts = counts or ([100] if "--smoke" in sys.argv else [100, 10_000])
    for count in counts:
        print(f"{count:,} entries")
        asyncio.run(measure(count))


if __name__ == "__main__":
    main()
