"""The files below a folder as they are now, named by the ids that Git gives to their bytes."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from acp_tui.host.snapshots.path_row import Row, Stat, provable
from acp_tui.host.snapshots.reading import Contents, Digest, Folders
from acp_tui.host.snapshots.states import ABSENT, PathState, state_of
from acp_tui.host.system.file_systems import tells_change_times

Begin = Callable[[int], Digest]
"""The digest for so many bytes."""
Check = Callable[[], None]
"""Called now and then; what it raises ends it."""


class Disk:
    """Reads files below a root. What it read before is not read again while stat data proves that it is the same.

    `begin` gives the ids.
    """

    def __init__(self, root: str, begin: Begin) -> None:
        self._root, self._begin = root, begin
        self._proves = tells_change_times(root)
        self._known: dict[str, tuple[Stat, PathState]] = {}

    def states(self, paths: Iterable[str], seen: Mapping[str, Stat], check: Check, into: dict[str, PathState]) -> None:
        """How each of these is now; `seen` has stat data of this moment."""
        with Folders(self._root) as folders:
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
        with Folders(self._root) as folders:
            return _as_git_has_it(Contents(folders, None, most, check=check, begin=begin).read(path)[0])


class _Text:
    """The bytes themselves beside their digest."""

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
