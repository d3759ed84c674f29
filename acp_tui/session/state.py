"""One session: all that has happened in it, and the one door through which it changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from acp_tui.frozen import Frozen
from acp_tui.session.index import Index
from acp_tui.session.publisher import Publisher
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.config_options import ConfigOption, OptionValue
    from acp_tui.protocol.vocabulary.content import ContentBlock
    from acp_tui.protocol.vocabulary.tool_calls import BackgroundWork
    from acp_tui.protocol.vocabulary.updates import (
        AvailableCommand,
        Plan,
        PromptSuggestion,
        TokenUsage,
        Update,
        UsageUpdate,
    )
    from acp_tui.session.entries import Entry, NoticeEntry, SubagentEntry
    from acp_tui.session.facts import Branched, Fact
    from acp_tui.session.pending import InputOptions, PendingElicitation, PendingPermission
    from acp_tui.session.terminal import Terminal

Carrying = Literal["", "offered", "wanted"]
Event: TypeAlias = "Update | Fact | HistoryTold"
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


class HistoryTold(Frozen):
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
