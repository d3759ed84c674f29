"""Files that were written for the agent: added up by path, the last one last, and shown by the tool calls that did it.

A write does not say which tool call it belongs to, and an agent may tell no diff of it. Then the call that is open
and names the file shows what was written; diffs of the agent's own, before or after, take its place. Where there is no
such call the write has a row of its own, which goes when a call of the same turn turns out to have been it.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from acp_tui.protocol.vocabulary.tool_calls import FINISHED_STATUSES, Diff, FileChange, ToolCallLocation
from acp_tui.session.changes import FileChanged
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import EditFound, FileWritten
from acp_tui.session.folds import timeline
from acp_tui.session.state import Session
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
    """Whether a call names a file in its locations, its input or its title."""
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
