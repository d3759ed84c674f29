"""Opening the changes screen, and its extension points: keys that do something, marks, comments, rows below lines.

Other rooms register here and know the screen by nothing else; `ui.parts` brings both together.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.snapshot_history import Changes
from acp_tui.host.revert.steps import LineSpan
from acp_tui.host.snapshots.path_state import PathChange
from acp_tui.session.changes import Publisher
from acp_tui.session.entries import Entry
from acp_tui.session.folds.file_changes import TakenBackEntry, TurnEntry
from acp_tui.startup import late
from acp_tui.ui.changes.line_rows import LineSpot
from acp_tui.ui.entries.diff_units import Layout
from acp_tui.ui.kit.list_panel import PanelKey
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.render.diff import DiffLine
from acp_tui.ui.render.wrap import Unit
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.views.formatting import SEPARATOR

Pane = Literal["files", "diff"]
FIRST = -2  # rank of a hint
HELP = "Press ? for the keys."


class Here(Frozen):
    """What the user looks at: `changes` (None until they are read), and where in them they are.

    `words` say which changes these are (`Turn 3`), `turn` which one, 0 for no single one. `file` is the selected one.
    `hunk` is the current hunk of its diff, None where it has none or is cut. `lines` are the selected lines of the diff
    in their order, at least the one with the cursor, where `pane` is the diff. `no_undo` says why nothing of it is
    undone, if so. `wide`: list and diff stand beside each other, the diff in this `layout`.
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
    wide: bool = False
    layout: Layout = "unified"

    @property
    def in_files(self) -> bool:
        return self.pane == "files"

    @property
    def has_range(self) -> bool:
        return self.in_files and self.changes is not None

    @property
    def on_file(self) -> bool:
        return self.pane == "diff" or self.file is not None

    @property
    def sees_diff(self) -> bool:
        return self.on_file and (self.wide or not self.in_files)


class ChangesExtension:
    """What another room adds to the screen: any of this. All in `keys` is a function of `Here`, each word is text.

    A key that the screen has itself goes to this one first. Hints of the rank `FIRST` come before all but Enter's.
    """

    keys: Sequence[PanelKey] = ()

    def refusal(self, _here: Here) -> str:
        """Why its keys do nothing, where there is more to say than that there is nothing to do."""
        return ""

    def mark(self, _file: PathChange) -> str:
        """The sign of a file that was read, one cell, or nothing."""
        return ""

    def is_read(self, _file: PathChange, _unit: Unit) -> bool:
        """Whether a unit of a file's diff has that sign, too."""
        return False

    def comments(self, _file: PathChange) -> int:
        return 0

    def hunk_note(self, _file: PathChange, _hunk: LineSpan) -> str:
        return ""

    def below(self, _file: PathChange, _spot: LineSpot) -> Sequence[Unit]:
        """Units that stand below a line of a file's diff."""
        return ()

    def left(self) -> None:
        """The screen is closed."""


class Extras:
    """All `extensions` as one, in their order. `changed` publishes that they have something else to show."""

    def __init__(self, *extensions: ChangesExtension) -> None:
        self.extensions = list(extensions)
        self.changed: Publisher[[]] = Publisher()

    @property
    def keys(self) -> Sequence[PanelKey]:
        return [key for each in self.extensions for key in each.keys]

    def mark(self, file: PathChange) -> str:
        return next(filter(None, (each.mark(file) for each in self.extensions)), "")

    def is_read(self, file: PathChange, unit: Unit) -> bool:
        return any(each.is_read(file, unit) for each in self.extensions)

    def comments(self, file: PathChange) -> int:
        return sum(each.comments(file) for each in self.extensions)

    def hunk_note(self, file: PathChange, hunk: LineSpan) -> str:
        return SEPARATOR.join(filter(None, (each.hunk_note(file, hunk) for each in self.extensions)))

    def below(self, file: PathChange, spot: LineSpot) -> Sequence[Unit]:
        return [unit for each in self.extensions for unit in each.below(file, spot)]

    def left(self) -> None:
        for each in self.extensions:
            each.left()

    def refusal(self, key: str, here: Here) -> str:
        """Why a key of another room does nothing here; empty where it is none's."""
        found = ((each, row) for each in self.extensions for row in each.keys if key in row.names)
        each, row = next(found, (None, None))
        if each is None or row is None:
            return ""
        return each.refusal(here) or f"{row.missing}. {HELP}"


class ChangesActions:
    """`extras` is what other rooms add to the screen; it is there before the screen is."""

    def __init__(self, view: SessionView, transcript: TranscriptView, open_subagent: Callable[[str], object]) -> None:
        self._view, self._transcript, self._open_subagent = view, transcript, open_subagent
        self.extras = Extras()

    def open(self) -> None:
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
        screen = late("acp_tui.ui.changes.changes_screen").ChangesScreen
        view.open(screen(view, source, self.extras, self._go_to_call, turn))

    def _go_to_call(self, tool_call: str) -> bool:
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
