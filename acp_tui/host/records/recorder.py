"""What of a session goes into its record, taken where it happens; must not know files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from acp_tui.host.records.earlier import Earlier
from acp_tui.host.records.growing import GrowingText, is_plain
from acp_tui.host.records.recording import Recording
from acp_tui.protocol.updates import MessageChunk, StateUpdate, Update
from acp_tui.session.facts import AgentGone, Fact, HistoryTold
from acp_tui.session.state import Session

Passing = tuple[float, Update | Fact | GrowingText | Earlier]
"""What is on its way to the record, with its seconds."""


class Recorder:
    """The witness of one session. `put` takes what is to be written, `hurry` has it written at once.

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
        self._growing: GrowingText | None = None
        session.witness(self.take)

    def take(self, event: Update | Fact) -> None:
        """Take what is about to be folded; runs for every chunk."""
        if self._telling:
            return
        kind = type(event)
        if kind is MessageChunk:
            self._take_chunk(event)
            return
        self._growing = None
        if isinstance(event, HistoryTold):
            self._send(Earlier(self._place(event.told), event.message))
            return
        self._send(event)
        if kind is StateUpdate or kind is AgentGone:
            self._hurry()

    def _take_chunk(self, chunk: Any) -> None:
        """A chunk mostly adds to what is on its way."""
        growing = self._growing
        if growing is None or not growing.grow(chunk):
            self._growing = GrowingText(chunk) if is_plain(chunk) else None
            self._send(self._growing or chunk)
        elif growing.taken:
            growing.taken = False
            self._send(growing)

    def _send(self, event: Update | Fact | GrowingText | Earlier) -> None:
        self._put((self._recording, (self._session.clock() - self._began, event)))
        if self._recording.notices:
            self._tell()

    def _tell(self) -> None:
        """Say what the person must know of the record, once; the record has it already."""
        self._telling = True
        while self._recording.notices:
            self._session.apply(self._recording.notices.pop(0))
        self._telling = False
