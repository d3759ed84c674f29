"""What other rooms may add: without any of them there is nothing."""

from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState
from acp_tui.host.take_back.steps import LineSpan
from acp_tui.ui.changes.seam import Extras
from acp_tui.ui.diff_view.spots import Spot
from acp_tui.ui.render.diff import DiffLine


def test_nothing_is_added_until_somebody_does() -> None:
    extras = Extras()
    file = PathChange("/root", "a.py", "new", ABSENT, PathState("file"))
    line = DiffLine("+", None, 1, "words")
    spot = Spot("a.py", (line,), (), (line,))
    assert (extras.keys, extras.note(), extras.mark(file), extras.comments(file)) == ([], "", "", 0)
    assert (extras.hunk_note(file, LineSpan((0, 0), (0, 1))), list(extras.below(file, spot))) == ("", [])
