"""The sessions that the agent knows, by id, and the updates for them.

Some agents tell about a session before they have answered the request that opens it: what they say waits.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from acp_tui.host.services.workspace import Workspace
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.protocol.vocabulary.updates import RejectedUpdate, Update
from acp_tui.session.facts import Noticed

LEFT = 1_000
"""Sessions that were left last and are passed over; what comes for an earlier one is noise."""
EARLY_CAP = 10_000
"""Updates that wait for their sessions."""
SESSIONS = 100
"""Ids that updates are held for at once; the agent chooses them."""
OTHERS = ""
"""Names, in what `clear` gives, the updates for more ids than that."""


class EarlyUpdates:
    """Updates by session id, in order, as many as the cap allows in all; `take` and `clear` say what is missing."""

    def __init__(self, cap: int = EARLY_CAP) -> None:
        self._cap = cap
        self._held: dict[str, list[Update]] = {}
        self._dropped: Counter[str] = Counter()
        self._size = 0

    def add(self, session_id: str, updates: list[Update]) -> None:
        if session_id not in self._held and len(self._held) >= SESSIONS:
            self._dropped[OTHERS] += len(updates)
            return
        kept = updates[: self._cap - self._size]
        self._size += len(kept)
        self._held.setdefault(session_id, []).extend(kept)
        if len(kept) < len(updates):
            self._dropped[session_id] += len(updates) - len(kept)

    def take(self, session_id: str) -> tuple[list[Update], int]:
        held = self._held.pop(session_id, [])
        self._size -= len(held)
        return held, self._dropped.pop(session_id, 0)

    def clear(self) -> dict[str, int]:
        counts = self._dropped + Counter({session_id: len(held) for session_id, held in self._held.items()})
        self._held, self._dropped, self._size = {}, Counter(), 0
        return counts


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session that has its id: how it talks, and what its agent may do on this machine."""

    conversation: Conversation
    workspace: Workspace


class OpenSessions:
    """Those of one connection. `hear` gets noise: its kind and a message."""

    def __init__(self, hear: Callable[[str, str], None]) -> None:
        self._hear = hear
        self._open: dict[str, OpenSession] = {}
        self._early = EarlyUpdates()
        self._expected = 0
        self._left: dict[str, None] = {}  # in the order in which they were left

    def __bool__(self) -> bool:
        """Whether any session is open, or may still be."""
        return bool(self._open) or self._expected > 0

    def __iter__(self) -> Iterator[OpenSession]:
        return iter(list(self._open.values()))

    def find(self, session_id: str) -> OpenSession | None:
        return self._open.get(session_id)

    def deliver(self, session_id: str, updates: list[Update]) -> None:
        known = self._open.get(session_id)
        if known is not None:
            known.conversation.fold(updates)
        elif session_id in self._left:
            return
        elif session_id and self._expected:
            self._early.add(session_id, updates)
        else:
            self._tell_homeless(session_id, updates)

    def expect(self) -> None:
        self._expected += 1

    def settle(self) -> None:
        """One session is being opened no longer; updates that nobody can claim any more are told."""
        self._expected -= 1
        if not self._expected:
            for session_id, count in self._early.clear().items():
                whose = f"more than {SESSIONS} others" if session_id == OTHERS else f"{session_id!r:.80}"
                self._hear("unknown session", f"{count:,} for {whose}")

    def add(self, session_id: str, opened: OpenSession) -> None:
        """A session has its id: what came early is folded now, before anything that comes later."""
        self._open[session_id] = opened
        self._left.pop(session_id, None)
        early, dropped = self._early.take(session_id)
        opened.conversation.fold(early)
        if dropped:
            notice = Noticed("warning", "Updates that came before the session were dropped", f"{dropped:,} of them")
            opened.conversation.session.apply(notice)

    def remove(self, session_id: str) -> OpenSession | None:
        """A session is not open any more; what the agent still says about it is nobody's concern."""
        self._left.pop(session_id, None)
        self._left[session_id] = None
        if len(self._left) > LEFT:
            del self._left[next(iter(self._left))]
        return self._open.pop(session_id, None)

    def _tell_homeless(self, session_id: str, updates: list[Update]) -> None:
        for update in updates:
            if isinstance(update, RejectedUpdate):
                self._hear("rejected", f"{update.path}: {update.reason}")
            else:
                self._hear("unknown session", f"{session_id!r:.80}")
