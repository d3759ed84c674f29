"""One command that has the terminal to itself: an editor, a log-in."""

import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import anyio
from anyio.abc import Process

from acp_tui.errors import UserFault
from acp_tui.host.system.programs import why_not_started
from acp_tui.host.system.relay import TerminalRelay, can_relay, start_on_pty
from acp_tui.host.system.signals import hearing

if sys.platform != "win32":
    import termios

END_WITHIN = 2.0  # seconds between asking it to end and ending it
# What the terminal's own keys send to everyone in front of it.
KEYS = [getattr(signal, name) for name in ("SIGINT", "SIGQUIT") if hasattr(signal, name)]


async def run_in_foreground(
    argv: Sequence[str], cwd: str | None = None, env: Mapping[str, str] | None = None, output: bytearray | None = None
) -> int:
    """Run a command with this program's own terminal until it ends; its exit code, negative for a signal.

    `output` gets the last of what it wrote, raw, where the system can tell. Raises `UserFault` where it cannot be
    started. If this task is cancelled the command is ended first. However it ends, the terminal's modes are as they
    were before.
    """
    # Ctrl+C in an editor is the editor's: we hear it too, and do nothing. (To ignore it would be inherited.)
    with hearing(lambda _: None, KEYS), _terminal_modes_kept():
        relay: TerminalRelay | None = None
        try:
            if output is not None and can_relay():
                process, relay = await start_on_pty(argv, cwd, env)
            else:
                process = await anyio.open_process(argv, stdin=None, stdout=None, stderr=None, cwd=cwd, env=env)
        except (OSError, ValueError) as error:
            raise UserFault(f"{argv[0]} cannot be started", why_not_started(error, argv[0], cwd)) from error
        try:
            return await (process.wait() if relay is None else relay.serve(process))
        finally:
            with anyio.CancelScope(shield=True):
                if process.returncode is None:
                    await _end(process)
                if relay is not None and output is not None:
                    output += relay.output
                    await relay.aclose()


async def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
        with anyio.move_on_after(END_WITHIN):
            await process.wait()
            return
        process.kill()
    await process.wait()


@contextmanager
def _terminal_modes_kept() -> Iterator[None]:
    """A command that dies may leave the terminal without echo; what it was is put back."""
    before = None
    if sys.platform != "win32" and sys.__stdin__ is not None:
        with suppress(OSError, ValueError, termios.error):
            before = termios.tcgetattr(sys.__stdin__)
    try:
        yield
    finally:
        if sys.platform != "win32" and before is not None and sys.__stdin__ is not None:
            with suppress(OSError, ValueError, termios.error):
                termios.tcsetattr(sys.__stdin__, termios.TCSADRAIN, before)
