"""The files and folders below a session's roots, listed in threads.

Git lists what is in a checkout, and what is below a `.gitignore` outside of one, so that what is ignored is not
told; other folders are walked, without those that tools fill. Where there is no Git nothing counts as ignored.
A path with signs that cannot be printed is left out: it could not be written in a prompt.
"""

import asyncio
import os
import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial
from heapq import nsmallest
from itertools import accumulate, islice
from pathlib import Path

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.system.git import Git, GitView
from acp_tui.host.system.threads import in_thread
from acp_tui.safe_text import is_text


def existing_folder(named: str, cwd: str) -> str:
    """The absolute path of a folder, named from `cwd` or the user's home (`~`). Blocks.

    Raises `UserFault` where there is none.
    """
    path, problem = named, "No such folder"
    try:
        path = os.path.normpath(Path(cwd) / Path(named.strip().strip("\"'")).expanduser())
        if Path(path).is_dir():
            return path
        if Path(path).exists():
            problem = "Not a folder"
    except (OSError, ValueError, RuntimeError) as error:  # no such user for a ~name
        problem = reason_of(error)
    raise UserFault(problem, path)


LOOKED_AT = 2000  # matches of one kind that are ranked; those in the topmost folders come first


class FileList:
    """Paths that can be searched; folders end in `/`. Never changed once it is made."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        # The topmost first. Twice, because each holds up other threads for less time than comparing pairs does.
        self.paths: Sequence[str] = sorted(sorted(paths), key=lambda path: path.count("/", 0, -1))
        self._known = frozenset(self.paths)
        self._names = _Lines([path.rstrip("/").rpartition("/")[2] for path in self.paths])
        self._wholes = _Lines(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __contains__(self, path: object) -> bool:
        return path in self._known or f"{path}/" in self._known

    def has_file(self, path: str) -> bool:
        return path in self._known and not path.endswith("/")

    def find(self, query: str, limit: int = 50) -> list[str]:
        """The paths that answer the letters of `query`, best first; all of them, topmost first, for none."""
        letters = query.lower().replace("\n", "").removeprefix("./")
        found: dict[int, None] = {}
        if not letters:
            return list(self.paths[:limit])
        for kind in self._kinds(letters):
            indexes = [index for index in kind if index not in found]
            best = nsmallest(limit - len(found), indexes, key=lambda index: (len(self.paths[index]), index))
            found.update(dict.fromkeys(best))
            if len(found) >= limit:
                break
        return [self.paths[index] for index in found]

    def _kinds(self, letters: str) -> Iterator[Iterable[int]]:
        """Indexes of matches, the best kind first; each is only looked for if it is needed."""
        if "/" not in letters:
            yield self._names.holding(f"\n{letters}\n")
            yield self._names.holding(f"\n{letters}")
            yield self._names.holding(letters)
        yield self._wholes.holding(f"\n{letters}")
        yield self._wholes.holding(f"/{letters}")
        yield self._wholes.holding(letters)
        if len(letters) == 1:
            return
        if "/" not in letters:
            yield self._names.scattered(letters)
        yield self._wholes.scattered(letters)


class _Lines:
    """Many short texts as one, in lower case; a line is named by its number."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._text = "\n".join(["", *lines, ""]).lower()
        ends = accumulate(len(line) + 1 for line in self._text.split("\n")[1:])
        self._starts = [0, *ends][: len(lines)]  # of the newline before each
        self._last: tuple[str, list[int]] | None = None  # all lines of the last scattered letters

    def holding(self, text: str) -> Iterator[int]:
        """The lines that hold `text`, in order; a newline in it stands for a line's beginning or end."""
        find, at = self._text.find, 0
        for _ in range(LOOKED_AT):
            at = find(text, at)
            if at < 0:
                return
            line = bisect_right(self._starts, at) - 1
            if line >= len(self._starts):
                return
            yield line
            at = find("\n", at + 1)
            if at < 0:
                return

    def scattered(self, letters: str) -> Iterable[int]:
        """The lines that hold all letters in this order; of letters that go on, among those that held the first."""
        # Possessive, so that a line that does not match is given up at once.
        pattern = re.compile("\n" + "".join(f"[^{re.escape(sign)}\n]*+{re.escape(sign)}" for sign in letters))
        if self._last is not None and letters.startswith(self._last[0]):
            found = [line for line in self._last[1] if pattern.match(self._text, self._starts[line])]
        else:
            matches = islice(pattern.finditer(self._text), LOOKED_AT)
            found = [bisect_right(self._starts, match.start()) - 1 for match in matches]
        if len(found) < LOOKED_AT:
            self._last = letters, found
        return found


MOST = 300_000  # paths of one root
FRESH = 5.0  # seconds for which a list is not made again
AT_ONCE = 500  # files that are told before Git has looked at all of them
FIRST = AT_ONCE  # paths that are shown before the rest is known
_TOOLS = ".tox .mypy_cache .ruff_cache .pytest_cache .cache .idea __pycache__ node_modules venv .venv"
SKIPPED = frozenset([".git", ".hg", ".svn", "target", "dist", "build", *_TOOLS.split()])

