"""The prompt turn of protocol 2: the answer to a prompt only says that it was taken, states say the rest."""

from typing import Any

from acp_tui.protocol.base import Model
from acp_tui.protocol.content import ContentBlock, content_data
from acp_tui.protocol.dialect import Call
from acp_tui.protocol.faults import REQUEST_CANCELLED, ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.tolerance import Lenient
from acp_tui.protocol.updates import MessageUpdate, PromptDropped, RejectedUpdate, StateUpdate, Update
from acp_tui.protocol.v2.memory import SentPrompt, SessionMemory
from acp_tui.protocol.v2.messages import confirm


class PromptResponse(Model):
    """The answer to `session/prompt`: the message's id, nothing, or (in drafts) the end of the turn."""

    message_id: str | None = None
    stop_reason: Lenient[str | None] = None
    usage: Lenient[dict[str, Any] | None] = None


def prompt_call(session_id: str, blocks: list[ContentBlock]) -> Call:
    """Send a prompt."""
    return Call("session/prompt", {"sessionId": session_id, "prompt": [content_data(block) for block in blocks]})


def prompt_sent(memory: SessionMemory, call: Call, blocks: list[ContentBlock]) -> list[Update]:
    """The person's message is shown at once, and the agent has something to do."""
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
            updates = confirm(memory, prompt, response.message_id)
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
    if code == REQUEST_CANCELLED:
        return [StateUpdate(state="idle", stop_reason="cancelled")]
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return [StateUpdate(state="idle", stop_reason="error", error=error)]


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
