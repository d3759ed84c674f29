"""The folders of a session, each with its store and with what takes snapshots of it."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import BinaryIO

import anyio

from acp_tui.errors import UserFault, reason_of
from acp_tui.frozen import Frozen
from acp_tui.host.changes.settings import SnapshotSettings
from acp_tui.host.changes.who import Key, Roots
from acp_tui.host.snapshots import places
from acp_tui.host.snapshots.manifest import Manifests
from acp_tui.host.snapshots.places import Place
from acp_tui.host.snapshots.scan import Caps
from acp_tui.host.snapshots.states import PathChange, PathState
from acp_tui.host.snapshots.store import Store
from acp_tui.host.snapshots.table import FILE, KEPT, LINK, Row
from acp_tui.host.snapshots.worker import Stamped, Worker, unstamped
from acp_tui.host.system.blocking import in_thread


class Folder(Frozen):
    """A folder as it is written and by its real path, and its store."""

    written: str
    root: str
    place: Place
    store: Store
    worker: Worker


class Taken(Frozen):
    """What came of looking at all folders once: a manifest and Git's HEAD by root, and what is not kept."""

    trees: Mapping[str, str] = field(default_factory=dict)
    head: Mapping[str, str] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()


class Compared(Frozen):
    """What changed over a chain of points; `intervals` says between which of them, by root and path."""

    files: Sequence[PathChange] = ()
    intervals: Mapping[Key, tuple[int, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()


class Folders:
    """Where nothing can be kept, `off` says why once they are looked at. A folder inside another one is not another.

    `run` names the journal of the session.
    """

    def __init__(self, settings: SnapshotSettings, written: Sequence[str]) -> None:
        self._settings, self.written = settings, tuple(written)
        self._opened: dict[str, Folder] = {}
        self._seen: tuple[str, ...] = ()
        self._looking = anyio.Lock()
        self.off, self.run = settings.off, ""
        self.left_out: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Folder]:
        return iter(self._opened.values())

    @property
    def roots(self) -> Roots:
        return Roots(tuple(each.written for each in self), tuple(each.root for each in self))

    @property
    def first(self) -> Folder | None:
        return next(iter(self), None)

    async def open(self) -> None:
        """Look at what is not looked at yet; raises UserFault where a store cannot be made."""
        async with self._looking:  # a second look at once would make a second store, which nobody removes
            if not (self.off or self._seen == self.written):
                await self._open()

    async def _open(self) -> None:
        written = self.written
        found, left_out = await in_thread(_looked_at, written, self._settings)
        self._seen = written
        self.left_out = tuple(left_out.values())
        for own, root, place in found:
            if root not in self._opened:
                caps = Caps(file=self._settings.file, snapshot=self._settings.snapshot)
                self._opened[root] = Folder(
                    own, root, place, Store(place.folder), Worker(root, place.folder, caps, self.run)
                )
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
        trees: dict[str, str] = {}
        head: dict[str, str] = {}
        gaps = list(self.left_out)
        for folder in list(self):
            try:
                await in_thread(folder.place.prepare)  # somebody may have removed it meanwhile
                root = folder.root
                trees_of = followed.get(root, ""), before.get(root, "")
                snapshot = await folder.worker.snapshot(progress, also.get(root, ()), stamp, *trees_of)
            except UserFault as fault:
                gaps.append(": ".join(filter(None, (fault.title, fault.message))))
                continue
            except OSError as error:
                gaps.append(f"No snapshot was taken: {reason_of(error)}")
                continue
            trees[folder.root] = snapshot.id
            gaps += snapshot.gaps
            if snapshot.head:
                head[folder.root] = snapshot.head
        return Taken(trees, head, tuple(dict.fromkeys(gaps)))

    async def compare(self, chain: Sequence[Mapping[str, str]]) -> Compared:
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
            compared = await folder.worker.compare([tree for _, tree in known])
            files += [each for each in compared.files if not each.path.startswith(self._inside(folder, chain))]
            for path, within in compared.intervals.items():
                # an interval that is not known at each point between ends where it is known again
                intervals[folder.root, path] = tuple(known[at + 1][0] - 1 for at in within)
            notes += compared.notes
            refs += compared.refs
        return Compared(files, intervals, tuple(dict.fromkeys(notes)), tuple(dict.fromkeys(refs)))

    def _inside(self, outer: Folder, chain: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
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
                await folder.worker.prune(drop=[trees[folder.root] for trees in looks if folder.root in trees])

    def folder(self, root: str) -> Folder | None:
        return self._opened.get(root)


class Stores:
    """The stores of all folders as one; what is kept goes to the first one."""

    def __init__(self, folders: Sequence[Folder]) -> None:
        self._folders = folders

    def get(self, digest: str) -> bytes:
        return self._holder(digest).get(digest)

    def has(self, digest: str) -> bool:
        return any(folder.store.has(digest) for folder in self._folders)

    def pieces(self, digest: str) -> Iterator[bytes]:
        return self._holder(digest).pieces(digest)

    def keep(self, content: bytes | BinaryIO) -> str:
        return self._folders[0].store.keep(content)

    def _holder(self, digest: str) -> Store:
        return next((each.store for each in self._folders if each.store.has(digest)), self._folders[0].store)


def name_bytes(folder: Folder, states: Iterable[PathState]) -> str:
    """Write a manifest of those that are kept there, so that their bytes stay; empty if none is. It blocks.

    Raises `UserFault`.
    """
    kinds, store = {"file": FILE, "link": LINK}, folder.store
    rows = {
        f"{at}": Row(kinds[state.kind], KEPT, state.mode, state.size, bytes.fromhex(state.digest))
        for at, state in enumerate(states)
        if state.kind in kinds and state.digest and store.has(state.digest)
    }
    if not rows:
        return ""
    with store.writing():
        info = {"time": time.time(), "head": ["", "", ""], "gaps": [], "run": folder.worker.run}
        return Manifests(store).write(rows, info)


def _looked_at(
    written: Sequence[str], settings: SnapshotSettings
) -> tuple[list[tuple[str, str, Place]], dict[str, str]]:
    """The folders that are no part of another one, with their stores, and why others are left out."""
    found: list[tuple[str, str, Place]] = []
    left_out: dict[str, str] = {}
    reals = {own: os.path.realpath(own) for own in written}
    for own, real in reals.items():
        inside = any(real != other and Path(real).is_relative_to(other) for other in reals.values())
        if inside or any(root == real for _, root, _ in found):
            continue
        if not Path(real).is_dir():
            left_out[own] = f"No such folder: {own}"
        elif reason := places.refusal(real, everywhere=settings.everywhere):
            left_out[own] = f"No snapshots of {own}: {reason}"
        else:
            place = places.temporary_place(real) if settings.passing else Place(real, places.place_of(real))
            place.prepare()
            found.append((own, real, place))
    return found, left_out


def remove_passing(folders: Folders) -> None:
    """Remove the stores of a session that keeps nothing beyond this run; blocks."""
    for folder in folders:
        folder.place.remove()
