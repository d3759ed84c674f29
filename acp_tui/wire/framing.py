"""Bytes to lines; must not know what a line means.

A line may arrive in thousands of reads: its pieces are collected in a list and joined once, so that the
cost stays linear in its size.
"""

from dataclasses import dataclass

DEFAULT_CAP = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class OversizedLine:
    """A line over the cap, thrown away up to its newline; `size` is in bytes, without the newline."""

    size: int


Line = bytes | OversizedLine


class LineFramer:
    """Cuts a stream into lines. Blank lines vanish; a carriage return before the newline is dropped."""

    def __init__(self, cap: int = DEFAULT_CAP) -> None:
        self._cap = cap
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[Line]:
        """Take the next bytes of the stream; gives the lines that they complete."""
        head, *rest = data.split(b"\n")
        self._grow(head)
        if not rest:
            return []
        first, last = self._take(), rest.pop()
        self._grow(last)
        lines = [first, *(self._checked(line) for line in rest)]
        return [line for line in lines if not _is_blank(line)]

    def finish(self) -> list[Line]:
        """The stream has ended; gives the last line, if it had no newline."""
        line = self._take()
        return [] if _is_blank(line) else [line]

    def _grow(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._cap:
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)

    def _take(self) -> Line:
        """The line collected so far, which is complete now."""
        pieces, size = self._pieces, self._size
        self._pieces, self._size = [], 0
        return OversizedLine(size) if size > self._cap else _without_return(b"".join(pieces))

    def _checked(self, line: bytes) -> Line:
        return OversizedLine(len(line)) if len(line) > self._cap else _without_return(line)


def _without_return(line: bytes) -> bytes:
    return line[:-1] if line.endswith(b"\r") else line


def _is_blank(line: Line) -> bool:
    return isinstance(line, bytes) and (not line or line.isspace())
