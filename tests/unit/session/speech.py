"""Short ways to say updates, and a session that remembers what it told."""

from dataclasses import dataclass, field
from typing import Any, TypeVar

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, MessageUpdate, StateUpdate, Update
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.session.changes import Change
from acp_tui.session.facts import Fact
from acp_tui.session.state import Session

T = TypeVar("T")


@dataclass(slots=True)
class Clock:
    """Seconds that pass only when a test says so."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass(slots=True)
class Told:
    """A session with a clock of its own and all changes that it told."""

    session: Session
    clock: Clock
    changes: list[Change] = field(default_factory=list)

    def apply(self, *events: Update | Fact, after: float = 0.0) -> None:
        self.clock.now += after
        for event in events:
            self.session.apply(event)

    def all(self, kind: type[T]) -> list[T]:
        return [change for change in self.changes if isinstance(change, kind)]

    def last(self, kind: type[T]) -> T:
        return self.all(kind)[-1]


def told() -> Told:
    clock = Clock()
    session = Session("s", "/project", clock=clock)
    result = Told(session, clock)
    session.subscribe(result.changes.append)
    return result


def text(words: str) -> TextContent:
    return TextContent(type="text", text=words)


def user(words: str, message_id: str = "u") -> MessageChunk:
    return MessageChunk(session_update="user_message_chunk", message_id=message_id, content=text(words))


def prompt(words: str, message_id: str = "p") -> MessageUpdate:
    return MessageUpdate(session_update="user_message", message_id=message_id, content=[text(words)], from_here=True)


def say(words: str, message_id: str = "a") -> MessageChunk:
    return MessageChunk(session_update="agent_message_chunk", message_id=message_id, content=text(words))


def think(words: str, message_id: str = "t") -> MessageChunk:
    return MessageChunk(session_update="agent_thought_chunk", message_id=message_id, content=text(words))


def tool(tool_call_id: str = "1", **members: Any) -> ToolCallUpdate:
    return ToolCallUpdate(tool_call_id=tool_call_id, **members)


def running() -> StateUpdate:
    return StateUpdate(state="running")


def idle(stop_reason: str | None = "end_turn", **members: Any) -> StateUpdate:
    return StateUpdate(state="idle", stop_reason=stop_reason, **members)
