"""Which keys of the changes screen are told, and which of them go first where there is little room."""

from typing import cast

from acp_tui.host.changes.points import Changes, Point
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState
from acp_tui.ui.changes.keys import HELP, hints
from acp_tui.ui.changes.seam import ExtraKey, Extras, Here
from acp_tui.ui.kit.hints import CLOSE

FILE = PathChange("/p", "a.py", "new", ABSENT, PathState("file"))
POINT = Point(0, "opened", 0, 0.0)
HERE = Here(cast("SessionChanges", None), "", "files", Changes(POINT, POINT, [FILE]), FILE)


def test_how_to_see_all_keys_goes_after_the_lesser_ones_of_other_rooms() -> None:
    more = ExtraKey(("m",), ("m", "mark read"), lambda _here: None, lesser=True)
    first = ExtraKey(("u",), ("u", "take back"), lambda _here: None)
    told = hints(HERE, Extras([more, first]), "unified", wide=False, filtering=False)
    assert told[:4] == [("enter", "diff"), first.hint, HELP, more.hint]
    assert told[-1] == CLOSE
