"""How a session finds its entries again; bookkeeping that no front end needs and no export shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

from acp_tui.frozen import Frozen

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.config_options import ConfigOption
    from acp_tui.protocol.vocabulary.content import ContentBlock
    from acp_tui.protocol.vocabulary.tool_calls import BackgroundWork
    from acp_tui.protocol.vocabulary.updates import Plan, Role
    from acp_tui.session.changes import EntryChanged
    from acp_tui.session.entries import ElicitationEntry, Entry, MessageEntry, SubagentEntry, ToolCallEntry
    from acp_tui.session.facts import FileWritten


E = TypeVar("E", bound="Entry")


class Listed(Frozen):
    """The ids in what the agent listed last as background work."""

    work: list[BackgroundWork]
    calls: frozenset[str | None]
    terminals: frozenset[str | None]


@dataclass(slots=True)
class Index:
    """Entries by the names that updates use, and which of them are still open.

    `named` has those of the kinds that have no table of their own here; use `of`.
    `growing` is the one message that is not sealed, `growing_change` the change that tells of its growth. `prompt` is
    the message that the user sent from here for the turn at hand. `repeatable` holds what is counted instead of shown
    again within one turn. `blank` is what came of messages of the agent that have no words so far, with their `_meta`.
    `visits` are addresses that the user went to and the agent has not called done, by its id.
    `anchors` are the calls below which sessions are shown, by the sessions' ids: the first that refers to each, whose
    content may be replaced later on; `anchored` are those ids by the id of the call. `working` are the rows of those
    subagents of all depths that work, by their ids, in the session that the user talks to.
    `questions` are those that the agent asked for a tool call, the last one of each, by the id of the call. `writes`
    are files that were written for the agent, by path, the last one last; `lone_writes` are the rows of those of this
    turn that no tool call names, with `lone_text` characters of all turns. `turn_plans` are the plans that were
    updated in the turn at hand, by their ids, the last one last. `options_at` is when the agent last sent its
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
    config_requests: Counter[str] = field(default_factory=Counter)
    listed: Listed | None = None
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
    asides: int = 0
    queued: int = 0

    def of(self, kind: type[E]) -> dict[str, E]:
        """The entries of a kind by the names that updates give them."""
        return self.named.setdefault(kind, {})

    def aside(self) -> str:
        """The next id for what this side says."""
        self.asides += 1
        return f"aside-{self.asides}"
