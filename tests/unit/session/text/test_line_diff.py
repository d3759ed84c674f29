"""Which lines differ: exact, in order, as few as can be, the same for bytes and text, and bounded in steps."""

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.session.text import line_diff as module
from acp_tui.session.text.line_diff import Span, count_lines, line_diff, lines_of, lines_of_text, unified
from tests.examples import THOROUGH
from tests.rows import each_of

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "}\n", "x = 1\n"]), max_size=30)


def applied(spans: Sequence[Span], old: Sequence[str], new: Sequence[str]) -> list[str]:
    lines = list(old)
    for first, end, new_first, new_end in reversed(spans):
        lines[first:end] = new[new_first:new_end]
    return lines


def most_that_stay(old: Sequence[str], new: Sequence[str]) -> int:
    row = [0] * (len(new) + 1)
    for line in old:
        above = row[:]
        for at, other in enumerate(new):
            row[at + 1] = above[at] + 1 if line == other else max(above[at + 1], row[at])
    return row[-1]


@THOROUGH
@given(old=LINES, new=LINES, steps=st.sampled_from([module.STEPS, 200, 20, 0]))
def test_spans_applied_to_the_old_text_give_the_new_one(old: list[str], new: list[str], steps: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "STEPS", steps)
        patch.setattr(module, "STEPS_EACH", 0)
        spans, coarse = line_diff(old, new)
        assert line_diff([line.encode() for line in old], [line.encode() for line in new]) == (spans, coarse)
    assert applied(spans, old, new) == new
    assert all(first < end or new_first < new_end for first, end, new_first, new_end in spans)
    assert all(one[1] < other[0] and one[3] < other[2] for one, other in pairwise(spans)), "spans never touch"
    if steps == module.STEPS:
        assert not coarse
        assert len(old) - line_diff(old, new).removed == most_that_stay(old, new)


def test_as_many_lines_stay_as_can() -> None:
    assert line_diff(["c", "return x", "a"], ["a", "return x", "c", "return x"]).spans == [(0, 0, 0, 2), (2, 3, 4, 4)]


@each_of(
    ("old", "new", "span"),
    [
        ("a,,def f,1,,def g,2", "a,,def f,1,,def n,3,,def g,2", (5, 5, 5, 8)),
        ("a,,def f,1,,def g,2", "a,,def g,2", (2, 5, 2, 2)),
        ("a,a,a", "a,a,a,a", (3, 3, 3, 4)),
    ],
)
def test_what_only_came_or_went_stands_as_far_down_as_it_can(old: str, new: str, span: Span) -> None:
    """Also below another change, where the ends are not looked at first."""
    before, after = old.split(","), new.split(",")
    assert line_diff(before, after).spans == [span]
    below = tuple(at + 2 for at in span)
    assert line_diff(["one", "same", *before], ["1", "same", *after]).spans == [(0, 1, 0, 1), below]


def test_of_a_long_text_only_what_changed_is_told() -> None:
    old = [b"%d\n" % number for number in range(50_000)]
    new = [b"first\n", *old[1:20_000], *old[20_002:49_999], b"last"]
    assert line_diff(old, new) == (
        [(0, 1, 0, 1), (20_000, 20_002, 20_000, 20_000), (49_999, 50_000, 49_997, 49_998)],
        False,
    )


class Counting(list[int]):
    """Numbers that count how often one is read."""

    reads = 0

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        Counting.reads += 1
        return super().__getitem__(at)


NUMBERS = range(4_000)
SHUFFLED = random.Random(1).sample(NUMBERS, len(NUMBERS))
FEW = random.Random(2).choices(range(5), k=8_000)
MIXED = [random.Random(seed).choices(range(2), k=200) for seed in range(4)]


def nested(lines: Sequence[int], step: int) -> list[int]:
    """Lines below one that each side has once; among them there is another one, for its like is above; and so on."""
    for own in range(1_019, 999, -1):
        lines = [*range(own + 1, 1_020)[::step], own, *lines]
    return list(lines)


PAIRS: dict[str, tuple[Sequence[int], Sequence[int], bool]] = {
    "all equal": ([1] * 4_000, [1] * 3_999 + [2], False),
    "all different": (NUMBERS, [-number - 1 for number in NUMBERS], False),
    "shuffled": (NUMBERS, SHUFFLED, False),
    "reversed": (NUMBERS, NUMBERS[::-1], False),
    "moved": ([*NUMBERS[1_500:], *NUMBERS[:1_500]], NUMBERS, False),
    "repeated": (FEW[:4_000], FEW[4_000:], True),
    "in turn": ([0, 1] * 2_000, [1, 2] * 2_000, False),
    "one run that each way passes": ([*MIXED[0], *[2] * 3_800, *MIXED[1]], [*MIXED[2], *[2] * 3_800, *MIXED[3]], True),
    "cut again and again": (nested(FEW[:3_000], 1), nested(FEW[3_000:6_000], -1), True),
    "few among many": ([1, 0], [0, 1] * 250, False),
    "moved with lines like others": (
        [each for number in NUMBERS for each in (number, -1)],
        [each for number in SHUFFLED for each in (number, -1)],
        True,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_steps_are_bounded_whatever_the_lines_are(name: str) -> None:
    old, new, coarse = PAIRS[name]
    seen = 0
    search = module._fewest_edits

    def counted(one: Sequence[int], other: Sequence[int], limit: int) -> object:
        nonlocal seen
        seen += len(one) + len(other)
        return search(Counting(one), Counting(other), limit)

    Counting.reads = 0
    bound = 5_000 + module.STEPS_EACH * (len(old) + len(new))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "STEPS", 5_000)
        patch.setattr(module, "_fewest_edits", counted)
        diff = line_diff(old, new)
    lines = [str(number) for number in old], [str(number) for number in new]
    assert applied(diff.spans, *lines) == lines[1]
    assert diff.coarse == coarse
    assert Counting.reads <= 2 * (bound + len(old)), "two for each step, and one walk more than was left"
    assert seen <= bound


@each_of(
    ("old", "new", "head"),
    [
        ("", "a\n", "-0,0 +1"),
        ("a\n", "", "-1 +0,0"),
        ("a\nb\n", "a\nc\nd\n", "-1,2 +1,3"),
        ("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n6\n", "-3,3 +3,4"),
    ],
)
def test_the_head_of_a_hunk_counts_as_git_does(old: str, new: str, head: str) -> None:
    before, after = lines_of_text(old), lines_of_text(new)
    assert next(unified(before, after, line_diff(before, after).spans)) == f"@@ {head} @@\n"


@given(st.text(st.sampled_from("ab\r\n\x0b\x0c\x1c\x85\u2028")))
def test_lines_end_with_a_line_feed_and_nothing_else(text: str) -> None:
    lines = lines_of(text.encode())
    assert b"".join(lines) == text.encode()
    assert all(line.endswith(b"\n") for line in lines[:-1])
    assert [line.encode() for line in lines_of_text(text)] == lines
    assert count_lines(b"", text.encode()) == (len(lines), 0)
