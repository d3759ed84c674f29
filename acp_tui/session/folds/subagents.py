"""Child sessions: how they are announced and patched, what happens in them, and what sessions say to each other.

A child's transcript is a session like any other, changed by the same folds. What happens in it comes as an event of the
session that the user talks to, which is the one that is recorded, and whose `family` has every child by its id.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, ClassVar

from acp_tui.protocol.vocabulary.session_updates import SessionMessage, SessionMessageChunk, StateUpdate, SubagentUpdate
from acp_tui.protocol.vocabulary.tool_calls import SessionReference, ToolCallContent
from acp_tui.session.changes import Change, EntryAdded, EntryChanged, SubagentChanged, TurnChanged
from acp_tui.session.entries import Entry, MessageEntry, Part, SubagentEntry, ToolCallEntry, texts_in
from acp_tui.session.facts import AgentReturned, FileWritten, SubagentEvent
from acp_tui.session.folds import file_changes, timeline
from acp_tui.session.folds.messages import append_block, parts_markdown, parts_of
from acp_tui.session.state import Session, Subagent
from acp_tui.session.text.markdown import closed, link_to, one_line, quote
from acp_tui.session.tools.running_work import WORKING, works


@dataclass(slots=True)
class SessionMessageEntry(Entry):
    """What one session says to another, as one of them has it; `sender` and `recipient` are ids of sessions."""

    noun: ClassVar[str] = "message"
    sender: str | None = None
    recipient: str | None = None
    sender_message_id: str | None = None
    recipient_message_id: str | None = None
    parts: list[Part] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)

    def plain(self) -> str:
        return "\n".join(texts_in(self.parts))


def markdown_session_message(entry: SessionMessageEntry, _session: Session, links: Mapping[str, str]) -> Iterator[str]:
    yield f"### Message from {link_to(entry.sender, links)} to {link_to(entry.recipient, links)}"
    yield quote(parts_markdown(entry.parts))


def markdown_subagent(entry: SubagentEntry, _session: Session, links: Mapping[str, str]) -> Iterator[str]:
    state = "disconnected" if entry.disconnected else one_line(entry.stop_reason or entry.state or "not confirmed")
    seconds = "" if entry.finished_at is None else f", {entry.finished_at - entry.started_at:.1f} s"
    yield f"### Subagent: {link_to(entry.id, links)} ({state}{seconds})"
    if entry.description:
        yield quote(closed(entry.description))


def fold_subagent(session: Session, update: SubagentUpdate) -> None:
    """Announce or patch a child of the session that the user talks to."""
    _tell(session, session, update)


def fold_event(session: Session, fact: SubagentEvent) -> None:
    """Fold what happened in a child; one that was never announced is not known."""
    child = session.family.get(fact.session_id)
    if child is None or child.told:
        return
    if isinstance(fact.event, SubagentUpdate):
        _tell(session, child.session, fact.event)
        return
    child.session.apply(fact.event)
    if isinstance(fact.event, FileWritten):
        file_changes.add(session, fact.event)
    if isinstance(fact.event, StateUpdate):
        _take_state(session, child, fact.event)
        changed(session, child)


def fold_message(session: Session, update: SessionMessage) -> None:
    """Create or patch a message between sessions; omitted members stay."""
    entry, new = _message(session, update.message_id)
    if update.has("sender_session_id"):
        entry.sender = update.sender_session_id
    if update.has("recipient_session_id"):
        entry.recipient = update.recipient_session_id
    if update.has("sender_message_id"):
        entry.sender_message_id = update.sender_message_id
    if update.has("recipient_message_id"):
        entry.recipient_message_id = update.recipient_message_id
    if update.has("content"):
        entry.parts = parts_of(update.content or [])
    entry.meta = timeline.patched(entry.meta, update)
    _show(session, entry, new=new)


def fold_message_chunk(session: Session, update: SessionMessageChunk) -> None:
    entry, new = _message(session, update.message_id)
    append_block(entry.parts, update.content)
    _show(session, entry, new=new)


def _message(session: Session, message_id: str) -> tuple[SessionMessageEntry, bool]:
    known = session.index.of(SessionMessageEntry)
    if message_id in known:
        return known[message_id], False
    entry = known[message_id] = SessionMessageEntry(message_id, sealed=True, started_at=session.clock())
    return entry, True


def _show(session: Session, entry: SessionMessageEntry, *, new: bool) -> None:
    if new:
        timeline.begin(session, entry)
    else:
        timeline.changed(session, entry)


def tell_again(root: Session, parent: Session, row: SubagentEntry, told: Session) -> Session:
    """A subagent of another session as history in this one; its transcript, still empty.

    It keeps its id until the agent gives that to another.
    """
    again = Session(row.id, told.cwd, told.agent_name, told.title, clock=root.clock)
    root.family[row.id] = Subagent(row, again, parent, told=True)
    parent.subagents[row.id], again.parent = again, parent
    return again


def _set_aside(root: Session, child: Subagent) -> None:
    """Call a subagent of before by a name of its own: from now on the agent's id means another."""
    before, parent = child.entry.id, child.parent
    name = next(name for number in count(1) if (name := f"{before} (before {number})") not in root.family)
    root.family[name], parent.subagents[name] = root.family.pop(before), parent.subagents.pop(before)
    child.entry.id = child.session.id = name
    index = parent.index
    if (call := index.anchors.pop(before, None)) is not None:
        index.anchors[name] = call
        index.anchored[call.id] = [name if each == before else each for each in index.anchored[call.id]]
    timeline.changed(parent, child.entry)
    for entry in parent.entries:
        if isinstance(entry, ToolCallEntry) and SessionReference(session_id=before) in entry.content:
            entry.content = [_renamed(item, before, name) for item in entry.content]
            timeline.changed(parent, entry)


