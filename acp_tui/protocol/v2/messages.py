"""Messages and the prompt turn of protocol 2.

The answer to a prompt only says that it was taken, states say the rest. The user's own message comes back by an id of
the agent's, and is shown already.
"""

from typing import Any

from acp_tui.protocol.base import Lenient, Model
from acp_tui.protocol.dialect import Call
from acp_tui.protocol.faults import REQUEST_CANCELLED, ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared.updates import turn_failed
from acp_tui.protocol.v2.memory import SentPrompt, SessionMemory, UserMessage
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.updates import (
    MessageChunk,
    MessageUpdate,
    PromptDropped,
    RejectedUpdate,
    StateUpdate,
    Update,
)


class PromptResponse(Model):
    """The answer to `session/prompt`: the message's id, nothing, or (in drafts) the end of the turn."""

    message_id: str | None = None
    stop_reason: Lenient[str | None] = None
    usage: Lenient[dict[str, Any] | None] = None


def read_message(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """Read a whole message or a piece of one."""
    chunk = update["sessionUpdate"].endswith("_chunk")
    message: UserMessage = read(MessageChunk, update) if chunk else _whole(update)
    return [_user_message(memory, message) if message.role == "user" else message]


def _whole(update: dict[str, Any]) -> MessageUpdate:
    """A whole message; what the user wrote here is not for the agent to say."""
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
                prompt.reported.append(message)
    return _under_own_id(memory, message)


def _under_own_id(memory: SessionMemory, message: UserMessage) -> UserMessage:
    """What the agent first says of a prompt replaces what was sent; the rest goes on from there."""
    own_id = memory.own_ids.get(message.message_id)
    if own_id is None:
        return message
    first = own_id in memory.unreported
    if message.has("content"):
        memory.unreported.discard(own_id)
    if first and isinstance(message, MessageChunk):
        return MessageUpdate(session_update="user_message", message_id=own_id, content=[message.content])
    return message.model_copy(update={"message_id": own_id})


def _confirm(memory: SessionMemory, prompt: SentPrompt, agent_id: str) -> list[Update]:
    """The answer to a prompt names its message: where another one was taken for it, both are put right."""
    prompt.confirmed = True
    if prompt.agent_id in ("", agent_id):
        memory.name(prompt, agent_id)
        return []
    del memory.own_ids[prompt.agent_id]
    restored = MessageUpdate(session_update="user_message", message_id=prompt.own_id, content=prompt.blocks)
    memory.unreported.add(prompt.own_id)
    # If the right message was reported as another one meanwhile, that one is cleared.
    doubled = [MessageUpdate(session_update="user_message", message_id=agent_id, content=[])]
    memory.name(prompt, agent_id)
    return [restored, *prompt.reported, *(doubled if agent_id in memory.known else [])]


def prompt_sent(memory: SessionMemory, call: Call, blocks: list[ContentBlock]) -> list[Update]:
    """The user's message is shown at once, and the agent has something to do."""
    prompt = memory.send(call, blocks)
    own_id = prompt.own_id
    message = MessageUpdate(session_update="user_message", message_id=own_id, content=blocks, from_here=True)
    return [message, StateUpdate(state="running")]


def prompt_answered(memory: SessionMemory, call: Call, result: Any) -> list[Update]:
    """The agent has taken the prompt; drafts end the turn here."""
    prompt = memory.prompt_of(call)
    try:
        response = read(PromptResponse, {} if result is None else result)
    except ProtocolFault as fault:
        _forget(memory, prompt)
        return [RejectedUpdate("session/prompt", fault.path, fault.reason, result)]
    updates: list[Update] = []
    if prompt is not None:
        prompt.pending, prompt.answered = False, True
        if response.message_id is not None:
            updates = _confirm(memory, prompt, response.message_id)
    if response.stop_reason is None:
        return updates
    memory.end_turn()
    return [*updates, StateUpdate(state="idle", stop_reason=response.stop_reason, usage=response.usage)]


def prompt_failed(memory: SessionMemory, call: Call, code: int, message: str, data: Any) -> list[Update]:
    """The agent did not take the prompt; work that it says to be at goes on regardless, an ended turn has ended."""
    prompt = memory.prompt_of(call)
    if prompt is None:
        return []
    _forget(memory, prompt)
    elsewhere = memory.state != "idle" or prompt.over
    if not prompt.agent_id and (elsewhere or code == REQUEST_CANCELLED):
        reason = "" if code == REQUEST_CANCELLED else message or f"code {code}"
        dropped = PromptDropped(prompt.own_id, reason)
        return [dropped] if elsewhere else [dropped, StateUpdate(state="idle", stop_reason="cancelled")]
    memory.end_turn()
    return [turn_failed(code, message, data)]


def read_state(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """Read `state_update`. An idle session that has not seen our prompt yet was idle before it."""
    state = read(StateUpdate, update)
    if state.state == "idle":
        ended = memory.cancelling and state.stop_reason == "cancelled"
        if any(prompt.pending for prompt in memory.sent) and not ended:
            before = StateUpdate(state="running", background=state.background)
            return [before] if state.background is not None else []
        memory.end_turn()
    else:
        memory.state = state.state
        for prompt in memory.sent:
            prompt.pending = False
    return [state]


def _forget(memory: SessionMemory, prompt: SentPrompt | None) -> None:
    if prompt is not None:
        memory.sent.remove(prompt)
