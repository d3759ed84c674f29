"""Selecting in the transcript with the mouse: what is under it, while it streams, beyond the edges."""

import pytest
from textual.events import MouseMove
from textual.pilot import Pilot

from tests.transcript_fakes import TranscriptApp, message, palette

pytestmark = [pytest.mark.anyio, pytest.mark.painted]
SIZE = (40, 12)


async def drag(pilot: Pilot[None], start: tuple[int, int], *stops: tuple[int, int]) -> None:
    await pilot.mouse_down(None, offset=start)
    for stop in stops:
        await pilot.hover(None, offset=stop)


def some(count: int) -> TranscriptApp:
    return TranscriptApp([message(n, f"text {n}") for n in range(count)])


async def test_a_dragged_selection_is_the_text_between() -> None:
    app = some(4)
    async with app.run_test(size=SIZE) as pilot:
        await drag(pilot, (4, 2), (4, 5))
        await pilot.mouse_up(None, offset=(4, 5))
        assert app.view.selected_text() == "xt 0\n\nm1\ntex"
        assert app.screen.get_selected_text() == app.view.selected_text().rstrip("\n")


async def test_upward_is_the_same_as_downward() -> None:
    app = some(4)
    async with app.run_test(size=SIZE) as pilot:
        await drag(pilot, (4, 5), (4, 2))
        assert app.view.selected_text() == "xt 0\n\nm1\ntex"


async def test_a_wrapped_line_is_whole_and_its_decoration_stays_behind() -> None:
    words = " ".join(f"w{n:02}" for n in range(30))
    app = TranscriptApp([message(0, words)])
    async with app.run_test(size=SIZE) as pilot:
        await drag(pilot, (0, 2), (38, 5))
        assert app.view.selected_text() == words
        await pilot.resize_terminal(25, 12)
        await pilot.pause()
        assert app.view.selected_text() == words


async def test_wide_characters_are_hit_by_both_of_their_cells() -> None:
    app = TranscriptApp([message(0, "日本語")])
    async with app.run_test(size=SIZE) as pilot:
        await drag(pilot, (4, 2), (5, 2))
        assert app.view.selected_text() == "本"


async def test_the_selection_is_painted_where_it_is() -> None:
    app = TranscriptApp([message(0, "日本語 text")])
    async with app.run_test(size=SIZE) as pilot:
        app.view.set_palette(palette(selection="on #123456"))
        await drag(pilot, (4, 2), (7, 2))
        await pilot.pause()
        marked = [text for text, look in app.terminal[2] if "18, 52, 86" in look or "#123456" in look]
        assert "".join(marked) == "本語"
        assert app.terminal == app.rendered()


async def test_while_selecting_the_view_holds_still_and_follows_again_afterwards() -> None:
    app = some(30)
    async with app.run_test(size=SIZE) as pilot:
        await drag(pilot, (2, 5), (8, 8))
        before, text = app.lines(), app.view.selected_text()
        for number in range(30, 50):
            app.add(message(number, f"text {number}"))
            app.grow(app.session.entries[29], " more")
            await pilot.pause()
        assert app.lines()[:11] == before[:11]
        assert app.view.selected_text() == text == "text 27\n\nm28\ntext 28"
        await pilot.mouse_up(None, offset=(8, 8))
        assert app.view.selected_text() == text
        app.screen.clear_selection()
        await pilot.pause()
        assert app.view.follow
        assert app.lines()[-1] == "| text 49"


async def test_clearing_a_selection_after_scrolling_away_does_not_jump() -> None:
    app = some(60)
    async with app.run_test(size=SIZE) as pilot:
        await drag(pilot, (2, 5), (8, 8))
        await pilot.mouse_up(None, offset=(8, 8))
        app.view.page_up()
        await pilot.pause()
        before = app.lines()
        app.screen.clear_selection()
        await pilot.pause()
        assert app.lines() == before


async def test_dragging_at_the_upper_edge_scrolls_and_selects_on() -> None:
    app = some(60)
    async with app.run_test(size=SIZE) as pilot:
        await drag(pilot, (8, 8), (8, 4))
        move = MouseMove(app.view, 2, 0, 0, -4, 1, False, False, False, 2, 0)
        app.screen._forward_event(move)
        for _ in range(300):
            await pilot.pause(0.02)  # the scrolling goes by a timer
            if len(lines := app.view.selected_text().split("\n")) > 20:
                break
        await pilot.mouse_up(None, offset=(2, 0))
        assert len(lines) > 20
        assert lines[-1] == "text 58"
        assert app.terminal == app.rendered()


async def test_everything_can_be_selected_also_what_was_never_shown() -> None:
    app = some(500)
    async with app.run_test(size=SIZE) as pilot:
        app.view.text_select_all()
        await pilot.pause()
        text = app.view.selected_text()
        assert text.startswith("\nm0\ntext 0\n\nm1")
        assert text.endswith("m499\ntext 499")


async def test_two_clicks_select_a_word_and_three_the_line() -> None:
    app = TranscriptApp([message(0, "open src/main.py now")])
    async with app.run_test(size=SIZE) as pilot:
        await pilot.double_click("#transcript", offset=(10, 2))
        assert app.view.selected_text() == "src/main.py"
        await pilot.triple_click("#transcript", offset=(10, 2))
        assert app.view.selected_text() == "open src/main.py now"
        await pilot.click("#transcript", offset=(10, 2))
        assert app.view.selected_text() == ""


async def test_below_the_last_row_the_selection_ends_with_it() -> None:
    app = some(2)
    async with app.run_test(size=SIZE) as pilot:
        await drag(pilot, (2, 5), (20, 10))
        assert app.view.selected_text() == "text 1"
