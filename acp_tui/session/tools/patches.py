"""Patches in what a tool is given: the files that they name, and the diffs that they are."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.tool_calls import (
    Diff,
    FileChange,
    Patch,
    ToolCallContent,
    ToolCallLocation,
    ToolCallUpdate,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.tools.input import (
    COMMANDS,
    OWN_FOLDERS,
    PATHS,
    WORDS,
    WRAPPERS,
    decoded,
    inner_command,
    plain_name,
    unquoted,
)
from acp_tui.session.tools.title import CREATE, verb_of

NOWHERE = "/dev/null"
_SIGNS = frozenset(" +-")
_OPERATIONS = {"Add": "add", "Update": "modify", "Delete": "delete"}
_BEGINNING = re.compile(r"[\r\n]*(?:\*\*\* Begin Patch\b|--- |diff --git |Index: |@@)")
_PART, _MOVE = re.compile(r"\*\*\* (Add|Update|Delete) File: (\S.*)"), re.compile(r"\*\*\* Move to: (\S.*)")
_FILE_END = "*** End of File"
_NUMBERED = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_UNNUMBERED = re.compile(r"@@(?! -\d)(?: ?\.\.\. ?@@)? ?(.*?)(?: ?@@)?")
_KEPT = ("index ", "old mode ", "new mode ", "similarity index ", "dissimilarity index ")
_NOT_NEW = ("update", "updating", "modify", "patch", "append", "overwrite", "replace")  # verbs of a title
_IDLE = ("Index: ", "=====", "new file mode ", "deleted file mode ")  # the names below say the same
_RENAMED = re.compile(r"(rename|copy) (from|to) (.+)")


@dataclass(slots=True)
class PatchedFile:
    """One file of a patch, and its lines below the names; a hunk whose place is not told begins in line 0."""

    operation: str = ""
    path: str = ""
    old_path: str | None = None
    heads: list[str] = field(default_factory=list)
    hunks: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The file as Git writes it."""
        old, new = self.old_path or self.path, self.path
        yield f"diff --git a/{old} b/{new}"
        yield from self.heads
        if self.operation in ("move", "copy"):
            word = "rename" if self.operation == "move" else "copy"
            yield from (f"{word} from {old}", f"{word} to {new}")
        yield f"--- {NOWHERE}" if self.operation == "add" else f"--- a/{old}"
        yield f"+++ {NOWHERE}" if self.operation == "delete" else f"+++ b/{new}"
        yield from self.hunks

    @property
    def _is_whole(self) -> bool:
        return bool(self.path and (self.hunks or self.operation not in ("", "modify")))


def read_patch(text: str, beside: str = "") -> list[PatchedFile] | None:
    """The files of a patch; None for a text that is none. `beside` is the file that is named beside the text."""
    if _BEGINNING.match(text) is None:
        return None
    lines = _without_blank_end(text.lstrip("\r\n").split("\n"))  # the last line keeps its carriage return
    if lines[0].startswith("*** Begin Patch"):
        ended = lines[-1].strip() == "*** End Patch"  # it may still grow
        return _read_envelope([line.removesuffix("\r") for line in lines]) if ended else None
    if beside and lines[0].startswith("@@"):
        lines = [f"--- {beside}", f"+++ {beside}", *lines]
    files = _read_unified(lines)
    if files and beside and len(files) == 1 and files[0].operation == "modify":
        files[0].path = beside
    return files


def names_of(old: str, new: str) -> tuple[str, str]:
    """The two paths of a head, without a time behind them and without Git's `a/` and `b/`."""
    old, new = (path.partition("\t")[0].strip().strip('"') for path in (old, new))
    if {old[:2], new[:2]} <= {"a/", "b/"} or NOWHERE in (old, new):
        old, new = (path[2:] if path[:2] in ("a/", "b/") else path for path in (old, new))
    return old, new


