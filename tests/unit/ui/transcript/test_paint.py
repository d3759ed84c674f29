"""Rows as strips: what the entry cursor leaves as it is, and how it is seen."""

from collections.abc import Sequence

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.theme import BUILTIN_THEMES

from acp_tui.ui.render.palette import Palette, ansi_palette, true_palette
from acp_tui.ui.render.wrap import Row
from acp_tui.ui.transcript.row_painter import CURSOR, Painter, under_cursor

PALETTE = true_palette(BUILTIN_THEMES["textual-dark"])


def painted(segments: Sequence[Segment], palette: Palette) -> list[tuple[str, Style]]:
    painter = Painter(palette.ground, 8)
    strip = under_cursor(painter.strip(Row(segments, 0)), painter.base, palette)
    assert strip.cell_length == 8
    return [(text, style or Style()) for text, style, _ in strip]


@pytest.mark.parametrize("palette", [PALETTE, ansi_palette(BUILTIN_THEMES["ansi-dark"])])
def test_the_cursor_is_a_sign_before_the_row(palette: Palette) -> None:
    assert [text for text, _ in painted([Segment("   text")], palette)] == [CURSOR, "  text", " "]


def test_the_cursor_lies_under_what_has_no_colour_of_its_own() -> None:
    ground = PALETTE.panel_background.bgcolor
    shown = painted([Segment("   "), Segment("me", PALETTE.user_background), Segment("you")], PALETTE)
    assert {style.bgcolor for _, style in shown} == {ground}


def test_the_cursor_leaves_pictures_diffs_and_code_as_they_are() -> None:
    pixels = Style(color="#ff0000", bgcolor="#0000ff")
    segments = [Segment("   "), Segment("▀", pixels), Segment("+", PALETTE.added), Segment("x", PALETTE.code_block)]
    shown = dict(painted(segments, PALETTE))
    assert (shown["▀"].color, shown["▀"].bgcolor) == (pixels.color, pixels.bgcolor)
    assert shown["+"].bgcolor == PALETTE.added.bgcolor
    assert shown["x"].bgcolor == PALETTE.code_block.bgcolor
