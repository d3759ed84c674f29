"""The transcript view on a (headless) terminal: following, wheel, scrollbar, folding, resizing, painting."""

import random

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.events import MouseScrollDown, MouseScrollUp
from textual.pilot import Pilot
from textual.scrollbar import ScrollBar

from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import LINK, Row
from tests.transcript_fakes import FakeDrawing, Paragraph, TranscriptApp, message, palette
from tests.transcript_oracle import Oracle, random_text

pytestmark = [pytest.mark.anyio, pytest.mark.painted]
SIZE = (40, 12)


def some(count: int) -> TranscriptApp:
    return TranscriptApp([message(n, f"text {n}") for n in range(count)])


async def wheel(pilot: Pilot[None], event: type[MouseScrollUp | MouseScrollDown]) -> None:
    await pilot._post_mouse_events([event], "#transcript", (5, 5))


async def test_the_end_is_shown_and_followed() -> None:
    app = some(30)
    async with app.run_test(size=SIZE) as pilot:
        assert app.lines()[-1] == "| text 29"
        app.add(message(30, "text 30"))
        await pilot.pause()
        assert app.lines()[-3:] == ["", "* m30", "| text 30"]
        assert app.view.follow


async def test_a_short_transcript_begins_at_the_top() -> None:
    app = some(2)
    async with app.run_test(size=SIZE):
        assert app.lines() == ["", "* m0", "| text 0", "", "* m1", "| text 1", *[""] * 6]


async def test_an_empty_transcript_shows_nothing_and_takes_every_act() -> None:
    app = some(0)
    async with app.run_test(size=SIZE) as pilot:
        view = app.view
        for act in (view.page_up, view.page_down, view.scroll_to_start, view.follow_end, view.toggle_all):
            act()
        view.focus_entry("next")
        view.text_select_all()
        await pilot.click("#transcript", offset=(3, 3))
        assert app.lines() == [""] * 12
        assert view.selected_text() == ""


async def test_scrolled_up_it_stays_while_the_end_grows() -> None:
    app = some(30)
    async with app.run_test(size=SIZE) as pilot:
        app.view.page_up()
        await pilot.pause()
        before = app.lines()
        app.add(message(30, "text 30"))
        await pilot.pause()
        assert app.lines() == before
        assert (app.view.follow, app.view.new_entries) == (False, 1)
        app.view.follow_end()
        await pilot.pause()
        assert app.lines()[-1] == "| text 30"
        assert [(told.follow, told.new_entries) for told in app.told] == [(False, 0), (False, 1), (True, 0)]


async def test_growth_below_is_told() -> None:
    app = some(30)
    async with app.run_test(size=SIZE) as pilot:
        app.view.page_up()
        app.grow(app.session.entries[-1], " and more")
        await pilot.pause()
        assert app.told[-1].grew


async def test_the_wheel_scrolls_and_the_bottom_follows_again() -> None:
    app = some(30)
    async with app.run_test(size=SIZE) as pilot:
        before = app.lines()
        await wheel(pilot, MouseScrollUp)
        assert app.lines()[2:] == before[:-2]
        assert not app.view.follow
        await wheel(pilot, MouseScrollDown)
        assert app.view.follow


async def test_pages_leave_no_row_out() -> None:
    app = some(60)
    async with app.run_test(size=SIZE) as pilot:
        seen: list[str] = app.lines()
        while app.view.scroll_offset.y:
            exact = app.view.scroll_offset.y  # near the start every height is exact
            app.view.page_up()
            await pilot.pause()
            seen = app.lines()[: min(10, exact)] + seen
        texts = [line for line in seen if line.startswith("| text")]
        assert texts == [f"| text {n}" for n in range(60)]


async def test_start_and_end() -> None:
    app = some(60)
    async with app.run_test(size=SIZE) as pilot:
        app.view.action_scroll_home()
        await pilot.pause()
        assert app.lines()[1] == "* m0"
        assert not app.view.follow
        app.view.action_scroll_end()
        await pilot.pause()
        assert app.lines()[-1] == "| text 59"


async def test_the_scrollbar_can_be_dragged_and_back_to_the_end() -> None:
    app = some(200)
    async with app.run_test(size=SIZE) as pilot:
        bar = app.view.vertical_scrollbar
        assert bar.position == app.view.max_scroll_y
        await pilot.mouse_down(bar, offset=(0, 11))
        await pilot.hover(None, offset=(39, 5))
        assert not app.view.follow
        assert app.lines() in all_windows(app)
        await pilot.hover(None, offset=(39, 0))
        assert app.view.scroll_offset.y < app.view.max_scroll_y / 6
        assert app.lines() in all_windows(app)
        await pilot.hover(None, offset=(39, 11))
        await pilot.mouse_up(None, offset=(39, 11))
        assert app.view.follow
        assert app.lines()[-1] == "| text 199"