def _renamed(item: ToolCallContent, before: str, name: str) -> ToolCallContent:
    found = isinstance(item, SessionReference) and item.session_id == before
    return item.model_copy(update={"session_id": name}) if found else item


def _tell(root: Session, parent: Session, update: SubagentUpdate) -> None:
    """Announce a child of `parent`, or patch it; what belongs to another parent was refused before it came here."""
    child = root.family.get(update.session_id)
    if child is not None and child.told:
        _set_aside(root, child)
        child = None
    new = child is None
    if child is None:
        child = _announce(root, parent, update.session_id)
    entry = child.entry
    if update.has("title"):
        entry.title = child.session.title = update.title
    if update.has("description"):
        entry.description = update.description
    if update.has("capabilities"):
        entry.cancellable = update.capabilities is not None and update.capabilities.cancel
    if update.has("cwd"):
        entry.cwd = update.cwd
        _move(root, child, update.cwd or parent.cwd)
    if update.has("additional_directories"):
        entry.additional_directories = update.additional_directories
    entry.meta = timeline.patched(entry.meta, update)
    entry.disconnected = False
    if update.has("state"):
        if update.state is not None:
            child.session.apply(update.state)
        _take_state(root, child, update.state)
    if new:  # its row is shown once it says what was announced
        child.session.subscribe(partial(_heard, root, child))
        timeline.begin(parent, entry)
    changed(root, child)


def _move(root: Session, child: Subagent, cwd: str) -> None:
    if cwd == child.session.cwd:
        return
    child.session.cwd = cwd
    moved = [*child.session.subagents]
    for name in moved:  # which grows by the children of those that moved
        each = root.family[name]
        if not each.entry.cwd:
            each.session.cwd = cwd
            moved.extend(each.session.subagents)


def _announce(root: Session, parent: Session, session_id: str) -> Subagent:
    entry = SubagentEntry(session_id, sealed=True, started_at=root.clock())  # being announced is not being at work
    session = Session(session_id, parent.cwd, parent.agent_name, clock=root.clock)
    child = root.family[session_id] = Subagent(entry, session, parent)
    parent.subagents[session_id], session.parent = session, parent
    return child


def _take_state(root: Session, child: Subagent, state: StateUpdate | None) -> None:
    """Have the row say what the agent says; without a state nothing is confirmed, and nothing spins."""
    entry = child.entry
    again = state is not None and state.state == entry.state == "idle" and state.stop_reason is None
    if not again:  # a state that is told in both sessions need not say twice why the work ended
        entry.stop_reason = state.stop_reason if state is not None else None
    entry.state = state.state if state is not None else None
    entry.disconnected = False
    if entry.state in WORKING:
        entry.sealed, entry.finished_at = False, None
    else:
        entry.sealed, entry.finished_at = True, entry.finished_at or root.clock()
    if state is None:
        _rest(child)


def _rest(child: Subagent) -> None:
    """Nothing of the child goes on as far as is known, for no reason that could be told."""
    if child.session.turn.active:
        child.session.apply(StateUpdate(state="idle"))


def outlive(root: Session) -> None:
    """The turn is over: children that still work were not cancelled with it, as some agents have it."""
    since = root.turn.cancel_requested_at
    for child in root.family.values() if since is not None else ():
        asked_at = child.session.turn.cancel_requested_at
        if child.session.turn.active and asked_at is not None and since is not None and asked_at >= since:
            child.session.turn.cancel_requested_at = None
            changed(root, child)


def unconfirm(root: Session) -> None:
    """What was told of children was history: what they are at, and what may be done, is not known any more."""
    for child in [child for child in root.family.values() if not child.told]:
        entry = child.entry
        timeline.seal_growing(child.session)
        _rest(child)
        if entry.state is not None or entry.cancellable:
            entry.state, entry.cancellable, entry.sealed = None, False, True
            entry.finished_at = entry.finished_at or root.clock()
            changed(root, child)


def come_back(root: Session, fact: AgentReturned) -> None:
    """Another process of the agent runs, which has to announce each child anew; names of before mean new things.

    Where it knows nothing of the session, what was is history.
    """
    unconfirm(root)
    for child in root.family.values():
        child.session.apply(fact)
        child.told = child.told or fact.forgotten


def disconnect(root: Session) -> None:
    """The connection is lost: what children were at is not known to go on, nor to have failed."""
    for child in root.family.values():
        if not child.entry.sealed or child.session.turn.active:
            child.entry.disconnected = child.entry.sealed = True
            child.entry.finished_at = root.clock()
            _rest(child)
        child.entry.cancellable = False
        changed(root, child)


def _heard(root: Session, child: Subagent, change: Change) -> None:
    """A child does something else now, so that its row is drawn anew.

    Text that grows is no such thing; nor is what a child of its own does, which has a row itself: an agent may nest
    them as deeply as it likes.
    """
    match change:
        case EntryChanged(MessageEntry() | SubagentEntry()):
            pass
        case EntryAdded() | EntryChanged() | TurnChanged():
            changed(root, child)
        case _:
            pass


def changed(root: Session, child: Subagent) -> None:
    """Tell that a child's row is to be drawn anew; whether it works is looked up more often than it changes."""
    if works(child.entry):
        root.index.working[child.entry.id] = child.entry
    else:
        root.index.working.pop(child.entry.id, None)
    timeline.changed(child.parent, child.entry)
    root.publish(SubagentChanged(child.entry.id))
