"""A process that was started without asyncio, as anyio has one that was started with it. Not on Windows.

Nobody else may wait for the process: its number would be free, and its exit code gone.
"""

import asyncio
import subprocess
from functools import partial

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from acp_tui.host.system.blocking import in_thread


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
    """What the process writes."""

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
    """What the process reads."""

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
        """Close it, whatever still waits to be written."""
        transport = self._writer.transport
        if not transport.is_closing() or transport.get_write_buffer_size():  # else its end is on the way, or was there
            transport.abort()

    async def aclose(self) -> None:
        self._writer.close()
