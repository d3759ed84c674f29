"""The bytes that pass between us and an agent, for whoever looks at them.

Whole reads and writes are kept by reference, and the oldest go: that costs nothing that could be measured. What
happened a moment before somebody began to look is there, what happened long before is not.
"""

import time
from collections import deque
from dataclasses import dataclass
from typing import Literal

from acp_tui.session.changes import Publisher

KEPT = 2 * 1024 * 1024  # bytes that are kept for who begins to look later
PIECE = 200  # bytes that a piece costs beside its data, of which it may have few
OPENING = 64 * 1024  # bytes of each connection's beginning that are kept beside that: they say what is spoken

Direction = Literal["->", "<-", "err", "start"]
"""To the agent, from it, its standard error, or the start of a process (which has no bytes)."""


@dataclass(frozen=True, slots=True)
class TrafficChunk:
    """What passed at once; `at` is in monotonic seconds. Lines may begin and end anywhere."""

    at: float
    direction: Direction
    data: bytes = b""


class Traffic(Publisher[TrafficChunk]):
    """All that passes, through all processes of one agent, published as it passes.

    `lost` tells that `recent` is not all of it. `put_in` are values of variables in what describes MCP servers: who
    shows or keeps what passes leaves them out.
    """

    def __init__(self) -> None:
        self.recent: deque[TrafficChunk] = deque()
        self.opening: list[TrafficChunk] = []
        self.lost = False
        self.put_in: tuple[str, ...] = ()
        self._size = self._opening_size = 0

    def begins(self) -> None:
        self.opening, self._opening_size = [], 0
        self.passes("start", b"")

    def passes(self, direction: Direction, data: bytes) -> None:
        piece = TrafficChunk(time.monotonic(), direction, data)
        self.recent.append(piece)
        self._size += PIECE + len(data)
        while self._size > KEPT:
            self._size -= PIECE + len(self.recent.popleft().data)
            self.lost = True
        if self._opening_size < OPENING:
            self._opening_size += len(data) or 1
            self.opening.append(piece)
        self.publish(piece)
