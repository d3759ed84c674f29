"""Notices: what is told at once, and what only when it is unfolded."""

import pytest

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.elicitation import FormElicitation
from acp_tui.session.entries import ElicitationEntry, NoticeEntry
from acp_tui.ui.entries.notice import ElicitationUnit, NoticeDrawing
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.wrap import FOLD, Row, text_of

LINES = [f"line {number}" for number in range(1, 11)]


def drawn(drawing: NoticeDrawing, width: int = 60) -> list[Row]:
    return [row for unit in drawing.units for row in unit.rows(width, palette_for(DARK))]


def told(drawing: NoticeDrawing) -> list[str]:
    return [text_of(row).strip() for row in drawn(drawing)]


def notice(message: str) -> NoticeDrawing:
    return NoticeDrawing(NoticeEntry("1", "error", "It broke", message, "Try again"))


def test_the_key_for_the_last_prompt_stands_in_the_hint_and_after_an_error_that_of_stderr() -> None:
    drawing = NoticeDrawing(NoticeEntry("1", "error", "It broke", "", "Edit and send it again.", "prompt"))
    hint = "→ Press ↑ to edit and send it again."
    assert told(drawing) == ["✗ Error  It broke", f"{hint}   ^X D stderr", ""]
    drawing = NoticeDrawing(NoticeEntry("1", "warning", "Refused", "", "Edit and send it again.", "prompt"))
    assert told(drawing) == ["! Warning  Refused", hint, ""]


def folds(row: Row) -> bool:
    return any(each.style is not None and FOLD in each.style.meta for each in row.segments)


def test_of_a_long_message_there_is_the_beginning_and_the_end_until_it_is_unfolded() -> None:
    drawing = notice("\n".join(LINES))
    assert told(drawing) == ["✗ Error  It broke", "line 1", "line 2", "… 7 more lines", "line 10", "→ Try again", ""]
    assert [text_of(row).strip() for row in drawn(drawing) if folds(row)] == ["… 7 more lines"]
    assert drawing.folded
    before = drawing.units[0].version
    drawing.toggle()
    assert told(drawing) == ["✗ Error  It broke", *LINES, "→ Try again", ""]
    assert not drawing.folded
    assert drawing.units[0].version != before


@pytest.mark.parametrize("message", ["x" * 3_000, "word " * 600, "\n".join(["y" * 300] * 9)])
def test_no_message_is_higher_than_a_few_rows(message: str) -> None:
    drawing = notice(message)
    assert len(told(drawing)) == 7
    drawing.toggle()
    assert "".join(told(drawing)).count(message[0]) >= message.count(message[0])


@pytest.mark.parametrize("message", ["", "one", "one\ntwo\nthree", "x" * 200])
def test_a_short_message_does_not_fold(message: str) -> None:
    drawing = notice(message)
    assert (drawing.folded, drawing.toggle()) == (None, None)
    assert "more" not in "".join(told(drawing))


@pytest.mark.parametrize(
    "message",
    [
        "No such model\nservice: session\nerrorName: APIError",
        "[Object ...]\nNo such model\n  data: [Object ...]\n}",
        "No such model\n\n    at run (x.js:1:2)\ncode: 'X'",
    ],
)
def test_of_an_error_with_data_the_words_are_one_line_until_it_is_unfolded(message: str) -> None:
    drawing = notice(message)
    more = f"… {message.count(chr(10))} more lines"
    assert told(drawing) == ["✗ Error  It broke", "No such model", more, "→ Try again", ""]
    drawing.toggle()
    assert told(drawing)[1:-2] == [line.strip() for line in message.split("\n")]


def test_the_rows_are_numbered_through() -> None:
    numbers = [row.line for row in drawn(notice("\n".join(LINES)))]
    assert numbers == list(range(len(numbers)))


@pytest.mark.parametrize(
    ("rules", "label"),
    [({"title": "Hue", "description": "Which?"}, "Hue"), ({"description": "Which?"}, "Which?")],
)
def test_what_was_answered_keeps_the_label_that_was_shown(rules: dict[str, str], label: str) -> None:
    schema = {"type": "object", "properties": {"q0": {"type": "string", **rules}}}
    request = read(FormElicitation, {"mode": "form", "sessionId": "s", "message": "Some", "requestedSchema": schema})
    entry = ElicitationEntry("e", request, "accept", {"q0": "red"}, sealed=True)
    rows = [text_of(row).strip() for row in ElicitationUnit(entry).rows(60, palette_for(DARK))]
    assert rows == ["✓ Question  answered", "Some", f"{label}  red", ""]
