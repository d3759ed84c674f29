"""The one row that stands for a tool call: sign, verb, subject, and at the right what came of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from rich.cells import cell_len
from rich.style import Style

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import ContentItem
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.folds.tool_calls import is_own
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted
from acp_tui.session.tools.patches import change_verb, diffs_of, is_written_here
from acp_tui.session.tools.subject import ToolSubject, What, subject_of, terminals_of, told_parts
from acp_tui.session.tools.title import CREATE, TODO, verb_of
from acp_tui.ui.entries.base_units import (
    COMMAND_SIGN,
    STATUSES,
    STOPPED,
    VERB_WIDTH,
    WAITING,
    FixedUnit,
    line,
    sign_of,
    status_of,
)
from acp_tui.ui.entries.diff_units import LazyDiffs, count_runs
from acp_tui.ui.entries.repeated_data import spoken
from acp_tui.ui.entries.tool_output import body_of
from acp_tui.ui.render.diff_files import UNTOLD
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, cut_left, sanitise, sanitise_line
from acp_tui.ui.render.wrap import FOLDS, LEFT, Line, Row, Run, edge, expand_tabs, margin, one_line, rows_of
from acp_tui.views.formatting import SHORTEST_TOLD, exit_words, seconds

LEADS = 4  # commands that may stand in one row
LEAST_BESIDE = 12  # cells from which on something is told beside the subject
MOST_LISTED = 400  # of each sort that are listed below an unfolded heading
CHANGING = ("edit", "delete", "move")  # done at once, but for the waiting; their text only tells of success
QUESTION_COMPARED = 40  # cells of a question by which it is known again in what a call says of itself
LEAST_ASKED = 13  # cells; a shorter one is known only where a call says nothing else
_EXITS = {True: ("✓ ", "success"), False: ("✗ ", "error"), None: ("", "muted")}
TELLING_NOTES = ("new file", "deleted")


def heading_verb(entry: ToolCallEntry, session: Session, subject: ToolSubject) -> str:
    """The verb before the subject; empty for commands, which say themselves what is done."""
    if is_own(session, entry):
        return "You ran"
    if subject.kind == "edit":
        return change_verb(subject.kind, diffs_of(entry), entry.title)
    return "" if subject.lead == "command" else verb_of(subject.kind)


class ToolHeading(FixedUnit):
    """The heading's unit. It is told when to look again, since a terminal's news do not bump the entry's version."""

    def __init__(self, entry: ToolCallEntry, session: Session) -> None:
        self._entry, self._session = entry, session
        self._diffs = LazyDiffs(())

    def look(self, diffs: LazyDiffs) -> None:
        self._diffs = diffs
        self.version += 1
        self.__dict__.pop("subject", None)

    @cached_property
    def subject(self) -> ToolSubject:
        return subject_of(self._entry, self._session)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """The row; what it is about is cut where it does not fit, the ending never."""
        status = status_of(self._entry, self._session)
        ink = palette.success if status == "completed" else _ink(status, palette)
        ending = list(self._ending(palette))
        verb, subject, beside = self._fitted(width, ending)
        runs: list[Run] = [
            (f" {sign_of(self.subject, status)} ", ink + FOLDS),
            (verb, palette.muted + FOLDS),
            (subject, palette.text + FOLDS),
            *((f"  {text}", palette.muted + FOLDS) for text in beside),
        ]
        if ending:
            used = sum(cell_len(text) for text, _ in (*runs, *ending))
            runs += [(" " * max(2, edge(width) - used), palette.text + FOLDS), *ending]
        return [one_line([run for run in runs if run[0]])]

    def untold(self, width: int, palette: Palette) -> Iterator[str]:
        """What the row has no room for: commands that are cut, have several lines or a shell around them, and so on."""
        subject, cwd = self.subject, self._session.cwd
        _, lead, beside = self._fitted(width, list(self._ending(palette)))
        row = (*lead.split(f"  {COMMAND_SIGN} "), *beside)
        shown = {text.removeprefix("in ").removeprefix(f"{COMMAND_SIGN} ") for text in row}
        for what, texts in told_parts(subject, cwd):
            sign, whole = (f"{COMMAND_SIGN} ", subject.commands) if what == "command" else ("", texts)
            if len(texts) > 1 or not shown.issuperset(whole):
                yield from (f"{sign}{text}" for text in whole[:MOST_LISTED])
                yield from [f"… {len(whole) - MOST_LISTED:,} more"] if len(whole) > MOST_LISTED else []
        if subject.commands and subject.folder and subject.folder.rstrip("/") != cwd.rstrip("/"):
            yield f"in {subject.folder.rstrip('/')}"
        if subject.description and line(subject.description, cwd) not in beside:
            yield subject.description

    def _fitted(self, width: int, ending: Sequence[Run]) -> tuple[str, str, list[str]]:
        commands = self.subject.lead == "command"
        verb = heading_verb(self._entry, self._session, self.subject)
        verb = f"{verb:<{VERB_WIDTH}} " if verb else ""
        taken = sum(cell_len(text) for text, _ in ending)
        room = max(8, edge(width) - LEFT - len(verb) - (taken + 2 if taken else 0))
        lead, total, beside = self._words()
        subject = f"  {COMMAND_SIGN} ".join(lead)
        if not commands or total > len(lead) or cell_len(subject) > room:
            more = _more(total - 1)
            shorten = cut_left if self.subject.lead == "place" else cut
            subject = shorten(lead[0], max(1, room - len(more))) + more
        return verb, subject, list(_beside(beside, room - cell_len(subject)))

    def _words(self) -> tuple[list[str], int, list[str]]:
        """What stands for the call, how many there are of it, and what stands beside, each sort by its first.

        A question that the call asks stands where it is answered, so not here too.
        """
        subject, cwd = self.subject, self._session.cwd
        (what, texts), *others = told_parts(subject, cwd) or [("text", [""])]
        lead = [line(text, cwd if what == "text" else "") for text in texts[:LEADS]]
        beside = [_first_of(sort, found, subject) for sort, found in others]
        beside += [line(subject.description, cwd)] if subject.description else []
        question = self._session.index.questions.get(self._entry.id)
        if question is not None:
            asked = sanitise_line(question.request.message, QUESTION_COMPARED).rstrip("…")
            told = {asked, *(text for text in (*lead, *beside) if len(asked) > LEAST_ASKED and asked in text)}
            lead = ["question" if text in told else text for text in lead]
            beside = [text for text in beside if text not in told]
        return lead, len(texts), beside

    def _ending(self, palette: Palette) -> Iterator[Run]:
        status = status_of(self._entry, self._session)
        parts: list[list[Run]] = []
        exits = list(self._exits(palette)) if status not in STOPPED else []
        if status != "completed" and not (status == "failed" and exits):
            standing = self._standing(status)
            parts += [[(standing, _ink(status, palette))]] if standing else []
        if self._diffs and status not in ("failed", *STOPPED):
            parts += self._changes(palette)
        parts += [[(text, style)] for text, style in exits or self._results(palette)]
        for index, part in enumerate(parts):
            yield from [(" · ", palette.faint), *part] if index else part

    def _standing(self, status: str) -> str:
        """Sign and word; nothing of a call that is asked about: its sign is the row's, and the question has words.

        Of an edit that was stopped, whether its file was written.
        """
        if status == WAITING:
            return ""
        sign = STATUSES[status][0] if self.subject.lead == "command" and status in STATUSES else ""
        word = "running" if status == "in_progress" else sanitise_line(status, 20)
        if status in STOPPED and self._diffs and not (self._entry.written or self._entry.applied):
            word += " · not written"
        return " ".join(filter(None, (sign, word)))

    def _changes(self, palette: Palette) -> Iterator[list[Run]]:
        added, removed = self._diffs.counts()
        files, paths = self._diffs.files, {file.path for file in self._diffs.files} - {""}
        if added or removed:
            yield count_runs(added, removed, palette)
        if len(paths) > 1:
            yield [(f"{len(paths):,} files", palette.muted)]
        else:
            known = (UNTOLD, *["new file"] * (heading_verb(self._entry, self._session, self.subject) == CREATE))
            notes = dict.fromkeys(note for file in files for note in file.notes if note not in known)
            yield from ([(note, palette.muted)] for note in notes if note in TELLING_NOTES or not (added or removed))
        if is_written_here(self._entry):
            cut = any(diff.changes is not None for diff in self._entry.written)
            yield [("written to disk, diff incomplete" if cut else "written to disk", palette.muted)]

    def _exits(self, palette: Palette) -> Iterator[Run]:
        for terminal in terminals_of(self._entry, self._session.terminals):
            if terminal.exit_status is not None:
                good, words = exit_words(terminal.exit_status)
                sign, ink = _EXITS[good]
                yield sign + words, getattr(palette, ink)
                if terminal.finished_at is not None:
                    yield seconds(max(0.0, terminal.finished_at - terminal.started_at)), palette.muted
                return

    def _results(self, palette: Palette) -> Iterator[Run]:
        entry = self._entry
        took = 0.0 if entry.finished_at is None else entry.finished_at - entry.started_at
        if entry.status == "completed":
            if entry.kind in CHANGING or self._diffs or self.subject.kind == TODO:
                return
            if lines := text_lines(entry):
                yield counted(lines, "line"), palette.muted
        if entry.stopped != "rejected" and took >= SHORTEST_TOLD:
            yield seconds(took), palette.muted


