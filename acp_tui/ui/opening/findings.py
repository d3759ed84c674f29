"""What can be opened in an entry: its blocks that are no plain text, and the addresses in its text."""

import re
from collections.abc import Iterator

from acp_tui.protocol.content import ContentBlock, TextContent, for_agent_only
from acp_tui.protocol.tool_calls import ContentItem
from acp_tui.session.entries import CompactionEntry, Entry, MessageEntry, TextPart, ToolCallEntry

ADDRESSES_AT_MOST = 50
_URL = re.compile(r"https?://[^\s<>\"'`\\)\]}]*[^\s<>\"'`\\.,;:!?)\]}]")


def blocks_of(entry: Entry) -> list[ContentBlock]:
    """The blocks of an entry, but for text that a person reads in the transcript."""
    return [block for block in _blocks(entry) if not isinstance(block, TextContent) or for_agent_only(block)]


def addresses_of(entry: Entry) -> list[str]:
    """The web addresses in an entry's text, each once, in order."""
    found = dict.fromkeys(match[0] for text in _texts(entry) for match in _URL.finditer(text))
    return list(found)[:ADDRESSES_AT_MOST]


def _blocks(entry: Entry) -> Iterator[ContentBlock]:
    match entry:
        case MessageEntry(parts=parts) | CompactionEntry(summary=parts):
            yield from (part for part in parts if not isinstance(part, TextPart))
        case ToolCallEntry():
            yield from (item.content for item in entry.content if isinstance(item, ContentItem))
        case _:
            pass


def _texts(entry: Entry) -> Iterator[str]:
    match entry:
        case MessageEntry(parts=parts) | CompactionEntry(summary=parts):
            yield from (part.text for part in parts if isinstance(part, TextPart))
        case ToolCallEntry():
            blocks = (item.content for item in entry.content if isinstance(item, ContentItem))
            yield from (block.text for block in blocks if isinstance(block, TextContent) and not for_agent_only(block))
        case _:
            pass
