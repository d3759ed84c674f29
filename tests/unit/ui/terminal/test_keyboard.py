"""What a terminal sends: keys, pastes, and what no terminal should send."""

import io
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._ansi_sequences import SYNC_END, SYNC_START

from acp_tui.ui.terminal.terminal_driver import (
    FRAME_BEGINS,
    FRAME_ENDS,
    PASTE_END,
    PASTE_START,
    FrameWrites,
    TerminalInput,
    writes_whole,
)


def keys(*pieces: str) -> list[str]:
    terminal = TerminalInput()
    read = [message for piece in pieces for message in terminal.feed(piece)]
    return [message.key for message in read if isinstance(message, events.Key)]


def pastes(*pieces: str) -> list[str]:
    terminal = TerminalInput()
    read = [message for piece in pieces for message in terminal.feed(piece)]
    return [message.text for message in read if isinstance(message, events.Paste)]


def test_plain_keys() -> None:
    assert keys("aA\r\x1b[A\x1b[Z\n") == ["a", "A", "enter", "up", "shift+tab", "ctrl+j"]


def test_kitty_keys() -> None:
    assert keys("\x1b[13;2u\x1b[112;3u") == ["shift+enter", "alt+p"]


def test_alt_is_a_key_at_once_however_fast_it_is_repeated() -> None:
    assert keys("\x1bd\x1bd\x1b[A") == ["alt+d", "alt+d", "up"]
    assert keys("\x1bD\x1b1\x1b-\x1b_\x1b.\x1b\x7f\x1bé") == [
        "alt+shift+d",
        "alt+1",
        "alt+minus",
        "alt+underscore",
        "alt+full_stop",
        "alt+backspace",
        "alt+é",
    ]
    assert keys("\x1bb\x1bf") == ["ctrl+left", "ctrl+right"]
    assert keys("\x1b[45;4u\x1b[45;6u") == ["alt+underscore", "ctrl+underscore"]


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        ("\x1b\r", "alt+enter"),
        ("\x1b\n", "alt+enter"),
        ("\x1b[27;2;13~", "shift+enter"),
        ("\x1b[27;3;13~", "alt+enter"),
        ("\x1b[27;5;13~", "ctrl+enter"),
        ("\x1b[27;5;105~", "ctrl+i"),
        ("\x1b[27;2;9~", "shift+tab"),
    ],
)
def test_a_key_with_a_modifier_is_that_key_however_the_terminal_writes_it(sent: str, key: str) -> None:
    """As an escape before it, or as xterm's modifyOtherKeys."""
    read = [message for message in TerminalInput().feed(f"{sent}x") if isinstance(message, events.Key)]
    assert [(one.key, one.is_printable) for one in read] == [(key, False), ("x", True)]


@given(st.characters(categories=("L", "N", "P", "S")))
def test_alt_with_a_sign_types_nothing(sign: str) -> None:
    read = [message for message in TerminalInput().feed(f"\x1b{sign}") if isinstance(message, events.Key)]
    assert not any(key.is_printable for key in read)
    assert [key.key.startswith(("alt+", "ctrl+")) for key in read] == ([] if sign in "[OP]" else [True])


@given(st.characters(categories=("L", "N", "P", "S")))
def test_a_sign_alone_is_typed(sign: str) -> None:
    read = [message for message in TerminalInput().feed(sign) if isinstance(message, events.Key)]
    assert [key.character for key in read] == [sign]


def test_sequences_that_name_impossible_keys_are_dropped_and_the_next_key_arrives() -> None:
    for broken in ("\x1b[97:65;2u", "\x1b[99999999;1u", "\x1b[1;1;99999999u", "\x1b[::;1u", "\x1b[55296;1u"):
        assert keys(broken, "x")[-1:] == ["x"], broken


def test_a_paste_arrives_whole_however_it_is_cut() -> None:
    text = "one\ntwo \x1b[31m three"
    sent = f"{PASTE_START}{text}{PASTE_END}"
    for cut in range(len(PASTE_START), len(sent)):
        assert pastes(sent[:cut], sent[cut:]) == [text], cut


def test_keys_around_a_paste_keep_their_places() -> None:
    terminal = TerminalInput()
    read = list(terminal.feed(f"a{PASTE_START}b{PASTE_END}c{PASTE_START}{PASTE_END}d"))
    told = [message.key if isinstance(message, events.Key) else "paste" for message in read]
    assert told == ["a", "paste", "c", "paste", "d"]