def _read_envelope(lines: Sequence[str]) -> list[PatchedFile] | None:
    files: list[PatchedFile] = []
    bodies: list[list[str]] = []
    for line in lines[1:-1]:
        if (part := _PART.fullmatch(line)) is not None:
            files.append(PatchedFile(_OPERATIONS[part[1]], part[2].strip()))
            bodies.append([])
        elif not files:
            return None
        elif (move := _MOVE.fullmatch(line)) is not None and not bodies[-1] and files[-1].operation == "modify":
            files[-1] = PatchedFile("move", move[1].strip(), files[-1].path)
        else:
            bodies[-1].append(line)
    whole = [_fill(file, _without_blank_end(body)) for file, body in zip(files, bodies, strict=True)]
    return files if files and all(whole) else None


def _fill(file: PatchedFile, body: list[str]) -> bool:
    """Give a file of an envelope its lines; whether they are such as it can have."""
    if file.operation == "delete":
        return not body
    if file.operation == "add":
        file.hunks = [f"@@ -0,0 +1,{len(body)} @@", *body] if body else []
        return all(line.startswith("+") for line in body)
    hunks: list[tuple[str, list[str]]] = []
    for line in body:
        if (head := _UNNUMBERED.fullmatch(line) or _NUMBERED.match(line)) is not None:
            above = hunks.pop()[0] if hunks and not hunks[-1][1] else ""  # `@@ class A`, then `@@ def b`
            hunks.append((" ".join(filter(None, (above, head[1] if head.re is _UNNUMBERED else ""))), []))
        elif line != _FILE_END:
            hunks += [("", [])] if not hunks else []
            hunks[-1][1].append(line)
    file.hunks = [each for heading, lines in hunks for each in _counted(heading, lines)]
    good = all(lines and _signs(lines) <= _SIGNS for _, lines in hunks)
    return good and (bool(hunks) or file.operation == "move")


def _read_unified(lines: Sequence[str]) -> list[PatchedFile] | None:
    files: list[PatchedFile] = []
    at = 0
    while at < len(lines):
        line = lines[at].removesuffix("\r")
        if line.startswith("diff --git ") or (_is_head(lines, at) and (not files or files[-1].hunks)):
            files.append(PatchedFile())
        if line.startswith("@@") and files and files[-1].path:
            end = _read_hunk(files[-1], lines, at)
            if end is None:
                return None
            at = end
        elif _is_head(lines, at) and _name(files[-1], *names_of(line[4:], lines[at + 1][4:])):
            at += 2
        elif _read_head(files, line):
            at += 1
        else:
            return None
    return files if files and all(file._is_whole for file in files) else None  # noqa: SLF001 (this file's own)


