"""Drawings for tests of the transcript view: plain wrapped text, a heading that folds, nothing else.

`layout_of` is the independent full layout that the view is compared with: no heights, no anchors, no caches.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

from rich.cells import cell_len
from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.strip import Strip

from acp_tui.protocol.vocabulary.session_updates import Role
from acp_tui.session.entries import Entry, MessageEntry, TextPart
from acp_tui.session.state import Session
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import FOLD, Drawing, Row, Unit
from acp_tui.ui.transcript.transcript_view import TranscriptView

GUTTER = "| "


def palette(**colours: str) -> Palette:
    """A palette without styles but for those named."""
    values: dict[str, Any] = {field.name: Style.null() for field in fields(Palette)}
    values.update({name: Style.parse(colour) for name, colour in colours.items()})
    return Palette(**{**values, "dark": True, "syntax": {}, "colour": True})


def message(number: int, text: str, role: Role = "agent") -> MessageEntry:
    entry = MessageEntry(id=f"m{number}", role=role, parts=[TextPart()])
    extend(entry, text)
    return entry


def extend(entry: Entry, text: str) -> None:
    assert isinstance(entry, MessageEntry)
    part = entry.parts[0]
    assert isinstance(part, TextPart)
    part.append(text)
    entry.version += 1


def text_in(entry: Entry) -> str:
    assert isinstance(entry, MessageEntry)
    part = entry.parts[0]
    assert isinstance(part, TextPart)
    return part.text


@lru_cache(10_000)
def wrapped(line: str, width: int) -> Sequence[tuple[int, str]]:
    """A line cut into pieces of at most `width` cells, with the offset of each; held, as layouts ask again."""
    pieces: list[tuple[int, str]] = []
    start = cells = 0
    for index, character in enumerate(line):
        size = cell_len(character)
        if cells + size > width and index > start:
            pieces.append((start, line[start:index]))
            start, cells = index, 0
        cells += size
    pieces.append((start, line[start:]))
    return pieces


def rows_of_lines(lines: Sequence[str], width: int, style: Style) -> list[Row]:
    rows: list[Row] = []
    for number, line in enumerate(lines):
        pieces = wrapped(line, max(2, width - len(GUTTER)))
        for index, (offset, text) in enumerate(pieces):
            segments = (Segment(GUTTER), Segment(text, style))
            rows.append(Row(segments, number, offset, len(GUTTER), wrapped=index < len(pieces) - 1))
    return rows


@dataclass
class Paragraph:
    lines: list[str]
    version: int = 0
    asked: int = 0

    def estimate(self, width: int) -> int:
        return 1 + sum(map(len, self.lines)) // max(1, width)

    def rows(self, width: int, palette: Palette) -> list[Row]:
        self.asked += 1
        return rows_of_lines(self.lines, width, palette.text)


@dataclass
class Heading:
    text: str
    version: int = 0

    def estimate(self, width: int) -> int:
        return 2

    def rows(self, width: int, palette: Palette) -> list[Row]:
        mark = Style(meta={FOLD: True})
        return [Row((), 0), Row((Segment("* ", mark), Segment(self.text[: width - 2])), 1, gutter=2)]


@dataclass
class FakeDrawing:
    """A heading, then one unit for each paragraph; only the last paragraph changes while the entry grows."""

    entry: Entry
    folded: bool = False
    units: list[Unit] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.update()

    def update(self) -> int:
        wanted = self._paragraphs()
        if not self.units:
            self.units.append(Heading(self.entry.id))
        first = max(1, min(len(self.units) - 1, len(wanted)))
        kept = self.units[first] if first < len(self.units) else None
        del self.units[first:]
        for index, lines in enumerate(wanted[first - 1 :]):
            if index == 0 and isinstance(kept, Paragraph):
                if kept.lines != lines:
                    kept.lines, kept.version = lines, kept.version + 1
                self.units.append(kept)
            else:
                self.units.append(Paragraph(lines))
        return first

    def _paragraphs(self) -> list[list[str]]:
        return [] if self.folded else [text.split("\n") for text in text_in(self.entry).split("\n\n")]

    def toggle(self) -> int | None:
        if "\n" not in text_in(self.entry):
            return None
        self.folded = not self.folded
        del self.units[1:]
        self.update()
        return 1


def layout_of(drawings: Sequence[Drawing], width: int, palette: Palette) -> list[Row]:
    """All rows of all drawings."""
    return [row for drawing in drawings for unit in drawing.units for row in unit.rows(width, palette)]


Cell = tuple[str, str]  # what is in it, and its colours


class TranscriptApp(App[None]):
    """The view alone on a screen, and a terminal that holds what was really painted."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        super().__init__()
        self.session = Session("s", "/")
        self.session.entries.extend(entries)
        self.drawings: dict[int, FakeDrawing] = {}
        self.told: list[TranscriptView.FollowChanged] = []
        self.clicked: list[str] = []
        self.terminal: list[list[Cell]] = []
        self.paints = 0

    def draw(self, entry: Entry) -> Drawing:
        if id(entry) not in self.drawings:
            self.drawings[id(entry)] = FakeDrawing(entry)
        return self.drawings[id(entry)]

    def compose(self) -> ComposeResult:
        yield TranscriptView(self.draw, id="transcript")

    @property
    def view(self) -> TranscriptView:
        return self.query_one(TranscriptView)

    def on_mount(self) -> None:
        self.view.set_palette(palette())
        self.view.show(self.session)

    def on_transcript_view_follow_changed(self, event: TranscriptView.FollowChanged) -> None:
        self.told.append(event)

    def on_transcript_view_link_clicked(self, event: TranscriptView.LinkClicked) -> None:
        self.clicked.append(event.address)

    def add(self, *entries: Entry) -> None:
        self.session.entries.extend(entries)
        self.view.refresh_entries(added=entries)

    def grow(self, entry: Entry, text: str) -> None:
        extend(entry, text)
        self.view.refresh_entries(changed=[entry])

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Textual's way out: apply to our terminal what would be written to a real one."""
        if isinstance(renderable, LayoutUpdate):
            self.terminal = [cells(Strip.join(line)) for line in renderable.strips]
        elif isinstance(renderable, ChopsUpdate):
            for y, start, stop in renderable.spans:
                for end, (x, strip) in zip(renderable.chop_ends[y], renderable.chops[y].items(), strict=True):
                    if strip is not None and x <= stop and end > start:
                        piece = cells(strip.crop(0, min(end, stop) - x) if end > stop else strip)
                        self.terminal[y][x : x + len(piece)] = piece
        self.paints += renderable is not None

    def rendered(self) -> list[list[Cell]]:
        """The screen as a full repaint would have it."""
        return [cells(strip) for strip in self.screen._compositor.render_strips()]

    def lines(self) -> list[str]:
        """What the terminal shows, row by row, without the scrollbar."""
        return ["".join(text for text, _style in row[:-1]).rstrip() for row in self.terminal]


def cells(strip: Strip) -> list[Cell]:
    """A strip cell by cell; the second half of a wide character is empty."""
    found: list[Cell] = []
    for text, style, _control in strip:
        look = "" if style is None else f"{style.color} {style.bgcolor} {style.reverse}"
        for character in text:
            size = cell_len(character)
            if size == 0 and found:
                found[-1] = (found[-1][0] + character, found[-1][1])
            else:
                found.extend([(character, look), ("", look)][:size])
    return found
