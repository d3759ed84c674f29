"""The one row that stands for a tool call: sign, verb, subject, and at the right what came of it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.style import Style

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import ContentItem
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.folds.own_commands import is_own
from acp_tui.session.state import Session
from acp_tui.session.tools.diffs import is_written_here
from acp_tui.session.tools.input import inner_command
from acp_tui.session.tools.subject import ToolSubject, subject_of, told_parts
from acp_tui.ui.entries.shared_units import FixedUnit
from acp_tui.ui.entries.tool_calls.content import unfenced, without_last_number
from acp_tui.ui.entries.tool_calls.diff import LazyDiffs, count_runs
from acp_tui.ui.entries.tool_calls.repeats import spoken
from acp_tui.ui.entries.tool_calls.words import (
    COMMAND_SIGN,
    STATUS_SIGNS,
    STATUS_WORDS,
    STOPPED,
    WAITING,
    SubjectWords,
    duration_of,
    exit_words,
    line,
    more_words,
    seconds,
    sign_of,
    status_of,
    subject_words,
    terminals_of,
    words_of,
)
from acp_tui.ui.render.diff_files import UNTOLD
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, cut_left, sanitise, sanitise_line
from acp_tui.ui.render.unit import FOLDS, Row
from acp_tui.ui.render.wrap import LEFT, Line, Run, edge, expand_tabs, one_line, rows_of

VERB_WIDTH = 8
LEAST_BESIDE = 12  # cells from which on something is told beside the subject
SHORTEST_ROOM = 30  # cells that a subject has on nearly every screen
MOST_LISTED = 400  # of each sort that are listed below an unfolded heading
CHANGING = ("edit", "delete", "move")  # done at once, but for the waiting; their text only tells of success
QUESTION_COMPARED = 40  # cells of a question by which it is known again in what a call says of itself
_EXITS = {True: ("✓ ", "completed"), False: ("✗ ", "failed"), None: ("", "")}
_INKS = {
    "completed": "success",
    "failed": "error",
    "in_progress": "accent",
    "paused": "warning",
    WAITING: "warning",
}
TELLING_NOTES = ("new file", "deleted")


class ToolHeading(FixedUnit):
    """The heading's unit. It is told its call's version, since a terminal's news do not bump the entry's."""

    def __init__(self, entry: ToolCallEntry, session: Session, diffs: LazyDiffs, version: int = 0) -> None:
        self._entry, self._session, self._diffs = entry, session, diffs
        self._subject: tuple[int, ToolSubject] | None = None
        self.version = version

    @property
    def subject(self) -> ToolSubject:
        if self._subject is None or self._subject[0] != self.version:
            self._subject = self.version, subject_of(self._entry, self._session)
        return self._subject[1]

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """The row; what it is about is cut where it does not fit, the ending never."""
        status = status_of(self._entry, self._session)
        ending = list(self._ending(status, palette))
        lead, room = self._room(width, ending)
        subject, beside = self._fitted(room)
        used = cell_len(subject) + sum(cell_len(text) + 2 for text in beside)
        runs: list[Run] = [
            (f" {sign_of(self.subject, status)} ", _ink(status, palette) + FOLDS),
            (lead, palette.muted + FOLDS),
            (subject, palette.text + FOLDS),
            *((f"  {text}", palette.muted + FOLDS) for text in beside),
        ]
        if ending:
            runs += [(" " * max(2, room - used + 2), palette.text + FOLDS), *ending]
        return [one_line([run for run in runs if run[0]])]

    def untold(self, width: int, palette: Palette) -> list[str]:
        """What the row has no room for: commands that are cut, have several lines or a shell around them, and so on."""
        subject, cwd = self.subject, self._session.cwd
        _, room = self._room(width, list(self._ending(status_of(self._entry, self._session), palette)))
        words = self._words()
        lead, beside = self._fitted(room)
        shown = {lead, *beside}
        told: list[str] = []
        for what, texts in told_parts(subject, cwd):
            whole = list(subject.commands) if what == "command" else texts
            signed = [f"{COMMAND_SIGN} {text}" for text in whole] if what == "command" else whole
            said = {line(f"{sign}{text}", cwd) for text in (*texts, *signed) for sign in ("", "in ")}
            said |= {line(text) for text in (*texts, *signed)}
            if len(texts) > 1 or not said & shown or any("\n" in text for text in whole) or whole != texts:
                told += signed[:MOST_LISTED]
                told += [f"… {len(signed) - MOST_LISTED:,} more"] if len(signed) > MOST_LISTED else []
        folder = subject.folder.rstrip("/") if subject.commands and subject.folder else ""
        if folder and folder != cwd.rstrip("/"):
            told.append(f"in {folder}")
        if subject.description and words.beside[-1] not in shown:
            told.append(subject.description)
        return told

    @property
    def brief(self) -> bool:
        """Whether every screen has room for all that the call is about."""
        subject = self.subject
        words = self._words()
        texts = (*words.lead, *words.beside)
        one = words.count < 2 and len(subject.commands) < 2 and len(subject.places) < 2
        whole = all(inner_command(command) == command and "\n" not in command for command in subject.commands)
        return one and whole and not subject.folder and sum(map(len, texts)) <= SHORTEST_ROOM

    def _room(self, width: int, ending: Sequence[Run]) -> tuple[str, int]:
        """The verb with its blanks, and the cells between it and the ending."""
        verb = "" if self.subject.lead == "command" else words_of(self.subject.kind).verb
        if is_own(self._session, self._entry):
            verb = "You ran"
        lead = f"{verb:<{VERB_WIDTH}} " if verb else ""  # a command says itself what is done
        taken = sum(cell_len(text) for text, _ in ending)
        return lead, max(8, edge(width) - LEFT - len(lead) - (taken + 2 if taken else 0))

    def _fitted(self, room: int) -> tuple[str, list[str]]:
        words = self._words()
        several = f"  {COMMAND_SIGN} ".join(words.lead)
        if self.subject.lead == "command" and words.count == len(words.lead) and cell_len(several) <= room:
            return several, list(_beside(words, room - cell_len(several)))
        more = more_words(words.count - 1)
        shorten = cut_left if self.subject.lead == "place" else cut
        subject = shorten(words.lead[0], max(1, room - len(more))) + more
        return subject, list(_beside(words, room - cell_len(subject)))

    def _words(self) -> SubjectWords:
        """The subject in words; a question that the call asks stands where it is answered, so not here too."""
        words = subject_words(self.subject, self._session.cwd)
        question = self._session.index.questions.get(self._entry.id)
        if question is None:
            return words
        asked = sanitise_line(question.request.message, QUESTION_COMPARED).rstrip("…")

        def says_it(text: str) -> bool:
            return asked == text or (len(asked) > QUESTION_COMPARED // 3 and asked in text)

        lead = tuple("a question" if says_it(text) else text for text in words.lead)
        return replace(words, lead=lead, beside=tuple(text for text in words.beside if not says_it(text)))

    def _ending(self, status: str, palette: Palette) -> Iterator[Run]:
        """What came of it: a status that is not done, counts, an exit code, a duration."""
        parts: list[list[Run]] = []
        exits = list(self._exits(palette)) if status not in STOPPED else []
        if status != "completed" and not (status == "failed" and exits):
            word = STATUS_WORDS.get(status, sanitise_line(status, 20))
            sign = f"{STATUS_SIGNS[status]} " if self.subject.lead == "command" and status in STATUS_SIGNS else ""
            parts.append([(f"{sign}{word}", _ink(status, palette))])
        if self._diffs and status not in ("failed", *STOPPED):
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
        for terminal in terminals_of(self._entry, self._session.terminals):
            if terminal.exit_status is not None:
                good, words = exit_words(terminal.exit_status)
                sign, status = _EXITS[good]
                yield sign + words, _ink(status, palette)
                if terminal.finished_at is not None:
                    yield seconds(max(0.0, terminal.finished_at - terminal.started_at)), palette.muted
                return

    def _results(self, palette: Palette) -> Iterator[Run]:
        entry = self._entry
        if entry.status == "completed" and (entry.kind in CHANGING or self._diffs):
            return
        if entry.status == "completed" and (lines := _text_lines(entry)):
            yield f"{lines:,} line{'' if lines == 1 else 's'}", palette.muted
        if entry.stopped != "rejected" and (duration := duration_of(entry)):
            yield duration, palette.muted


class SubjectLines:
    """Below an unfolded heading: what it is about as a whole, where the heading has no room for that."""

    def __init__(self, heading: ToolHeading) -> None:
        self._heading = heading

    @property
    def version(self) -> int:
        return self._heading.version

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        subject = self._heading.subject
        texts = (*subject.commands, *subject.patterns, *subject.addresses)
        return 1 + len(subject.places) + sum(text.count("\n") + 1 for text in texts)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        told = (part for text in self._heading.untold(width, palette) for part in sanitise(text).split("\n"))
        lines = (Line([(expand_tabs(text), palette.muted)]) for text in told)
        return rows_of(lines, edge(width), margin=[(" " * LEFT, palette.text)])


def _beside(words: SubjectWords, room: int) -> Iterator[str]:
    """What stands beside the subject, in so many cells."""
    for text in words.beside:
        shown = cut(text, room - 2)
        if shown != text and room - 2 < LEAST_BESIDE:
            yield from ["…"] if room >= len("  …") else []
            return
        yield shown
        room -= cell_len(shown) + 2


def _text_lines(entry: ToolCallEntry) -> int:
    blocks = (item.content for item in entry.content if isinstance(item, ContentItem))
    texts = (spoken(block.text, entry.kind) for block in blocks if isinstance(block, TextContent))
    bodies = (unfenced(text.replace("\r\n", "\n").strip("\n"))[0] for text in texts)
    return sum(without_last_number(body).strip("\n").count("\n") + 1 for body in bodies if body.strip())


def _ink(status: str, palette: Palette) -> Style:
    """The sign's colour, which says no more than the sign."""
    style: Style = getattr(palette, _INKS.get(status, "muted"))
    return style
