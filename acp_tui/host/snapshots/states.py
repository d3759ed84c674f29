"""How a path is at one moment, and what became of it between two."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.path_row import ABSENT_ROW, FILE, FOLDER, LINK, REASONS, UNKNOWN, Row

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
    """What a row of a snapshot says."""
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
