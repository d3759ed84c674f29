"""Notifications by the terminal: the form that it takes, and text that cannot act on it."""

import base64
import re

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.terminal.terminal_capabilities import BELL, Form, call, form_of
from tests.rows import each_of
from tests.strategies import UNSAFE, nasty_texts

HOSTILE = ("\x1b]52;c;eA==\x07", "x\x1b\\y", "\x9d0;t\x9c", "a;b;9;4;1;50", "\u202e\x00\ud800\n\r\t", "4;1;50")
FORMS: tuple[Form, ...] = ("9", "99", "777", "777 and bell", "bell")
SEQUENCE = re.compile(r"(\x1b\](?:9;|99;i=acp-tui:[a-z0-9=:]+;|777;notify;acp-tui;)[^\x00-\x1f\x7f-\x9f]*\x1b\\)*\x07?")


@each_of(
    ("environ", "form"),
    [
        ({"TERM": "xterm-256color"}, "777 and bell"),
        ({"TERM": "xterm-kitty"}, "99"),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "99"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "9"),
        ({"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, "9"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, "bell"),
        ({"TERM": "foot"}, "777"),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/x"}, "bell"),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, "bell"),
        ({"TERM": "screen-256color"}, "bell"),
        ({"TERM": "linux"}, "bell"),
        ({}, "bell"),
    ],
)
def test_what_a_terminal_takes(environ: dict[str, str], form: Form) -> None:
    assert form_of(environ) == form


def test_the_words_arrive() -> None:
    assert call("Doors: done", "9") == "\x1b]9;acp-tui: Doors: done\x1b\\"
    assert call("a;b", "777") == "\x1b]777;notify;acp-tui;a,b\x1b\\"
    assert call("a", "777 and bell") == "\x1b]777;notify;acp-tui;a\x1b\\" + BELL
    assert call("a", "bell") == BELL
    encoded = call("Tür; zu", "99").rpartition(";")[2].removesuffix("\x1b\\")
    assert base64.b64decode(encoded).decode() == "Tür, zu"


@given(nasty_texts | st.sampled_from(HOSTILE), st.sampled_from(FORMS))
def test_whatever_the_text_there_is_one_sequence_and_nothing_else(text: str, form: Form) -> None:
    sequence = call(text, form)
    assert SEQUENCE.fullmatch(sequence)
    assert set(UNSAFE.findall(sequence)) <= {"\x1b", "\x07"}


def test_a_long_text_is_cut() -> None:
    assert len(call("x" * 5_000, "9")) < 200


def test_blanks_of_other_scripts_are_told() -> None:
    assert "検索\u3000語 a\u00a0b" in call("検索\u3000語 a\u00a0b", "9")
