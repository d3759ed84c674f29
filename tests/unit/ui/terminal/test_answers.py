"""Answers of the terminal among what is typed: whole, in pieces, wrong, late, never."""

import pytest
from textual import events
from textual.message import Message

from acp_tui.ui.terminal import terminal_driver as keyboard
from acp_tui.ui.terminal.terminal_capabilities import LONGEST, mode_told, tells_millions
from acp_tui.ui.terminal.terminal_driver import PASTE_END, PASTE_START, TerminalInput

ATTRIBUTES = "\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c"
ANSWERS = [
    "\x1b[?1036;2$y",
    "\x1b[?1039;1$y",
    "\x1bP1+r524742=382f382f38\x1b\\",
    "\x1bP1+r5463\x1b\\",
    "\x1bP0+r5463\x1b\\",
    "\x1bP>|XTerm(379)\x1b\\",
    "\x1bP>|VTE(7600)\x07",
    ATTRIBUTES,
]
WRONG = [
    "\x1bP0+r\x1b\\",
    "\x1bP1+r\x1b\\",
    "\x1bP1+rzz=!!;;=\x1b\\",
    "\x1bP+q524742\x1b\\",
    "\x1bP>|\x1b\\",
    "\x1bP>|typed? ~ ^ no\x1b\\",
    "\x1bP>|no end",
    "\x1bP1$r0;48:2::1:2:3m\x1b\\",
    "\x1bPany text\x1b\\",
    "\x1bP>|" + "x" * 5 * LONGEST + "\x1b\\",
    "\x1b[?1036;9$y",
    "\x1b[?1036$y",
    "\x1b[?1039;2;2$y",
    "\x1b[>41;379;0c",
    "\x1b[?c",
]


