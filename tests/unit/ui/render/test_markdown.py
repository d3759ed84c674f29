import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.theme import BUILTIN_THEMES

from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.blocks import GAP, Table, fit_columns, typeset
from acp_tui.ui.render.markdown import lines_of
from acp_tui.ui.render.text import Piece
from acp_tui.ui.render.wrap import LINK, Line
from tests.rows import each_of

PALETTE = palette_for(DARK)


def lines(source: str, width: int = 60) -> list[Line]:
    return lines_of(Piece(lines=source.split("\n")), PALETTE, PALETTE.text, width)


def drawn(source: str, width: int = 60) -> list[str]:
    return ["".join(text for text, _ in (*line.gutter, *line.runs)).rstrip() for line in lines(source, width)]


def style_of(source: str, word: str) -> Style:
    return next(style for line in lines(source) for text, style in line.runs if word in text)


@each_of(
    ("source", "shown"),
    [
        ("# Title\ntext", ["Title", "text"]),
        ("a\nb", ["a", "b"]),
        ("a  \nb", ["a", "b"]),
        ("- a\n  - b\n    - c\n- d", ["• a", "  ◦ b", "    ▪ c", "• d"]),
        ("- a\n\n- b", ["• a", "", "• b"]),
        ("- a\n\n  b", ["• a", "", "  b"]),
        ("9. a\n10. b", ["9. a", "10. b"]),
        ("1. a\n   - b", ["1. a", "   • b"]),
        ("- [ ] a\n- [x] b", ["☐ a", "☑ b"]),
        ("- \\[ ] a\n- &#91; ] b\n- [\\ ] c", ["• [ ] a", "• [ ] b", "• [\\ ] c"]),
        ("- [ ] \n  a", ["☐", "  a"]),
        ("- - a", ["•", "  ◦ a"]),
        ("-\n- b", ["•", "• b"]),
        ("> a\n> > b", ["▎ a", "▎ ▎ b"]),
        ("> - a\n>   b", ["▎ • a", "▎   b"]),
        ("- > a", ["• ▎ a"]),
        ("> ```py\n> x\n> ```", ["▎ py", "▎ x"]),
        ("    code", ["code"]),
        ("<b>raw</b>", ["<b>raw</b>"]),
        ("[x]: http://a.b", ["[x]: http://a.b"]),
        ("&lt;&#27;&#x202e;", ["<��"]),
        ("***", ["─" * 60]),
        ("![alt](a.png)", ["▣ alt (a.png)"]),
        ("[a](http://x.y)", ["a"]),
        ("[a](src/x.py)", ["a (src/x.py)"]),
        ("[http://good.x](http://evil.y)", ["http://good.x (http://evil.y)"]),
        ("[see](javascript:alert)", ["[see](javascript:alert)"]),
        (">" * 200 + " deep", [">" * 200 + " deep"]),
        ("[" * 16 + "**a**", ["[" * 16 + "a"]),
        ("![" * 17 + "**a**", ["![" * 17 + "**a**"]),
        ("[1] **a** " * 4, ["[1] a [1] a [1] a [1] a"]),
    ],
)
def test_what_is_drawn(source: str, shown: list[str]) -> None:
    assert drawn(source) == shown


def test_emphasis_is_style() -> None:
    source = "**bold** *it* ~~off~~ `code` ***both***"
    assert style_of(source, "bold").bold
    assert style_of(source, "it").italic
    assert style_of(source, "off").strike
    assert style_of(source, "code").color == PALETTE.code.color
    assert style_of(source, "both").bold
    assert style_of(source, "both").italic


@pytest.mark.parametrize(
    ("source", "word", "link"),
    [
        ("[a](https://x.y/z)", "a", "https://x.y/z"),
        ("<https://x.y>", "x.y", "https://x.y"),
        ("see https://x.y/z.", "x.y", "https://x.y/z"),
        ("[a](file:///etc/passwd)", "a", None),
        ("[a](x.py)", "a", None),
        ("[a](https://x.y/\u202e)", "a", "https://x.y/%E2%80%AE"),
    ],
)
def test_only_web_addresses_open(source: str, word: str, link: str | None) -> None:
    style = style_of(source, word)
    assert style.link == link
    assert style.meta.get(LINK) == link


def test_without_colour_code_keeps_its_backticks() -> None:
    palette = palette_for(DARK, colour=False)
    piece = Piece(lines=["run `ls` now"])
    assert [line.text for line in lines_of(piece, palette, palette.text, 40)] == ["run `ls` now"]


def test_a_continued_list_goes_on_counting() -> None:
    piece = Piece(lines=["1. c", "1. d"], ordinal=3)
    assert [line.text for line in lines_of(piece, PALETTE, PALETTE.text, 40)] == ["3. c", "4. d"]


def test_list_items_hang_below_their_text_and_copy_their_bullet() -> None:
    line = lines("- a\n  - b")[1]
    assert line.text == "  ◦ b"
    assert line.gutter == []
    assert sum(len(text) for text, _ in line.hang) == 4


def test_a_quote_copies_without_its_bar() -> None:
    assert [line.text for line in lines("> - a")] == ["• a"]


def test_a_table_is_aligned_without_boxes() -> None:
    source = "| name | value | note |\n|:--|--:|:-:|\n| alpha | 1 | a |\n| 漢字 | 333 | `code` |"
    assert drawn(source) == [
        "name   value  note",
        "─────  ─────  ────",
        "alpha      1   a",
        "漢字     333  code",
    ]


def test_a_narrow_table_wraps_its_widest_cells() -> None:
    source = "| k | text |\n|--|--|\n| a | some words that are long |\n| b | short |"
    assert drawn(source, 20) == ["k  text", "─  " + "─" * 17, "a  some words that", "   are long", "b  short"]


def test_a_table_without_room_is_told_row_by_row() -> None:
    source = "| one | two | three |\n|--|--|--|\n| alpha | beta | gamma |\n| delta | eps | zeta |"
    assert drawn(source, 12) == ["one: alpha", "two: beta", "three: gamma", "", "one: delta", "two: eps", "three: zeta"]


@given(st.lists(st.integers(0, 80), min_size=1, max_size=8), st.integers(10, 200))
def test_columns_fit_and_only_the_widest_give_way(natural: list[int], room: int) -> None:
    widths = fit_columns(natural, room)
    assert sum(widths) <= max(room, 0)
    if sum(natural) <= room:
        assert widths == natural
    else:
        assert sum(widths) == room
        narrowed = [width for width, wanted in zip(widths, natural, strict=True) if width < wanted]
        assert max(widths) - min(narrowed) <= 1


cells = st.lists(st.tuples(st.text(st.sampled_from("ab 漢e\u0301")), st.just(Style())), max_size=2)


@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=4), st.integers(16, 60))
def test_no_row_of_a_table_is_too_wide(rows: list[list[list[tuple[str, Style]]]], width: int) -> None:
    for line in typeset(Table([[[cell] for cell in row] for row in rows], ["left", "center", "right"]), width, PALETTE):
        if line.wide:
            assert sum(cell_len(text) for text, _ in (*line.gutter, *line.runs)) <= width
    assert GAP > 0


def test_every_theme_can_draw_it_all() -> None:
    source = "# a\n- b\n> c\n\n`d` [e](http://f.g)\n\n| h |\n|--|\n| i |\n\n    j\n\n---"
    for theme in BUILTIN_THEMES.values():
        for colour in (True, False):
            palette = palette_for(theme, colour=colour)
            assert lines_of(Piece(lines=source.split("\n")), palette, palette.text, 40)
