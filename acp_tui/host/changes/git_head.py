"""Git's HEAD: which files it has below a folder, and their bytes as they were committed, without any filter."""

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.file_reader import Contents, Digest, FolderHandles
from acp_tui.host.snapshots.path_state import ABSENT, Kind, PathState, Row, Stat, provable, state_of
from acp_tui.host.snapshots.tree_walk import head_of
from acp_tui.host.system.git import Git, GitView, content_of, find_checkout
from acp_tui.host.system.paths import tells_change_times
from acp_tui.startup import late

Begin = Callable[[int], Digest]
"""The digest for so many bytes."""
Check = Callable[[], None]
"""Called now and then; what it raises ends it."""


def openssl_digest(name: str, begin: bytes = b"") -> Digest:
    """The digest `sha1` or `sha256` for files, by OpenSSL: 5 to 8 times as fast as what a start gives `hashlib`."""
    try:
        kind = getattr(late("_hashlib"), f"openssl_{name}")
    except (ImportError, AttributeError):  # a Python without OpenSSL
        kind = getattr(hashlib, name)
    digest: Digest = kind(begin, usedforsecurity=False)
    return digest


class DiskReader:
    """Reads files below a root. What it read before is not read again while stat data proves that it is the same.

    `begin` gives the ids.
    """

    def __init__(self, root: str, begin: Begin) -> None:
        self._root, self._begin = root, begin
        self._proves = tells_change_times(root)
        self._known: dict[str, tuple[Stat, PathState]] = {}

    def states(self, paths: Iterable[str], seen: Mapping[str, Stat], check: Check, into: dict[str, PathState]) -> None:
        """How each of these is now; `seen` has stat data of this moment."""
        with FolderHandles(self._root) as folders:
            contents = Contents(folders, None, check=check, begin=self._begin)
            for path in paths:
                check()
                data, known = seen.get(path), self._known.get(path)
                if known is not None and known[0] == data:
                    into[path] = known[1]
                    continue
                looked = time.time_ns()
                row, data = contents.read(path, data)
                into[path] = state = _as_git_has_it(row)
                if self._proves and data is not None and state.digest:
                    self._known[path] = provable(data, looked), state

    def text(self, path: str, most: int) -> tuple[PathState, bytes]:
        """How a path is now, and its bytes, if there are at most so many."""
        kept: list[_Text] = []

        def begin(size: int) -> Digest:
            kept.append(_Text(self._begin(size)))
            return kept[-1]

        state = self.state(path, begin, most=most)
        return state, bytes(kept[-1].data) if kept else b""

    def state(self, path: str, begin: Begin, check: Check = lambda: None, most: int | None = None) -> PathState:
        """How a path is now, named by a digest of another kind."""
        with FolderHandles(self._root) as folders:
            return _as_git_has_it(Contents(folders, None, (most, None), check=check, begin=begin).read(path)[0])


class _Text:
    def __init__(self, digest: Digest) -> None:
        self.digest, self._update, self.data = digest.digest, digest.update, bytearray()

    def update(self, data: bytes, /) -> None:
        self._update(data)
        self.data += data


def _as_git_has_it(row: Row | None) -> PathState:
    """Git knows no folders, and of a file's mode only whether its owner may run it."""
    state = ABSENT if row is None else state_of(row)
    if state.kind == "folder":
        return ABSENT
    return replace(state, mode=(0o755 if state.mode & 0o100 else 0o644) if state.kind == "file" else 0)


NO_HEAD = "Git's HEAD cannot be read"
NO_FILES = "Git cannot read the files of HEAD"
NOT_HERE = "Git has no local copy of it"
_COMMIT = re.compile("[0-9a-f]{40}([0-9a-f]{24})?")
_ELSEWHERE = "ref: refs/heads/.invalid"  # what HEAD says where references are kept as a reftable
_REFS_AT_MOST = 16 << 20  # bytes
_MODULE = "160000"
_MODES: Mapping[str, tuple[Kind, int]] = {
    "100644": ("file", 0o644),
    "100664": ("file", 0o644),  # in old repositories
    "100755": ("file", 0o755),
    "120000": ("link", 0),
}


