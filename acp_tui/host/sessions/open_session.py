"""The open sessions of one client: all that belongs to each, from its beginning until it is put away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.session.changes import Publisher
from acp_tui.session.state import Session

if TYPE_CHECKING:
    from acp_tui.host.changes.session_changes import SessionChanges
    from acp_tui.host.sessions.conversation import Conversation
    from acp_tui.host.system.workspace import Workspace


class OpenSession:
    """A session, how it came to be, how it talks to its agent, and what its turns changed.

    `conversation` and `changes` are there once its client has the parts that the first frame does without; an aside has
    no changes. `workspace` is what its agent may do on this machine, since it gave the session its id.
    """

    conversation: Conversation
    changes: SessionChanges
    workspace: Workspace

    def __init__(self, source: SessionSource) -> None:
        self.source, self.session = source, source.session


class OpenSessions:
    """Those of one client, in the order in which they began; `begun` publishes each new one."""

    def __init__(self) -> None:
        self._all: dict[Session, OpenSession] = {}
        self.begun: Publisher[[OpenSession]] = Publisher()

    def __iter__(self) -> Iterator[OpenSession]:
        return iter(list(self._all.values()))

    def __getitem__(self, session: Session) -> OpenSession:
        return self._all[session]

    def get(self, session: Session | None) -> OpenSession | None:
        return None if session is None else self._all.get(session)

    def with_id(self, session_id: str) -> OpenSession | None:
        return next((each for each in self if each.session.id == session_id), None)

    def begin(self, source: SessionSource) -> OpenSession:
        opened = self._all[source.session] = OpenSession(source)
        self.begun.publish(opened)
        return opened

    def remove(self, session: Session) -> None:
        del self._all[session]


class ClientVerbs(Protocol):
    """What its own parts have a client do."""

    def restart(self) -> None:
        """Start the agent anew, and bring every session back."""

    def open(self, source: SessionSource, /) -> Session:
        """Have the agent asked for a session, which is shown at once."""

    def close_session(self, session: Session, /) -> None:
        """Put a session away."""
