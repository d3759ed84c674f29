"""The snapshots of one folder: what is kept of it, what differs between two moments, and letting go of that."""

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import BinaryIO

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots import places
from acp_tui.host.snapshots.compare import LineCounts, changes, head_changes, intervals, row_at
from acp_tui.host.snapshots.content import Content
from acp_tui.host.snapshots.database import Database
from acp_tui.host.snapshots.scan import Caps
from acp_tui.host.snapshots.snapshot_rows import Snapshots
from acp_tui.host.snapshots.states import PathChange, PathState, state_of
from acp_tui.host.snapshots.worker import Worker
from acp_tui.safe_text import one_line


class Compared(Frozen):
    """What changed between the ends of a chain of snapshots.

    `intervals`, by path: the places in the chain behind which it changed. `notes`: what has to be said, one idea each.
    `refs`: what became of HEAD and stash, one idea each.
    """

    files: Sequence[PathChange] = ()
    intervals: Mapping[str, Sequence[int]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    refs: Sequence[str] = ()


class FolderStore:
    """The store of the folder `root` (absolute, real; `written`: as the session names it) at `folder`.

    A `temporary` one is removed with `remove`, or at the next start after a crash. `worker` takes snapshots; all else
    blocks, raises `StoreFault` where the store fails, and belongs into a thread. Digests are hex; paths are relative to
    `root`. `run` is what its snapshots say of whose they are, so that one of which nobody heard is found.
    """

    def __init__(
        self,
        root: str,
        folder: Path | None = None,
        *,
        written: str = "",
        temporary: bool = False,
        caps: Caps | None = None,
        run: str = "",
    ) -> None:
        self.root, self.written, self.temporary = root, written or root, temporary
        self.folder = folder or (places.temporary_place() if temporary else places.place_of(root))
        self.database = Database(self.folder)
        self.content, self._snapshots = Content(self.database), Snapshots(self.database)
        self.worker = Worker(root, self.folder, caps, run)
        self._held: int | None = None

    def prepare(self) -> None:
        """Make the store, if it is not there; raises OSError."""
        places.prepare(self.folder, self.root)
        if self.temporary and self._held is None:
            self._held = places.hold(self.folder)

    def remove(self) -> None:
        """Remove all of it; what cannot be removed stays."""
        self.database.close()
        if self._held is not None:
            os.close(self._held)
            self._held = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def has(self, digest: str) -> bool:
        return self.content.has(digest)

    def get(self, digest: str) -> bytes:
        return self.content.get(digest)

    def pieces(self, digest: str) -> Iterator[bytes]:
        return self.content.pieces(digest)

    def keep(self, data: bytes | BinaryIO) -> str:
        return self.content.keep(data)

    def hold(self, states: Iterable[PathState]) -> bool:
        """Have the bytes of these stay as long as this run, whatever becomes of snapshots; whether some are kept."""
        digests = [state.digest for state in states if state.kind in ("file", "link") and state.digest]
        return self._snapshots.hold(digests, self.worker.run)

    def need(self, run: str, names: Iterable[str], like: Collection[str] = ()) -> None:
        """Have these snapshots stay as long as a run, and what other runs hold that are `like` it."""
        self._snapshots.need(run, names, like)

    def compare(self, chain: Sequence[str], *, counts: bool = True) -> Compared:
        """What changed between the first and the last of these snapshots; `counts`: lines are counted.

        All of it, however much: undo has to know each path.
        """
        trees, paths = self._snapshots.chain(chain)
        files = changes(self.root, trees, paths)
        within = {change.path: intervals(trees, change) for change in files}
        if counts:
            files = list(map(LineCounts(self.content.get).counted, files))
        first, last = self._snapshots.info(chain[0]), self._snapshots.info(chain[-1])
        gaps = dict.fromkeys(map(one_line, [*first["gaps"], *last["gaps"]]))
        return Compared(files, within, list(gaps), list(map(one_line, head_changes(first["head"], last["head"]))))

    def states(self, name: str, paths: Sequence[str]) -> dict[str, PathState]:
        """How paths are in a snapshot: `absent` only what was not there, `unknown` what may have been."""
        tree = self._snapshots.tree(name, paths)
        return {path: state_of(row_at(tree, path)) for path in paths}

    def below(self, name: str, folder: str) -> dict[str, PathState]:
        """How all is that a snapshot has below a folder; of the root if it is empty."""
        tree = self._snapshots.below(name, folder)
        prefix = f"{folder}/" if folder else ""
        return {path: state_of(row_at(tree, path)) for path in tree.rows if path and path.startswith(prefix)}

    def forget(self, runs: Collection[str], before: float) -> None:
        """Delete all that is known of these runs, and with it all bytes that no other run needs.

        What no run needs since an end goes, too, if it was kept before a time (Unix seconds).
        """
        self.drop(self._snapshots.forget(runs, before))
        if runs:
            self._snapshots.rewrite()

    def names(self) -> list[str]:
        """Its snapshots, the oldest first."""
        return self._snapshots.names()

    def drop(self, names: Sequence[str], check: Callable[[], None] = lambda: None) -> None:
        """Let go of snapshots and of what is held, with all bytes that nothing else names; takes seconds for many.

        `check` is called between two steps, and may raise to end it there.
        """
        self._snapshots.drop(names, check)
