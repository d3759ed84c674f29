"""What one session of protocol 2 needs to remember: which prompts are on their way, and what can be chosen."""

from dataclasses import dataclass, field

from acp_tui.protocol.dialect import Call
from acp_tui.protocol.shared.config_options import SessionOptions
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.updates import MessageChunk, MessageUpdate

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


@dataclass(slots=True)
class SessionMemory:
    """The memory of one session.

    `sent` are the prompts that the agent has not both answered and reported. `own_ids` has our id of each message that
    the agent calls otherwise, `known` all of the user's messages that it reported, `unreported` our ids of messages
    whose content it has not reported. `state` is what the agent last said it is in.
    """

    sent: list[SentPrompt] = field(default_factory=list)
    prompts: int = 0
    own_ids: dict[str, str] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    unreported: set[str] = field(default_factory=set)
    state: str = "idle"
    cancelling: bool = False
    options: SessionOptions = field(default_factory=SessionOptions)

    def send(self, call: Call, blocks: list[ContentBlock]) -> SentPrompt:
        """A prompt goes out."""
        self.prompts += 1
        prompt = SentPrompt(call, f"sent-{self.prompts}", blocks)
        self.sent.append(prompt)
        self.unreported.add(prompt.own_id)
        self.cancelling = False
        return prompt

    def prompt_of(self, call: Call) -> SentPrompt | None:
        """The prompt that was sent by `call`."""
        return next((prompt for prompt in self.sent if prompt.call is call), None)

    def unnamed(self) -> SentPrompt | None:
        """The prompt that a message of the user's under a new id is most likely about."""
        return min((prompt for prompt in self.sent if not prompt.agent_id), key=lambda each: each.over, default=None)

    def name(self, prompt: SentPrompt, agent_id: str) -> None:
        """The agent calls a prompt `agent_id`."""
        prompt.agent_id = agent_id
        self.own_ids[agent_id] = prompt.own_id

    def end_turn(self) -> None:
        """The turn is over: of prompts that it was about only an answer is waited for that says if they were taken."""
        self.state, self.cancelling = "idle", False
        self.sent = [prompt for prompt in self.sent if not (prompt.answered or prompt.agent_id)]
        for prompt in self.sent:
            prompt.pending, prompt.over = False, True
