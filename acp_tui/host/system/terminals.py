"""The terminals that an agent runs on this machine (protocol 1's `terminal/*`).

The agent reads plain text; the display is told the raw bytes, in the words in which any terminal is told.
"""

import codecs
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import ByteReceiveStream, Process

from acp_tui.frozen import Frozen
from acp_tui.host.system.paths import PLAIN_SHELL, user_shell, why_not_started
from acp_tui.host.system.process_tree import ProcessTree
from acp_tui.host.system.pty_relay import PtyStream, open_pty
from acp_tui.host.system.sandbox_paths import failed, invalid_params, not_found, resolve
from acp_tui.host.system.threads import in_thread
from acp_tui.host.system.watchdog import marked
from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.protocol.vocabulary.tool_calls import (
    CreateTerminalRequest,
    TerminalExitStatus,
    TerminalOutputChunk,
    TerminalRequest,
    TerminalUpdate,
)
from acp_tui.session.text.escapes import EscapeStripper

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


WITHIN = 60.0  # seconds in which a command's folder and program have to be found
MAX_TERMINALS = 64  # that an agent holds at once without releasing any
DEFAULT_LIMIT = 1024 * 1024  # bytes of UTF-8 kept when the agent gives no limit
MAX_LIMIT = 16 * 1024 * 1024  # and the most that it can ask for

ReadCommand = Callable[[CreateTerminalRequest, Sequence[Path]], TerminalCommand]


