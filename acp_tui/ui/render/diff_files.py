"""The diff of a tool call, in any of the protocol's shapes, to file diffs."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from acp_tui.protocol.vocabulary.tool_calls import Diff, FileChange, ToolCallLocation
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.facts import FileWritten
from acp_tui.session.text.line_diff import Sign
from acp_tui.session.tools.patches import ChangedFile, diffs_of, is_written_here
from acp_tui.ui.render.diff import DiffLine, FileDiff, Hunk, compare

Told = Callable[[str], str]  # how a path is told
OPERATIONS = {"add": "new", "delete": "deleted", "modify": "changed"}
UNTOLD = "content not provided"
MOVES = {"move": "moved", "copy": "copied"}


def file_diffs(diff: Diff, told: Told = str, start: int = 1) -> list[FileDiff]:
    """Every file that the diff names, in its order; the texts of the older form begin in line `start`."""
    if diff.changes is None and diff.patch is None:
        return [compare(told(diff.path or ""), diff.old_text, diff.new_text or "", start, excerpts=True)]
    if diff.patch is None:
        return [_untold(change, told) for change in diff.changes or []]
    if diff.patch.format != "git_patch":
        unread = _unread(diff.patch.text, f"unknown patch format: {diff.patch.format}")
        return [*(_untold(change, told) for change in diff.changes or []), unread]
    files = read_patch(diff.patch.text)
    if not files and diff.patch.text.strip():
        files = [_unread(diff.patch.text, "unreadable patch")]
    return _joined(diff.changes or [], files, told)


def first_lines(diffs: Sequence[Diff], locations: Sequence[ToolCallLocation]) -> list[int]:
    """The line of its file in which each diff begins: 1, but where a location tells that it is no whole file."""
    told: dict[str, list[int]] = {}
    for location in locations:
        if location.line:
            told.setdefault(location.path, []).append(location.line)
    counts = Counter(diff.path for diff in diffs)
    lines = {path: iter(found) for path, found in told.items() if len(found) == counts[path] or counts[path] == 1}
    return [_first_line(diff, next(lines.get(diff.path or "", iter(())), 1)) for diff in diffs]


def _first_line(diff: Diff, line: int) -> int:
    """`line` if the old text has too few lines to be a whole file that changes there."""
    old = diff.old_text or ""
    count = old.count("\n") + (not old.endswith("\n"))
    appended = line == count + 1 and (diff.new_text or "").startswith(old)
    return line if old and line > count and not appended else 1


def _unread(text: str, note: str) -> FileDiff:
    return FileDiff("", (Hunk(tuple(DiffLine(" ", None, None, line) for line in text.split("\n"))),), (note,))


def line_count(diff: Diff) -> int:
    """About how many lines the diff shows, without comparing anything."""
    if diff.patch is not None:
        return diff.patch.text.count("\n") + 1
    if diff.changes is not None:
        return len(diff.changes)
    old, new = (diff.old_text or "").count("\n"), (diff.new_text or "").count("\n")
    return new + 1 if not diff.old_text else abs(new - old) + 8


def _joined(changes: list[FileChange], files: list[FileDiff], told: Told) -> list[FileDiff]:
    left = list(files)
    joined: list[FileDiff] = []
    for change in changes:
        own = next((file for file in left if _same(change, file.path)), None)
        if own is None:
            joined.append(_untold(change, told))
            continue
        left.remove(own)
        joined.append(replace(own, path=told(change.path), notes=_notes(change, own, told)))
    return joined + [replace(file, path=told(file.path)) for file in left]


def _same(change: FileChange, path: str) -> bool:
    wanted, given = change.path.lstrip("/"), path.lstrip("/")
    return bool(given) and (wanted == given or wanted.endswith("/" + given))


def _untold(change: FileChange, told: Told) -> FileDiff:
    """A change of which only the fact is known; of a text that leaves out the most."""
    missing = change.operation in OPERATIONS and change.file_type in (None, "text")
    notes = (_what(change, told), *_kind(change), *([UNTOLD] if missing else []))
    return FileDiff(told(change.path), notes=notes)


def _notes(change: FileChange, file: FileDiff, told: Told) -> tuple[str, ...]:
    patch_says = [note for note in file.notes if not note.startswith(("moved from ", "copied from "))]
    said = [*([] if change.operation == "modify" else [_what(change, told)]), *_kind(change)]
    if change.file_type in ("directory", "symlink"):
        patch_says = [note for note in patch_says if note not in ("new file", "deleted")]
    return tuple(dict.fromkeys([*said, *patch_says]))


def _what(change: FileChange, told: Told) -> str:
    if change.operation in MOVES:
        return f"{MOVES[change.operation]} from {told(change.old_path) if change.old_path else '?'}"
    word = OPERATIONS.get(change.operation, change.operation)
    noun = change.file_type if change.file_type in ("directory", "symlink") else "file" if word == "new" else ""
    return f"{word} {noun}".rstrip() if change.operation in OPERATIONS else word


def _kind(change: FileChange) -> list[str]:
    named = change.operation in OPERATIONS and change.file_type in ("directory", "symlink")
    return [] if named or change.file_type in (None, "text") else [str(change.file_type)]


_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_SIGNS: dict[str, Sign] = {"+": "+", "-": "-", " ": " ", "": " "}


@dataclass(slots=True)
class _File:
    old_path: str = ""
    path: str = ""
    notes: list[str] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)
    unread: int = 0
    end: int = 1

    def done(self) -> FileDiff:
        if self.unread:
            self.notes.append(f"{self.unread:,} unreadable patch line{'s' * (self.unread != 1)}")
        signs = [line.sign for hunk in self.hunks for line in hunk.lines]
        path = self.path or self.old_path
        return FileDiff(path, tuple(self.hunks), tuple(self.notes), signs.count("+"), signs.count("-"))


def read_patch(text: str) -> list[FileDiff]:
    """The files of a patch in git's format, with or without its `diff --git` lines.

    Hunks are read by the counts in their heads, so that a line of the file that looks like a head is none. One that has
    lines and begins in line 0 is somewhere: nobody says where.
    """
    lines = text.split("\n")
    files: list[_File] = []
    index = 0
    while index < len(lines):
        line = lines[index].removesuffix("\r")
        if line.startswith("diff --git ") or (line.startswith("--- ") and (not files or files[-1].hunks)):
            files.append(_File())
        if files and (head := _HUNK.match(line)):
            index = _read_hunk(files[-1], head, lines, index + 1)
            continue
        if files:
            _read_head(files[-1], line)
        index += 1
    return [file.done() for file in files]


def _read_head(file: _File, line: str) -> None:
    word, _, rest = line.partition(" ")
    if word == "diff":
        halves = rest.removeprefix("--git ").split(" b/", 1)
        file.old_path, file.path = _path(halves[0]), halves[-1].strip('"')
    elif word == "---" and rest:
        file.old_path = _path(rest)
        file.notes += ["new file"] if rest.startswith("/dev/null") and "new file" not in file.notes else []
    elif word == "+++" and rest:
        deleted = rest.startswith("/dev/null")
        file.path = file.old_path if deleted else _path(rest)
        file.notes += ["deleted"] if deleted and "deleted" not in file.notes else []
    elif line.startswith(("new file mode", "deleted file mode")):
        file.notes.append("new file" if word == "new" else "deleted")
    elif line.startswith(("rename from ", "copy from ")):
        file.notes.append(f"{'moved' if word == 'rename' else 'copied'} from {line.split(' from ', 1)[1]}")
    elif line.startswith(("Binary files ", "GIT binary patch")):
        file.notes.append("binary")
    elif line.startswith(("old mode ", "new mode ")):
        file.notes.append(line)
    elif line and file.hunks:
        file.unread += 1


def _path(text: str) -> str:
    path = text.split("\t", maxsplit=1)[0].strip('"')
    return path[2:] if path[:2] in ("a/", "b/") else path


def _read_hunk(file: _File, head: re.Match[str], lines: list[str], index: int) -> int:
    old, new = int(head[1]), int(head[3])
    old_left, new_left = int(head[2] or 1), int(head[4] or 1)
    skipped = max(0, old - file.end) if old else 0
    placed, heading = (old or not old_left, new or not new_left), head[5]
    if file.hunks and not all(placed):
        heading = heading or "further down"
    found: list[DiffLine] = []
    while index < len(lines) and (old_left > 0 or new_left > 0 or lines[index].startswith("\\")):
        line = lines[index]
        if line.startswith("\\"):
            found[-1:] = [replace(last, ending="⏎ no newline") for last in found[-1:]]
            index += 1
            continue
        sign = _SIGNS.get(line[:1])
        if sign is None:
            break
        text, ending = (line[1:-1], "␍") if line.endswith("\r") else (line[1:], "")
        numbers = old if placed[0] and sign != "+" else None, new if placed[1] and sign != "-" else None
        found.append(DiffLine(sign, *numbers, text, ending))
        old, old_left = (old, old_left) if sign == "+" else (old + 1, old_left - 1)
        new, new_left = (new, new_left) if sign == "-" else (new + 1, new_left - 1)
        index += 1
    if old_left > 0 or new_left > 0:
        file.notes.append("incomplete patch")
    file.end = old
    file.hunks.append(Hunk(tuple(found), skipped, heading))
    return index


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
