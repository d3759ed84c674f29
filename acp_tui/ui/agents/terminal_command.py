"""A program of its own that runs one command on its terminal, told before; `attended` says how it is started.

Where the command fails, what it wrote stays until Enter is pressed. Ctrl+C ends the command alone. What was typed
meanwhile is dropped: neither is it the Enter that is waited for, nor does it reach acp-tui as keys.
"""

import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from acp_tui.console import take_streams, write_error, write_output
from acp_tui.host.system.paths import why_not_started
from acp_tui.host.system.processes import deferred, hearing, leave
from acp_tui.safe_text import one_line

if sys.platform != "win32":
    import termios

CANCELLED = 130  # exit code after Ctrl+C, as shells have it
_NOT_STARTED = 127  # the same for a command that cannot be started
_KILLED_AFTER = 1.5  # seconds; who told us to end waits no longer than two
_LONGEST = 4_000  # characters of what is told


def attended(argv: Sequence[str], told: str) -> tuple[str, ...]:
    """How to run a command in this way; `told` is what is said of it before its output."""
    return (sys.executable, "-P", "-m", __name__, told, *argv)


def main(told: str, *argv: str) -> int:
    take_streams()
    write_output(f"\n$ {one_line(told, _LONGEST)}\n")
    code = _run(argv)
    _drop_what_was_typed()
    if code not in (0, CANCELLED):
        with suppress(KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.default_int_handler)
            write_output(f"\nFailed with exit code {code}. Press Enter to return to acp-tui.")
            sys.stdin.readline()
    return code


def _run(argv: Sequence[str]) -> int:
    """The command's exit code, as a shell tells it."""
    cancelled = False

    def cancel(_number: int, _frame: object) -> None:
        nonlocal cancelled
        cancelled = True  # the terminal has told the command as well

    signal.signal(signal.SIGINT, cancel)
    command = None
    with hearing(leave):
        try:
            with deferred():
                command = subprocess.Popen(argv)  # noqa: S603 (the user has agreed to it)
            code = command.wait()
        except (OSError, ValueError) as error:
            write_error(why_not_started(error, argv[0]))
            return _NOT_STARTED
        except SystemExit:
            if command is not None:
                _end(command)
            raise
    if cancelled:
        return CANCELLED
    return code if code >= 0 else 128 - code


def _end(command: "subprocess.Popen[bytes]") -> None:
    with hearing(lambda _number: None):  # told twice, we still wait for its end
        command.terminate()
        try:
            command.wait(_KILLED_AFTER)
        except subprocess.TimeoutExpired:
            command.kill()
            command.wait()


def _drop_what_was_typed() -> None:
    if sys.platform != "win32":
        with suppress(OSError, ValueError, termios.error):
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