class Typed:
    """What becomes of input: keys and answers, in the order in which they are told."""

    def __init__(self, awaited: int = 1) -> None:
        self.answers: list[str] = []
        self.messages: list[Message] = []
        self.input = TerminalInput(self.answers.append)
        self.input.answers.awaited = awaited

    def feed(self, *pieces: str) -> "Typed":
        for piece in pieces:
            self.messages += self.input.feed(piece)
        return self

    def tick(self) -> "Typed":
        self.messages += self.input.tick()
        return self

    @property
    def keys(self) -> list[str]:
        return [message.key for message in self.messages if isinstance(message, events.Key)]


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that all clocks of the input tell: one number, to be changed."""
    now = [1000.0]
    monkeypatch.setattr(keyboard, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize("answer", [*ANSWERS, *WRONG])
def test_no_answer_is_typed_however_it_is_cut(answer: str) -> None:
    for cut in range(1, len(answer), max(1, len(answer) // 100)):
        typed = Typed().feed("a", answer[:cut]).tick().feed(answer[cut:], "\rb")
        assert typed.keys == ["a", "enter", "b"], cut
        assert "".join(typed.answers) or len(answer) > LONGEST or "no end" in answer


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_in_two_pieces_is_the_same_answer(answer: str) -> None:
    for cut in range(1, len(answer)):
        assert Typed().feed(answer[:cut]).tick().feed(answer[cut:]).answers == [answer], cut


@pytest.mark.parametrize("answer", [each for each in ANSWERS if not each.startswith("\x1b[")])
def test_a_late_answer_is_no_key_though_all_has_been_told(answer: str) -> None:
    typed = Typed(awaited=0).feed("hel", answer, "lo")
    assert typed.keys == list("hello")
    for cut in range(5, len(answer)):
        assert Typed(awaited=0).feed(answer[:cut]).tick().feed(answer[cut:]).keys == []


def test_all_at_once_and_between_keys() -> None:
    typed = Typed().feed("x" + "".join(ANSWERS[:4]) + "\x1b[A" + "".join(ANSWERS[4:]) + "y")
    assert typed.keys == ["x", "up", "y"]
    assert typed.answers == ANSWERS
    assert typed.input.answers.awaited == 0


def test_answers_that_are_textuals_own_reach_it() -> None:
    for cut in range(1, 12):
        mode = "\x1b[?2026;2$y"
        typed = Typed().feed(mode[:cut]).tick().feed(mode[cut:])
        assert typed.answers == []
        assert [type(message).__name__ for message in typed.messages] == ["TerminalSupportsSynchronizedOutput"], cut


def test_an_escape_is_a_key_after_a_moment_and_at_once_with_a_letter(clock: list[float]) -> None:
    typed = Typed().feed("\x1b").tick()
    assert typed.keys == []
    clock[0] += 0.11
    assert typed.tick().keys == ["escape"]
    assert typed.feed("[").keys[1:] == ["left_square_bracket"]
    assert Typed().feed("\x1b", "[A").keys == ["up"]
    assert Typed().feed("\x1b[13;3u").keys == ["alt+enter"]


def test_what_follows_an_escape_much_too_late_is_no_key_if_it_is_an_answer(clock: list[float]) -> None:
    typed = Typed().feed("\x1b")
    clock[0] += 0.5
    typed.tick().feed(ANSWERS[5][1:] + "x")
    assert typed.keys == ["escape", "x"]
    assert typed.answers == [ANSWERS[5]]


def test_alt_and_a_capital_p_is_a_key() -> None:
    assert Typed(awaited=0).feed("\x1bP").input._held == ""
    assert Typed().feed("\x1bp").input._held == ""


@pytest.mark.parametrize("key", ["\x1b[", "\x1bP"])
def test_a_terminal_that_never_answers_does_not_delay_keys_for_ever(clock: list[float], key: str) -> None:
    typed = Typed().tick().feed(key)
    assert typed.input._held == key
    typed = Typed()
    clock[0] += 61
    assert typed.tick().feed(key).input._held == ""


def test_an_answer_that_never_ends_keeps_the_keyboard_for_seconds_only(clock: list[float]) -> None:
    typed = Typed().feed("\x1bP>|XTe", "rm").tick()
    clock[0] += 11
    assert typed.tick().feed("abc").keys == ["a", "b", "c"]
    typed = Typed().feed("\x1bPab").tick()
    clock[0] += 11
    assert typed.tick().input._held == ""


def test_a_paste_that_looks_like_an_answer_is_a_paste() -> None:
    typed = Typed().feed(f"{PASTE_START}{ANSWERS[5]}{PASTE_END}")
    assert [message.text for message in typed.messages if isinstance(message, events.Paste)] == [ANSWERS[5]]
    assert typed.answers == []


def test_what_is_typed_is_not_looked_at_when_nothing_is_awaited() -> None:
    typed = Typed(awaited=0)
    assert typed.input.answers.take("a\x1b[A\x1b") == ("a\x1b[A\x1b", [], "")


@pytest.mark.parametrize(
    ("answer", "millions"),
    [
        ("\x1bP1+r524742=382f382f38\x1b\\", True),
        ("\x1bP1+r5463\x1b\\", True),
        ("\x1bP1+r5463=\x07", True),
        ("\x1bP1+r636f=323536\x1b\\", False),
        ("\x1bP0+r5463\x1b\\", False),
        ("\x1bP0+r\x1b\\", False),
        ("\x1bP+q5463\x1b\\", False),
        ("\x1bP>|XTerm(379)\x1b\\", True),
        ("\x1bP>|XTerm(100)\x1b\\", False),
        ("\x1bP>|VTE(7600)\x1b\\", True),
        ("\x1bP>|kitty(0.35.2)\x1b\\", True),
        ("\x1bP>|tmux 3.4\x1b\\", False),
        ("\x1bP>|something\x1b\\", False),
        ("\x1b[?1036;2$y", False),
        (ATTRIBUTES, False),
    ],
)
def test_which_answers_tell_millions_of_colours(answer: str, millions: bool) -> None:
    assert tells_millions(answer) is millions


def test_how_a_mode_is_told() -> None:
    assert mode_told("\x1b[?1036;2$y") == (1036, 2)
    assert mode_told("\x1b[?1036;2;1$y") is None
    assert mode_told(ATTRIBUTES) is None
