"""The files of a project that a command names, by what is in them; must not know what the command is for.

Whoever agrees to `./run.sh`, or to `node tools/agent.js`, has agreed to what is in it. So every word is looked at: of
the command, of variables, of tool servers. What the files load in turn, and what is in folders, cannot be known here.
"""

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from acp_tui.host.system.programs import is_inside

MOST = 512 * 1024 * 1024  # bytes that are read at most of all files together: below a second
_CHUNK = 1024 * 1024
# What separates paths from options, from each other, and from the rest of a shell line.
_BETWEEN = re.compile(r"""[\s=:,;|&()<>{}\[\]"'`$@]+""")
_SHORT_OPTION = re.compile(r"-\w")


@dataclass(slots=True)
class Watched:
    """`files` are digests by path, `others` paths of what is not watched: folders, devices, what cannot be read.

    It is not `whole` where there was more to read than MOST; then it is no proof that nothing has changed.
    """

    files: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    whole: bool = True


def watch(words: Iterable[str], bases: Sequence[Path], project: Sequence[Path]) -> Watched:
    """What the words name inside the folders `project` (resolved); relative paths are relative to any of `bases`."""
    found = Watched()
    room = MOST
    for path, is_path in _candidates(words, bases):
        if path in found.files or path in found.others:
            continue
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116 - there may be ten thousands of words
        except (OSError, ValueError):
            continue
        if not is_inside(path, project):
            continue
        digest, size = _digest(path, room) if stat.S_ISREG(mode) else ("", 0)
        room -= size
        if digest:
            found.files[path] = f"{digest} {os.path.realpath(path)}"
        elif not stat.S_ISDIR(mode) or is_path:
            found.others.append(path)
        found.whole = found.whole and room > 0
    return found


def _candidates(words: Iterable[str], bases: Sequence[Path]) -> Iterator[tuple[str, bool]]:
    for part in dict.fromkeys(part for word in words for part in _parts(word) if part):
        written = os.path.expanduser(part)  # noqa: PTH111 - `Path` raises for a user that there is not
        for base in bases:
            # Not made shorter: `link/..` is not the folder of `link`.
            yield os.path.join(base, written), os.sep in part or part.startswith(".")  # noqa: PTH118


def _parts(word: str) -> Iterator[str]:
    yield word
    yield word.partition("=")[2]
    yield from _BETWEEN.split(word)
    yield from _BETWEEN.split(_SHORT_OPTION.sub("", word, count=1))  # -r./hook.js
    with suppress(ValueError):
        yield from shlex.split(word)  # quoted within a line for a shell


def _digest(path: str, room: int) -> tuple[str, int]:
    """The SHA-256 of a regular file and how much of it was read; empty where it cannot be read, or not to its end."""
    digest, size = hashlib.sha256(), 0
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb", buffering=0) as file:  # noqa: PTH123 - by a descriptor
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return "", 0
            while size < room and (data := file.read(min(_CHUNK, room - size))):
                digest.update(data)
                size += len(data)
    except OSError:
        return "", size
    return (digest.hexdigest() if size < room else ""), size