class QuietLines:
    """Lines below a heading that are asked for when they are drawn."""

    def __init__(self, lines: Callable[[int, Palette], Iterable[str]], version: Callable[[], int]) -> None:
        self._lines, self._version = lines, version

    @property
    def version(self) -> int:
        return self._version()

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return 1

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        texts = (part for text in self._lines(width, palette) for part in sanitise(text).split("\n"))
        lines = (Line([(expand_tabs(text), palette.muted)]) for text in texts)
        return rows_of(lines, edge(width), margin=margin())


def _first_of(what: What, texts: Sequence[str], subject: ToolSubject) -> str:
    looks = what == "place" and subject.lead == "pattern" and not any(at.line for at in subject.places)
    sign = f"{COMMAND_SIGN} " if what == "command" else "in " if looks else ""
    return line(f"{sign}{texts[0]}") + _more(len(texts) - 1)


def _more(count: int) -> str:
    """How many more there are than the one shown. Without the noun it would read as added lines or an argument."""
    return f" +{count:,} more" if count > 0 else ""


def _beside(texts: Sequence[str], room: int) -> Iterator[str]:
    for text in texts:
        shown = cut(text, room - 2)
        if shown != text and room - 2 < LEAST_BESIDE:
            yield from ["…"] if room >= len("  …") else []
            return
        yield shown
        room -= cell_len(shown) + 2


def text_lines(entry: ToolCallEntry) -> int:
    blocks = (item.content for item in entry.content if isinstance(item, ContentItem))
    texts = (spoken(block.text, entry.kind) for block in blocks if isinstance(block, TextContent))
    bodies = (body_of(text.replace("\r\n", "\n"))[0].strip("\n") for text in texts)
    return sum(body.count("\n") + 1 for body in bodies if body.strip())


def _ink(status: str, palette: Palette) -> Style:
    style: Style = getattr(palette, STATUSES.get(status, ("", "muted"))[1])
    return style
