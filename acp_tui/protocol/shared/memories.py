"""A bounded store of what a dialect remembers of each session, by its id.

The agent chooses the ids, and may name sessions that nobody opened: of more than are held, those go that were used
longest ago.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

Memory = TypeVar("Memory")

HELD = 1_000
"""Sessions that are remembered at once."""


class Memories(Generic[Memory]):
    """One memory per session; `fresh` makes one."""

    def __init__(self, fresh: Callable[[], Memory]) -> None:
        self._fresh = fresh
        self._held: dict[str, Memory] = {}

    def __len__(self) -> int:
        return len(self._held)

    def of(self, session_id: str) -> Memory:
        """That of a session, the one that was used last from now on."""
        memory = self._held.pop(session_id, None)
        if memory is None:
            memory = self._fresh()
            if len(self._held) >= HELD:
                del self._held[next(iter(self._held))]
        self._held[session_id] = memory
        return memory

    def forget(self, session_id: str) -> None:
        """The session is over; should it begin again, nothing of it is known."""
        self._held.pop(session_id, None)
