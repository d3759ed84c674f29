"""Terminal bytes to lines: colours kept, sequences swallowed, any chunking the same."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.render.ansi import MAX_COLUMNS, MAX_LINES, PLAIN, TRUE_COLOUR, Line, LineEmulator, Pen
from tests.examples import THOROUGH
from tests.rows import each_of


def emulate(*chunks: bytes, max_lines: int = 1000) -> LineEmulator:
    emulator = LineEmulator(max_lines)
    for chunk in chunks:
        emulator.feed(chunk)
    return emulator


def lines(*chunks: bytes) -> list[str]:
    return [text_of(line) for line in emulate(*chunks).tail(MAX_LINES)]


def text_of(line: Line) -> str:
    return "".join(text for text, _ in line)


@each_of(
    ("data", "expected"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"one\n\n\ntwo", ["one", "", "", "two"]),
        (b"abc\rX", ["Xbc"]),
        (b"abc\b\bX", ["aXc"]),
        (b"\b\bX", ["X"]),
        (b"a\tb", ["a       b"]),
        (b"12345678\tb", ["12345678        b"]),
        (b"abc\r\tX", ["abc     X"]),
        (b"100%\r\x1b[K50%", ["50%"]),
        (b"abcdef\x1b[3D\x1b[K!", ["abc!"]),
        (b"abcdef\x1b[3D\x1b[1KX", ["   Xef"]),
        (b"abc\x1b[2KX", ["   X"]),
        (b"abc\x1b[1GX", ["Xbc"]),
        (b"a\x1b[3CX", ["a   X"]),
        ("漢字\rX".encode(), ["X 字"]),
        ("漢字\x1b[2GX".encode(), [" X字"]),
        ("a\u0301b\rX".encode(), ["Xb"]),
        ("abc\r\u6f22".encode(), ["漢c"]),
    ],
)
def test_a_line_is_written_and_written_over(data: bytes, expected: list[str]) -> None:
    assert lines(data) == expected


@each_of(
    "sequence",
    [
        "\x1b[2J",
        "\x1b[?1049h",
        "\x1b[10;20H",
        "\x1b[6n",
        "\x1b[>4;2m",
        "\x1b[!p",
        "\x1b]0;title\x07",
        "\x1b]0;title\x1b\\",
        "\x1b]52;c;ZXZpbA==\x07",
        "\x1b]8;;http://x\x1b\\",
        "\x1bPq#0;2\x1b\\",
        "\x1b_Gf=100;AAAA\x1b\\",
        "\x1b^private\x1b\\",
        "\x1bXstart of string\x1b\\",
        "\x1b(B",
        "\x1b)0",
        "\x1b#8",
        "\x1bc",
        "\x1b7",
        "\x1b=",
        "\x9b2J",
        "\x9d0;title\x9c",
        "\x90q\x9c",
        "\x85",
        "\x00",
        "\x07",
        "\x0b",
        "\x7f",
    ],
)
def test_every_other_sequence_is_swallowed(sequence: str) -> None:
    assert lines(f"a{sequence}b\n".encode()) == ["ab"]


@pytest.mark.parametrize("opened", ["\x1b]0;never closed", "\x1bPq never closed", "\x1b[12", "\x1b", "\x9d52;c;x"])
def test_what_never_ends_hides_no_more_than_its_line(opened: str) -> None:
    assert lines(f"a{opened}".encode(), b"\nnext") == ["a", "next"]


def test_a_sequence_without_end_costs_no_memory() -> None:
    emulator = emulate(*[b"\x1b[" + b"1;" * 50_000], *[b"1;" * 50_000] * 3, b"mend\n")
    assert [text_of(line) for line in emulator.tail(MAX_LINES)] == ["end"]
    assert emulator.tail(MAX_LINES)[0][0][1] == PLAIN


@each_of(
    ("parameters", "pen"),
    [
        ("31", Pen(foreground=1)),
        ("97", Pen(foreground=15)),
        ("44", Pen(background=4)),
        ("100", Pen(background=8)),
        ("1;3;4", Pen(bold=True, italic=True, underline=True)),
        ("2;7;9", Pen(dim=True, inverse=True, strike=True)),
        ("1;22", PLAIN),
        ("3;23;4;24;7;27;9;29", PLAIN),
        ("38;5;208", Pen(foreground=208)),
        ("48;2;1;2;3", Pen(background=TRUE_COLOUR | 0x010203)),
        ("38:2::1:2:3", Pen(foreground=TRUE_COLOUR | 0x010203)),
        ("38:2:1:2:3", Pen(foreground=TRUE_COLOUR | 0x010203)),
        ("38:5:9;1", Pen(foreground=9, bold=True)),
        ("38;5;999;1", Pen(bold=True)),
        ("38;2;1;2", PLAIN),
        ("38", PLAIN),
        ("58;5;1;31", Pen(foreground=1)),
        ("4:3", Pen(underline=True)),
        ("4;4:0", PLAIN),
        ("31;39;41;49", PLAIN),
        ("31;", PLAIN),
        ("31;0", PLAIN),
        ("", PLAIN),
        ("123456789", PLAIN),
    ],
)
def test_colours_and_attributes_are_kept(parameters: str, pen: Pen) -> None:
    assert emulate(f"\x1b[{parameters}mx".encode()).tail(MAX_LINES) == [[("x", pen)]]


def test_a_pen_lasts_over_lines_and_runs_are_joined() -> None:
    red = Pen(foreground=1)
    assert emulate(b"a\x1b[31mb\x1b[31mc\nd\x1b[me").tail(MAX_LINES) == [
        [("a", PLAIN), ("bc", red)],
        [("d", red), ("e", PLAIN)],
    ]


def test_old_lines_go_and_are_counted() -> None:
    emulator = emulate(b"".join(b"%d\n" % number for number in range(25)), b"open", max_lines=10)
    assert [text_of(line) for line in emulator.tail(MAX_LINES)] == [*map(str, range(16, 25)), "open"]
    assert emulator.dropped == 16
    assert emulator.total == 26


def test_lines_are_found_by_their_number() -> None:
    emulator = emulate(b"a\nb\nc\nd", max_lines=3)
    assert [text_of(line) for line in emulator.slice(0, 3)] == ["b", "c"]
    assert [text_of(line) for line in emulator.slice(3, 9)] == ["d"]
    assert [text_of(line) for line in emulator.tail(2)] == ["c", "d"]


def test_a_line_that_is_too_long_says_what_was_cut() -> None:
    (line,) = emulate(b"x" * (MAX_COLUMNS + 1234)).tail(MAX_LINES)
    assert text_of(line) == "x" * MAX_COLUMNS + " … 1,234 more columns"


CONTROLS = (
    "\n \r \r\n \t \b \x1b[31m \x1b[0m \x1b[K \x1b[1K \x1b[2K \x1b[3D \x1b]0;t \x07 \x1b\\ \x1b \x9b [ m \x9c \x1b("
)
WIDE = "\x1b[1; 漢 e\u0301 \u202e \u2028 😀 ü"
TERMINAL_TEXT = st.lists(
    st.one_of(
        st.sampled_from([*CONTROLS.split(" "), *WIDE.split(" ")]),
        st.text(max_size=6),
        st.text("abc ", max_size=20),
    ),
    max_size=30,
).map("".join)


@THOROUGH
@given(text=TERMINAL_TEXT, noise=st.binary(max_size=8), data=st.data())
def test_any_chunking_gives_the_same_lines(text: str, noise: bytes, data: st.DataObject) -> None:
    raw = text.encode("utf-8", "replace") + noise + text[:5].encode("utf-8", "replace")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    chunks = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert emulate(*chunks).tail(MAX_LINES) == emulate(raw).tail(MAX_LINES)


@given(raw=st.one_of(st.binary(max_size=200), TERMINAL_TEXT.map(lambda text: text.encode("utf-8", "replace"))))
def test_nothing_but_text_comes_out(raw: bytes) -> None:
    for line in emulate(raw).tail(MAX_LINES):
        for character in text_of(line):
            assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
            assert character not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
