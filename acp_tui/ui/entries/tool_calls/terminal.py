"""A terminal's output inside a tool call: the tail while it runs, all of it unfolded."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from rich.color import Color
from rich.style import Style

from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.state import Session, Terminal
from acp_tui.session.tools.subject import subject_of
from acp_tui.ui.entries.prose import BAR
from acp_tui.ui.entries.tool_calls.diff import more_row
from acp_tui.ui.entries.tool_calls.words import SUBJECT_LIMIT, place
from acp_tui.ui.render.ansi import STOP, TRUE_COLOUR, LineEmulator, Pen
from acp_tui.ui.render.ansi import Line as TerminalLine
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import Row, Unit
from acp_tui.ui.render.wrap import Line, edge, rows_of, tabs_in

TAIL_ROWS = 10
UNIT_LINES = 50
_NAMES = ("error", "success", "warning", "user", "agent", "accent", "text")  # for red, green, yellow, blue …


class Screen:
    """What a terminal shows, emulated once however many units look at it."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self._begin()

    def _begin(self) -> None:
        """Show nothing yet. What stood in a stretch before a replacement is no part of what stands there after it."""
        self._emulator = LineEmulator()
        self._read = self.terminal.dropped  # bytes of all output
        self._generation = self.terminal.generation
        self.stretches: dict[int, TerminalLines] = {}

    def look(self) -> LineEmulator:
        terminal = self.terminal
        if self._generation != terminal.generation or self._read < terminal.dropped:
            self._begin()
        index, unread = len(terminal.chunks), terminal.dropped + terminal.size - self._read
        while unread > 0 and index > 0:
            index -= 1
            unread -= len(terminal.chunks[index])
        for chunk in islice(terminal.chunks, index, None):
            self._emulator.feed(chunk[-unread:] if unread < 0 else chunk)  # the first has been read up to there
            unread = 0
        self._read = terminal.dropped + terminal.size
        return self._emulator


def terminal_words(terminal: Terminal, entry: ToolCallEntry, session: Session, *_: object) -> Iterator[str]:
    """What is known of a terminal and not told by the heading: `$ make -j2 · in ~/other · terminal 80 × 24`."""
    size, cwd = terminal.dimensions, session.cwd
    parts: list[str] = []
    if terminal.command and len(subject_of(entry, session).commands) > 1:
        parts.append(f"$ {sanitise_line(terminal.command, SUBJECT_LIMIT)}")
    if terminal.cwd and terminal.cwd.rstrip("/") != cwd.rstrip("/"):
        parts.append(f"in {place(terminal.cwd, None, cwd)}")
    if size is not None:
        parts.append(f"terminal {size.cols} × {size.rows}")
    if parts:
        yield " · ".join(parts)


class TerminalTail:
    """The last rows of a terminal, and how many lines lie above."""

    def __init__(self, screen: Screen, indent: int) -> None:
        self._screen, self._indent = screen, indent

    @property
    def version(self) -> int:
        return self._screen.terminal.version

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return TAIL_ROWS

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        emulator = self._screen.look()
        lines = emulator.tail(TAIL_ROWS)
        rows = output_rows(lines, width, palette, self._indent)[-TAIL_ROWS:]
        hidden = emulator.total - len({row.line for row in rows})
        return [more_row(hidden, palette, self._indent, "earlier"), *rows] if hidden > 0 else rows


class TerminalLines:
    """A stretch of a terminal's lines, by their numbers since the beginning."""

    def __init__(self, screen: Screen, start: int, indent: int) -> None:
        self._screen, self._start, self._indent = screen, start, indent

    @property
    def version(self) -> int:
        """The terminal's own while the stretch can still grow or lose lines, else fixed."""
        emulator = self._screen.look()
        settled = emulator.dropped <= self._start and self._start + UNIT_LINES < emulator.total
        return -1 if settled else self._screen.terminal.version

    def _lines(self) -> Sequence[TerminalLine]:
        return self._screen.look().slice(self._start, self._start + UNIT_LINES)

    def estimate(self, width: int) -> int:
        room = max(1, width - self._indent - len(BAR))
        return sum(1 + sum(len(text) for text, _ in line) // room for line in self._lines())

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        rows = output_rows(self._lines(), width, palette, self._indent)
        gone = self._screen.look().dropped
        if gone and self._start <= gone < self._start + UNIT_LINES:
            return [more_row(gone, palette, self._indent, "earlier"), *rows]
        return rows


def terminal_units(screen: Screen, indent: int) -> list[Unit]:
    """All lines that are held, in stretches."""
    emulator = screen.look()
    starts = range(emulator.dropped // UNIT_LINES * UNIT_LINES, emulator.total, UNIT_LINES)
    return [screen.stretches.setdefault(start, TerminalLines(screen, start, indent)) for start in starts]


def output_rows(lines: Sequence[TerminalLine], width: int, palette: Palette, indent: int) -> list[Row]:
    """Lines of a terminal behind a quiet bar."""
    drawn = (_output_line(line, palette) for line in lines)
    return rows_of(drawn, edge(width), margin=[(" " * indent + BAR, palette.border)])


def _output_line(line: TerminalLine, palette: Palette) -> Line:
    text = line[0][0] if line else ""
    if "\t" in text:  # all of the line, then
        return Line([(text.expandtabs(STOP), pen_style(line[0][1], palette))], stand_ins=tabs_in(text, STOP))
    return Line([(text, pen_style(pen, palette)) for text, pen in line])


@lru_cache(maxsize=2_048)
def pen_style(pen: Pen, palette: Palette) -> Style:
    """A pen in the palette's colours; the first sixteen are the theme's own, so that they can be read on it."""
    style = Style(
        bold=pen.bold or None,
        dim=pen.dim or None,
        italic=pen.italic or None,
        underline=pen.underline or None,
        reverse=pen.inverse or None,
        strike=pen.strike or None,
    )
    if palette.colour:
        foreground = _colour(pen.foreground, palette, dark="faint")
        if pen.foreground is None and pen.background is not None:
            foreground = palette.ground.bgcolor  # the palette's inks are made to be read on the ground
        style += Style(color=foreground, bgcolor=_colour(pen.background, palette, dark="border"))
    return palette.text + style


def _colour(number: int | None, palette: Palette, dark: str) -> Color | None:
    """A pen's colour; `dark` names what stands for black, which would vanish on a dark ground."""
    if number is None:
        return None
    if number >= TRUE_COLOUR:
        return Color.from_rgb(number >> 16 & 0xFF, number >> 8 & 0xFF, number & 0xFF)
    if number >= 16:
        return Color.from_ansi(number)
    names = (dark, *_NAMES) if number < 8 else ("muted", *_NAMES)
    style: Style = getattr(palette, names[number % 8])
    return style.color
