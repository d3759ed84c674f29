"""Cuts a stream of bytes into lines, and refuses those that would take too long to parse.

A line may arrive in thousands of reads: its pieces are collected in a list and joined once, so that the
cost stays linear in its size. Its values are counted meanwhile, so that a line of millions is refused before
it is parsed and is not held in memory. The count is of brackets and commas outside strings, so that a text or file
of any length counts as one value.
"""

from acp_tui.frozen import Frozen

DEFAULT_CAP = 64 * 1024 * 1024
VALUES_CAP = 100_000
"""Values of a line. The slowest kinds take 0.4 µs each to parse, long floats 1 µs: 100 ms at most (measured)."""
VALUE_SIZE = 20
"""Bytes outside strings that count as one value: numbers of thousands of digits take 22 ns a byte to parse."""
HEAD_SIZE = 512
"""Bytes of a refused line that are kept: its id is mostly in them."""


class OversizedLine(Frozen):
    """A line that was refused and thrown away up to its newline.

    `size` is in bytes, without the newline; `head` are its first bytes, `HEAD_SIZE` at most; `excess` says what
    there was too much of.
    """

    size: int
    head: bytes
    excess: str


Line = bytes | OversizedLine


class LineFramer:
    """Cuts a stream into lines. Blank lines vanish; a carriage return before the newline is dropped.

    A line may have `cap` bytes and `values_cap` JSON values; without the latter, values are not counted.
    """

    def __init__(self, cap: int = DEFAULT_CAP, values_cap: int | None = VALUES_CAP) -> None:
        self._cap = cap
        self._values_cap = cap if values_cap is None else values_cap
        self._short = min(self._cap, self._values_cap)  # a value has at least a byte
        self._begin()

    def feed(self, data: bytes) -> list[Line]:
        """Take the next bytes of the stream; gives the lines that they complete."""
        head, *rest = data.split(b"\n")
        self._grow(head)
        if not rest:
            return []
        first, last = self._take(), rest.pop()
        lines = [first, *(self._whole(line) for line in rest)]
        self._grow(last)
        return [line for line in lines if not _is_blank(line)]

    def finish(self) -> list[Line]:
        """The stream has ended; gives the last line, if it had no newline."""
        line = self._take()
        return [] if _is_blank(line) else [line]

    def _begin(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._count: ValueCount | None = None
        self._refused = False

    def _grow(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._refused:
            self._keep_head(piece)
            return
        if piece:
            self._pieces.append(piece)
        if self._size > self._short and (self._size > self._cap or self._count_values(piece) > self._values_cap):
            self._refused = True
            pieces, self._pieces = self._pieces, []
            for held in pieces:
                self._keep_head(held)

    def _whole(self, line: bytes) -> Line:
        """A line that came in one piece, while none other is being collected."""
        if len(line) <= self._short:
            return _without_return(line)
        self._grow(line)
        return self._take()

    def _count_values(self, piece: bytes) -> int:
        if self._count is None:
            self._count = ValueCount()
            for held in self._pieces:
                self._count.feed(held)
        else:
            self._count.feed(piece)
        return self._count.values

    def _keep_head(self, piece: bytes) -> None:
        """Of a refused line one piece is held, until it is as long as a head."""
        head = self._pieces[0] if self._pieces else b""
        if len(head) < HEAD_SIZE:
            self._pieces = [(head + piece[:HEAD_SIZE])[:HEAD_SIZE]]

    def _take(self) -> Line:
        pieces, size, refused = self._pieces, self._size, self._refused
        self._begin()
        if not refused:
            return _without_return(b"".join(pieces))
        excess = f"{self._values_cap:,} values" if size <= self._cap else f"{self._cap:,} bytes"
        return OversizedLine(size, b"".join(pieces), f"more than {excess}")


def _without_return(line: bytes) -> bytes:
    return line[:-1] if line.endswith(b"\r") else line


def _is_blank(line: Line) -> bool:
    return isinstance(line, bytes) and (not line or line.isspace())


class ValueCount:
    """Counts the values of a JSON text in its pieces: the brackets that open and the commas, outside strings.

    Works at 200 MB/s and more, whatever the text. Of a text that is no JSON the count says nothing.
    """

    __slots__ = ("_bytes", "_escape", "_in_string", "_marks")

    def __init__(self) -> None:
        self._marks = self._bytes = self._in_string = 0
        self._escape = b""

    @property
    def values(self) -> int:
        """How many so far, rounded up where numbers are long."""
        return max(self._marks, self._bytes // VALUE_SIZE)

    def feed(self, piece: bytes) -> None:
        """Take the next piece, which may begin and end anywhere."""
        text, self._escape = self._escape + piece, b""
        if b"\\" in text:
            text = text.replace(rb"\\", b"")  # pairs first: what is left of a run of backslashes is one at most
            self._escape = b"\\" if text.endswith(b"\\") else b""
            text = text.replace(rb"\"", b"")
        parts = text.split(b'"')
        outside = b"".join(parts[self._in_string :: 2])
        self._in_string ^= len(parts) % 2 == 0
        self._marks += outside.count(b",") + outside.count(b"[") + outside.count(b"{")
        self._bytes += len(outside) + len(parts) - 1
