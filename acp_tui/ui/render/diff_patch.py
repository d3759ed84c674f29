"""A git patch to file diffs; must not know where the patch came from.

Hunks are read by the counts in their heads, so that a line of the file that looks like a head is none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from acp_tui.ui.render.diff import DiffLine, FileDiff, Hunk, Sign

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_SIGNS: dict[str, Sign] = {"+": "+", "-": "-", " ": " ", "": " "}


@dataclass(slots=True)
class _File:
    """A file's part of the patch while it is being read."""

    old_path: str = ""
    path: str = ""
    notes: list[str] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)
    unread: int = 0
    end: int = 1

    def done(self) -> FileDiff:
        if self.unread:
            self.notes.append(f"{self.unread} lines of the patch could not be read")
        signs = [line.sign for hunk in self.hunks for line in hunk.lines]
        path = self.path or self.old_path
        return FileDiff(path, tuple(self.hunks), tuple(self.notes), signs.count("+"), signs.count("-"))


def read_patch(text: str) -> list[FileDiff]:
    """The files of a patch in git's format, with or without its `diff --git` lines."""
    return [file.done() for file in _files(text.split("\n"))]


def _files(lines: list[str]) -> Iterator[_File]:
    file: _File | None = None
    index = 0
    while index < len(lines):
        line = lines[index].removesuffix("\r")
        if line.startswith("diff --git ") or (line.startswith("--- ") and (file is None or file.hunks)):
            if file is not None:
                yield file
            file = _File()
        if file is not None and (head := _HUNK.match(line)):
            index = _read_hunk(file, head, lines, index + 1)
            continue
        if file is not None:
            _read_head(file, line)
        index += 1
    if file is not None:
        yield file


def _read_head(file: _File, line: str) -> None:
    """A line between hunks."""
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
    """A path of a head: without its `a/` or `b/`, quotes and time."""
    path = text.split("\t", maxsplit=1)[0].strip('"')
    return path[2:] if path[:2] in ("a/", "b/") else path


def _read_hunk(file: _File, head: re.Match[str], lines: list[str], index: int) -> int:
    """Read the lines that the head counts; the index after them."""
    old, new = int(head[1]), int(head[3])
    old_left, new_left = int(head[2] or 1), int(head[4] or 1)
    skipped = max(0, old - file.end) if old else 0
    found: list[DiffLine] = []
    while index < len(lines) and (old_left > 0 or new_left > 0 or lines[index].startswith("\\")):
        line = lines[index]
        if line.startswith("\\"):
            if found:
                last = found[-1]
                found[-1] = DiffLine(last.sign, last.old, last.new, last.text, "⏎ no newline")
            index += 1
            continue
        sign = _SIGNS.get(line[:1])
        if sign is None:
            break
        text, ending = (line[1:-1], "␍") if line.endswith("\r") else (line[1:], "")
        found.append(DiffLine(sign, None if sign == "+" else old, None if sign == "-" else new, text, ending))
        old, old_left = (old, old_left) if sign == "+" else (old + 1, old_left - 1)
        new, new_left = (new, new_left) if sign == "-" else (new + 1, new_left - 1)
        index += 1
    if old_left > 0 or new_left > 0:
        file.notes.append("the patch ends early")
    file.end = old
    file.hunks.append(Hunk(tuple(found), skipped, head[5]))
    return index
