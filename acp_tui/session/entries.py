"""The entries of a transcript, in the order in which they began: what all kinds have, and the kinds that others know.

Entries are mutable and have one writer, this floor. A view keeps the `version` that it last drew and looks
again when it differs; once `sealed` an entry is finished and a view may freeze it (a late update may still
bump the version).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Union

from acp_tui.frozen import Frozen
from acp_tui.protocol.capabilities import UNNAMED
from acp_tui.session.text.phrases import data_text

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

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)


See = Literal["", "stderr", "mode", "prompt"]
"""What a notice points to: the agent's standard error, its mode, or nothing."""

Part = Union[TextPart, "ContentBlock"]  # consecutive text blocks share one TextPart; others stand alone


def texts_in(parts: Iterable[Part]) -> list[str]:
    """What a user reads of parts, without drawing them."""
    return [text for part in parts for text in part.texts]


def unmarked(text: str) -> str:
    """Without the marks of emphasis and code, which are not seen."""
    return text.replace("**", "").replace("`", "")


class Origin(Frozen):
    """What made one entry: messages of the wire that name it, or by time and kind where it has no name.

    `title` is how the entry is called; times are monotonic seconds.
    """

    title: str
    name: str = ""
    kind: str = ""
    since: float = 0.0
    until: float = float("inf")


@dataclass(slots=True)
class Entry:
    """One thing in a transcript, and what its readers must know of its kind.

    A kind is a data class of this, beside the folds that write it, with `markdown_…` there if its Markdown is more
    than its `pieces`. `aside`: this side says it, and no part of it is said between the user and the agent. `noun` is
    how one is called that the agent names. Methods answer for kinds that do not say otherwise.
    """

    aside: ClassVar[bool] = False
    noun: ClassVar[str] = ""
    id: str
    version: int = field(default=0, kw_only=True)
    sealed: bool = field(default=False, kw_only=True)
    started_at: float = field(default=0.0, kw_only=True)

    @property
    def pieces(self) -> Sequence[str]:
        """What it says on one line, in pieces; none where it has its own text."""
        return ()

    @property
    def carried(self) -> bool:
        """Whether it is told to an agent that goes on with what was said and done."""
        return True

    @property
    def opens(self) -> bool:
        """Whether there is anything in it to stop at, to open or to copy."""
        return True

    def plain(self) -> str:
        """Its text as a user reads it when it is unfolded, near enough to count by, its pieces parted by newlines."""
        return " · ".join(self.pieces)

    def brief(self) -> tuple[str, str]:
        """Its line in a digest: a lead of ours where the text is somebody's; both empty for none."""
        return "", " · ".join(self.pieces)

    def report(self) -> list[str]:
        """What a run says of it on standard error: its line, and those below."""
        line = " · ".join(self.pieces)
        return [line] if line else []

    def origin(self) -> Origin:
        """What made it: by its id where the agent named it, else by kind and time."""
        if self.noun:
            return Origin(f"this {self.noun}", name=self.id)
        return Origin("this moment", since=self.started_at - 1, until=self.started_at + 1)


Speaker = Literal["user", "agent", "thought", "injected"]
"""Who speaks in a message: `injected` is what the agent tells as the user's and they did not write."""
_SPOKEN: dict[Speaker, tuple[str, str]] = {  # how a message is called, and the messages of the wire that made it
    "user": ("your message", "session/prompt"),
    "agent": ("this answer", "agent_message"),
    "thought": ("this thought", "agent_thought"),
    "injected": ("this message", "user_message"),
}


