"""Messages of protocol 2. The person's own message comes back by an id of the agent's, and is shown already."""

from typing import Any

from acp_tui.protocol.reading import read
from acp_tui.protocol.updates import MessageChunk, MessageUpdate, Update
from acp_tui.protocol.v2.memory import SentPrompt, SessionMemory, UserMessage


def read_message(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """Read a whole message or a piece of one."""
    chunk = update["sessionUpdate"].endswith("_chunk")
    message: UserMessage = read(MessageChunk, update) if chunk else _whole(update)
    return [_user_message(memory, message) if message.role == "user" else message]


def _whole(update: dict[str, Any]) -> MessageUpdate:
    """A whole message; what the person wrote here is not for the agent to say."""
    message = read(MessageUpdate, update)
    return message.model_copy(update={"from_here": False}) if message.from_here else message


def _user_message(memory: SessionMemory, message: UserMessage) -> Update:
    given = message.message_id
    if given not in memory.known and given not in memory.own_ids:
        prompt = memory.unnamed()
        if prompt is not None:
            memory.name(prompt, given)
    memory.known.add(given)
    for prompt in memory.sent:
        if prompt.agent_id == given:
            prompt.pending = False
            if not prompt.confirmed:
                prompt.told.append(message)
    return _under_own_id(memory, message)


def _under_own_id(memory: SessionMemory, message: UserMessage) -> UserMessage:
    """What the agent first tells of a prompt replaces what was sent; the rest goes on from there."""
    own_id = memory.own_ids.get(message.message_id)
    if own_id is None:
        return message
    first = own_id in memory.untold
    if message.has("content"):
        memory.untold.discard(own_id)
    if first and isinstance(message, MessageChunk):
        return MessageUpdate(session_update="user_message", message_id=own_id, content=[message.content])
    return message.model_copy(update={"message_id": own_id})


def confirm(memory: SessionMemory, prompt: SentPrompt, agent_id: str) -> list[Update]:
    """The answer to a prompt names its message: where another one was taken for it, both are put right."""
    prompt.confirmed = True
    if prompt.agent_id in ("", agent_id):
        memory.name(prompt, agent_id)
        return []
    del memory.own_ids[prompt.agent_id]
    restored = MessageUpdate(session_update="user_message", message_id=prompt.own_id, content=prompt.blocks)
    memory.untold.add(prompt.own_id)
    # If the right message was told as another one meanwhile, that one is cleared.
    doubled = [MessageUpdate(session_update="user_message", message_id=agent_id, content=[])]
    memory.name(prompt, agent_id)
    return [restored, *prompt.told, *(doubled if agent_id in memory.known else [])]