async def test_a_click_beside_the_thumb_turns_a_page() -> None:
    app = some(200)
    async with app.run_test(size=SIZE) as pilot:
        before = app.lines()
        await pilot.click(None, offset=(39, 3))
        await pilot.pause()
        assert app.lines()[-2:] == before[:2]


async def test_a_click_on_a_heading_folds_and_the_heading_stays() -> None:
    app = TranscriptApp([message(n, "one\ntwo\nthree") for n in range(10)])
    async with app.run_test(size=SIZE) as pilot:
        assert app.lines()[3] == "* m8"
        await pilot.click("#transcript", offset=(4, 3))
        assert app.lines()[6] == "* m8"  # the end leaves nothing below to fill the screen with
        assert app.lines()[-4:] == ["* m9", "| one", "| two", "| three"]
        await pilot.click("#transcript", offset=(4, 6))
        assert app.lines()[6:10] == ["* m8", "| one", "| two", "| three"]
        assert not app.view.follow


async def test_a_click_on_text_folds_nothing() -> None:
    app = TranscriptApp([message(n, "one\ntwo\nthree") for n in range(10)])
    async with app.run_test(size=SIZE) as pilot:
        before = app.lines()
        await pilot.click("#transcript", offset=(4, 5))
        assert app.lines() == before


async def test_all_entries_fold_and_unfold_also_those_never_drawn() -> None:
    app = TranscriptApp([message(n, "one\ntwo\nthree") for n in range(500)])
    async with app.run_test(size=SIZE) as pilot:
        app.view._folded = False
        app.view.toggle_all()
        app.view.scroll_to_start()
        await pilot.pause()
        assert app.lines()[:6] == ["", "* m0", "", "* m1", "", "* m2"]
        app.view.toggle_all()
        app.view.scroll_to_start()
        await pilot.pause()
        assert app.lines()[:4] == ["", "* m0", "| one", "| two"]


async def test_the_cursor_walks_by_entry_and_by_user_message() -> None:
    entries = [message(n, f"text {n}", "user" if n % 10 == 0 else "agent") for n in range(40)]
    app = TranscriptApp(entries)
    async with app.run_test(size=SIZE) as pilot:
        assert app.view.focus_entry("previous")
        assert app.view.current_entry is entries[39]
        assert app.view.focus_entry("previous_user")
        assert app.view.current_entry is entries[30]
        await pilot.pause()
        assert "▎ m30" in app.lines()
        assert app.view.focus_entry("next")
        assert app.view.current_entry is entries[31]
        app.view.clear_cursor()
        assert app.view.current_entry is None
        assert not app.view.toggle_current()


async def test_resizing_keeps_the_character_at_the_top() -> None:
    app = TranscriptApp([message(n, "word " * 60) for n in range(40)])
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(5):
            app.view.page_up()
        await wheel(pilot, MouseScrollUp)
        before = app.lines()
        for size in ((80, 20), (20, 8), SIZE):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert app.terminal == app.rendered()
        assert app.lines() == before


async def test_a_removed_entry_leaves_no_gap() -> None:
    app = some(4)
    async with app.run_test(size=SIZE) as pilot:
        app.view.refresh_entries(removed=[app.session.entries[1]])
        await pilot.pause()
        assert app.lines()[:6] == ["", "* m0", "| text 0", "", "* m2", "| text 2"]


async def test_another_palette_repaints_everything() -> None:
    app = some(30)
    async with app.run_test(size=SIZE) as pilot:
        app.view.set_palette(palette(text="red"))
        await pilot.pause()
        assert "red" in app.terminal[-1][3][1] or "#" in app.terminal[-1][3][1]
        assert app.terminal == app.rendered()


async def test_another_theme_reaches_the_empty_cells() -> None:
    app = some(1)
    async with app.run_test(size=SIZE) as pilot:
        before = app.terminal[-1][5]
        app.theme = "textual-light"
        await pilot.pause()
        assert app.terminal[-1][5] != before
        assert app.terminal == app.rendered()


async def test_without_colour_none_is_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = some(3)
    async with app.run_test(size=SIZE) as pilot:
        app.view.set_palette(palette(text="#ff0000"))
        await pilot.pause()
        colour = app.view.render_lines(app.view.size.region)[2]
        colours = {segment.style.color.triplet for segment in colour if segment.style and segment.style.color}
        assert all(triplet is None or len(set(triplet)) == 1 for triplet in colours)


