"""A session that begins with what was said in another one.

What is copied is finished: no update of either session reaches the entries of the other, nothing spins or waits.
"""

from dataclasses import fields, replace
from typing import Any

from acp_tui.session.changes import EntryAdded
from acp_tui.session.entries import SubagentEntry, TextPart, ToolCallEntry
from acp_tui.session.folds import subagents, terminals
from acp_tui.session.folds.notices import add_notice
from acp_tui.session.state import HistoryTold, Session


def fold_told(session: Session, fact: HistoryTold) -> None:
    """Put the transcript of the other session in front, marked as history; does nothing where nothing was told."""
    told = fact.told
    if not told.entries:
        return
    copies, untold = _copy(session, told), [(session, told)]
    for parent, before in untold:  # which grows by the subagents of subagents
        for child_id, child in before.subagents.items():
            row = copies[id(told.family[child_id].entry)]
            again = subagents.tell_again(session, parent, row, child)
            copies |= _copy(again, child)
            untold.append((again, child))
    add_notice(session, "info", "Restored from a local record", fact.message)


def _copy(session: Session, told: Session) -> dict[int, Any]:
    """Have what was said in one session said in the other; the copies, by the identities of the entries."""
    copies = {id(entry): _finished(entry, session) for entry in told.entries}
    session.entries.extend(copies.values())
    session.terminals = {key: _copied(terminal) for key, terminal in told.terminals.items()}
    session.plans = dict(told.plans)
    index = session.index
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
