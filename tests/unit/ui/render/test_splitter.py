"""What is cut block by block is cut as line by line."""

from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.ui.render import text_splitter as splitter
from acp_tui.ui.render.text import Lines, Piece, stretch
from acp_tui.ui.render.text_splitter import LineSplitter, Splitter
from tests.examples import THOROUGH
from tests.unit.ui.render.markdown_texts import DOCUMENTS, LINES

COMMON = [
    *["", "", "", "words", "**bold** words", "`code` first", "# Heading", "a | b", "漢字", "==="],
    *["- item", "- `code`", "* item", "-", "- - a", "- ```", "1. one", "2. two", "0. none", "9) nine", "10. ten"],
    *["```", "```py", "  ```", "    ```", "````", "~~~", "x = 1", "    four", "  two", "\ttab", " ", "\u00a0"],
    *[
        "> quote",
        "> ```",
        "| a | b |",
        "|---|---|",
        "---",
        "--|--",
        ":-|",
        "\r",
        "x\r\r",
        "|---|---|\r\r",
        "⚠\ufe0f odd",
        "\x1b[1mbold",
        "word " * 9,
    ],
]
TEXTS = st.one_of(st.lists(st.one_of(st.sampled_from(COMMON), LINES), max_size=30).map("\n".join), DOCUMENTS)


def cut(kind: type[LineSplitter], *chunks: str) -> list[Piece]:
    cutter = kind()
    for chunk in chunks:
        cutter.feed(chunk)
    cutter.finish()
    return cutter.pieces


@THOROUGH
@example("words\n\n````\n```\n````\nwords\n\n", 30)
@example("a | b\n```\nx\n```\n--- | ---\n\n", 30)
@example("| a | b |\r\r\n|---|---|\r\r\n| 1 | 2 |\r\r\n", 30)
@given(TEXTS, st.sampled_from([8, 30, splitter.STRETCH]))
def test_blocks_are_cut_as_their_lines_are(text: str, stretched: int) -> None:
    with mock.patch.object(splitter, "STRETCH", stretched):
        assert cut(Splitter, text) == cut(LineSplitter, text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("words\nmore\n\n", 1),
        ("# Heading\n\n", 1),
        ("- **a**\n- b\n\n", 1),
        ("1. a\n2. b\n\n", 1),
        ("```py\nx = 1\n\ny = 2\n```\n\n\n2 words\n\n", 2),
        ("| a | b |\n|---|---|\n| c | d |\n\n> quote\n\n", 2),
        ("words \u2013 caf\u00e9 \u6f22\u5b57\r\n\r\n- a\r\n\r\n", 2),
    ],
)
def test_what_is_common_is_not_copied(text: str, count: int) -> None:
    pieces = cut(Splitter, text)
    assert [type(piece.lines) for piece in pieces] == [Lines] * count


def test_a_line_that_is_added_later_is_one_of_the_piece() -> None:
    assert cut(Splitter, "words\n\n", "\n    code\n")[0].lines == ["words", "", "", "    code"]


def test_the_numbers_of_a_list_go_on_after_a_block() -> None:
    assert [piece.ordinal for piece in cut(Splitter, "7. a\n8. b\n\n9. c\n   ```\n   x\n   ```\n9. d\n")] == [
        None,
        None,
        10,
    ]


def test_lines_that_had_to_change_are_a_text_of_their_own() -> None:
    assert stretch("a\nb\nc\n", 2, 4) == ("a\nb\nc\n", 2, 4)
    assert stretch("a\n\u200bb\r\n", 2, 6) == ("b\n", 0, 2)
    assert stretch("a\r\x1b[0m\n", 0, 7) is None
    assert stretch("a\r\r\n", 0, 4) is None
    assert stretch("x" * 6001 + "\n", 0, 6002) is None
    assert stretch("x" * 6000 + "\n", 0, 6001) is not None