class CommitTree(Frozen):
    """The files of a commit by their paths, the folders of submodules, and how many paths Git would never write."""

    files: Mapping[str, PathState]
    modules: Sequence[str] = ()
    odd: int = 0


class GitHead(Frozen):
    """The commit (empty before the first one) of the checkout around `root`.

    `top` is its work tree, `common` holds its objects.
    """

    root: str
    top: Path
    common: Path
    commit: str

    def blob_id(self, size: int) -> Digest:
        """The id that Git gives to a blob of so many bytes, which it is told one after the other."""
        return openssl_digest("sha256" if len(self.commit) > 40 else "sha1", b"blob %d\0" % size)

    def open(self, git: Git) -> GitView:
        """Git with its objects, as a context; raises `UserFault`."""
        view = git.objects_of(self.common, sha256=len(self.commit) > 40)
        if view is None:
            raise UserFault("Git cannot be run", "It was not found, or the disk has no room for temporary files.")
        return view

    def tree(self, view: GitView) -> CommitTree:
        """What is committed below `root`; raises `UserFault` where that cannot be read."""
        if not self.commit:
            return CommitTree({})
        prefix = "".join(f"{part}/" for part in Path(self.root).relative_to(self.top).parts)
        words = "--literal-pathspecs", "ls-tree", "-r", "-l", "-z", "--full-tree", "--", self.commit
        output = view.run(view.folder, *words, *([prefix] if prefix else ()), done=(0,))  # 1: a folder is missing
        if output is None:
            raise UserFault(NO_FILES, f"Its commit is {self.commit[:12]}.")
        files: dict[str, PathState] = {}
        modules, odd = list[str](), 0
        for entry in os.fsdecode(output).split("\0")[:-1]:
            about, _, path = entry.removesuffix("\0").partition("\t")
            mode, _, blob, size = about.split()
            path = path.removeprefix(prefix)
            if any(part in ("", ".", "..") or part.lower() == ".git" for part in path.split("/")):
                odd += 1
            elif mode == _MODULE:
                modules.append(path)
            elif mode in _MODES:
                there = size.isdigit()  # a clone need not have all that is in HEAD
                files[path] = PathState(*_MODES[mode], int(size) if there else 0, blob, "" if there else NOT_HERE)
        return CommitTree(files, modules, odd)

    def blobs(self, view: GitView, ids: Sequence[str]) -> dict[str, bytes]:
        """What these hold, but those that are not there or do not have the id that their bytes give.

        A damaged one may cost those behind it: they are to be asked for by themselves.
        """
        found, output, at = dict[str, bytes](), view.cat_file(ids), 0
        while (end := output.find(b"\n", at)) >= 0:
            words = output[at:end].split()  # the id, `blob` and the size; or the id and `missing`
            size = int(words[2]) if len(words) == 3 else -1
            data = output[end + 1 : end + 1 + size] if size > 0 else b""
            at = end + 2 + size
            digest = self.blob_id(len(data))
            digest.update(data)
            if digest.digest().hex().encode() == words[0]:
                found[words[0].decode()] = data
        return found


def find_head(root: str) -> GitHead | None:
    """What is committed around a folder (a real path); None where there is no checkout. It blocks.

    Raises `UserFault` where there is one that cannot be read: not to know what is committed is not to have nothing.
    """
    checkout = find_checkout(root)
    if checkout is None:
        return None
    top, own, common = checkout
    head = head_of(root)
    if head.head == _ELSEWHERE:
        raise UserFault(NO_HEAD, "Its references are in a reftable.")
    name, packed = head.head.removeprefix("ref: "), common / "packed-refs"
    hidden = os.path.lexists(packed) and content_of(packed, _REFS_AT_MOST) is None
    loose = any(os.path.lexists(place / name) for place in (own, common))
    unborn = not head.commit and name.startswith("refs/") and not hidden and not loose
    if not unborn and not _COMMIT.fullmatch(head.commit):
        raise UserFault(NO_HEAD)
    return GitHead(root, top, common, head.commit)
