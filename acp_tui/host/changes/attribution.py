"""Attribution of the changes of a turn: by what its calls name, by when its commands ran, by what other sessions name.

A label and a choice made beforehand, never a lock. Change times (ctime) tell whether a file changed while a command
ran: nobody sets them, and each write, rename and chmod moves them on.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.path_state import PathChange, Who, folders_above
from acp_tui.protocol.vocabulary.tool_calls import FINISHED_STATUSES
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.folds.file_changes import LONGEST_PATH
from acp_tui.session.tools.input import read_input, subagent_call
from acp_tui.session.tools.patches import paths_in_patches, told_diffs
from acp_tui.session.tools.title import READING

CHANGING = ("edit", "delete", "move")  # kinds of calls whose input names the files that they change
WHOLE = ("delete", "move")  # kinds that take what is in a folder with it
NAMED_AT_MOST = 2_000  # paths of one turn
EARLIER = 0.25  # seconds: a busy program reads late what an agent has sent, and file times are a tick behind (10 ms)
LATER = 2.0  # seconds after the end of a call in which what it did may still reach the disk
_GIT = re.compile(r"\bgit\b")
_BACKGROUND = re.compile("background", re.IGNORECASE)

Key = tuple[str, str]
"""The root and the path below it, as in a `PathChange`."""


class FolderRoots(Frozen):
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


class Ran(Frozen):
    """When calls ran that may have changed what they do not name, and when any call may have: Unix seconds.

    `spans` are those of commands and unknown tools; `acts` also those of edits, moves and deletions. `last` is when the
    last of all these was over, with its delay. `git`: one of them names git.
    """

    spans: tuple[tuple[float, float], ...] = ()
    acts: tuple[tuple[float, float], ...] = ()
    last: float = 0.0
    git: bool = False


@dataclass(slots=True, eq=False)
class TurnCalls:
    """The tool calls of a turn, each with the folder that its paths are relative to, and what was written for it.

    `signs` is when something was heard of a call first, by its identity, or right before it came as done already;
    `wrote_at` is when a file was written for the agent last: Unix seconds. `again` is when more came of a call that was
    over before this turn `began`, for agents use an id once more: seconds of the session's clock, as `began`.
    """

    began: float = -inf
    calls: dict[int, tuple[str, ToolCallEntry]] = field(default_factory=dict)  # by identity: ids are of one session
    written: dict[str, str] = field(default_factory=dict)
    signs: dict[int, float] = field(default_factory=dict)
    again: dict[int, float] = field(default_factory=dict)
    wrote_at: float = 0.0

    @property
    def commands(self) -> bool:
        return any(call.kind == "execute" for _, call in self.calls.values())

    def add(
        self, folder: str, call: ToolCallEntry, wall: Callable[[float], float], heard_before: float, now: float = -inf
    ) -> None:
        """Note a call, or that there is more of it `now`; `wall` makes Unix seconds of those of the session's clock."""
        self.calls[id(call)] = folder, call
        if call.finished_at is not None and call.finished_at < self.began:
            self.again[id(call)] = now
        if id(call) not in self.signs:
            came_done = call.status in FINISHED_STATUSES
            self.signs[id(call)] = wall(min(call.started_at, heard_before) if came_done else call.started_at)

    def ran(self, wall: Callable[[float], float], background: Collection[str | None] = ()) -> Ran:
        """When they ran; the calls whose ids are in `background` still do."""
        acting = [call for _, call in list(self.calls.values()) if _acts(call)]
        times = {id(call): self._span(call, wall, background) for call in acting}
        spans = [times[id(call)] for call in acting if call.kind not in CHANGING or not any(paths_of(call))]
        last = max([end for _, end in times.values()], default=0.0)
        git = any(_GIT.search(f"{call.title} {_words(call.raw_input)}") for call in acting)
        return Ran(tuple(spans), tuple(times.values()), max(last, self.wrote_at + LATER), git)

    def _span(
        self, call: ToolCallEntry, wall: Callable[[float], float], background: Collection[str | None]
    ) -> tuple[float, float]:
        goes_on = call.finished_at is None or call.id in background or _in_background(call.raw_input)
        end = inf if goes_on else wall(max(call.finished_at or 0.0, self.again.get(id(call), -inf))) + LATER
        return self.signs.get(id(call), wall(call.started_at)) - EARLIER, end

    def named(self, roots: FolderRoots) -> Named:
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


def _acts(call: ToolCallEntry) -> bool:
    """Whether it may have changed files: a `think` is a subagent where it has a prompt, as plain calls of some are."""
    if call.stopped == "rejected" or call.kind in (*READING, "switch_mode"):
        return False
    prompted = isinstance(call.raw_input, Mapping) and "prompt" in call.raw_input
    return call.kind != "think" or prompted or subagent_call(call.name or call.title, [call.raw_input]) is not None


