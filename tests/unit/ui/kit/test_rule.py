"""The rule of answers, line by line: what answers, what is text and where it goes, what is told."""

import pytest

from acp_tui.ui.kit.answer_rule import AnswerRule
from tests.rows import each_of
from tests.unit.ui.kit.hand import PAINTED, Hand, Key, keys, names, presses_of


@each_of(
    ("pressed", "answer"),
    [
        ("400 y", "y"),
        ("399 y", ""),
        ("-100 y", ""),
        ("1000 y", "y"),
        ("400 tab 699 y", ""),
        ("400 tab 701 y", "y"),
        ("500 y 999 e", ""),
        ("500 y 1001 e", "y"),  # half a second within the first one
        ("1100 y 1399 e", ""),
        ("1100 y 1401 e", "y"),
        ("1100 y 1390 y 1680 y", "y"),  # a slow finger is one press
        ("1100 y 1110 y", ""),  # two keys that no hand pressed
        ("1100 y 1200 n", ""),
        ("500 y 529 enter", ""),
        ("500 y 531 enter", "y"),
        ("1100 y 1200 escape", ""),
        ("1100 y 1200 tab", ""),
        ("1100 y 1200 up", ""),
        ("1100 y 1200 backspace", ""),
        ("100 y 500 y", ""),  # the second is within the pause that the first, too early, asks for
        ("100 y 801 y", "y"),
    ],
)
def test_a_shown_letter_answers_alone(pressed: str, answer: str) -> None:
    assert names(Hand().presses(keys(pressed)).answered) == answer


@each_of(
    ("pressed", "always", "answers"),
    [
        ("999 enter", False, False),
        ("1000 enter", False, True),
        ("600 tab 1099 enter", False, False),
        ("600 tab 1101 enter", False, True),
        ("1010 down 1159 enter", False, False),
        ("1010 down 1161 enter", False, True),
        ("1010 j 1161 enter", False, True),
        ("990 down 1200 enter", False, False),  # the shell's habit: arrow and Enter
        ("1010 down 1200 enter", True, False),
        ("1010 down 1511 enter", True, True),
        ("1010 down 1050 tab 1300 enter", False, False),
        ("200 enter 1000 enter", False, True),
        ("500 enter 1100 enter", False, False),  # within the pause
        ("500 enter 1201 enter", False, True),
    ],
)
def test_enter_answers_after_a_second_without_haste(pressed: str, always: bool, answers: bool) -> None:
    assert bool(Hand(always=always).presses(keys(pressed)).answered) is answers


@each_of(
    ("pressed", "answers"),
    [("299 enter", False), ("300 enter", True), ("310 down 459 enter", False), ("310 down 461 enter", True)],
)
def test_in_what_ones_own_key_opened_enter_answers_sooner(pressed: str, answers: bool) -> None:
    hand = Hand(AnswerRule(by_key=True))
    hand._last = PAINTED - 0.01  # that key
    assert bool(hand.presses(keys(pressed)).answered) is answers


@pytest.mark.parametrize("pressed", ["-100 y -20 e", "-100 y 80 e"])
def test_in_what_ones_own_key_opened_an_early_letter_is_text_with_what_follows(pressed: str) -> None:
    hand = Hand(AnswerRule(by_key=True)).presses(keys(pressed))
    assert (names(hand.to_prompt), hand.answered) == ("ye", [])


@each_of(
    ("pressed", "prompt", "reason"),
    [
        ("-200 a 100 b", "ab", ""),
        ("999 a", "a", ""),
        ("1000 a", "", "a"),
        ("100 y 180 e", "ye", ""),
        ("900 y 980 e 1100 e", "yee", ""),  # begun before, and on without a pause
        ("1100 y 1180 e", "", "ye"),
        ("100 a 600 enter 1200 backspace", "a<enter><backspace>", ""),
        ("1100 j 1180 a", "", "ja"),
        ("1100 y 1110 enter", "", "y<enter>"),
        ("100 y 300 enter 500 a", "y<enter>a", ""),
        ("100 y 801 a", "a", ""),
        ("1100 / 1180 a", "/a", ""),  # a command, whenever it begins
        ("100 ! 1180 a", "!", "a"),
        ("1100 a 1180 /", "", "a/"),
        ("1100 y 1180 /", "", "y/"),
    ],
)
def test_text_is_the_prompts_or_a_reason(pressed: str, prompt: str, reason: str) -> None:
    hand = Hand().presses(keys(pressed))
    assert (names(hand.to_prompt), names(hand.to_reason), hand.answered) == (prompt, reason, [])


@each_of(
    ("pressed", "told"),
    [
        ("100 y", "y"),
        ("100 enter", "<enter>"),
        ("100 y 200 y", "yy"),
        ("100 y 200 enter", "y<enter>"),
        ("-100 up", "<up>"),
        ("100 a", ""),
        ("1100 y", ""),
    ],
)
def test_what_comes_too_early_and_alone_is_told(pressed: str, told: str) -> None:
    assert Hand().presses(keys(pressed)).told == told


def test_what_is_due_while_the_machine_stood_still_waits_for_what_was_pressed_then() -> None:
    hand = Hand()
    hand.press(Key(PAINTED + 1.1, "y"))
    hand.stop_for(0.5)
    hand.wait(PAINTED + 2.0)  # the timer came half a second late
    assert hand.answered == []
    hand.stop_for(0.0)
    hand.press(Key(PAINTED + 2.0, "e"))
    assert hand.text == "ye"


def test_another_question_is_not_answered_by_the_key_for_the_one_before() -> None:
    hand = Hand()
    hand.press(Key(PAINTED + 1.1, "y"))
    hand.rule.await_paint()
    hand.rule.paint(PAINTED + 1.2)
    hand.wait(PAINTED + 9)
    assert hand.answered == []


@pytest.mark.parametrize(("down", "up", "counts"), [(0.59, 0.7, False), (0.6, 0.7, True), (-1.0, 0.7, False)])
def test_a_click_counts_where_button_down_and_up_are_late_enough(down: float, up: float, counts: bool) -> None:
    assert Hand().rule.clicked(PAINTED + down, PAINTED + up) is counts


def test_enter_in_a_field_is_no_part_of_a_paste() -> None:
    rule = Hand().rule
    assert [rule.enter_in_field(each).ruling.name for each in presses_of(0.29, 0.5)] == ["EARLY"]
    assert [rule.enter_in_field(each).ruling.name for each in presses_of(0.3, 0.02)] == ["EARLY"]
    assert [rule.enter_in_field(each).ruling.name for each in presses_of(0.3, 0.03)] == ["PASS"]
