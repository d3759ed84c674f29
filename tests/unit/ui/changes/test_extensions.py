"""What other rooms may add to the changes screen, and which keys are told first where there is little room."""

from dataclasses import replace
from typing import cast

from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.snapshot_history import Changes, Point
from acp_tui.host.revert.steps import LineSpan
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState
from acp_tui.ui.changes.changes_screen import ChangesScreen, hints_at
from acp_tui.ui.changes.extensions import FIRST, ChangesExtension, Extras, Here, Pane
from acp_tui.ui.changes.line_rows import LineSpot
from acp_tui.ui.kit.list_panel import PanelKey, key_of
from acp_tui.ui.kit.theme import CLOSE, key_hints, key_name
from acp_tui.ui.render.diff import DiffLine
from tests.rows import each_of

FILE = PathChange("/p", "a.py", "new", ABSENT, PathState("file"))
POINT = Point(0, "opened", 0, 0.0)
HERE = Here(cast("SessionChanges", None), "", "files", Changes(POINT, POINT, [FILE]), FILE)
NO_FILE = replace(HERE, file=None)


OTHER = replace(FILE, tool_call="call")
COMMON, CALL = "] [ hunk  s side by side", "t show tool call"
ON_FILE = "enter diff  ? keys  / filter  ← → turns  1 2 3 range"


def keys_at(here: Here) -> str:
    return key_hints(hints_at(here, Extras())).plain


def test_how_to_see_all_keys_goes_after_the_lesser_ones_of_other_rooms() -> None:
    more, first = PanelKey("m", "mark read", str), PanelKey("u", "take back", str, rank=FIRST)
    never = PanelKey("z", "undo delete", str, lambda _here: False)
    one, other = ChangesExtension(), ChangesExtension()
    one.keys, other.keys = [more, never], [first]
    told = hints_at(HERE, Extras(one, other))
    assert told[:4] == [("enter", "diff"), ("u", "take back"), ("?", "keys"), ("/", "filter")]
    assert ("m", "mark read") in told[4:]
    assert told[-1] == CLOSE
    assert keys_at(NO_FILE) == key_hints(hints_at(NO_FILE, Extras(one, other))).plain


@each_of(
    "here, told",
    [
        (HERE, f"{ON_FILE}  c comment  e edit file  y copy path  esc close"),
        (
            replace(HERE, wide=True, file=OTHER),
            f"{ON_FILE}  ] [ hunk  c comment  s side by side  {CALL}  e edit file  y copy path  esc close",
        ),
        (replace(HERE, pane="diff"), f"? keys  {COMMON}  ⇧↑↓ select  e edit file  y copy path  esc files"),
        (
            replace(HERE, pane="diff", layout="split", file=OTHER),
            "? keys  ] [ hunk  s unified  ⇧↑↓ select  t show tool call  e edit file  y copy path  esc files",
        ),
        (NO_FILE, "← → turns  1 2 3 range  ? keys  esc close"),
        (replace(NO_FILE, changes=None), "1 2 3 range  esc close"),
    ],
)
def test_the_hints_are_of_the_keys_that_do_something(here: Here, told: str) -> None:
    assert keys_at(here) == told


@each_of(
    "free, pane, keys",
    [
        (True, "files", "enter tab 1 2 3 left right / ctrl+f ? i up j G escape ctrl+c ctrl+q q super+c"),
        (True, "diff", "enter tab 1 2 3 left right / ctrl+f ? i escape ctrl+c ctrl+q q super+c"),
        (False, "files", "s ] [ n N t e E y Y space u"),
        (False, "diff", "s ] [ n N t e E y Y space u up j G V"),
    ],
)
def test_keys_for_which_the_diff_need_not_be_there(free: bool, pane: Pane, keys: str) -> None:
    here = replace(HERE, pane=pane)
    names = map(key_name, keys.split())
    assert [name for name in names if (key_of(name, here, ChangesScreen.FREE_KEYS) is not None) != free] == []


def test_a_key_of_another_room_says_why_it_does_nothing() -> None:
    room, stubborn = ChangesExtension(), Noted("no")
    room.keys, stubborn.keys = (
        [PanelKey("b,x", lambda _here: "bless", str, missing="No house to bless")],
        [PanelKey("u", "undo", str)],
    )
    extras = Extras(room, stubborn)
    assert [extras.refusal(key, HERE) for key in "bxuz"] == [
        "No house to bless. Press ? for the keys.",
        "No house to bless. Press ? for the keys.",
        "no: nothing",
        "",
    ]


class Noted(ChangesExtension):
    """Says something of everything."""

    def __init__(self, word: str) -> None:
        self.word, self.closed = word, False

    def mark(self, _file: PathChange) -> str:
        return self.word[0]

    def comments(self, _file: PathChange) -> int:
        return len(self.word)

    def refusal(self, _here: Here) -> str:
        return f"{self.word}: nothing"

    def left(self) -> None:
        self.closed = True


def test_what_several_rooms_add_is_shown_together() -> None:
    rooms = ChangesExtension(), Noted("undo"), Noted("review")
    extras = Extras(*rooms)
    assert (extras.mark(FILE), extras.comments(FILE)) == ("u", 10)
    extras.left()
    assert all(room.closed for room in rooms if isinstance(room, Noted))


def test_nothing_is_added_until_somebody_does() -> None:
    extras = Extras()
    file = PathChange("/root", "a.py", "new", ABSENT, PathState("file"))
    line = DiffLine("+", None, 1, "words")
    spot = LineSpot("a.py", (line,), (), (line,))
    assert (extras.keys, extras.mark(file), extras.comments(file)) == ([], "", 0)
    assert (extras.hunk_note(file, LineSpan((0, 0), (0, 1))), list(extras.below(file, spot))) == ("", [])
