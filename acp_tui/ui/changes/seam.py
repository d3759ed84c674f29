"""What other rooms add to the changes screen: keys that do something there, marks, comments, rows below lines.

They register here and know the screen by nothing else; `ui.parts` brings both together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from acp_tui.frozen import Frozen
from acp_tui.host.changes.points import Changes
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.snapshots.states import PathChange
from acp_tui.host.take_back.steps import LineSpan
from acp_tui.ui.diff_view.spots import Spot
from acp_tui.ui.kit.hints import Hint
from acp_tui.ui.render.diff import DiffLine
from acp_tui.ui.render.unit import Unit

Pane = Literal["files", "diff"]


class Here(Frozen):
    """What the user looks at: `changes` (None until they are read), and where in them they are.

    `words` say which changes these are (`Turn 3`), `turn` which one, 0 for no single one. `file` is the selected one.
    `hunk` is the current hunk of its diff, None where it has none or is cut. `lines` are the selected lines of the diff
    in their order, at least the one with the cursor, where `pane` is the diff. `no_undo` says why nothing of it is
    undone, if so.
    """

    source: SessionChanges
    words: str
    pane: Pane
    changes: Changes | None = None
    file: PathChange | None = None
    hunk: LineSpan | None = None
    lines: Sequence[DiffLine] = ()
    turn: int = 0
    no_undo: str = ""


class ExtraKey(NamedTuple):
    """A key of another room. `hint` stands in the line of hints while it `counts`; `act` is called in the loop.

    `keys` are Textual's names (`u`, `enter`); one of them that the screen has itself goes to this one first.
    The hint of a `lesser` one goes first where they do not all fit. What it does stands in the table of all keys, too.
    `refusal`: why it does not count, where there is more to say than that there is nothing to do.
    """

    keys: Sequence[str]
    hint: Hint
    act: Callable[[Here], object]
    counts: Callable[[Here], bool] = lambda _here: True
    lesser: bool = False
    refusal: Callable[[Here], str] = lambda _here: ""


@dataclass
class Extras:
    """Filled in by other rooms once, while the parts of a conversation are made.

    `mark` is the sign of a file that was read, one cell, or nothing; `is_read` whether a unit of its diff has it, too.
    `comments` is how many a file has; `hunk_note` a few words on a hunk. `below` are units that stand below a line of a
    file's diff. `note` is a line about all of it, below the list, or nothing. `left`: the screen is closed.
    `look` shows all of it anew; it is the screen's while that is open.
    """

    keys: list[ExtraKey] = field(default_factory=list)
    mark: Callable[[PathChange], str] = lambda _file: ""
    comments: Callable[[PathChange], int] = lambda _file: 0
    hunk_note: Callable[[PathChange, LineSpan], str] = lambda _file, _hunk: ""
    is_read: Callable[[PathChange, Unit], bool] = lambda _file, _unit: False
    below: Callable[[PathChange, Spot], Sequence[Unit]] = lambda _file, _spot: ()
    note: Callable[[], str] = lambda: ""
    look: Callable[[], object] = lambda: None
    left: Callable[[], object] = lambda: None
