"""Tool calls, what came of them, and what agents ask of this machine: files, commands, terminals."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, Tag, model_validator

from acp_tui.protocol.base import (
    UNKNOWN,
    Count,
    Integer,
    Lenient,
    LenientItems,
    Model,
    NullAsEmpty,
    OpenMember,
    SkipInvalid,
    UnknownMember,
    by,
)
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.initialization import Marker

BACKGROUND_TYPES = ("terminal", "tool_call", "subagent")
_MEMBERS = {"terminal": "terminal_id", "tool_call": "tool_call_id", "subagent": "session_id"}


class WorkCapabilities(Model):
    """What can be done to a tool call or a terminal; what is not named cannot be done."""

    cancel: Lenient[Marker] = False


class BackgroundWork(OpenMember):
    """One piece of work that is not part of the turn: a `terminal`, a `tool_call`, a `subagent`, or newer."""

    known: ClassVar = BACKGROUND_TYPES

    type: str
    terminal_id: str | None = None
    tool_call_id: str | None = None
    session_id: str | None = None

    @property
    def work_id(self) -> str | None:
        return self.terminal_id or self.tool_call_id or self.session_id

    @model_validator(mode="after")
    def _names_its_work(self) -> Self:
        if self.type in BACKGROUND_TYPES and getattr(self, _MEMBERS[self.type]) is None:
            raise ValueError(f"background work of the type {self.type} needs its id")
        return self


TOOL_KINDS = ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other")
TOOL_CALL_STATUSES = ("pending", "in_progress", "completed", "failed", "cancelled", "paused")
TOOL_CALL_CONTENT_TYPES = ("content", "diff", "terminal", "session")
FILE_OPERATIONS = ("add", "delete", "modify", "move", "copy")
FINISHED_STATUSES = frozenset({"completed", "failed", "cancelled"})
_WORDS = {word: word for word in (*TOOL_KINDS, *TOOL_CALL_STATUSES)}


def shared_word(word: str) -> str:
    """A kind or status as it is listed here, so that calls which say the same hold one string; others as they are.

    They are not interned: Python 3.12 keeps for good what is, however long an agent's word may be.
    """
    return _WORDS.get(word, word)


class ToolCallLocation(Model):
    """A file that the tool call touches; `line` counts from 1."""

    path: str
    line: Lenient[Count | None] = None


class ContentItem(Model):
    """A content block as tool output."""

    type: Literal["content"] = "content"
    content: ContentBlock


class FileChange(OpenMember):
    """One changed file of a diff; `operation` is one of FILE_OPERATIONS, or newer and then without rules."""

    open_by: ClassVar = "operation"
    known: ClassVar = FILE_OPERATIONS

    operation: str
    path: str = ""
    old_path: str | None = None
    file_type: Lenient[str | None] = None
    mime_type: Lenient[str | None] = None

    @model_validator(mode="after")
    def _names_its_files(self) -> Self:
        if self.operation in FILE_OPERATIONS and not self.has("path"):
            raise ValueError("a file change needs path")
        if self.operation in ("move", "copy") and self.old_path is None:
            raise ValueError(f"a {self.operation} needs oldPath")
        return self


class Patch(Model):
    """A diff as text; `format` is `git_patch`."""

    format: str
    text: str


class Diff(Model):
    """File changes: either one file's old and new text, or a list of changes with or without a patch.

    `old_text` absent, null or empty with `path` set means a new file.
    """

    type: Literal["diff"] = "diff"
    path: str | None = None
    old_text: Lenient[str | None] = None
    new_text: str | None = None
    changes: SkipInvalid[list[FileChange] | None] = None
    patch: Lenient[Patch | None] = None

    @model_validator(mode="after")
    def _says_what_changed(self) -> Self:
        if self.changes is None and (self.path is None or self.new_text is None):
            raise ValueError("a diff needs path and newText, or changes")
        return self


class TerminalReference(Model):
    """The place in a tool call where a terminal is shown."""

    type: Literal["terminal"] = "terminal"
    terminal_id: str


class SessionReference(Model):
    """The place in a tool call where another session is shown that is known already (subagents)."""

    type: Literal["session"] = "session"
    session_id: str


class UnknownToolCallContent(UnknownMember):
    """Tool-call content of a type that this program does not know."""


ToolCallContent = Annotated[
    Annotated[ContentItem, Tag("content")]
    | Annotated[Diff, Tag("diff")]
    | Annotated[TerminalReference, Tag("terminal")]
    | Annotated[SessionReference, Tag("session")]
    | Annotated[UnknownToolCallContent, Tag(UNKNOWN)],
    by("type", *TOOL_CALL_CONTENT_TYPES),
]


class ToolCallUpdate(Model):
    """Creates or patches a tool call: omitted members stay, `None` clears, arrays replace."""

    session_update: Literal["tool_call_update"] = "tool_call_update"
    tool_call_id: str
    name: Lenient[str | None] = None
    title: Lenient[str | None] = None
    kind: Lenient[str | None] = None
    status: Lenient[str | None] = None
    content: LenientItems[list[ToolCallContent] | None] = None
    locations: LenientItems[list[ToolCallLocation] | None] = None
    raw_input: Lenient[Any] = None
    raw_output: Lenient[Any] = None
    capabilities: Lenient[WorkCapabilities | None] = None


class ToolCallContentChunk(Model):
    """Appends one item to a tool call's content."""

    session_update: Literal["tool_call_content_chunk"] = "tool_call_content_chunk"
    tool_call_id: str
    content: ToolCallContent


