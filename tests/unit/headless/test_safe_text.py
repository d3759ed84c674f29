import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.headless.safe_text import SafeText, safe_line

HARMFUL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def stream(*pieces: str) -> str:
    safe = SafeText()
    return "".join(map(safe.feed, pieces)) + safe.feed("", final=True)


@pytest.mark.parametrize(
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
        (("a\rb\x08c\x00d\x7fe\x85f",), "abcdef"),
        (("a\u202eb\u2066c\u200fd",), "abcd"),
        (("a\ud800b",), "ab"),
        (("end\x1b[",), "end["),
    ],
)
def test_nothing_that_a_terminal_would_obey_gets_through(pieces: tuple[str, ...], shown: str) -> None:
    assert stream(*pieces) == shown


def test_an_escape_that_never_ends_holds_nothing_back_for_ever() -> None:
    assert SafeText().feed("\x1b]0;" + "x" * 1000).endswith("x" * 996)


def test_text_streams_at_once() -> None:
    assert SafeText().feed("no newline yet") == "no newline yet"


@given(pieces=st.lists(st.text(st.sampled_from("ab\n\x1b[]0;1m\x07\x9b\\\x90\u202e") | st.characters())))
def test_no_split_lets_a_control_through(pieces: list[str]) -> None:
    assert HARMFUL.search(stream(*pieces)) is None


@given(text=st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs"]) | st.just("\n")), at=st.integers(0, 20))
def test_harmless_text_is_whole(text: str, at: int) -> None:
    assert stream(text[:at], text[at:]) == text


@given(text=st.text(st.characters()))
def test_a_line_is_one_line(text: str) -> None:
    line = safe_line(text, 20)
    assert "\n" not in line
    assert HARMFUL.search(line) is None
    assert len(line) <= 20


def test_a_cut_line_says_so() -> None:
    assert safe_line("abcdef", 4) == "abc…"
