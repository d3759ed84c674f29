"""A message as units. It is read chunk by chunk and never joined: an update costs what is new and the open piece."""

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import is_not
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
from acp_tui.session.entries import MessageEntry, Part, Speaker, TextPart
from acp_tui.session.folds.messages import is_carried, is_transcript
from acp_tui.ui.entries.base_units import BlankUnit, NeverFolds
from acp_tui.ui.entries.message_text import Fence, Live, PlainUnit, ProseUnit, UserEdge, user_bar, user_edge, user_rows
from acp_tui.ui.render.markdown import link_style
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import Piece, PlainSplitter, opens, sanitise_line
from acp_tui.ui.render.text_splitter import Splitter
from acp_tui.ui.render.thumbnail import Rgb, Thumbnail, size_of_base64, thumbnail_of
from acp_tui.ui.render.wrap import LEFT, OPEN, Line, Row, Run, Unit, blank_row, block_edge, margin, page_line, rows_of
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
    if (uri := uri_of(block)) and not (is_carried(block) or is_transcript(block)):
        style = link_style(uri, palette)
        runs += [("  ", palette.muted), (sanitise_line(uri), style if opens(uri) else style + opening)]
    return runs


def told(block: ContentBlock) -> tuple[str, str, list[str]]:
    """A block in words: its sign, what it is, and facts about it."""
    sign, name, facts = _told(block)
    if is_carried(block):  # which this program put there: its type and address are of no use to the user
        name, facts = "Conversation so far", [facts[-1], "for the agent"]
    elif is_transcript(block):
        name, facts = _transcript_title(block), facts[-1:]
    elif for_agent_only(block):
        facts.append("for the agent only")
    return sign, name, [fact for fact in facts if fact]


def _transcript_title(block: ContentBlock) -> str:
    """`Transcript of Claude`, as its own heading has it."""
    resource = block.resource if isinstance(block, EmbeddedResource) else None
    heading = resource.text.partition("\n")[0] if isinstance(resource, TextResource) else ""
    return sanitise_line(heading[2:], 120) if heading.startswith("# ") else "Transcript"


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


STEP = 16 * 1024  # characters that one look at a growing message may take over (2 ms), or that are read ahead at a time


class _Text:
    """A text part: how far it was read, and where its pieces' units begin."""

    def __init__(self, part: TextPart, role: Speaker) -> None:
        self.part = part
        self.read = self.size = 0  # chunks and characters
        self.splitter: Splitter | PlainSplitter = PlainSplitter() if role == "user" else Splitter()
        self.finished = False
        self.settled = 0  # pieces whose units are final
        self.starts: list[int] = []
        self.fences: dict[int, Fence] = {}
        self.live = Live()

    def look(self, *, finish: bool) -> None:
        self._take(len(self.part.chunks))
        if finish and not self.finished:
            self.splitter.finish()
            self.live.end()
            self.finished = True

    @property
    def behind(self) -> bool:
        """Whether more has come than one look may take over."""
        return self.part.length - self.size > STEP

    def look_ahead(self) -> None:
        chunks, stop, size = self.part.chunks, self.read, 0
        while stop < len(chunks) and size < STEP:
            size += len(chunks[stop])
            stop += 1
        self._take(stop)

    def _take(self, stop: int) -> None:
        text = "".join(self.part.chunks[self.read : stop])
        self.splitter.feed(text)
        self.read, self.size = stop, self.size + len(text)

    def pieces(self) -> list[Piece]:
        pieces = self.splitter.pieces[self.settled :]
        provisional = None if self.finished else self.splitter.provisional()
        if provisional is not None:
            index, piece = provisional
            pieces[index - self.settled :] = [piece]
        return pieces


class MessageBlock(BlockUnit):
    """A block that is no text; `lead` puts a row before it: half the user's wash, or a blank one."""

    def __init__(self, block: ContentBlock, role: Speaker, *, lead: bool) -> None:
        super().__init__(block)
        self._role, self._lead = role, lead

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        runs, end = placeholder(self.block, palette), block_edge(width)
        if self._role == "user":
            lead, rows = user_edge(width, palette, top=True), user_rows([Line(runs)], width, palette)
            rows += self.picture_rows(user_bar(palette), end - LEFT, palette, palette.user_background)
        else:
            lead, rows = blank_row(), rows_of([page_line(runs)], end)
            rows += self.picture_rows(margin(), end - LEFT, palette)
        return [lead, *rows] if self._lead else rows


