"""The entries of a transcript, in the order in which they began.

Entries are mutable and have one writer, this floor. A view keeps the `version` that it last drew and looks
again when it differs; once `sealed` an entry is finished and a view may freeze it (a late update may still
bump the version).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Union

if TYPE_CHECKING:  # an empty session is shown before any word of the protocol is loaded
    from acp_tui.protocol.vocabulary.content import ContentBlock
    from acp_tui.protocol.vocabulary.elicitation import FormElicitation, UrlElicitation
    from acp_tui.protocol.vocabulary.tool_calls import Diff, ToolCallContent, ToolCallLocation


@dataclass(slots=True)
class TextPart:
    """Text that grows by chunks; `len(chunks)` tells a view where it left off."""

    chunks: list[str] = field(default_factory=list)
    length: int = 0

    def append(self, text: str) -> None:
        """Add text at the end, in constant time."""
        self.chunks.append(text)
        self.length += len(text)

    @property
    def text(self) -> str:
        """All of it; a long list of chunks is joined anew at each call."""
        return "".join(self.chunks)


See = Literal["", "stderr", "mode"]
"""What a notice points to: the agent's standard error, its mode, or nothing."""

Part = Union[TextPart, "ContentBlock"]  # consecutive text blocks share one TextPart; others stand alone


Speaker = Literal["user", "agent", "thought", "injected"]
"""Who speaks in a message: `injected` is what the agent tells as the user's and they did not write."""


@dataclass(slots=True)
class MessageEntry:
    """A message of the user or the agent, a thought, or what the agent put among the user's messages."""

    id: str
    role: Speaker
    parts: list[Part] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    sealed: bool = False
    started_at: float = 0.0
    finished_at: float | None = None


@dataclass(slots=True)
class ToolCallEntry:
    """A tool call; times are seconds of the session's clock.

    `earlier_diffs` are those that the content held until an update replaced it by content without any, or with less
    of the same files around the same changes. `written` is what was written here for the call while its agent had
    told no diffs, one for each file. `patches` are those of its input, once they were read. `stopped` is what the user
    did to end it, whatever the agent reports of that. `allowed`: the user said yes. `applied`: its files were found to
    hold what its diffs say.
    """

    id: str
    title: str = ""
    name: str | None = None
    kind: str = "other"
    status: str = "pending"
    content: list[ToolCallContent] = field(default_factory=list)
    earlier_diffs: Sequence[Diff] = ()
    written: Sequence[Diff] = ()
    patches: Sequence[Diff] = field(default=(), metadata={"written": False})
    patches_read: bool = field(default=True, metadata={"written": False})
    locations: list[ToolCallLocation] = field(default_factory=list)
    raw_input: Any = None
    raw_output: Any = None
    stopped: Literal["", "rejected", "cancelled"] = ""
    allowed: bool = field(default=False, metadata={"written": False})
    applied: bool = False
    cancellable: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    sealed: bool = False
    started_at: float = 0.0
    finished_at: float | None = None


@dataclass(slots=True)
class NoticeEntry:
    """What the user must know of: a fault, a refusal, a rejected update; never silent.

    `count` is how often it was reported: in one turn if it stands in the transcript, in the session if it is live.
    """

    id: str
    severity: str
    title: str
    message: str = ""
    hint: str = ""
    see: See = ""
    count: int = 1
    version: int = 0
    sealed: bool = True
    started_at: float = 0.0


@dataclass(slots=True)
class CompactionEntry:
    """The agent compacted its context here."""

    id: str
    status: str = "in_progress"
    summary: list[Part] = field(default_factory=list)
    error: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    sealed: bool = False
    started_at: float = 0.0


@dataclass(slots=True)
class ElicitationEntry:
    """What the agent asked by a form or an address.

    `action` is accept, decline or cancel once it was answered, `content` what was sent. An address is
    `completed` when the agent has said so.
    """

    id: str
    request: FormElicitation | UrlElicitation
    action: str | None = None
    content: dict[str, Any] | None = None
    completed: bool = False
    version: int = 0
    sealed: bool = False
    started_at: float = 0.0
    finished_at: float | None = None


