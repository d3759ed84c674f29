"""One session: all that has happened in it, its terminals, and the one door through which it changes.

`Index` is how a session finds its entries again: bookkeeping that no front end needs and no export shows.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from acp_tui.frozen import Frozen
from acp_tui.session.changes import Publisher
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.config_options import ConfigOption, OptionValue
    from acp_tui.protocol.vocabulary.content import ContentBlock
    from acp_tui.protocol.vocabulary.session_updates import (
        AvailableCommand,
        Plan,
        PromptSuggestion,
        Role,
        TokenUsage,
        Update,
        UsageUpdate,
    )
    from acp_tui.protocol.vocabulary.tool_calls import BackgroundWork, TerminalExitStatus, TerminalSize
    from acp_tui.session.changes import EntryChanged
    from acp_tui.session.entries import ElicitationEntry, Entry, MessageEntry, NoticeEntry, SubagentEntry, ToolCallEntry
    from acp_tui.session.facts import Branched, Fact, FileWritten, InputOptions, PendingElicitation, PendingPermission

E = TypeVar("E", bound="Entry")


class ListedWork(Frozen):
    """The ids in what the agent listed last as background work."""

    work: list[BackgroundWork]
    calls: frozenset[str | None]
    terminals: frozenset[str | None]


@dataclass(slots=True)
class Index:
    """Entries by the names that updates use, and which of them are still open.

    `named` has those of the kinds that have no table of their own here; use `of`.
    `growing` is the one message that is not sealed, `growing_change` the change that tells of its growth. `prompt` is
    the message that the user sent from here for the turn at hand. `ending` is the notice of the agent's last end.
    `repeatable` holds what is counted instead of shown again within one turn. `blank` is what came of messages of the
    agent that have no words so far, with their `_meta`.
    `visits` are addresses that the user went to and the agent has not called done, by its id.
    `anchors` are the calls below which sessions are shown, by the sessions' ids: the first that refers to each, whose
    content may be replaced later on; `anchored` are those ids by the id of the call. `working` are the rows of those
    subagents of all depths that work, by their ids, in the session that the user talks to.
    `questions` are those that the agent asked for a tool call, the last one of each, by the id of the call. `writes`
    are files that were written for the agent, by path, the last one last; `lone_writes` are the rows of those of this
    turn that no tool call names, with `lone_text` characters of all turns. `turn_plans` are the plans that were
    updated in the turn at hand, by their ids, the last one last; `todos` is the list that the agent wrote last by a
    tool call, at `todos_at` by the session's clock: `todos_call`. `options_at` is when the agent last sent its
    options, `identified_at` when it gave the session its id; `commands_told`: it has said which commands it has.
    `options_before`: what they were when the session began to be opened; None once that is done.
    `heard_before_at` is when the agent's update before the last one came, in seconds of the session's clock.
    `turn_number` is that of the turn at hand, 0 where nobody counts, and `turn_began` how many entries there were
    before it. `forgotten`: the agent does not remember all that stands here. `branched_at`: so many entries are of the
    session that a branch goes on from.
    """

    messages: dict[tuple[Role, str], MessageEntry] = field(default_factory=dict)
    tool_calls: dict[str, ToolCallEntry] = field(default_factory=dict)
    named: dict[type, dict[str, Any]] = field(default_factory=dict)
    blank: dict[tuple[Role, str], tuple[list[ContentBlock], dict[str, Any]]] = field(default_factory=dict)
    growing: MessageEntry | None = None
    growing_change: EntryChanged | None = None
    open_tool_calls: dict[str, ToolCallEntry] = field(default_factory=dict)
    terminal_references: dict[str, dict[str, ToolCallEntry]] = field(default_factory=dict)
    anchors: dict[str, ToolCallEntry] = field(default_factory=dict)
    anchored: dict[str, list[str]] = field(default_factory=dict)
    working: dict[str, SubagentEntry] = field(default_factory=dict)
    own_commands: dict[str, ToolCallEntry] = field(default_factory=dict)
    visits: dict[str, ElicitationEntry] = field(default_factory=dict)
    questions: dict[str, ElicitationEntry] = field(default_factory=dict)
    repeatable: dict[tuple[str, ...], Any] = field(default_factory=dict)
    ending: NoticeEntry | None = None
    config_requests: Counter[str] = field(default_factory=Counter)
    listed: ListedWork | None = None
    prompt: MessageEntry | None = None
    writes: dict[str, FileWritten] = field(default_factory=dict)
    lone_writes: dict[str, ToolCallEntry] = field(default_factory=dict)
    lone_text: int = 0
    options_at: float = -inf
    options_before: list[ConfigOption] | None = None
    identified_at: float = -inf
    heard_before_at: float = 0.0
    commands_told: bool = False
    turn_number: int = 0
    turn_began: int = 0
    forgotten: bool = False
    branched_at: int = 0
    turn_plans: dict[str, Plan] = field(default_factory=dict)
    todos: Plan | None = None
    todos_at: float = -inf
    todos_call: ToolCallEntry | None = None
    asides: int = 0
    queued: int = 0

    def of(self, kind: type[E]) -> dict[str, E]:
        """The entries of a kind by the names that updates give them."""
        return self.named.setdefault(kind, {})

    def aside(self) -> str:
        """The next id for what this side says."""
        self.asides += 1
        return f"aside-{self.asides}"


DISPLAY_CAP = 8 * 1024 * 1024  # bytes of one terminal that are kept for display
SMALL = 4 * 1024  # bytes up to which chunks are joined as they come; one by itself costs more than a byte that it holds
_KEPT = DISPLAY_CAP * 3 // 4  # what remains of a full terminal, so that dropping is rare


@dataclass(slots=True)
class Terminal:
    """A terminal; `chunks` are raw bytes with escapes and colours, oldest first; the last one may grow.

    When more than the display cap is held, the oldest chunks go: `dropped` counts their bytes. `generation` is
    bumped whenever all of it was replaced, so that a view starts anew.
    """

    id: str
    command: str | None = None
    cwd: str | None = None
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0
    dropped: int = 0
    generation: int = 0
    exit_status: TerminalExitStatus | None = None
    dimensions: TerminalSize | None = None
    cancellable: bool = False
    released: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    started_at: float = 0.0
    finished_at: float | None = None

    def append(self, data: bytes) -> None:
        """Add output at the end; what no longer fits goes from the beginning."""
        if self.chunks and len(self.chunks[-1]) + len(data) <= SMALL:
            self.chunks[-1] += data
        elif data:
            self.chunks.append(data)
        self.size += len(data)
        if self.size > DISPLAY_CAP:
            self._drop()

    def replace(self, data: bytes) -> None:
        self.chunks, self.size, self.dropped = [], 0, 0
        self.generation += 1
        self.append(data)

    def _drop(self) -> None:
        count, excess = 0, self.size - _KEPT
        while excess >= len(self.chunks[count]):
            excess -= len(self.chunks[count])
            count += 1
        del self.chunks[:count]
        first = self.chunks[0]
        while excess < len(first) and first[excess] & 0xC0 == 0x80:
            excess += 1  # never begin within a character
        self.chunks[0] = first[excess:]
        size = sum(map(len, self.chunks))
        self.dropped += self.size - size
        self.size = size


Carrying = Literal["", "offered", "wanted"]
Event: TypeAlias = "Update | Fact | CopiedHistory"
Observer: TypeAlias = "Callable[[Event], None]"
Fold = Callable[[Any, Any], None]  # (session, event); each fold's own signature is exact


@dataclass(slots=True)
class Turn:
    """`state` is idle, running, requires_action or newer; times are seconds of the session's clock."""

    state: str = "idle"
    started_at: float = 0.0
    last_heard_at: float = 0.0
    cancel_requested_at: float | None = None
    stop_reason: str | None = None
    error: dict[str, Any] | None = None
    ended_at: float | None = None
    usage: TokenUsage | None = None
    background: list[BackgroundWork] = field(default_factory=list)

    @property
    def active(self) -> bool:
        return self.state != "idle"


