"""Where commented lines are once the text around them has changed."""

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.changes.comments import CommentAnchor, moved

LINES = st.lists(st.sampled_from(["", "}", "a()", "b()", "return 1", "    pass"]), max_size=25)
SPOT = st.integers(0, 10_000)


def told(lines: list[str], start: int, end: int) -> CommentAnchor:
    """What is kept of the lines from `start` to before `end`."""
    return CommentAnchor(start + 1, lines[start:end], lines[max(0, start - 3) : start], lines[end : end + 3])


@given(above=LINES, own=st.lists(st.integers(0, 9), min_size=1, max_size=3), below=LINES, more=LINES, less=SPOT)
def test_lines_put_in_and_taken_out_elsewhere_move_them(
    above: list[str], own: list[int], below: list[str], more: list[str], less: int
) -> None:
    quote = [f"mine {number} {at}" for at, number in enumerate(own)]
    before = [*above, *quote, *below]
    anchor = told(before, len(above), len(above) + len(quote))
    kept = above[: less % (len(above) + 1)]
    now = [*more, *kept, *quote, *more, *below]
    assert moved(anchor, before, now) == len(more) + len(kept) + 1
    assert moved(anchor, None, now) in (None, len(more) + len(kept) + 1)


@given(above=LINES, below=LINES, more=LINES)
def test_without_the_text_before_a_line_like_no_other_is_found(
    above: list[str], below: list[str], more: list[str]
) -> None:
    before = [*above, "unlike = 1", *below]
    anchor = told(before, len(above), len(above) + 1)
    assert moved(anchor, None, [*more, *above, "unlike = 1", *below]) == len(more) + len(above) + 1


@given(above=LINES, below=LINES, more=LINES, whole=st.booleans())
def test_an_edited_line_is_gone(above: list[str], below: list[str], more: list[str], whole: bool) -> None:
    before = [*above, "unlike = 1", *below]
    anchor = told(before, len(above), len(above) + 1)
    assert moved(anchor, before if whole else None, [*more, *above, "unlike = 2", *below]) is None


@given(before=LINES.filter(bool), now=LINES, start=SPOT, length=st.integers(1, 4), whole=st.booleans())
def test_what_is_found_are_the_same_lines(
    before: list[str],
    now: list[str],
    start: int,
    length: int,
    whole: bool,
) -> None:
    start %= len(before)
    anchor = told(before, start, min(len(before), start + length))
    found = moved(anchor, before if whole else None, now)
    if found is not None:
        assert now[found - 1 : found - 1 + len(anchor.lines)] == list(anchor.lines)
    assert moved(anchor, before, before) == start + 1


def test_an_equal_line_with_other_neighbours_is_not_taken_for_it() -> None:
    before = ["if a:", "    a()", "}", "if b:", "    b()", "}"]
    now = ["if a:", "    a()", "if b:", "    b()", "}"]
    assert moved(told(before, 2, 3), before, now) is None


def test_lines_that_were_cut_out_and_put_in_elsewhere_are_found_by_their_neighbours() -> None:
    moved_block = ["def one():", "    return 1", ""]
    rest = [f"line {number}" for number in range(20)]
    assert moved(told([*moved_block, *rest], 1, 2), [*moved_block, *rest], [*rest, *moved_block]) == 22


def test_a_line_between_two_others_that_only_brackets_tell_is_not_guessed() -> None:
    assert moved(CommentAnchor(9, ["}"]), None, ["a", "}", "b"]) is None


def test_no_lines_are_nowhere() -> None:
    assert moved(CommentAnchor(1, []), None, ["a"]) is None
