"""The right half of the screen: which file it is, what became of it, and its diff."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.host.snapshots.states import PathChange, Who
from acp_tui.session.state import Session
from acp_tui.ui.changes.rows import SIGNS, counts, status_words, told_path
from acp_tui.ui.changes.seam import Extras
from acp_tui.ui.changes.texts import ShownFile, patch_of
from acp_tui.ui.diff_view.line_view import LineView
from acp_tui.ui.diff_view.spots import Spot
from acp_tui.ui.entries.shared_units import FixedUnit
from acp_tui.ui.entries.tool_calls.diff import UNIT_LINES, HunkText, HunkUnit, Layout
from acp_tui.ui.entries.tool_calls.words import named
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut_path, sanitise_line
from acp_tui.ui.render.unit import Row, Unit
from acp_tui.ui.render.wrap import Line, row_edge, rows_of

INDENT = 0  # cells, behind those of the cursor and of marks
_BY: dict[Who, str] = {
    "command": "by a command of the agent",
    "unknown": "outside any command, probably yours",
    "outside": "between turns, probably yours",
    "session": "by another session",
    "own": "the agent's own state",
    "anyone": "not committed",
}
LONGEST = 1_000


class SaidUnit(FixedUnit):
    """A few words on a line of their own."""

    def __init__(self, text: str, *, loud: bool = False) -> None:
        self._text, self._loud = sanitise_line(text, LONGEST), loud

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        ink = palette.text if self._loud else palette.muted
        margin = [(" " * INDENT, palette.text)]
        return rows_of([Line([(self._text, ink)])], row_edge(width), margin=margin)


def units_of(shown: ShownFile, layout: Layout, extras: Extras) -> list[Unit]:
    """What is said of a file, and its hunks with what other rooms say of them."""
    units: list[Unit] = [SaidUnit(words, loud=not shown.diff.hunks) for words in shown.said]
    change = shown.change
    for hunk in shown.diff.hunks if change is not None else ():
        span = shown.span(hunk)
        note = extras.hunk_note(change, span) if change is not None and span is not None else ""
        units += [SaidUnit(note)] if note else []
        text = HunkText(shown.diff, hunk)
        for start in range(0, len(hunk.lines), UNIT_LINES):
            span_of_unit = range(start, min(start + UNIT_LINES, len(hunk.lines)))
            units.append(HunkUnit(text, span_of_unit, INDENT, layout))
    return units


class DiffPane(Vertical):
    """Shows one file. Whether the keys are its is told by the screen (`live`)."""

    DEFAULT_CSS = """
    DiffPane #changes-file { height: 2; margin: 0 1 1 2; text-wrap: nowrap; }
    DiffPane LineView { height: 1fr; margin: 0 1 0 0; }
    """

    def __init__(self, session: Session, extras: Extras, layout: Layout) -> None:
        super().__init__(id="changes-diff")
        self._session, self._extras, self.layout_shown = session, extras, layout
        self._head = Static(id="changes-file")
        self.view = LineView(self._below, self._is_read, id="changes-lines")
        self.view.can_focus = self.view.live = False  # the keys are the screen's
        self.shown = ShownFile()

    def compose(self) -> ComposeResult:
        yield self._head
        yield self.view

    def _is_read(self, unit: Unit) -> bool:
        return self.shown.change is not None and self._extras.is_read(self.shown.change, unit)

    def _below(self, _number: int, spot: Spot) -> list[Unit]:
        """What other rooms have below a line."""
        change = self.shown.change
        return list(self._extras.below(change, spot)) if change is not None else []

    @property
    def file(self) -> PathChange | None:
        return self.shown.change

    def show(self, shown: ShownFile, *, last: bool = False) -> None:
        """Show a file; the place stays where it is the same one, else the first hunk is at hand, or the `last`."""
        before, self.shown = self.shown, shown
        same = before.change is not None and shown.change is not None and before.change.key == shown.change.key
        units = units_of(shown, self.layout_shown, self._extras)
        if same:
            self.view.show(units)
        else:
            self.view.begin(units, last=last)
        self.say()

    def look(self) -> None:
        """Draw anew: the layout is the other one, or other rooms have other things to show."""
        self.show(self.shown)

    def on_resize(self) -> None:
        self.say()

    def say(self) -> None:
        """Path, and where in its hunks the cursor is; below, what became of it and who did that."""
        change = self.file
        if change is None:
            self._head.update(Content(""))
            return
        width = max(8, self._head.size.width)
        number, count = self.view.hunk_number
        at = f"hunk {number} of {count}" if count > 1 and number else ""
        path = cut_path(told_path(change, self._session.cwd), width - len(at) - 2)
        gap = " " * max(1, width - Content(path).cell_length - len(at))
        sign, ink = SIGNS[change.status]
        added, removed = counts(change)
        parts = [Content.styled(f"{sign} {status_words(change)}", ink)]
        figures = [(added, "$success"), (" " if added and removed else "", ""), (removed, "$error")]
        parts += [Content.assemble(*figures)] if added or removed else []
        parts.append(Content.styled(_by(change, self._session), MUTED))
        line = Content.styled(" · ", MUTED).join(parts)
        self._head.update(Content.assemble((path, "bold"), gap, (at, MUTED), "\n", line))

    def turn(self) -> None:
        """Show the diff in the other layout."""
        self.layout_shown = "split" if self.layout_shown == "unified" else "unified"
        self.look()

    def patch(self) -> str:
        """The diff as a patch; nothing where there is none."""
        change, diff = self.file, self.shown.diff
        return patch_of(change.path, change.old_path, diff) if change is not None and diff.hunks else ""

    @property
    def absolute(self) -> str:
        """Where the file is, or would be."""
        return f"{self.file.root}/{self.file.path}" if self.file is not None else ""


def _by(change: PathChange, session: Session) -> str:
    """Who did it: the tool call by its name, or that nobody knows."""
    if change.who in _BY:
        return _BY[change.who]
    call = session.index.tool_calls.get(change.tool_call)
    return sanitise_line(named(call, session)) if call is not None else "by the agent"
