"""The sessions that the agent knows, by id, and what it says about them; must not know how they are opened.

Some agents tell about a session before they have answered the request that opens it: what they say waits.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from acp_tui.host.conversation import Conversation
from acp_tui.host.early_updates import OTHERS, SESSIONS, EarlyUpdates
from acp_tui.host.workspace import Workspace
from acp_tui.protocol.updates import RejectedUpdate, Update
from acp_tui.session.facts import Noticed

LEFT = 1_000
"""Sessions that were left last and are passed over; what comes for an earlier one is noise."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session that has its id: how it talks, and what its agent may do on this machine."""

    conversation: Conversation
    workspace: Workspace


class OpenSessions:
    """Finds the session of an id. `hear` is told of noise: its kind and a message."""

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
        """All that are open."""
        return iter(list(self._open.values()))

    def find(self, session_id: str) -> OpenSession | None:
        """The session of an id."""
        return self._open.get(session_id)

    def deliver(self, session_id: str, updates: list[Update]) -> None:
        """Give updates to their session, at once if it is open."""
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
        """One more session is being opened."""
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
