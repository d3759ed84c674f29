"""A small tree on the disk, how it is at one moment by means of its own, and a store that is a dictionary."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from acp_tui.host.revert import plan
from acp_tui.host.revert.apply import take_back
from acp_tui.host.revert.steps import Outcome, Preview, Step, TakenBack
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, Status, Who
from acp_tui.host.system.sandbox_paths import SandboxRoots

States = dict[str, PathState]


class DictStore:
    """`full`: nothing can be kept any more. `kept`: what was."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.full = False

    def has(self, digest: str) -> bool:
        return digest in self.kept

    def pieces(self, digest: str) -> Iterator[bytes]:
        yield self.kept[digest]

    def keep(self, data: bytes | BinaryIO) -> str:
        if self.full:
            raise OSError(28, "No space left on device")
        content = data if isinstance(data, bytes) else data.read()
        digest = blake2b(content, digest_size=20).hexdigest()
        self.kept[digest] = content
        return digest


class Tree:
    """A root, what is in it, and what became of it between two looks."""

    def __init__(self, root: Path) -> None:
        root.mkdir(exist_ok=True)
        self.path, self.root = root, os.path.realpath(root)
        self.store, self.roots = DictStore(), SandboxRoots([Path(self.root)])
        self.taken: list[TakenBack] = []

    def look(self, *, keep: bool = True) -> States:
        """All that there is, byte by byte; kept as a snapshot does it."""
        found: States = {}
        for folder, folders, files in os.walk(self.root):
            for name in [*folders, *files]:
                full = Path(folder, name)
                found[str(full.relative_to(self.root))] = self._state(full, keep)
        return found

    def _state(self, full: Path, keep: bool) -> PathState:
        info = os.lstat(full)
        mode = stat.S_IMODE(info.st_mode)
        if stat.S_ISDIR(info.st_mode):
            return PathState("folder", mode)
        if not (stat.S_ISLNK(info.st_mode) or stat.S_ISREG(info.st_mode)):
            return PathState("unknown", mode, reason="special file")
        data = os.fsencode(full.readlink()) if stat.S_ISLNK(info.st_mode) else full.read_bytes()
        digest = blake2b(data, digest_size=20).hexdigest()
        if keep:
            self.store.kept[digest] = data
        return PathState("link" if stat.S_ISLNK(info.st_mode) else "file", mode, len(data), digest)

    def changes(
        self, before: Mapping[str, PathState], after: Mapping[str, PathState], who: Who = "agent"
    ) -> list[PathChange]:
        """What became of each path; a file that is gone and one that is new with its bytes are a rename."""
        found = {}
        for path in sorted({*before, *after}):
            old, new = before.get(path, ABSENT), after.get(path, ABSENT)
            if old != new:
                found[path] = PathChange(self.root, path, status_of(old, new), old, new, who=who)
        for path, gone in list(found.items()):
            if gone.status == "deleted" and gone.before.kind in ("file", "link"):
                self._pair(path, gone, found)
        return list(found.values())

    def _pair(self, path: str, gone: PathChange, found: dict[str, PathChange]) -> None:
        for other, new in found.items():
            same = new.status == "new" and new.after.kind == gone.before.kind and new.after.digest == gone.before.digest
            if same:
                found[other] = PathChange(self.root, other, "renamed", gone.before, new.after, path, who=new.who)
                del found[path]
                return

    def preview(self, changes: Sequence[PathChange]) -> Preview:
        return plan.plan_revert("Turn 1", changes, self.roots, self.store)

    def take(self, preview: Preview, chosen: Sequence[Step] | None = None) -> list[Outcome]:
        """Do the steps that are chosen beforehand, or these."""
        wanted = [step for step in preview.steps if step.chosen] if chosen is None else chosen
        outcomes, steps = take_back(preview, wanted, self.roots, self.store)
        number = len(self.taken) + 1
        self.taken.append(TakenBack(preview.words, steps, undoes=preview.undoes, number=number, outcomes=outcomes))
        return outcomes

    def undo(self, *, forced: bool = False) -> list[Outcome]:
        """Undo what was done last."""
        preview = plan.plan_redo(self.taken[-1], self.roots, self.store)
        return self.take(preview, [step for step in preview.steps if step.chosen or (forced and step.forcible)])


def status_of(old: PathState, new: PathState) -> Status:
    if old == ABSENT:
        return "new"
    if new == ABSENT:
        return "deleted"
    if old.kind != new.kind:
        return "kind"
    return "mode" if old.digest == new.digest else "changed"
