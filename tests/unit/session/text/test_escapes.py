"""What remains of a command's output without its escapes."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.session.text.escapes import MAX_LINE, EscapeStripper, strip_escapes
from tests.examples import THOROUGH
from tests.rows import each_of
from tests.strategies import nasty_texts, texts

PIECES = [
    "\x1b",
    "[",
    "]",
    "P",
    "K",
    "G",
    "0",
    "12",
    ";",
    "m",
    "\r",
    "\b",
    "\n",
    "\t",
    "\x07",
    "\\",
    "\x9b",
    "\x9d",
    "\x9c",
]
OUTPUT = st.lists(st.sampled_from([*PIECES, "a", "日本", "\x00", "\x18", " "]), max_size=40).map("".join)


@each_of(
    ("output", "text"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]52;c;YWJj\x1b\\text", "text"),
        ("\x9dtitle\x9ctext", "text"),
        ("\x1bPdevice\nlines\x1b\\text", "text"),
        ("\x1b(Btext\x1b=", "text"),
        ("\x1b]never ended\nnext", "\nnext"),
        ("a\x00b\x7fc\x85d", "abcd"),
        ("10 %\r20 %\r100 %\n", "100 %\n"),
        ("longer\rxy", "xynger"),
        ("longer\r\x1b[Kxy", "xy"),
        ("longer\x1b[2K\x1b[1Gxy", "xy"),
        ("dos\r\nlines\r\n", "dos\nlines\n"),
        ("abc\b\bX", "aXc"),
        ("\b\bx", "x"),
        ("abc\x1b[2GX", "aXc"),
        ("abc\x1b[999999999999GX", "abcX"),
        ("a\x1b[\nb", "a\nb"),
        ("a\x1b\nb", "a\nb"),
        ("a\x1b[31", "a"),
        ("bar\x1b[?25l", "bar"),
    ],
)
def test_shows_what_a_terminal_would(output: str, text: str) -> None:
    assert strip_escapes(output) == text


@THOROUGH
@given(OUTPUT, st.lists(st.integers(0, 40)))
def test_pieces_may_be_cut_anywhere(output: str, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(output)]
    stripper = EscapeStripper()
    text = "".join(stripper.feed(output[start:end]) for start, end in pairwise(edges))
    assert text + stripper.tail == strip_escapes(output)


@given(OUTPUT | nasty_texts)
def test_nothing_that_controls_remains(output: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", strip_escapes(output))


@given(texts(without=r"\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert strip_escapes(text) == text


def test_stripping_twice_changes_nothing() -> None:
    once = strip_escapes("\x1b[31mred\x1b[0m\rb\n\x1b]0;x\x07")
    assert strip_escapes(once) == once


def test_a_sequence_that_never_ends_holds_no_memory() -> None:
    stripper = EscapeStripper()
    for _ in range(1000):
        stripper.feed("\x1b[" + "0" * 1000)
        stripper.feed("\x1b]" + "x" * 1000)
    assert stripper.feed("\x1b\\text\n") == "text\n"


def test_a_line_without_end_becomes_final() -> None:
    stripper = EscapeStripper()
    given = sum(len(stripper.feed("x" * 100_000)) for _ in range(30))
    assert given > 0
    assert given + len(stripper.tail) == 3_000_000
    assert len(stripper.tail) <= MAX_LINE
