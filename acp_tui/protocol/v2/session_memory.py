"""Messages and the prompt turn of protocol 2, and what a session needs to remember for them.

The answer to a prompt only says that it was taken, states say the rest. The user's own message comes back by an id of
the agent's, and is shown already. What comes without an id, which is against the protocol, goes on with the message
that was last heard of, or begins one.
"""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.base import Lenient, Model, read, read_if_told
from acp_tui.protocol.capabilities import SENT, UNNAMED
from acp_tui.protocol.faults import REQUEST_CANCELLED, ProtocolFault
from acp_tui.protocol.session_setup import Call, SessionOptions
from acp_tui.protocol.update_readers import SessionMemory, lost_content, turn_failed
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.session_updates import (
    MessageChunk,
    MessageUpdate,
    PromptDropped,
    RejectedUpdate,
    StateUpdate,
    TokenUsage,
    Update,
)
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate, shared_word

UserMessage = MessageUpdate | MessageChunk


@dataclass(slots=True)
class SentPrompt:
    """A prompt that is shown since it was sent, under an id of our own; the agent reports it under another.

    `agent_id` is the agent's id once one is known, `confirmed` once its answer named it. What was reported
    under an id that is not confirmed is in `reported`. While it is `pending`, what the agent says of its state is older
    than it. It is `over` if the turn ended before the agent answered or reported it: then it may never have been
    inserted.
    """

    call: Call
    own_id: str
    blocks: list[ContentBlock]
    agent_id: str = ""
    confirmed: bool = False
    pending: bool = True
    answered: bool = False
    over: bool = False
    reported: list[UserMessage] = field(default_factory=list)


class PromptResponse(Model):
    """The answer to `session/prompt`: the message's id, nothing, or (in drafts) the end of the turn."""

    message_id: str | None = None
    stop_reason: Lenient[str | None] = None
    usage: Lenient[TokenUsage | None] = None


