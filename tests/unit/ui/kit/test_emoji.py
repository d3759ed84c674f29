"""What a reader sees as one emoji is moved over and deleted as one; marks of letters go one by one."""

import unicodedata

from hypothesis import given
from hypothesis.strategies import integers

from acp_tui.safe_text import is_text
from acp_tui.ui.kit.line_editor import EMOJI, around_emoji, beside_emoji, span, step_left, step_right
from tests.rows import each_of
from tests.strategies import nasty_texts

WHOLE = {
    "a flag": "🇩🇪",
    "two skins": "🧑🏻\u200d❤\ufe0f\u200d💋\u200d🧑🏼",
    "a family": "👨\u200d👩\u200d👧",
    "a colour of skin": "👍🏽",
    "a skin on what is no emoji by itself": "☝🏽",
    "a variation": "❤\ufe0f",
    "a sign": "©\ufe0f",
    "a keycap": "1\ufe0f\u20e3",
    "a keycap without variation": "#\u20e3",
    "a region": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "a detective": "🕵\ufe0f\u200d♂\ufe0f",
    "a rainbow": "🏳\ufe0f\u200d🌈",
    "a single one": "😀",
    "newer than Python": "\U0001faea",
}


@each_of("emoji", WHOLE.values())
def test_an_emoji_is_one_between_letters(emoji: str) -> None:
    text = f"1{emoji}1"
    assert step_left(text, len(text) - 1) == 1
    assert step_right(text, 1) == len(text) - 1
    assert [beside_emoji(text, at, came_from) for at in range(2, len(emoji)) for came_from in (0, len(text))] == [
        place for _ in range(2, len(emoji)) for place in (len(text) - 1, 1)
    ]


@each_of("single", ["a", "e\u0301", "\u3042\u3099", "नि", "a\ufe0f", "a\u200db", "🇩a", "12"])
def test_all_else_goes_one_by_one(single: str) -> None:
    assert [step_left(single, at) for at in range(1, len(single) + 1)] == list(range(len(single)))
    assert [step_right(single, at) for at in range(len(single))] == list(range(1, len(single) + 1))


def test_flags_are_pairs_from_the_first_on() -> None:
    text = "x🇩🇪🇫🇷🇺"
    assert [step_right(text, at) for at in (1, 3, 5)] == [3, 5, 6]
    assert [step_left(text, at) for at in (6, 5, 3, 1)] == [5, 3, 1, 0]


def test_the_ends_of_a_text_are_places_too() -> None:
    assert (step_left("", 0), step_right("", 0), step_left("a", 0), step_right("a", 1)) == (0, 0, 0, 1)
    assert (beside_emoji("🇩🇪", 0, 2), beside_emoji("🇩🇪", 2, 0)) == (0, 2)


def test_a_word_takes_the_whole_of_a_keycap() -> None:
    text = "1\ufe0f\u20e3 b"
    assert around_emoji(text, *span(text, 0, "word_right")) == (0, 3)


@given(text=nasty_texts, at=integers(0, 40))
def test_a_step_on_and_one_back_lead_on_and_back(text: str, at: int) -> None:
    at = min(at, len(text))
    assert step_left(text, at) < at or at == 0
    assert step_right(text, at) > at or at == len(text)
    begins = [start for start in range(len(text)) if EMOJI.match(text, start)]
    assert all(around_emoji(text, start, start + 1)[1] > start for start in begins)


def test_text_is_all_but_controls() -> None:
    """Unassigned characters, too: they are so for this Python only."""
    refused = {chr(code) for code in range(0x110000) if not is_text(chr(code))}
    assert {unicodedata.category(sign) for sign in refused} == {"Cc", "Cs"}
    assert len(refused) == 65 + 2048
