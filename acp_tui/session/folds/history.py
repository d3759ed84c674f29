"""A session that begins with what was said in another one, and links between sessions that one was handed over to.

What is copied is finished: no update of either session reaches the entries of the other, nothing spins or waits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import Any, Literal

from acp_tui.protocol.vocabulary.tool_calls import TerminalReference
from acp_tui.safe_text import visible
from acp_tui.session.changes import EntryAdded, InfoChanged
from acp_tui.session.entries import Entry, MessageEntry, SubagentEntry, TextPart, ToolCallEntry
from acp_tui.session.facts import Branched, HandedOver, TakenOver
from acp_tui.session.folds import subagents, terminals, timeline
from acp_tui.session.folds.timeline import add_notice
from acp_tui.session.state import CopiedHistory, Session

_WAYS = {"to": "Handed over to", "from": "Continued from"}


def fold_told(session: Session, fact: CopiedHistory) -> None:
    """Put the transcript of the other session in front, marked as history; does nothing where nothing was told."""
    told, kept = fact.told, told_before(fact.told, fact.prompts)
    if not kept:
        return
    copies, untold = _copy(session, told, kept), [(session, told)]
    for parent, before in untold:  # which grows by the subagents of subagents
        for child_id, child in before.subagents.items():
            row = copies.get(id(told.family[child_id].entry))
            if row is not None:
                again = subagents.tell_again(session, parent, row, child)
                copies |= _copy(again, child, child.entries)
                untold.append((again, child))
    session.index.forgotten = not fact.remembered
    if fact.message:
        add_notice(session, "info", "Restored from a local record", fact.message)


def fold_branched(session: Session, fact: Branched) -> None:
    """Know of which session this is a branch, and say where it begins."""
    session.branched, session.index.branched_at = fact, len(session.entries)
    message = f"The original continues with: {fact.words}" if fact.words else ""
    add_notice(session, "info", "Branched from here", message)
    session.publish(InfoChanged())


def told_before(told: Session, prompts: int | None) -> list[Entry]:
    """What was said in a session before the user's message number `prompts`, from 0; `None` for all."""
    if prompts is None:
        return list(told.entries)
    mine = (at for at, entry in enumerate(told.entries) if isinstance(entry, MessageEntry) and entry.role == "user")
    return told.entries[: next(islice(mine, prompts, None), len(told.entries))]


def _copy(session: Session, told: Session, kept: Sequence[Entry]) -> dict[int, Any]:
    """Have what is kept of one session said in the other; the copies, by the identities of the entries."""
    whole = len(kept) == len(told.entries)
    copies = {id(entry): _finished(entry, session) for entry in kept}
    session.entries.extend(copies.values())
    shown = set(told.terminals) if whole else {name for entry in kept for name in _terminals_of(entry)}
    session.terminals = {key: _copied(terminal) for key, terminal in told.terminals.items() if key in shown}
    session.plans = dict(told.plans) if whole else {}  # of a later time
    index = session.index
    index.todos = told.index.todos if whole else None
    index.todos_call = told.index.todos_call if whole else None
    index.asides, index.writes = told.index.asides, dict(told.index.writes)
    index.own_commands = {
        key: copies[id(entry)] for key, entry in told.index.own_commands.items() if id(entry) in copies
    }
    index.anchors = {name: copies[id(call)] for name, call in told.index.anchors.items() if id(call) in copies}
    index.anchored = {call_id: list(names) for call_id, names in told.index.anchored.items()}
    for entry in copies.values():
        session.publish(EntryAdded(entry))
    terminals.set_aside(session)
    return copies


def _terminals_of(entry: Entry) -> Iterator[str]:
    for item in entry.content if isinstance(entry, ToolCallEntry) else ():
        if isinstance(item, TerminalReference):
            yield item.terminal_id


def _finished(entry: Any, session: Session) -> Any:
    copy = _copied(entry)
    if isinstance(copy, SubagentEntry) and not copy.sealed:
        copy.disconnected = True  # it may work on, but not for this session
    if not copy.sealed:
        copy.sealed = True
        if hasattr(copy, "finished_at"):
            copy.finished_at = copy.finished_at or session.clock()
    if isinstance(copy, ToolCallEntry | SubagentEntry):
        copy.cancellable = False
    return copy


def _copied(thing: Any) -> Any:
    """An entry or a terminal with lists of its own; what these hold does not change, but for text that grows."""
    own: dict[str, Any] = {}
    for member in fields(thing):
        value = getattr(thing, member.name)
        if isinstance(value, list):
            own[member.name] = [_part(one) for one in value]
        elif isinstance(value, dict):
            own[member.name] = dict(value)
    return replace(thing, **own)


def _part(part: Any) -> Any:
    return replace(part, chunks=list(part.chunks)) if isinstance(part, TextPart) else part


@dataclass(slots=True)
class HandOverEntry(Entry):
    """A link: the conversation went on in another session (`way` is `to`), or goes on from one (`from`).

    `agent` is what the agent of that session calls itself, `mark` is the same on both sides of a hand-over.
    """

    way: Literal["to", "from"]
    mark: str
    agent: str
    session_id: str = ""
    sealed: bool = field(default=True, kw_only=True)

    @property
    def pieces(self) -> list[str]:
        return [f"{_WAYS[self.way]} {visible(self.agent, 'another agent')}"]

    @property
    def carried(self) -> bool:
        return False


def fold_handed_over(session: Session, fact: HandedOver) -> None:
    _link(session, "to", fact)


def fold_taken_over(session: Session, fact: TakenOver) -> None:
    _link(session, "from", fact)


def _link(session: Session, way: Literal["to", "from"], fact: HandedOver | TakenOver) -> None:
    """Show a link, or correct the one that was shown for this hand-over."""
    links = (entry for entry in reversed(session.entries) if isinstance(entry, HandOverEntry))
    entry = next((link for link in links if (link.way, link.mark) == (way, fact.mark)), None)
    if entry is not None:
        entry.agent, entry.session_id = fact.agent, fact.session_id
        timeline.changed(session, entry)
        return
    entry = HandOverEntry(
        session.index.aside(), way, fact.mark, fact.agent, fact.session_id, started_at=session.clock()
    )
    timeline.add(session, entry)
