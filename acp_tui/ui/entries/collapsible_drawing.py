"""Entries that are one row until they are unfolded: thoughts, compactions, and updates of unknown kind."""

import json
from collections.abc import Sequence
from typing import Generic, TypeVar

from rich.cells import cell_len
from rich.style import Style

from acp_tui.session.entries import Entry, MessageEntry, TextPart
from acp_tui.session.folds.messages import CompactionEntry
from acp_tui.session.folds.timeline import UnknownEntry
from acp_tui.session.text.phrases import NOT_SENT, duration
from acp_tui.ui.entries.base_units import Appearance, BlankUnit, Draws
from acp_tui.ui.entries.message import Body, MessageDrawing
from acp_tui.ui.entries.message_text import Fence
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import Piece, cut, sanitise, sanitise_line
from acp_tui.ui.render.wrap import FOLDS, LEFT, Drawing, Row, Unit, block_edge, one_line
from acp_tui.views.formatting import last_line

E = TypeVar("E", bound=Entry)
BEGINNING = 400  # characters of a message that are looked at for its row
_COMPACTION = {
    "in_progress": "Compacting context…",
    "completed": "Context compacted",
    "failed": "Compaction failed",
    "cancelled": "Compaction cancelled",
}


class FoldingDrawing(Generic[E]):
    """The drawing of an entry that is one row until somebody unfolds it, and its own first unit: that row."""

    def __init__(self, entry: E) -> None:
        self._entry = entry
        self._folded = True
        self._blank = BlankUnit()
        self._inside: Sequence[Unit] = ()

    @property
    def folded(self) -> bool | None:
        return self._folded

    @property
    def units(self) -> Sequence[Unit]:
        return [self, *(self._inside or [self._blank])]

    @property
    def version(self) -> int:
        return 2 * self._entry.version + self._folded

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return 1

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        raise NotImplementedError

    def inside(self) -> Sequence[Unit]:
        raise NotImplementedError

    def update(self) -> int:
        self._inside = () if self._folded else self.inside()
        return 0

    def toggle(self) -> int | None:
        if self.folded is None:
            return None
        self._folded = not self._folded
        return self.update()

    @property
    def _sign(self) -> str:
        return f" {'▸' if self._folded else '▾'} "


class ThoughtDrawing(FoldingDrawing[MessageEntry]):
    """How long the agent thought, or the line that it is at; the text is not even read until somebody unfolds it."""

    def __init__(self, entry: MessageEntry) -> None:
        super().__init__(entry)
        self._body = Body(entry)

    def inside(self) -> Sequence[Unit]:
        self._body.update()
        return self._body.units

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        entry, fold, room = self._entry, palette.muted + FOLDS, block_edge(width) - LEFT
        said = cut(_thought(entry), room)
        runs = [(self._sign, fold), (said, fold)]
        tail = "" if entry.sealed or not self._folded else last_line(entry.parts)
        if tail and room - len(said) > 12:
            runs.append((cut(f"  {tail}", room - len(said)), palette.faint + Style(italic=True)))
        return [one_line(runs)]


class InjectedDrawing(FoldingDrawing[MessageEntry]):
    """What the agent put among the user's messages: that it is none of theirs, and how it begins."""

    def __init__(self, entry: MessageEntry) -> None:
        super().__init__(entry)
        self._text = MessageEntry(entry.id, "thought", entry.parts)
        self._body = Body(self._text)

    def inside(self) -> Sequence[Unit]:
        self._text.parts, self._text.sealed = self._entry.parts, self._entry.sealed
        self._body.update()
        return self._body.units

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        fold, room = palette.muted + FOLDS, block_edge(width) - LEFT
        part = next((part for part in self._entry.parts if isinstance(part, TextPart)), TextPart())
        begins = sanitise_line(" ".join(part.text[:BEGINNING].split()))
        runs = [(self._sign, fold), (cut(NOT_SENT, room), fold)]
        if room - len(NOT_SENT) > 12:
            runs.append((cut(f"  {begins}", room - len(NOT_SENT)), palette.faint))
        return [one_line(runs)]


class UserDrawing:
    """A message of the user's, or what turns out to be put there by the agent, as it is known by now."""

    def __init__(self, entry: MessageEntry) -> None:
        self._entry = entry
        self._drawing = self._drawn()

    @property
    def folded(self) -> bool | None:
        return self._drawing.folded

    @property
    def units(self) -> Sequence[Unit]:
        return self._drawing.units

    def update(self) -> int:
        if isinstance(self._drawing, InjectedDrawing) is not (self._entry.role == "injected"):
            self._drawing = self._drawn()
            return 0
        return self._drawing.update()

    def toggle(self) -> int | None:
        return self._drawing.toggle()

    def _drawn(self) -> MessageDrawing | InjectedDrawing:
        return InjectedDrawing(self._entry) if self._entry.role == "injected" else MessageDrawing(self._entry)


def _thought(entry: MessageEntry) -> str:
    if not entry.sealed:
        return "Thinking…"
    seconds = (entry.finished_at or entry.started_at) - entry.started_at
    return f"Thought for {duration(max(1, round(seconds)))}" if seconds >= 0.5 else "Thought"


class CompactionDrawing(FoldingDrawing[CompactionEntry]):
    """Where the agent compacted its context: a quiet rule, and the summary, if there is one, as muted text."""

    def __init__(self, entry: CompactionEntry) -> None:
        super().__init__(entry)
        self._text = MessageEntry(entry.id, "thought", entry.summary)
        self._body = Body(self._text)

    @property
    def folded(self) -> bool | None:
        return self._folded if self._entry.summary else None

    def inside(self) -> Sequence[Unit]:
        self._text.parts, self._text.sealed = self._entry.summary, self._entry.sealed
        self._body.update()
        return self._body.units

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        entry = self._entry
        style = palette.error if entry.status == "failed" else palette.muted
        sign = self._sign if entry.summary else " " * LEFT
        if entry.summary:
            style += FOLDS
        said = _COMPACTION.get(entry.status) or f"Compaction: {sanitise_line(entry.status, 40)}"
        if entry.error:
            said = f"{said}: {sanitise_line(entry.error)}"
        room = block_edge(width) - LEFT
        said = cut(said, room)
        rule = " " + "─" * (room - cell_len(said) - 1)
        return [one_line([(sign, style), (said, style), (rule if len(rule) > 3 else "", palette.border)])]


class UnknownDrawing(FoldingDrawing[UnknownEntry]):
    """An update of a kind that this program does not know: its name, and all of it as JSON."""

    def inside(self) -> Sequence[Unit]:
        text = sanitise(json.dumps(self._entry.raw, indent=2, ensure_ascii=False, default=str))
        piece = Piece(code=True, info="json", lines=text.split("\n"), closed=True)
        return [*Fence(piece).show(piece, goes_on=False), self._blank]

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        fold = palette.muted + FOLDS
        said = f"Unknown update: {sanitise_line(self._entry.kind, 60)}"
        return [one_line([(self._sign, fold), (cut(said, block_edge(width) - LEFT), fold)])]


def _message(entry: MessageEntry) -> Drawing:
    if entry.role == "thought":
        return ThoughtDrawing(entry)
    return MessageDrawing(entry) if entry.role == "agent" else UserDrawing(entry)


DRAWS: Draws = {
    MessageEntry: Appearance(lambda entry, _session: _message(entry)),
    CompactionEntry: Appearance(lambda entry, _session: CompactionDrawing(entry)),
    UnknownEntry: Appearance(lambda entry, _session: UnknownDrawing(entry)),
}
