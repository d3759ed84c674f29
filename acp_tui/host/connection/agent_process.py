"""The agent as a process: start it, read and write its pipes, leave nothing of it behind.

The agent leads a session of its own, and what it started ends with it.
"""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from acp_tui.host.connection.process_start import EarlyProcess, Spawn
from acp_tui.host.records.traffic import Traffic
from acp_tui.host.system.process_tree import ProcessTree
from acp_tui.host.system.threads import in_thread

DEFAULT_CAP = 256 * 1024


class StderrRing:
    """The last bytes of a stream, to be looked at as lines."""

    def __init__(self, cap: int = DEFAULT_CAP) -> None:
        self._cap = cap
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        self._data += data
        del self._data[: -self._cap]

    def tail(self, lines: int) -> list[str]:
        """The last lines, decoded, without their ends, escapes and all; blank lines at the end do not count."""
        text = self._data.decode("utf-8", "replace").rstrip()
        return [line.rstrip("\r") for line in text.split("\n")][-lines:] if text and lines > 0 else []


class Child(Process):
    """The process behind a `Popen` with three unbuffered pipes, which belong to the event loop from now on."""

    def __init__(self, popen: subprocess.Popen[bytes], stdin: "_Input", stdout: "_Output", stderr: "_Output") -> None:
        self._popen, self._stdin, self._stdout, self._stderr = popen, stdin, stdout, stderr

    @classmethod
    async def of(cls, popen: subprocess.Popen[bytes]) -> "Child":
        """Take it over; where that fails, it is killed."""
        try:
            return cls(
                popen, await _Input.of(popen.stdin), await _Output.of(popen.stdout), await _Output.of(popen.stderr)
            )
        except BaseException:
            popen.kill()
            popen.wait()
            raise

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def returncode(self) -> int | None:
        return self._popen.returncode

    @property
    def stdin(self) -> "_Input":
        return self._stdin

    @property
    def stdout(self) -> "_Output":
        return self._stdout

    @property
    def stderr(self) -> "_Output":
        return self._stderr

    async def wait(self) -> int:
        return await in_thread(self._popen.wait)

    async def aclose(self) -> None:
        for stream in (self._stdin, self._stdout, self._stderr):
            stream.abort()
        await self.wait()

    def terminate(self) -> None:
        self._popen.terminate()

    def kill(self) -> None:
        self._popen.kill()

    def send_signal(self, signal: int) -> None:
        self._popen.send_signal(signal)


class _Output(ByteReceiveStream):
    def __init__(self, reader: asyncio.StreamReader, transport: asyncio.ReadTransport) -> None:
        self._reader, self._transport = reader, transport

    @classmethod
    async def of(cls, pipe: object) -> "_Output":
        reader = asyncio.StreamReader()
        protocol = partial(asyncio.StreamReaderProtocol, reader)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(protocol, pipe)
        return cls(reader, transport)

    async def receive(self, max_bytes: int = 65536) -> bytes:
        data = await self._reader.read(max_bytes)
        if not data:
            raise anyio.EndOfStream
        return data

    def abort(self) -> None:
        self._transport.close()

    async def aclose(self) -> None:
        self.abort()


class _Input(ByteSendStream):
    def __init__(self, writer: asyncio.StreamWriter, end: asyncio.StreamReader) -> None:
        self._writer, self._end = writer, end

    @classmethod
    async def of(cls, pipe: object) -> "_Input":
        loop = asyncio.get_running_loop()
        end = asyncio.StreamReader()  # nothing comes but the end
        transport, protocol = await loop.connect_write_pipe(partial(asyncio.StreamReaderProtocol, end), pipe)
        return cls(asyncio.StreamWriter(transport, protocol, None, loop), end)

    async def send(self, item: bytes) -> None:
        self._writer.write(item)
        await self._writer.drain()

    def abort(self) -> None:
        transport = self._writer.transport
        if not transport.is_closing() or transport.get_write_buffer_size():  # else its end is on the way, or was there
            transport.abort()

    async def aclose(self) -> None:
        self._writer.close()


READ_SIZE = 256 * 1024


class InputClosed(Exception):
    """The agent does not take input any more."""