async def test_unchanged_rows_are_not_painted_again() -> None:
    app = some(3)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.terminal = [[("?", "")] * 40 for _ in range(12)]
        app.grow(app.session.entries[-1], "!")
        await pilot.pause()
        assert app.lines()[8] == "| text 2!"
        assert app.lines()[7] == "?" * 39


async def test_nothing_is_painted_while_nothing_changes() -> None:
    app = some(30)
    async with app.run_test(size=SIZE) as pilot:
        app.view.refresh_entries()
        await pilot.pause()
        paints = app.paints
        app.view.refresh_entries()
        await pilot.pause()
        assert app.paints == paints


class Links(Paragraph):
    """One row with a link of our own, and OSC 8 links safe and not."""

    def rows(self, width: int, palette: Palette) -> list[Row]:
        segments = (
            Segment("open", Style(meta={LINK: "https://a.example"})),
            Segment(" good", Style(link="https://a.example")),
            Segment(" file", Style(link="file:///etc/passwd")),
            Segment(" escape", Style(link="https://a.example/\x1b]0;owned\x07")),
            Segment(" act", Style(meta={"@click": "app.quit"})),
        )
        return [Row(segments, 0)]


async def test_only_safe_links_reach_the_terminal_and_agents_text_never_acts() -> None:
    app = some(1)
    drawing = FakeDrawing(app.session.entries[0])
    drawing.units[1:] = [Links([])]
    app.drawings[id(app.session.entries[0])] = drawing
    async with app.run_test(size=SIZE) as pilot:
        row = list(app.view.render_lines(app.view.size.region)[2])
        assert [segment.style.link for segment in row[:5] if segment.style] == [
            None,
            "https://a.example",
            None,
            None,
            None,
        ]
        await pilot.click("#transcript", offset=(2, 2))
        assert app.clicked == ["https://a.example"]
        await pilot.click("#transcript", offset=(24, 2))
        assert app.is_running
        assert app.return_code is None


async def test_wide_characters_are_whole_at_the_edge_of_a_crop() -> None:
    app = TranscriptApp([message(0, "日本語日本語日本語")])
    async with app.run_test(size=SIZE):
        row = app.view.size.region.crop_size((7, 3)).translate((0, 0))
        assert [strip.cell_length for strip in app.view.render_lines(row)] == [7, 7, 7]
        assert app.view.render_lines(row)[2].text == "| 日本 "


def all_windows(app: TranscriptApp) -> list[list[str]]:
    """What the screen could show at each row, by a full layout."""
    oracle = Oracle(app.size.width - 1, app.size.height)
    oracle.entries.extend(app.session.entries)
    oracle.lay_out()
    texts = [row.text for row in oracle.rows]
    return [texts[top : top + oracle.height] for top in range(oracle.end + 1)]


def act_at_random(app: TranscriptApp, chance: random.Random, number: int) -> None:
    view, last = app.view, app.session.entries[-1]
    text = random_text(chance, f"{number}")
    match chance.randrange(10):
        case 0:
            app.add(message(number, text))
        case 1:
            app.grow(last, chance.choice(("\n\n", " ")) + text)
        case 2:
            app.grow(chance.choice(app.session.entries), " y")
        case 3:
            view.scroll_y += chance.choice((-9, -1, 1, 9, 0.4, -0.4))
        case 4:
            view.focus_entry(chance.choice(("next", "previous")))
        case 5:
            view.toggle_current()
        case 6:
            view.toggle_all()
        case 7:
            view.text_select_all()
        case 8:
            app.screen.clear_selection()
        case _:
            app.theme = chance.choice(("nord", "textual-light"))


@pytest.mark.parametrize("seed", range(2))
async def test_what_was_painted_is_what_a_full_repaint_paints(seed: int) -> None:
    chance = random.Random(seed)
    app = TranscriptApp([message(n, random_text(chance, f"{n}")) for n in range(20)])
    async with app.run_test(size=SIZE) as pilot:
        view = app.view
        for number in range(20, 70):
            act_at_random(app, chance, number)
            if chance.random() < 0.1:
                await pilot.resize_terminal(chance.choice((20, 40, 90)), chance.choice((5, 12, 30)))
            await pilot.pause()
            assert app.terminal == app.rendered()
            bar = view.vertical_scrollbar
            assert isinstance(bar, ScrollBar)
            assert bar.window_virtual_size == view.virtual_size.height == view.viewport.layout.total
            assert bar.window_size == app.size.height
            assert bar.position == int(view.scroll_y * 8) / 8
            assert view.scroll_offset.y == view.viewport.top
