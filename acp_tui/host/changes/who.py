"""Who changed a file in a turn, as far as tool calls tell: which paths each of them names."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.states import PathChange
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.folds.writes import LONGEST_PATH
from acp_tui.session.tools.diffs import told_diffs
from acp_tui.session.tools.input import read_input
from acp_tui.session.tools.patches import paths_in_patches

CHANGING = ("edit", "delete", "move")  # kinds of calls whose input names the files that they change
READING = ("read", "search", "fetch")  # kinds whose locations are only looked at; those of all others may be changed
WHOLE = ("delete", "move")  # kinds that take what is in a folder with it
NAMED_AT_MOST = 2_000  # paths of one turn

Key = tuple[str, str]
"""The root and the path below it, as in a `PathChange`."""


class Roots(Frozen):
    """Folders of a session: as they are written, and their real paths, in the same order."""

    written: tuple[str, ...]
    real: tuple[str, ...]

    def key(self, path: str) -> Key | None:
        """Which root holds an absolute path, and where; nothing is looked up. None: none of them, or the root itself.

        A root is named as it is written or as it is.
        """
        path = os.path.normpath(path)
        for own, real in zip(self.written, self.real, strict=True):
            for root in (real, own):
                inner = path.removeprefix(root.rstrip(os.sep) + os.sep)
                if inner != path:
                    return real, inner.replace(os.sep, "/")
        return None


class Named(Frozen):
    """Which call names a path, by its root and path, the last one that does. `whole`: those that mean a whole folder.

    `cut`: there were more than are kept.
    """

    calls: Mapping[Key, str] = field(default_factory=dict)
    whole: frozenset[Key] = frozenset()
    cut: bool = False

    def call(self, key: Key) -> str | None:
        """The id of the call that names this path, or a folder around it as a whole; None where none does."""
        if key in self.calls:
            return self.calls[key]
        root, path = key
        while "/" in path:
            path = path.rpartition("/")[0]
            if (root, path) in self.whole:
                return self.calls[root, path]
        return None


@dataclass(slots=True, eq=False)
class TurnCalls:
    """The tool calls of a turn, each with the folder that its paths are relative to, and what was written for it."""

    calls: dict[int, tuple[str, ToolCallEntry]] = field(default_factory=dict)  # by identity: ids are of one session
    written: dict[str, str] = field(default_factory=dict)

    @property
    def commands(self) -> bool:
        """Whether commands ran in it."""
        return any(call.kind == "execute" for _, call in self.calls.values())

    def named(self, roots: Roots) -> Named:
        """What they name. It takes a while for thousands: call it in a thread."""
        calls: dict[Key, str] = {}
        whole: set[Key] = set()
        for path, row in list(self.written.items()):
            if (key := roots.key(path)) is not None:
                calls[key] = row
        for folder, call in list(self.calls.values()):
            for path in paths_of(call) if call.stopped != "rejected" else ():
                key = roots.key(os.path.join(folder, path))  # noqa: PTH118 (a text)
                if key is None:
                    continue
                if len(calls) >= NAMED_AT_MOST and key not in calls:
                    return Named(calls, frozenset(whole), cut=True)
                calls[key] = call.id
                if call.kind in WHOLE:
                    whole.add(key)
        return Named(calls, frozenset(whole))


def paths_of(call: ToolCallEntry) -> Iterator[str]:
    """The paths that a call names and may have changed, as it writes them: by diffs and patches, what was written here
    for it, its locations, its input.
    """
    yield from islice(_paths_of(call), NAMED_AT_MOST)


def _paths_of(call: ToolCallEntry) -> Iterator[str]:
    for diff in (*told_diffs(call), *call.written):
        named = [diff.path, *(each for change in diff.changes or () for each in (change.path, change.old_path))]
        yield from filter(_is_path, named)
    if call.kind not in READING:
        yield from filter(_is_path, (location.path for location in call.locations))
        yield from filter(_is_path, paths_in_patches(call.raw_input))
    if call.kind in CHANGING:
        yield from filter(_is_path, read_input(call.raw_input, call.kind).named["place"])


def _is_path(path: str | None) -> bool:
    return bool(path) and len(path or "") < LONGEST_PATH and "\0" not in (path or "")


def attributed(files: Iterable[PathChange], own: Named, others: Sequence[Named] = ()) -> list[PathChange]:
    """The changes of a turn with who made each: its own call, else `outside` where only another session names it."""
    return [_attributed(each, own, others) for each in files]


def _attributed(change: PathChange, own: Named, others: Sequence[Named]) -> PathChange:
    keys = [change.key] + ([(change.root, change.old_path)] if change.old_path else [])
    call = next((call for key in keys if (call := own.call(key)) is not None), None)
    if call is not None:
        return replace(change, who="agent", tool_call=call)
    if any(other.call(key) is not None for other in others for key in keys):
        return replace(change, who="outside", tool_call="")
    return replace(change, who="unknown", tool_call="")
