"""A terminal's answers to what it is asked at the start, on a real pseudo-terminal: none is ever a key."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answering_terminal import ATTRIBUTES, PATIENCE, UNKNOWN, VERSION, XTERM, AnsweringTerminal

Answers = dict[bytes, bytes]  # by question

MILLIONS, MANY = b"\x1b[38;2;", b"\x1b[38;5;"
ASKED = b"\x1b[c"
LEAVES = b"\x1b[?1000l"  # the first that is written when it leaves
GIVES_BACK = b"\x1b[?1049l"
PIECES = ("XTerm", "+r", "?64", "1036", "5463", "$y")
MODES: Answers = {question: XTERM[question] for question in list(XTERM)[:2]}
CAPABILITIES: Answers = {
    b"\x1bP+q524742\x1b\\": b"\x1bP1+r524742=382f382f38\x1b\\",
    b"\x1bP+q5463\x1b\\": b"\x1bP1+r5463\x1b\\",
}


def demo(folder: Path, answers: Answers = XTERM, environ: dict[str, str] | None = None) -> AnsweringTerminal:
    return AnsweringTerminal(
        "acp_tui", "--demo", cwd=folder, answers=answers, environ={"TERM": "xterm"} | (environ or {})
    )


def quit_cleanly(terminal: AnsweringTerminal) -> None:
    terminal.type(b"\x15\x11")
    assert terminal.wait_for_end() == 0
    assert terminal.left_over() == b""
    assert terminal.recorded.is_as_before
    assert terminal.recorded.foreign == []
    assert not [piece for piece in PIECES if terminal.recorded.has_shown(piece)]


def has_typed(terminal: AnsweringTerminal, words: str) -> None:
    """Type words, and see these and nothing else in the prompt."""
    terminal.type(words)
    sees_typed(terminal, words)


def sees_typed(terminal: AnsweringTerminal, words: str) -> None:
    terminal.wait_until(lambda: any(row.strip(" ▌▎│") == words for row in terminal.recorded.rows()), words)


@pytest.mark.parametrize("answers", [XTERM, MODES | CAPABILITIES | {ASKED: ATTRIBUTES}], ids=["version", "capability"])
def test_a_whole_answer_gives_millions_of_colours_and_keys_with_alt(tmp_path: Path, answers: Answers) -> None:
    with demo(tmp_path, answers) as terminal:
        terminal.wait_for("Ask anything")
        terminal.wait_for_bytes(MILLIONS)
        assert b"\x1b[?1036h" in terminal.written
        assert b"\x1b[?1039h" in terminal.written
        has_typed(terminal, "hello")
        quit_cleanly(terminal)


def test_nothing_is_left_of_fewer_colours(tmp_path: Path) -> None:
    with demo(tmp_path, {}, {"TERM": "xterm-256color"}) as terminal:
        terminal.wait_for("is ready")
        has_typed(terminal, "hello")
        assert MANY in terminal.written
        assert MILLIONS not in terminal.written
        terminal.type(VERSION + VERSION + ATTRIBUTES)
        terminal.wait_for_bytes(MILLIONS)
        terminal.type("!")
        sees_typed(terminal, "hello!")
        assert MANY not in terminal.written[terminal.written.index(MILLIONS) :]
        quit_cleanly(terminal)


def test_answers_in_pieces_are_answers(tmp_path: Path) -> None:
    whole = [*MODES.values(), *CAPABILITIES.values(), VERSION]
    with demo(tmp_path, {}) as terminal:
        terminal.wait_for_bytes(ASKED)
        terminal.wait_for("Ask anything")
        for answer in whole:
            for cut in range(2, len(answer)):  # an escape alone is a key after a moment, and the machine may be busy
                terminal.type_and_wait_until_read(answer[:cut])
                terminal.type_and_wait_until_read(answer[cut:])
        terminal.wait_for_bytes(b"\x1b[?1036h")
        terminal.wait_for_bytes(MILLIONS)
        for cut in range(2, len(ATTRIBUTES)):
            terminal.type_and_wait_until_read(ATTRIBUTES[:cut])
            terminal.type_and_wait_until_read(ATTRIBUTES[cut:])
        has_typed(terminal, "hello")
        quit_cleanly(terminal)


def test_wrong_answers_change_nothing(tmp_path: Path) -> None:
    texts = [b"\x1bP0+r\x1b\\", b"\x1bP1+rXTerm\x1b\\", b"\x1bP+q5463\x1b\\", b"\x1bP>|XTerm("]
    modes = [b"\x1b[?1036;9$y", b"\x1b[?1036$y"]
    with demo(tmp_path, {ASKED: b"".join(modes + texts) + ATTRIBUTES}) as terminal:
        terminal.wait_for("Ask anything")
        has_typed(terminal, "hello")
        quit_cleanly(terminal)
        assert MILLIONS not in terminal.written
        assert b"\x1b[?1036h" not in terminal.written


def test_a_late_answer_counts_and_is_not_typed(tmp_path: Path) -> None:
    with demo(tmp_path, {}) as terminal:
        terminal.wait_for("Ask anything")
        has_typed(terminal, "hel")
        terminal.type(b"".join(MODES.values()) + VERSION + ATTRIBUTES)
        terminal.wait_for_bytes(MILLIONS)
        terminal.type("lo")
        sees_typed(terminal, "hello")
        quit_cleanly(terminal)


def test_an_answer_that_comes_while_it_leaves_is_read_away(tmp_path: Path) -> None:
    with demo(tmp_path, {}) as terminal:
        terminal.wait_for_bytes(ASKED)
        terminal.wait_for("Ask anything")
        terminal.type(b"\x11")
        terminal.wait_for_bytes(LEAVES)
        for _ in range(40):  # it might give the terminal back meanwhile, and must not
            terminal._read()
        assert GIVES_BACK not in terminal.written
        late = b"".join(MODES.values()) + VERSION + ATTRIBUTES
        for piece in (late[:5], late[5:40], late[40:]):
            terminal.type_and_wait_until_read(piece)
        assert terminal.wait_for_end() == 0
        assert terminal.left_over() == b""
        assert terminal.recorded.is_as_before


def test_quitting_in_the_first_moment(tmp_path: Path) -> None:
    with demo(tmp_path, XTERM) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1036$p")  # before that, the keys are the shell's
        terminal.type(b"\x11")
        assert terminal.wait_for_end() == 0
        assert terminal.left_over() == b""
        assert terminal.recorded.is_as_before


@pytest.mark.parametrize("ctrl_c", [b"\x03", b"\x1b[99;5u"], ids=["plain", "kitty"])
def test_a_terminal_that_never_answers_is_not_waited_for_longer_than_the_user_likes(
    tmp_path: Path, ctrl_c: bytes
) -> None:
    with AnsweringTerminal(
        "tests.pilot.patient_app", "--demo", "--cwd", str(tmp_path), cwd=Path.cwd(), answers={}
    ) as terminal:
        terminal.wait_for("Ask anything")
        has_typed(terminal, "hello")
        terminal.type(b"\x15\x11")
        terminal.wait_for_bytes(LEAVES)
        terminal.type(ctrl_c)
        assert terminal.wait_for_end() == 0
        assert MILLIONS not in terminal.written
        assert terminal.recorded.is_as_before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_leaves_no_answer_and_no_mode(tmp_path: Path, number: signal.Signals) -> None:
    with demo(tmp_path, MODES) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1039h")
        terminal.wait_for("Ask anything")
        terminal.signal(number)
        terminal.wait_for_bytes(LEAVES)
        terminal.type(VERSION + ATTRIBUTES)
        terminal.wait_for_end()
        assert terminal.left_over() == b""
        assert terminal.recorded.is_as_before


def test_a_mode_that_was_set_is_left_as_it_was(tmp_path: Path) -> None:
    with demo(tmp_path, XTERM | {b"\x1b[?1036$p": b"\x1b[?1036;1$y", b"\x1b[?1039$p": b"\x1b[?1039;0$y"}) as terminal:
        terminal.wait_for_bytes(MILLIONS)
        quit_cleanly(terminal)
        assert b"?1036h" not in terminal.written
        assert b"?1036l" not in terminal.written
        assert b"?1039h" not in terminal.written


def test_a_crash_puts_the_modes_back(tmp_path: Path) -> None:
    with AnsweringTerminal("tests.pilot.lending_app", cwd=Path.cwd()) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1039h")
        terminal.wait_for("READY")
        terminal.type(b"c")
        terminal.wait_for_end()
        assert b"RuntimeError" in terminal.written
        assert b"?1036l" in terminal.written
        assert b"?1039l" in terminal.written
        assert terminal.left_over() == b""


def test_a_lent_terminal_has_its_own_modes_and_is_asked_again(tmp_path: Path) -> None:
    command = ("sh", "-c", "printf LENT; read line; printf '[%s]' \"$line\"")
    with AnsweringTerminal("tests.pilot.lending_app", *command, cwd=Path.cwd()) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1039h")
        terminal.wait_for("READY")
        terminal.type(b"e")
        terminal.wait_for_bytes(b"LENT")
        lent = terminal.written.index(b"LENT")
        assert b"?1036l" in terminal.written[:lent]
        assert b"?1039l" in terminal.written[:lent]
        terminal.type(b"typed\n")
        terminal.wait_for_bytes(b"[typed]")
        terminal.wait_for_bytes(b"CODE=0")
        terminal.wait_until(lambda: terminal.written.count(b"\x1b[?1036h") == 2, "set again")
        assert b"\x1b[>0q" not in terminal.written
        terminal.type(b"x")
        assert terminal.wait_for_end() == 0
        assert terminal.left_over() == b""


@pytest.mark.parametrize(
    ("environ", "asked"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "tmux-256color", "TMUX": "x,1,0"}, False),
        ({"TERM": "linux"}, False),
        ({"TERM": "vt100"}, False),
        ({"TERM": "dumb"}, False),
    ],
    ids=str,
)
def test_who_is_asked_for_colours(tmp_path: Path, environ: dict[str, str], asked: bool) -> None:
    with demo(tmp_path, environ=environ) as terminal:
        terminal.wait_for("Ask anything")
        quit_cleanly(terminal)
        assert (b"\x1b[>0q" in terminal.written) is asked
        assert (ASKED in terminal.written) is (environ["TERM"] not in ("linux", "vt100", "dumb"))


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[list[str]]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    command = ["tmux", "-S", str(tmp_path / "socket"), "-f", "/dev/null"]
    yield command
    subprocess.run([*command, "kill-server"], capture_output=True, check=False)


@pytest.mark.parametrize("known", [True, False], ids=["tmux is known", "tmux is not known"])
def test_over_tmux_no_answer_is_typed(tmp_path: Path, tmux: list[str], known: bool) -> None:
    def run(*words: str) -> str:
        return subprocess.run([*tmux, *words], capture_output=True, text=True, check=True).stdout

    def wait_for(text: str) -> str:
        deadline = time.monotonic() + PATIENCE
        while text not in (shown := run("capture-pane", "-p")):
            assert time.monotonic() < deadline, shown
        return shown

    environ = {name: value for name, value in os.environ.items() if name not in UNKNOWN}
    shell = ["env", *([] if known else ["-u", "TMUX", "TERM=xterm"]), "PS1=SHELL$ ", "sh", "-i"]
    subprocess.run([*tmux, "new-session", "-d", "-x", "100", "-y", "30", *shell], env=environ, check=True)
    wait_for("SHELL$")
    for keys in ("hello", ""):
        run("send-keys", f"clear; {sys.executable} -m acp_tui --demo --cwd {tmp_path}", "Enter")
        shown = wait_for("Ask anything")
        if keys:
            run("send-keys", "-l", keys)
            shown = wait_for(keys)
            run("send-keys", "C-u")
        assert not [piece for piece in ("tmux", "1;2c", "+r") if piece in shown]
        run("send-keys", "C-q")
        deadline = time.monotonic() + PATIENCE
        while (rows := run("capture-pane", "-p").split("\n"))[0] != "SHELL$" or any(rows[1:]):
            assert time.monotonic() < deadline, rows
