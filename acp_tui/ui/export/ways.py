"""What can be opened in an entry, the ways to open it, and what the user should know first."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from acp_tui.host.desktop.content_files import has_viewer
from acp_tui.protocol.vocabulary.content import (
    AudioContent,
    BlobResource,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResource,
    for_agent_only,
)
from acp_tui.protocol.vocabulary.tool_calls import ContentItem
from acp_tui.session.entries import CompactionEntry, Entry, MessageEntry, TextPart, ToolCallEntry
from acp_tui.ui.entries.content import told, uri_of
from acp_tui.ui.questions.elicitation.address import address_of

LONGEST = 800  # characters of an address; the panel has no room for more
Act = Literal["browse", "edit", "view", "save", "copy"]
ADDRESSES_AT_MOST = 50
_URL = re.compile(r"https?://[^\s<>\"'`\\)\]}]*[^\s<>\"'`\\.,;:!?)\]}]")


@dataclass(frozen=True, slots=True)
class Way:
    """One thing that can be done, with what: an address, a path, a text, or base64 data of a type."""

    act: Act
    label: str
    subject: str
    mime_type: str | None = None


@dataclass(frozen=True, slots=True)
class Opening:
    """What is opened: its name, what to read first (an address whole; what is odd begins with `!`), the ways."""

    title: str
    details: tuple[str, ...]
    ways: tuple[Way, ...]


def opening_of(block: ContentBlock) -> Opening:
    """The ways to open a block; the first is what Enter does."""
    sign, name, facts = told(block)
    uri = uri_of(block)
    details, ways = opening_of_address(uri) if uri else ((), ())
    found = [*_with_data(block), *ways]
    return Opening(" ".join((sign, name)), (*([" · ".join(facts)] if facts else []), *details), tuple(found))


def opening_of_address(uri: str) -> tuple[tuple[str, ...], tuple[Way, ...]]:
    """What to know of an address, and the ways to open it; an odd one is copied before it is opened."""
    copy = Way("copy", "Copy the address", uri)
    path = file_path(uri)
    if path is not None:
        return (path,), (Way("edit", "Open in your editor", path), Way("copy", "Copy the path", path))
    address = address_of(uri)
    if len(uri) > LONGEST:
        return (f"{uri[:LONGEST]} …", f"! not opened here: too long to be read first ({len(uri):,} characters)"), (
            copy,
        )
    if address.refusal:
        return (uri, f"! not opened here: {address.refusal}"), (copy,)
    browse = Way("browse", "Open in your browser", uri)
    details = (uri, f"Leads to {address.host}", *(f"! {warning}" for warning in address.warnings))
    return details, (copy, browse) if address.warnings else (browse, copy)


def file_path(uri: str) -> str | None:
    """The path on this machine that a `file:` address names; None for any other."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    here = parts.scheme == "file" and parts.netloc in ("", "localhost")
    return unquote(parts.path) if here and parts.path.startswith("/") else None


def _with_data(block: ContentBlock) -> Iterator[Way]:
    match block:
        case TextContent(text=text):
            yield Way("copy", "Copy the text", text)
        case ImageContent(data=data, mime_type=mime_type) | AudioContent(data=data, mime_type=mime_type) if data:
            yield from _file(data, mime_type)
        case EmbeddedResource(resource=BlobResource(blob=data, mime_type=kind)) if data:
            yield from _file(data, kind)
        case EmbeddedResource(resource=TextResource(text=text)):
            yield Way("copy", "Copy the text", text)
        case _:
            pass


def _file(data: str, mime_type: str | None) -> Iterator[Way]:
    if has_viewer(mime_type):
        yield Way("view", "Save and open with the system's viewer", data, mime_type)
    yield Way("save", "Save and copy the path", data, mime_type)


def blocks_of(entry: Entry) -> list[ContentBlock]:
    """The blocks of an entry, but for text that the user reads in the transcript."""
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
