"""Compactions of the agent's context: where they happened and what was kept."""

from acp_tui.protocol.updates import CompactionSummaryChunk, CompactionUpdate
from acp_tui.session import timeline
from acp_tui.session.entries import CompactionEntry
from acp_tui.session.messages import append_block, parts_of
from acp_tui.session.state import Session

_OPEN_STATUSES = frozenset({"in_progress", "pending"})


def fold_update(session: Session, update: CompactionUpdate) -> None:
    """Create or patch a compaction; the first update fixes its place."""
    entry = _entry(session, update.compaction_id)
    if update.has("status"):
        entry.status = update.status or "in_progress"
    if update.has("summary"):
        entry.summary = parts_of(update.summary or [])
    if update.has("error"):
        entry.error = update.error
    entry.meta = timeline.patched(entry.meta, update)
    _open_or_close(session, entry)
    timeline.changed(session, entry)


def fold_chunk(session: Session, update: CompactionSummaryChunk) -> None:
    """Append to a compaction's summary."""
    entry = _entry(session, update.compaction_id)
    append_block(entry.summary, update.content)
    _open_or_close(session, entry)
    timeline.changed(session, entry)


def stop_open(session: Session) -> None:
    """Seal every compaction that is still open."""
    while session.index.open_compactions:
        _, entry = session.index.open_compactions.popitem()
        entry.sealed = True
        timeline.changed(session, entry)


def _entry(session: Session, compaction_id: str) -> CompactionEntry:
    entry = session.index.compactions.get(compaction_id)
    if entry is None:
        entry = session.index.compactions[compaction_id] = CompactionEntry(compaction_id, started_at=session.clock())
        timeline.begin(session, entry)
    return entry


def _open_or_close(session: Session, entry: CompactionEntry) -> None:
    entry.sealed = entry.status not in _OPEN_STATUSES or not session.turn.active
    if entry.sealed:
        session.index.open_compactions.pop(entry.id, None)
    else:
        session.index.open_compactions[entry.id] = entry
