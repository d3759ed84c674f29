"""The walk below a folder: every path that is to be kept with its stat data, and every one that is not, and why.

Git says what is ignored, in a repository of our own (`host/system/git.py`); we look at everything else by ourselves,
by directory handle, so that a parent that becomes a link leads nowhere, and open nothing but folders.
"""

import os
import stat
import sys
from collections.abc import Callable, Collection, Sequence, Set
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from acp_tui.host.snapshots.path_state import (
    FOLDER,
    IGNORED,
    KEPT,
    NESTED,
    NO_RULES,
    NOTHING,
    OVER_NUMBER,
    SPECIAL,
    TOO_DEEP,
    UNKNOWN,
    UNREADABLE,
    Row,
    Stat,
    stat_of,
)
from acp_tui.host.system.git import Git, content_of, find_checkout

DEEPEST = 200  # folders in each other, each of which is open meanwhile
_TOOLS = ".tox .nox .mypy_cache .ruff_cache .pytest_cache .cache __pycache__ node_modules venv .venv"
MADE_BY_TOOLS = frozenset(_TOOLS.split())
"""Folders that are as good as ignored where there is no checkout: tools fill them, and fill them again."""
_REPOSITORIES = frozenset([".git", ".hg", ".svn"])
_CHECK_EACH = 0.2  # seconds, while Git looks
_HEAD_AT_MOST = 4096  # bytes
_PACKED_REFS_AT_MOST = 16 << 20
_KIND = 0o170000
_KEPT_KINDS = frozenset([stat.S_IFREG, stat.S_IFLNK])
_LARGE_FOLDER = 1 << 20  # bytes of the folder itself: some 30,000 names
_FOLDS_CASE = sys.platform in ("darwin", "win32")
OPEN_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class CheckoutHead(NamedTuple):
    """Where a checkout is: what its HEAD says, the commit that this is, and the newest stash; empty for none."""

    head: str = ""
    commit: str = ""
    stash: str = ""


