"""What a toast says: short, and no address in two pieces."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.notifications import Notify

from acp_tui.ui.kit.session_view import (
    LONGEST,
    LONGEST_ADDRESS,
    LONGEST_TITLE,
    MOST_LINES,
    announce_problems,
    brief,
    headed,
)
from tests.rows import each_of

ADDRESS = "https://code.example.com/docs/en/plan-mode?section=2#exit"


def test_a_short_text_is_shown_whole() -> None:
    assert brief(" a\nb\n") == " a\nb"


def test_of_a_long_text_it_says_how_much_more_there_is() -> None:
    assert brief("x" * (LONGEST + 5)) == "x" * LONGEST + "\n… 5 more characters"
    assert brief("\n".join("abcdefghijkl")) == "\n".join("abcdefghijkl"[:MOST_LINES]) + "\n… 8 more characters"


@pytest.mark.parametrize("before", [LONGEST - len(ADDRESS) + 1, LONGEST - 5, LONGEST - 1])
def test_an_address_at_the_cut_is_shown_whole(before: int) -> None:
    shown = brief("x" * (before - 1) + f" {ADDRESS} and more")
    assert f" {ADDRESS}\n… 9 more characters" in shown


def test_an_address_that_is_too_long_for_a_toast_is_left_out_whole() -> None:
    shown = brief("See https://example.com/" + "a" * (LONGEST + LONGEST_ADDRESS))
    assert shown.startswith("See\n…")
    assert "https" not in shown


@given(st.integers(0, 2 * LONGEST), st.integers(1, 2 * LONGEST_ADDRESS))
def test_no_address_is_ever_cut(before: int, length: int) -> None:
    address = "https://example.com/" + "a" * length
    shown = brief("w " * (before // 2) + address + " end")
    assert address in shown.split() or "https" not in shown


def test_a_title_that_does_not_fit_stands_below_as_a_whole() -> None:
    assert headed("Short", "why") == ("Short", "why")
    title, message = headed("x" * LONGEST_TITLE + f" {ADDRESS}", "why")
    assert title.endswith("…")
    assert message == "x" * LONGEST_TITLE + f" {ADDRESS}\nwhy"


@each_of(
    ("problems", "title", "text"),
    [
        (
            ["/a/c.toml, line 1, colour: unknown setting.", "/a/c.toml, line 3: no table"],
            "Config file /a/c.toml",
            "line 1  colour: unknown setting.\nline 3  no table",
        ),
        (["/a/c.toml, line 1, x: no", "/b/c.toml, line 1, x: no"], "Config file", None),
        (["/a/c.toml, line 1, x: no", "cannot be read"], "Config file", None),
        (["cannot be read"], "Config file", None),
    ],
)
def test_problems_of_one_file_name_it_once(problems: list[str], title: str, text: str | None) -> None:
    told: list[Notify] = []
    app: Any = SimpleNamespace(post_message=told.append)
    announce_problems(app, problems)
    note = told[0].notification
    assert (note.title, note.message) == (title, text or "\n".join(problems))
