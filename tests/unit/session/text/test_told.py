import pytest

from acp_tui.session.text.phrases import (
    CARRIED,
    MOST,
    TRANSCRIPT_URI,
    begins_with_ours,
    has_note,
    note_of,
    without_note,
)
from tests.rows import each_of


@pytest.mark.parametrize("text", ["go on", "go on\n\nand further", "", "  indented"])
def test_a_message_is_known_again_without_its_note(text: str) -> None:
    note = note_of(["src/a.py", "b.py"], ["c.py"], "turn 3")
    assert without_note(note + text) == text.lstrip()
    assert without_note(note.strip() + text) == text.lstrip()  # as an agent that strips what it keeps tells it again
    assert has_note(note + text)


def test_the_note_of_an_earlier_version_is_known_too() -> None:
    note = note_of(["a.py"]).replace("still contain what you wrote", "hold what you wrote")
    assert "that they hold what" in note
    assert without_note(f"{note}go on") == "go on"


def test_it_names_the_files_in_one_line() -> None:
    note = note_of(["a\nb.py", "c\x1b[31m.py"], [], "turn 3")
    assert note.endswith("rely on them.\n\n")
    assert "\n" not in note.strip()
    assert "\x1b" not in note


def test_of_many_files_it_counts_the_rest() -> None:
    note = note_of([f"{number}.py" for number in range(MOST + 7)])
    assert "19.py and 7 more;" in note
    assert "20.py" not in note


def test_a_long_note_is_known_again() -> None:
    paths = ["x" * 4_000 for _ in range(50)]
    assert without_note(note_of(paths, paths) + "go on") == "go on"


def test_nothing_to_tell_is_no_note() -> None:
    assert note_of([]) == ""


@pytest.mark.parametrize("text", ["Note from the user: hello", "see: Note from the user: since your last turn I"])
def test_what_a_user_wrote_stays(text: str) -> None:
    assert without_note(text) == text
    assert not has_note(text)


@each_of(
    ("title", "ours"),
    [
        ('<resource uri="conversati…', True),
        ('<resource uri="conversation:///so-far.md"> This is our', True),
        ("<context ref='conversation:///so-far.md'", True),
        ("[@so-far.md](conversation:///so-far.md) go on", True),
        (f"{TRANSCRIPT_URI}ab", True),
        (CARRIED[:20] + "…", True),
        (f"{CARRIED}\n\n## User", True),
        ("This is our conversation so far. Go on from it with the message that follows.", True),
        (note_of(["a.py"])[:40] + "...", True),
        (note_of(["a.py"]) + "go on", True),
        ("<system-reminder> Today's date is 2026-11-27.", True),
        ("<session_context>", True),
        ("<system-reminder…", True),
        ("<div> is not closed", False),
        ("<T> and <U-V>", False),
        ("<my-element> is not drawn", False),
        ("<environment_context", True),
        ("conversation", False),
        ("Conversation with the model", False),
        ("This is it", False),
        ("Note", False),
        ('<resource uri="file:///a.py">', False),
        ("Fix conversation:///so-far.md", False),
        ("", False),
    ],
)
def test_a_title_that_begins_with_what_we_put_there_is_known(title: str, ours: bool) -> None:
    assert begins_with_ours(title) is ours
