"""The diff of a tool call, in any of the protocol's shapes, to file diffs; must not know how they are shown."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from acp_tui.protocol.tool_calls import Diff, FileChange, ToolCallLocation
from acp_tui.ui.render.diff import DiffLine, FileDiff, Hunk, compare, shifted
from acp_tui.ui.render.diff_patch import read_patch

Told = Callable[[str], str]
"""How a path is told."""
OPERATIONS = {"add": "new", "delete": "deleted", "modify": "changed"}
UNTOLD = "content not given"
MOVES = {"move": "moved", "copy": "copied"}


def file_diffs(diff: Diff, told: Told = str, start: int = 1) -> list[FileDiff]:
    """Every file that the diff names, in its order; the texts of the older form begin in line `start`."""
    if diff.changes is None and diff.patch is None:
        return [shifted(compare(told(diff.path or ""), diff.old_text, diff.new_text or ""), start - 1)]
    if diff.patch is None:
        return [_untold(change, told) for change in diff.changes or []]
    if diff.patch.format != "git_patch":
        unread = _unread(diff.patch.text, f"a patch in the unknown format {diff.patch.format}")
        return [*(_untold(change, told) for change in diff.changes or []), unread]
    files = read_patch(diff.patch.text)
    if not files and diff.patch.text.strip():
        files = [_unread(diff.patch.text, "the patch could not be read")]
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
    """A patch as it came."""
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
    """The changes in their order, each with its part of the patch; then what only the patch names."""
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
    """What the change and its part of the patch say, each thing once."""
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
    """What the file is, where that is worth telling and not told yet."""
    named = change.operation in OPERATIONS and change.file_type in ("directory", "symlink")
    return [] if named or change.file_type in (None, "text") else [str(change.file_type)]
