"""Updates of a session, as agents report them: the union of all, shaped like protocol 2."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from acp_tui.frozen import Frozen
from acp_tui.protocol.base import Count, Lenient, LenientItems, Model, Number, OpenMember, SkipInvalid
from acp_tui.protocol.vocabulary.config_options import ConfigOptionUpdate
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.tool_calls import (
    BackgroundWork,
    TerminalOutputChunk,
    TerminalUpdate,
    ToolCallContentChunk,
    ToolCallUpdate,
    WorkCapabilities,
)


class CommandInput(OpenMember):
    """What may follow the command; `hint` is shown as a placeholder."""

    known: ClassVar = ("text",)

    type: str = "text"
    hint: str | None = None


class AvailableCommand(OpenMember):
    """A slash command; `name` has no slash. Of another `type` than `command` it is something newer."""

    known: ClassVar = ("command",)

    type: str = "command"
    name: str
    description: str = ""
    input: Lenient[CommandInput | None] = None


class AvailableCommandsUpdate(Model):
    """Replaces all slash commands."""

    session_update: Literal["available_commands_update"] = "available_commands_update"
    available_commands: LenientItems[list[AvailableCommand]]


DEFAULT_PLAN_ID = "plan"
PLAN_PRIORITIES = ("high", "medium", "low")
PLAN_STATUSES = ("pending", "in_progress", "completed", "cancelled")


class PlanEntry(Model):
    """One step; `priority` high, medium or low, `status` pending, in_progress, completed or cancelled."""

    content: str
    priority: str = "medium"
    status: str = "pending"


class Plan(OpenMember):
    """A whole plan: `items` with entries, or (unstable) a `file` with `uri` or `markdown` with `content`."""

    known: ClassVar = ("items", "file", "markdown")

    type: str = "items"
    plan_id: str = DEFAULT_PLAN_ID
    entries: LenientItems[list[PlanEntry]] = []
    uri: str | None = None
    content: str | None = None


class PlanUpdate(Model):
    """Replaces the plan of the same id."""

    session_update: Literal["plan_update"] = "plan_update"
    plan: Plan


class PlanRemoved(Model):
    """Drops a plan."""

    session_update: Literal["plan_removed"] = "plan_removed"
    plan_id: str


Role = Literal["user", "agent", "thought"]
_ROLES: dict[str, Role] = {"user_message": "user", "agent_message": "agent", "agent_thought": "thought"}
NOTICE_SEVERITIES = ("info", "warning", "error")
COMPACTION_STATUSES = ("in_progress", "completed", "failed", "cancelled")
STATES = ("running", "idle", "requires_action")
STOP_REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error")


class Message(Model):
    """What both updates of messages have in common: who speaks is in their kind."""

    session_update: str
    message_id: str

    @property
    def role(self) -> Role:
        return _ROLES[self.session_update.removesuffix("_chunk")]


class MessageUpdate(Message):
    """Creates or patches a message: `content` omitted stays, `None` or `[]` clears, a list replaces all.

    `from_here` is not of the wire: the user wrote it here, and it begins a turn.
    """

    session_update: Literal["user_message", "agent_message", "agent_thought"]
    content: LenientItems[list[ContentBlock] | None] = None
    from_here: Lenient[bool] = False


class MessageChunk(Message):
    """Appends to the message of the same role and id."""

    session_update: Literal["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"]
    content: ContentBlock


class TokenUsage(Model):
    """Tokens that a turn took (unstable). Those that were read from the cache or written there are no input."""

    total_tokens: Lenient[Count | None] = None
    input_tokens: Lenient[Count | None] = None
    output_tokens: Lenient[Count | None] = None
    thought_tokens: Lenient[Count | None] = None
    cached_read_tokens: Lenient[Count | None] = None
    cached_write_tokens: Lenient[Count | None] = None


class StateUpdate(Model):
    """The session is `running`, `idle` (with a stop reason), `requires_action`, or something newer."""

    session_update: Literal["state_update"] = "state_update"
    state: str
    stop_reason: Lenient[str | None] = None
    error: Lenient[dict[str, Any] | None] = None
    background: Lenient[list[BackgroundWork] | None] = None
    usage: Lenient[TokenUsage | None] = None


class SubagentUpdate(Model):
    """Announces a child session of the session that it is sent on, or patches what was said of one (subagents).

    `None` clears: capabilities then allow nothing, and the state is unconfirmed, which is not idle. A child has its
    parent's folders (absolute) while it has none of its own.
    """

    session_update: Literal["subagent_update"] = "subagent_update"
    session_id: str
    title: Lenient[str | None] = None
    description: Lenient[str | None] = None
    capabilities: Lenient[WorkCapabilities | None] = None
    state: Lenient[StateUpdate | None] = None
    cwd: str | None = None
    additional_directories: list[str] | None = None


class SessionMessage(Model):
    """Creates or patches what one session says to another, as one of them has it (subagents)."""

    session_update: Literal["session_message"] = "session_message"
    message_id: str
    sender_session_id: Lenient[str | None] = None
    recipient_session_id: Lenient[str | None] = None
    sender_message_id: Lenient[str | None] = None
    recipient_message_id: Lenient[str | None] = None
    content: LenientItems[list[ContentBlock] | None] = None


class SessionMessageChunk(Model):
    """Appends to the message of that id between sessions (subagents)."""

    session_update: Literal["session_message_chunk"] = "session_message_chunk"
    message_id: str
    content: ContentBlock


class SessionInfoUpdate(Model):
    """Patches title and time: omitted stays, `None` clears."""

    session_update: Literal["session_info_update"] = "session_info_update"
    title: Lenient[str | None] = None
    updated_at: Lenient[str | None] = None


class Cost(Model):
    """Money spent so far; `currency` is ISO 4217."""

    amount: Number
    currency: str


class AccountLimit(Model):
    """A limit of the user's account, which the agent told in a form of its own; the protocol has none.

    `kind` is `five_hour`, `seven_day`, `seven_day_opus` or another one. `used` is the share of it that is used: 1 is
    all. `resets_at` is in seconds since 1970. `extra`: it is reached, and the work goes on for extra money.
    """

    kind: str
    standing: Literal["", "near", "reached"] = ""
    used: float | None = None
    resets_at: float | None = None
    extra: bool = False


class UsageUpdate(Model):
    """Tokens in the context window, and its size. `limits` are not of the wire: omitted ones stay."""

    session_update: Literal["usage_update"] = "usage_update"
    used: Count
    size: Count
    cost: Lenient[Cost | None] = None
    limits: Lenient[list[AccountLimit]] = []


class Notice(Model):
    """A live message that is not part of the conversation; `severity` info, warning, error or newer."""

    session_update: Literal["notice"] = "notice"
    severity: str
    title: Annotated[str, Field(min_length=1)]
    description: Lenient[str | None] = None


class CompactionUpdate(Model):
    """Creates or patches a compaction of the context: omitted stays, `None` clears."""

    session_update: Literal["compaction_update"] = "compaction_update"
    compaction_id: str
    status: str | None = None
    summary: LenientItems[list[ContentBlock] | None] = None
    error: Lenient[str | None] = None


class CompactionSummaryChunk(Model):
    """Appends to a compaction's summary."""

    session_update: Literal["compaction_summary_chunk"] = "compaction_summary_chunk"
    compaction_id: str
    content: ContentBlock