@dataclass(slots=True)
class QueuedPrompt:
    """A prompt written while the agent worked; it goes out when the turn ends."""

    id: int
    blocks: list[ContentBlock] = field(default_factory=list)


@dataclass(slots=True)
class Subagent:
    """A child session: its row in its parent's transcript, and its own transcript.

    `told`: it is history, so that the agent means another one by its id from now on.
    """

    entry: SubagentEntry
    session: Session
    parent: Session
    told: bool = False


@dataclass(slots=True, eq=False)
class Session(Publisher[[Any]]):  # each `Change`, of which mypy knows only later
    """A session's state. Read it freely; only `apply` writes it.

    Its changes are published while `apply` runs, by the folds alone. Who hears of one must not call `apply`: the
    changes of one event would mix with those of another.

    `clock` gives seconds (monotonic); tests give their own. `notices` are the agent's live ones, the last 100.
    `config_fixed` says why options cannot be changed, by their ids. `named`: the user gave the title, not the agent.
    `suggestions`: prompts that the agent takes to be the next one, the likeliest first.
    `subagents` are the child sessions of this one by their ids, in the order in which they were announced; `family`
    has those of all depths, in the session that the user talks to, which alone has no `parent`.
    `branched` says of which session it is a branch, and where that begins.
    `carrying`: whether the next prompt carries what was said here, since the agent does not know (all of) it; empty
    where it does. `steering`: prompts on their way into the turn, of which the agent has not said what becomes of them.
    """

    id: str
    cwd: str
    agent_name: str = ""
    title: str | None = None
    named: bool = False
    updated_at: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    plans: dict[str, Plan] = field(default_factory=dict)
    terminals: dict[str, Terminal] = field(default_factory=dict)
    config_options: list[ConfigOption] = field(default_factory=list)
    unknown_config_options: list[dict[str, Any]] = field(default_factory=list)
    config_in_flight: dict[str, OptionValue] = field(default_factory=dict)
    config_fixed: dict[str, str] = field(default_factory=dict)
    commands: list[AvailableCommand] = field(default_factory=list)
    usage: UsageUpdate | None = None
    suggestions: list[PromptSuggestion] = field(default_factory=list)
    turn: Turn = field(default_factory=Turn)
    permissions: list[PendingPermission] = field(default_factory=list)
    elicitations: list[PendingElicitation] = field(default_factory=list)
    input_options: InputOptions | None = None
    queue: list[QueuedPrompt] = field(default_factory=list)
    steering: list[QueuedPrompt] = field(default_factory=list)
    notices: list[NoticeEntry] = field(default_factory=list)
    subagents: dict[str, Session] = field(default_factory=dict)
    branched: Branched | None = None
    carrying: Carrying = ""
    closed: bool = False
    clock: Callable[[], float] = time.monotonic

    index: Index = field(default_factory=Index, init=False, repr=False, compare=False)
    family: dict[str, Subagent] = field(default_factory=dict, init=False, repr=False, compare=False)
    parent: Session | None = field(default=None, init=False, repr=False, compare=False, metadata={"written": False})
    _observer: Observer | None = field(default=None, init=False, repr=False, compare=False)

    def whose(self, session_id: str | None) -> Session:
        """The session of that id in the family; this one where there is none."""
        child = self.family.get(session_id or "")
        return self if child is None else child.session

    @property
    def root(self) -> Session:
        """The session that the user talks to; where the agent's questions wait."""
        session = self
        while session.parent is not None:
            session = session.parent
        return session

    @property
    def own_permissions(self) -> list[PendingPermission]:
        """Of the requests that wait those of this session, and not of its subagents."""
        root = self.root
        return [each for each in root.permissions if root.whose(each.request.session_id) is self]

    @property
    def observed(self) -> bool:
        return self._observer is not None

    def observe(self, take: Observer | None) -> None:
        """Have every update and fact given to `take` before it is folded; `take` may apply what it has to say."""
        self._observer = take

    def apply(self, event: Event) -> None:
        """Fold one update or fact into the state and tell the listeners what changed. Never raises for agent data."""
        if self._observer is not None:
            self._observer(event)
        fold, heard = _folds.get(type(event)) or _fold_of(type(event))
        if heard:
            self.index.heard_before_at, self.turn.last_heard_at = self.turn.last_heard_at, self.clock()
        fold(self, event)


class CopiedHistory(Frozen):
    """A session in which nothing was said yet begins with what was said in `told`; `message` says how that comes.

    `prompts` is how many of the user's messages it begins with, and what was said after each; `None` for all. Without
    a message nothing is said of it. `remembered`: the agent knows of it, too.
    """

    told: Session
    message: str
    prompts: int | None = None
    remembered: bool = True


_folds: dict[type, tuple[Fold, bool]] = {}  # filled with the first event: most of a start is over by then


def _fold_of(kind: type) -> tuple[Fold, bool]:
    _folds.update(late("acp_tui.session.folds.table").FOLDS)
    return _folds[kind]
