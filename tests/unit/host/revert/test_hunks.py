"""One hunk taken out of bytes, exactly or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.revert.plan import without_hunk
from acp_tui.host.revert.steps import LineSpan
from acp_tui.session.text.line_diff import line_diff, lines_of
from tests.examples import THOROUGH
from tests.rows import each_of


def spans(before: bytes, after: bytes) -> list[LineSpan]:
    return [LineSpan((a, b), (c, d)) for a, b, c, d in line_diff(lines_of(before), lines_of(after)).spans]


@each_of(
    ("before", "after"),
    [
        (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),  # CRLF
        (b"a\r\nb\r\n", b"a\nb\n"),  # only the ends of lines
        (b"a\nb", b"a\nb\n"),  # no newline at the end
        (b"a\nb\n", b"a\nb"),
        (b"\xef\xbb\xbfa\n", b"a\n"),  # the byte order mark
        (b"\xff\xfe\na\n", b"\xff\na\n"),  # not UTF-8
        (b"a\rb\n\x0cc\n", b"a\rB\n\x0cc\n"),  # ends of lines for others
        (b"", b"a\n"),
        (b"a\n", b""),
        (b"a\nb\nc\n", b"a\nc\n"),  # lines that are gone have no lines to be found by
    ],
)
def test_the_only_hunk_gives_the_bytes_before(before: bytes, after: bytes) -> None:
    (span,) = spans(before, after)
    assert without_hunk(before, after, after, span) == before


BEFORE = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"
AFTER = b"ONE\ntwo\nthree\nfour\nmore\nfive\nsix\nseven\neight\n"


def test_one_of_three_hunks_leaves_the_others() -> None:
    first, middle, last = spans(BEFORE, AFTER)
    assert without_hunk(BEFORE, AFTER, AFTER, first) == AFTER.replace(b"ONE", b"one")
    assert without_hunk(BEFORE, AFTER, AFTER, middle) == AFTER.replace(b"more\n", b"")
    assert without_hunk(BEFORE, AFTER, AFTER, last) == AFTER + b"nine\n"


def test_its_place_is_found_where_lines_came_before_it_since() -> None:
    (span,) = spans(b"a\nb\nc\nd\n", b"a\nb\nC\nd\n")
    assert (
        without_hunk(b"a\nb\nc\nd\n", b"a\nb\nC\nd\n", b"new\na\nb\nC\nd\nlast\n", span) == b"new\na\nb\nc\nd\nlast\n"
    )


@pytest.mark.parametrize(
    "now",
    [
        b"a\nb\nX\nd\n",  # its line changed
        b"a\nb\n",  # it is gone
        b"",
        b"a\nb\nC\nd\nand\na\nb\nC\nd\n",  # there twice
    ],
)
def test_where_its_place_cannot_be_told_there_is_nothing(now: bytes) -> None:
    (span,) = spans(b"a\nb\nc\nd\n", b"a\nb\nC\nd\n")
    assert without_hunk(b"a\nb\nc\nd\n", b"a\nb\nC\nd\n", now, span) is None


@pytest.mark.parametrize("more", [0, 10_000])
def test_lines_that_look_the_same_are_told_apart_by_the_other_hunks(more: int) -> None:
    before, after = b"x\n1\n" * (5 + more), b"x\n2\n" * (5 + more)
    found = spans(before, after)
    assert len(found) == 5 + more
    now = b"x\n1\nx\n2\nx\n2\nx\n2\nx\n1\n" + b"x\n2\n" * more
    there = b"x\n1\nx\n2\nx\n1\nx\n2\nx\n1\n" + b"x\n2\n" * more
    assert without_hunk(before, after, now, found[2]) == there


def test_no_two_lines_become_one() -> None:
    span = LineSpan((1, 2), (1, 2))
    assert without_hunk(b"a\nb", b"a\nb\n", b"a\nb\nc\n", span) is None


@pytest.mark.parametrize("span", [LineSpan((0, 9), (0, 1)), LineSpan((0, 1), (5, 2)), LineSpan((-1, 1), (0, 1))])
def test_a_span_of_another_text_gives_nothing(span: LineSpan) -> None:
    assert without_hunk(b"a\n", b"b\n", b"b\n", span) is None


TEXTS = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n", b"\xff\n", b"d\n", b"e\n"]), max_size=12).map(
    b"".join
)
ENDS = st.sampled_from([b"", b"end"])


@THOROUGH
@given(TEXTS, ENDS, TEXTS, ENDS, st.data())
def test_all_hunks_in_any_order_give_the_bytes_before_unless_one_cannot_be_told(
    before: bytes, end: bytes, after: bytes, other_end: bytes, data: st.DataObject
) -> None:
    before, after = before + end, after + other_end
    now: bytes | None = after
    for span in data.draw(st.permutations(spans(before, after))):
        assert now is not None
        if (now := without_hunk(before, after, now, span)) is None:
            return  # refused, which is no wrong byte
    assert now == before
