"""What each key deletes, and how deletions come back."""

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.kit.line_editor import MOST, KillRing, LabelledText, Region, span
from tests.rows import each_of

REGIONS: tuple[Region, ...] = ("to_space", "word_left", "word_right", "line_left", "line_right")


@each_of(
    ("region", "before", "after", "taken"),
    [
        ("to_space", "git add src/a.py", "", "src/a.py"),
        ("to_space", "git add src/a.py  ", "x", "src/a.py  "),
        ("word_left", "git add src/a.py", "", "py"),
        ("word_left", "one two, ", "x", "two, "),
        ("word_left", "snake_case", "", "snake_case"),
        ("word_left", "one\n", "two", "one\n"),
        ("word_right", "one", " two three", " two"),
        ("word_right", "one", "...", "..."),
        ("line_left", "one\ntwo", "x", "two"),
        ("line_left", "one\n", "two", "\n"),
        ("line_right", "one", "two\nthree", "two"),
        ("line_right", "one", "\ntwo", "\n"),
        ("line_right", "one", "", ""),
        ("line_left", "", "one", ""),
        ("word_left", "", "one", ""),
    ],
)
def test_a_region(region: Region, before: str, after: str, taken: str) -> None:
    text = before + after
    start, end = span(text, len(before), region)
    assert text[start:end] == taken


@given(st.text("ab_ \n./é", max_size=20), st.data(), st.sampled_from(REGIONS))
def test_a_region_is_beside_the_cursor_and_in_the_text(text: str, data: st.DataObject, region: Region) -> None:
    at = data.draw(st.integers(0, len(text)))
    start, end = span(text, at, region)
    assert 0 <= start <= end <= len(text)
    assert at == (start if region.endswith("_right") else end)
    anything_there = at < len(text) if region.endswith("_right") else at > 0
    assert (start < end) is anything_there


def kill(ring: KillRing, text: str, found: str = "", left: str = "", *, backward: bool = False) -> None:
    ring.kill(LabelledText(text), found or object(), left or object(), backward=backward)


def test_the_newest_is_yanked_and_then_the_older_ones_in_a_circle() -> None:
    ring = KillRing()
    for text in ("one", "two", "three"):
        kill(ring, text)
    assert ring.yank() == LabelledText("three")
    assert [ring.older() for _ in range(4)] == [
        LabelledText("two"),
        LabelledText("one"),
        LabelledText("three"),
        LabelledText("two"),
    ]
    assert ring.yank() == LabelledText("three")


def test_deletions_one_after_the_other_are_one_in_the_order_in_which_they_stood() -> None:
    ring = KillRing()
    kill(ring, "two ", left="a", backward=True)
    kill(ring, "one ", found="a", left="b", backward=True)
    kill(ring, "three", found="b", left="c")
    assert ring.yank() == LabelledText("one two three")
    kill(ring, "other", found="somewhere else")
    assert ring.yank() == LabelledText("other")
    assert ring.older() == LabelledText("one two three")


def test_joined_pieces_keep_what_their_labels_stand_for() -> None:
    assert LabelledText("[a]", {"[a]": "x"}) + LabelledText("[b]", {"[b]": "y"}) == LabelledText(
        "[a][b]", {"[a]": "x", "[b]": "y"}
    )


def test_an_empty_ring_gives_nothing_and_a_full_one_forgets_the_oldest() -> None:
    ring = KillRing()
    assert ring.yank() is None
    assert ring.older() is None
    for number in range(MOST + 1):
        kill(ring, str(number))
    ring.yank()
    assert [ring.older() for _ in range(MOST)][-2:] == [LabelledText("1"), LabelledText(str(MOST))]
