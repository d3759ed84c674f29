"""Traffic as lines, each direction by itself."""

from collections.abc import Iterator
from dataclasses import dataclass

from acp_tui.host.traffic import Direction, Piece
from acp_tui.wire.framing import Line, LineFramer
from acp_tui.wire.values import VALUES_CAP

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
        for line in self._framer(piece.direction).feed(data):
            yield PassedLine(piece.at, piece.direction, line)

    def _framer(self, direction: Direction) -> LineFramer:
        if direction not in self._framers:
            # What is said on standard error is not parsed.
            self._framers[direction] = LineFramer(self._cap, None if direction == "err" else VALUES_CAP)
        return self._framers[direction]
