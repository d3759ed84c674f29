"""A pseudo-terminal to give to a command, and its output as a stream."""

import os
import struct
import sys

import anyio
from anyio.abc import ByteReceiveStream

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
