"""Where a user writes: foreign text is drawn safely, counted as it is drawn, and kept as it is."""

import pytest
from hypothesis import given
from rich.cells import cell_len, get_character_cell_size
from textual.app import App, ComposeResult
from textual.widgets import Static

from acp_tui.safe_text import NO_CELL, in_place
from acp_tui.ui.kit.line_editor import SafeInput, SafeTextArea
from tests.strategies import ONE_OF_EACH, UNSAFE, nasty_texts

pytestmark = pytest.mark.anyio
WIDTH = 24
EMOJI = ["👩\u200d👩\u200d👧", "❤\ufe0f", "👍🏽", "1\ufe0f\u20e3", "🏳\ufe0f\u200d🌈", "🇩🇪", "\u3164x\uffa0\u2800"]


class Fields(App[None]):
    """A line and an area beside something with a right edge."""

    CSS = f"SafeInput, SafeTextArea {{ width: {WIDTH}; height: 5; border: none; padding: 0; }}"

    def compose(self) -> ComposeResult:
        yield SafeInput(compact=True)
        yield SafeTextArea(soft_wrap=True, show_line_numbers=False, compact=True)
        yield Static("below")


def drawn(widget: SafeInput | SafeTextArea) -> list[str]:
    return [widget.render_line(y).text for y in range(widget.size.height)]


@pytest.mark.parametrize("text", [*EMOJI, ONE_OF_EACH], ids=lambda text: ascii(text)[:24])
async def test_each_row_is_as_wide_as_the_terminal_draws_it(text: str) -> None:
    """With marks and stand-ins only, the cells of a row are those of its characters one by one."""
    app = Fields()
    async with app.run_test() as pilot:
        line, area = app.query_one(SafeInput), app.query_one(SafeTextArea)
        line.value, area.text = text, f"{text}\n" * 2
        await pilot.pause()
        rows = drawn(line)[:1] + drawn(area)
        assert [row for row in rows if UNSAFE.search(row.replace(NO_CELL, ""))] == []
        assert {sum(map(get_character_cell_size, row)) for row in drawn(area)} == {area.scrollable_content_region.width}
        assert {cell_len(row) for row in drawn(area)} == {area.scrollable_content_region.width}
        assert area.text == f"{text}\n" * 2 or "\r" in text  # an area has line ends of its own


@pytest.mark.parametrize("text", EMOJI, ids=ascii)
async def test_the_cursor_stands_where_the_text_ends(text: str) -> None:
    app = Fields()
    async with app.run_test() as pilot:
        line, area = app.query_one(SafeInput), app.query_one(SafeTextArea)
        line.value, area.text = text, text
        line.cursor_position = len(text)
        area.move_cursor(area.document.end)
        await pilot.pause()
        cells = sum(map(get_character_cell_size, in_place(text)))
        assert area.wrapped_document.location_to_offset(area.cursor_location).x == cells
        assert line._position_to_cell(len(text)) == cells
        assert line.value == text
        assert line._cell_offset_to_index(cells) == len(text)


@given(text=nasty_texts)
def test_a_line_holds_what_was_written_but_for_its_ends(text: str) -> None:
    held = SafeInput().validate_value(text)
    assert not {"\n", "\r", "\x85", "\u2028", "\u2029"} & set(held)
    assert held == text or {"\n", "\r", "\x85", "\u2028", "\u2029"} & set(text)