def test_a_megabyte_is_one_paste() -> None:
    text = "x" * 1_000_000
    assert pastes(*[f"{PASTE_START}{text}{PASTE_END}"[at : at + 4096] for at in range(0, 1_000_100, 4096)]) == [text]


@given(st.lists(st.text(alphabet=st.sampled_from("\x1b[]<>?;:0123456789umMtR~$yaOP\x00\x9b"), max_size=20), max_size=8))
def test_no_input_ends_the_keyboard(pieces: list[str]) -> None:
    terminal = TerminalInput()
    for piece in pieces:
        list(terminal.feed(piece))
    list(terminal.feed(PASTE_END + "\x1b[I" * 12 + "~" * 40))
    assert [m for m in terminal.feed(f"{PASTE_START}z{PASTE_END}") if isinstance(m, events.Paste)]


def test_a_terminal_gets_utf8_whatever_the_locale_says() -> None:
    ours, theirs = os.pipe()
    with os.fdopen(theirs, "w", encoding="latin-1", errors="backslashreplace") as file, writes_whole(file) as whole:
        whole.write("◌ ü \udc80")
        whole.flush()
        assert os.read(ours, 100) == "◌ ü ?".encode()
    os.close(ours)


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux how much waits in a pipe")
def test_a_write_that_a_signal_cuts_is_completed() -> None:
    import array
    import fcntl
    import termios

    ours, theirs = os.pipe()
    capacity, waiting = fcntl.fcntl(theirs, fcntl.F_GETPIPE_SZ), array.array("i", [0])
    unbuffered = io.TextIOWrapper(
        os.fdopen(theirs, "wb", buffering=0), write_through=True
    )  # as PYTHONUNBUFFERED has it
    whole = writes_whole(unbuffered)
    before = signal.signal(signal.SIGUSR1, lambda *_: None)

    def write() -> None:
        whole.write("x" * 3 * capacity)
        whole.flush()
        unbuffered.close()

    writer = Thread(target=write)
    writer.start()
    while waiting[0] < capacity:
        fcntl.ioctl(ours, termios.FIONREAD, waiting)
    signal.pthread_kill(writer.ident or 0, signal.SIGUSR1)
    written = 0
    while data := os.read(ours, capacity):
        written += len(data)
    writer.join()
    signal.signal(signal.SIGUSR1, before)
    os.close(ours)
    assert written == 3 * capacity


def test_what_belongs_to_a_frame_is_written_at_once_and_all_else_as_it_comes() -> None:
    frame = FrameWrites()
    pieces = ["title", FRAME_BEGINS, "rows", "cursor", FRAME_ENDS, "bell", FRAME_BEGINS, FRAME_ENDS]
    written = [frame.take(piece) for piece in pieces]
    assert [each for each in written if each] == ["title", "".join(pieces[1:5]), "bell", FRAME_BEGINS + FRAME_ENDS]
    assert "".join(written) == "".join(pieces), "nothing is lost, and the order stays"


def test_another_thread_waits_for_no_frame() -> None:
    frame = FrameWrites()
    frame.take(FRAME_BEGINS)
    with ThreadPoolExecutor(1) as other:
        assert other.submit(frame.take, "answer").result() == "answer"
    assert frame.take(FRAME_ENDS) == FRAME_BEGINS + FRAME_ENDS


@pytest.mark.parametrize("end", [[], ["another mark"]], ids=["cut off", "ended in another way"])
def test_no_frame_is_held_longer_than_until_the_next(end: list[str]) -> None:
    frame = FrameWrites()
    for piece in [FRAME_BEGINS, "rows", *end]:
        assert not frame.take(piece)
    assert frame.take(FRAME_BEGINS) == "".join([FRAME_BEGINS, "rows", *end, FRAME_ENDS])
    assert not frame.take("new rows")
    assert frame.take(FRAME_ENDS) == f"{FRAME_BEGINS}new rows{FRAME_ENDS}"


def test_a_frame_that_is_let_go_of_is_whole_and_what_follows_is_not_held() -> None:
    frame = FrameWrites()
    assert frame.let_go() == ""
    frame.take(FRAME_BEGINS)
    frame.take("rows")
    assert frame.let_go() == f"{FRAME_BEGINS}rows{FRAME_ENDS}"
    assert [frame.take("leave"), frame.take(FRAME_ENDS), frame.let_go()] == ["leave", FRAME_ENDS, ""]


def test_the_marks_of_a_frame_are_textuals() -> None:
    assert (FRAME_BEGINS, FRAME_ENDS) == (SYNC_START, SYNC_END)