class TerminalOutput:
    """The output of a command as an agent reads it: decoded, without escapes, its end if there is too much."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = DEFAULT_LIMIT if limit is None else min(limit, MAX_LIMIT)
        self._kept = bytearray()
        self._cut = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stripper = EscapeStripper()

    def feed(self, data: bytes, final: bool = False) -> None:
        """Add raw output; characters and escapes may be split anywhere. `final` gives up on what is unfinished."""
        self._kept += self._stripper.feed(self._decoder.decode(data, final)).encode()
        excess = len(self._kept) - self.limit
        if excess > 0:
            del self._kept[: _boundary(self._kept, excess)]
            self._cut = True

    def read(self) -> tuple[str, bool]:
        """The end of the output, and whether there was more before it."""
        kept = self._kept + self._stripper.tail.encode()
        excess = len(kept) - self.limit
        if excess <= 0:
            return kept.decode(), self._cut
        return kept[_boundary(kept, excess) :].decode(), True


@dataclass(slots=True)
class _Terminal:
    id: str
    session_id: str
    output: TerminalOutput
    process: TerminalProcess


class Terminals:
    """All terminals of one connection. `apply` is told what there is to show, with the session's id.

    `run` has to be running; requests wait until it does.
    """

    def __init__(self, roots: Sequence[Path], apply: Callable[[str, Update], None]) -> None:
        self.roots, self._apply = tuple(roots), apply
        self._terminals: dict[str, _Terminal] = {}
        self._ending: list[_Terminal] = []  # released, and asked to end
        self._ready = anyio.Event()
        self._closing = False

    async def run(self) -> None:
        """Serve the terminals until cancelled; no command is left behind."""
        async with anyio.create_task_group() as self._tasks:
            self._ready.set()
            try:
                await anyio.sleep(math.inf)
            finally:
                with anyio.CancelScope(shield=True):
                    await self.close_all()

    async def create(self, request: CreateTerminalRequest, read: ReadCommand | None = None) -> str:
        """`terminal/create`: start a command and give the terminal's id at once; raises `RequestFault`.

        `read` says, in a thread, what is run for a request inside the roots.
        """
        await self._ready.wait()
        self._refuse_when_closing()
        if len(self._terminals) >= MAX_TERMINALS:
            raise failed(f"{MAX_TERMINALS} terminals are open already; release one first")
        try:
            command = await in_thread(read or read_command, request, self.roots, within=WITHIN)
        except TimeoutError as error:
            raise failed(f"{request.cwd}: the file system did not respond within {WITHIN:.0f} s") from error
        with anyio.CancelScope(shield=True):  # a command that was started is never lost
            terminal = await self._start(request, command)
            self._terminals[terminal.id] = terminal
            if self._closing:
                await self._end(terminal)
        self._refuse_when_closing()
        shown = TerminalUpdate(terminal_id=terminal.id, command=command.shown, cwd=str(command.cwd))
        self._apply(request.session_id, shown)
        self._tasks.start_soon(terminal.process.serve, partial(self._exited, terminal))
        return terminal.id

    def output(self, request: TerminalRequest) -> dict[str, Any]:
        terminal = self._find(request)
        text, truncated = terminal.output.read()
        status = terminal.process.exit_status
        answer = {"output": text, "truncated": truncated}
        return answer if status is None else {**answer, "exitStatus": _told(status)}

    async def wait_for_exit(self, request: TerminalRequest) -> dict[str, Any]:
        process = self._find(request).process
        await process.ended.wait()
        return _told(process.exit_status or TerminalExitStatus())

    async def kill(self, request: TerminalRequest) -> None:
        """`terminal/kill`: end the command; the terminal stays."""
        process = self._find(request).process
        await process.kill()
        with anyio.move_on_after(KILL_GRACE):
            await process.ended.wait()

    async def release(self, request: TerminalRequest) -> None:
        await self._end(self._find(request))

    async def close_all(self) -> None:
        """End every command; no new one begins."""
        self._closing = True
        async with anyio.create_task_group() as tasks:
            for terminal in list(self._terminals.values()):
                tasks.start_soon(self._end, terminal)

    def kill_all(self) -> None:
        """End every command without asking it; `close_all` then has nothing to wait for."""
        for terminal in (*self._terminals.values(), *self._ending):
            terminal.process.kill_now()

    async def _start(self, request: CreateTerminalRequest, command: TerminalCommand) -> _Terminal:
        terminal_id = f"terminal-{uuid.uuid4().hex[:12]}"  # never one of an earlier run of the same session
        output = TerminalOutput(request.output_byte_limit)

        def receive(data: bytes) -> None:
            output.feed(data)
            self._apply(request.session_id, TerminalOutputChunk(terminal_id=terminal_id, data=data))

        try:
            process = await start(command, receive)
        except ValueError as error:
            raise invalid_params(f"{command.shown}: {error}", {"command": request.command}) from error
        except OSError as error:
            raise failed(why_not_started(error, command.shown, command.cwd), {"command": request.command}) from error
        return _Terminal(terminal_id, request.session_id, output, process)

    def _refuse_when_closing(self) -> None:
        if self._closing:
            raise failed("the connection is closing")

    def _find(self, request: TerminalRequest) -> _Terminal:
        terminal = self._terminals.get(request.terminal_id)
        if terminal is None or terminal.session_id != request.session_id:
            raise not_found(f"unknown terminal: {request.terminal_id}", {"terminalId": request.terminal_id})
        return terminal

    def _exited(self, terminal: _Terminal, status: TerminalExitStatus) -> None:
        terminal.output.feed(b"", final=True)
        self._apply(terminal.session_id, TerminalUpdate(terminal_id=terminal.id, exit_status=status))

    async def _end(self, terminal: _Terminal) -> None:
        self._terminals.pop(terminal.id, None)
        self._ending.append(terminal)
        with anyio.CancelScope(shield=True):  # bounded; who asked may be gone, the command must be, too
            await terminal.process.kill()
            with anyio.move_on_after(DRAIN * 2):
                await terminal.process.ended.wait()
            terminal.process.detach()
        self._ending.remove(terminal)
        self._apply(terminal.session_id, TerminalUpdate(terminal_id=terminal.id, released=True))


def _told(status: TerminalExitStatus) -> dict[str, Any]:
    return {"exitCode": status.exit_code, "signal": status.signal}


def _boundary(data: bytearray, at: int) -> int:
    """The first place from `at` on where a character begins (or the data ends)."""
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at
