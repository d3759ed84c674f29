"""Units of a tool's input and output: Markdown set like a message's, any other text and data as it is.

What was read, found or printed is Markdown only where a fence says so: the signs of a program would be taken for
emphasis. Of a terminal the tail is shown while it runs, all of it unfolded. Nothing is split before somebody looks.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import Any

from rich.color import Color
from rich.style import Style

from acp_tui.protocol.vocabulary.content import (
    ContentBlock,
    EmbeddedResource,
    TextContent,
    TextResource,
    for_agent_only,
)
from acp_tui.protocol.vocabulary.tool_calls import ContentItem
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.state import Session, Terminal
from acp_tui.session.text.phrases import data_text
from acp_tui.session.tools.subject import subject_of
from acp_tui.ui.entries.base_units import SUBJECT_LIMIT, FixedUnit, place
from acp_tui.ui.entries.diff_units import more_row, renumbered
from acp_tui.ui.entries.message import BlockUnit, placeholder
from acp_tui.ui.entries.message_text import BAR, ProseUnit
from acp_tui.ui.render.ansi import STOP, TRUE_COLOUR, LineEmulator, Pen
from acp_tui.ui.render.ansi import Line as TerminalLine
from acp_tui.ui.render.blocks import Highlighter, lexer_for, lexer_for_path, styled
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import clipped, sanitise, sanitise_line
from acp_tui.ui.render.text_splitter import pieces_of
from acp_tui.ui.render.wrap import LEFT, Line, Row, StandIn, Unit, edge, expand_tabs, rows_of, tabs_in, text_of, wrap

TAIL_ROWS = 10
UNIT_LINES = 50
_NAMES = ("error", "success", "warning", "user", "agent", "accent", "text")  # for red, green, yellow, blue …


class TerminalScreen:
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

    def __init__(self, screen: TerminalScreen, indent: int) -> None:
        self._screen, self._indent = screen, indent

    @property
    def version(self) -> int:
        return self._screen.terminal.version

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return TAIL_ROWS

    def whole(self) -> Sequence[Unit]:
        """All lines that are held."""
        return terminal_units(self._screen, self._indent)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        emulator = self._screen.look()
        lines = emulator.tail(TAIL_ROWS)
        rows = output_rows(lines, width, palette, self._indent)[-TAIL_ROWS:]
        hidden = emulator.total - len({row.line for row in rows})
        return [more_row(hidden, palette, self._indent, "earlier"), *rows] if hidden > 0 else rows


class TerminalLines:
    """A stretch of a terminal's lines, by their numbers since the beginning."""

    def __init__(self, screen: TerminalScreen, start: int, indent: int) -> None:
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


