"""What the files of a session's folders are that is not in HEAD: changed, new and not ignored, gone."""

import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.changes.points import Changes, Point
from acp_tui.host.snapshots.states import PathChange
from acp_tui.host.system.blocking import Call, Threads, in_thread
from acp_tui.host.system.git import Git, find_checkout
from acp_tui.host.uncommitted.comparison import Comparison
from acp_tui.host.uncommitted.disk import Check
from acp_tui.host.uncommitted.head import find_head
from acp_tui.safe_text import named

HEAD = Point(-1, "head", 0, 0.0)
NO_CHECKOUT = "No Git checkout here"


class Uncommitted:
    """Compares these folders with HEAD, as `SessionChanges` does points. It is done in threads; raises `UserFault`."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = folders
        self._compared: dict[str, Comparison] = {}

    async def look(self, _since: Point = HEAD) -> Point:
        """Now; nothing is read before it is compared."""
        return Point(0, "now", 0, time.time())

    async def between(self, _head: Point, now: Point) -> Changes:
        """What is not committed; what could not be looked at is said in its notes."""
        call = Call()
        files, notes = await Threads().run(partial(self._compare_all, call.check), call)
        return Changes(HEAD, now, files, notes)

    async def texts(self, change: PathChange) -> tuple[bytes | None, bytes | None]:
        """What a file holds in HEAD and now; None where there is none."""
        try:
            return await in_thread(self._compared[change.root].texts, change)
        except OSError as error:
            raise UserFault("It cannot be read", reason_of(error)) from error

    def _compare_all(self, check: Check) -> tuple[Sequence[PathChange], Sequence[str]]:
        roots = _roots(self._folders)
        faults: dict[str, UserFault] = {}
        compared: dict[str, Comparison] = {}
        for root in roots:
            try:
                compared[root] = self._compare(root, Git(roots), check)
            except UserFault as fault:
                faults[root] = fault
        if not compared:
            raise next(iter(faults.values()))
        self._compared = compared
        files = [file for each in compared.values() for file in each.files]
        missing = [f"{fault.title}: {named(root)}" for root, fault in faults.items()]
        return files, [*(note for each in compared.values() for note in each.notes), *missing]

    def _compare(self, root: str, git: Git, check: Check) -> Comparison:
        head = find_head(root)
        if head is None:
            hint = "Uncommitted changes are those against Git's HEAD."
            raise UserFault(*((NO_CHECKOUT, hint) if Path(root).is_dir() else ("No such folder", named(root))))
        compared = Comparison(head, git, self._compared.get(root))
        try:
            compared.run(check)
        except OSError as error:
            raise UserFault("The folder cannot be compared", reason_of(error)) from error
        return compared


def _roots(folders: Sequence[str]) -> list[str]:
    """The real paths of folders, without those that lie in another one and belong to the same checkout."""
    tops = {root: (find_checkout(root) or ("",))[0] for root in dict.fromkeys(map(os.path.realpath, folders))}
    return [
        root
        for root, top in tops.items()
        if not any(other != root and top == tops[other] and Path(root).is_relative_to(other) for other in tops)
    ]
