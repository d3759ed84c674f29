"""Opening the changes screen, and its extension points: keys that do something, marks, comments, rows below lines.

Other rooms register here and know the screen by nothing else; `ui.parts` brings both together.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from acp_tui.frozen import Frozen
from acp_tui.host.changes.history import Changes
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.snapshots.states import PathChange
from acp_tui.host.take_back.steps import LineSpan
from acp_tui.session.entries import Entry
from acp_tui.session.folds.turn_rows import TakenBackEntry, TurnEntry
from acp_tui.session.publisher import Publisher
from acp_tui.startup import late
from acp_tui.ui.diff_view.line_rows import Spot
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import CLOSE, MOVE, Hint, turning
from acp_tui.ui.render.diff import DiffLine
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.views.formatting import SEPARATOR

Pane = Literal["files", "diff"]
HUNK, EDIT, COPY = ("n N", "hunk"), ("e", "$EDITOR"), ("y Y", "copy")
TURNS, RANGE, FILTER, HELP = ("← →", "turns"), ("1 2 3", "range"), ("/", "filter"), ("?", "keys")


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


class ChangesExtension:
    """What another room adds to the screen: any of this."""

    keys: Sequence[ExtraKey] = ()

    def mark(self, _file: PathChange) -> str:
        """The sign of a file that was read, one cell, or nothing."""
        return ""

    def is_read(self, _file: PathChange, _unit: Unit) -> bool:
        """Whether a unit of a file's diff has that sign, too."""
        return False

    def comments(self, _file: PathChange) -> int:
        return 0

    def hunk_note(self, _file: PathChange, _hunk: LineSpan) -> str:
        """A few words on a hunk."""
        return ""

    def below(self, _file: PathChange, _spot: Spot) -> Sequence[Unit]:
        """Units that stand below a line of a file's diff."""
        return ()

    def note(self) -> str:
        """A line about all of it, below the list, or nothing."""
        return ""

    def left(self) -> None:
        """The screen is closed."""


class Extras:
    """All `extensions` as one, in their order. `changed` publishes that they have something else to show."""

    def __init__(self, *extensions: ChangesExtension) -> None:
        self.extensions = list(extensions)
        self.changed: Publisher[[]] = Publisher()

    @property
    def keys(self) -> Sequence[ExtraKey]:
        return [key for each in self.extensions for key in each.keys]

    def mark(self, file: PathChange) -> str:
        return next(filter(None, (each.mark(file) for each in self.extensions)), "")

    def is_read(self, file: PathChange, unit: Unit) -> bool:
        return any(each.is_read(file, unit) for each in self.extensions)

    def comments(self, file: PathChange) -> int:
        return sum(each.comments(file) for each in self.extensions)

    def hunk_note(self, file: PathChange, hunk: LineSpan) -> str:
        return SEPARATOR.join(filter(None, (each.hunk_note(file, hunk) for each in self.extensions)))

    def below(self, file: PathChange, spot: Spot) -> Sequence[Unit]:
        return [unit for each in self.extensions for unit in each.below(file, spot)]

    def note(self) -> str:
        return SEPARATOR.join(filter(None, (each.note() for each in self.extensions)))

    def left(self) -> None:
        for each in self.extensions:
            each.left()

    def act_on(self, key: str, here: Here) -> bool:
        """Do what another room has for a key; whether one has anything."""
        extra = next((extra for extra in self.keys if key in extra.keys and extra.counts(here)), None)
        if extra is not None:
            extra.act(here)
        return extra is not None


def hints(here: Here, extras: Extras, layout: str, *, wide: bool, filtering: bool) -> list[Hint]:
    """The most wanted first, what other rooms add among them; the last one is how to leave."""
    if filtering:
        return [MOVE, ("enter", "done"), ("esc", "all files")]
    there = [extra for extra in extras.keys if extra.counts(here)] if here.file is not None else []
    first, lesser = ([extra.hint for extra in there if extra.lesser == which] for which in (False, True))
    call = [("t", "tool call")] if here.file is not None and here.file.tool_call else []
    if here.pane == "diff":
        return [*first, HELP, *lesser, HUNK, turning(layout), ("⇧↑↓", "select"), *call, EDIT, COPY, ("esc", "files")]
    if here.changes is None:
        return [RANGE, CLOSE]
    if here.file is None:
        return [TURNS, RANGE, HELP, CLOSE]
    beside = [HUNK, turning(layout)] if wide else []
    return [("enter", "diff"), *first, HELP, *lesser, TURNS, RANGE, FILTER, *beside, *call, EDIT, COPY, CLOSE]


class ChangesActions:
    """`extras` is what other rooms add to the screen; it is there before the screen is."""

    def __init__(self, view: SessionView, transcript: TranscriptView, open_subagent: Callable[[str], object]) -> None:
        self._view, self._transcript, self._open_subagent = view, transcript, open_subagent
        self.extras = Extras()

    def open(self) -> None:
        """What changed since the session began."""
        self._open(None)

    def open_turn(self, turn: int) -> None:
        """What changed in a turn, by its number from 1; while it goes on, until now. In the session, for 0."""
        self._open(turn or None)

    def open_entry(self, entry: Entry | None) -> bool:
        """Open the changes that an entry of the transcript tells of; whether it tells of any."""
        if isinstance(entry, TurnEntry):
            self.open_turn(entry.turn)
        elif isinstance(entry, TakenBackEntry):
            self.open()
        return isinstance(entry, TurnEntry | TakenBackEntry)

    def _open(self, turn: int | None) -> None:
        view = self._view
        source = view.client.changes(view.session)
        screen = late("acp_tui.ui.changes.screen").ChangesScreen
        view.open(screen(view, source, self.extras, self._go_to_call, turn))

    def _go_to_call(self, tool_call: str) -> bool:
        """Show a tool call in the transcript, or the subagent that made it; whether it is there."""
        session = self._view.session
        entry = session.index.tool_calls.get(tool_call)
        if entry is not None:
            return self._show(entry)
        for name, child in session.root.family.items():
            if tool_call in child.session.index.tool_calls:
                self._open_subagent(name)
                return True
        return False

    def _show(self, entry: Entry) -> bool:
        view = self._transcript.viewport
        place = view.layout.place_of(entry)
        if place is None or not view.ready:
            return False
        view.current = place
        view.show(place)
        self._transcript.focus()
        self._transcript.place()
        self._transcript.refresh()
        return True
