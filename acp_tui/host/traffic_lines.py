"""Traffic as lines, each direction by itself; must not know what a line says."""

from collections.abc import Iterator
from dataclasses import dataclass

from acp_tui.host.traffic import Direction, Piece
from acp_tui.wire.framing import Line, LineFramer

LINE_CAP = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PassedLine:
    """A line, without its end, and when its last byte passed (monotonic seconds)."""

    at: float
    direction: Direction
    line: Line


class TrafficLines:
    """Cuts pieces into lines. With `torn`, what comes before the first line's end in each direction is no line."""

    def __init__(self, *, torn: bool = False, cap: int = LINE_CAP) -> None:
        self._cap = cap
        self._framers: dict[Direction, LineFramer] = {}
        self._torn: set[Direction] = {"<-", "err"} if torn else set()

    def feed(self, piece: Piece) -> Iterator[PassedLine]:
        """The lines that a piece completes; the start of a process is an empty one."""
        if piece.direction == "start":
            self._framers.clear()
            self._torn.clear()
            yield PassedLine(piece.at, "start", b"")
            return
        data = piece.data
        if piece.direction in self._torn:
            _, end, data = data.partition(b"\n")
            if not end:
                return
            self._torn.discard(piece.direction)
        framer = self._framers.setdefault(piece.direction, LineFramer(self._cap))
        for line in framer.feed(data):
            yield PassedLine(piece.at, piece.direction, line)