class Body(NeverFolds):
    """The units of a message's parts, none before the first `update`; the last unit parts it from what follows."""

    def __init__(self, entry: MessageEntry) -> None:
        self._entry = entry
        self._begin()
        self._reopened = False
        self._first_ahead: int | None = None
        self._behind = False  # the next update shows what was read ahead, and no more

    def _begin(self) -> None:
        self.units: list[Unit] = []
        self._sections: list[_Text | ContentBlock] = []

    def update(self) -> int:
        if self._replaced():
            self._begin()
        elif self._behind:
            self._behind = False
            first, self._first_ahead = self._first_ahead, None
            return len(self.units) if first is None else first
        self._behind = False
        first = max(0, len(self.units) - 1)
        del self.units[first:]
        if self._first_ahead is not None:
            first, self._first_ahead = min(first, self._first_ahead), None
        parts = self._entry.parts
        for number in range(max(0, len(self._sections) - 1), len(parts)):
            goes_on = number == len(parts) - 1 and (self._reopened or not self._entry.sealed)
            first = min(first, self._show(number, parts[number], finish=not goes_on))
        self._end()
        return first

    def read_ahead(self, until: Callable[[], bool]) -> bool:
        """Take over text that came, but for what the next `update` can; whether `until` came before that was done.

        Megabytes that come in a second are taken over in steps, so that a key need not wait for all that came since
        the last frame. Where it was not done, the next `update` shows what was taken over, and leaves the rest.
        """
        self._behind = False
        section = self._sections[-1] if self._sections else None
        parts = self._entry.parts
        if not isinstance(section, _Text) or len(self._sections) != len(parts) or section.part is not parts[-1]:
            return False
        if section.finished:
            return False
        while section.behind:
            if until():
                self._behind = True
                return True
            section.look_ahead()
            del self.units[-1:]
            first = self._show_pieces(section)
            self._first_ahead = first if self._first_ahead is None else min(self._first_ahead, first)
            self._end()
        return False

    def _end(self) -> None:
        if self.units:
            self.units.append(UserEdge() if self._entry.role == "user" else BlankUnit())

    def _replaced(self) -> bool:
        """Whether parts that were read are no longer there, or text came after its end was drawn."""
        parts, sections = self._entry.parts, self._sections
        read = [section.part if isinstance(section, _Text) else section for section in sections]
        if len(parts) < len(read) or any(map(is_not, parts, read)):
            return True
        last = sections[-1] if sections else None
        if isinstance(last, _Text) and last.finished and last.read < len(last.part.chunks):
            self._reopened = True
            return True
        return False

    def _show(self, number: int, part: Part, *, finish: bool) -> int:
        if number == len(self._sections):
            if isinstance(part, TextPart):
                self._sections.append(_Text(part, self._entry.role))
            else:
                self._add_block(part)
        section = self._sections[number]
        if not isinstance(section, _Text):
            return len(self.units)
        section.look(finish=finish)
        return self._show_pieces(section)

    def _add_block(self, block: ContentBlock) -> None:
        if self._entry.role == "user":
            lead = not self.units
        else:
            lead = bool(self.units) and isinstance(self._sections[-1], _Text)
        self._sections.append(block)
        self.units.append(MessageBlock(block, self._entry.role, lead=lead))

    def _show_pieces(self, section: _Text) -> int:
        index = section.settled
        first = section.starts[index] if index < len(section.starts) else len(self.units)
        del self.units[first:], section.starts[index:]
        pieces = section.pieces()
        for offset, piece in enumerate(pieces):
            section.starts.append(len(self.units))
            goes_on = offset + 1 < len(pieces) and pieces[offset + 1].joined
            self.units += self._units_of(section, index + offset, piece, goes_on=goes_on)
        section.settled = max(0, len(section.splitter.pieces) - 1)
        return first

    def _units_of(self, section: _Text, index: int, piece: Piece, *, goes_on: bool) -> Sequence[Unit]:
        role = self._entry.role
        if role == "user":
            return [PlainUnit(piece, first=not self.units)]
        if piece.code:
            fence = section.fences.get(index)
            if fence is None:
                fence = section.fences[index] = Fence(piece)
            return fence.show(piece, goes_on=goes_on)
        spaced = bool(self.units) and not piece.joined and index - 1 not in section.fences
        return [ProseUnit(piece, role, spaced=spaced, live=section.live)]


class MessageDrawing(Body):
    """A message of the user or the agent."""

    def __init__(self, entry: MessageEntry) -> None:
        super().__init__(entry)
        self.update()