def terminal_units(screen: TerminalScreen, indent: int) -> list[Unit]:
    """All lines that are held, in stretches."""
    emulator = screen.look()
    starts = range(emulator.dropped // UNIT_LINES * UNIT_LINES, emulator.total, UNIT_LINES)
    return [screen.stretches.setdefault(start, TerminalLines(screen, start, indent)) for start in starts]


def output_rows(lines: Sequence[TerminalLine], width: int, palette: Palette, indent: int) -> list[Row]:
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


RAW_KINDS = ("read", "search", "execute")  # what these bring is no writing of the agent's
LONGEST_LINE = 4_000
MOST_CHARACTERS = 200_000


class ToolOutput:
    """Text that is made, cut to a sane size and split only when somebody looks; every cut is said.

    `whole`: nothing is cut.
    """

    def __init__(
        self, make: Callable[[], str], path: str = "", label: str = "", language: str = "", *, whole: bool = False
    ) -> None:
        self._make, self._path, self.label, self._language, self._whole = make, path, label, language, whole

    def whole(self) -> "ToolOutput":
        return ToolOutput(self._make, self._path, self.label, self._language, whole=True)

    @cached_property
    def source(self) -> tuple[list[str], list[Sequence[StandIn]], Highlighter]:
        made = self._make()
        body, language = body_of(sanitise(made if self._whole else clipped(made, MOST_CHARACTERS, "\n")))
        written = body.split("\n") if body.strip() else []
        lines = [expand_tabs(line) for line in written]
        lines = lines if self._whole else [clipped(line, LONGEST_LINE) for line in lines]
        lexer = lexer_for_path(self._path) if self._path else lexer_for(self._language or language)
        return lines, list(map(tabs_in, written)), Highlighter(lines, lexer)

    @property
    def lines(self) -> list[str]:
        return self.source[0]


class OutputUnit(FixedUnit):
    """A stretch of an output, to its end or with a row that says how many lines follow."""

    def __init__(self, output: ToolOutput, start: int, count: int, indent: int, *, more: bool = False) -> None:
        self._output, self._start, self._count, self._indent, self._more = output, start, count, indent, more

    def whole(self) -> Sequence[Unit]:
        """The whole output in the place of its first stretch, nothing in that of the others."""
        return output_units(self._output.whole(), self._indent) if self._start == 0 else ()

    @property
    def cuts_line(self) -> bool:
        """Whether a line has more characters than are shown."""
        return any(len(self._output.lines[index]) > LONGEST_LINE for index in self._span())

    def _span(self) -> range:
        return range(self._start, min(self._start + self._count, len(self._output.lines)))

    def estimate(self, width: int) -> int:
        if "source" not in self._output.__dict__:
            return self._count + self._more
        room = max(1, width - self._indent - len(BAR))
        rows = sum(1 + len(self._output.lines[index]) // room for index in self._span())
        return rows + (self._start == 0 and bool(self._output.label)) + self._more

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        lines, tabs, highlighter = self._output.source
        tokens = ((highlighter.line(index, plain=palette.text_only), tabs[index]) for index in self._span())
        shown = (Line(styled(line, palette, Style.null()), stand_ins=tabs) for line, tabs in tokens)
        rows = rows_of(shown, edge(width), margin=[(" " * self._indent + BAR, palette.border)])
        if self._more:
            rows = rows[: self._count]
            hidden = len(lines) - sum(bool(row.segments) and not row.wrapped for row in rows)
            rows += [more_row(hidden, palette, self._indent)] if hidden > 0 else []
        if self._output.label and self._start == 0:
            margin = [(" " * self._indent, palette.text)]
            rows = [*wrap(Line([(self._output.label, palette.muted)], margin, margin), edge(width), 1_000), *rows]
        return rows


def output_units(output: ToolOutput, indent: int, limit: int | None = None) -> list[Unit]:
    """The first lines up to a limit; without one all of them, in stretches."""
    if limit is not None:
        return [OutputUnit(output, 0, limit, indent, more=True)]
    return [OutputUnit(output, start, UNIT_LINES, indent) for start in range(0, max(1, len(output.lines)), UNIT_LINES)]


def data_output(value: Any, label: str = "") -> ToolOutput:
    return ToolOutput(lambda: data_text(value), label=label)


def unfenced(text: str) -> tuple[str, str]:
    """The inside of a text that is one fence, and the fence's language; agents wrap results so."""
    if not (text.startswith("```") and text.rstrip().endswith("```")):
        return text, ""
    first, _, rest = text.partition("\n")
    body = rest.rstrip()[:-3].removesuffix("\n")
    return (text, "") if "\n```" in body or not rest else (body, first[3:].strip())


def body_of(text: str) -> tuple[str, str]:
    """What there is to read of a text, and its language: without a fence around it, or the number of a file's end."""
    body, language = unfenced(text.strip("\n"))
    lines = body.rstrip("\n").rsplit("\n", 1)
    ends = len(lines) == 2 and re.fullmatch(r"\s*\d+(?:\t|→)\s*", lines[1]) is not None
    return lines[0] if ends and re.match(r"\s*\d+(?:\t|→)", lines[0]) else body, language


PREVIEW_CHARACTERS = 8_000  # that are split for a preview of a few rows
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_PRINTED = ("formatted_output", "aggregated_output", "output", "stdout", "text", "result")
_TAG = re.compile(r"</?[\w-]+(?: [^>]*)?>")
_DATA = ("{", "[{", "<")


def block_units(
    block: ContentBlock, kind: str, indent: int, limit: int | None = None, *, loud: bool = False
) -> list[Unit]:
    """A content block of a tool of that kind, to a `limit` of rows; `loud` is for what a user must read."""
    if for_agent_only(block) and (limit is not None or not isinstance(block, TextContent)):
        return [ToolBlock(block, indent)]
    if isinstance(block, TextContent):
        text = block.text
        if is_markdown(text, kind):
            return document_units(text, indent, loud=loud) if limit is None else [DocumentPreview(text, limit)]
        output = ToolOutput(lambda: text)
    elif isinstance(block, EmbeddedResource) and isinstance(block.resource, TextResource):
        resource = block.resource
        output = ToolOutput(lambda: resource.text, resource.uri, label=sanitise_line(resource.uri))
    else:
        return [ToolBlock(block, indent)]
    return output_units(output, indent, limit)


def last_lines(entry: ToolCallEntry, count: int) -> list[Unit]:
    """The last lines of what a call brought as text, without those that are only tags."""
    blocks = [item.content for item in entry.content if isinstance(item, ContentItem)]
    texts = [block.text for block in blocks if isinstance(block, TextContent) and not for_agent_only(block)]
    text = "\n".join(texts) or raw_text(entry.raw_output)
    lines = [line.strip() for line in text[-LONGEST_LINE:].split("\n")]
    told = [line for line in lines if line and not _TAG.fullmatch(line)][-count:]
    return output_units(ToolOutput(lambda: "\n".join(told)), LEFT, count) if told else []


def raw_text(output: Any) -> str:
    """The text that raw output is, or has under one of the names that agents use."""
    members = output if isinstance(output, dict) else {"output": output}
    texts = (members.get(name) for name in _PRINTED)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def is_markdown(text: str, kind: str) -> bool:
    """Whether text of a tool of that kind is set as Markdown; what is one single fence is code."""
    text = text.strip()
    if not text or unfenced(text)[0] is not text:
        return False
    if _FENCE.search(text):
        return True
    return kind not in RAW_KINDS and not text.startswith(_DATA)


def document_units(text: str, indent: int, *, loud: bool = False) -> list[Unit]:
    """A text in Markdown behind the bar, set like a message's; quieter, where it is not `loud`."""
    units: list[Unit] = []
    pieces = pieces_of(clipped(text.strip("\n"), MOST_CHARACTERS, "\n\n"))
    for index, piece in enumerate(pieces):
        if piece.code:
            output = ToolOutput(partial("\n".join, piece.lines), language=piece.info)
            units += output_units(output, indent + piece.indent)
        else:
            spaced = index > 0 and not piece.joined and not pieces[index - 1].code
            units.append(ProseUnit(piece, "agent" if loud else "tool", spaced=spaced, bar=indent))
    return units


class DocumentPreview(FixedUnit):
    """The first rows of a document, and a row that says about how many lines follow."""

    def __init__(self, text: str, limit: int) -> None:
        self._text, self._limit = text.strip("\n"), limit

    def estimate(self, width: int) -> int:
        return min(self._limit + 1, 1 + len(self._text) // max(1, width - LEFT))

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        rows: list[Row] = []
        units = document_units(self._text[:PREVIEW_CHARACTERS], LEFT)
        while units and len(rows) <= self._limit:
            rows += units.pop(0).rows(width, palette)
        kept = renumbered(rows[: self._limit])
        if len(rows) <= self._limit and not units and len(self._text) <= PREVIEW_CHARACTERS:
            return kept
        lines = sum(1 for line in self._text.split("\n") if line.strip() and not _FENCE.match(line))
        shown = sum(not row.wrapped and bool(text_of(row)[row.gutter :].strip()) for row in kept)
        return [*kept, more_row(max(1, lines - shown), palette, LEFT)]


class ToolBlock(BlockUnit):
    """A block that is no text, behind the bar."""

    def __init__(self, block: ContentBlock, indent: int) -> None:
        super().__init__(block)
        self._indent = indent

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        bar, end = [(" " * self._indent + BAR, palette.border)], edge(width)
        told = rows_of([Line(placeholder(self.block, palette))], end, margin=bar)
        return [*told, *self.picture_rows(bar, end - self._indent - len(BAR), palette)]