_Tell = Callable[[str, Set[str], bool], Iterable[str] | None]
"""The files of a folder that holds these names, by who knows better than a look around; None if nobody does.

Whether the folder is inside the one that is walked counts: a checkout in there has its own turn.
"""


class FileIndex:
    """Paths below the first root relative to it, below others absolute; folders end in `/`.

    `files` is whole when `reading` is over; `changed` is called in the loop when there is more.
    """

    def __init__(self, roots: Sequence[str], changed: Callable[[], object]) -> None:
        self.roots, self._changed = tuple(roots), changed
        self.files = FileList()
        self.cut = False
        self._task: asyncio.Task[None] | None = None
        self._whole = False
        self._read_at = float("-inf")
        self._paths: list[str] = []

    @property
    def reading(self) -> bool:
        return self._task is not None and not self._task.done() and not self._whole

    def refresh(self) -> None:
        if not self.reading and time.monotonic() - self._read_at > FRESH:
            self._task = asyncio.create_task(self._read(), name="file index")

    async def read(self) -> None:
        self.refresh()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _read(self) -> None:
        self._whole = False
        paths: list[str] = []
        first_time = not len(self.files)
        for place, root in enumerate(self.roots):
            listed = listing(root, "" if place == 0 else f"{root.rstrip('/')}/", self.roots)
            batch: list[str] = await in_thread(list, islice(listed, FIRST))
            paths += batch
            if first_time and len(batch) == FIRST:
                self._show(await in_thread(FileList, paths))
            paths += await in_thread(list, islice(listed, MOST - len(batch)))
            if first_time and place + 1 < len(self.roots):  # the next one may be slow, or never answer
                self._show(await in_thread(FileList, paths))
        self.cut = len(paths) >= MOST
        self._read_at = time.monotonic()
        files = self.files
        if not await in_thread(self._paths.__eq__, paths):
            files = await in_thread(FileList, paths)
            self._paths = paths
        self._whole = True
        self._show(files)

    def _show(self, files: FileList) -> None:
        self.files = files
        self._changed()


def listing(root: str, prefix: str, roots: Sequence[str] = ()) -> Iterator[str]:
    """Every path below a root, folders before what is in them; `roots`: the others of the same session."""
    git, seen = Git([root, *roots]), set[str]()
    checkouts = [""]  # those inside others wait for their turn, however far inside they are
    for checkout in checkouts:
        for path in _files(git, f"{root}/{checkout}"):
            if path.endswith("/"):
                checkouts.append(checkout + path)
            elif (path := checkout + path).isprintable() or all(map(is_text, path)):
                for folder in _new_folders(path, seen):
                    yield f"{prefix}{folder}/"
                yield prefix + path


def _files(git: Git, root: str) -> Iterator[str]:
    view = git.checkout_of(root)
    if view is not None:
        with view:
            tracked = view.tracked(root)
            if tracked is not None:
                yield from _known_to_git(git, view, root, tracked)
                return
    yield from _walk(root, partial(_told_by_git, git))


def _known_to_git(git: Git, view: GitView, root: str, tracked: Sequence[str]) -> Iterator[str]:
    """The first files at once; for the rest Git looks at every file, which takes it a while."""
    yield from (path for path in tracked[:AT_ONCE] if Path(root, path).exists())
    gone = frozenset(view.listed(root, "--deleted") or ()) if len(tracked) > AT_ONCE else ()
    yield from (path for path in tracked[AT_ONCE:] if path not in gone)
    others: Iterable[str] | None = view.others(root)
    if others is None:
        known = frozenset(tracked)
        others = (path for path in _walk(root, partial(_told_by_git, git)) if path not in known)
    yield from others


def _left_by_ignores(view: GitView, folder: str) -> Iterator[str]:
    """Every file that the `.gitignore`s from this folder on leave, by the rules of Git itself."""
    with view:
        left: Iterable[str] | None = view.others(folder, *(f"--exclude={name}/" for name in SKIPPED))
        if left is None:  # nothing of a checkout inside, which Git knows
            left = _walk(folder, lambda _, names, nested: () if nested and ".git" in names else None)
        yield from left


def _new_folders(path: str, seen: set[str]) -> Iterator[str]:
    new: list[str] = []
    end = path.rfind("/")
    while end > 0 and path[:end] not in seen:
        seen.add(path[:end])
        new.append(path[:end])
        end = path.rfind("/", 0, end)
    return reversed(new)


def _walk(root: str, tell: _Tell) -> Iterator[str]:
    """Every file below a folder, the topmost first, but not through links; `tell` may know what is in one of them."""
    folders = [""]
    for folder in folders:
        try:
            with os.scandir(root + "/" + folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue  # not ours to read
        told = tell(root + "/" + folder, {entry.name for entry in entries}, folder != "")
        if told is not None:
            yield from (folder + path for path in told)
            continue
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield folder + entry.name
            elif entry.name not in SKIPPED:
                folders.append(f"{folder}{entry.name}/")


def _told_by_git(git: Git, folder: str, names: Set[str], nested: bool) -> Iterable[str] | None:
    """Every file below a folder that holds these, if Git has to say which count; nothing but itself of a checkout."""
    if ".git" in names and nested:
        return ("",)
    view = git.rules_below(folder) if ".gitignore" in names else None
    return None if view is None else _left_by_ignores(view, folder)