class WalkResult:
    """What is below a folder: files and links in the order of the walk, folders, and what is not kept."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.stats: list[Stat] = []
        self.folders: dict[str, Row] = {}
        self.unknown: dict[str, Row] = {}


class Ignored:
    """What Git ignores below a folder: the names of each folder there. None where it cannot say."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.all = "./" in paths
        self._names: dict[str, set[str]] = {}
        ordered = sorted(paths)
        for path, following in zip(ordered, [*ordered, ""][1:], strict=True):
            # A folder whose files are ignored one by one is listed too, with them; it is not ignored itself.
            if not (path.endswith("/") and following.startswith(path)):
                folder, _, name = path.removesuffix("/").rpartition("/")
                self._names.setdefault(folder, set()).add(name)

    def paths(self) -> set[str]:
        return {f"{folder}/{name}" if folder else name for folder, names in self._names.items() for name in names}

    def names(self, folder: str) -> set[str]:
        return self._names.get(folder, set())

    def holds(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return name in self.names(folder) or bool(folder and self.holds(folder))


class Walk:
    """One walk through a folder. `check` is called for each folder, and may raise to end it.

    `own` are paths that count as ignored, whatever Git says.
    """

    def __init__(
        self, root: str, most: int, check: Callable[[int], None] = lambda _: None, own: Collection[str] = ()
    ) -> None:
        self._own = frozenset(own)
        self.root, self.found = root, WalkResult()
        self._git, self._most, self._check = Git([root]), most, check
        self._rules: list[tuple[str, Ignored]] = []
        self._in_checkout = find_checkout(root) is not None
        self._by_tools = frozenset[str]() if self._in_checkout else MADE_BY_TOOLS
        self._asking: Thread | None = None
        self._ignored: Ignored | None = None

    def ask_git(self) -> None:
        """Let Git begin to look, while there is something else to do."""
        self._asking = Thread(target=self._ask, daemon=True)
        self._asking.start()

    def _ask(self) -> None:
        if self._in_checkout:
            self._ignored = self._ignored_in(self.root)

    def run(self, were_ignored: Sequence[str] = ()) -> WalkResult:
        """Look at everything. Raises OSError where the folder itself cannot be read.

        What was ignored at the last look is so now, in most cases, and so the walk need not wait for Git: it is done
        again if Git says otherwise.
        """
        handle = os.open(self.root, OPEN_FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        try:
            if not self._in_checkout:
                self._folder("", handle, None, "", 0)
                return self.found
            if self._asking is None:
                self.ask_git()
            if were_ignored:
                self._folder("", handle, Ignored(were_ignored), "", 0)
            ignored = self._git_says()
            if ignored is None:
                self.found = WalkResult()
                self._note("", NO_RULES, os.fstat(handle).st_mode)
            elif ignored.all:
                self.found = WalkResult()
                self._note("", IGNORED, os.fstat(handle).st_mode)
            elif not were_ignored or not self._agrees(ignored):
                self.found, self._rules = WalkResult(), []
                self._folder("", handle, ignored, "", 0)
        finally:
            os.close(handle)
        return self.found

    def _git_says(self) -> Ignored | None:
        while self._asking is not None and self._asking.is_alive():
            self._asking.join(_CHECK_EACH)
            self._check(0)
        return self._ignored

    def _agrees(self, ignored: Ignored) -> bool:
        """Whether the walk left out what Git ignores, and nothing else."""
        left_out = {path for path, row in self.found.unknown.items() if row.reason == IGNORED}
        theirs = ignored.paths()
        ours = {path for path in left_out if path.rpartition("/")[2] not in _REPOSITORIES and path not in self._own}
        return ours <= theirs and theirs.isdisjoint(self.found.folders) and theirs.isdisjoint(self.found.paths)

    def ignored_by_now(self) -> Callable[[str], bool]:
        """Ask Git once more: a file that came since it was asked may be ignored."""
        places = [(base, self._ignored_in(f"{self.root}/{base}" if base else self.root)) for base, _ in self._rules]

        def holds(path: str) -> bool:
            for base, ignored in places:
                below = path.removeprefix(f"{base}/") if base else path
                if (not base or below != path) and (ignored is None or ignored.holds(below)):
                    return True
            return False

        return holds

    @property
    def trouble(self) -> str:
        """Why the ignore rules could not be read, in words; empty if they could, or if nobody knows."""
        return self._git.trouble

    def _ignored_in(self, folder: str) -> Ignored | None:
        view = self._git.checkout_of(folder) if self._in_checkout else None
        for each in (view, None) if view is not None else (None,):
            used = each or self._git.rules_below(folder)
            if used is not None:
                with used:
                    paths = used.ignored(folder)
                if paths is not None:
                    return Ignored(paths)
            if self._git.trouble:
                break
        return None

    def _folder(self, path: str, handle: int, ignored: Ignored | None, base: str, depth: int) -> None:
        """Everything in one folder; `base` is the one from which its ignore rules count."""
        self._check(len(self.found.paths))
        if (names := self._names(path, handle)) is None:
            return
        if ignored is None and ".gitignore" in names:
            ignored, base = self._ignored_in(f"{self.root}/{path}" if path else self.root), path
            if ignored is None:
                self._note(path, NO_RULES, os.fstat(handle).st_mode)
                return
        if ignored is not None and base == path:
            self._rules.append((base, ignored))
        inside = path[len(base) + 1 :] if base else path
        left_out = _REPOSITORIES | ignored.names(inside) if ignored is not None else _REPOSITORIES
        prefix = f"{path}/" if path else ""
        if self._own:
            left_out = left_out.union(name for name in names if prefix + name in self._own)
        for name in sorted(self._take(*self._looked_at(names, handle, prefix), prefix, left_out)):
            self._below(prefix + name, name, handle, (ignored, base, depth + 1))

    def _take(self, names: Sequence[str], stats: Sequence[Stat], prefix: str, left_out: Set[str]) -> list[str]:
        """Note what is in a folder; the names of the folders there, which are not gone into yet."""
        found, folders = self.found, list[str]()
        if left_out.isdisjoint(names) and {data[0] & _KIND for data in stats} <= _KEPT_KINDS:  # as in most folders
            found.paths += [prefix + name for name in names]
            found.stats += stats
            return folders
        for name, data in zip(names, stats, strict=True):
            kind = data[0] & _KIND
            if name in left_out or (kind == stat.S_IFDIR and name in self._by_tools):
                self._note(prefix + name, IGNORED, data[0])
            elif kind in _KEPT_KINDS:
                found.paths.append(prefix + name)
                found.stats.append(data)
            elif kind == stat.S_IFDIR:
                folders.append(name)
            else:
                self._note(prefix + name, SPECIAL, data[0])
        return folders

    def _below(self, path: str, name: str, parent: int, rules: tuple[Ignored | None, str, int]) -> None:
        if rules[2] > DEEPEST:
            return self._note(path, TOO_DEEP)
        if len(self.found.paths) >= self._most:
            return self._note(path, OVER_NUMBER)
        try:
            handle = os.open(name, OPEN_FOLDER, dir_fd=parent)
        except OSError:
            return self._note(path, UNREADABLE)
        try:
            return self._folder(path, handle, *rules)
        finally:
            os.close(handle)

    def _names(self, path: str, handle: int) -> list[str] | None:
        here = os.fstat(handle)
        room = max(self._most - len(self.found.paths), 0)
        try:
            if here.st_size < _LARGE_FOLDER:  # it is as quick again
                names = os.listdir(handle)
            else:
                with os.scandir(handle) as entries:
                    names = [entry.name for entry in islice(entries, room + 1)]
        except OSError:
            self._note(path, UNREADABLE, here.st_mode)
            return None
        cut = len(names) > room
        if path and _is_checkout(names):
            self._note(path, NESTED, here.st_mode)
            return None
        self.found.folders[path] = Row(FOLDER, OVER_NUMBER if cut else KEPT, here.st_mode, 0, NOTHING)
        return names[:room]

    def _looked_at(self, names: list[str], handle: int, prefix: str) -> tuple[list[str], list[Stat]]:
        """The names again, and stat data of each; what is gone meanwhile is not there."""
        try:
            return names, [stat_of(os.lstat(name, dir_fd=handle)) for name in names]
        except OSError:
            there, stats = list[str](), list[Stat]()
        for name in names:
            try:
                stats.append(stat_of(os.lstat(name, dir_fd=handle)))
                there.append(name)
            except FileNotFoundError:
                continue
            except OSError:
                self._note(prefix + name, UNREADABLE)
        return there, stats

    def _note(self, path: str, reason: int, mode: int = stat.S_IFDIR) -> None:
        self.found.unknown[path] = Row(UNKNOWN, reason, mode, 0, NOTHING)


def _is_checkout(names: Sequence[str]) -> bool:
    return any(name.lower() == ".git" for name in names) if _FOLDS_CASE else ".git" in names


def head_of(root: str) -> CheckoutHead:
    """Where the checkout around a folder is, read from its files."""
    checkout = find_checkout(root)
    if checkout is None:
        return CheckoutHead()
    _, own, common = checkout
    head = _line(own / "HEAD")
    packed = os.fsdecode(content_of(common / "packed-refs", _PACKED_REFS_AT_MOST) or b"").splitlines()
    name = head.removeprefix("ref: ")
    commit = head if name == head else _line(own / name) or _line(common / name) or _packed(packed, name)
    return CheckoutHead(head, commit, _line(common / "refs/stash") or _packed(packed, "refs/stash"))


def _line(path: Path) -> str:
    with suppress(OSError, ValueError):
        return os.fsdecode(content_of(path, _HEAD_AT_MOST) or b"").strip()
    return ""


def _packed(lines: Sequence[str], name: str) -> str:
    return next((line.partition(" ")[0] for line in lines if line.endswith(f" {name}")), "")
