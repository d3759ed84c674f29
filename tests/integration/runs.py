"""`acp-tui` as a process: started, fed, interrupted and waited for, never for longer than BOUND seconds."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.agents.scripted import Script

BOUND = 60
HEAD = """
    agent.initialize()
    session = agent.new_session()
    prompt = agent.expect("session/prompt")
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of a run."""

    code: int
    out: str
    err: str


class Run:
    """A running `acp-tui`; `arguments` are all of its arguments."""

    def __init__(
        self,
        arguments: Sequence[str],
        cwd: Path,
        stdin: bytes | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        program: Sequence[str] = ("-m", "acp_tui"),
    ) -> None:
        self._input = stdin
        self.process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            cwd=cwd,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE if stderr is None else stderr,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )

    def line(self) -> str:
        """The next line of standard output."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode()

    def note(self) -> str:
        """The next line of standard error."""
        assert self.process.stderr is not None
        return self.process.stderr.readline().decode()

    def signal(self, number: int) -> None:
        """Send a signal to this process only."""
        self.process.send_signal(number)

    def end(self) -> Ended:
        """Wait for the end, and read what is left."""
        try:
            out, err = self.process.communicate(self._input, timeout=BOUND)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            out, err = self.process.communicate()
            raise AssertionError(f"did not end\n{(out or b'').decode()}\n{(err or b'').decode()}") from None
        return Ended(self.process.returncode, (out or b"").decode(), (err or b"").decode())


def run(*arguments: str, cwd: Path, stdin: bytes | None = None) -> Ended:
    """Run `acp-tui` to its end."""
    return Run(arguments, cwd, stdin).end()


def run_script(script: Script, *options: str, prompt: str = "do it") -> Ended:
    """Run `acp-tui run` with a scripted agent."""
    return run("run", *options, prompt, "--", *script.argv, cwd=script.path.parent)
