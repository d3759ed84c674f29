"""A message as the inspector shows it: in a row of the list, in a line, and in full with its JSON coloured."""

import json
from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from acp_tui.host.records.inspection import Message
from acp_tui.session.text.phrases import duration
from acp_tui.ui.entries.base_units import FixedUnit
from acp_tui.ui.render.blocks import Highlighter, lexer_for, styled
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, sanitise, sanitise_line
from acp_tui.ui.render.wrap import Line, Row, Unit, expand_tabs, rows_of
from acp_tui.views.formatting import byte_size

PRETTY = 300_000  # bytes of a message that are shown; a longer one is cut, and that is said
ARROWS = {"->": "→", "<-": "←", "err": "!", "start": "●"}
WAYS = {"->": "→ agent", "<-": "← agent", "err": "stderr", "start": ""}
PROBLEM, SIGNS = "▲", {"answer": "✓", "error": "✗", "request": "?"}
TIME, SIZE, TOOK = 9, 9, 9  # cells
_UPDATE = "session/update "


def seconds(span: float) -> str:
    """A short span: `340 ms`, `3.2 s`, `2 min 05 s`."""
    if span < 1:
        return f"{span * 1000:.0f} ms"
    return f"{span:.1f} s" if span < 60 else duration(span)


def name_of(message: Message) -> str:
    """What the message is called; updates by what they update."""
    return sanitise_line(message.method.removeprefix(_UPDATE) or message.problem, 200)


def row(message: Message, began: float, width: int, palette: Palette) -> list[Segment]:
    """Time, direction, name, how long it took, size; exactly `width` cells where they are enough for that."""
    took = seconds(message.latency) if message.latency is not None else ""
    size = byte_size(message.size) if message.size else ""
    narrow = width < 2 * TIME + SIZE + TOOK
    right = "" if narrow else f"{took:>{TOOK}}{size:>{SIZE}} "
    time = f"{message.at - began:{TIME}.3f} "
    room = width - len(time) - 2 - len(right)
    sign = PROBLEM if message.problem else SIGNS.get(message.kind, " ")
    middle = f"{sign} {cut(_told(message), max(0, room - 2))}"
    return [
        Segment(time, palette.faint),
        Segment(ARROWS[message.direction] + " ", palette.user if message.direction == "->" else palette.agent),
        Segment(middle + " " * max(0, room - cell_len(middle)), _tone(message, palette)),
        Segment(right, palette.muted),
    ]


def summary(message: Message, began: float) -> str:
    """The message in a line: `← agent · answer to session/prompt after 3.2 s · 12.345 s · 1.2 KB`."""
    what: str = message.kind
    if message.kind in ("answer", "error"):
        what += f" to {name_of(message)}" if message.method else ""
        what += f" after {seconds(message.latency)}" if message.latency is not None else ""
    elif message.kind in ("request", "notification"):
        what += f" {sanitise_line(message.method, 120)}"
    parts = [WAYS[message.direction], what, f"{message.at - began:.3f} s", byte_size(message.size)]
    return " · ".join(filter(None, parts))


def pretty(message: Message) -> tuple[str, str]:
    """The message's text as it is shown, not sanitised, and what is missing of it in words."""
    line = message.line
    if not line and message.size:
        return "", f"Message of {byte_size(message.size)} too large to keep."
    if len(line) > PRETTY:
        more = byte_size(len(line) - PRETTY)
        return line[:PRETTY].decode("utf-8", "replace"), f"{more} more not shown (y: copy all)."
    return indented(line), ""


def indented(line: bytes) -> str:
    """JSON with line breaks; anything else as it is."""
    text = line.decode("utf-8", "replace")
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _told(message: Message) -> str:
    if message.kind == "error":
        return f"{name_of(message)} failed"
    if message.problem and message.method:
        return f"{name_of(message)} · {sanitise_line(message.problem, 200)}"
    return name_of(message)


def _tone(message: Message, palette: Palette) -> Style:
    if message.problem:
        return palette.warning
    if message.kind == "error":
        return palette.error
    return palette.muted if message.kind in ("notification", "stderr", "start") else palette.text


def counts(shown: Sequence[Message], total: int, problems: int) -> str:
    """How many there are: `12 of 340 messages · 2 with problems`."""
    number = f"{total:,}" if len(shown) == total else f"{len(shown):,} of {total:,}"
    words = f"{number} message{'' if total == 1 else 's'}"
    return f"{words} · {problems:,} with problems" if problems else words


UNIT_LINES = 64
LINE_PIECE = 2_000  # characters; longer lines are wrapped in pieces of this


class WordsUnit(FixedUnit):
    """A few words in one tone of the palette, and a blank row."""

    def __init__(self, text: str, tone: str) -> None:
        self._text, self._tone = text, tone

    def estimate(self, width: int) -> int:
        return len(self._text) // max(1, width) + 2

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        style: Style = getattr(palette, self._tone)
        return rows_of([Line([(self._text, style)], wide=True), Line([], wide=True)], width)


class JsonUnit(FixedUnit):
    """Some lines of the text, coloured as JSON."""

    def __init__(self, highlighter: Highlighter, lines: Sequence[str], start: int) -> None:
        self._highlighter, self._lines, self._start = highlighter, lines, start

    def estimate(self, width: int) -> int:
        return sum(len(line) // max(1, width) + 1 for line in self._lines)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """The lines; what wraps goes on under its own beginning."""
        lines = []
        for number, text in enumerate(self._lines, self._start):
            runs = styled(self._highlighter.line(number), palette, Style.null())
            indent = min(len(text) - len(text.lstrip()) + 2, width // 2)
            lines.append(Line(runs, hang=[(" " * indent, Style.null())], wide=True))
        return rows_of(lines, width)


def units_of(message: Message, began: float) -> list[Unit]:
    """The message from its summary to its last line."""
    units: list[Unit] = [WordsUnit(summary(message, began), "muted")]
    if message.problem:
        units.append(WordsUnit(sanitise_line(message.problem, 1_000), "warning"))
    text, missing = pretty(message)
    lines = [
        line[start : start + LINE_PIECE]
        for line in map(expand_tabs, sanitise(text).split("\n"))
        for start in range(0, max(1, len(line)), LINE_PIECE)
    ]
    highlighter = Highlighter(lines, lexer_for("json") if message.kind not in ("stderr", "start") else None)
    units += [
        JsonUnit(highlighter, lines[start : start + UNIT_LINES], start) for start in range(0, len(lines), UNIT_LINES)
    ]
    return [*units, WordsUnit(missing, "warning")] if missing else units
