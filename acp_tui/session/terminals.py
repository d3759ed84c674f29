"""Terminals on display: those that run on this machine and those that an agent tells about.

Tool calls that show a terminal do not change with it: who draws them finds them in `index.terminal_references`.
"""

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from acp_tui.protocol.terminals import TerminalExitStatus, TerminalOutputChunk, TerminalSize, TerminalUpdate
from acp_tui.protocol.tool_calls import TerminalReference
from acp_tui.session import timeline
from acp_tui.session.changes import TerminalChanged
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.metadata import patched

if TYPE_CHECKING:
    from acp_tui.session.state import Session

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
        """Show `data` and nothing else."""
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


def fold_update(session: "Session", update: TerminalUpdate) -> None:
    """Create or patch a terminal; given output replaces what it shows."""
    terminal = _terminal(session, update.terminal_id)
    if update.has("command"):
        terminal.command = update.command
    if update.has("cwd"):
        terminal.cwd = update.cwd
    if update.has("output"):
        terminal.replace(update.output or b"")
    if update.has("exit_status"):
        terminal.exit_status = update.exit_status
        terminal.finished_at = session.clock() if update.exit_status else None
    if update.has("released"):
        terminal.released = update.released
    if update.has("size"):
        terminal.dimensions = update.size
    if update.has("capabilities"):
        terminal.cancellable = update.capabilities is not None and update.capabilities.cancel
    terminal.meta = patched(terminal.meta, update)
    _changed(session, terminal)


def fold_chunk(session: "Session", update: TerminalOutputChunk) -> None:
    """Append output; it may come before anything else was said of the terminal."""
    terminal = _terminal(session, update.terminal_id)
    terminal.append(update.data)
    _changed(session, terminal)


def set_aside(session: "Session") -> None:
    """Call the terminals of before by names of their own: from now on the agent's ids mean others.

    Those of own commands keep theirs, since these may still run.
    """
    references = session.index.terminal_references
    ids = [id_ for id_ in {**session.terminals, **references} if id_ not in session.index.own_commands]
    names = {id_: _free_name(session, id_) for id_ in ids}
    session.terminals = {names.get(id_, id_): terminal for id_, terminal in session.terminals.items()}
    for name, terminal in session.terminals.items():
        terminal.id = name
    for id_ in ids:
        references.pop(id_, None)
    for entry in session.entries:
        if isinstance(entry, ToolCallEntry) and _rename(entry, names):
            for item in entry.content:
                if isinstance(item, TerminalReference):
                    references.setdefault(item.terminal_id, {})[entry.id] = entry
            timeline.changed(session, entry)


def _free_name(session: "Session", id_: str) -> str:
    return next(name for number in count(1) if (name := f"{id_} (before {number})") not in session.terminals)


def _rename(entry: ToolCallEntry, names: dict[str, str]) -> bool:
    """Give the terminals that the entry shows their new names; whether it shows any."""
    content = [
        item.model_copy(update={"terminal_id": names.get(item.terminal_id, item.terminal_id)})
        if isinstance(item, TerminalReference)
        else item
        for item in entry.content
    ]
    renamed = content != entry.content
    entry.content = content
    return renamed


def _terminal(session: "Session", terminal_id: str) -> Terminal:
    terminal = session.terminals.get(terminal_id)
    if terminal is None:
        terminal = session.terminals[terminal_id] = Terminal(terminal_id, started_at=session.clock())
    return terminal


def _changed(session: "Session", terminal: Terminal) -> None:
    terminal.version += 1
    session.publish(TerminalChanged(terminal.id))