@dataclass(slots=True)
class Version2Memory(SessionMemory):
    """The memory of one session.

    `sent` are the prompts that the agent has not both answered and reported. `own_ids` has our id of each message that
    the agent calls otherwise, `known` all of the user's messages that it reported, `unreported` our ids of messages
    whose content it has not reported. `state` is what the agent last said it is in. `open` is the role and the id of
    the message that goes on without an id, `statuses` has those of all tool calls.
    """

    sent: list[SentPrompt] = field(default_factory=list)
    prompts: int = 0
    own_ids: dict[str, str] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    unreported: set[str] = field(default_factory=set)
    state: str = "idle"
    cancelling: bool = False
    open: tuple[str, str] = ("", "")
    unnamed: int = 0
    statuses: dict[str, str | None] = field(default_factory=dict)
    options: SessionOptions = field(default_factory=SessionOptions)

    def prompt_sent(self, call: Call, blocks: list[ContentBlock]) -> list[Update]:
        """The user's message is shown at once, and the agent has something to do."""
        self.prompts += 1
        own_id = f"{SENT}{self.prompts}"
        self.sent.append(SentPrompt(call, own_id, blocks))
        self.unreported.add(own_id)
        self.cancelling = False
        self.close_message()
        message = MessageUpdate(session_update="user_message", message_id=own_id, content=blocks, from_here=True)
        return [message, StateUpdate(state="running")]

    def prompt_answered(self, call: Call, result: Any) -> list[Update]:
        """The agent has taken the prompt; drafts end the turn here."""
        prompt = self._prompt_of(call)
        try:
            response = read_if_told(PromptResponse, result)
        except ProtocolFault as fault:
            if prompt is not None:
                self.sent.remove(prompt)
            return [RejectedUpdate("session/prompt", fault.path, fault.reason, result)]
        updates: list[Update] = []
        if prompt is not None:
            prompt.pending, prompt.answered = False, True
            if response.message_id is not None:
                updates = self._confirm(prompt, response.message_id)
        if response.stop_reason is None:
            return updates
        self._end_turn()
        return [*updates, StateUpdate(state="idle", stop_reason=response.stop_reason, usage=response.usage)]

    def prompt_failed(self, call: Call, code: int, message: str, data: Any) -> list[Update]:
        """The agent did not take the prompt; work that it says to be at goes on regardless, an ended turn has ended."""
        prompt = self._prompt_of(call)
        if prompt is None:
            return []
        self.sent.remove(prompt)
        elsewhere = self.state != "idle" or prompt.over
        if not prompt.agent_id and (elsewhere or code == REQUEST_CANCELLED):
            reason = "" if code == REQUEST_CANCELLED else message or f"code {code}"
            dropped = PromptDropped(prompt.own_id, reason)
            return [dropped] if elsewhere else [dropped, StateUpdate(state="idle", stop_reason="cancelled")]
        self._end_turn()
        return [turn_failed(code, message, data)]

    def turn_ended(self) -> None:
        self.sent.clear()
        self._end_turn()

    def close_message(self) -> None:
        self.open = "", ""

    def read_message(self, update: dict[str, Any]) -> list[Update]:
        """Read a whole message or a piece of one; that the user wrote it here is not for the agent to say."""
        message: UserMessage
        role, is_chunk = update["sessionUpdate"].removesuffix("_chunk"), update["sessionUpdate"].endswith("_chunk")
        given = update.get("messageId")
        named = isinstance(given, str) and given != ""
        if not named and "content" in update:
            update = {**update, "messageId": self._unnamed_id(role, is_chunk=is_chunk)}
        lost: list[Update] = []
        if is_chunk:
            message = read(MessageChunk, update)
        else:
            whole = read(MessageUpdate, update)
            message = whole.model_copy(update={"from_here": False}) if whole.from_here else whole
            lost = lost_content(whole, update.get("content"))
        self.open = role, message.message_id
        if message.role != "user":
            return [message, *lost]
        return [self._user_message(message) if named else self._under_own_id(message), *lost]

    def read_tool_call(self, update: dict[str, Any]) -> list[Update]:
        """Read `tool_call_update`; where a call begins or ends, so does a message without an id."""
        call = read(ToolCallUpdate, update)
        identity, status = call.tool_call_id, call.status
        if identity not in self.statuses or status not in (None, self.statuses[identity]):
            self.close_message()
            self.statuses[identity] = None if status is None else shared_word(status)
        return [call, *lost_content(call, update.get("content"))]

    def read_state(self, update: dict[str, Any]) -> list[Update]:
        """Read `state_update`. An idle session that has not seen our prompt yet was idle before it."""
        state = read(StateUpdate, update)
        if state.state == "idle":
            ended = self.cancelling and state.stop_reason == "cancelled"
            if any(prompt.pending for prompt in self.sent) and not ended:
                before = StateUpdate(state="running", background=state.background)
                return [before] if state.background is not None else []
            self._end_turn()
        else:
            self.state = state.state
            for prompt in self.sent:
                prompt.pending = False
        return [state]

    def _unnamed_id(self, role: str, *, is_chunk: bool) -> str:
        if is_chunk and self.open[0] == role:
            return self.open[1]
        prompt = self.sent[-1] if self.sent and role == "user_message" else None
        if prompt is not None and prompt.own_id in self.unreported:
            prompt.pending = False
            return prompt.agent_id or prompt.own_id
        self.unnamed += 1
        return f"{UNNAMED}{self.unnamed}"

    def _user_message(self, message: UserMessage) -> Update:
        given = message.message_id
        if given not in self.known and given not in self.own_ids:
            # The prompt that a message of the user's under a new id is most likely about.
            unnamed = [prompt for prompt in self.sent if not prompt.agent_id]
            if unnamed:
                self._name(min(unnamed, key=lambda each: each.over), given)
        self.known.add(given)
        for prompt in self.sent:
            if prompt.agent_id == given:
                prompt.pending = False
                if not prompt.confirmed:
                    prompt.reported.append(message)
        return self._under_own_id(message)

    def _under_own_id(self, message: UserMessage) -> UserMessage:
        """What the agent first says of a prompt replaces what was sent; the rest goes on from there."""
        given = message.message_id
        own_id = given if given in self.unreported else self.own_ids.get(given)
        if own_id is None:
            return message
        first = own_id in self.unreported
        if message.has("content"):
            self.unreported.discard(own_id)
        if first and isinstance(message, MessageChunk):
            return MessageUpdate(session_update="user_message", message_id=own_id, content=[message.content])
        return message.model_copy(update={"message_id": own_id})

    def _confirm(self, prompt: SentPrompt, agent_id: str) -> list[Update]:
        """The answer to a prompt names its message: where another one was taken for it, both are put right."""
        prompt.confirmed = True
        if prompt.agent_id in ("", agent_id):
            self._name(prompt, agent_id)
            return []
        del self.own_ids[prompt.agent_id]
        restored = MessageUpdate(session_update="user_message", message_id=prompt.own_id, content=prompt.blocks)
        self.unreported.add(prompt.own_id)
        # If the right message was reported as another one meanwhile, that one is cleared.
        doubled = [MessageUpdate(session_update="user_message", message_id=agent_id, content=[])]
        self._name(prompt, agent_id)
        return [restored, *prompt.reported, *(doubled if agent_id in self.known else [])]

    def _name(self, prompt: SentPrompt, agent_id: str) -> None:
        prompt.agent_id = agent_id
        self.own_ids[agent_id] = prompt.own_id

    def _prompt_of(self, call: Call) -> SentPrompt | None:
        return next((prompt for prompt in self.sent if prompt.call is call), None)

    def _end_turn(self) -> None:
        """The turn is over: of prompts that it was about only an answer is waited for that says if they were taken."""
        self.state, self.cancelling = "idle", False
        self.close_message()
        self.sent = [prompt for prompt in self.sent if not (prompt.answered or prompt.agent_id)]
        for prompt in self.sent:
            prompt.pending, prompt.over = False, True
