"""Text and output that come piece by piece, joined until the thread that writes takes them; how they were cut means
nothing.

What happens in subagents comes between: each session of the family has a text of its own that goes on growing, since
what is said in one of them has no place among the words of another. Without that, 100 children that stream in turns
have a line of 280 bytes for each word: six times the record at 40 words a second each, eleven times in a flood.
"""

from threading import Lock
from typing import Any

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.terminals import TerminalOutputChunk
from acp_tui.protocol.vocabulary.updates import MessageChunk, StateUpdate, SubagentUpdate, Update
from acp_tui.session.facts import Fact, SubagentEvent

JOINED = 32 * 1024  # characters of a growing text, or bytes of an output, that one line holds, more or less
JOINED_IN_CHILD = 4 * 1024  # the same for subagents, of which thousands may grow at once
OPEN = 1_000  # texts that grow at once

_CHUNK = frozenset({"session_update", "message_id", "content"})
_TEXT = frozenset({"type", "text"})
_OUTPUT = frozenset({"session_update", "terminal_id", "data"})


class Growing:
    """Text or output of one session, `child_id` if it is a subagent's, until it is taken."""

    def __init__(self, first: Any, what: tuple[str, str], child_id: str = "") -> None:
        self._first, self._what, self._child_id = first, what, child_id
        self._pieces, self._size = [_piece(first)], len(_piece(first))
        self._taken, self._lock = False, Lock()
        self.room = JOINED_IN_CHILD if child_id else JOINED

    def grow(self, event: Any, what: tuple[str, str] | None) -> bool:
        """Whether there was time and room for an event that makes `what` grow."""
        if what != self._what or self._size > self.room:
            return False
        piece = _piece(event)
        with self._lock:
            if self._taken:
                return False
            self._pieces.append(piece)
        self._size += len(piece)
        return True

    def take(self) -> Update | Fact:
        """All of it as one event; it grows no more."""
        with self._lock:
            self._taken = True
        data = self._pieces[0][:0].join(self._pieces)
        update = {"data": data}
        if type(self._first) is MessageChunk:
            update = {"content": TextContent.model_construct(_fields_set={"type", "text"}, type="text", text=data)}
        whole: Update = self._first.model_copy(update=update)
        return SubagentEvent(self._child_id, whole) if self._child_id else whole


class Joining:
    """What grows in one recorded session and its subagents."""

    def __init__(self) -> None:
        self._open: dict[str, Growing] = {}  # by the ids of subagents; the recorded session's own has none

    def take(self, event: Update | Fact) -> Update | Fact | Growing | None:
        """What is to be written for an event; None where it is part of what waits to be written."""
        child_id, inner = whose(event)
        what = growth(inner)
        growing = self._open.get(child_id)
        if growing is not None and growing.grow(inner, what):
            return None
        self._end(child_id, inner)
        if what is None:
            return event
        if len(self._open) >= OPEN:
            del self._open[next(iter(self._open))]
        growing = self._open[child_id] = Growing(inner, what, child_id)
        return growing

    def stop(self) -> None:
        """Nothing of now grows any more."""
        self._open.clear()

    def _end(self, child_id: str, event: Update | Fact) -> None:
        """An event ends what grows in its session, and all of it where it may touch the others."""
        self._open.pop(child_id, None)
        if isinstance(event, SubagentUpdate):
            self._open.pop(event.session_id, None)
        elif not child_id and isinstance(event, Fact | StateUpdate):
            self.stop()


def whose(event: Update | Fact) -> tuple[str, Any]:
    """The id of the subagent in which it happened, empty if in none, and what happened."""
    return (event.session_id, event.event) if type(event) is SubagentEvent else ("", event)


def growth(event: Update | Fact) -> tuple[str, str] | None:
    """What an event makes grow, if it does nothing else."""
    if type(event) is MessageChunk:
        return (event.session_update, event.message_id) if is_plain(event) else None
    if type(event) is TerminalOutputChunk and event.model_fields_set <= _OUTPUT:
        return "terminal", event.terminal_id
    return None


def is_plain(chunk: MessageChunk) -> bool:
    """Whether there is nothing to a chunk but its text."""
    content = chunk.content
    return type(content) is TextContent and content.model_fields_set <= _TEXT and chunk.model_fields_set <= _CHUNK


def _piece(event: Any) -> Any:
    return event.data if type(event) is TerminalOutputChunk else event.content.text
