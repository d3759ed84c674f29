"""Keys are told one way everywhere."""

import pytest

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema
from acp_tui.session.form import Form
from acp_tui.ui.kit.theme import CLOSE, KEY, MOVE, MUTED, by_need, fitting, key_hints
from acp_tui.ui.questions import question as elicitation
from acp_tui.ui.questions.question import ElicitationQuestion


def test_the_key_is_louder_than_what_it_does() -> None:
    told = key_hints((MOVE, CLOSE))
    assert told.plain == "↑↓ move  esc close"
    assert [(told.plain[span.start : span.end], span.style) for span in told.spans] == [
        ("↑↓", KEY),
        (" move", MUTED),
        ("esc", KEY),
        (" close", MUTED),
    ]


@pytest.mark.parametrize(("room", "told"), [(18, "↑↓ move  esc close"), (17, "↑↓ move"), (3, "")])
def test_only_whole_hints_are_told_where_there_is_little_room(room: int, told: str) -> None:
    assert key_hints((MOVE, CLOSE), room).plain == told


@pytest.mark.parametrize(
    ("room", "kept"),
    [
        (99, "1-3 answer  ↑↓ select  enter send  tab next  esc answer later"),
        (60, "1-3 answer  enter send  tab next  esc answer later"),
        (40, "1-3 answer  enter send  esc answer later"),
        (32, "1-3 answer  esc answer later"),
        (3, "esc answer later"),
    ],
)
def test_the_hints_of_a_question_that_one_finds_alone_go_first_and_esc_stays(room: int, kept: str) -> None:
    colour = {"type": "string", "enum": ["red", "green", "blue"], "default": "red"}
    form = Form(read(ElicitationSchema, {"properties": {"c": colour}}))
    assert elicitation.hints(ElicitationQuestion(None, 1, "Which?", form), room, reviewing=False).plain == kept


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        (99, "↑↓ move  enter undo  → files  esc close"),
        (30, "↑↓ move  enter undo  esc close"),
        (23, "enter undo  esc close"),
    ],
)
def test_of_a_panel_what_enter_does_is_the_last_hint_to_go(room: int, shown: str) -> None:
    hints = [MOVE, ("enter", "undo"), ("→", "files"), CLOSE]
    assert key_hints(fitting(hints, room, by_need(hints))).plain == shown
