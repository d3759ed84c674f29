"""One command that has the terminal to itself: an editor, a log-in."""

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import PurePath

import anyio
from anyio.abc import Process

from acp_tui.errors import UserFault
from acp_tui.host.system.programs import own_program, why_not_started
from acp_tui.host.system.pty_relay import TerminalRelay, can_relay, start_on_pty
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


VARIABLES = ("VISUAL", "EDITOR")
USUAL = ("nano", "vim", "vi", "micro", "emacs")
WAITING = ("code", "code-insiders", "codium", "cursor", "windsurf", "zed", "zeditor", "subl", "atom", "mate")

_GOTO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})  # --goto path:line
_COLON = frozenset({"hx", "helix", "zed", "zeditor", "subl", "atom"})  # path:line


def editor_command(
    path: str,
    line: int | None = None,
    environment: Mapping[str, str] | None = None,
    find: Callable[[str], str | None] = own_program,
) -> list[str]:
    """The command that opens `path` at `line` (from 1) in the user's editor and ends when it is closed.

    `$VISUAL`, `$EDITOR`, else the first of the usual ones on this machine. Raises `UserFault` if there is none.
    """
    words = _chosen(os.environ if environment is None else environment, find)
    name = PurePath(words[0]).name.removesuffix(".exe")
    if name in WAITING and not {"-w", "--wait"} & set(words):
        words.append("--wait")
    if line is None:
        return [*words, path]
    if name in _GOTO:
        return [*words, "--goto", f"{path}:{line}"]
    return [*words, f"{path}:{line}"] if name in _COLON else [*words, f"+{line}", path]


def _chosen(environment: Mapping[str, str], find: Callable[[str], str | None]) -> list[str]:
    for variable in VARIABLES:
        value = environment.get(variable, "")
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise UserFault(f"${variable} is not a valid command", f"{value!r}: {error}") from error
        if words:
            return words
    found = next((path for name in USUAL if (path := find(name))), None)
    if found is None:
        raise UserFault("No editor found", hint="Set $EDITOR to the command of your editor.")
    return [found]
