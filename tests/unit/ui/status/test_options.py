"""Arithmetic and words of the parts around the transcript."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk
from acp_tui.session.state import Session
from acp_tui.ui.export_actions import last_code
from acp_tui.ui.kit.session_view import DoublePress, KeyStrokes
from acp_tui.ui.kit.theme import spell, spell_out
from acp_tui.ui.prompt.draft import Chips, clean_paste
from acp_tui.ui.prompt.editor import Recall
from acp_tui.views.command_index import slash_query


def test_keys_in_words() -> None:
    hints = {"ctrl+p": "^P", "alt+p": "alt+p", "shift+tab": "shift+tab", "question_mark": "?", "escape": "esc"}
    assert {key: spell(key) for key in hints} == hints
    written = {
        "ctrl+p": "Ctrl+P",
        "shift+tab": "Shift+Tab",
        "pageup": "PgUp",
        "left_curly_bracket": "{",
        "f1": "F1",
        "ctrl+x right": "Ctrl+X →",
        "alt+up": "Alt+↑",
        "ctrl+underscore": "Ctrl+_",
        "ctrl+percent_sign": "Ctrl+%",
        "nonsense": "Nonsense",
    }
    assert {key: spell_out(key) for key in written} == written


def test_a_second_press_counts_within_two_seconds() -> None:
    press = DoublePress(KeyStrokes())
    assert [press.again(t, ["ctrl+c"]) for t in (0.0, 1.9, 2.0, 4.1, 5.0)] == [False, True, False, False, True]


def presses(ways: list[str], *keys: str) -> list[bool]:
    """What `again` says after each key that is the last one of a way."""
    strokes = KeyStrokes()
    press, said = DoublePress(strokes), []
    for key in keys:
        strokes.note(key, 0.0)
        if key in [way.split()[-1] for way in ways]:
            said.append(press.again(0.0, ways))
    return said


@pytest.mark.parametrize(
    ("ways", "keys", "said"),
    [
        (["ctrl+c"], ["ctrl+c", "ctrl+c"], [False, True]),
        (["ctrl+c"], ["ctrl+c", "a", "ctrl+c"], [False, False]),
        (["ctrl+c"], ["ctrl+c", "a", "ctrl+c", "ctrl+c"], [False, False, True]),
        (["ctrl+c"], ["ctrl+c", *"abcdefghijkl", "ctrl+c"], [False, False]),
        (["ctrl+q", "ctrl+d"], ["ctrl+q", "ctrl+d"], [False, True]),
        (["ctrl+x r"], ["ctrl+x", "r", "ctrl+x", "r"], [False, True]),
        (["ctrl+x r"], ["ctrl+x", "r", "up", "ctrl+x", "r"], [False, False]),
    ],
)
def test_a_second_press_counts_only_without_another_key_in_between(
    ways: list[str], keys: list[str], said: list[bool]
) -> None:
    assert presses(ways, *keys) == said


@given(st.lists(st.text(st.characters(exclude_characters="\r", exclude_categories=["C"]), max_size=20), max_size=5))
def test_chips_give_back_what_they_folded(texts: list[str]) -> None:
    chips = Chips()
    folded = [chips.fold(text * 1000) for text in texts]
    assert chips.expand("|".join(folded)) == "|".join(text * 1000 for text in texts)


def test_a_paste_within_a_paste_is_not_expanded_twice() -> None:
    chips = Chips()
    first = chips.fold("x" * 20_000)
    second = chips.fold(first + "y" * 20_000)
    assert chips.expand(second) == first + "y" * 20_000


@given(st.text())
def test_a_clean_paste_has_no_controls(text: str) -> None:
    cleaned = clean_paste(text)
    assert not any(sign in cleaned for sign in "\x1b\x00\x07\x9b\r\u202e\x7f")
    assert clean_paste(cleaned) == cleaned


@given(st.lists(st.text(min_size=1), max_size=5), st.text())
def test_the_walk_through_the_history_ends_at_the_draft(prompts: list[str], draft: str) -> None:
    recall = Recall()
    seen: list[str] = []
    while (older := recall.older(prompts, draft)) is not None:
        seen.append(older)
    assert seen == prompts[::-1]
    back: list[str] = []
    while (newer := recall.newer()) is not None:
        back.append(newer)
    assert back == ([*prompts[1:], draft] if prompts else [])


def test_slash_query() -> None:
    assert [slash_query(text) for text in ("/", "/in", "/init x", "a/b", "")] == ["", "in", None, None, None]


def test_the_last_code_block() -> None:
    session = Session(id="s", cwd="/")
    text = "```py\na = 1\n\nb\n```\ntext\n~~~~\n```\nin it\n```\n~~~~\n"
    session.apply(MessageChunk(session_update="agent_message_chunk", message_id="m", content=TextContent(text=text)))
    assert last_code(session.entries) == "```\nin it\n```"
