"""What a terminal sends: keys, pastes, and what no terminal should send."""

from hypothesis import given
from hypothesis import strategies as st
from textual import events

from acp_tui.ui.keyboard import PASTE_END, PASTE_START, TerminalInput


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
