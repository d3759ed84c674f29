"""Which files the agent changed and how much."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter

from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.facts import FileWritten
from acp_tui.session.tools.diffs import diffs_of, is_written_here
from acp_tui.ui.render.diff_files import file_diffs


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file; lines added and removed by all changes to it together. `note`: new file, deleted, …"""

    path: str
    added: int
    removed: int
    note: str = ""


class ChangedFiles:
    """Adds up the diffs of finished tool calls. Each version of a call is compared once, when there is time."""

    def __init__(self) -> None:
        self._calls: dict[int, tuple[ToolCallEntry, int, list[ChangedFile]]] = {}
        self._waiting: dict[int, ToolCallEntry] = {}

    def look(self, entries: Iterable[Entry]) -> None:
        self._waiting.update((id(entry), entry) for entry in entries if isinstance(entry, ToolCallEntry))

    def count(self, seconds: float) -> bool:
        """Compare what was noted, for about that long; whether something is left to do."""
        stop = perf_counter() + seconds
        while self._waiting and perf_counter() < stop:
            entry = self._waiting.pop(next(iter(self._waiting)))
            held = self._calls.get(id(entry))
            if held is None or held[1] != entry.version:
                self._calls.pop(id(entry), None)  # what changed last stands last
                self._calls[id(entry)] = entry, entry.version, list(_changes(entry))
        return bool(self._waiting)

    def files(self, writes: Mapping[str, FileWritten]) -> list[ChangedFile]:
        """Every file once, the one that was changed last at the end; of `writes` only those that no diff tells of."""
        found: dict[str, ChangedFile] = {}
        for _, _, changes in self._calls.values():
            for change in changes:
                before = found.pop(change.path, None)
                found[change.path] = change if before is None else _together(before, change)
        untold = [
            ChangedFile(write.path, write.added, write.removed, "new file" if write.created else "")
            for write in writes.values()
            if write.path not in found
        ]
        return [*untold, *found.values()]


def _together(before: ChangedFile, after: ChangedFile) -> ChangedFile:
    note = before.note if before.note == "new file" else after.note
    return ChangedFile(after.path, before.added + after.added, before.removed + after.removed, note)


def _changes(entry: ToolCallEntry) -> Iterable[ChangedFile]:
    if entry.status != "completed":
        return
    for diff in diffs_of(entry):
        if diff.changes is not None and is_written_here(entry):
            continue  # how many lines it has is known of the write alone
        for file in file_diffs(diff):
            if file.path:
                yield ChangedFile(file.path, file.added, file.removed, file.notes[0] if file.notes else "")