def _in_background(raw_input: Any) -> bool:
    """Whether a command was begun that outlives its call: `run_in_background`, `is_background`, …"""
    flags = raw_input.items() if isinstance(raw_input, Mapping) else ()
    return any(value is True and isinstance(name, str) and _BACKGROUND.search(name) for name, value in flags)


def _words(raw_input: Any) -> str:
    """The texts of an input that may be a command: itself, its members, and the words of a list among them."""
    values = raw_input.values() if isinstance(raw_input, Mapping) else [raw_input]
    lists = (value if isinstance(value, list) else [value] for value in values)
    return " ".join(each[:LONGEST_PATH] for value in lists for each in value[:100] if isinstance(each, str))


_NAMES = "agents cargo changeset circleci claude config cursor devcontainer forgejo github gitlab husky idea vscode zed"
PROJECT_FOLDERS = frozenset(f".{name}" for name in _NAMES.split())
"""Dot-folders in which people work: none is an agent's own for having changed in a turn without a call."""

ChangedAt = Callable[[PathChange], float | None]
"""When a path changed last: its ctime, or of what is gone its folder's, in Unix seconds; None: it proves nothing."""


class Evidence(Frozen):
    """What is known of a turn. `moved`: roots whose HEAD is another one. `own_folders`: relative to any root.

    `no_calls`: the agent did nothing but talk.
    """

    named: Named
    ran: Ran = Ran()
    others: Sequence[Named] = ()
    moved: Collection[str] = ()
    own_folders: Collection[str] = ()
    no_calls: bool = False


def attributed(files: Iterable[PathChange], evidence: Evidence, changed_at: ChangedAt) -> list[PathChange]:
    """The changes of a turn with who made each; it blocks as `changed_at` does.

    What is in a folder that came in this turn came at the latest with it: a rename leaves the times below it old.
    """
    files = list(files)
    came = {each.key: each for each in files if (each.before.kind, each.after.kind) == ("absent", "folder")}

    def latest(change: PathChange) -> float | None:
        times = [changed_at(change)]
        if change.status in ("new", "renamed"):
            times += [changed_at(came[key]) for key in folders_above(change) if key in came]
        return None if None in times else max(when for when in times if when is not None)

    return [_attributed(each, evidence, latest) for each in files]


def own_folder(path: str, own_folders: Collection[str]) -> str:
    """Which of these folders is a path, or holds it; empty if none does."""
    return next((each for each in own_folders if path == each or path.startswith(f"{each}/")), "")


def _attributed(change: PathChange, evidence: Evidence, changed_at: ChangedAt) -> PathChange:
    keys = keys_of(change)
    call = next((call for key in keys if (call := evidence.named.call(key)) is not None), None)
    if call is not None:
        late = _when(change, evidence.ran.last, changed_at) > evidence.ran.last
        return replace(change, who="afterwards" if late else "agent", tool_call=call)
    return replace(change, who=_unnamed(change, keys, evidence, changed_at), tool_call="")


def keys_of(change: PathChange) -> list[Key]:
    """The path, and where it was before it was renamed."""
    return [change.key] + ([(change.root, change.old_path)] if change.old_path else [])


def _unnamed(change: PathChange, keys: Sequence[Key], evidence: Evidence, changed_at: ChangedAt) -> Who:
    if all(own_folder(path, evidence.own_folders) or _may_be_own(change, path, evidence) for _, path in keys):
        return "own"
    if any(other.call(key) is not None for other in evidence.others for key in keys):
        return "session"
    ran = evidence.ran
    spans = ran.acts if change.after.kind == "absent" else ran.spans
    if not ran.spans or (change.root in evidence.moved and not ran.git):
        return "unknown"
    when = changed_at(change)
    return "command" if when is None or any(begin <= when <= end for begin, end in spans) else "unknown"


def _when(change: PathChange, unless: float, changed_at: ChangedAt) -> float:
    when = changed_at(change)
    return unless if when is None else when


def _may_be_own(change: PathChange, path: str, evidence: Evidence) -> bool:
    """Whether it lies in a dot-folder in which nobody works: what changes there without a tool call is the agent's."""
    top, _, inside = path.partition("/")
    within = bool(inside) or "folder" in (change.before.kind, change.after.kind)
    return evidence.no_calls and within and top.startswith(".") and top not in PROJECT_FOLDERS


def change_times(root: str, *, proves: bool) -> ChangedAt:
    """The change times below a root, as they are now; `proves`: they mean something on its file system. It blocks."""
    device = -1
    with suppress(OSError):
        device = Path(root).stat().st_dev

    def changed_at(change: PathChange) -> float | None:
        if not proves or change.root != root:
            return None
        path = os.path.join(root, change.path)  # noqa: PTH118 (a text)
        while True:
            try:
                found = os.lstat(path)
                return found.st_ctime if found.st_dev == device else None
            except (FileNotFoundError, NotADirectoryError):
                path = os.path.dirname(path)  # noqa: PTH120 (a text)
            except (OSError, ValueError):
                return None

    return changed_at
