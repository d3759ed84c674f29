"""The state of a path: as a row of a snapshot, as other rooms need it, or why it is not known; and its change.

Stat data in a row prove that a file is the same. The process that takes snapshots loads this.
"""

import os
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from acp_tui.frozen import Frozen

UNKNOWN, FILE, LINK, FOLDER, NOT_THERE = range(5)
"""What a path is. `NOT_THERE`: looked for where else nothing is."""

REASONS = (
    "",
    "ignored",
    "too large",
    "not readable",
    "special file",
    "nested repository",
    "saved too late to undo",
    "too many files",
    "snapshot too large",
    "changed while it was read",
    ".gitignore rules could not be read",
    "too deep",
)
(
    KEPT,
    IGNORED,
    TOO_LARGE,
    UNREADABLE,
    SPECIAL,
    NESTED,
    LATE,
    OVER_NUMBER,
    OVER_SIZE,
    UNSTEADY,
    NO_RULES,
    TOO_DEEP,
) = range(len(REASONS))


class Row(NamedTuple):
    """One path. `mode` is that of `lstat`, 0 where nobody looked. `digest`: of a file's bytes or a link's path.

    A reason says why it is `UNKNOWN`; its digest is then that of its inode and times, but of what was read too `LATE`
    that of its bytes, if they are older than the prompt wherever they were. With a reason a `FOLDER` is known, but not
    all names in it.
    """

    kind: int
    reason: int
    mode: int
    size: int
    digest: bytes


