"""Which files and folders are below a folder, as they are found; must not know who wants them.

Git lists what is in a checkout, and what is below a `.gitignore` outside of one, so that what is ignored is not
told; other folders are walked, without those that tools fill. Where there is no Git nothing counts as ignored.
A path with signs that cannot be printed is left out: it could not be written in a prompt.
"""

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

AT_ONCE = 500  # files that are told before Git has looked at all of them
GIT_WITHIN = 20.0  # seconds
_TOOLS = ".tox .mypy_cache .ruff_cache .pytest_cache .cache .idea __pycache__ node_modules venv .venv"
SKIPPED = frozenset([".git", ".hg", ".svn", "target", "dist", "build", *_TOOLS.split()])
# No program that the checkout's own settings name is run.
_GIT = (
    "git",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
)
_DONE = (0, 1)  # 1 where there was nothing to say


class _Tell(Protocol):
    """The files of a folder that holds these names, by who knows better than a look around; None if nobody does."""

    def __call__(self, folder: str, names: Set[str], /, *, nested: bool) -> Iterable[str] | None: ...


def listing(root: str, prefix: str) -> Iterator[str]:
    """Every path below a root, folders before what is in them."""
    seen: set[str] = set()
    for path in _files(root):
        if path.isprintable():
            for folder in _new_folders(path, seen):
                yield f"{prefix}{folder}/"
            yield prefix + path


def _files(root: str) -> Iterable[str]:
    tracked = _listed(root, "--cached")
    if tracked is None:
        return _walk(root, _told_by_git)
    return _known_to_git(root, tracked)


def _known_to_git(root: str, tracked: Sequence[str]) -> Iterator[str]:
    """The first files at once; for the rest Git looks at every file, which takes it a while."""
    yield from (path for path in tracked[:AT_ONCE] if Path(root, path).exists())
    gone = frozenset(_listed(root, "--deleted") or ())
    yield from (path for path in tracked[AT_ONCE:] if path not in gone)
    yield from _with_checkouts(root, _listed(root, "--others", "--exclude-standard") or ())


def _with_checkouts(root: str, listed: Iterable[str]) -> Iterator[str]:
    """Of a checkout inside what it lists Git tells no more than the folder."""
    for path in listed:
        if path.endswith("/"):
            yield from (path + file for file in _files(os.path.join(root, path)))  # noqa: PTH118 (keeps the bytes)
        else:
            yield path


def _below_ignores(folder: str) -> Iterator[str] | None:
    """Every file that the `.gitignore`s from this folder on leave, by the rules of Git itself; None without Git."""
    nothing = TemporaryDirectory(prefix="acp-tui-")  # the checkout that Git wants, with nothing in it
    if _git(nothing.name, "init", "-q", "--template=") is not None:
        return _left_by_ignores(folder, nothing)
    nothing.cleanup()
    return None


def _left_by_ignores(folder: str, nothing: TemporaryDirectory[str]) -> Iterator[str]:
    """Some files at once, by a look around; Git looks at every file before it names the first."""
    with nothing:
        checkout = f"--git-dir={nothing.name}/.git", "--work-tree=."
        first = list(islice(_walk(folder, _but_checkouts, AT_ONCE), AT_ONCE))
        asked = os.fsencode("\0".join(first))
        ignored = _git(folder, *checkout, "check-ignore", "-z", "--no-index", "--stdin", given=asked)
        left = dict.fromkeys(() if ignored is None else first)
        for path in os.fsdecode(ignored or b"").split("\0"):
            left.pop(path, None)
        yield from left
        skipped = (f"--exclude={name}/" for name in SKIPPED)
        listed = _listed(folder, "--others", "--exclude-standard", *skipped, checkout=checkout)
        rest = _walk(folder, _but_checkouts) if listed is None else listed
        yield from (path for path in rest if path not in left)


def _but_checkouts(_folder: str, names: Set[str], *, nested: bool) -> Iterable[str] | None:
    """Nothing of a checkout inside, which Git knows."""
    return () if nested and ".git" in names else None


def _listed(root: str, *options: str, checkout: Sequence[str] = ()) -> list[str] | None:
    """What `git ls-files` says, of another checkout if one is named; folders end in `/`."""
    told = _git(root, *checkout, "ls-files", "-z", *options)
    return None if told is None else os.fsdecode(told).split("\0")[:-1]


def _git(folder: str, *words: str, given: bytes = b"") -> bytes | None:
    """What Git says in a folder to what it is given, None where there is no Git or it can do nothing there."""
    try:
        done = subprocess.run(  # noqa: S603 (a fixed command)
            [*_GIT, *words],
            cwd=folder,
            capture_output=True,
            timeout=GIT_WITHIN,
            check=False,
            input=given,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode in _DONE else None


def _new_folders(path: str, seen: set[str]) -> Iterator[str]:
    """The folders that hold a path and were not told yet, the outermost first."""
    new: list[str] = []
    end = path.rfind("/")
    while end > 0 and path[:end] not in seen:
        seen.add(path[:end])
        new.append(path[:end])
        end = path.rfind("/", 0, end)
    return reversed(new)


def _walk(root: str, tell: _Tell, most: int | None = None) -> Iterator[str]:
    """Every file below a folder, the topmost first; links to folders are not followed.

    `tell` may know what is in a folder. `most` caps the folders, and what is looked at in each of them.
    """
    folders = [""]
    for folder in islice(folders, most):
        try:
            with os.scandir(root + "/" + folder) as found:
                entries = sorted(islice(found, most), key=lambda entry: entry.name)
        except OSError:
            continue  # not ours to read
        told = tell(root + "/" + folder, {entry.name for entry in entries}, nested=folder != "")
        if told is not None:
            yield from (folder + path for path in told)
            continue
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield folder + entry.name
            elif entry.name not in SKIPPED:
                folders.append(f"{folder}{entry.name}/")


def _told_by_git(folder: str, names: Set[str], *, nested: bool) -> Iterable[str] | None:
    """Every file below a folder that holds these, if Git has to say which count."""
    if ".git" in names and nested:
        return _files(folder)
    listed = _below_ignores(folder) if ".gitignore" in names else None
    return None if listed is None else _with_checkouts(folder, listed)
