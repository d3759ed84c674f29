"""What goes to a terminal as plain text."""

import os
import pty
import threading

import pytest

from acp_tui.console import AsideTone, Output, fault_text
from acp_tui.errors import UserFault
from tests.rows import each_of


def test_no_further_line_of_a_fault_looks_like_one_of_ours() -> None:
    fault = UserFault("Not\nstarted", "the agent said\nReady\x1b[2J", "try\nagain")
    title, *below = fault_text(fault).split("\n")
    assert title == "Not ⏎ started"
    assert [line.startswith("  ") for line in below] == [False, True, False, True]
    assert "\x1b" not in "".join(below)


def aside_on_a_terminal(text: str, tone: AsideTone) -> bytes:
    ours, theirs = pty.openpty()
    try:
        ended = threading.Event()
        output = Output(theirs, theirs, ended.set)
        output.aside(text, tone)
        output.close()
        assert ended.wait(10)
        return os.read(ours, 1000)
    finally:
        os.close(theirs)
        os.close(ours)


@each_of(
    ("tone", "written"),
    [("plain", b"a\r\n"), ("muted", b"\x1b[2ma\x1b[m\r\n"), ("error", b"\x1b[31ma\x1b[m\r\n")],
)
def test_a_terminal_shows_tones(tone: AsideTone, written: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert aside_on_a_terminal("a\n", tone) == written


@each_of(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_tones_are_left_out_where_nobody_wants_them(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv(name, value)
    assert aside_on_a_terminal("a\n", "error") == b"a\r\n"


def test_a_line_with_a_tone_is_safe_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert aside_on_a_terminal("a\x1b[2J\n", "muted") == b"\x1b[2ma\x1b[m\r\n"
