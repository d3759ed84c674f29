"""What of a session goes into its record, taken in the event loop on its way to the thread that writes.

Text and terminal output that grow piece by piece share a line, as far as they came together: how they were cut
means nothing. A piece costs the loop an append, whatever happens in the thread. Either side may go on while the other
works: `taken` is set before the pieces are taken, and looked at after one was added, so that nothing is left behind.
"""

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from acp_tui.host.records.lines import JOINED, is_plain
from acp_tui.host.records.recording import Earlier, Recording
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.terminals import TerminalOutputChunk
from acp_tui.protocol.vocabulary.updates import MessageChunk, StateUpdate, Update
from acp_tui.session.facts import AgentGone, Fact
from acp_tui.session.state import Event, HistoryTold, Session

_OUTPUT = frozenset({"session_update", "terminal_id", "data"})


def growth(event: Update | Fact) -> tuple[str, str] | None:
    """What an event makes grow, if it does nothing else."""
    if type(event) is MessageChunk:
        return (event.session_update, event.message_id) if is_plain(event) else None
    if type(event) is TerminalOutputChunk and event.model_fields_set <= _OUTPUT:
        return "terminal", event.terminal_id
    return None


class Growing:
    """One message, or the output of one terminal, that grows by pieces."""

    __slots__ = ("_first", "_pieces", "_size", "_what", "taken")

    def __init__(self, first: Any, what: tuple[str, str]) -> None:
        self._first, self._what = first, what
        self._pieces: deque[Any] = deque()
        self._size = 0
        self.taken = False
        self.grow(first, what)

    def grow(self, piece: Any, what: tuple[str, str]) -> bool:
        """Add a piece, if it is `what` grows here, and there is room."""
        if what != self._what or self._size > JOINED:
            return False
        data = piece.data if type(piece) is TerminalOutputChunk else piece.content.text
        self._pieces.append(data)
        self._size += len(data)
        return True

    def take(self) -> Update | None:
        """What has grown since the last time, as one update; for the thread that writes."""
        self.taken = True
        pieces: list[Any] = []
        while self._pieces:
            pieces.append(self._pieces.popleft())
        if not pieces:
            return None
        whole = pieces[0][:0].join(pieces)
        update: dict[str, Any] = {"data": whole}
        if type(self._first) is MessageChunk:
            content = TextContent.model_construct(_fields_set={"type", "text"}, type="text", text=whole)
            update = {"content": content}
        grown: Update = self._first.model_copy(update=update)
        return grown


Passing = tuple[float, Update | Fact | Growing | Earlier]
"""What is on its way to the record, with its seconds."""


class Recorder:
    """Observes one session. `put` takes what is to be written, `hurry` has it written at once.

    `place` says where another session is recorded, once it is.
    """

    def __init__(
        self,
        session: Session,
        recording: Recording,
        put: Callable[[tuple[Recording, Passing]], None],
        hurry: Callable[[], None],
        place: Callable[[Session], Callable[[], Path | None]],
    ) -> None:
        self._session, self._recording, self._put, self._hurry = session, recording, put, hurry
        self._place = place
        self._began = session.clock()
        self._telling = False
        self._growing: Growing | None = None
        session.observe(self.take)

    def take(self, event: Event) -> None:
        """Take what is about to be folded; runs for every chunk."""
        if self._telling:
            return
        if isinstance(event, HistoryTold):
            self._growing = None
            self._send(Earlier(self._place(event.told), event.message))
            return
        growing, what = self._growing, growth(event)
        if growing is not None and what is not None and growing.grow(event, what):
            if growing.taken:
                growing.taken = False
                self._send(growing)
            return
        self._growing = Growing(event, what) if what is not None else None
        self._send(self._growing or event)
        if isinstance(event, StateUpdate | AgentGone):
            self._hurry()

    def _send(self, event: Update | Fact | Growing | Earlier) -> None:
        self._put((self._recording, (self._session.clock() - self._began, event)))
        if self._recording.notices:
            self._tell()

    def _tell(self) -> None:
        """Say what the user must know of the record, once; the record has it already."""
        self._telling = True
        while self._recording.notices:
            self._session.apply(self._recording.notices.pop(0))
        self._telling = False
