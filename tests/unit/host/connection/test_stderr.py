from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.connection.agent_process import StderrRing


def ring(*pieces: bytes, cap: int = 100) -> StderrRing:
    made = StderrRing(cap)
    for piece in pieces:
        made.feed(piece)
    return made


def test_the_last_lines_are_told() -> None:
    assert ring(b"one\ntwo\r\nth", b"ree\n").tail(2) == ["two", "three"]


def test_blank_ends_do_not_count() -> None:
    assert ring(b"one\n\n\n").tail(3) == ["one"]


def test_nothing_is_no_lines() -> None:
    assert ring().tail(5) == []
    assert ring(b"\n").tail(5) == []
    assert ring(b"x").tail(0) == []


def test_what_cannot_be_decoded_is_replaced() -> None:
    assert ring(b"\xff\xc3").tail(1) == ["\ufffd\ufffd"]


@given(st.lists(st.binary(max_size=30), max_size=10), st.integers(1, 40))
def test_the_end_is_kept(pieces: list[bytes], cap: int) -> None:
    data, made = b"".join(pieces), ring(*pieces, cap=cap)
    assert made._data == data[-cap:]