class RowsAt(Mapping[str, Row]):
    """The rows of the snapshot with this number; `spans` are, by path, rows and since and until which one they count.

    A chain of hundreds shares them: a table for each would take gigabytes.
    """

    def __init__(self, spans: Mapping[str, Sequence[tuple[int, float, Row]]], number: int) -> None:
        self._spans, self._number = spans, number

    def __getitem__(self, path: str) -> Row:
        for since, until, row in self._spans[path]:
            if since <= self._number < until:
                return row
        raise KeyError(path)

    def __iter__(self) -> Iterator[str]:
        return (path for path in self._spans if path in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class SnapshotTree(NamedTuple):
    """How paths were at a snapshot: of all of them, or of those that were asked for and the folders around them."""

    rows: Mapping[str, Row]

    def row(self, path: str) -> Row | None:
        return self.rows.get(path)

    def cover(self, path: str) -> int:
        """Why nothing can be said of a path that has no row; 0: it was not there."""
        while path:
            path = path.rpartition("/")[0]
            row = self.rows.get(path)
            if row is not None:
                return row.reason
        return KEPT


NOTHING = bytes(20)
ABSENT_ROW = Row(-1, KEPT, 0, 0, NOTHING)
Stat = tuple[int, int, int, int, int]
"""Mode, size, inode, mtime and ctime in nanoseconds."""
stat_of: Callable[[os.stat_result], Stat] = attrgetter("st_mode", "st_size", "st_ino", "st_mtime_ns", "st_ctime_ns")
TICK = 20_000_000  # nanoseconds within which a change may have the same time; clocks of kernels tick each 1 to 10 ms
COARSE = 2_000_000_000  # the same where times have no parts of a second
_SECOND = 1_000_000_000


def row_of(values: Sequence[Any]) -> Row:
    """A row as it is in a table; raises ValueError for what was never written there."""
    row = Row(*values)
    known = row.kind in range(NOT_THERE + 1) and row.reason in range(len(REASONS))
    plain = isinstance(row.mode, int) and isinstance(row.size, int) and isinstance(row.digest, bytes)
    if not known or not plain or len(row.digest) != len(NOTHING):
        raise ValueError("no row of a snapshot")
    return row


def kind_of(mode: int) -> int:
    """What `lstat` says it is; `UNKNOWN` for what is never opened."""
    if stat.S_ISREG(mode):
        return FILE
    return LINK if stat.S_ISLNK(mode) else FOLDER if stat.S_ISDIR(mode) else UNKNOWN


def newest(data: Stat) -> int:
    """When something was changed last: contents, mode or name."""
    return max(data[3], data[4])


def slack(data: Stat) -> int:
    """Nanoseconds by which a change may be later than its time says."""
    return TICK if data[3] % _SECOND or data[4] % _SECOND else COARSE


def provable(data: Stat, looked: int) -> Stat:
    """Stat data by which a later look can prove that nothing changed: size, mode, inode and times agree.

    It proves nothing if the last change was too recent. `looked`: nanoseconds, before the look began.
    """
    return data if newest(data) < looked - slack(data) else unproved(data)


def unproved(data: Stat) -> Stat:
    return data[0], data[1], 0, 0, 0


Kind = Literal["absent", "file", "link", "folder", "unknown"]
Status = Literal["new", "changed", "deleted", "renamed", "mode", "kind"]
Who = Literal["agent", "command", "afterwards", "session", "unknown", "outside", "own", "anyone"]


class PathState(Frozen):
    """How a path is, or was: `unknown` where that is not kept, for the `reason` (ignored, too large, not readable, …).

    `absent` is only what is known not to have been there. `mode`: permission bits (0o7777). `size`: bytes. `digest`:
    hex, of the bytes of a file, or of the path that a link holds; both are found in the store by it.
    """

    kind: Kind
    mode: int = 0
    size: int = 0
    digest: str = ""
    reason: str = ""


ABSENT = PathState("absent")
_KINDS: Mapping[int, Kind] = {FILE: "file", LINK: "link", FOLDER: "folder"}


def state_of(row: Row) -> PathState:
    if row == ABSENT_ROW:
        return ABSENT
    if row.kind == UNKNOWN:
        return PathState("unknown", row.mode & 0o7777, row.size, "", REASONS[row.reason])
    digest = "" if row.kind == FOLDER else row.digest.hex()
    return PathState(_KINDS[row.kind], row.mode & 0o7777, row.size, digest, REASONS[row.reason])


def same(one: PathState, other: PathState) -> bool:
    """Whether two states are the same thing, byte by byte and mode by mode; what is not known is like nothing."""
    if one.kind == "unknown" or one.kind != other.kind:
        return False
    return one.digest == other.digest and (one.kind in ("absent", "link") or one.mode == other.mode)


def status_of(before: PathState, after: PathState) -> Status:
    """What became of a path that kept its name."""
    if before.kind == "absent":
        return "new"
    if after.kind == "absent":
        return "deleted"
    if before.kind != after.kind:
        return "kind"
    return "mode" if before.digest == after.digest else "changed"


class PathChange(Frozen):
    """What became of one path below a `root` (absolute, real); `path` is relative to it, as `os.fsdecode` gives it.

    `added` and `removed` count lines; None where that is not known: binary, large, no file. `old_path` is where a
    `renamed` one was. `mode`: only that changed. `kind`: it is something else now, a link for a file.
    `who`: `agent` if a tool call of the turn names it, its id is `tool_call`; `afterwards` if it also changed after the
    agent's last call; `command` if it changed while a command of the turn ran; `session`: what another session did;
    `outside`: between turns, so the user or another program; `own`: state of the agent's own; `anyone`: since
    the last commit, where nobody asks; else `unknown`.
    """

    root: str
    path: str
    status: Status
    before: PathState
    after: PathState
    old_path: str = ""
    added: int | None = None
    removed: int | None = None
    who: Who = "unknown"
    tool_call: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What names it among others of the same two moments."""
        return self.root, self.path

    @property
    def absolute(self) -> str:
        return f"{self.root}/{self.path}"


def with_renames(found: Sequence[PathChange]) -> list[PathChange]:
    """One change for what is deleted here and new there, where nothing else holds the same."""
    by_content: dict[tuple[Kind, str], tuple[list[PathChange], list[PathChange]]] = defaultdict(lambda: ([], []))
    for change in found:
        state = change.before if change.status == "deleted" else change.after
        if change.status in ("deleted", "new") and state.kind in ("file", "link") and state.size:
            by_content[state.kind, state.digest][change.status == "new"].append(change)
    pairs = {new[0].path: old[0] for old, new in by_content.values() if len(old) == len(new) == 1}
    gone = {old.path for old in pairs.values()}
    return [
        replace(change, status="renamed", before=pairs[change.path].before, old_path=pairs[change.path].path)
        if change.path in pairs
        else change
        for change in found
        if change.path not in gone
    ]


def folders_of(path: str) -> Iterator[str]:
    """The folders around a path, the root among them, which is empty."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def folders_above(change: PathChange) -> Iterator[tuple[str, str]]:
    """The keys of all folders in which it is, or was."""
    for path in (change.path, change.old_path):
        at = path.rfind("/")
        while at > 0:
            yield change.root, path[:at]
            at = path.rfind("/", 0, at)


def told_changes(changes: Sequence[PathChange]) -> list[PathChange]:
    """Those that a user is told of: no folder that only came or went with what is in it."""
    implied = {key for change in changes for key in folders_above(change)}
    kinds = {"folder", "absent"}
    return [each for each in changes if {each.before.kind, each.after.kind} != kinds or each.key not in implied]


def work_of(changes: Iterable[PathChange]) -> list[PathChange]:
    """Those that are not the agent's own state: what a user undoes and counts."""
    return [each for each in changes if each.who != "own"]
