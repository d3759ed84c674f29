"""Files written for the agent, and the rows at the ends of turns: how each ended and what changed in the work tree.

Writes are added up by path, the last one last. A write does not say which tool call it belongs to, and an agent may
tell no diff of it. Then the call that is open and names the file shows what was written; diffs of the agent's own,
before or after, take its place. Where there is no such call the write has a row of its own, which goes when a call of
the same turn turns out to have been it.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import ClassVar

from acp_tui.protocol.vocabulary.tool_calls import FINISHED_STATUSES, Diff, FileChange, ToolCallLocation
from acp_tui.safe_text import named, one_line
from acp_tui.session.changes import FileChanged
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.facts import EditFound, FilesChanged, FilesTakenBack, FileWritten
from acp_tui.session.folds import session_info, timeline
from acp_tui.session.state import Session
from acp_tui.session.text import markdown
from acp_tui.session.text.phrases import counted, duration, path_end, plus_minus
from acp_tui.session.tools.patches import told_diffs

NAME = "fs/write_text_file"  # of a row that stands for a write and for no call of the agent
WRITING = ("edit", "other", "move")  # kinds of calls that may have written a file that they name
LONE_TEXT_CAP = 16 * 1024 * 1024  # characters that such rows of a session hold; later ones only say that it was
LONGEST_PATH = 4_096  # characters; longer input names no file


def fold_written(session: Session, fact: FileWritten) -> None:
    """Add it to what was written to the file before, and show it where it belongs."""
    add(session, fact)
    if fact.diff is None:
        return
    if (entry := writer_of(session, fact.path)) is not None:
        entry.written = _joined(entry.written, fact.path, fact.diff)
        timeline.changed(session, entry)
    elif not any(fact.path in _paths_of(diff) for call in _calls_of_turn(session) for diff in told_diffs(call)):
        _show_alone(session, fact, fact.diff)


def add(session: Session, fact: FileWritten) -> None:
    """Add it to what was written to the file before, by this session or its children."""
    writes = session.index.writes
    before = writes.pop(fact.path, None)
    added, removed = (0, 0) if before is None else (before.added, before.removed)
    created = fact.created if before is None else before.created
    writes[fact.path] = replace(
        fact, added=added + fact.added, removed=removed + fact.removed, created=created, diff=None
    )
    session.publish(FileChanged(fact.path))


def take_over(session: Session, entry: ToolCallEntry) -> None:
    """Give a call that the agent just sent the rows of writes that are its: those of files that it names."""
    rows = session.index.lone_writes
    for path, row in list(rows.items()):
        told = any(path in _paths_of(diff) for diff in told_diffs(entry))
        if told or (entry.kind in WRITING and not told_diffs(entry) and _names(session.cwd, entry, path)):
            if not told:
                for diff in row.written:
                    entry.written = _joined(entry.written, path, diff)
            del rows[path]
            timeline.remove(session, row)


def _calls_of_turn(session: Session) -> Iterator[ToolCallEntry]:
    for entry in reversed(session.entries):
        if entry.started_at < session.turn.started_at:
            return
        if isinstance(entry, ToolCallEntry):
            yield entry


def _show_alone(session: Session, fact: FileWritten, diff: Diff) -> None:
    """Show a write that no call names; writes to one file right after each other are one row."""
    index = session.index
    index.lone_text += len(diff.old_text or "") + len(diff.new_text or "")
    if index.lone_text > LONE_TEXT_CAP:
        diff = Diff(changes=[FileChange(operation="add" if fact.created else "modify", path=fact.path)])
    row = index.lone_writes.get(fact.path)
    if row is not None and session.entries[-1] is row:
        row.written = _joined(row.written, fact.path, diff)
        timeline.changed(session, row)
        return
    index.asides += 1
    row = ToolCallEntry(f"written-{index.asides}", fact.path, NAME, "edit", "completed", sealed=True)
    found = not fact.created and (fact.added or fact.removed)
    row.locations = [ToolCallLocation(path=fact.path, line=fact.line if found else None)]
    row.written = [diff]
    row.started_at = row.finished_at = session.clock()
    index.lone_writes[fact.path] = row
    timeline.begin(session, row)


def fold_found(session: Session, fact: EditFound) -> None:
    """Mark a call whose edit is in its files."""
    entry = session.index.tool_calls.get(fact.tool_call_id)
    if entry is not None and not entry.applied:
        entry.applied = True
        timeline.changed(session, entry)


def unfinished_edits(session: Session) -> list[ToolCallEntry]:
    """The calls of the last turn with diffs of which the agent has not said how they ended, the last one first."""
    calls = (call for call in _calls_of_turn(session) if call.sealed and call.status not in FINISHED_STATUSES)
    return [call for call in calls if told_diffs(call)]


def writer_of(session: Session, path: str) -> ToolCallEntry | None:
    """The tool call that shows a write, since its agent tells no diff of it; one that runs if there is any."""
    waiting = {pending.tool_call_id for pending in session.permissions}
    found = [
        entry
        for entry in session.index.open_tool_calls.values()
        if entry.id not in waiting and not told_diffs(entry) and _names(session.cwd, entry, path)
    ]
    return min(found, key=lambda entry: entry.status != "in_progress", default=None)


def _names(cwd: str, entry: ToolCallEntry, path: str) -> bool:
    wanted = os.path.normpath(path)
    return any(os.path.normpath(os.path.join(cwd, name)) == wanted for name in _paths(entry))  # noqa: PTH118 (text)


def _paths(entry: ToolCallEntry) -> Iterator[str]:
    yield from (location.path for location in entry.locations)
    if isinstance(entry.raw_input, dict):
        yield from (value for value in entry.raw_input.values() if isinstance(value, str) and len(value) < LONGEST_PATH)
    yield from (word.strip("`'\"") for word in entry.title[:LONGEST_PATH].split() if "/" in word)


def _joined(before: Sequence[Diff], path: str, diff: Diff) -> list[Diff]:
    """What was written to each file in all: the first text before and the last one after, where both are known."""
    first = next((item for item in before if path in _paths_of(item)), None)
    if first is None:
        return [*before, diff]
    return [*(item for item in before if item is not first), _in_all(path, first, diff)]


def _in_all(path: str, first: Diff, last: Diff) -> Diff:
    if first.changes is not None:
        return first
    if last.changes is not None:
        return Diff(changes=[FileChange(operation="add" if first.old_text is None else "modify", path=path)])
    return Diff(path=path, old_text=first.old_text, new_text=last.new_text)


def _paths_of(diff: Diff) -> list[str | None]:
    return [diff.path, *(change.path for change in diff.changes or ())]


NAMES = 3
"""Paths of changed files that are named in a line; the rest is counted."""
CHOSEN = 40
"""Characters of the name of a model or a mode."""
LONGEST_NAME = 60
"""Characters of such a path; of a longer one the end is shown."""
_ENDS = {
    "cancelled": "Cancelled",
    "refusal": "Refused",
    "max_tokens": "Token limit reached",
    "max_turn_requests": "Request limit reached",
    "error": "Failed",
}


@dataclass(slots=True)
class TurnEntry(Entry):
    """How a turn ended, and the files of the work tree that changed in it, whoever changed them.

    `turn` is the number of its prompt, from 1; 0 where nobody looks at files. `added` and `removed` count lines,
    `names` has the first few paths, relative, `unknown` counts files that no tool call names, `gaps` says what is not
    kept. `apart`: the row does not stand at the end of its turn, which was not seen here. `stop_reason` is the agent's
    word, or `error`; `seconds` is how long the turn took, None where that is not known, `model` and `mode` are the
    names of what was chosen at its end, empty where the agent has none.
    """

    aside: ClassVar[bool] = True
    turn: int
    files: int = 0
    added: int = 0
    removed: int = 0
    names: Sequence[str] = ()
    unknown: int = 0
    gaps: Sequence[str] = ()
    apart: bool = False
    stop_reason: str | None = None
    seconds: float | None = None
    model: str = ""
    mode: str = ""
    sealed: bool = field(default=True, kw_only=True)

    @property
    def ended(self) -> str:
        """How a turn ended that did not come to its own end; empty if it did."""
        reason = self.stop_reason
        if reason in (None, "end_turn"):
            return ""
        return _ENDS.get(reason or "", f"Ended: {one_line(reason or '', CHOSEN)}")

    @property
    def changed(self) -> list[str]:
        """What it changed, in pieces: `4 files changed`, `+12 −3`, `1 probably yours`, `src/a.py, b.py +2 more`.

        Empty where nothing is to be said of files.
        """
        if not self.files and not self.gaps:
            return []
        turn = f" in turn {self.turn:,}" if self.apart else ""
        counts = plus_minus(self.added, self.removed)
        unknown = f"{self.unknown:,} probably yours" if self.unknown else ""
        said = f"{counted(self.files, 'file') if self.files else 'No files'} changed{turn}"
        return [piece for piece in (said, " ".join(counts), unknown, _named(self.names, self.files)) if piece]

    @property
    def facts(self) -> list[str]:
        """How long it took, and with which model and mode: `12 s`, `Opus 5.5`, `Plan`."""
        if self.seconds is None:
            return []
        took = duration(max(1, round(self.seconds)))
        return [took, *(one_line(name, CHOSEN) for name in (self.model, self.mode) if name.strip())]

    @property
    def pieces(self) -> list[str]:
        return [piece for piece in (self.ended, *self.changed, *self.facts) if piece]

    @property
    def carried(self) -> bool:
        return bool(self.ended)

    @property
    def opens(self) -> bool:
        return bool(self.files or self.gaps)

    def plain(self) -> str:
        return "\n".join(("  ".join(self.pieces), *self.gaps))

    def report(self) -> list[str]:
        """Of its end the exit code tells."""
        return [" · ".join((*self.changed, *self.gaps))] if self.changed else []


@dataclass(slots=True)
class TakenBackEntry(Entry):
    """The user took back `files` of what `words` names, or undid that (`undone`); so many were `left` alone."""

    aside: ClassVar[bool] = True
    words: str
    files: int = 0
    left: int = 0
    names: Sequence[str] = ()
    undone: bool = False
    sealed: bool = field(default=True, kw_only=True)

    @property
    def pieces(self) -> list[str]:
        """`Undone: "fix the parser"`, `3 files`, `1 skipped`."""
        said = "Redone" if self.undone else "Undone"
        about = f"{said}: {named(self.words)}" if self.words.strip() else said
        left = f"{self.left:,} skipped" if self.left else ""
        return [piece for piece in (about, counted(self.files, "file"), left, _named(self.names, self.files)) if piece]


def _named(names: Sequence[str], count: int) -> str:
    shown = [path_end(named(name), LONGEST_NAME) for name in names[:NAMES]]
    more = f" +{count - len(shown):,} more" if shown and count > len(shown) else ""
    return ", ".join(shown) + more


def markdown_turn(entry: TurnEntry, *_: object) -> Iterator[str]:
    head = f"**{markdown.one_line(' · '.join(entry.pieces))}**"
    yield markdown.quote("\n".join((head, *map(markdown.one_line, entry.gaps))))


def add_end(session: Session, *, prompted: bool) -> None:
    """Put a row at the end of a turn in which something was said, but not in what an agent tells again."""
    index, turn = session.index, session.turn
    number, index.turn_number = index.turn_number, 0
    prompted = prompted or any(not entry.aside for entry in session.entries[index.turn_began :])
    if session.parent is not None or index.options_before is not None or not prompted:
        return
    entry = TurnEntry(index.aside(), number, stop_reason=turn.stop_reason, started_at=session.clock())
    entry.seconds = (turn.ended_at or turn.started_at) - turn.started_at
    entry.model, entry.mode = (session_info.chosen_name(session, category) for category in ("model", "mode"))
    timeline.add(session, entry)


def fold_files_changed(session: Session, fact: FilesChanged) -> None:
    """Show at the end of a turn what it changed, or correct that; without such a row in one of its own."""
    own = islice(reversed(session.entries), len(session.entries) - session.index.branched_at)
    entry = next((entry for entry in own if isinstance(entry, TurnEntry) and entry.turn == fact.turn), None)
    if entry is not None and (fact.files or fact.gaps or not entry.apart):
        _tell(entry, fact)
        timeline.changed(session, entry)
    elif entry is not None:
        timeline.remove(session, entry)
    elif fact.files or fact.gaps:
        entry = TurnEntry(session.index.aside(), fact.turn, apart=True, started_at=session.clock())
        _tell(entry, fact)
        timeline.add(session, entry)


def _tell(entry: TurnEntry, fact: FilesChanged) -> None:
    entry.files, entry.added, entry.removed = fact.files, fact.added, fact.removed
    entry.names, entry.unknown, entry.gaps = fact.names, fact.unknown, fact.gaps


def fold_taken_back(session: Session, fact: FilesTakenBack) -> None:
    id_ = session.index.aside()
    entry = TakenBackEntry(id_, fact.words, fact.files, fact.left, fact.names, fact.undone, started_at=session.clock())
    timeline.add(session, entry)
