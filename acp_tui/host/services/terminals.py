"""The terminals that an agent runs on this machine (protocol 1's `terminal/*`).

The agent reads plain text; the display is told the raw bytes, in the words in which any terminal is told.
"""

import codecs
import math
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from acp_tui.host.services import terminal_process
from acp_tui.host.services.request_fault import failed, invalid_params, not_found
from acp_tui.host.services.terminal_process import TerminalCommand, TerminalProcess, read_command
from acp_tui.host.system.blocking import in_thread
from acp_tui.host.system.programs import why_not_started
from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.protocol.vocabulary.tool_calls import (
    CreateTerminalRequest,
    TerminalExitStatus,
    TerminalOutputChunk,
    TerminalRequest,
    TerminalUpdate,
)
from acp_tui.session.text.escapes import EscapeStripper

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
        with anyio.move_on_after(terminal_process.KILL_GRACE):
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
            process = await terminal_process.start(command, receive)
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
            with anyio.move_on_after(terminal_process.DRAIN * 2):
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