@dataclass(slots=True)
class SubagentEntry:
    """A session that the agent created for a part of the work; its transcript is in `Session.subagents`.

    `id` is that of the child session. `state` is what the agent said last: running, requires_action, idle, unknown or
    newer; None: nothing is confirmed. `cwd` and `additional_directories` are the agent's word, None: the parent's.
    `disconnected`: the connection was lost, so that nothing of this is known to be so.
    """

    id: str
    title: str | None = None
    description: str | None = None
    state: str | None = None
    stop_reason: str | None = None
    cancellable: bool = False
    cwd: str | None = None
    additional_directories: list[str] | None = None
    disconnected: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    sealed: bool = False
    started_at: float = 0.0
    finished_at: float | None = None


@dataclass(slots=True)
class SessionMessageEntry:
    """What one session says to another, as one of them has it; `sender` and `recipient` are ids of sessions."""

    id: str
    sender: str | None = None
    recipient: str | None = None
    sender_message_id: str | None = None
    recipient_message_id: str | None = None
    parts: list[Part] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    sealed: bool = False
    started_at: float = 0.0


@dataclass(slots=True)
class UnknownEntry:
    """Updates of a kind that this program does not know, shown generically and exported unharmed.

    More of the same kind in one turn are counted in `count` and, up to a cap, kept in `repeats`.
    """

    id: str
    kind: str
    raw: dict[str, Any]
    repeats: list[dict[str, Any]] = field(default_factory=list)
    count: int = 1
    version: int = 0
    sealed: bool = True
    started_at: float = 0.0


@dataclass(slots=True)
class HandOverEntry:
    """A link: the conversation went on in another session (`way` is `to`), or goes on from one (`from`).

    `agent` is what the agent of that session calls itself, `mark` is the same on both sides of a hand-over.
    """

    id: str
    way: Literal["to", "from"]
    mark: str
    agent: str
    session_id: str = ""
    version: int = 0
    sealed: bool = True
    started_at: float = 0.0


@dataclass(slots=True)
class TurnEntry:
    """How a turn ended, and the files of the work tree that changed in it, whoever changed them.

    `turn` is the number of its prompt, from 1; 0 where nobody looks at files. `added` and `removed` count lines,
    `names` has the first few paths, relative, `unknown` counts files that no tool call names, `gaps` says what is not
    kept. `apart`: the row does not stand at the end of its turn, which was not seen here. `stop_reason` is the agent's
    word, or `error`; `seconds` is how long the turn took, None where that is not known, `model` and `mode` are the
    names of what was chosen at its end, empty where the agent has none.
    """

    id: str
    turn: int
    files: int = 0
    added: int = 0
    removed: int = 0
    names: Sequence[str] = ()
    unknown: int = 0
    gaps: Sequence[str] = ()
    apart: bool = False
    stop_reason: str | None = None
    seconds: float | None = None
    model: str = ""
    mode: str = ""
    version: int = 0
    sealed: bool = True
    started_at: float = 0.0


@dataclass(slots=True)
class TakenBackEntry:
    """The user took back `files` of what `words` names, or undid that (`undone`); so many were `left` alone."""

    id: str
    words: str
    files: int = 0
    left: int = 0
    names: Sequence[str] = ()
    undone: bool = False
    version: int = 0
    sealed: bool = True
    started_at: float = 0.0


Aside = NoticeEntry | TurnEntry | TakenBackEntry
"""What this side says, at any time, and no part of what is said between the user and the agent."""
Entry = (
    MessageEntry
    | ToolCallEntry
    | NoticeEntry
    | CompactionEntry
    | ElicitationEntry
    | SubagentEntry
    | SessionMessageEntry
    | UnknownEntry
    | HandOverEntry
    | TurnEntry
    | TakenBackEntry
)
