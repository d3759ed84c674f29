"""The user's own commands: in a session's folder, by their shell; and those that have the terminal to themselves (an
editor, a log-in). The agent hears nothing of them.
"""

import os
import shlex
import signal
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath

import anyio
from anyio.abc import Process

from acp_tui.errors import UserFault
from acp_tui.host.services import terminals
from acp_tui.host.services.terminals import TerminalOutput, TerminalProcess, shell_command
from acp_tui.host.system.paths import own_program, why_not_started
from acp_tui.host.system.processes import hearing
from acp_tui.host.system.pty_relay import TerminalRelay, can_relay, start_on_pty
from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk, TerminalUpdate
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import Noticed, OwnCommandEnded, OwnCommandRun
from acp_tui.session.state import Session, Terminal

if sys.platform != "win32":
    import termios

OUTPUT_AT_MOST = 20_000  # bytes of a command's output that go to the agent


class OwnCommands:
    """The commands of one session. Each `run` belongs to a task, whose cancelling ends the command."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._running: dict[str, TerminalProcess] = {}
        self._stopped: set[str] = set()
        self._shell_problem = ""

    async def run(self, line: str) -> None:
        """Run a line until it ends; what it writes and how it ended is told to the session. Raises nothing."""
        session, command_id = self._session, f"own-{uuid.uuid4().hex[:12]}"
        session.apply(OwnCommandRun(command_id, line, session.cwd))
        command, problem = shell_command(line, Path(session.cwd))
        if problem not in ("", self._shell_problem):
            instead = f"Commands run in {command.argv[0]} instead."
            session.apply(Noticed("warning", "Your shell was not found", problem, instead))
        self._shell_problem = problem
        try:
            process = await terminals.start(
                command, lambda data: session.apply(TerminalOutputChunk(terminal_id=command_id, data=data))
            )
        except (OSError, ValueError) as error:
            session.apply(OwnCommandEnded(command_id))
            reason = why_not_started(error, command.argv[0], command.cwd)
            session.apply(Noticed("error", "Cannot run the command", reason))
            return
        self._running[command_id] = process
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(
                process.serve, lambda status: session.apply(TerminalUpdate(terminal_id=command_id, exit_status=status))
            )
            try:
                await process.ended.wait()
            finally:
                await self._end(command_id, process)

    def stop(self) -> bool:
        """End the command that was begun last; whether one runs."""
        for command_id, process in reversed(self._running.items()):
            if command_id in self._stopped:
                process.kill_now()  # asked once, it went on
            else:
                process.interrupt()
            self._stopped.add(command_id)
            return True
        return False

    def kill_all(self) -> None:
        for process in self._running.values():
            process.kill_now()

    async def _end(self, command_id: str, process: TerminalProcess) -> None:
        with anyio.CancelScope(shield=True):  # bounded; whatever becomes of this task, the command must end
            if not process.ended.is_set():
                await process.kill()
            process.detach()
        self._running.pop(command_id, None)
        self._session.apply(TerminalUpdate(terminal_id=command_id, released=True))
        self._session.apply(OwnCommandEnded(command_id, stopped=command_id in self._stopped))


def told_output(entry: ToolCallEntry, terminal: Terminal) -> str:
    """A command and its output as the user would paste it: plain, fenced, its end if it is long, which is said."""
    output = TerminalOutput(OUTPUT_AT_MOST)
    for chunk in terminal.chunks:
        output.feed(chunk)
    output.feed(b"", final=True)
    text, cut = output.read()
    lines = [line.rsplit("\r", 1)[-1] for line in text.replace("\r\n", "\n").rstrip().split("\n")]
    if cut or terminal.dropped:
        lines.insert(0, f"[only the last {OUTPUT_AT_MOST // 1000} KB of the output]")
    fence = "`" * max(3, 1 + max((len(line) - len(line.lstrip("`")) for line in lines), default=0))
    return "\n".join(
        ["", f"Output of `{terminal.command or entry.title}`{_ending(terminal)}:", fence, *lines, fence, ""]
    )


def _ending(terminal: Terminal) -> str:
    status = terminal.exit_status
    if status is None:
        return ", still running"
    return f", terminated by {status.signal}" if status.signal else f", exit code {status.exit_code}"


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
