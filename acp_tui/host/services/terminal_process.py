"""One command of a terminal: what exactly is run, and the process while it runs and after."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import anyio
from anyio.abc import ByteReceiveStream, Process

from acp_tui.frozen import Frozen
from acp_tui.host.services.request_fault import invalid_params
from acp_tui.host.services.roots import resolve
from acp_tui.host.system.process_tree import ProcessTree
from acp_tui.host.system.programs import PLAIN_SHELL, user_shell
from acp_tui.host.system.pty_relay import PtyStream, open_pty
from acp_tui.host.system.watchdog import marked
from acp_tui.protocol.vocabulary.tool_calls import CreateTerminalRequest, TerminalExitStatus

COLUMNS, ROWS = 80, 24
KILL_GRACE = 2.0  # seconds between asking a command to end and ending it
DRAIN = 0.3  # seconds that output may still come after a command ended, when something else holds its PTY
_PIECE = 16 * 1024  # bytes taken at a time, so that taking them apart delays nobody

WINDOWS = sys.platform == "win32"

# A pager would wait for a key that nobody can press.
_ENVIRONMENT = {"TERM": "xterm-256color", "PAGER": "cat", "GIT_PAGER": "cat"}
_SHELL_SIGNS = re.compile(r"[\s|&;<>()$`\\\"'*?\[\]{}#~=!]")

_SEPARATORS = {os.sep, os.altsep or os.sep}


class TerminalCommand(Frozen):
    """A command that is ready to be run; `shown` is the line that the user reads."""

    argv: tuple[str, ...]
    shown: str
    environment: Mapping[str, str]
    cwd: Path


class TerminalProcess:
    """A running command and its output.

    The command leads a session. It has ended when its process has, whoever else holds its PTY: then
    `ended` is set, with `exit_status`. `receive` gets each piece of raw output.
    """

    def __init__(self, process: Process, stream: ByteReceiveStream, receive: Callable[[bytes], None]) -> None:
        self._process, self._stream, self._receive = process, stream, receive
        self._tree = ProcessTree(process.pid)
        self._drained = anyio.Event()
        self._scope = anyio.CancelScope(shield=True)  # who ends the command hears its last words, too
        self.ended = anyio.Event()
        self.exit_status: TerminalExitStatus | None = None

    async def serve(self, finished: Callable[[TerminalExitStatus], None]) -> None:
        """Pass output on until nobody can write any more or `detach` is called (being cancelled is not enough).

        `finished` is called once, when the command has ended.
        """
        with self._scope:
            try:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._pump)
                    tasks.start_soon(self._tree.watch)
                    returncode = await self._process.wait()
                    self._tree.look()
                    with anyio.move_on_after(DRAIN):
                        await self._drained.wait()
                    # What the command wrote is told before its end, however little we got of the processor since.
                    if isinstance(self._stream, PtyStream) and (rest := self._stream.rest()):
                        self._receive(rest)
                    self.exit_status = exit_status(returncode)
                    finished(self.exit_status)
                    self.ended.set()  # not at the end of this block: the pump may have more to do
            finally:
                self.ended.set()
                with anyio.CancelScope(shield=True):
                    await self._stream.aclose()

    async def kill(self) -> None:
        """End the command and all that descend from it, politely first; takes little more than KILL_GRACE seconds."""
        self._ask(lambda: self._tree.signal(signal.SIGTERM))
        with anyio.move_on_after(KILL_GRACE):
            await self._process.wait()
            await self._tree.ended(KILL_GRACE)
        self.kill_now()
        with anyio.move_on_after(KILL_GRACE):  # a process that hangs in the kernel ends when the kernel lets it
            await self._process.wait()
        self._tree.forget()

    def interrupt(self) -> None:
        self._ask(lambda: self._tree.signal_group(signal.SIGINT))

    def kill_now(self) -> None:
        """End the command and all that descend from it without asking; `kill` must still be called."""
        self._ask(self._tree.kill)

    def detach(self) -> None:
        self._scope.cancel()

    async def _pump(self) -> None:
        try:
            while True:
                self._receive(await self._stream.receive(_PIECE))
        except anyio.EndOfStream:
            self._drained.set()

    def _ask(self, tree: Callable[[], None]) -> None:
        if not WINDOWS:
            tree()
        elif self._process.returncode is None:
            self._process.terminate()


async def start(command: TerminalCommand, receive: Callable[[bytes], None]) -> TerminalProcess:
    """Start a command with both outputs on one PTY (one pipe on Windows) and no input; raises OSError, ValueError."""
    stream, theirs = (None, subprocess.PIPE) if WINDOWS else open_pty(COLUMNS, ROWS)
    try:
        process = await anyio.open_process(
            command.argv,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.STDOUT,
            cwd=command.cwd,
            env=marked(command.environment),
            start_new_session=not WINDOWS,
        )
    except BaseException:
        if stream is not None:
            await stream.aclose()
        raise
    finally:
        if stream is not None:
            os.close(theirs)
    output = stream or process.stdout
    if output is None:
        raise OSError("the command has no output")
    return TerminalProcess(process, output, receive)


def exit_status(returncode: int) -> TerminalExitStatus:
    """How a process with this return code (negative: a signal) ended."""
    if returncode >= 0:
        return TerminalExitStatus(exit_code=returncode)
    try:
        return TerminalExitStatus(signal=signal.Signals(-returncode).name)
    except ValueError:
        return TerminalExitStatus(signal=f"SIG{-returncode}")


def read_command(request: CreateTerminalRequest, roots: Sequence[Path]) -> TerminalCommand:
    """Read `terminal/create`; raises `RequestFault` for a folder outside the roots and a command that is not there."""
    cwd = _folder(request.cwd, roots) if request.cwd else roots[0]
    environment = {**os.environ, **_ENVIRONMENT, **{variable.name: variable.value for variable in request.env}}
    if _executable(request.command, environment, cwd):
        argv = (request.command, *request.args)
        return TerminalCommand(argv, shlex.join(argv), environment, cwd)
    if request.args or not _SHELL_SIGNS.search(request.command):
        raise invalid_params(
            f"{request.command or 'an empty command'}: command not found", {"command": request.command}
        )
    return TerminalCommand((*_shell(environment), request.command), request.command, environment, cwd)


def shell_command(line: str, cwd: Path) -> tuple[TerminalCommand, str]:
    """A line for the user's own shell, and what is wrong with that: then another one runs it."""
    environment = {**os.environ, **_ENVIRONMENT}
    shell, problem = user_shell(environment)
    argv = (*_shell(environment), line) if os.name == "nt" else (shell, "-c", line)
    return TerminalCommand(argv, line, environment, cwd), "" if os.name == "nt" else problem


def _folder(cwd: str, roots: Sequence[Path]) -> Path:
    folder = resolve(cwd, roots)
    if not folder.is_dir():
        problem = "is not a folder" if folder.exists() else "does not exist"
        raise invalid_params(f"the folder {cwd} {problem}", {"cwd": cwd})
    return folder


def _executable(command: str, environment: Mapping[str, str], cwd: Path) -> bool:
    """Whether `command` names a program as it stands: by path (seen from `cwd`) or in the environment's PATH."""
    try:
        if any(separator in command for separator in _SEPARATORS):
            return shutil.which(str(cwd / command)) is not None
        return bool(command) and shutil.which(command, path=environment.get("PATH")) is not None
    except ValueError:  # a NUL or a lone surrogate
        return False


def _shell(environment: Mapping[str, str]) -> tuple[str, str]:
    return (environment.get("COMSPEC", "cmd.exe"), "/c") if os.name == "nt" else (PLAIN_SHELL, "-c")
