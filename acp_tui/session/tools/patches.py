"""Patches in what a tool is given: the files that they name, and the diffs that they are."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.tool_calls import Diff, FileChange, Patch
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
from acp_tui.session.tools.patch_text import NOWHERE, PatchedFile, names_of, read_patch

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
