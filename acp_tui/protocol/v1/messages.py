"""Messages and the prompt turn of protocol 1, as messages with ids and states of the session.

What a session needs to remember for that is here, because its updates mean different things in different places.
"""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.base import Lenient, Model, read
from acp_tui.protocol.capabilities import UNNAMED
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.update_readers import SessionMemory, turn_failed
from acp_tui.protocol.v1.modes import OptionsAndModes
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent, for_agent_only
from acp_tui.protocol.vocabulary.session_updates import (
    MessageChunk,
    MessageUpdate,
    RejectedUpdate,
    StateUpdate,
    SubagentUpdate,
    TokenUsage,
    Update,
)


class PromptResponse(Model):
    """The answer to `session/prompt`: the turn is over. `usage` is unstable."""

    stop_reason: str
    usage: Lenient[TokenUsage | None] = None


@dataclass(slots=True)
class Echo:
    """A prompt that was sent, compared with the user's message as the agent sends it back during the turn.

    What was sent is shown already.
    Text is compared without white space, because agents join and trim blocks; other blocks by their type,
    because agents rewrite them.
    """

    sent: list[ContentBlock]
    _text: str | None = None
    _position: int = 0
    _types: list[str] = field(default_factory=list)

    def takes(self, block: ContentBlock) -> bool:
        """Whether `block` only repeats the next part of what was sent."""
        if self._text is None:
            self._text = "".join(_squeezed(each.text) for each in self.sent if isinstance(each, TextContent))
            self._types = [each.type for each in self.sent if not isinstance(each, TextContent)]
        if isinstance(block, TextContent):
            return self._takes_text(self._text, _squeezed(block.text))
        if block.type in self._types:
            self._types.remove(block.type)
            return True
        return False

    def _takes_text(self, expected: str, text: str) -> bool:
        if not expected.startswith(text, self._position):
            return False
        self._position += len(text)
        return True


@dataclass(slots=True)
class Version1Memory(SessionMemory):
    """The memory of one session.

    `open_kind` and `open_id` name the message that a chunk without an id continues; `ends_in_text` is whether the last
    block of it that is for the user is text. `titles` and `statuses` have the title and the status of every tool call
    seen so far. `echo` is there while a turn runs. `announced` are the children that have their places.
    """

    open_kind: str = ""
    open_id: str = ""
    ends_in_text: bool = False
    unnamed: int = 0
    titles: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, str | None] = field(default_factory=dict)
    echo: Echo | None = None
    options: OptionsAndModes = field(default_factory=OptionsAndModes)
    announced: set[str] = field(default_factory=set)

    def read_chunk(self, update: dict[str, Any]) -> list[Update]:
        """Read a piece of a message; what only repeats the prompt that was sent gives nothing.

        A prompt in a history comes block by block, not in pieces: without ids, text after text is the next prompt (of
        one to which the agent never answered there is nothing between them).
        """
        kind, given = update["sessionUpdate"], update.get("messageId")
        chunk = read(MessageChunk, {**update, "messageId": self._message_id(kind, given)})
        block = chunk.content
        if self.echo is not None:
            if chunk.role == "user" and self.echo.takes(block):
                return []
        elif chunk.message_id != given and chunk.role == "user" and self._is_next_text(kind, block):
            chunk = chunk.model_copy(update={"message_id": self._fresh_id()})
        self.open_kind, self.open_id = kind, chunk.message_id
        if not for_agent_only(block):
            self.ends_in_text = isinstance(block, TextContent)
        return [chunk]

    def read_subagent(self, update: dict[str, Any]) -> list[Update]:
        """Read an announcement, which has a place in the conversation, or a patch, which may come amid a sentence."""
        child = read(SubagentUpdate, update)
        if child.session_id not in self.announced:
            self.announced.add(child.session_id)
            self.close_message()
        return [child]

    def prompt_sent(self, _call: Call, blocks: list[ContentBlock]) -> list[Update]:
        self.close_message()
        self.echo = Echo(blocks)
        message_id = self._fresh_id()
        message = MessageUpdate(session_update="user_message", message_id=message_id, content=blocks, from_here=True)
        return [message, StateUpdate(state="running")]

    def prompt_answered(self, _call: Call, result: Any) -> list[Update]:
        """The turn is over, whatever the answer says; an answer without a stop reason is rejected beside that."""
        self.turn_ended()
        try:
            response = read(PromptResponse, result)
        except ProtocolFault as fault:
            return [
                RejectedUpdate("session/prompt", fault.path, fault.reason, result),
                StateUpdate(state="idle", stop_reason="error"),
            ]
        idle = StateUpdate(state="idle", stop_reason=response.stop_reason, usage=response.usage, meta=response.meta)
        return [idle]

    def prompt_failed(self, _call: Call, code: int, message: str, data: Any) -> list[Update]:
        self.turn_ended()
        return [turn_failed(code, message, data)]

    def close_message(self) -> None:
        self.open_kind = self.open_id = ""
        self.ends_in_text = False

    def turn_ended(self) -> None:
        self.close_message()
        self.echo = None

    def _fresh_id(self) -> str:
        self.unnamed += 1
        return f"{UNNAMED}{self.unnamed}"

    def _message_id(self, kind: str, given: object) -> str:
        """The id of the message that a chunk of `kind` with the id `given` (if it is one) belongs to."""
        if isinstance(given, str) and given:
            return given
        return self.open_id if kind == self.open_kind else self._fresh_id()

    def _is_next_text(self, kind: str, block: ContentBlock) -> bool:
        """Whether the block is text for the user right after such text of the same kind."""
        is_text = isinstance(block, TextContent) and not for_agent_only(block)
        return is_text and kind == self.open_kind and self.ends_in_text


def _squeezed(text: str) -> str:
    return "".join(text.split())
