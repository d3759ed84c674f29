"""Files that were written for the agent."""

from acp_tui.session.changes import Change, FileChanged
from acp_tui.session.facts import FileWritten
from acp_tui.session.state import Session


def test_writes_to_one_file_are_added_up_and_the_last_is_last() -> None:
    session = Session("s", "/p")
    changes: list[Change] = []
    session.subscribe(changes.append)
    session.apply(FileWritten("/p/a", 3, 0, 1, created=True))
    session.apply(FileWritten("/p/b", 1, 1, 4))
    session.apply(FileWritten("/p/a", 1, 2, 2))
    assert list(session.index.writes.values()) == [
        FileWritten("/p/b", 1, 1, 4),
        FileWritten("/p/a", 4, 2, 2, created=True),
    ]
    assert changes == [FileChanged("/p/a"), FileChanged("/p/b"), FileChanged("/p/a")]