@dataclass(slots=True)
class MessageEntry(Entry):
    """A message of the user or the agent, a thought, or what the agent put among the user's messages.

    `from_here`: the user sent it at `started_at`, which no message has that an agent tells again.
    """

    role: Speaker
    parts: list[Part] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    finished_at: float | None = None
    from_here: bool = field(default=False, metadata={"written": False})

    @property
    def carried(self) -> bool:
        return self.role in ("user", "agent")

    def plain(self) -> str:
        text = "\n".join(texts_in(self.parts))
        return text if self.role == "user" else unmarked(text)

    def origin(self) -> Origin:
        title, kind = _SPOKEN[self.role]
        until = float("inf") if self.finished_at is None else self.finished_at
        return Origin(title, "" if self.id.startswith(UNNAMED) else self.id, kind, self.started_at, until)


@dataclass(slots=True)
class ToolCallEntry(Entry):
    """A tool call; times are seconds of the session's clock.

    `earlier_diffs` are those that the content held until an update replaced it by content without any, or with less
    of the same files around the same changes. `written` is what was written here for the call while its agent had
    told no diffs, one for each file. `patches` are those of its input, once they were read. `stopped` is what the user
    did to end it, whatever the agent reports of that. `allowed`: the user said yes. `applied`: its files were found to
    hold what its diffs say. `rule_reason` names the rules of the user that answered the request for it, with their
    scopes, `rules` has their ids.
    """

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
    rule_reason: str = ""
    rules: tuple[str, ...] = ()
    applied: bool = False
    cancellable: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    finished_at: float | None = None

    @property
    def denied_by_agent(self) -> bool:
        """Whether the agent's own rules, hooks or classifier denied it without a question to the user.

        Only Claude's adapter reports that so far: `_meta.claudeCode.nonExecutionKind`.
        """
        claude = self.meta.get("claudeCode")
        kind = claude.get("nonExecutionKind") if isinstance(claude, dict) else None
        return kind == "permission-rule" and self.status == "failed" and not self.stopped

    def origin(self) -> Origin:
        return Origin(self.title or self.name or "the tool call", name=self.id)


@dataclass(slots=True)
class NoticeEntry(Entry):
    """What the user must know of: a fault, a refusal, a rejected update; never silent.

    `count` is how often it was reported: in one turn if it stands in the transcript, in the session if it is live.
    """

    aside: ClassVar[bool] = True
    severity: str
    title: str
    message: str = ""
    hint: str = ""
    see: See = ""
    count: int = 1
    sealed: bool = field(default=True, kw_only=True)

    @property
    def carried(self) -> bool:
        return False

    def plain(self) -> str:
        return "\n".join((self.title, self.message, self.hint))

    def report(self) -> list[str]:
        return [f"{self.severity}: {self.title}", *self.message.splitlines(), *self.hint.splitlines()]


@dataclass(slots=True)
class ElicitationEntry(Entry):
    """What the agent asked by a form or an address.

    `action` is accept, decline or cancel once it was answered, `content` what was sent. An address is
    `completed` when the agent has said so.
    """

    request: FormElicitation | UrlElicitation
    action: str | None = None
    content: dict[str, Any] | None = None
    completed: bool = False
    finished_at: float | None = None

    def plain(self) -> str:
        request = self.request
        if request.mode == "url":
            return f"{request.message}\n{request.url}"
        return f"{request.message}\n{data_text(self.content)}" if self.content else request.message

    def brief(self) -> tuple[str, str]:
        return "Question: ", self.request.message


@dataclass(slots=True)
class SubagentEntry(Entry):
    """A session that the agent created for a part of the work; its transcript is in `Session.subagents`.

    `id` is that of the child session. `state` is what the agent said last: running, requires_action, idle, unknown or
    newer; None: nothing is confirmed. `cwd` and `additional_directories` are the agent's word, None: the parent's.
    `disconnected`: the connection was lost, so that nothing of this is known to be so.
    """

    noun: ClassVar[str] = "subagent"
    title: str | None = None
    description: str | None = None
    state: str | None = None
    stop_reason: str | None = None
    cancellable: bool = False
    cwd: str | None = None
    additional_directories: list[str] | None = None
    disconnected: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    finished_at: float | None = None
