"""The files and folders below a session's roots, listed beside the loop; must not know who looks for them.

Git lists what is in a checkout, and what is below a `.gitignore` outside of one, so that what is ignored is not
offered; other folders are walked, without those that tools fill. Where there is no Git nothing counts as ignored.
A path with signs that cannot be printed is left out: it could not be written in a prompt.
"""

import asyncio
import os
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.host.file_search import FileList

MOST = 300_000  # paths of one root
FIRST = 500  # paths that are shown before the rest is known
FRESH = 5.0  # seconds for which a list is not made again
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


class FileIndex:
    """Paths below the first root relative to it, below others absolute; folders end in `/`.

    `files` is whole when `reading` is over; `changed` is called in the loop when there is more.
    """

    def __init__(self, roots: Sequence[str]) -> None:
        self.roots = tuple(roots)
        self.files = FileList()
        self.changed: Callable[[], None] = lambda: None
        self.cut = False
        self._task: asyncio.Task[None] | None = None
        self._whole = False
        self._read_at = float("-inf")
        self._paths: list[str] = []

    @property
    def reading(self) -> bool:
        """Whether the list is being made."""
        return self._task is not None and not self._task.done() and not self._whole

    def refresh(self) -> None:
        """Make the list, or make it anew if it is not fresh; what is known stays until then."""
        if not self.reading and time.monotonic() - self._read_at > FRESH:
            self._task = asyncio.create_task(self._read(), name="file index")

    async def read(self) -> None:
        """Wait until the list is whole."""
        self.refresh()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _read(self) -> None:
        self._whole = False
        paths: list[str] = []
        first_time = not len(self.files)
        for place, root in enumerate(self.roots):
            listing = _listing(root, "" if place == 0 else f"{root.rstrip('/')}/")
            batch = await asyncio.to_thread(_take, listing, FIRST)
            paths += batch
            if first_time and place == 0 and len(batch) == FIRST:
                self._show(await asyncio.to_thread(FileList, paths))
            paths += await asyncio.to_thread(_take, listing, MOST - len(batch))
        self.cut = len(paths) >= MOST
        self._read_at = time.monotonic()
        files = self.files
        if not await asyncio.to_thread(self._paths.__eq__, paths):
            files = await asyncio.to_thread(FileList, paths)
            self._paths = paths
        self._whole = True
        self._show(files)

    def _show(self, files: FileList) -> None:
        self.files = files
        self.changed()


def _take(listing: Iterator[str], count: int) -> list[str]:
    """The next `count` paths; runs in a thread."""
    taken: list[str] = []
    for path in listing:
        taken.append(path)
        if len(taken) >= count:
            break
    return taken


def _listing(root: str, prefix: str) -> Iterator[str]:
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
        return _walk(root)
    return _known_to_git(root, tracked)


def _known_to_git(root: str, tracked: Sequence[str]) -> Iterator[str]:
    """The first files at once; for the rest Git looks at every file, which takes it a while."""
    yield from (path for path in tracked[:FIRST] if Path(root, path).exists())
    gone = frozenset(_listed(root, "--deleted") or ())
    yield from (path for path in tracked[FIRST:] if path not in gone)
    yield from _with_checkouts(root, _listed(root, "--others", "--exclude-standard") or ())


def _with_checkouts(root: str, listed: Iterable[str]) -> Iterator[str]:
    """Of a checkout inside what it lists Git tells no more than the folder."""
    for path in listed:
        if path.endswith("/"):
            yield from (path + file for file in _files(os.path.join(root, path)))  # noqa: PTH118 (keeps the bytes)
        else:
            yield path


def _below_ignores(folder: str) -> list[str] | None:
    """Every file that the `.gitignore`s from this folder on leave, by the rules of Git itself; None without Git."""
    with TemporaryDirectory(prefix="acp-tui-") as nothing:
        if _git(nothing, "init", "-q", "--template=") is None:
            return None
        skipped = (f"--exclude={name}/" for name in SKIPPED)
        return _listed(folder, "--others", "--exclude-standard", *skipped, GIT_DIR=f"{nothing}/.git", GIT_WORK_TREE=".")


def _listed(root: str, *options: str, **env: str) -> list[str] | None:
    """What `git ls-files` says; folders end in `/`."""
    told = _git(root, "ls-files", "-z", *options, **env)
    return None if told is None else os.fsdecode(told).split("\0")[:-1]


def _git(folder: str, *words: str, **env: str) -> bytes | None:
    """What Git says in a folder, None where there is no Git or it can do nothing there."""
    try:
        done = subprocess.run(  # noqa: S603 (a fixed command)
            [*_GIT, *words],
            cwd=folder,
            capture_output=True,
            timeout=GIT_WITHIN,
            check=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", **env},
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout


def _new_folders(path: str, seen: set[str]) -> Iterator[str]:
    """The folders that hold a path and were not told yet, the outermost first."""
    new: list[str] = []
    end = path.rfind("/")
    while end > 0 and path[:end] not in seen:
        seen.add(path[:end])
        new.append(path[:end])
        end = path.rfind("/", 0, end)
    return reversed(new)


def _walk(root: str) -> Iterator[str]:
    """Every file below a folder, the topmost first; links to folders are not followed."""
    folders = [""]
    for folder in folders:
        try:
            entries = sorted(os.scandir(root + "/" + folder), key=lambda entry: entry.name)
        except OSError:
            continue  # not ours to read
        told = _told_by_git(root + "/" + folder, {entry.name for entry in entries}, nested=folder != "")
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
