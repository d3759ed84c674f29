import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.render.text import LINE_LIMIT, LineReader, Piece
from acp_tui.ui.render.text_splitter import PIECE_LIMIT, TABLE_LIMIT, Splitter
from tests.examples import THOROUGH
from tests.rows import each_of
from tests.unit.ui.render.markdown_texts import DOCUMENTS, chunked


def pieces_of(*chunks: str) -> list[Piece]:
    splitter = Splitter()
    for chunk in chunks:
        splitter.feed(chunk)
    splitter.finish()
    return splitter.pieces


def sources(text: str) -> list[str]:
    return ["\n".join(piece.lines).strip("\n") for piece in pieces_of(text)]


@each_of(
    ("text", "cut"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("- a\n\n- b\n\n  more\n\nend", ["- a\n\n- b\n\n  more", "end"]),
        ("a\n- b\n\n1. c", ["a\n- b\n\n1. c"]),
        ("text\n```py\nx\n\ny\n```\nmore", ["text", "x\n\ny", "more"]),
        ("~~~\n```\n~~~", ["```"]),
        ("````\n```\n````", ["```"]),
        ("``` not `a` fence", ["``` not `a` fence"]),
        ("    code\n\n    code", ["    code\n\n    code"]),
        ("1. a\n   ```\n   x\n     y\n   ```\n   more\n2. b", ["1. a", "x\n  y", "more", "2. b"]),
        ("- ```sh\n  ls\n  ```\n- b", ["-", "ls", "- b"]),
        ("> ```\n> x\n> ```", ["> ```\n> x\n> ```"]),
        ("\n\n\na", ["a"]),
        ("", []),
    ],
)
def test_where_it_cuts(text: str, cut: list[str]) -> None:
    assert sources(text) == cut


@THOROUGH
@given(DOCUMENTS, st.lists(st.integers(0, 600), max_size=10))
def test_the_pieces_do_not_depend_on_the_chunks(text: str, cuts: list[int]) -> None:
    assert pieces_of(*chunked(text, cuts)) == pieces_of(text)


@THOROUGH
@given(DOCUMENTS, st.lists(st.integers(0, 600), max_size=10))
def test_a_piece_that_is_not_the_last_never_changes_again(text: str, cuts: list[int]) -> None:
    splitter = Splitter()
    seen: list[list[str]] = []
    for chunk in chunked(text, cuts):
        splitter.feed(chunk)
        assert [piece.lines for piece in splitter.pieces][: len(seen)] == seen
        seen = [list(piece.lines) for piece in splitter.pieces[:-1]]


def test_a_fence_in_a_list_keeps_its_indentation_and_the_numbers_go_on() -> None:
    pieces = pieces_of("1. a\n   ```\n   x\n   ```\n1. b\n   - c\n     ~~~\n     y\n     ~~~\n   - d\n1. e\n")
    assert [(piece.code, piece.indent, piece.ordinal) for piece in pieces] == [
        (False, 0, None),
        (True, 3, None),
        (False, 0, 2),
        (True, 5, None),
        (False, 3, None),
        (False, 0, 3),
    ]


def test_a_fence_at_the_margin_ends_a_list() -> None:
    pieces = pieces_of("1. a\n\n```\nx\n```\n\n1. b\n")
    assert [piece.ordinal for piece in pieces] == [None, None, None]


@pytest.mark.parametrize("line", ["words and more words\n", "- an item of a list\n", "> a quoted line of text\n"])
def test_a_piece_that_never_ends_is_cut_and_goes_on(line: str) -> None:
    pieces = pieces_of(line * 2_000)
    assert max(piece.size for piece in pieces) < PIECE_LIMIT + 100
    assert sum(len(piece.lines) for piece in pieces) == 2_000
    assert all(piece.joined for piece in pieces[1:])


def test_a_long_table_repeats_its_header() -> None:
    header = ["| a | b |", "|---|---|"]
    pieces = pieces_of("\n".join([*header, *["| cell | cell |"] * 2_000]))
    assert len(pieces) > 2
    assert max(piece.size for piece in pieces) < TABLE_LIMIT + 100
    assert all(piece.lead == header for piece in pieces[1:])


def test_the_header_of_a_table_in_an_item_is_not_repeated_before_items() -> None:
    pieces = pieces_of("1. a | b\n   --- | ---\n   c | d\n" + "1. an item with `e | f` in it\n" * 500)
    assert len(pieces) > 2
    assert not any(piece.lead for piece in pieces)


def test_a_fence_in_a_long_quote_is_opened_again() -> None:
    pieces = pieces_of("> ```py\n" + "> x = 1  # a line of code\n" * 500)
    assert all(piece.lead == ["> ```py"] for piece in pieces[1:])


def test_a_nested_list_without_an_item_at_the_margin_is_cut_too() -> None:
    pieces = pieces_of("- a\n" + "    - nested item with words\n" * 2_000)
    assert max(piece.size for piece in pieces) < 5 * PIECE_LIMIT
    assert pieces[1].indent == 4
    assert pieces[1].lines[0] == "- nested item with words"


def test_a_giant_line_is_not_waited_for() -> None:
    splitter = Splitter()
    for _ in range(10_000):
        splitter.feed("word ")
    assert len(splitter.pieces) > 5
    splitter.finish()
    assert "".join(line for piece in splitter.pieces for line in piece.lines) == "word " * 10_000
    assert [piece.inline for piece in splitter.pieces] == [False] + [True] * (len(splitter.pieces) - 1)


def test_what_may_become_a_fence_is_not_shown_yet() -> None:
    splitter = Splitter()
    splitter.feed("a\n``")
    assert splitter.provisional() is None
    splitter.feed("`python")
    assert splitter.provisional() is None
    splitter.feed("\nx = 1")
    provisional = splitter.provisional()
    assert provisional is not None
    assert provisional[0] == 1
    assert provisional[1].lines == ["x = 1"]


@THOROUGH
@given(st.text(st.sampled_from("ab \r\n")), st.lists(st.integers(0, 60), max_size=8))
def test_lines_do_not_depend_on_the_chunks(text: str, cuts: list[int]) -> None:
    reader = LineReader()
    taken = [line for chunk in chunked(text, cuts) for line, _ in reader.feed(chunk)]
    taken += [line for line, _ in reader.finish()]
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    assert [line for line in taken if line] == [line for line in plain.split("\n") if line]


@THOROUGH
@given(st.integers(0, 9 * LINE_LIMIT), st.integers(1, 5_000))
def test_giant_lines_are_cut_at_the_same_places_however_they_come(length: int, chunk: int) -> None:
    text = ("x" * 700 + " ") * (length // 701) + "\nend"
    whole, parts = LineReader(), LineReader()
    at_once = whole.feed(text) + whole.finish()
    in_parts = [taken for start in range(0, len(text), chunk) for taken in parts.feed(text[start : start + chunk])]
    assert in_parts + parts.finish() == at_once
    assert max(len(line) for line, _ in at_once) <= 2 * LINE_LIMIT
