"""Whose the changes of a turn are: by what its calls name, by when its commands ran, by what other sessions name.

A label and a choice made beforehand, never a lock. Change times (ctime) tell whether a file changed while a command
ran: nobody sets them, and each write, rename and chmod moves them on.
"""

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from acp_tui.frozen import Frozen
from acp_tui.host.changes.who import Key, Named, Ran
from acp_tui.host.snapshots.states import PathChange, Who, folders_above

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
