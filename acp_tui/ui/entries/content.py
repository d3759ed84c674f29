"""Content blocks that are no text: words on what it is, how big and where from, and pictures. Nothing is fetched."""

from collections.abc import Sequence
from functools import cached_property
from typing import assert_never

from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style

from acp_tui.protocol.vocabulary.content import (
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
from acp_tui.ui.render.markdown import link_style
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import opens, sanitise_line
from acp_tui.ui.render.thumbnail import Rgb, Thumbnail, size_of_base64, thumbnail_of
from acp_tui.ui.render.unit import OPEN, Row
from acp_tui.ui.render.wrap import LEFT, Run, block_edge
from acp_tui.views.formatting import byte_size, lines_in

FOLDER = "inode/directory"
FIRST_LINE = 1_000  # of a picture in its unit; the words come before
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
    if isinstance(block, EmbeddedResource):
        return block.resource.uri
    return block.uri if isinstance(block, ImageContent | ResourceLink) else None


def _told(block: ContentBlock) -> tuple[str, str, list[str]]:
    match block:
        case TextContent():
            return "⋯", "text", [lines_in(block.text)]
        case ImageContent():
            return "▣", "image", [_type(block.mime_type), _pixels(block.data), _bytes(block.data)]
        case AudioContent():
            return "♪", "audio", [_type(block.mime_type), _bytes(block.data)]
        case ResourceLink():
            size = "" if block.size is None else byte_size(min(block.size, LARGEST))
            return "→", sanitise_line(block.title or block.name, 120), [_type(block.mime_type), size]
        case EmbeddedResource(resource=resource):
            if isinstance(resource, TextResource):
                return "▤", "resource", [_type(resource.mime_type), lines_in(resource.text)]
            return "▤", "resource", [_type(resource.mime_type), _pixels(resource.blob), _bytes(resource.blob)]
        case UnknownContent():
            return "?", f"unknown content type {sanitise_line(block.type, 40)}", []
        case _:
            assert_never(block)


def _type(mime_type: str | None) -> str:
    return "folder" if mime_type == FOLDER else sanitise_line(mime_type or "", 60)


def _bytes(data: str) -> str:
    return byte_size(len(data) * 3 // 4 - data[-2:].count("="))


def _pixels(data: str) -> str:
    size = size_of_base64(data)
    return f"{size[0]} × {size[1]}" if size is not None else ""


class BlockUnit:
    """A content block that is no text; no picture where it is none, is for the agent alone, or without colours."""

    def __init__(self, block: ContentBlock) -> None:
        self.block = block

    @cached_property
    def _thumbnail(self) -> Thumbnail | None:
        data = _data_of(self.block)
        return None if data is None or for_agent_only(self.block) else thumbnail_of(data)

    @property
    def version(self) -> int:
        return self._thumbnail.version if self._thumbnail is not None else 0

    def estimate(self, width: int) -> int:
        return 1 + (self._thumbnail.cells(block_edge(width) - LEFT)[1] if self._thumbnail is not None else 0)

    def picture_rows(self, before: Sequence[Run], room: int, palette: Palette, wash: Style | None = None) -> list[Row]:
        """Its picture behind `before`; with a `wash` they reach to the end of the room."""
        if self._thumbnail is None or palette.text_only or not palette.colour or room <= 0:
            return []
        lead = [Segment(text, style) for text, style in before]
        drawn = self._thumbnail.rows(room, _ground(palette, wash))
        rows: list[Row] = []
        for number, cells in enumerate(drawn, FIRST_LINE):
            segments = [*lead, *cells, *([Segment(" " * (room - len(cells)), wash)] if wash else [])]
            rows.append(Row(segments, number, gutter=sum(len(segment.text) for segment in segments)))  # nothing to copy
        return rows


def _data_of(block: ContentBlock) -> str | None:
    match block:
        case ImageContent():
            return block.data
        case EmbeddedResource(resource=BlobResource(mime_type=str() as kind, blob=blob)) if kind.startswith("image/"):
            return blob
        case _:
            return None


def _ground(palette: Palette, wash: Style | None) -> Rgb:
    below = (wash or palette.ground).bgcolor or palette.ground.bgcolor
    fallback = ColorTriplet(0, 0, 0) if palette.dark else ColorTriplet(255, 255, 255)
    return below.get_truecolor() if below is not None and not below.is_default else fallback
