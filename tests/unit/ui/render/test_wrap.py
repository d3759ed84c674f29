from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from acp_tui.ui.render.text import sanitise
from acp_tui.ui.render.wrap import Line, Row, Run, expand_tabs, rows_of
from tests.rows import each_of
from tests.strategies import nasty_pieces

PLAIN, BOLD = Style(), Style(bold=True)
words = st.sampled_from(["  ", "aaaaab", "漢字、。", "e\u0301", "👍", "-"])
texts = st.lists(words | nasty_pieces, max_size=12).map(
    lambda pieces: sanitise("".join(pieces)).replace("\n", "").replace("\t", "")
)
runs = st.lists(st.tuples(texts, st.sampled_from([PLAIN, BOLD])), max_size=6)


def text_of(row: Row) -> str:
    return "".join(segment.text for segment in row.segments)[row.gutter :]


@given(runs, st.integers(2, 40))
def test_rows_fit_and_together_are_the_line(line: list[Run], width: int) -> None:
    text = "".join(part for part, _ in line)
    rows = rows_of([Line(line)], width)
    place = 0
    for index, row in enumerate(rows):
        assert cell_len(text_of(row)) <= width
        assert not text[place : row.offset].strip(" ")
        place = row.offset + len(text_of(row))
        assert text[row.offset : place] == text_of(row)
        assert row.wrapped == (index < len(rows) - 1)
    assert not text[place:].strip(" ")


@given(runs, st.integers(2, 40))
def test_every_character_keeps_its_style(line: list[Run], width: int) -> None:
    wanted = [(character, style) for text, style in line for character in text if character != " "]
    rows = rows_of([Line(line)], width)
    shown = [
        (character, segment.style)
        for row in rows
        for segment in row.segments
        for character in segment.text
        if character != " "
    ]
    assert shown == wanted


@given(runs, st.integers(8, 40))
def test_gutters_and_fill_make_rows_of_one_width(line: list[Run], width: int) -> None:
    rows = rows_of([Line(line, [("▌ ", BOLD)], [("▌   ", BOLD)], fill=PLAIN)], width)
    for index, row in enumerate(rows):
        assert sum(segment.cell_length for segment in row.segments) == width
        assert row.gutter == (4 if index else 2)


@each_of(
    ("text", "width", "rows"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("one  two", 4, ["one", "two"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("go abcdefgh", 4, ["go", "abcd", "efgh"]),
        ("    x = 1", 6, ["    x", "= 1"]),
        ("    abcdefgh", 6, ["    ab", "cdefgh"]),
        ("漢字かな", 5, ["漢字", "かな"]),
        ("漢字、かな", 4, ["漢", "字、", "かな"]),
        ("e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]),
        ("", 5, [""]),
    ],
)
def test_where_lines_break(text: str, width: int, rows: list[str]) -> None:
    assert [text_of(row) for row in rows_of([Line([(text, PLAIN)])], width)] == rows


def test_tabs_reach_the_next_stop() -> None:
    assert expand_tabs("a\tb\t\tc") == "a   b       c"
    assert expand_tabs("漢\tb") == "漢  b"
    assert expand_tabs("\tb", 2) == "  b"


def test_only_wide_lines_pass_the_measure() -> None:
    lines = [Line([("a " * 30, PLAIN)]), Line([("a " * 30, PLAIN)], wide=True)]
    rows = rows_of(lines, 60, margin=[("   ", PLAIN)], measure=20)
    assert max(cell_len(text_of(row)) for row in rows if row.line == 0) <= 20
    assert max(cell_len(text_of(row)) for row in rows if row.line == 1) > 20
