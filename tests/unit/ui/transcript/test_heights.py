"""Heights against a plain list."""

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.transcript.layout import Heights

HEIGHT = st.integers(0, 9)
ACT = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 99), HEIGHT),
    st.tuples(st.just("set"), st.integers(0, 99), HEIGHT),
    st.tuples(st.just("truncate"), st.integers(0, 99), HEIGHT),
)


def at(plain: list[int], row: int) -> tuple[int, int]:
    for index, height in enumerate(plain):
        if row < height:
            return index, row
        row -= height
    return len(plain), row


@given(st.lists(HEIGHT, max_size=40), st.lists(ACT, max_size=40))
def test_it_answers_as_a_plain_list_would(start: list[int], acts: list[tuple[str, int, int]]) -> None:
    plain, heights = list(start), Heights(start)
    for name, index, height in acts:
        if name == "append":
            plain.append(height)
            heights.append(height)
        elif name == "set" and plain:
            plain[index % len(plain)] = height
            heights.set(index % len(plain), height)
        elif name == "truncate":
            count = index % (len(plain) + 1)
            del plain[count:]
            heights.truncate(count)
    assert [heights[i] for i in range(len(heights))] == plain
    assert heights.total == sum(plain)
    assert [heights.before(i) for i in range(len(plain) + 1)] == [sum(plain[:i]) for i in range(len(plain) + 1)]
    assert [heights.at(row) for row in range(sum(plain) + 3)] == [at(plain, row) for row in range(sum(plain) + 3)]


def test_a_row_is_never_found_in_something_without_height() -> None:
    assert Heights((0, 0, 2, 0, 1)).at(0) == (2, 0)
    assert Heights((0, 0, 2, 0, 1)).at(2) == (4, 0)
