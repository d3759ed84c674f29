"""Messages of the person and the agent, and thoughts; must not know how a session folds them."""

import re
from collections.abc import Sequence

from rich.style import Style

from acp_tui.session.entries import MessageEntry, Part, TextPart
from acp_tui.ui.figures import duration
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.render.wrap import LEFT, MEASURE, edge, one_line
from acp_tui.ui.transcript.body import Body
from acp_tui.ui.transcript.prose import BlankUnit
from acp_tui.ui.transcript.unit import FOLD, FoldRow, Row, Unit

_MARKS = re.compile(r"\*\*|`")


class MessageDrawing:
    """A message of the person or the agent."""

    folded = None

    def __init__(self, entry: MessageEntry) -> None:
        self._body = Body(entry)
        self._body.update()

    @property
    def units(self) -> Sequence[Unit]:
        return self._body.units

    def update(self) -> int:
        return self._body.update()

    def toggle(self) -> int | None:
        return None


class ThoughtHeading(FoldRow[MessageEntry]):
    """One muted row: how long the agent thought, or the line that it is at."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        entry = self._entry
        fold = palette.muted + Style.from_meta({FOLD: True})
        room = min(edge(width), LEFT + MEASURE) - LEFT
        said = cut(_heading(entry), max(1, room))
        runs = [(f" {'▸' if self.folded else '▾'} ", fold), (said, fold)]
        tail = "" if entry.sealed or not self.folded else last_line(entry.parts)
        if tail and room - len(said) > 12:
            runs.append((cut(f"  {tail}", room - len(said)), palette.faint + Style(italic=True)))
        return [one_line(runs)]


class ThoughtDrawing:
    """A thought: one row while folded; its text is not even read until somebody unfolds it."""

    def __init__(self, entry: MessageEntry) -> None:
        self._body = Body(entry)
        self._heading = ThoughtHeading(entry)
        self._blank = BlankUnit()

    @property
    def folded(self) -> bool | None:
        return self._heading.folded

    @property
    def units(self) -> Sequence[Unit]:
        if self._heading.folded or not self._body.units:
            return [self._heading, self._blank]
        return [self._heading, *self._body.units]

    def update(self) -> int:
        if not self._heading.folded:
            self._body.update()
        return 0

    def toggle(self) -> int | None:
        self._heading.folded = not self._heading.folded
        return self.update()


def _heading(entry: MessageEntry) -> str:
    if not entry.sealed:
        return "Thinking …"
    seconds = (entry.finished_at or entry.started_at) - entry.started_at
    return f"Thought for {duration(max(1, round(seconds)))}" if seconds >= 0.5 else "Thought"


def last_line(parts: Sequence[Part], most: int = 400) -> str:
    """The last line of a growing text that has words, from its last characters, without Markdown's marks."""
    part = parts[-1] if parts else None
    if not isinstance(part, TextPart):
        return ""
    taken: list[str] = []
    length = 0
    for chunk in reversed(part.chunks):
        taken.append(chunk[-most:])
        length += len(chunk)
        if length >= most:
            break
    text = "".join(reversed(taken))[-most:].rstrip()
    return sanitise_line(_MARKS.sub("", text.rsplit("\n", 1)[-1])).strip(" #>-")
