"""Notices, links, questions and ends of turns (with what changed in the work tree, and what was taken back of it).

All of them speak by sign and word, and not by colour alone.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from rich.style import Style

from acp_tui.protocol.vocabulary.elicitation import UrlElicitation
from acp_tui.session.entries import ElicitationEntry, Entry, NoticeEntry
from acp_tui.session.folds.file_changes import TakenBackEntry, TurnEntry
from acp_tui.session.folds.history import HandOverEntry
from acp_tui.session.form_fields import fields_of
from acp_tui.session.text.phrases import counted
from acp_tui.session.text.secret_names import NOT_RECORDED
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.entries.base_units import Appearance, Draws, OneUnit
from acp_tui.ui.entries.diff_units import more_row, renumbered
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.ui.render.wrap import (
    CHANGES,
    LEFT,
    Line,
    Row,
    Run,
    Unit,
    blank_row,
    block_edge,
    cells_of,
    expand_tabs,
    page_line,
    rows_of,
    tabs_in,
)

E = TypeVar("E", bound=Entry)
MESSAGE_LINES = 12  # of a message; more is counted, not shown
FOLDED_ROWS, FOLDED_CHARACTERS = 3, 240  # of the message of a notice; one that has more folds
WHOLE_LINES = 400  # of such a message when it is unfolded
VALUES_SHOWN = 20  # of what was sent
SIGNS = {"info": "•", "warning": "!", "error": "✗"}
WORDS = {"info": "Note", "warning": "Warning", "error": "Error"}
_COMMANDS = {"stderr": "show_stderr"}  # the command that shows what a notice points to
_OUTCOMES = {
    None: ("△", "Question", ""),  # the panel asks it
    "accept": ("✓", "Question", "answered"),
    "decline": ("✗", "Question", "declined"),
    "cancel": ("✗", "Question", "cancelled"),
}

_DETAIL = re.compile(r"\s*(?:[a-z]\w*(?:\.\w+)*: |\[Object\b|at \S+|[\[\](){},;\s]*$)")  # a line of data, no words
_COUNT = re.compile(r"(?<!\S)([+−][\d,]+)(?!\S)")  # of lines that came or went
GAP_CELLS = 400  # of a line that says what is not kept
REVIEW = (("show_changes", "review"),)
REVIEW_OR_UNDO = (*REVIEW, ("take_back_turn", "undo"))
REDO = (("redo_taken_back", "redo"), *REVIEW)
GAPS = 5  # such lines that are shown; the rest is counted


class EntryUnit(Generic[E]):
    """A unit that is drawn anew whenever its entry changes."""

    def __init__(self, entry: E) -> None:
        self._entry = entry

    @property
    def version(self) -> int:
        return self._entry.version

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return 2  # it is drawn as soon as its entry is


class NoticeDrawing:
    """A notice, which folds where its message is long."""

    def __init__(self, entry: NoticeEntry) -> None:
        self._unit = NoticeUnit(entry)
        self.units: Sequence[Unit] = [self._unit]

    @property
    def folded(self) -> bool | None:
        return not self._unit.whole if self._unit.is_long else None

    def toggle(self) -> int | None:
        if self.folded is None:
            return None
        self._unit.whole = not self._unit.whole
        return self.update()

    def update(self) -> int:
        return 0


class NoticeUnit(EntryUnit[NoticeEntry]):
    """Sign, severity and title, then the message and the hint. `whole`: all of a long message is shown."""

    def __init__(self, entry: NoticeEntry) -> None:
        super().__init__(entry)
        self.whole = False

    @property
    def version(self) -> int:
        return 2 * self._entry.version + self.whole

    @property
    def is_long(self) -> bool:
        message = self._entry.message.strip("\n")
        lines = message.count("\n")
        return len(message) > FOLDED_CHARACTERS or lines >= FOLDED_ROWS or (lines > 1 and self._words is not None)

    @property
    def _words(self) -> str | None:
        """The one line of an error that is words; None where the others are no mere data."""
        lines = self._entry.message.strip("\n").split("\n") if self._entry.severity == "error" else []
        first = bool(lines) and not lines[0].lstrip().startswith(("[", "{", "("))
        words = [*lines[:first], *(line for line in lines[first:] if not _DETAIL.match(line))]
        return words[0] if len(words) == 1 and len(words[0]) <= FOLDED_CHARACTERS else None

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        entry = self._entry
        style = severity_style(entry.severity, palette)
        sign, word = sign_and_word(entry.severity)
        title = [(f"{word}  ", style), (sanitise_line(entry.title, 400), palette.text), (times(entry), palette.muted)]
        if entry.see == "mode":
            title += [(" · ", palette.muted), (first_way("next_mode"), palette.text), (" to change", palette.muted)]
        rows = rows_of([page_line(title, sign, style)], block_edge(width))
        if entry.message.strip():
            rows += self._message_rows(width, palette)
        lines: list[Line] = []
        if entry.hint:
            *before, last = (sanitise_line(line, 400) for line in entry.hint.splitlines())
            key = first_way(_COMMANDS[entry.see]) if entry.see in _COMMANDS else ""
            hint = [(last, palette.muted), (f"  {key}", palette.text)]
            if entry.see == "prompt":  # by the editor's own key for the last prompt
                does = f" to {last[:1].lower()}{last[1:]}"
                hint = [("Press ", palette.muted), ("↑", palette.text), (does, palette.muted)]
                stderr = [(f"   {first_way('show_stderr')}", palette.text), (" stderr", palette.muted)]
                hint += stderr * (entry.severity == "error")
            lines += [page_line([("→ ", palette.faint), (one, palette.muted)]) for one in before]
            lines.append(page_line([("→ ", palette.faint), *hint]))
        return renumbered([*rows, *rows_of(lines, block_edge(width)), blank_row()])

    def _message_rows(self, width: int, palette: Palette) -> list[Row]:
        most = WHOLE_LINES if self.is_long else MESSAGE_LINES
        rows = rows_of(message_lines(self._entry.message, palette.muted, palette, most), block_edge(width))
        if not self.whole and self.is_long and self._words is not None:
            told = rows_of(message_lines(self._words, palette.muted, palette), block_edge(width))
            return [*told, more_row(self._entry.message.strip("\n").count("\n"), palette, LEFT)]
        hidden = len(rows) - FOLDED_ROWS
        if self.whole or not self.is_long or hidden <= 0:
            return rows
        return [*rows[: FOLDED_ROWS - 1], more_row(hidden, palette, LEFT), rows[-1]]


class LinkUnit(EntryUnit[HandOverEntry]):
    """Where the conversation went or came from, and the key that goes there."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        words = [(sanitise_line(self._entry.pieces[0], 80), palette.muted), ("  enter to open", palette.faint)]
        sign = {"to": "→", "from": "←"}[self._entry.way]
        return [*rows_of([page_line(words, sign, palette.muted)], block_edge(width)), blank_row()]


