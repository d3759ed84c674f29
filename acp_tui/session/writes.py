"""Files that were written for the agent: added up by path, the last one last. Diffs of tool calls tell more."""

from dataclasses import replace
from typing import TYPE_CHECKING

from acp_tui.session.changes import FileChanged
from acp_tui.session.facts import FileWritten

if TYPE_CHECKING:
    from acp_tui.session.state import Session


def fold_written(session: "Session", fact: FileWritten) -> None:
    """Add it to what was written to the file before."""
    writes = session.index.writes
    before = writes.pop(fact.path, None)
    if before is not None:
        added, removed = before.added + fact.added, before.removed + fact.removed
        fact = replace(fact, added=added, removed=removed, created=before.created)
    writes[fact.path] = fact
    session.publish(FileChanged(fact.path))