SUBJECT_TYPES = ("tool_call", "command")
PERMISSION_KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")


class PermissionOption(Model):
    """One choice; `kind` is one of PERMISSION_KINDS or a newer word."""

    option_id: str
    name: str
    kind: str


class PermissionSubject(Model):
    """What the request is about.

    `tool_call`: that tool call (already applied to the session as an update). `command`: `command` in `cwd`.
    Anything else is kept in `raw` and shown generically.
    """

    type: str
    tool_call: ToolCallUpdate | None = None
    command: str | None = None
    cwd: str | None = None
    tool_call_id: str | None = None
    terminal_id: str | None = None
    raw: dict[str, Any] | None = None


class PermissionRequest(Model):
    """`session/request_permission`; `options` stay in the agent's order. `title` is prompt copy only."""

    session_id: str
    title: str
    description: str | None = None
    subject: PermissionSubject | None = None
    options: list[PermissionOption]


class ReadTextFileRequest(Model):
    """`fs/read_text_file`; `line` counts from 1 (0 is read as 1), `limit` is a number of lines."""

    session_id: str
    path: str
    line: Count | None = None
    limit: Count | None = None


class WriteTextFileRequest(Model):
    """`fs/write_text_file`."""

    session_id: str
    path: str
    content: str


class EnvVariable(Model):
    """One variable of an environment."""

    name: str
    value: str


class CreateTerminalRequest(Model):
    """`terminal/create`; `output_byte_limit` is in bytes of UTF-8."""

    session_id: str
    command: str
    args: NullAsEmpty[list[str]] = []
    env: NullAsEmpty[list[EnvVariable]] = []
    cwd: str | None = None
    output_byte_limit: Count | None = None


class TerminalRequest(Model):
    """`terminal/output`, `terminal/wait_for_exit`, `terminal/kill` and `terminal/release`."""

    session_id: str
    terminal_id: str


class TerminalExitStatus(Model):
    """How a command ended: an exit code, or the name of the signal that ended it."""

    exit_code: Lenient[Integer | None] = None
    signal: Lenient[str | None] = None


class TerminalSize(Model):
    """Columns and rows that the agent's terminal has."""

    cols: Annotated[Integer, Field(ge=1, le=65535)]
    rows: Annotated[Integer, Field(ge=1, le=65535)]


class TerminalUpdate(Model):
    """Creates or patches a terminal on display.

    `output` (decoded bytes) replaces everything shown so far. This is protocol 2's update; terminals that
    run on this machine are reported by it too.
    """

    session_update: Literal["terminal_update"] = "terminal_update"
    terminal_id: str
    command: Lenient[str | None] = None
    cwd: Lenient[str | None] = None
    output: Lenient[bytes | None] = None
    exit_status: Lenient[TerminalExitStatus | None] = None
    size: Lenient[TerminalSize | None] = None
    capabilities: Lenient[WorkCapabilities | None] = None
    released: bool = False


class TerminalOutputChunk(Model):
    """Appends bytes (decoded from base64 where they came from the wire) to a terminal's output."""

    session_update: Literal["terminal_output_chunk"] = "terminal_output_chunk"
    terminal_id: str
    data: bytes
