"""Killing and yanking in a field: what each key takes, put on the ring, and brought back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar, cast

from textual import events
from textual.binding import Binding, BindingsMap, BindingType
from textual.document._document import Document
from textual.widget import Widget
from textual.widgets import Input, TextArea

from acp_tui.ui.editing import emoji
from acp_tui.ui.editing.kill_ring import KillRing, Piece, ring_of

Region = Literal["to_space", "word_left", "word_right", "line_left", "line_right"]
Edited = TypeVar("Edited", bound=Widget)

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


def span(text: str, at: int, region: Region) -> tuple[int, int]:
    """From where to where a region lies that begins or ends at the cursor `at`.

    A line that is empty on that side gives the newline there.
    """
    match region:
        case "to_space":
            return _back(text, at, _is_written), at
        case "word_left":
            return _back(text, at, _is_word), at
        case "word_right":
            return at, _on(text, at, _is_word)
        case "line_left":
            return min(text.rfind("\n", 0, at) + 1, max(0, at - 1)), at
    end = text.find("\n", at)
    return at, max(end if end >= 0 else len(text), min(at + 1, len(text)))


def _is_written(sign: str) -> bool:
    return not sign.isspace()


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _back(text: str, at: int, inside: Callable[[str], bool]) -> int:
    while at and not inside(text[at - 1]):
        at -= 1
    while at and inside(text[at - 1]):
        at -= 1
    return at


def _on(text: str, at: int, inside: Callable[[str], bool]) -> int:
    while at < len(text) and not inside(text[at]):
        at += 1
    while at < len(text) and inside(text[at]):
        at += 1
    return at


class Killing(ABC, Generic[Edited]):
    """The keys of one field. Places are counted in characters from the beginning of the text."""

    def __init__(self, field: Edited, *, secret: bool = False) -> None:
        """What is deleted from a `secret` is not kept."""
        self._field, self._secret = field, secret
        self._yanked = 0, ""  # where the last yank begins, and its text

    @property
    def _ring(self) -> KillRing:
        return ring_of(self._field.app)

    def kill(self, region: Region) -> None:
        """Delete what is selected, else a region beside the cursor, and keep it."""
        text, start, end = self._selected()
        cursor = end
        if start == end:
            start, end = self._whole(*emoji.around(text, *span(text, end, region)))
        if start < end:
            if not self._secret:
                found = id(self._field), text, cursor
                left = id(self._field), text[:start] + text[end:], start
                self._ring.kill(self._piece(text[start:end]), found, left, backward=start < cursor)
            self._replace(start, end, "")

    def yank(self) -> None:
        """Put what was killed last in the place of what is selected."""
        if (piece := self._ring.yank()) is not None:
            _, start, end = self._selected()
            self._put(piece, start, end)

    def yank_older(self) -> None:
        """Right after a yank: an older piece in its place."""
        start, put = self._yanked
        text, _, end = self._selected()
        if text[start:end] == put and (piece := self._ring.older()) is not None:
            self._put(piece, start, end)

    def _put(self, piece: Piece, start: int, end: int) -> None:
        text = self._restored(piece)
        self._replace(start, end, text)
        written, _, after = self._selected()  # a line has no newlines, and may be full
        self._yanked = start, written[start:after]

    def _whole(self, start: int, end: int) -> tuple[int, int]:
        """The region with what begins or ends in it and goes as one."""
        return start, end

    def _piece(self, text: str) -> Piece:
        return Piece(text)

    def _restored(self, piece: Piece) -> str:
        """The text to put here; where a field knows no labels, pastes are text again and attachments only named."""
        text = piece.text
        for label, held in piece.held.items():
            text = text.replace(label, held) if isinstance(held, str) else text
        return text

    @abstractmethod
    def _selected(self) -> tuple[str, int, int]:
        """The text, and from where to where it is selected; the cursor is at both where nothing is."""

    @abstractmethod
    def _replace(self, start: int, end: int, text: str) -> None:
        """Put a text in the place of another; the cursor goes to its end."""


class LineKilling(Killing[Input]):
    """In a field of one line."""

    def kill(self, region: Region) -> None:
        self._secret = self._field.password
        if self._secret and region not in ("line_left", "line_right"):
            region = "line_right" if region == "word_right" else "line_left"  # and where its words end is not shown
        super().kill(region)

    def _selected(self) -> tuple[str, int, int]:
        start, end = sorted(self._field.selection)
        return self._field.value, start, end

    def _replace(self, start: int, end: int, text: str) -> None:
        self._field.replace(text, start, end)


class AreaKilling(Killing[TextArea]):
    """In a field of several lines."""

    def _selected(self) -> tuple[str, int, int]:
        area = self._field
        document = cast("Document", area.document)
        start, end = (document.get_index_from_location(place) for place in sorted(area.selection))
        return area.text, start, end

    def _replace(self, start: int, end: int, text: str) -> None:
        area = self._field
        places = (cast("Document", area.document).get_location_from_index(at) for at in (start, end))
        area.move_cursor(area.replace(text, *places, maintain_selection_offset=False).end_location)


class Kills:
    """For a field with these keys, which adds the `BINDINGS`. All its keys act in the order in which they are typed."""

    _bindings: BindingsMap

    @cached_property
    def killing(self) -> Killing[Any]:
        return LineKilling(self) if isinstance(self, Input) else AreaKilling(cast("Any", self))

    async def _on_key(self, event: events.Key) -> None:
        """Do here what a key is bound to: what bubbles up is overtaken by the next letter."""
        field = cast("Widget", self)
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if await field.app.run_action(binding.action, field):
                event.stop().prevent_default()
                return

    def action_kill(self, region: Region) -> None:
        self.killing.kill(region)

    def action_yank(self) -> None:
        self.killing.yank()

    def action_yank_older(self) -> None:
        self.killing.yank_older()
