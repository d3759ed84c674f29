"""The one row that stands for a tool call: sign, verb, subject, and at the right what came of it."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from acp_tui.protocol.content import TextContent
from acp_tui.protocol.tool_calls import ContentItem
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.own_commands import is_own
from acp_tui.session.state import Session
from acp_tui.session.writes import is_written_here
from acp_tui.ui.render.diff_files import UNTOLD
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, cut_left, sanitise_line
from acp_tui.ui.render.wrap import Run
from acp_tui.ui.transcript.diff import LazyDiffs, count_runs
from acp_tui.ui.transcript.page import LEFT, edge
from acp_tui.ui.transcript.tool_words import (
    STATUS_SIGNS,
    STATUS_WORDS,
    WAITING,
    duration_of,
    exit_words,
    place,
    seconds,
    sign_of,
    status_of,
    subject_of,
    terminals_of,
    words_of,
)
from acp_tui.ui.transcript.unit import FOLD, Row

VERB_WIDTH = 8
CHANGING = ("edit", "delete", "move")  # done at once, but for the waiting; their text only tells of success
TELLING_NOTES = ("new file", "deleted")
_FOLDS = Style.from_meta({FOLD: True})


class ToolHeading:
    """The heading's unit. It is told its call's version, since a terminal's news do not bump the entry's."""

    def __init__(self, entry: ToolCallEntry, session: Session, diffs: LazyDiffs, version: int = 0) -> None:
        self._entry, self._session, self._diffs = entry, session, diffs
        self.version = version

    def estimate(self, width: int) -> int:
        """Always one row."""
        return min(1, width)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """The row; the subject is cut where it does not fit, the ending never."""
        entry = self._entry
        status = status_of(entry, self._session)
        ending = list(self._ending(status, palette))
        ending_width = sum(cell_len(text) for text, _ in ending)
        sign, verb = sign_of(entry, status), self._verb()
        lead = f"{verb:<{VERB_WIDTH}} " if verb else ""
        room = max(8, edge(width) - LEFT - len(lead) - (ending_width + 2 if ending else 0))
        subject = cut(subject_of(entry, self._session.cwd), room)
        where = self._where(subject, room - cell_len(subject) - 2)
        used = cell_len(subject) + (cell_len(where) + 2 if where else 0)
        runs: list[Run] = [
            (f" {sign} ", _ink(status, palette) + _FOLDS),
            (lead, palette.muted + _FOLDS),
            (subject, palette.text + _FOLDS),
        ]
        if where:
            runs.append((f"  {where}", palette.muted + _FOLDS))
        if ending:
            runs += [(" " * max(2, room - used + 2), palette.text + _FOLDS), *ending]
        return [Row([Segment(text, style) for text, style in runs if text], 0, gutter=LEFT)]

    def _verb(self) -> str:
        """What is done; a command says it itself, and only whose it is, if it is not the agent's."""
        if self._entry.kind == "execute":
            return "You ran" if is_own(self._session, self._entry) else ""
        return words_of(self._entry.kind).verb

    def _where(self, subject: str, room: int) -> str:
        """The first file that the call touches, where the subject does not name it, and how many more."""
        cwd = self._session.cwd
        places = [location for location in self._entry.locations if location.path.rstrip("/") != cwd.rstrip("/")]
        if not places or room < 12:
            return ""
        first = places[0]
        more = f" +{len(places) - 1}" if len(places) > 1 else ""
        if place(first.path, None, cwd).rsplit("/", 1)[-1] in subject:
            return more.strip()
        return cut_left(place(first.path, first.line, cwd), room - len(more)) + more

    def _ending(self, status: str, palette: Palette) -> Iterator[Run]:
        """What came of it: a status that is not done, counts, an exit code, a duration."""
        entry = self._entry
        parts: list[list[Run]] = []
        exits = list(self._exits(palette))
        if status != "completed" and not (status == "failed" and exits):
            word = STATUS_WORDS.get(status, sanitise_line(status, 20))
            sign = f"{STATUS_SIGNS[status]} " if entry.kind == "execute" and status in STATUS_SIGNS else ""
            parts.append([(f"{sign}{word}", _ink(status, palette))])
        if self._diffs and status not in ("failed", "cancelled"):
            parts += self._changes(palette)
        parts += [[(text, style)] for text, style in exits or self._results(palette)]
        for index, part in enumerate(parts):
            if index:
                yield " · ", palette.faint
            yield from part

    def _changes(self, palette: Palette) -> Iterator[list[Run]]:
        """How much was changed in how many files; of a single one what the numbers do not tell."""
        added, removed = self._diffs.counts()
        files, paths = self._diffs.files, {file.path for file in self._diffs.files} - {""}
        if added or removed:
            yield count_runs(added, removed, palette)
        if len(paths) > 1:
            yield [(f"{len(paths):,} files", palette.muted)]
        else:
            notes = dict.fromkeys(note for file in files for note in file.notes if note != UNTOLD)
            yield from ([(note, palette.muted)] for note in notes if note in TELLING_NOTES or not (added or removed))
        if is_written_here(self._entry):
            cut = any(diff.changes is not None for diff in self._entry.written)
            yield [("as written, not all shown" if cut else "as written", palette.muted)]

    def _exits(self, palette: Palette) -> Iterator[Run]:
        """How the command ended, and how long it ran."""
        for terminal in terminals_of(self._entry, self._session.terminals):
            if terminal.exit_status is not None:
                good, words = exit_words(terminal.exit_status)
                yield f"{'✓' if good else '✗'} {words}", palette.success if good else palette.error
                if terminal.finished_at is not None:
                    yield seconds(max(0.0, terminal.finished_at - terminal.started_at)), palette.muted
                return

    def _results(self, palette: Palette) -> Iterator[Run]:
        """How much text was brought, and how long it took."""
        entry = self._entry
        if entry.status == "completed" and (entry.kind in CHANGING or self._diffs):
            return
        if entry.status == "completed" and (lines := _text_lines(entry)):
            yield f"{lines:,} line{'' if lines == 1 else 's'}", palette.muted
        if duration := duration_of(entry):
            yield duration, palette.muted


def _text_lines(entry: ToolCallEntry) -> int:
    """How many lines of text the call brought."""
    blocks = (item.content for item in entry.content if isinstance(item, ContentItem))
    texts = (block.text.strip("\n") for block in blocks if isinstance(block, TextContent))
    return sum(text.count("\n") + 1 for text in texts if text)


def _ink(status: str, palette: Palette) -> Style:
    """The sign's colour, which says no more than the sign."""
    styles = {
        "completed": palette.success,
        "failed": palette.error,
        "in_progress": palette.accent,
        "pending": palette.muted,
        "paused": palette.warning,
        WAITING: palette.warning,
    }
    return styles.get(status, palette.muted)
