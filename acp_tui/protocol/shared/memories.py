"""What a dialect remembers of each session, by its id, in a bounded store.

The agent chooses the ids, and may name sessions that nobody opened: of more than are held, those go that were used
longest ago.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from acp_tui.protocol.calls import Call
from acp_tui.protocol.shared.config_options import SessionOptions
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.updates import Update

Memory_co = TypeVar("Memory_co", covariant=True)

HELD = 20_000
"""Sessions that are remembered at once, so that the many subagents of one push out no session of the user's."""


class SessionMemory(ABC):
    """The memory of one session: what can be chosen in it, and its prompt turn (see `Dialect`)."""

    options: SessionOptions

    @abstractmethod
    def prompt_sent(self, call: Call, blocks: list[ContentBlock]) -> list[Update]: ...

    @abstractmethod
    def prompt_answered(self, call: Call, result: Any) -> list[Update]: ...

    @abstractmethod
    def prompt_failed(self, call: Call, code: int, message: str, data: Any) -> list[Update]: ...

    @abstractmethod
    def turn_ended(self) -> None: ...

    @abstractmethod
    def close_message(self) -> None:
        """Something stands between: the next chunk without an id begins a new message."""


class Memories(Generic[Memory_co]):
    """One memory per session; `fresh` makes one."""

    def __init__(self, fresh: Callable[[], Memory_co]) -> None:
        self.fresh = fresh
        self._held: dict[str, Memory_co] = {}

    def __len__(self) -> int:
        return len(self._held)

    def of(self, session_id: str) -> Memory_co:
        """That of a session, the one that was used last from now on."""
        memory = self._held.pop(session_id, None)
        if memory is None:
            memory = self.fresh()
            if len(self._held) >= HELD:
                del self._held[next(iter(self._held))]
        self._held[session_id] = memory
        return memory

    def forget(self, session_id: str) -> None:
        self._held.pop(session_id, None)
