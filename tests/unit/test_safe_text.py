"""Foreign text made safe: in lines, in names, in quotes, in fields, as a stream."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.safe_text import MARKS_AT_MOST, NO_CELL, REPLACEMENT, SafeText, in_place, named, one_line, quoted, sanitise
from tests.examples import THOROUGH
from tests.rows import each_of
from tests.strategies import ONE_OF_EACH, TOWER, UNSAFE, nasty_texts, texts

# Default_Ignorable_Code_Point of Unicode 16, from DerivedCoreProperties.txt.
IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip


def stream(*pieces: str) -> str:
    safe = SafeText()
    return "".join(map(safe.feed, pieces)) + safe.feed("", final=True)


@each_of(
    ("pieces", "shown"),
    [
        (("plain – ✓\n\ttext",), "plain – ✓\n\ttext"),
        (("\x1b[31mred\x1b[0m",), "red"),
        (("a\x1b[3", "1mred\x1b", "[0mb"), "aredb"),
        (("a\x1b]52;c;aGk=\x07b",), "ab"),
        (("a\x1b]0;title\x1b\\b",), "ab"),
        (("a\x1b]0;ti", "tle\x1b", "\\b"), "ab"),
        (("a\x9b2Jb", "\x9d0;x\x9c!"), "ab!"),
        (("a\x1bcb\x1b7",), "ab"),
        (("\x1b(0lqk\x1b(B",), "lqk"),
        (("a\rb\x08c\x00d\x7fe",), "ab␈c␀d␡e"),
        (("a\r", "\nb"), "a\nb"),
        (("a\u202eb\u2066c\u200fd",), "a\ufffdb\ufffdcd"),
        (("a\ud800b",), "a\ufffdb"),
        (("end\x1b[",), "end␛["),
    ],
)
def test_nothing_that_a_terminal_would_obey_gets_through(pieces: tuple[str, ...], shown: str) -> None:
    assert stream(*pieces) == shown


def test_an_escape_that_never_ends_holds_nothing_back_for_ever() -> None:
    assert SafeText().feed("\x1b]0;" + "x" * 1000).endswith("x" * 996)


def test_text_streams_at_once() -> None:
    assert SafeText().feed("no newline yet") == "no newline yet"


@THOROUGH
@given(pieces=st.lists(nasty_texts, max_size=4))
def test_no_split_lets_anything_unsafe_through(pieces: list[str]) -> None:
    assert UNSAFE.search(stream(*pieces)) is None


@given(text=texts(without=UNSAFE.pattern[1:-1]).map(sanitise), at=st.integers(0, 20))
def test_harmless_text_is_whole(text: str, at: int) -> None:
    assert stream(text[:at], text[at:]) == text


def test_what_is_invisible_by_rule_goes_or_is_shown() -> None:
    codes = [code for first, last in IGNORABLE for code in range(first, last + 1)]
    assert [hex(code) for code in codes if sanitise(f"a{chr(code)}b") not in ("ab", "a\ufffdb")] == []


@each_of(
    ("text", "shown"),
    [
        ("\u3164\u3164\uffa0x", "\ufffd\ufffd\ufffdx"),
        ("\u2800\u28ff\u2800", " \u28ff "),
        ("\u115f\u1161", "\ufffd\u1161"),
        ("☰ menu", "≡ menu"),
        ("a\u0378b\U0001fffec", "a\ufffdb\ufffdc"),
        ("\ue0b0 \uf121", "\ue0b0 \uf121"),
        ("1\ufe0f\u20e3 🇩🇪 \U0001fa77", "1\u20e3 🇩🇪 \U0001fa77"),
        ("हिन्दी ไทย", "हिन्दी ไทย"),
    ],
)
def test_what_has_no_looks_or_no_settled_width_has_a_stand_in(text: str, shown: str) -> None:
    assert sanitise(text) == shown


@given(nasty_texts)
def test_a_line_is_one_line(text: str) -> None:
    line = one_line(text, 20)
    assert "\n" not in line
    assert UNSAFE.search(line) is None
    assert len(line) <= 20


@given(nasty_texts)
def test_a_name_is_one_line_of_which_nothing_goes_unseen(text: str) -> None:
    line = named(text)
    assert UNSAFE.search(line) is None
    assert TOWER.search(line) is None
    assert line.count("\n") == 0
    assert len(line) == len(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a⏎b"),
        ("\x1b[31mkimi\x1b[0m", "␛[31mkimi␛[0m"),
        ("ki\u200bmi", "ki\ufffdmi"),
        (" kimi ", " kimi "),
        ("e\u0301 – 漢字", "e\u0301 – 漢字"),
    ],
)
def test_names_that_differ_look_different(text: str, shown: str) -> None:
    assert named(text) == shown


@given(texts(without=r"\ud800-\udfff"))
def test_quotes_hold_any_text_and_toml_reads_it_back(text: str) -> None:
    line = quoted(text)
    assert UNSAFE.search(line) is None
    assert "\n" not in line
    assert tomllib.loads(f"x = {line}")["x"] == text


@given(nasty_texts)
def test_in_place_is_safe_and_as_long_as_before(text: str) -> None:
    line = in_place(text)
    assert len(line) == len(text)
    assert UNSAFE.search(line.replace(NO_CELL, "")) is None
    assert TOWER.search(line) is None


def test_one_of_each_leaves_nothing_unsafe() -> None:
    for shown in (sanitise(ONE_OF_EACH), named(ONE_OF_EACH), quoted(ONE_OF_EACH), stream(ONE_OF_EACH)):
        assert UNSAFE.search(shown) is None


def test_marks_that_are_too_many_are_capped_wherever_they_are() -> None:
    assert sanitise("a" + "\u0301" * 9) == "a" + "\u0301" * MARKS_AT_MOST + REPLACEMENT
    assert in_place("a" + "\u0301" * 9) == "a" + "\u0301" * MARKS_AT_MOST + REPLACEMENT * 3


def test_a_cut_line_says_so() -> None:
    assert one_line("abcdef", 4) == "abc…"


def test_a_character_is_shown_alike_whatever_is_looked_at_beside_it() -> None:
    """Most text is told to be safe at a glance; a suspect character beside it has every one looked at closely."""
    for sign in map(chr, (*range(0xA0, 0xD800), *range(0x1F000, 0x20000))):
        assert sanitise(f"é{sign}é")[1:] == sanitise(f"\u2066{sign}é")[1:]
