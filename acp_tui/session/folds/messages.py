"""Messages of the user and the agent, thoughts and compactions: upserts, chunks, and when one is finished.

A message is keyed by its role and id. It is sealed when a later message, tool call or compaction begins, or
when the turn ends; late chunks still reach it. Annotations and `_meta` of text are not kept: consecutive
text is one part, however it was split. Only text that is not for the user stays apart, as blocks.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from acp_tui.protocol.vocabulary import session_updates
from acp_tui.protocol.vocabulary.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    for_agent,
    for_agent_only,
)
from acp_tui.session import facts
from acp_tui.session.changes import EntryChanged
from acp_tui.session.entries import Entry, MessageEntry, Part, TextPart, texts_in, unmarked
from acp_tui.session.folds import timeline
from acp_tui.session.state import Session
from acp_tui.session.text.escapes import strip_escapes
from acp_tui.session.text.markdown import block_markdown, closed, one_line, quote
from acp_tui.session.text.mentions import mention_of, mentions_in
from acp_tui.session.text.phrases import CARRIED_URI, NOT_SENT, TRANSCRIPT_URI, has_carried

_OPEN_STATUSES = frozenset({"in_progress", "pending"})
ASIDE = 32 * 1024  # characters that one block holds of text that is not for the user
NEAR = 200  # characters at the beginning of a text in which its first words stand, behind what an agent put there
_COMPACTION = {
    "in_progress": "compacting the context",
    "completed": "context compacted",
    "failed": "compacting the context failed",
}


@dataclass(slots=True)
class CompactionEntry(Entry):
    """The agent compacted its context here."""

    noun: ClassVar[str] = "compaction"
    status: str = "in_progress"
    summary: list[Part] = field(default_factory=list)
    error: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)

    def plain(self) -> str:
        return unmarked("\n".join((self.error or "", *texts_in(self.summary))))

    def report(self) -> list[str]:
        return [_COMPACTION.get(self.status, f"context: {self.status}")]


def append_block(parts: list[Part], block: ContentBlock) -> None:
    """Add a block at the end: text to the text before it, anything else by itself."""
    last = parts[-1] if parts else None
    if not isinstance(block, TextContent):
        parts.append(block)
    elif for_agent_only(block):
        _append_aside(parts, block)
    elif block.text:
        if not isinstance(last, TextPart):
            last = TextPart()
            parts.append(last)
        last.append(block.text)


def _append_aside(parts: list[Part], block: TextContent) -> None:
    """Add what is not for the user to what is before it, in blocks of bounded size: each chunk copies the last one."""
    last = parts[-1] if parts else None
    if isinstance(last, TextContent) and len(last.text) < ASIDE:
        block = last.model_copy(update={"text": last.text + block.text})
        del parts[-1]
    starts = range(0, len(block.text), ASIDE)
    parts.extend(block.model_copy(update={"text": block.text[start : start + ASIDE]}) for start in starts)


def parts_of(blocks: Iterable[ContentBlock]) -> list[Part]:
    parts: list[Part] = []
    for block in blocks:
        append_block(parts, block)
    return parts


def _as_sent(block: ContentBlock) -> ContentBlock:
    """A conversation that a prompt has carried is for the agent only: OpenCode tells it again as the user's words."""
    if isinstance(block, TextContent) and has_carried(block.text[:NEAR]) and not for_agent_only(block):
        return for_agent(block)
    return block


def is_carried(block: ContentBlock) -> bool:
    """Whether a block of a prompt is what this program put there."""
    if isinstance(block, EmbeddedResource):
        return block.resource.uri == CARRIED_URI
    return isinstance(block, TextContent) and for_agent_only(block) and has_carried(block.text[:NEAR])


def is_transcript(block: ContentBlock) -> bool:
    """Whether a block is a transcript that the user attached."""
    return isinstance(block, EmbeddedResource) and block.resource.uri.startswith(TRANSCRIPT_URI)


def own_parts(parts: Iterable[Part]) -> Iterator[Part]:
    """What the user sent. A long text for the agent is several blocks, of which only the first tells what they are."""
    carrying = False
    for part in parts:
        of_agent = isinstance(part, TextContent) and for_agent_only(part)
        carrying = not isinstance(part, TextPart) and (is_carried(part) or (carrying and of_agent))
        if not carrying:
            yield part


def text_of(parts: Iterable[Part]) -> str:
    """Parts as a user would type them: text, and as mentions the resource links that the text does not name."""
    parts = list(parts)
    text = "".join(part.text for part in parts if isinstance(part, TextPart))
    named = {mention.name for mention in mentions_in(text)}
    links = (part.name for part in parts if isinstance(part, ResourceLink))
    if named.issuperset(links):
        return text
    return "".join(
        part.text if isinstance(part, TextPart) else mention_of(part.name) if isinstance(part, ResourceLink) else ""
        for part in parts
    )


def attachments_of(parts: Iterable[Part]) -> tuple[ContentBlock, ...]:
    """The pictures, sounds and transcripts that were attached; what the text mentions has an address of its own."""
    return tuple(part for part in parts if not isinstance(part, TextPart) and _is_attached(part))


def _is_attached(block: ContentBlock) -> bool:
    is_picture = isinstance(block, ImageContent) and not block.uri
    return is_picture or isinstance(block, AudioContent) or is_transcript(block)