def _is_head(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _name(file: PatchedFile, old: str, new: str) -> bool:
    """Give a file its names; whether it had none before, or these."""
    if file.operation:
        return (file.old_path, file.path) == (old, new)
    if NOWHERE in (old, new):
        file.operation, file.path = ("add", new) if old == NOWHERE else ("delete", old)
    else:
        file.operation, file.path = "modify", new
    return True


def _read_head(files: list[PatchedFile], line: str) -> bool:
    """Read a line above the hunks of a file; whether it is one."""
    renamed = _RENAMED.fullmatch(line) if files else None
    if renamed is not None:
        files[-1].operation = "move" if renamed[1] == "rename" else "copy"
        if renamed[2] == "from":
            files[-1].old_path = renamed[3]
        else:
            files[-1].path = renamed[3]
    elif files and line.startswith(_KEPT):
        files[-1].heads.append(line)
    else:
        return not line.strip() or line.startswith((*_IDLE, "diff --git "))
    return True


def _read_hunk(file: PatchedFile, lines: Sequence[str], at: int) -> int | None:
    """Read a hunk, by its counts if it has any; the index after it, None where it is broken."""
    head, end = lines[at].removesuffix("\r"), at + 1
    counts = _NUMBERED.match(head)
    if counts is None:
        while end < len(lines) and not (lines[end].startswith(("@@", "diff --git ")) or _is_head(lines, end)):
            end += 1
        body, heading = _without_blank_end(lines[at + 1 : end]), _UNNUMBERED.fullmatch(head)
        file.hunks += _counted(heading[1] if heading is not None else "", body)
        return end if heading is not None and body and _signs(body) <= _SIGNS else None
    left = {"-": int(counts[1] or 1), "+": int(counts[2] or 1)}
    while end < len(lines) and (any(left.values()) or lines[end].startswith("\\")):
        sign = lines[end].strip("\r")[:1] or " "
        for side in left if sign == " " else left.keys() & {sign}:
            left[side] -= 1
        if sign not in " +-\\" or min(left.values()) < 0:
            return None
        end += 1
    file.hunks += lines[at:end]
    return None if any(left.values()) else end


def _counted(heading: str, lines: Sequence[str]) -> list[str]:
    """A hunk of which nobody says where it is."""
    signs = [line[:1] for line in lines]
    added, removed = signs.count("+"), signs.count("-")
    return [f"@@ -0,{len(lines) - added} +0,{len(lines) - removed} @@ {heading}".rstrip(), *lines]


def _signs(lines: Sequence[str]) -> set[str]:
    return {line.strip("\r")[:1] or " " for line in lines}


def _without_blank_end(lines: Sequence[str]) -> list[str]:
    end = next((at for at in range(len(lines), 0, -1) if lines[at - 1].strip()), 0)
    return list(lines[:end])


LONGEST = 4 << 20  # characters of a text that is looked at
DEEPEST = 4  # lists and objects around a text
TEXTS_AT_MOST = 200
LONG = 64 << 10  # characters of an input that are not read again for each bit that comes
_ENVELOPE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (?P<path>[^\n]+)", re.MULTILINE)
_BEGINS = re.compile(r"^\*\*\* Begin Patch\b", re.MULTILINE)
_UNIFIED = re.compile(r"^--- (?P<old>[^\n]+)\n\+\+\+ (?P<new>[^\n]+)\n@@ ", re.MULTILINE)

_FILES = PATHS.difference(OWN_FOLDERS)
_WORDS = frozenset((*WORDS, "message", "body", "comment", "pattern", "query", "explanation"))
_HEREDOC = re.compile(r"apply_patch <<-?\s*(['\"])(\w+)\1\n(.*\n)\2\s*", re.DOTALL)


class InputPatch(Frozen):
    """A text of an input that is a patch as a whole, and what it is as a diff."""

    text: str
    diff: Diff


def paths_in_patches(raw: Any) -> Iterator[str]:
    """The files that patches in a tool's input name, as they write them, in their order; of a rename both."""
    for text, _ in islice(_texts(raw, DEEPEST), TEXTS_AT_MOST):
        if _BEGINS.search(text):
            yield from (found["path"].strip() for found in _ENVELOPE.finditer(text))
        else:
            for found in _UNIFIED.finditer(text):
                yield from dict.fromkeys(path for path in names_of(found["old"], found["new"]) if path != NOWHERE)


def patches_in(raw: Any, cwd: str) -> list[InputPatch]:
    """The patches that a tool's input is or holds; relative paths are those of `cwd`."""
    found: list[InputPatch] = []
    for text, beside in islice(_texts(decoded(raw), DEEPEST, patches=True), TEXTS_AT_MOST):
        if (files := read_patch(text, beside)) is not None:
            found.append(InputPatch(text, _diff(files, cwd)))
    return found


def grew_little(before: Any, now: Any) -> bool:
    """Whether a long input is, to a quarter of a power of two, as long as it was: it need not be read again yet."""
    sizes = [sum(len(text) for text, _ in islice(_texts(raw, DEEPEST), TEXTS_AT_MOST)) for raw in (before, now)]
    steps = {(size.bit_length(), size >> max(0, size.bit_length() - 3)) for size in sizes}
    return min(sizes) > LONG and len(steps) == 1


def applied_patch(command: str) -> str | None:
    """The patch of a command that does no more than apply it: `apply_patch '…'`, or by a quoted heredoc."""
    command = inner_command(command)
    if (here := _HEREDOC.fullmatch(command)) is None:
        return unquoted(command.removeprefix("apply_patch ")) if command.startswith("apply_patch ") else None
    ends_before = f"\n{here[2]}\n" in f"\n{here[3]}"  # the rest of it would be run
    return None if ends_before else here[3]


def _texts(value: Any, deep: int, beside: str = "", *, patches: bool = False) -> Iterator[tuple[str, str]]:
    """All texts, each with the path that stands beside it; where `patches` are wanted, only those that may be one."""
    if isinstance(value, str):
        if len(value) <= LONGEST:
            yield value, beside
    elif deep and isinstance(value, list):
        for inner in value:
            yield from _texts(inner, deep - 1, beside, patches=patches)
    elif deep and isinstance(value, dict):
        named = (each for name, each in value.items() if plain_name(name) in _FILES and isinstance(each, str))
        path = next(named, beside)
        for name, inner in value.items():
            plain = plain_name(name)
            if patches and (plain in _WORDS or (path and _is_text_of_file(plain, inner))):
                continue
            command = patches and plain in COMMANDS and isinstance(inner, str)
            yield from _texts(applied_patch(inner) if command else inner, deep - 1, path, patches=patches)


def _is_text_of_file(plain: str, value: Any) -> bool:
    """Whether it may be what a tool writes into a file that it names, or looks for there: no patch of it, though it may
    be the text of one.
    """
    patch = "patch" in plain or "diff" in plain or plain in COMMANDS or plain in WRAPPERS
    return not patch and any(isinstance(each, str) for each in (value if isinstance(value, list) else [value]))


def _diff(files: list[PatchedFile], cwd: str) -> Diff:
    changes: list[FileChange] = []
    for file in files:
        file.path = _absolute(file.path, cwd)
        file.old_path = None if file.old_path is None else _absolute(file.old_path, cwd)
        changes.append(FileChange(operation=file.operation, path=file.path, old_path=file.old_path))
    text = "".join(f"{line}\n" for file in files for line in file.lines())
    return Diff(changes=changes, patch=Patch(format="git_patch", text=text))


def _absolute(path: str, cwd: str) -> str:
    return os.path.normpath(os.path.join(cwd, path))  # noqa: PTH118 (a text)


def resolve_paths(update: ToolCallUpdate, cwd: str) -> None:
    """Make the files that an update names absolute, in place: some agents name them as seen from the folder `cwd`."""
    for item in (*(update.content or ()), *(update.locations or ())):
        resolve_item(item, cwd)


def resolve_item(item: ToolCallContent | ToolCallLocation, cwd: str) -> None:
    """Make the paths of a diff or a location absolute, in place; home folders and addresses are left as they are."""
    changes = (item.changes or ()) if isinstance(item, Diff) else ()
    for model in (item, *changes) if isinstance(item, Diff | ToolCallLocation) else ():
        for name in ("path", "old_path"):
            path = getattr(model, name, None)
            if cwd and path and not path.startswith(("/", "~")) and "://" not in path:
                vars(model)[name] = _absolute(path, cwd)  # a slim model takes no other assignment


class ChangedFile(Frozen):
    """One file; lines added and removed by all changes to it together. `note`: new file, deleted, …"""

    path: str
    added: int
    removed: int
    note: str = ""


def diffs_of(entry: ToolCallEntry) -> Sequence[Diff]:
    """The diffs that a call shows: the agent's, else what was written here."""
    return told_diffs(entry) or entry.written


def change_verb(kind: str, diffs: Sequence[Diff], title: str = "") -> str:
    """The verb for a change of files: Create where no diff has an old text and the title is of no update."""
    if kind in ("delete", "move"):
        return verb_of(kind)
    new = bool(diffs) and all(diff.changes is None and not diff.old_text for diff in diffs)
    return CREATE if new and title.split(" ", 1)[0].lower() not in _NOT_NEW else verb_of("edit")


def is_written_here(entry: ToolCallEntry) -> bool:
    """Whether a call shows what was written here, since its agent tells no diffs."""
    return bool(entry.written) and not told_diffs(entry)


def told_diffs(entry: ToolCallEntry) -> Sequence[Diff]:
    """The diffs that the content held before, where they tell what is lost or more than now; else the content's, or
    the patches of the input.
    """
    return entry.earlier_diffs or [item for item in entry.content if isinstance(item, Diff)] or entry.patches
