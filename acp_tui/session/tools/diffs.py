"""The diffs that a tool call shows: its agent's, or what was written here for it; and what they come to for a file."""

from collections.abc import Sequence

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.tool_calls import Diff
from acp_tui.session.entries import ToolCallEntry


class ChangedFile(Frozen):
    """One file; lines added and removed by all changes to it together. `note`: new file, deleted, …"""

    path: str
    added: int
    removed: int
    note: str = ""


def diffs_of(entry: ToolCallEntry) -> Sequence[Diff]:
    """The diffs that a call shows: the agent's, else what was written here."""
    return told_diffs(entry) or entry.written


def is_written_here(entry: ToolCallEntry) -> bool:
    """Whether a call shows what was written here, since its agent tells no diffs."""
    return bool(entry.written) and not told_diffs(entry)


def told_diffs(entry: ToolCallEntry) -> Sequence[Diff]:
    """The diffs that the content held before, where they tell what is lost or more than now; else the content's, or
    the patches of the input.
    """
    return entry.earlier_diffs or [item for item in entry.content if isinstance(item, Diff)] or entry.patches
