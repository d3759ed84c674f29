"""What other rooms may add to the changes screen, and which keys are told first where there is little room."""

from typing import cast

from acp_tui.host.changes.history import Changes, Point
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState
from acp_tui.host.take_back.steps import LineSpan
from acp_tui.ui.changes.extensions import HELP, ChangesExtension, ExtraKey, Extras, Here, hints
from acp_tui.ui.diff_view.line_rows import Spot
from acp_tui.ui.kit.theme import CLOSE
from acp_tui.ui.render.diff import DiffLine

FILE = PathChange("/p", "a.py", "new", ABSENT, PathState("file"))
POINT = Point(0, "opened", 0, 0.0)
HERE = Here(cast("SessionChanges", None), "", "files", Changes(POINT, POINT, [FILE]), FILE)


def test_how_to_see_all_keys_goes_after_the_lesser_ones_of_other_rooms() -> None:
    more = ExtraKey(("m",), ("m", "mark read"), lambda _here: None, lesser=True)
    first = ExtraKey(("u",), ("u", "take back"), lambda _here: None)
    one, other = ChangesExtension(), ChangesExtension()
    one.keys, other.keys = [more], [first]
    told = hints(HERE, Extras(one, other), "unified", wide=False, filtering=False)
    assert told[:4] == [("enter", "diff"), first.hint, HELP, more.hint]
    assert told[-1] == CLOSE


class Noted(ChangesExtension):
    """Says something of everything."""

    def __init__(self, word: str) -> None:
        self.word, self.closed = word, False

    def mark(self, _file: PathChange) -> str:
        return self.word[0]

    def comments(self, _file: PathChange) -> int:
        return len(self.word)

    def note(self) -> str:
        return self.word

    def left(self) -> None:
        self.closed = True


def test_what_several_rooms_add_is_shown_together() -> None:
    rooms = ChangesExtension(), Noted("undo"), Noted("review")
    extras = Extras(*rooms)
    assert (extras.mark(FILE), extras.comments(FILE), extras.note()) == ("u", 10, "undo · review")
    extras.left()
    assert all(room.closed for room in rooms if isinstance(room, Noted))


def test_nothing_is_added_until_somebody_does() -> None:
    extras = Extras()
    file = PathChange("/root", "a.py", "new", ABSENT, PathState("file"))
    line = DiffLine("+", None, 1, "words")
    spot = Spot("a.py", (line,), (), (line,))
    assert (extras.keys, extras.note(), extras.mark(file), extras.comments(file)) == ([], "", "", 0)
    assert (extras.hunk_note(file, LineSpan((0, 0), (0, 1))), list(extras.below(file, spot))) == ("", [])