class AgentProcess:
    """A running agent. `stop` must be called, whatever happened.

    `grace` is how many seconds each step of the shutdown ladder is given; all bytes that pass are shown to `traffic`.
    """

    grace = 1.0
    _told = b""  # what was written before anybody served it: the first that is sent must be that

    def __init__(self, process: Process) -> None:
        self._process = process
        self.pid = process.pid
        self._tree = ProcessTree(process.pid)
        self.stderr = StderrRing()
        self.stderr_ended = anyio.Event()
        self.traffic = Traffic()

    @classmethod
    async def start(
        cls, argv: tuple[str, ...], env: Mapping[str, str], cwd: str, early: EarlyProcess | None = None
    ) -> "AgentProcess":
        """Start the agent in the folder `cwd`, with `env` on top of ours; or go on with the `early` one, once.

        Raises `AgentFault` or `UserFault` when it cannot be started.
        """
        # Shielded: a start that is cancelled half-way would leave a process that nobody knows.
        with anyio.CancelScope(shield=True):
            unwanted = await cls.adopt(early) if early is not None else None
            try:
                spawn = Spawn.of(argv, env, cwd)
                if unwanted is not None and early is not None and early.spawn == spawn:
                    process, unwanted = unwanted, None
                else:
                    process = cls(await (_open_process(spawn) if sys.platform == "win32" else Child.of(spawn.start())))
            finally:
                if unwanted is not None:
                    await unwanted.stop()
        return process

    @classmethod
    async def adopt(cls, early: EarlyProcess) -> "AgentProcess | None":
        """The process that was started early; None if somebody has it already. `stop` must be called."""
        if (popen := early.take()) is None:
            return None
        process = cls(await Child.of(popen))
        process._told = early.line
        return process

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for a signal; `None` while it runs."""
        return self._process.returncode

    def show(self, traffic: Traffic) -> None:
        """Show all that passes to `traffic`, and before it what has passed already."""
        self.traffic = traffic
        traffic.begins()
        if self._told:
            traffic.passes("->", self._told)

    async def receive(self) -> bytes:
        """The next bytes of standard output; empty at its end."""
        data = await _receive(self._process.stdout)
        if data:
            self._tree.hear()
            self.traffic.passes("<-", data)
        return data

    async def send(self, data: bytes) -> None:
        """Write to standard input; waits while the agent does not read. Raises `InputClosed`."""
        if self._process.stdin is None:
            raise InputClosed
        if told := self._told:
            self._told = b""
            if data != told:
                raise RuntimeError(f"the agent was told {told!r} already, before {data!r:.500}")
            return
        self.traffic.passes("->", data)
        try:
            await self._process.stdin.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            raise InputClosed from error

    async def drain_stderr(self) -> None:
        """Read standard error to its end, always: an agent whose log nobody reads stops working."""
        while data := await _receive(self._process.stderr):
            self.stderr.feed(data)
            self.traffic.passes("err", data)
        self.stderr_ended.set()

    async def exited(self) -> None:
        """Wait until the process itself has ended, whoever else may hold its pipes."""
        await self._process.wait()
        self._tree.look()

    async def watch_descendants(self) -> None:
        """See who descends from the agent while it lives; who was seen ends with it."""
        await self._tree.watch()

    def kill(self) -> None:
        """End the process and all that descend from it now; `stop` must still be called."""
        if sys.platform == "win32":
            if self.returncode is None:
                self._process.kill()
        else:
            self._tree.kill()

    async def stop(self) -> None:
        """The shutdown ladder: close standard input, wait, TERM to whoever is left of the tree, wait, KILL.

        Takes about three times `grace` at most. The caller shields it; no other task may be reading any more.
        """
        try:
            async with anyio.create_task_group() as tasks:
                # A full pipe must not keep the agent from ending.
                tasks.start_soon(self._discard_stdout)
                tasks.start_soon(self.drain_stderr)
                await self._descend()
                tasks.cancel_scope.cancel()
            with anyio.move_on_after(self.grace):
                await self._process.aclose()
        finally:
            # The shield does not hold against a task that is cancelled by the event loop's own means.
            self.kill()
            self._tree.forget()

    async def _descend(self) -> None:
        self._tree.look()  # when the agent has ended with its input, nothing leads to its children any more
        with suppress(OSError):
            if self._process.stdin is not None:
                await self._process.stdin.aclose()
        # A dead agent's children do not hear that its standard input is closed.
        if await self._all_gone(self.grace if self.returncode is None else 0):
            return
        if sys.platform != "win32":
            self._tree.signal(signal.SIGTERM)
            if await self._all_gone(self.grace):
                return
        self.kill()
        await self._all_gone(self.grace)

    async def _discard_stdout(self) -> None:
        while await self.receive():
            pass

    async def _all_gone(self, within: float) -> bool:
        """Whether nobody is left of the tree, or is not within that many seconds."""
        if sys.platform == "win32":
            with anyio.move_on_after(within):
                await self._process.wait()
            return self.returncode is not None
        return await self._tree.ended(within)


async def _receive(stream: anyio.abc.ByteReceiveStream | None) -> bytes:
    if stream is None:
        return b""
    try:
        return await stream.receive(READ_SIZE)
    except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        return b""


async def _open_process(spawn: Spawn) -> Process:
    """The way of Windows, whose pipes asyncio must have made itself."""
    try:
        return await anyio.open_process(
            [spawn.program, *spawn.argv[1:]], cwd=spawn.cwd, env=spawn.environment, start_new_session=True
        )
    except OSError as error:
        raise spawn.fault(error) from error


def end_early(early: EarlyProcess) -> None:
    async def end() -> None:
        if (process := await AgentProcess.adopt(early)) is not None:
            await process.stop()

    asyncio.run(end())
