"""The scripted agent in the test's own process: the same script, over two pipes in memory.

    Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path), start=in_process(script))

The bytes go the whole way through the client, cut at places that a seed chooses, and a pipe that is full is waited for.
What only a process has (signals, its environment, its standard streams, a folder of its own) such a script has not.

A script blocks where it waits, so it has a thread; but that one runs only while the event loop waits for it. So script
and client take turns as two coroutines do, in an order that is the same each time.
"""

import asyncio
import json
import os
import signal
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from queue import SimpleQueue
from random import Random
from typing import Any, NoReturn

import anyio
import anyio.lowlevel

from acp_tui.host.agent.context import StartProcess
from acp_tui.host.connection.agent_process import AgentProcess, InputClosed, StderrRing
from acp_tui.host.records.traffic import Traffic
from tests.agents.scripted import HEAD_LINES, Refused, Script, ScriptedAgent

CAPACITY = 64 * 1024
"""Bytes that a pipe holds, as those of the system do."""
GOES_OUT = 0.25
"""How likely it is that what a script has written goes out at once."""


def in_process(script: Script) -> StartProcess:
    """What starts a life of this script; its argument vector and variables count for nothing."""

    async def start(_argv: tuple[str, ...], _env: Mapping[str, str], cwd: str) -> AgentProcess:
        return InProcessAgent(script, cwd)

    return start


class Pipe:
    """One direction of the way to an agent. What is written is cut at places that `chance` chooses; without it at none.

    So it is with what the client writes: who is cancelled has written all that there was room for, or nothing.
    """

    def __init__(self, chance: Random | None = None) -> None:
        self._chance = chance
        self._held = bytearray()
        self._ended = False
        self._changed = anyio.Event()

    async def send(self, data: bytes) -> None:
        """Put it all in, waiting while the pipe is full. Raises `BrokenPipeError` where it has ended."""
        left = memoryview(data)
        while left:
            while not self._ended and len(self._held) >= CAPACITY:
                await self._changed.wait()
            if self._ended:
                raise BrokenPipeError
            piece = left[: min(CAPACITY - len(self._held), self._cut(len(left)))]
            self._held += piece
            self._tell()
            left = left[len(piece) :]
            if left:
                await anyio.lowlevel.checkpoint()

    async def receive(self) -> bytes:
        """What is in it; empty at its end."""
        while not (self._held or self._ended):
            await self._changed.wait()
        data = bytes(self._held)
        self._held.clear()
        self._tell()
        return data

    def end(self) -> None:
        """Nothing more goes in; what is in it can still be read."""
        self._ended = True
        self._tell()

    def _cut(self, size: int) -> int:
        """How much goes in at once: every other time all of it, and maybe the next write with it."""
        return size if self._chance is None else 1 + int(2 * size * self._chance.random())

    def _tell(self) -> None:
        changed, self._changed = self._changed, anyio.Event()
        changed.set()


class _Ended(BaseException):
    """Ends a script wherever it is."""

    def __init__(self, code: int) -> None:
        self.code = code


class Turns:
    """A function that blocks, run as a coroutine: its thread only runs while the event loop waits for it."""

    def __init__(self, body: Callable[[], None]) -> None:
        self._body = body
        self._wanted: SimpleQueue[Callable[[], Awaitable[Any]] | None] = SimpleQueue()
        self._given: SimpleQueue[Any] = SimpleQueue()
        self._cancelled = False
        self._code = 0

    async def run(self) -> int:
        """Run it to its end; gives its exit code. Cancelled, the function ends where it waits."""
        threading.Thread(target=self._work, daemon=True).start()
        wanted = self._wanted.get()
        try:
            while wanted is not None:
                try:
                    given = await wanted()
                except Exception as error:  # noqa: BLE001 - raised where it was wanted
                    given = error
                self._given.put(given)
                wanted = self._wanted.get()
        finally:
            self._cancelled = True
            while wanted is not None:
                self._given.put(None)
                wanted = self._wanted.get()
        return self._code

    def wait(self, wanted: Callable[[], Awaitable[Any]]) -> Any:
        """Have the event loop wait for this, as seen from the function; gives what came of it."""
        self._wanted.put(wanted)
        given = self._given.get()
        if self._cancelled:
            raise _Ended(-signal.SIGKILL)
        if isinstance(given, Exception):
            raise given
        return given

    def _work(self) -> None:
        try:
            self._body()
        except _Ended as ended:
            self._code = ended.code
        finally:
            self._wanted.put(None)


