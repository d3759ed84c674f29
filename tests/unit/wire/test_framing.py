from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.wire.framing import Line, LineFramer, OversizedLine


def cut(pieces: list[bytes], cap: int = 1000) -> list[Line]:
    framer = LineFramer(cap)
    lines = [line for piece in pieces for line in framer.feed(piece)]
    return lines + framer.finish()


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a\n", [b"a"]),
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"\n\r\n  \n\t\r\na\n", [b"a"]),
        (b"a\nrest", [b"a", b"rest"]),
        (b"a\rb\n", [b"a\rb"]),
    ],
)
def test_lines_are_cut_at_newlines(data: bytes, lines: list[bytes]) -> None:
    assert cut([data]) == lines


def test_a_line_is_not_given_before_its_newline() -> None:
    framer = LineFramer()
    assert framer.feed(b'{"a":') == []
    assert framer.feed(b"1}") == []
    assert framer.feed(b"\n") == [b'{"a":1}']
    assert framer.finish() == []


@pytest.mark.parametrize("step", [1, 3, 7, 100])
def test_a_line_over_the_cap_is_dropped_and_the_next_one_lives(step: int) -> None:
    data = b"x" * 50 + b"\nnext\n"
    pieces = [data[start : start + step] for start in range(0, len(data), step)]
    assert cut(pieces, cap=20) == [OversizedLine(50), b"next"]


def test_a_line_of_exactly_the_cap_lives() -> None:
    assert cut([b"x" * 20 + b"\n"], cap=20) == [b"x" * 20]


def test_a_line_over_the_cap_at_the_end_of_file_is_told() -> None:
    assert cut([b"x" * 15, b"x" * 15], cap=20) == [OversizedLine(30)]


def test_a_line_over_the_cap_is_not_held_in_memory() -> None:
    framer = LineFramer(cap=10)
    for _ in range(100):
        framer.feed(b"x" * 10)
    assert framer._pieces == []


LINES = st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"").replace(b"\r", b"")), max_size=8)


@given(LINES, st.lists(st.integers(0, 250), max_size=6))
def test_any_split_of_the_same_bytes_gives_the_same_lines(lines: list[bytes], cuts: list[int]) -> None:
    data = b"\n".join(lines)
    places = sorted({0, len(data), *(place for place in cuts if place < len(data))})
    pieces = [data[start:end] for start, end in pairwise(places)]
    assert cut(pieces, cap=20) == cut([data], cap=20)
    assert [line for line in cut(pieces) if isinstance(line, bytes)] == [line for line in lines if line.strip()]


def test_a_big_line_costs_no_copy_for_each_of_its_pieces() -> None:
    framer, piece = LineFramer(), b"x" * 65536
    for _ in range(100):
        framer.feed(piece)
    assert all(held is piece for held in framer._pieces)
