"""Installing on a real pseudo-terminal: the command has it, and acp-tui comes back with the agent."""

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acp_tui.demo.project import COMMAND
from acp_tui.host.config.config import own_file
from acp_tui.ui.agents import install_flow as terminal_command
from tests.pilot.choosing import put_program
from tests.pilot.test_terminal import LEAVES_ALTERNATE_SCREEN, Terminal
from tests.processes import alive

ENTERS_ALTERNATE_SCREEN = b"\x1b[?1049h"
NPM = """\
#!{python}
import pathlib, sys
prefix = pathlib.Path(sys.argv[sys.argv.index("--prefix") + 1])
print("NPM IS AT WORK", sys.stdin.isatty(), sys.stdout.isatty())
if {fails}:
    sys.exit("npm error code E404")
(prefix / "bin").mkdir(parents=True)
agent = prefix / "bin" / "opencode"
agent.write_text("#!/bin/sh\\nexec {python} -P -m acp_tui.demo\\n")
agent.chmod(0o755)
"""


@contextmanager
def opened(module: str, *arguments: str) -> Iterator[Terminal]:
    terminal = Terminal(module, *arguments)
    try:
        yield terminal
    finally:
        terminal.close()


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All of PATH; the current folder is a project beside it."""
    for name in ("programs", "project"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "programs"


def put_npm(programs: Path, *, fails: bool = False) -> None:
    put_program(programs, "npm", NPM.format(python=sys.executable, fails=fails))


def agree(terminal: Terminal) -> None:
    """Choose OpenCode, and say yes once that counts."""
    terminal.wait_for(b"Choose an agent")
    terminal.type(b"opencode")
    terminal.wait_for(b"npm install -g opencode-ai@")
    terminal.type(b"\r")
    terminal.wait_for(b"Don't install")
    terminal.press_until(b"y", b"NPM IS AT WORK")  # it turns the pages as well


def test_the_output_is_on_the_terminal_and_the_agent_starts(programs: Path) -> None:
    put_npm(programs)
    with opened("acp_tui") as terminal:
        agree(terminal)
        terminal.wait_for(b"NPM IS AT WORK True True")
        lent = terminal.written.rindex(LEAVES_ALTERNATE_SCREEN)
        assert lent < terminal.written.rindex(b"npm install -g --prefix") < terminal.written.index(b"NPM IS AT WORK")
        terminal.wait_for(b"Model")
        assert terminal.written.index(b"NPM IS AT WORK") < terminal.written.rindex(ENTERS_ALTERNATE_SCREEN)
        terminal.type(b"\x11")
        assert terminal.wait_for_end() == 0
    assert "[agents.opencode]" in own_file().read_text()


def test_a_failure_stays_until_enter_and_the_list_says_what_to_do(programs: Path) -> None:
    put_npm(programs, fails=True)
    with opened("acp_tui") as terminal:
        agree(terminal)
        terminal.wait_for(b"npm error code E404")
        terminal.wait_for(b"Press Enter to return to acp-tui")
        assert terminal.written.rindex(ENTERS_ALTERNATE_SCREEN) < terminal.written.index(b"NPM IS AT WORK")
        terminal.type(b"\r")
        terminal.wait_for(b"was not installed")
        terminal.type(b"\x11")
        assert terminal.wait_for_end() == 0
    assert not own_file().exists()


def test_ctrl_c_ends_the_command_and_not_the_app(programs: Path) -> None:
    put_program(programs, "npm", "#!/bin/sh\necho NPM IS AT WORK\nwhile :; do /bin/sleep 0.05; done\n")
    with opened("acp_tui") as terminal:
        agree(terminal)
        terminal.type(b"\x03")
        terminal.wait_for(b"Installation cancelled")
        terminal.type(b"\x11")
        assert terminal.wait_for_end() == 0
    assert not own_file().exists()


class TestDemo:
    """The demo works on a project of its own, which goes with the program."""

    @pytest.fixture(autouse=True)
    def scratch(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        (tmp_path / "scratch").mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
        return tmp_path / "scratch"

    @pytest.mark.usefixtures("programs")
    def test_chosen_first(self, scratch: Path) -> None:
        with opened("acp_tui") as terminal:
            terminal.wait_for(b"Choose an agent")
            terminal.type(b"\r")
            terminal.wait_for(b"Model")
            (project,) = scratch.glob("acp-tui-*/demo")
            assert (project / "src" / "login.py").exists()
            terminal.type(b"\x11")
            assert terminal.wait_for_end() == 0
        assert not list(scratch.glob("acp-tui-*"))

    @pytest.mark.usefixtures("programs")
    def test_chosen_beside_another_session(self, scratch: Path) -> None:
        with opened("acp_tui", "--", *COMMAND) as terminal:
            terminal.wait_for(b"Model")
            terminal.press_until(b"\x18N", "New session with…".encode())
            terminal.type(b"\x15demo\r")
            terminal.wait_until(lambda: bool(list(scratch.glob("acp-tui-*/demo"))))
            terminal.type(b"\x11")
            assert terminal.wait_for_end() == 0
        assert not list(scratch.glob("acp-tui-*"))


class TestAttended:
    """The command that runs another one, by itself."""

    @contextmanager
    def running(self, *argv: str) -> Iterator[Terminal]:
        with opened(terminal_command.__name__, "what it is", *argv) as terminal:
            yield terminal

    def test_what_succeeds_waits_for_nobody(self) -> None:
        with self.running("sh", "-c", "echo DONE") as terminal:
            assert terminal.wait_for_end() == 0
            assert terminal.written.index(b"$ what it is") < terminal.written.index(b"DONE")
            assert b"Press Enter" not in terminal.written

    @pytest.mark.parametrize("key", [b"\r", b"\x03", b"\x04"])
    def test_what_fails_waits(self, key: bytes) -> None:
        with self.running("sh", "-c", "exit 3") as terminal:
            terminal.wait_for(b"Failed with exit code 3. Press Enter")
            terminal.type(key)
            assert terminal.wait_for_end() == 3
            assert b"Traceback" not in terminal.written

    def test_what_cannot_be_started_is_told(self) -> None:
        with self.running("/no/such/program") as terminal:
            terminal.wait_for(b"/no/such/program: command not found")
            terminal.wait_for(b"Press Enter")
            terminal.type(b"\r")
            assert terminal.wait_for_end() == 127

    @pytest.mark.parametrize("script", ["trap 'exit 7' INT", "trap 'exit 0' INT", ":"])
    def test_ctrl_c_cancels_at_once(self, script: str) -> None:
        with self.running("sh", "-c", f"{script}; echo READY; while :; do sleep 0.05; done") as terminal:
            terminal.wait_for(b"READY")
            terminal.type(b"\x03")
            assert terminal.wait_for_end() == terminal_command.CANCELLED
            assert b"Press Enter" not in terminal.written

    def test_whoever_ends_it_ends_the_command(self) -> None:
        with self.running("sh", "-c", "trap '' HUP; echo PID $$ END; exec sleep 1000") as terminal:
            terminal.wait_for(b" END")
            command = int(terminal.written.split(b"PID ")[1].split()[0])
            os.kill(terminal.pid, signal.SIGTERM)
            assert terminal.wait_for_end() == 128 + signal.SIGTERM
            assert not alive(command)

    def test_so_does_a_signal_that_comes_while_it_starts(self, tmp_path: Path) -> None:
        script = f"""
import os, signal, subprocess, sys
import {terminal_command.__name__} as attended

class Interrupted(subprocess.Popen):
    def __init__(self, argv):
        super().__init__(argv)
        print(self.pid, flush=True)
        os.kill(os.getpid(), signal.SIGTERM)

subprocess.Popen = Interrupted
sys.exit(attended.main("what it is", "sleep", "60"))
"""
        told = tmp_path / "told"
        with told.open("wb") as output:
            ended = subprocess.run([sys.executable, "-c", script], check=False, stdin=subprocess.DEVNULL, stdout=output)
        assert ended.returncode == 128 + signal.SIGTERM
        assert not alive(int(told.read_text().split()[-1]))

    def test_what_was_typed_meanwhile_is_dropped(self, monkeypatch: pytest.MonkeyPatch) -> None:
        master, slave = pty.openpty()
        with os.fdopen(master, "wb", buffering=0) as keys, os.fdopen(slave) as terminal:
            monkeypatch.setattr(sys, "stdin", terminal)
            keys.write(b"typed\r")
            assert select.select([terminal], [], [], None)[0]
            terminal_command._drop_what_was_typed()
            assert not select.select([terminal], [], [], 0)[0]
