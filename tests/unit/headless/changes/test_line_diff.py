"""Which lines came in place of which: exact, in order, and no more than needed."""

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.headless.changes.line_diff import COMPARED, changed_spans

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"}\n", b"x = 1\n"]), max_size=30)


@given(LINES, LINES)
def test_what_lies_between_spans_is_the_same_on_both_sides(old: list[bytes], new: list[bytes]) -> None:
    old_at = new_at = 0
    for old_first, old_end, new_first, new_end in changed_spans(old, new):
        assert old[old_at:old_first] == new[new_at:new_first]
        assert (old_first, new_first) != (old_end, new_end)
        assert old_first <= old_end
        assert new_first <= new_end
        assert (old_first, new_first) > (old_at, new_at) or not old_at + new_at, "spans never touch"
        old_at, new_at = old_end, new_end
    assert old[old_at:] == new[new_at:]


def test_of_a_long_text_only_what_changed_is_told() -> None:
    old = [b"%d\n" % number for number in range(50_000)]
    new = [b"first\n", *old[1:20_000], *old[20_002:49_999], b"last"]
    assert list(changed_spans(old, new)) == [
        (0, 1, 0, 1),
        (20_000, 20_002, 20_000, 20_000),
        (49_999, 50_000, 49_997, 49_998),
    ]


def test_long_pieces_without_a_line_of_their_own_are_replaced_whole() -> None:
    old = [b"a\n", b"b\n"] * COMPARED
    new = [b"b\n", b"c\n"] * COMPARED
    assert list(changed_spans(old, new)) == [(0, 2 * COMPARED, 0, 2 * COMPARED)]
