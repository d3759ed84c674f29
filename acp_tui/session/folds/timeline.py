"""Entries on the timeline: they join the transcript, change, finish and leave; and notices, rejected updates, and
updates of kinds that nobody here knows.

The same thing reported again within one turn, or a live notice within the session, is counted on its entry instead
of shown anew.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.base import Model
from acp_tui.protocol.vocabulary.session_updates import Notice, RejectedUpdate, UnknownUpdate
from acp_tui.session.changes import EntryAdded, EntryChanged, EntryRemoved, NoticeRaised
from acp_tui.session.entries import Entry, MessageEntry, NoticeEntry, Origin, See, TextPart
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session
from acp_tui.session.text.markdown import closed, fenced_json, one_line, quote, times
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


FAILED, SEND_AGAIN = "The agent failed", "Edit and send it again."
KEPT_NOTICES = 100  # live notices that a session remembers
KEPT_REPEATS = 100  # updates of one unknown kind that are kept whole in one turn; more are only counted


@dataclass(slots=True)
class UnknownEntry(Entry):
    """Updates of a kind that this program does not know, shown generically and exported unharmed.

    More of the same kind in one turn are counted in `count` and, up to a cap, kept in `repeats`.
    """

    kind: str
    raw: dict[str, Any]
    repeats: list[dict[str, Any]] = field(default_factory=list)
    count: int = 1
    sealed: bool = field(default=True, kw_only=True)

    @property
    def carried(self) -> bool:
        return False

    def plain(self) -> str:
        raws = (json.dumps(raw, indent=2, ensure_ascii=False, default=str) for raw in (self.raw, *self.repeats))
        return "\n".join((self.kind, *raws))

    def report(self) -> list[str]:
        return [f"unknown update: {self.kind}"]

    def origin(self) -> Origin:
        return Origin(self.kind, kind=self.kind, since=self.started_at)


def markdown_unknown(entry: UnknownEntry, *_: object) -> Iterator[str]:
    yield f"### {one_line(entry.kind)}{times(entry.count)}"
    yield from map(fenced_json, (entry.raw, *entry.repeats))


def markdown_notice(entry: NoticeEntry, *_: object) -> Iterator[str]:
    told = "\n".join(filter(None, (entry.message, entry.hint)))
    head = f"**{one_line(entry.severity)}: {one_line(entry.title)}**{times(entry.count)}"
    yield quote(f"{head}\n\n{closed(told)}" if told else head)


def add_notice(
    session: Session, severity: str, title: str, message: str = "", hint: str = "", see: See = ""
) -> NoticeEntry:
    """Append a notice to the transcript, or count it once more."""
    key = ("notice", severity, title, message, hint)
    entry: NoticeEntry | None = session.index.repeatable.get(key)
    if entry is not None:
        entry.count += 1
        changed(session, entry)
        return entry
    entry = NoticeEntry(session.index.aside(), severity, title, message, hint, see, started_at=session.clock())
    session.index.repeatable[key] = entry
    add(session, entry)
    return entry


def add_failure(session: Session, details: str) -> None:
    """Tell that the agent failed; where it failed so in the turn before, to send the prompt again was no help."""
    if _failed_before(session, details):
        add_notice(session, "error", FAILED, details, "It failed in the same way before. Check its stderr", "stderr")
    else:
        add_notice(session, "error", FAILED, details, SEND_AGAIN, "prompt")


def _failed_before(session: Session, details: str) -> bool:
    prompts = 0
    for entry in reversed(session.entries):
        prompts += isinstance(entry, MessageEntry) and entry.role == "user"
        if prompts > 1:
            return False
        if isinstance(entry, NoticeEntry) and (entry.title, entry.message) == (FAILED, details):
            return True
    return False


def fold_noticed(session: Session, fact: Noticed) -> None:
    add_notice(session, fact.severity, fact.title, fact.message, fact.hint, fact.see)


def fold_rejected(session: Session, update: RejectedUpdate) -> None:
    message = f"{update.path}: {update.reason}" if update.path else update.reason
    add_notice(session, "warning", f"Invalid update from the agent: {update.kind}", message)


def fold_unknown(session: Session, update: UnknownUpdate) -> None:
    entry = session.index.repeatable.get(("unknown", update.kind))
    if entry is not None:
        entry.count += 1
        if len(entry.repeats) < KEPT_REPEATS:
            entry.repeats.append(update.raw)
        changed(session, entry)
        return
    entry = UnknownEntry(session.index.aside(), update.kind, update.raw, started_at=session.clock())
    session.index.repeatable["unknown", update.kind] = entry
    add(session, entry)


def fold_notice(session: Session, update: Notice) -> None:
    """The agent's live notice: shown now, not part of the conversation. An equal one before it becomes this one."""
    message = update.description or ""
    said = update.severity, update.title, message
    before = next((one for one in session.notices if (one.severity, one.title, one.message) == said), None)
    if before is not None:
        session.notices.remove(before)
        session.notices.append(before)
        before.count, before.started_at, before.version = before.count + 1, session.clock(), before.version + 1
        session.publish(NoticeRaised(before, again=True))
        return
    notice = NoticeEntry(session.index.aside(), update.severity, update.title, message, started_at=session.clock())
    session.notices.append(notice)
    del session.notices[:-KEPT_NOTICES]
    session.publish(NoticeRaised(notice))
