"""The tool calls of a turn: which paths each of them names, and when those ran that may do more than they name."""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.tool_calls import FINISHED_STATUSES
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.folds.writes import LONGEST_PATH
from acp_tui.session.tools.diffs import told_diffs
from acp_tui.session.tools.input import read_input
from acp_tui.session.tools.patches import paths_in_patches
from acp_tui.session.tools.subagent_call import subagent_call
from acp_tui.session.tools.words import READING

CHANGING = ("edit", "delete", "move")  # kinds of calls whose input names the files that they change
WHOLE = ("delete", "move")  # kinds that take what is in a folder with it
NAMED_AT_MOST = 2_000  # paths of one turn
EARLIER = 0.25  # seconds: a busy program reads late what an agent has sent, and file times are a tick behind (10 ms)
LATER = 2.0  # seconds after the end of a call in which what it did may still reach the disk
_GIT = re.compile(r"\bgit\b")
_BACKGROUND = re.compile("background", re.IGNORECASE)

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
        """Whether commands ran in it."""
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
