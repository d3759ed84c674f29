"""Where an entry of the transcript came from, as far as messages can tell; must not know how they are shown."""

from acp_tui.host.inspection.message import Origin
from acp_tui.session.entries import (
    CompactionEntry,
    ElicitationEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    ToolCallEntry,
    UnknownEntry,
)

FOREVER = float("inf")
_CHUNKS = {"user": "session/prompt", "agent": "agent_message", "thought": "agent_thought"}
_NAMELESS = "unnamed-"  # ids that were given here, because the agent gave none


def origin_of(entry: Entry) -> Origin:
    """What made this entry: by its id where the agent named it, else by kind and time."""
    match entry:
        case ToolCallEntry():
            return Origin(entry.title or entry.name or "the tool call", name=entry.id)
        case MessageEntry():
            until = entry.finished_at if entry.finished_at is not None else FOREVER
            name = "" if entry.id.startswith(_NAMELESS) else entry.id
            titles = {"user": "your message", "agent": "this answer", "thought": "this thought"}
            return Origin(titles[entry.role], name, _CHUNKS[entry.role], entry.started_at, until)
        case CompactionEntry():
            return Origin("this compaction", name=entry.id)
        case UnknownEntry():
            return Origin(entry.kind, kind=entry.kind, since=entry.started_at)
        case NoticeEntry() | ElicitationEntry():
            return Origin("this moment", since=entry.started_at - 1, until=entry.started_at + 1)
