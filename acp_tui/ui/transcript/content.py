"""Content blocks that are no text, told in words: what it is, how big, where from; knows no entries.

Nothing is fetched: a line says what the agent sent. Of pictures the size is read from their head.
"""

from typing import assert_never

from rich.style import Style

from acp_tui.protocol.content import (
    AudioContent,
    BlobResource,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResource,
    UnknownContent,
    for_agent_only,
)
from acp_tui.ui.figures import byte_size, lines_in
from acp_tui.ui.render.markdown import link_style
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import opens, sanitise_line
from acp_tui.ui.render.thumbnail import size_of_base64
from acp_tui.ui.render.wrap import Run
from acp_tui.ui.transcript.unit import OPEN

FOLDER = "inode/directory"
LARGEST = 10**15  # bytes; an agent may tell any number


def placeholder(block: ContentBlock, palette: Palette) -> list[Run]:
    """One line of runs that stands for a block; a click on its name opens the block."""
    sign, name, facts = told(block)
    opening = Style.from_meta({OPEN: True})
    runs = [(f"{sign} ", palette.muted + opening), (name, palette.text + opening)]
    if facts:
        runs.append((f"  {' · '.join(facts)}", palette.muted + opening))
    if uri := uri_of(block):
        style = link_style(uri, palette)
        runs += [("  ", palette.muted), (sanitise_line(uri), style if opens(uri) else style + opening)]
    return runs


def told(block: ContentBlock) -> tuple[str, str, list[str]]:
    """A block in words: its sign, what it is, and facts about it."""
    sign, name, facts = _told(block)
    if for_agent_only(block):
        facts.append("for the agent only")
    return sign, name, [fact for fact in facts if fact]


def uri_of(block: ContentBlock) -> str | None:
    """Where the block says that it comes from."""
    match block:
        case ImageContent() | ResourceLink():
            return block.uri
        case EmbeddedResource():
            return block.resource.uri
        case _:
            return None


def _told(block: ContentBlock) -> tuple[str, str, list[str]]:
    match block:
        case TextContent():
            return "⋯", "text", [lines_in(block.text)]
        case ImageContent():
            return "▣", "image", [*_type(block.mime_type), _pixels(block.data), _bytes(block.data)]
        case AudioContent():
            return "♪", "audio", [*_type(block.mime_type), _bytes(block.data)]
        case ResourceLink():
            size = "" if block.size is None else byte_size(min(block.size, LARGEST))
            return "→", sanitise_line(block.title or block.name, 120), [*_type(block.mime_type), size]
        case EmbeddedResource():
            return "▤", "resource", [*_type(block.resource.mime_type), *_resource(block.resource)]
        case UnknownContent():
            return "?", f"content of type {sanitise_line(block.type, 40)}", []
        case _:
            assert_never(block)


def _resource(resource: TextResource | BlobResource) -> list[str]:
    if isinstance(resource, BlobResource):
        return [_pixels(resource.blob), _bytes(resource.blob)]
    return [lines_in(resource.text)]


def _type(mime_type: str | None) -> list[str]:
    return ["folder" if mime_type == FOLDER else sanitise_line(mime_type or "", 60)]


def _bytes(data: str) -> str:
    """How many bytes a base64 text stands for, in words."""
    return byte_size(len(data) * 3 // 4 - data[-2:].count("="))


def _pixels(data: str) -> str:
    size = size_of_base64(data)
    return f"{size[0]} × {size[1]}" if size is not None else ""
