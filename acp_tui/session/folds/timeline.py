"""Entries on the timeline: they join the transcript, change, finish and leave."""

from typing import Any

from acp_tui.protocol.base import Model
from acp_tui.session.changes import EntryAdded, EntryChanged, EntryRemoved
from acp_tui.session.entries import Entry, MessageEntry, TextPart
from acp_tui.session.state import Session
from acp_tui.session.text.mentions import is_tag_block


def begin(session: Session, entry: Entry) -> None:
    """Append an entry that is part of the conversation; the message that grew until now is finished."""
    seal_growing(session)
    add(session, entry)


def add(session: Session, entry: Entry) -> None:
    """Append an entry; an aside (a notice, an unknown update) leaves the growing message open."""
    session.entries.append(entry)
    session.publish(EntryAdded(entry))


def changed(session: Session, entry: Entry) -> None:
    entry.version += 1
    session.publish(EntryChanged(entry))


def remove(session: Session, entry: Entry) -> None:
    session.entries.remove(entry)
    session.publish(EntryRemoved(entry))


def seal_growing(session: Session) -> None:
    entry = session.index.growing
    if entry is None:
        return
    session.index.growing = session.index.growing_change = None
    entry.sealed = True
    entry.finished_at = session.clock()
    if entry.role == "user" and entry is not session.index.prompt and _is_injected(entry):
        entry.role = "injected"
    changed(session, entry)


def _is_injected(entry: MessageEntry) -> bool:
    """Whether it is only a block of tags, which agents put there and users do not write."""
    texts = [part.text if isinstance(part, TextPart) else None for part in entry.parts]
    return bool(texts) and None not in texts and is_tag_block("".join(filter(None, texts)))


def patched(meta: dict[str, Any], update: Model) -> dict[str, Any]:
    """`_meta` after an update: omitted stays, `None` clears, an object patches by top-level key (`None` removes it)."""
    if not update.has("meta"):
        return meta
    merged = {**meta, **update.meta} if update.meta is not None else {}
    return {name: value for name, value in merged.items() if value is not None}
