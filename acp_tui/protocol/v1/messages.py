"""Messages and the prompt turn of protocol 1, as messages with ids and states of the session."""

from typing import Any

from acp_tui.protocol.base import Lenient, Model
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared.updates import turn_failed
from acp_tui.protocol.v1.memory import Echo, SessionMemory
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.updates import MessageChunk, MessageUpdate, RejectedUpdate, StateUpdate, Update


class PromptResponse(Model):
    """The answer to `session/prompt`: the turn is over. `usage` is unstable."""

    stop_reason: str
    usage: Lenient[dict[str, Any] | None] = None


def read_chunk(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """Read a piece of a message; what only repeats the prompt that was sent gives nothing.

    A prompt in a history comes block by block, not in pieces: without ids, text after text is the next prompt (of
    one to which the agent never answered there is nothing between them).
    """
    kind, given = update["sessionUpdate"], update.get("messageId")
    chunk = read(MessageChunk, {**update, "messageId": memory.message_id(kind, given)})
    block = chunk.content
    if memory.echo is not None:
        if chunk.role == "user" and memory.echo.takes(block):
            return []
    elif chunk.message_id != given and chunk.role == "user" and memory.is_next_text(kind, block):
        chunk = chunk.model_copy(update={"message_id": memory.fresh_id()})
    memory.open_message(kind, chunk.message_id, block)
    return [chunk]


def prompt_sent(memory: SessionMemory, blocks: list[ContentBlock]) -> list[Update]:
    """The user's message, and the turn begins."""
    memory.close_message()
    memory.echo = Echo(blocks)
    message_id = memory.fresh_id()
    message = MessageUpdate(session_update="user_message", message_id=message_id, content=blocks, from_here=True)
    return [message, StateUpdate(state="running")]


def prompt_answered(memory: SessionMemory, result: Any) -> list[Update]:
    """The turn is over, whatever the answer says; an answer without a stop reason is rejected beside that."""
    memory.end_turn()
    try:
        response = read(PromptResponse, result)
    except ProtocolFault as fault:
        return [RejectedUpdate("session/prompt", fault.path, fault.reason, result), StateUpdate(state="idle")]
    idle = StateUpdate(state="idle", stop_reason=response.stop_reason, usage=response.usage, meta=response.meta)
    return [idle]


def prompt_failed(memory: SessionMemory, code: int, message: str, data: Any) -> list[Update]:
    """The turn is over with an error, or was cancelled before it began."""
    memory.end_turn()
    return [turn_failed(code, message, data)]
