"""The text of tools: Markdown where the agent writes, as it is where it was read or printed; never too much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.ui.entries.tool_output import block_units, is_markdown
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import text_of
from tests.unit.ui.render.markdown_texts import DOCUMENTS

PALETTE: Palette = palette_for(DARK)
WIDTH = 60


def shown(text: str, kind: str = "other", limit: int | None = None, width: int = WIDTH) -> list[str]:
    units = block_units(TextContent(text=text), kind, 3, limit)
    return [text_of(row).rstrip() for unit in units for row in unit.rows(width, PALETTE)]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("**done**", "other", True),
        ("# a comment\nx = __init__", "read", False),
        ("- a match", "search", False),
        ("before\n```py\na = 1\n```", "read", True),
        ("```py\na = 1\n```", "other", False),
        ('{"a": "*b*"}', "other", False),
        ("   ", "other", False),
    ],
)
def test_what_is_markdown(text: str, kind: str, expected: bool) -> None:
    assert is_markdown(text, kind) is expected


def test_markdown_is_set_like_a_message() -> None:
    text = "It is **done**:\n\n- one\n- two\n\n```py\na = 1\n```\nafter"
    assert shown(text) == ["   │ It is done:", "   │", "   │ • one", "   │ • two", "   │ a = 1", "   │ after"]


def test_what_was_read_stays_as_it_is() -> None:
    assert shown("# __init__\n* x", "read") == ["   │ # __init__", "   │ * x"]


def test_a_preview_is_a_few_rows_and_says_what_follows() -> None:
    text = "\n\n".join(f"line {number}" for number in range(10))
    assert shown(text, limit=3) == ["   │ line 0", "   │", "   │ line 1", "   … 8 more lines"]
    assert shown("one\ntwo", limit=6) == ["   │ one", "   │ two"]


@pytest.mark.parametrize("kind", ["other", "read"])
def test_one_giant_line_is_a_few_rows_too(kind: str) -> None:
    rows = shown("word " * 5_000, kind, limit=6)
    assert len(rows) == 7
    assert rows[-1] == "   … 1 more line"


def test_a_preview_does_not_cut_up_what_nobody_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a paragraph\n\n" * 10_000
    monkeypatch.setattr("acp_tui.ui.entries.tool_output.PREVIEW_CHARACTERS", 100)
    rows = shown(text, limit=6)
    assert rows[-1] == "   … 9,997 more lines"
    assert rows[:3] == ["   │ a paragraph", "   │", "   │ a paragraph"]


@given(DOCUMENTS, st.integers(1, 12), st.integers(12, 90))
def test_previews_never_have_more_rows_than_allowed_and_no_row_is_too_wide(text: str, limit: int, width: int) -> None:
    units = block_units(TextContent(text=text), "other", 3, limit)
    for unit in units:
        rows = unit.rows(width, PALETTE)
        assert len(rows) <= limit + 1
        assert all(sum(segment.cell_length for segment in row.segments) <= max(width, 30) for row in rows)
    whole = shown(text)
    assert len(whole) <= limit or len(shown(text, limit=limit)) == limit + 1
