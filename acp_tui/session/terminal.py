"""A terminal's state: its output, its end, and how much of it is kept."""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.vocabulary.terminals import TerminalExitStatus, TerminalSize

DISPLAY_CAP = 8 * 1024 * 1024  # bytes of one terminal that are kept for display
SMALL = 4 * 1024  # bytes up to which chunks are joined as they come; one by itself costs more than a byte that it holds
_KEPT = DISPLAY_CAP * 3 // 4  # what remains of a full terminal, so that dropping is rare


@dataclass(slots=True)
class Terminal:
    """A terminal; `chunks` are raw bytes with escapes and colours, oldest first; the last one may grow.

    When more than the display cap is held, the oldest chunks go: `dropped` counts their bytes. `generation` is
    bumped whenever all of it was replaced, so that a view starts anew.
    """

    id: str
    command: str | None = None
    cwd: str | None = None
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0
    dropped: int = 0
    generation: int = 0
    exit_status: TerminalExitStatus | None = None
    dimensions: TerminalSize | None = None
    cancellable: bool = False
    released: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    started_at: float = 0.0
    finished_at: float | None = None

    def append(self, data: bytes) -> None:
        """Add output at the end; what no longer fits goes from the beginning."""
        if self.chunks and len(self.chunks[-1]) + len(data) <= SMALL:
            self.chunks[-1] += data
        elif data:
            self.chunks.append(data)
        self.size += len(data)
        if self.size > DISPLAY_CAP:
            self._drop()

    def replace(self, data: bytes) -> None:
        self.chunks, self.size, self.dropped = [], 0, 0
        self.generation += 1
        self.append(data)

    def _drop(self) -> None:
        count, excess = 0, self.size - _KEPT
        while excess >= len(self.chunks[count]):
            excess -= len(self.chunks[count])
            count += 1
        del self.chunks[:count]
        first = self.chunks[0]
        while excess < len(first) and first[excess] & 0xC0 == 0x80:
            excess += 1  # never begin within a character
        self.chunks[0] = first[excess:]
        size = sum(map(len, self.chunks))
        self.dropped += self.size - size
        self.size = size
