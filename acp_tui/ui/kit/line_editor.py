"""Lines edited as in a shell: where characters, words and lines end, what each key deletes, and how it comes back.

Emoji that are written with several characters (flags, keycaps, colours of skin, families, what has a variation
selector) are one for who reads them, so they are moved over and deleted as one. Letters with marks are not: their marks
are typed, and go, one by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal, cast
from weakref import WeakKeyDictionary

from rich.cells import cell_len, get_character_cell_size
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingsMap, BindingType
from textual.document._document import Document, DocumentBase
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, TextArea
from textual.widgets.input import Selection
from textual.widgets.text_area import Location

from acp_tui.expressions import expression
from acp_tui.frozen import Frozen
from acp_tui.ui.render.text import in_place

if TYPE_CHECKING:
    from textual.app import App

    from acp_tui.protocol.vocabulary.content import ContentBlock

Region = Literal["to_space", "word_left", "word_right", "line_left", "line_right"]

MOST = 30  # pieces that were deleted; the oldest goes
KEYS = {
    "ctrl+w": "kill('to_space')",
    "alt+backspace,ctrl+backspace": "kill('word_left')",
    "alt+d,alt+delete,ctrl+delete": "kill('word_right')",
    "ctrl+u,super+backspace": "kill('line_left')",
    "ctrl+k": "kill('line_right')",
    "ctrl+y": "yank",
    "alt+y": "yank_older",
}
BINDINGS: list[BindingType] = [Binding(keys, action, show=False) for keys, action in KEYS.items()]

_PICTURE = (
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25aa-\u27bf\u2900-\u297f\u2b00-\u2bff"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001faff]"
)
_LOOKS = r"[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?[\U000e0020-\U000e007f]*"  # variation, skin, letters of a region
EMOJI = expression(
    r"[\U0001f1e6-\U0001f1ff]{2}"  # flags are two letters
    r"|[0-9#*](?:\ufe0f\u20e3?|\u20e3)"
    rf"|{_PICTURE}{_LOOKS}(?:\u200d{_PICTURE}{_LOOKS})+"
    rf"|{_PICTURE}(?=[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]){_LOOKS}"
)

_WRITTEN, _WORD = expression(r"\s*\S*"), expression(r"\W*\w*")  # with what is between


def around_emoji(text: str, start: int, end: int) -> tuple[int, int]:
    """The same part of a text with the whole of an emoji that begins or ends within it."""
    if not text.isascii():
        for found in EMOJI.finditer(text):
            if found.start() >= end:
                break
            if found.start() < start < found.end():
                start = found.start()
            if found.end() > end:
                end = found.end()
    return start, end


def step_left(text: str, at: int) -> int:
    """The place before the character or emoji that ends here; in the middle of one it is its beginning."""
    return around_emoji(text, max(0, at - 1), at)[0]


def step_right(text: str, at: int) -> int:
    """The place after the character or emoji that begins here."""
    return around_emoji(text, at, min(len(text), at + 1))[1]


def beside_emoji(text: str, at: int, came_from: int) -> int:
    """This place, or, if it is in the middle of an emoji, the end of it that lies further on from where one came."""
    start, end = around_emoji(text, at, at)
    return at if start == at else end if came_from < at else start


def line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _run(pattern: re.Pattern[str], text: str) -> int:
    """With how many characters of this pattern a text begins."""
    found = pattern.match(text)
    return found.end() if found else 0


def span(text: str, at: int, region: Region) -> tuple[int, int]:
    """From where to where a region lies that begins or ends at the cursor `at`.

    A line that is empty on that side gives the newline there.
    """
    match region:
        case "to_space":
            return at - _run(_WRITTEN, text[:at][::-1]), at
        case "word_left":
            return at - _run(_WORD, text[:at][::-1]), at
        case "word_right":
            return at, at + _run(_WORD, text[at:])
        case "line_left":
            return min(line_start(text, at), max(0, at - 1)), at
    return at, max(line_end(text, at), min(at + 1, len(text)))


class LabelledText(Frozen):
    """A text, and what the labels in it stand for: pastes and attachments."""

    text: str
    held: Mapping[str, str | ContentBlock] = field(default_factory=dict)

    def __add__(self, other: LabelledText) -> LabelledText:
        return LabelledText(self.text + other.text, {**self.held, **other.held})


class KillRing:
    """Pieces, the newest last."""

    def __init__(self) -> None:
        self._pieces: list[LabelledText] = []
        self._left: object = None
        self._back = 0  # how many pieces before the newest the last yank took

    def kill(self, piece: LabelledText, found: object, left: object, *, backward: bool) -> None:
        """Keep what was deleted. `found` and `left` are the field, its text and the cursor before and after it.

        Where nothing has changed since the last kill, both are one piece, in the order in which they stood.
        """
        if self._pieces and found == self._left:
            last = self._pieces.pop()
            piece = piece + last if backward else last + piece
        self._pieces = [*self._pieces, piece][-MOST:]
        self._left, self._back = left, 0

    def yank(self) -> LabelledText | None:
        self._back = 0
        return self._pieces[-1] if self._pieces else None

    def older(self) -> LabelledText | None:
        """The piece before the one that was yanked last, and after the oldest the newest again."""
        self._back = (self._back + 1) % max(1, len(self._pieces))
        return self._pieces[-1 - self._back] if self._pieces else None


_rings: WeakKeyDictionary[App[object], KillRing] = WeakKeyDictionary()


def ring_of(app: App[object]) -> KillRing:
    return _rings.setdefault(app, KillRing())


class KillingKeys:
    """The keys of a field, which adds the `BINDINGS`. They act in the order in which they are typed.

    Places are counted in characters from the beginning of the text.
    """

    keeps_kills = True  # what is deleted from a secret is not kept
    _bindings: BindingsMap
    _yanked = 0, ""  # where the last yank begins, and its text

    async def _on_key(self, event: events.Key) -> None:
        """Do here what a key is bound to: what bubbles up is overtaken by the next letter."""
        field = cast("Widget", self)
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if await field.app.run_action(binding.action, field):
                event.stop().prevent_default()
                return

    def action_kill(self, region: Region) -> None:
        """Delete what is selected, else a region beside the cursor, and keep it."""
        text, start, end = self.selected_part()
        cursor = end
        if start == end:
            start, end = self.whole_part(*around_emoji(text, *span(text, end, region)))
        if start < end:
            if self.keeps_kills:
                found = id(self), text, cursor
                left = id(self), text[:start] + text[end:], start
                self._ring.kill(self.to_piece(text[start:end]), found, left, backward=start < cursor)
            self.replace_part(start, end, "")

    def action_yank(self) -> None:
        """Put what was killed last in the place of what is selected."""
        if (piece := self._ring.yank()) is not None:
            _, start, end = self.selected_part()
            self._put(piece, start, end)

    def action_yank_older(self) -> None:
        """Right after a yank: an older piece in its place."""
        start, put = self._yanked
        text, _, end = self.selected_part()
        if text[start:end] == put and (piece := self._ring.older()) is not None:
            self._put(piece, start, end)

    def _put(self, piece: LabelledText, start: int, end: int) -> None:
        self.replace_part(start, end, self.of_piece(piece))
        written, _, after = self.selected_part()  # a line has no newlines, and may be full
        self._yanked = start, written[start:after]

    @property
    def _ring(self) -> KillRing:
        return ring_of(cast("Widget", self).app)

    def selected_part(self) -> tuple[str, int, int]:
        """The text, and from where to where it is selected; the cursor is at both where nothing is."""
        raise NotImplementedError

    def replace_part(self, start: int, end: int, text: str) -> None:
        """Put a text in the place of another; the cursor goes to its end."""
        raise NotImplementedError

    def whole_part(self, start: int, end: int) -> tuple[int, int]:
        """The region with what begins or ends in it and goes as one."""
        return start, end

    def to_piece(self, text: str) -> LabelledText:
        return LabelledText(text)

    def of_piece(self, piece: LabelledText) -> str:
        """The text to put here; where a field knows no labels, pastes are text again and attachments only named."""
        text = piece.text
        for label, held in piece.held.items():
            text = text.replace(label, held) if isinstance(held, str) else text
        return text


_BREAKS = expression(r"[\r\n\u2028\u2029\x85]+")


class SafeInput(KillingKeys, Input):
    """A line that is drawn safely; its cursor does not blink, which would wake an idle program twice a second."""

    BINDINGS = BINDINGS
    cursor_blink = reactive(False, init=False)

    def validate_value(self, value: str) -> str:
        return _BREAKS.sub(" ", value)

    @property
    def _value(self) -> Text:
        text = super()._value
        text.plain = in_place(text.plain).replace("\t", " ")
        return text

    def _position_to_cell(self, position: int) -> int:
        return cell_len(self._value.plain[:position])

    def _cell_offset_to_index(self, offset: int) -> int:
        end = 0
        offset += int(self.scroll_offset.x)
        for index, character in enumerate(self._value.plain):
            end += get_character_cell_size(character)
            if offset < end:
                return beside_emoji(self.value, index, len(self.value))
        return len(self.value)

    def action_cursor_left(self, select: bool = False) -> None:
        if select or self.selection.is_empty:
            self._go_to(step_left(self.value, self.cursor_position), select)
        else:
            super().action_cursor_left()

    def action_cursor_right(self, select: bool = False) -> None:
        if select or self.selection.is_empty:
            self._go_to(step_right(self.value, self.cursor_position), select)
        else:
            super().action_cursor_right()

    def _go_to(self, place: int, select: bool) -> None:
        self.selection = Selection(self.selection.start if select else place, place)

    def action_delete_left(self) -> None:
        start, end = sorted(self.selection)
        self.delete(step_left(self.value, end) if start == end else start, end)

    def action_delete_right(self) -> None:
        start, end = sorted(self.selection)
        self.delete(start, step_right(self.value, start) if start == end else end)

    def action_kill(self, region: Region) -> None:
        self.keeps_kills = not self.password
        if self.password and region not in ("line_left", "line_right"):
            region = "line_right" if region == "word_right" else "line_left"  # and where its words end is not shown
        super().action_kill(region)

    def selected_part(self) -> tuple[str, int, int]:
        start, end = sorted(self.selection)
        return self.value, start, end

    def replace_part(self, start: int, end: int, text: str) -> None:
        self.replace(text, start, end)


class SafeTextArea(KillingKeys, TextArea):
    """An area that is drawn safely."""

    BINDINGS = [
        *BINDINGS,
        Binding("ctrl+underscore", "undo", show=False),
        Binding("alt+underscore", "redo", show=False),
    ]

    def _rewrap_and_refresh_virtual_size(self) -> None:
        wrapped = self.wrapped_document
        if wrapped.document is self.document:
            wrapped.document = cast("DocumentBase", _Drawn(self.document))
        super()._rewrap_and_refresh_virtual_size()

    def _recompute_cursor_offset(self) -> None:
        """Undo and redo change the text first: the cursor may be beyond its end when the scrollbar asks for it."""
        self._cursor_offset = self.wrapped_document.location_to_offset(self.clamp_visitable(self.cursor_location))

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        shown = in_place(line.plain)
        if shown != line.plain:
            line.plain = shown
        return line

    def get_cursor_left_location(self) -> Location:
        row, column = self.cursor_location
        return (row, step_left(self.document[row], column)) if column else super().get_cursor_left_location()

    def get_cursor_right_location(self) -> Location:
        row, column = self.cursor_location
        line = self.document[row]
        return (row, step_right(line, column)) if column < len(line) else super().get_cursor_right_location()

    def move_cursor(
        self, location: Location, select: bool = False, center: bool = False, record_width: bool = True
    ) -> None:
        row, column = location
        at, came_from = self.clamp_visitable(location), self.cursor_location
        line = self.document[at[0]]
        column = beside_emoji(line, column, came_from[1] if came_from[0] == row else len(line))
        super().move_cursor((row, column), select, center, record_width)

    def selected_part(self) -> tuple[str, int, int]:
        start, end = map(self.index_of, sorted(self.selection))
        return self.text, start, end

    def replace_part(self, start: int, end: int, text: str) -> None:
        places = self.location_at(start), self.location_at(end)
        self.move_cursor(self.replace(text, *places, maintain_selection_offset=False).end_location)

    def index_of(self, location: Location) -> int:
        return cast("Document", self.document).get_index_from_location(location)

    def location_at(self, index: int) -> Location:
        return cast("Document", self.document).get_location_from_index(index)

    def get_target_document_location(self, event: events.MouseEvent) -> Location:
        row, column = super().get_target_document_location(event)
        line = self.document[row]
        return row, beside_emoji(line, column, len(line))


class _Drawn:
    """A document as it is drawn, for what wraps its lines and counts their cells."""

    def __init__(self, document: DocumentBase) -> None:
        self._document = document

    @property
    def lines(self) -> list[str]:
        return [in_place(line) for line in self._document.lines]

    @property
    def line_count(self) -> int:
        return self._document.line_count

    def get_line(self, index: int) -> str:
        return in_place(self._document.get_line(index))

    def __getitem__(self, index: int) -> str:
        return self.get_line(index)