def sign_and_word(severity: str) -> tuple[str, str]:
    """How a severity is told; one that is not known by its own name."""
    word = WORDS.get(severity) or sanitise_line(severity, 20).capitalize() or "Notice"
    return SIGNS.get(severity, "·"), word


def times(entry: NoticeEntry) -> str:
    """How often it was reported, if more than once: ` × 3`."""
    return f" × {entry.count:,}" if entry.count > 1 else ""


def severity_style(severity: str, palette: Palette) -> Style:
    """Errors and warnings have the ink of their sign, and weight."""
    ink = {"error": palette.error, "warning": palette.warning}.get(severity)
    return palette.muted if ink is None else ink + Style(bold=True)


def message_lines(message: str, style: Style, palette: Palette, most: int = MESSAGE_LINES) -> Iterator[Line]:
    """The first lines of a message; the rest is counted."""
    lines = sanitise(message).strip("\n").split("\n")
    for line in lines[:most]:
        yield page_line([(expand_tabs(line), style)], stand_ins=tabs_in(line))
    if len(lines) > most:
        yield page_line([(f"… {counted(len(lines) - most, 'more line')}", palette.faint)])


def _outcome_of(entry: ElicitationEntry) -> tuple[str, str, str]:
    if isinstance(entry.request, UrlElicitation) and entry.action == "accept":
        if entry.completed:
            return "✓", "Link", "completed"
        return "↗", "Link", "opened, never confirmed" if entry.sealed else "opened, waiting for confirmation"
    return _OUTCOMES.get(entry.action) or ("·", "Question", sanitise_line(entry.action or "", 40))


