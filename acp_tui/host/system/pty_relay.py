"""A pseudo-terminal to give to a command, and its output as a stream."""

import os
import shutil
import struct
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

import anyio
from anyio.abc import ByteReceiveStream, Process

from acp_tui.errors import UserFault
from acp_tui.host.system.threads import in_joined_thread

if sys.platform != "win32":
    import fcntl
    import termios


CAPACITY = 128 * 1024  # bytes; more than any system's PTY holds


class PtyStream(ByteReceiveStream):
    """What is written to the other end of a PTY. Nothing is read ahead: who writes too fast has to wait."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """All that is there, up to `max_bytes`; raises `anyio.EndOfStream` when nobody can write any more."""
        while True:
            await anyio.wait_readable(self._descriptor)  # lets others run, even when there is something to read
            pieces, ended = self._read(max_bytes)
            if pieces:
                return b"".join(pieces)
            if ended:
                raise anyio.EndOfStream

    def rest(self) -> bytes:
        """All that is there; nothing is waited for. For the last words of who does not write any more."""
        return b"".join(self._read(CAPACITY)[0])

    async def aclose(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _read(self, size: int) -> tuple[list[bytes], bool]:
        """The pieces that are there (a PTY gives some 4 KiB at a time), and whether the end came."""
        pieces: list[bytes] = []
        while size > 0:
            try:
                piece = os.read(self._descriptor, size)
            except BlockingIOError:
                return pieces, False
            except OSError:  # Linux says EIO when nobody holds the other end any more; others give nothing
                return pieces, True
            if not piece:
                return pieces, True
            pieces.append(piece)
            size -= len(piece)
        return pieces, False


def open_pty(columns: int, rows: int) -> tuple[PtyStream, int]:
    """A new PTY of that size: the stream of its output, and the descriptor to write to, which the caller closes.

    A newline stays one character (no ONLCR): agents read this output, too. Not on Windows.
    """
    ours, theirs = os.openpty()
    attributes = termios.tcgetattr(theirs)
    attributes[1] &= ~termios.ONLCR
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    return PtyStream(ours), theirs


if sys.platform != "win32":
    import fcntl
    import termios
    import tty

KEPT = 16 * 1024  # bytes of output, its end
DRAIN = 0.3  # seconds that output may still come when the command has ended and something else holds its terminal
LOOK = 0.2  # seconds between looks at the size of our terminal; its signal is heard by the app, which is suspended
# Only the process itself can take the terminal as its controlling one, between fork and exec: Ctrl+C needs that.
_TAKE_TERMINAL = """\
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
try:
    os.execvp(sys.argv[1], sys.argv[1:])
except OSError as error:
    sys.exit(f"{sys.argv[1]}: {error.strerror}")
"""


def can_relay() -> bool:
    """Whether there is a terminal of ours to join another one to."""
    return sys.platform != "win32" and bool(sys.executable) and os.isatty(0) and os.isatty(1)


async def start_on_pty(
    argv: Sequence[str], cwd: str | None, env: Mapping[str, str] | None
) -> tuple[Process, "TerminalRelay"]:
    """Start the command; serve the relay until the process has ended. Raises `UserFault`, OSError and ValueError."""
    if shutil.which(argv[0], path=(os.environ if env is None else env).get("PATH")) is None:
        raise UserFault(f"{argv[0]} cannot be started", "Command not found.")
    ours, theirs = os.openpty()
    relay = TerminalRelay(ours)
    try:
        relay.fit()
        with suppress(termios.error):  # our terminal has just gone away: the command's begins as a new one does
            termios.tcsetattr(theirs, termios.TCSANOW, termios.tcgetattr(0))
        command = (sys.executable, "-I", "-S", "-c", _TAKE_TERMINAL, *argv)
        process = await anyio.open_process(
            command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env=env, start_new_session=True
        )
    except BaseException:
        await relay.aclose()
        raise
    finally:
        os.close(theirs)
    return process, relay


class TerminalRelay:
    """Between our terminal and the command's, whose end `ours` it owns. `output` is the last of what was written."""

    def __init__(self, ours: int) -> None:
        self._ours, self._stream = ours, PtyStream(ours)
        self._size = b""
        self._drained = anyio.Event()
        self.output = bytearray()

    async def serve(self, process: Process) -> int:
        """Pass keys and output on until the command has ended; its exit code. Our terminal is left in raw mode."""
        with suppress(termios.error):
            tty.setraw(0, termios.TCSADRAIN)
        async with anyio.create_task_group() as tasks:
            for act in (self._keys, self._shown, self._sizes):
                tasks.start_soon(act)
            code = await process.wait()
            with anyio.move_on_after(DRAIN):
                await self._drained.wait()
            tasks.cancel_scope.cancel()
        return code

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def _keys(self) -> None:
        while True:
            await anyio.wait_readable(0)
            try:
                data = os.read(0, 4096)
            except OSError:  # our terminal is gone
                return
            if not data:
                return
            while data:
                await anyio.wait_writable(self._ours)
                try:
                    data = data[os.write(self._ours, data) :]
                except BlockingIOError:
                    continue
                except OSError:  # the command's is
                    return

    async def _shown(self) -> None:
        try:
            while True:
                data = await self._stream.receive()
                self.output += data
                del self.output[:-KEPT]
                await in_joined_thread(_write, data)  # a terminal may be slow, and the agent must not wait
        except (anyio.EndOfStream, OSError):
            self._drained.set()

    async def _sizes(self) -> None:
        while True:
            await anyio.sleep(LOOK)
            self.fit()

    def fit(self) -> None:
        with suppress(OSError):
            size = fcntl.ioctl(1, termios.TIOCGWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
            if size != self._size:
                self._size = size
                fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]
