"""A message as units. It is read chunk by chunk and never joined: an update costs what is new and the open piece."""

from collections.abc import Callable, Sequence
from operator import is_not

from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.entries import MessageEntry, Part, Speaker, TextPart
from acp_tui.ui.entries.content import BlockUnit, placeholder
from acp_tui.ui.entries.prose import Fence, Live, PlainUnit, ProseUnit, UserEdge, user_bar, user_edge, user_rows
from acp_tui.ui.entries.shared_units import BlankUnit, NeverFolds
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.pieces.piece import Piece, PlainSplitter
from acp_tui.ui.render.pieces.splitter import Splitter
from acp_tui.ui.render.unit import Row, Unit
from acp_tui.ui.render.wrap import LEFT, Line, blank_row, block_edge, margin, page_line, rows_of

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
        """Blocks stand together, and apart from the agent's text."""
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
