"""One message in full: what it is, what is wrong with it, and its JSON; must not know where it came from."""

from collections.abc import Sequence

from rich.style import Style

from acp_tui.host.inspection.message import Message
from acp_tui.ui.inspector.words import pretty, summary
from acp_tui.ui.render.code import Highlighter, lexer_for, styled
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.ui.render.wrap import Line, expand_tabs, rows_of
from acp_tui.ui.transcript.unit import Row, Unit

UNIT_LINES = 64
LINE_PIECE = 2_000  # characters; longer lines are wrapped in pieces of this


class WordsUnit:
    """A few words in one tone of the palette, and a blank row."""

    version = 0

    def __init__(self, text: str, tone: str) -> None:
        self._text, self._tone = text, tone

    def estimate(self, width: int) -> int:
        """About how many rows."""
        return len(self._text) // max(1, width) + 2

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """The words, wrapped."""
        style: Style = getattr(palette, self._tone)
        return rows_of([Line([(self._text, style)], wide=True), Line([], wide=True)], width)


class JsonUnit:
    """Some lines of the text, coloured as JSON."""

    version = 0

    def __init__(self, highlighter: Highlighter, lines: Sequence[str], start: int) -> None:
        self._highlighter, self._lines, self._start = highlighter, lines, start

    def estimate(self, width: int) -> int:
        """About how many rows."""
        return sum(len(line) // max(1, width) + 1 for line in self._lines)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """The lines; what wraps goes on under its own beginning."""
        lines = []
        for number in range(self._start, self._start + len(self._lines)):
            runs = styled(self._highlighter.line(number), palette, Style.null())
            text = "".join(text for text, _ in runs)
            indent = min(len(text) - len(text.lstrip()) + 2, width // 2)
            lines.append(Line(runs, hang=[(" " * indent, Style.null())], wide=True))
        return rows_of(lines, width)


def units_of(message: Message, began: float) -> list[Unit]:
    """The message from its summary to its last line."""
    units: list[Unit] = [WordsUnit(summary(message, began), "muted")]
    if message.problem:
        units.append(WordsUnit(sanitise_line(message.problem, 1_000), "warning"))
    text, missing = pretty(message)
    lines = [piece for line in sanitise(text).split("\n") for piece in _pieces(expand_tabs(line))]
    highlighter = Highlighter(lines, lexer_for("json") if message.kind not in ("stderr", "start") else None)
    units += [
        JsonUnit(highlighter, lines[start : start + UNIT_LINES], start) for start in range(0, len(lines), UNIT_LINES)
    ]
    return [*units, WordsUnit(missing, "warning")] if missing else units


def _pieces(line: str) -> list[str]:
    return [line[start : start + LINE_PIECE] for start in range(0, len(line), LINE_PIECE)] or [""]