class PromptSuggestion(Model):
    """A prompt that the agent takes to be the user's next one (unstable)."""

    prompt: Annotated[list[ContentBlock], Field(min_length=1)]


class PromptSuggestionsUpdate(Model):
    """Replaces all suggestions, the likeliest first; an empty list withdraws them (unstable)."""

    session_update: Literal["prompt_suggestions_update"] = "prompt_suggestions_update"
    suggestions: SkipInvalid[list[PromptSuggestion]]


class UnknownUpdate(Frozen):
    """An update of a kind that this program does not know, kept as it came."""

    kind: str
    raw: dict[str, Any]


class RejectedUpdate(Frozen):
    """An update of a known kind with a bad required member; `path` says where, `reason` why."""

    kind: str
    path: str
    reason: str
    raw: Any


class PromptDropped(Frozen):
    """The agent never took the prompt that was sent as `message_id`; `reason` is empty when it was cancelled."""

    message_id: str
    reason: str = ""


Update = (
    MessageUpdate
    | MessageChunk
    | StateUpdate
    | SubagentUpdate
    | SessionMessage
    | SessionMessageChunk
    | ToolCallUpdate
    | ToolCallContentChunk
    | TerminalUpdate
    | TerminalOutputChunk
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | PromptSuggestionsUpdate
    | PromptDropped
    | UnknownUpdate
    | RejectedUpdate
)
CURRENT = (
    StateUpdate
    | AvailableCommandsUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | PromptDropped
    | RejectedUpdate
)
"""What tells of the session as it is now; all else is its history, which a replay brings again."""
PLACED: tuple[type[Model], ...] = (CompactionSummaryChunk, SessionMessage, SessionMessageChunk)
"""What comes in both versions as it stands here, and has a place of its own in the conversation."""
