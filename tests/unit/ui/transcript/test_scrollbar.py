"""The scrollbar's cells are Textual's, whatever its size, place and look."""

from random import Random
from typing import cast

import pytest
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segments
from textual.app import App, ComposeResult
from textual.filter import Monochrome
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

from acp_tui.ui.transcript.placed_scroll_view import HeldCells

pytestmark = pytest.mark.anyio
HEIGHT = 12


class BarApp(App[None]):
    CSS = "ScrollBar { width: 1; height: 12; } .wide { width: 2; }"

    def compose(self) -> ComposeResult:
        yield ScrollBar()


def textuals(bar: ScrollBar) -> list[Strip]:
    """What Textual paints, with nothing kept from before."""
    bar._styles_cache.clear()
    bar._dirty_regions.add(bar.size.region)
    return ScrollBar.render_lines(bar, bar.size.region)


def place(bar: ScrollBar, rows: int, position: float, *, over: bool) -> None:
    bar.set_reactive(ScrollBar.window_virtual_size, rows)
    bar.set_reactive(ScrollBar.window_size, HEIGHT)
    bar.set_reactive(ScrollBar.position, position)
    bar.set_reactive(ScrollBar.mouse_over, over)
    bar.refresh()


@pytest.mark.parametrize("colours", [True, False])
async def test_its_cells_are_textuals(colours: bool) -> None:
    random = Random(14)
    async with BarApp().run_test(size=(20, HEIGHT)) as pilot:
        bar = pilot.app.query_one(ScrollBar)
        if not colours:
            pilot.app._filters.append(Monochrome())
        held = HeldCells(bar)
        for _ in range(150):
            rows = random.choice([random.randint(1, 40), random.randint(1, 5000)])
            place(bar, rows, random.randint(0, 8 * max(0, rows - HEIGHT)) / 8, over=random.random() < 0.3)
            assert held.render_lines(bar.size.region) == textuals(bar)
        top = random.randint(0, HEIGHT - 4)
        assert held.render_lines(Region(0, top, 1, 3)) == textuals(bar)[top : top + 3]


async def test_what_did_not_change_is_painted_once() -> None:
    async with BarApp().run_test(size=(20, HEIGHT)) as pilot:
        bar = pilot.app.query_one(ScrollBar)
        held = HeldCells(bar)
        place(bar, 100, 30.0, over=False)
        before = held.render_lines(bar.size.region)
        assert all(one is other for one, other in zip(before, held.render_lines(bar.size.region), strict=True))
        place(bar, 100, 80.0, over=False)
        assert held.render_lines(bar.size.region) != before


async def test_where_its_place_is_another_only_the_cells_that_differ_are_painted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with BarApp().run_test(size=(20, HEIGHT)) as pilot:
        bar = pilot.app.query_one(ScrollBar)
        held, asked = HeldCells(bar), []
        place(bar, 100, 0.0, over=False)
        before = held.render_lines(bar.size.region)
        monkeypatch.setattr(bar, "refresh", lambda *regions: asked.extend(regions))
        for position in (1.0, 1.0, 40.0, 88.0):
            asked.clear()
            bar.set_reactive(ScrollBar.position, position)
            held.refresh()
            after = held.render_lines(bar.size.region)
            assert [region.y for region in asked] == [y for y in range(HEIGHT) if before[y] != after[y]]
            assert len(asked) < HEIGHT
            before = after


async def test_a_bar_of_another_width_is_painted_by_textual() -> None:
    async with BarApp().run_test(size=(20, HEIGHT)) as pilot:
        bar = pilot.app.query_one(ScrollBar)
        bar.add_class("wide")
        await pilot.pause()
        assert [strip.cell_length for strip in HeldCells(bar).render_lines(bar.size.region)] == [2] * HEIGHT


async def test_where_textual_renders_a_bar_in_another_way_the_widget_paints_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = ScrollBarRender.__rich_console__

    def other(bar: ScrollBarRender, console: Console, options: ConsoleOptions) -> RenderResult:
        for made in known(bar, console, options):
            yield from cast("Segments", made).segments

    async with BarApp().run_test(size=(20, HEIGHT)) as pilot:
        bar = pilot.app.query_one(ScrollBar)
        held, asked = HeldCells(bar), list[tuple[Region, ...]]()
        monkeypatch.setattr(ScrollBarRender, "__rich_console__", other)
        place(bar, 100, 30.0, over=False)
        assert held.render_lines(bar.size.region) == textuals(bar)
        monkeypatch.setattr(bar, "refresh", lambda *regions: asked.append(regions))
        held.refresh()
        assert asked == [()], "all of it"
