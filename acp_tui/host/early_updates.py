"""Updates that came before their session was known; must not know what they say.

Some agents tell about a session before they have answered the request that opens it.
"""

from collections import Counter

from acp_tui.protocol.updates import Update

DEFAULT_CAP = 10_000
SESSIONS = 100
"""Ids that updates are held for at once; the agent chooses them."""
OTHERS = ""
"""Names, in what `clear` gives, the updates for more ids than that."""


class EarlyUpdates:
    """Updates by session id, in order, as many as the cap allows in all; `take` and `clear` say what is missing."""

    def __init__(self, cap: int = DEFAULT_CAP) -> None:
        self._cap = cap
        self._held: dict[str, list[Update]] = {}
        self._dropped: dict[str, int] = {}
        self._size = 0

    def add(self, session_id: str, updates: list[Update]) -> None:
        """Hold updates; what is over the cap is only counted."""
        if session_id not in self._held and len(self._held) >= SESSIONS:
            self._dropped[OTHERS] = self._dropped.get(OTHERS, 0) + len(updates)
            return
        kept = updates[: self._cap - self._size]
        self._size += len(kept)
        self._held.setdefault(session_id, []).extend(kept)
        if len(kept) < len(updates):
            self._dropped[session_id] = self._dropped.get(session_id, 0) + len(updates) - len(kept)

    def take(self, session_id: str) -> tuple[list[Update], int]:
        """The updates of a session, which are held no longer, and how many of them were dropped."""
        held = self._held.pop(session_id, [])
        self._size -= len(held)
        return held, self._dropped.pop(session_id, 0)

    def clear(self) -> dict[str, int]:
        """Forget everything; gives how many updates each session had."""
        counts = Counter(self._dropped)
        counts.update({session_id: len(held) for session_id, held in self._held.items()})
        self._held, self._dropped, self._size = {}, {}, 0
        return counts
