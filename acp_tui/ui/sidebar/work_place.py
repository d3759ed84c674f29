"""Where the agent is at work: the file and line that its last tool call told; must not know how that is shown."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acp_tui.protocol.tool_calls import Diff
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.tool_diffs import diffs_of


class WorkPlace(NamedTuple):
    """A file, the line (from 1) if it is known, the kind of tool, and the version of the call that told."""

    path: str
    line: int | None
    kind: str
    version: int


def place_of(entry: Entry) -> WorkPlace | None:
    """Where a tool call works: its last location, else the first line that its last diff changes."""
    if not isinstance(entry, ToolCallEntry):
        return None
    diffs = [diff for diff in diffs_of(entry) if diff.path]
    location = entry.locations[-1] if entry.locations else None
    path = location.path if location is not None else diffs[-1].path if diffs else None
    if path is None:
        return None
    line = location.line if location is not None else None
    if line is None:
        own = next((diff for diff in reversed(diffs) if diff.path == path), None)
        line = None if own is None else first_changed(own)
    return WorkPlace(path, line or None, entry.kind, entry.version)


def newest_place(entries: Sequence[Entry]) -> WorkPlace | None:
    """The place of the last tool call that told one."""
    return next((place for entry in reversed(entries) if (place := place_of(entry)) is not None), None)


def latest_of(entries: Iterable[Entry]) -> WorkPlace | None:
    """The place that was told last by entries in the order in which they changed."""
    places = [place for entry in entries if (place := place_of(entry)) is not None]
    return places[-1] if places else None


def first_changed(diff: Diff) -> int | None:
    """The first line of the new text that is not the old one's, from 1; None where that cannot be told."""
    if diff.new_text is None:
        return None
    old, new = (diff.old_text or "").split("\n"), diff.new_text.split("\n")
    same = next((index for index, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None)
    return (min(len(old), len(new)) if same is None else same) + 1 if diff.old_text else 1
