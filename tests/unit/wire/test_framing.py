from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.wire.jsonrpc import HEAD_SIZE, Line, LineFramer, OversizedLine, ValueCount
from tests.examples import THOROUGH
from tests.rows import each_of


def cut(pieces: list[bytes], cap: int = 1000, values_cap: int | None = None) -> list[Line]:
    framer = LineFramer(cap, values_cap)
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
    assert cut(pieces, cap=20) == [OversizedLine(50, b"x" * 50, "more than 20 bytes"), b"next"]


def test_a_line_of_exactly_the_cap_lives() -> None:
    assert cut([b"x" * 20 + b"\n"], cap=20) == [b"x" * 20]


def test_a_line_over_the_cap_at_the_end_of_file_is_told() -> None:
    assert cut([b"x" * 15, b"x" * 15], cap=20) == [OversizedLine(30, b"x" * 30, "more than 20 bytes")]


@pytest.mark.parametrize(("piece", "values_cap"), [(b"x" * 10, None), (b"[],", 10)])
def test_of_a_refused_line_its_beginning_is_held(piece: bytes, values_cap: int | None) -> None:
    framer = LineFramer(cap=len(piece) if values_cap is None else 10_000, values_cap=values_cap)
    for _ in range(1000):
        framer.feed(piece)
    assert framer._pieces == [(piece * 1000)[:HEAD_SIZE]]


@each_of(
    ("line", "passes"),
    [
        (b"[" + b"0," * 8 + b"0]", True),
        (b"[" + b"0," * 9 + b"0]", True),
        (b"[" + b"0," * 10 + b"0]", False),
        (b"[" + b"[]," * 5 + b"0]", False),
        (b"[" * 11 + b"]" * 11, False),
        (b'["' + b"[,{" * 300 + b'"]', True),
        (b'["' + b'\\",[' * 5 + b'"]', True),
        (b'["' + b"\\\\" * 50 + b'","' + b",[" * 50 + b'"]', True),
        (b"[" + b"1" * 198 + b"]", True),
        (b"[" + b"1" * 250 + b"]", False),
        (b'"' * 250, False),
    ],
)
def test_a_line_with_more_values_than_the_cap_is_refused_and_the_next_one_lives(line: bytes, passes: bool) -> None:
    refused = OversizedLine(len(line), line[:HEAD_SIZE], "more than 10 values")
    for step in (1, 2, 3, 7, 1000):
        data = line + b"\nnext\n"
        pieces = [data[start : start + step] for start in range(0, len(data), step)]
        assert cut(pieces, 10_000, 10) == [line if passes else refused, b"next"]


def test_a_line_as_long_as_the_cap_of_values_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ValueCount, "feed", None)
    assert cut([b"[" * 6, b"[" * 4, b"\n", b"[" * 10 + b"\n" + b"[" * 10], 1000, 10) == [b"[" * 10] * 3


LINES = st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"").replace(b"\r", b"")), max_size=8)


@THOROUGH
@given(LINES, st.lists(st.integers(0, 250), max_size=6))
def test_any_split_of_the_same_bytes_gives_the_same_lines(lines: list[bytes], cuts: list[int]) -> None:
    data = b"\n".join(lines)
    places = sorted({0, len(data), *(place for place in cuts if place < len(data))})
    pieces = [data[start:end] for start, end in pairwise(places)]
    assert cut(pieces, cap=20) == cut([data], cap=20)
    assert [line for line in cut(pieces) if isinstance(line, bytes)] == [line for line in lines if line.strip()]


@THOROUGH
@given(st.lists(st.text('a"\\\n[{,1', max_size=80), max_size=4), st.lists(st.integers(0, 300), max_size=6))
def test_any_split_of_the_same_bytes_gives_the_same_verdict(lines: list[str], cuts: list[int]) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    places = sorted({0, len(data), *(place for place in cuts if place < len(data))})
    pieces = [data[start:end] for start, end in pairwise(places)]
    assert cut(pieces, 60, 5) == cut([data], 60, 5)


def test_a_big_line_costs_no_copy_for_each_of_its_pieces() -> None:
    framer, piece = LineFramer(), b"x" * 65536
    framer.feed(b'"')
    for _ in range(100):
        framer.feed(piece)
    assert [held is piece for held in framer._pieces] == [False, *[True] * 100]
