"""The table of keys: what a reader of help and README is shown."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.commands.key_table import FIRST_STEPS, beginner_table, key_lines, key_table, key_words, rebind
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.text_panels import answers, help_lines


@pytest.fixture(autouse=True)
def own_keys() -> Iterator[None]:
    """Other tests want the commands' own keys."""
    yield
    rebind({})


def test_a_beginner_gets_about_a_dozen_of_one_line_each() -> None:
    rows = beginner_table()
    assert 10 <= len(rows) <= 14
    assert all(len(row.words) <= 40 for row in rows)
    assert {command for step in FIRST_STEPS for command in step.commands} <= set(BY_ID)


def test_a_beginner_gets_the_keys_that_count_now() -> None:
    rebind({"palette": ["f17"], "quit": [], "page_up": ["f18"]})
    keys = {row.words: row.keys for row in beginner_table()}
    assert keys["Command palette"] == "F17"
    assert keys["Scroll"] == "F18, PgDn"
    assert "Quit" not in keys


def test_keys_are_written_as_they_stand_on_the_keyboard() -> None:
    shown = " ".join(row.keys for row in [*beginner_table(), *key_table()])
    for name in ("Underscore", "Super", "Right", "Left", "Up", "Down", "Question", "Slash", "Page"):
        assert name not in shown.replace("PgUp", "")
    assert key_words(BY_ID["undo"]) == "Ctrl+_, Ctrl+X z"
    assert "super+z" in "\n".join(key_lines())


def test_a_command_with_no_other_key_shows_the_one_of_few_terminals() -> None:
    rebind({"toggle_plan": ["super+u"]})
    assert key_words(BY_ID["toggle_plan"]) == "Super+U"


def test_numbered_sessions_are_one_row_as_long_as_they_have_their_numbers() -> None:
    assert key_words(BY_ID["show_session_1"]) == "Ctrl+X 1–9"
    rebind({"show_session_4": ["ctrl+x %"]})
    assert key_words(BY_ID["show_session_1"]) == "Ctrl+X 1"


def test_a_row_of_the_table_has_one_idea() -> None:
    words = [row.words for row in [*beginner_table(), *key_table()]]
    assert [each for each in words if ";" in each or "→" in each or len(each) > 80] == []


def test_what_else_a_key_does_has_a_row_of_its_own() -> None:
    rows = [(row.keys, row.words) for row in key_table()]
    assert rows[rows.index(("Ctrl+C", "Copy the selection, clear the prompt, or cancel the turn")) + 1] == (
        "Ctrl+C Ctrl+C",
        "Quit",
    )
    assert ("End", "On an empty prompt: end of the transcript") in rows
    rebind({"interrupt": ["f15"], "to_end": []})
    rows = [(row.keys, row.words) for row in key_table()]
    assert ("F15 F15", "Quit") in rows
    assert "On an empty prompt: end of the transcript" not in [words for _, words in rows]


def test_groups_name_the_key_that_leads_there() -> None:
    assert {"Transcript (Ctrl+X ↑)", "Queue (Alt+Q)", "Find (Ctrl+F)"} <= {row.group for row in key_table()}
    rebind({"focus_transcript": ["f16"]})
    assert "Transcript (F16)" in {row.group for row in key_table()}


@pytest.mark.parametrize(
    ("query", "found"), [("alt+p", "Alt+P, F2, Ctrl+X m"), ("mode ALT", "Alt+P, F2, Ctrl+X m"), ("queue del", "Del")]
)
def test_the_filter_looks_at_keys_words_and_groups(query: str, found: str) -> None:
    assert any(row.keys.startswith(found) for row in key_table() if answers(row, query))


@given(st.integers(24, 120), st.text("aeltq+ ", max_size=6))
def test_every_row_fits_and_says_all(width: int, query: str) -> None:
    rows = [row for row in key_table() if answers(row, query)]
    if not rows:
        return
    lines = list(help_lines(rows, width))
    assert all(line.cell_length <= width for line in lines)
    said = "".join(line.plain for line in lines).replace(" ", "")
    assert len(said) >= sum(len((row.keys + row.words).replace(" ", "")) for row in rows)
