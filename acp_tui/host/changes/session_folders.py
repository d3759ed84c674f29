"""The folders of a session, each with its store and with what takes snapshots of it."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import BinaryIO

import anyio

from acp_tui.errors import UserFault, reason_of
from acp_tui.frozen import Frozen
from acp_tui.host.changes.attribution import FolderRoots, Key
from acp_tui.host.changes.snapshot_settings import SnapshotSettings
from acp_tui.host.snapshots import folder_store
from acp_tui.host.snapshots.capture import Caps
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.path_state import PathChange
from acp_tui.host.snapshots.snapshot_client import Stamped, unstamped
from acp_tui.host.system.threads import in_thread


class Taken(Frozen):
    """What came of looking at all folders once: a snapshot and Git's HEAD by root, and what is not kept.

    `hint`: what can be done where nothing is.
    """

    trees: Mapping[str, str] = field(default_factory=dict)
    head: Mapping[str, str] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()
    hint: str = ""


class FolderComparison(Frozen):
    """What changed over a chain of points; `intervals` says between which of them, by root and path."""

    files: Sequence[PathChange] = ()
    intervals: Mapping[Key, tuple[int, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()


class SessionFolders:
    """Where nothing can be kept, `off` says why once they are looked at. A folder inside another one is not another.

    `run` names the journal of the session.
    """

    def __init__(self, settings: SnapshotSettings, written: Sequence[str]) -> None:
        self._settings, self.written = settings, tuple(written)
        self._opened: dict[str, FolderStore] = {}
        self._seen: tuple[str, ...] = ()
        self._looking = anyio.Lock()
        self.off, self.run = settings.off, ""
        self.are_full = False  # little more may be kept
        self.left_out: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[FolderStore]:
        return iter(self._opened.values())

    @property
    def roots(self) -> FolderRoots:
        return FolderRoots(tuple(each.written for each in self), tuple(each.root for each in self))

    @property
    def first(self) -> FolderStore | None:
        return next(iter(self), None)

    async def open(self) -> None:
        """Look at what is not looked at yet; raises UserFault where a store cannot be made."""
        async with self._looking:  # a second look at once would make a second store, which nobody removes
            if not (self.off or self._seen == self.written):
                await self._open()

    async def _open(self) -> None:
        written = self.written
        found, left_out = await in_thread(_stores, written, self._settings, self.run)
        self._seen = written
        self.left_out = tuple(left_out.values())
        for each in found:
            self._opened.setdefault(each.root, each)
        if not self._opened:
            self.off = next(iter(left_out.values()), "The folder of the session does not exist")

    async def take(
        self,
        also: Mapping[str, Sequence[str]],
        progress: Callable[[int, int], None] = lambda _read, _of: None,
        stamp: Stamped = unstamped,
        follow: Mapping[str, str] | None = None,
        earlier: Mapping[str, str] | None = None,
    ) -> Taken:
        """Keep how all of them are now, and of ignored paths those that are named by root in `also`.

        A folder of which that cannot be done is among the gaps. `stamp` says when a prompt has gone out, if one has.
        `follow` are trees, by root: what they keep is looked at though it is ignored now. What those of `earlier` say
        counts where a path is looked at too late.
        """
        followed, before = follow or {}, earlier or {}
        room = self._settings.store - await in_thread(folder_store.total_size)
        self.are_full = room < self._settings.store - self._settings.kept
        trees: dict[str, str] = {}
        head: dict[str, str] = {}
        gaps, hint = list(self.left_out), ""
        for folder in list(self):
            try:
                await in_thread(folder.prepare)  # somebody may have removed it meanwhile
                folder.worker.caps = Caps(snapshot=max(0, min(room, Caps().snapshot)))
                root = folder.root
                trees_of = followed.get(root, ""), before.get(root, "")
                snapshot = await folder.worker.snapshot(progress, also.get(root, ()), stamp, *trees_of)
            except UserFault as fault:
                gaps.append(": ".join(filter(None, (fault.title, fault.message))))
                hint = hint or fault.hint
                continue
            except OSError as error:
                gaps.append(f"No snapshot was taken: {reason_of(error)}")
                continue
            trees[folder.root] = snapshot.id
            gaps += snapshot.gaps
            if snapshot.head:
                head[folder.root] = snapshot.head
        return Taken(trees, head, tuple(dict.fromkeys(gaps)), hint)

    async def compare(self, chain: Sequence[Mapping[str, str]]) -> FolderComparison:
        """What changed from the first to the last of these trees; folders that both know."""
        files: list[PathChange] = []
        intervals: dict[Key, tuple[int, ...]] = {}
        notes: list[str] = []
        refs: list[str] = []
        for folder in list(self):
            known = [(at, trees[folder.root]) for at, trees in enumerate(chain) if folder.root in trees]
            if not known or known[0][0] != 0 or known[-1][0] != len(chain) - 1:
                if len(self._opened) > 1:
                    notes.append(f"Not kept at both points: {folder.written}")
                continue
            compared = await in_thread(folder.compare, [tree for _, tree in known])
            files += [each for each in compared.files if not each.path.startswith(self._inside(folder, chain))]
            for path, within in compared.intervals.items():
                # an interval that is not known at each point between ends where it is known again
                intervals[folder.root, path] = tuple(known[at + 1][0] - 1 for at in within)
            notes += compared.notes
            refs += compared.refs
        return FolderComparison(files, intervals, tuple(dict.fromkeys(notes)), tuple(dict.fromkeys(refs)))

    def _inside(self, outer: FolderStore, chain: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
        """The folders in this one that tell of themselves: it was added later than they."""
        whole = Path(outer.root)
        inner = [
            Path(each.root) for each in self if each is not outer and each.root in chain[0].keys() & chain[-1].keys()
        ]
        return tuple(f"{each.relative_to(whole).as_posix()}/" for each in inner if each.is_relative_to(whole))

    async def drop(self, looks: Sequence[Mapping[str, str]]) -> None:
        """Let go of what nobody looks at any more; what cannot be dropped stays until the store is pruned."""
        for folder in list(self):
            with suppress(UserFault):
                await in_thread(folder.drop, [trees[folder.root] for trees in looks if folder.root in trees])

    def folder(self, root: str) -> FolderStore | None:
        return self._opened.get(root)


class Stores:
    """The stores of all folders as one; what is kept goes to the first one."""

    def __init__(self, folders: Sequence[FolderStore]) -> None:
        self._folders = folders

    def get(self, digest: str) -> bytes:
        return self._holder(digest).get(digest)

    def has(self, digest: str) -> bool:
        return any(folder.has(digest) for folder in self._folders)

    def pieces(self, digest: str) -> Iterator[bytes]:
        return self._holder(digest).pieces(digest)

    def keep(self, content: bytes | BinaryIO) -> str:
        return self._folders[0].keep(content)

    def _holder(self, digest: str) -> FolderStore:
        return next((each for each in self._folders if each.has(digest)), self._folders[0])


def _stores(written: Sequence[str], settings: SnapshotSettings, run: str) -> tuple[list[FolderStore], dict[str, str]]:
    """Those of the folders that are no part of another one, made ready, and why others are left out."""
    found: list[FolderStore] = []
    left_out: dict[str, str] = {}
    reals = {own: os.path.realpath(own) for own in written}
    for own, real in reals.items():
        inside = any(real != other and Path(real).is_relative_to(other) for other in reals.values())
        if inside or any(each.root == real for each in found):
            continue
        if not Path(real).is_dir():
            left_out[own] = f"No such folder: {own}"
        elif reason := folder_store.refusal(real, everywhere=settings.everywhere):
            left_out[own] = f"No snapshots of {own}: {reason}"
        else:
            found.append(FolderStore(real, written=own, temporary=settings.passing, run=run))
            found[-1].prepare()
    return found, left_out


def remove_passing(folders: SessionFolders) -> None:
    """Remove the stores of a session that keeps nothing beyond this run; blocks."""
    for folder in folders:
        folder.remove()
