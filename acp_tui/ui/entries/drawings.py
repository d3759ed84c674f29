"""Which drawing stands for which kind of entry, and which entries are copied as they were written."""

from typing import assert_never

from acp_tui.protocol.vocabulary.content import ResourceLink
from acp_tui.session.entries import (
    CompactionEntry,
    ElicitationEntry,
    Entry,
    HandOverEntry,
    MessageEntry,
    NoticeEntry,
    SessionMessageEntry,
    SubagentEntry,
    TakenBackEntry,
    TextPart,
    ToolCallEntry,
    TurnEntry,
    UnknownEntry,
)
from acp_tui.session.folds.messages import text_of
from acp_tui.session.state import Session
from acp_tui.ui.entries.files import TakenBackUnit, TurnUnit
from acp_tui.ui.entries.folding import (
    CompactionDrawing,
    ThoughtDrawing,
    UnknownDrawing,
    UserDrawing,
)
from acp_tui.ui.entries.message import MessageDrawing
from acp_tui.ui.entries.notice import ElicitationUnit, LinkUnit, NoticeDrawing
from acp_tui.ui.entries.shared_units import OneUnit
from acp_tui.ui.entries.subagent import Referred, SessionMessageDrawing, SubagentDrawing
from acp_tui.ui.entries.tool_calls.drawing import ToolCallDrawing
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.render.unit import Drawing


def draw(entry: Entry, session: Session) -> Drawing:
    match entry:
        case MessageEntry(role="thought"):
            return ThoughtDrawing(entry)
        case MessageEntry(role="user" | "injected"):
            return UserDrawing(entry)
        case MessageEntry():
            return MessageDrawing(entry)
        case ToolCallEntry():
            return ToolCallDrawing(entry, session, Referred(session).units)
        case NoticeEntry():
            return NoticeDrawing(entry)
        case CompactionEntry():
            return CompactionDrawing(entry)
        case ElicitationEntry():
            return OneUnit(ElicitationUnit(entry))
        case SubagentEntry():
            return SubagentDrawing(entry, session)
        case SessionMessageEntry():
            return SessionMessageDrawing(entry, session)
        case HandOverEntry():
            return OneUnit(LinkUnit(entry))
        case TurnEntry():
            return OneUnit(TurnUnit(entry))
        case TakenBackEntry():
            return OneUnit(TakenBackUnit(entry))
        case UnknownEntry():
            return UnknownDrawing(entry)
        case _:
            assert_never(entry)


def written(entry: Entry) -> str | None:
    """A message as it was written, for the clipboard: a drawn table cannot be pasted. None: copied as drawn."""
    if not isinstance(entry, MessageEntry) or entry.role in ("thought", "injected"):
        return None
    whole = all(isinstance(part, TextPart | ResourceLink) for part in entry.parts)
    return sanitise(text_of(entry.parts)).strip("\n") if whole else None