def parts_markdown(parts: Iterable[Part]) -> str:
    """Parts of a message or summary, one after another."""
    texts = (strip_escapes(part.text) if isinstance(part, TextPart) else block_markdown(part) for part in parts)
    return "\n\n".join(closed(text.strip("\n")) for text in texts)


def markdown_message(entry: MessageEntry, *_: object) -> Iterator[str]:
    if entry.role == "thought":
        seconds = "" if entry.finished_at is None else f" for {entry.finished_at - entry.started_at:.0f} s"
        yield quote(f"*Thought{seconds}*\n\n{parts_markdown(entry.parts)}")
    elif entry.role == "injected":
        yield quote(f"*{NOT_SENT}*\n\n{parts_markdown(entry.parts)}")
    else:
        yield f"## {entry.role.capitalize()}"
        own = list(own_parts(entry.parts))
        if len(own) < len(entry.parts):
            yield quote("*With the conversation so far, for the agent only.*")
        yield parts_markdown(own)


def markdown_compaction(entry: CompactionEntry, *_: object) -> Iterator[str]:
    yield f"### Context compacted ({one_line(entry.status)})"
    yield quote(parts_markdown(entry.summary) + (f"\n\n{closed(entry.error)}" if entry.error else ""))


def fold_chunk(session: Session, update: session_updates.MessageChunk) -> None:
    """Append to a message, beginning it if it is new. The one fold that runs thousands of times a turn."""
    role = update.role
    entry = session.index.messages.get((role, update.message_id))
    if entry is None:
        _begin(session, role, update.message_id, [_as_sent(update.content) if role == "user" else update.content], {})
        return
    append_block(entry.parts, _as_sent(update.content) if role == "user" else update.content)
    entry.version += 1
    if entry is session.index.growing:
        change = session.index.growing_change
        if change is None:
            change = session.index.growing_change = EntryChanged(entry)
    else:
        change = EntryChanged(entry)
        entry.finished_at = session.clock()
    session.publish(change)


def fold_update(session: Session, update: session_updates.MessageUpdate) -> None:
    """Create a message or replace its content; omitted content stays."""
    entry = session.index.messages.get((update.role, update.message_id))
    content: Sequence[ContentBlock] = update.content or []
    if update.role == "user" and not update.from_here:
        content = [_as_sent(block) for block in content]
    if entry is None:
        entry = _begin(session, update.role, update.message_id, content, timeline.patched({}, update))
        if update.from_here and entry is not None:
            session.index.prompt, entry.from_here = entry, True
        return
    entry.meta = timeline.patched(entry.meta, update)
    if update.has("content"):
        entry.parts = parts_of(content)
        timeline.changed(session, entry)


def fold_injected(session: Session, fact: facts.MessageInjected) -> None:
    """Show a message as one that the agent has added, or as the user's after all."""
    entry = session.index.messages.get(("user", fact.message_id))
    if entry is not None:
        entry.role = "injected" if fact.injected else "user"
        timeline.changed(session, entry)


def _begin(
    session: Session, role: session_updates.Role, message_id: str, blocks: Sequence[ContentBlock], meta: dict[str, Any]
) -> MessageEntry | None:
    """A new message; None where it is the agent's and has no words yet: many models begin a thought with a newline."""
    index = session.index
    before, known = index.blank.pop((role, message_id), ([], {}))
    before.extend(blocks)  # in place: an agent may send any number of them
    meta = {**known, **meta}
    if role != "user" and not any(_has_words(block) for block in blocks):
        index.blank[role, message_id] = before, meta
        return None
    entry = MessageEntry(message_id, role, parts_of(before), meta=meta, started_at=session.clock())
    timeline.begin(session, entry)
    index.messages[role, message_id] = entry
    index.growing = entry
    return entry


def _has_words(block: ContentBlock) -> bool:
    return not isinstance(block, TextContent) or bool(block.text.strip())


def fold_compaction(session: Session, update: session_updates.CompactionUpdate) -> None:
    """Create or patch a compaction; the first update fixes its place."""
    entry = _compaction(session, update.compaction_id)
    if update.has("status"):
        entry.status = update.status or "in_progress"
    if update.has("summary"):
        entry.summary = parts_of(update.summary or [])
    if update.has("error"):
        entry.error = update.error
    entry.meta = timeline.patched(entry.meta, update)
    _compaction_changed(session, entry)


def fold_summary_chunk(session: Session, update: session_updates.CompactionSummaryChunk) -> None:
    entry = _compaction(session, update.compaction_id)
    append_block(entry.summary, update.content)
    _compaction_changed(session, entry)


def stop_compactions(session: Session) -> None:
    for entry in session.index.of(CompactionEntry).values():
        if not entry.sealed:
            entry.sealed = True
            timeline.changed(session, entry)


def _compaction(session: Session, compaction_id: str) -> CompactionEntry:
    known = session.index.of(CompactionEntry)
    entry = known.get(compaction_id)
    if entry is None:
        entry = known[compaction_id] = CompactionEntry(compaction_id, started_at=session.clock())
        timeline.begin(session, entry)
    return entry


def _compaction_changed(session: Session, entry: CompactionEntry) -> None:
    entry.sealed = entry.status not in _OPEN_STATUSES or not session.turn.active
    timeline.changed(session, entry)