class InProcessAgent(AgentProcess):
    """One life of a script in this process."""

    def __init__(self, script: Script, folder: str) -> None:
        chance = Random(script.body.replace(str(script.path.parent), ""))  # the same each time
        pipes = self._input, self._output, self._errors = Pipe(), Pipe(chance), Pipe(chance)
        self._ended = anyio.Event()
        self._returncode: int | None = None
        self._signal: int = signal.SIGKILL
        self.pid = 0
        self.stderr = StderrRing()
        self.stderr_ended = anyio.Event()
        self.traffic = Traffic()
        turns = Turns(lambda: _lived(script, _Inside(folder, turns, chance, *pipes)))
        self._life = asyncio.create_task(turns.run())
        self._life.add_done_callback(self._end)  # it may be cancelled before it has begun

    @property
    def returncode(self) -> int | None:
        return self._returncode

    async def receive(self) -> bytes:
        data = await self._output.receive()
        if data:
            self.traffic.passes("<-", data)
        return data

    async def send(self, data: bytes) -> None:
        self.traffic.passes("->", data)
        try:
            await self._input.send(data)
        except BrokenPipeError as error:
            raise InputClosed from error

    async def drain_stderr(self) -> None:
        while data := await self._errors.receive():
            self.stderr.feed(data)
            self.traffic.passes("err", data)
        self.stderr_ended.set()

    async def exited(self) -> None:
        await self._ended.wait()

    async def watch_descendants(self) -> None:
        """There are none."""

    def kill(self) -> None:
        self._end_by(signal.SIGKILL)

    async def stop(self) -> None:
        """The same ladder: no more input, TERM, KILL."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._discard_stdout)
                tasks.start_soon(self.drain_stderr)
                self._input.end()
                for number in (signal.SIGTERM, signal.SIGKILL):
                    with anyio.move_on_after(self.grace):
                        await self.exited()
                    self._end_by(number)
                await self.exited()
        finally:
            self.kill()

    def _end_by(self, number: int) -> None:
        if self._returncode is None:
            self._signal = number
            self._life.cancel()

    def _end(self, life: asyncio.Task[int]) -> None:
        self._returncode = -self._signal if life.cancelled() else life.result()
        for pipe in (self._input, self._output, self._errors):
            pipe.end()
        self._ended.set()


class _Inside:
    """What a script of this process lives in: each of its steps that may take time, the event loop waits for.

    A turn costs more than a write: what is written goes out when `chance` says so, and before the script waits or ends.
    """

    def __init__(self, folder: str, turns: Turns, chance: Random, taken: Pipe, said: Pipe, errors: Pipe) -> None:
        self.folder = folder
        self._turns, self._chance = turns, chance
        self._input, self._output, self._errors = taken, said, errors
        self._unread, self._unsent = bytearray(), bytearray()
        self._mute = False

    def read_line(self) -> bytes:
        size = 0
        while not (size := self._unread.find(b"\n", size) + 1):
            size = len(self._unread)
            data = self._wait(self._input.receive)
            if not data:
                break
            self._unread += data
        line = bytes(self._unread[:size])
        del self._unread[:size]
        return line

    def write(self, data: bytes) -> None:
        if not self._mute:
            self._unsent += data
            if len(self._unsent) >= CAPACITY or self._chance.random() < GOES_OUT:
                self._flush()

    def write_error(self, text: str) -> None:
        self._wait(partial(self._errors.send, text.encode()))

    def close_output(self) -> None:
        self._wait(partial(_close, self._output))
        self._mute = True

    def end(self, code: int) -> NoReturn:
        self._flush()
        raise _Ended(code)

    def end_by(self, number: int) -> None:
        self.end(-number)

    def ignore_signals(self) -> None:
        raise NotImplementedError("only a process has signals")

    def hang(self) -> NoReturn:
        self._wait(anyio.sleep_forever)
        raise AssertionError

    def wait_for(self, gate: str) -> None:
        self._wait(partial(_pass, gate))

    def _wait(self, wanted: Callable[[], Awaitable[Any]]) -> Any:
        self._flush()
        return self._turns.wait(wanted)

    def _flush(self) -> None:
        if self._unsent:
            data, self._unsent = bytes(self._unsent), bytearray()
            self._turns.wait(partial(self._output.send, data))


async def _close(pipe: Pipe) -> None:
    pipe.end()


async def _pass(gate: str) -> None:
    waiting = os.open(gate, os.O_RDONLY | os.O_NONBLOCK)
    try:
        await anyio.wait_readable(waiting)
        os.read(waiting, 1)
    finally:
        os.close(waiting)


def _lived(script: Script, surroundings: _Inside) -> NoReturn:
    """Run the script to its end."""
    agent = ScriptedAgent(str(script.record), surroundings)
    code: object = 0
    try:
        source = compile("\n" * HEAD_LINES + script.body, script.path, "exec")
        exec(source, {"agent": agent, "json": json, "Refused": Refused})
    except SystemExit as ended:
        code = ended.code
    except Exception:  # noqa: BLE001 - as an interpreter does
        code = traceback.format_exc()
    if isinstance(code, str):
        surroundings.write_error(code)
        code = 1
    surroundings.end(code if isinstance(code, int) else 0)