class ElicitationUnit(EntryUnit[ElicitationEntry]):
    """The outcome, the question, the address or the values that were sent; that it waits, as long as it is asked."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        return [*rows_of(self._lines(palette), block_edge(width)), blank_row()]

    def _lines(self, palette: Palette) -> Iterator[Line]:
        entry = self._entry
        sign, word, outcome = _outcome_of(entry)
        style = palette.warning if entry.action is None else palette.muted
        yield page_line([(f"{word}  ", style), (outcome, palette.muted)], sign, style)
        if entry.action is None:
            return  # the panel asks it
        yield from message_lines(entry.request.message, palette.text, palette)
        if isinstance(entry.request, UrlElicitation):
            yield page_line([(sanitise_line(entry.request.url, 2_000), palette.muted)])
        else:
            yield from self._values(palette)

    def _values(self, palette: Palette) -> Iterator[Line]:
        content = self._entry.content or {}
        if not content or isinstance(self._entry.request, UrlElicitation):
            return
        fields = {field.name: field for field in fields_of(self._entry.request.requested_schema)}
        for name, value in list(content.items())[:VALUES_SHOWN]:
            field = fields.get(name)
            several = value if isinstance(value, list) else [value]
            words = ["yes" if each is True else "no" if each is False else str(each) for each in several]
            told = ", ".join(field.title_of(word) if field else word for word in words)
            named = field.title if field else name
            title = f"{sanitise_line(named, 60)}  " if named != self._entry.request.message else ""
            style = palette.faint if value == NOT_RECORDED else palette.text
            yield page_line([(title, palette.muted), (sanitise_line(told, 400), style)])
        if len(content) > VALUES_SHOWN:
            yield page_line([(f"… {len(content) - VALUES_SHOWN} more", palette.faint)])


class TurnUnit(EntryUnit[TurnEntry]):
    """The end of a turn: how it ended where not by itself, what it changed, how long it took, by which model and mode.

    `± 4 files changed  +12 −3  src/a.py, b.py +2 more   ^X d review   ^Z undo   12 s · Opus · Plan`, and
    below it what is not kept. Where not all fits, model and mode have a line of their own.
    """

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        entry = self._entry
        ended, facts, changed = entry.ended, " · ".join(entry.facts), entry.changed
        sign, ink = ("✗", palette.error) if entry.stop_reason == "error" else ("⊘", palette.warning)
        alone = [(ended, ink), (" · " if ended and facts else "", palette.faint), (facts, palette.faint)]
        how = page_line([run for run in alone if run[0]], sign if ended else "", ink)
        if not changed:
            return [*rows_of([how], block_edge(width)), blank_row()]
        head = _head(changed, "  ", REVIEW_OR_UNDO, width, palette, turn=entry.turn)
        beside: list[Run] = [(f"   {facts}", palette.faint)] if facts and not ended else []
        fits = LEFT + cells_of([*head, *beside]) <= block_edge(width)
        lines = [page_line([*head, *(beside if fits else [])], "±", palette.muted)]
        lines = [how, *lines] if ended else lines if fits else [*lines, how]
        return [*rows_of([*lines, *self._gaps(palette)], block_edge(width)), blank_row()]

    def _gaps(self, palette: Palette) -> Iterator[Line]:
        gaps = [sanitise_line(gap, GAP_CELLS) for gap in self._entry.gaps]
        if len(gaps) > GAPS:
            gaps[GAPS:] = [f"… {len(gaps) - GAPS:,} more"]
        for gap in gaps:
            yield page_line([(gap, palette.faint)])


class TakenBackUnit(EntryUnit[TakenBackEntry]):
    """`↶ Undone: "fix the parser" · 3 files · 1 skipped`."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        sign = "↷" if self._entry.undone else "↶"
        keys = REVIEW if self._entry.undone else REDO
        head = _head(self._entry.pieces, " · ", keys, width, palette, least=2 + bool(self._entry.left))
        return [*rows_of([page_line(head, sign, palette.muted)], block_edge(width)), blank_row()]


def _head(
    pieces: Sequence[str],
    between: str,
    keys: Sequence[tuple[str, str]],
    width: int,
    palette: Palette,
    *,
    turn: int = 0,
    least: int = 1,
) -> list[Run]:
    """The pieces with the keys; where not all fit, the last pieces go before a key does; `least` of them stay."""
    shorter = [between.join(pieces[:count]) for count in range(len(pieces), min(least, len(pieces)) - 1, -1)]
    (words, ink), *rest = max((_with_keys(words, keys, width, palette, turn) for words in shorter), key=len)
    return [*_coloured(words, ink, palette), *rest]


def _coloured(words: str, ink: Style, palette: Palette) -> Iterator[Run]:
    """The words in this ink, the counts of lines among them in their own."""
    for number, text in enumerate(_COUNT.split(words)):
        own = (palette.success if text[0] == "+" else palette.error) if number % 2 else Style.null()
        yield text, ink + own


def _with_keys(words: str, keys: Sequence[tuple[str, str]], width: int, palette: Palette, turn: int) -> list[Run]:
    """The words, which open the changes of the turn, and as many keys with what they do as fit beside them."""
    opens = Style.from_meta({CHANGES: turn})
    said = [(words, palette.muted + opens)]
    for command, does in keys:
        more = [*said, (f"   {first_way(command)} ", palette.text + opens), (does, palette.faint + opens)]
        if LEFT + cells_of(more) > block_edge(width):
            break
        said = more
    return said


DRAWS: Draws = {
    NoticeEntry: Appearance(lambda entry, _session: NoticeDrawing(entry)),
    ElicitationEntry: Appearance(lambda entry, _session: OneUnit(ElicitationUnit(entry))),
    HandOverEntry: Appearance(lambda entry, _session: OneUnit(LinkUnit(entry))),
    TurnEntry: Appearance(lambda entry, _session: OneUnit(TurnUnit(entry))),
    TakenBackEntry: Appearance(lambda entry, _session: OneUnit(TakenBackUnit(entry))),
}
