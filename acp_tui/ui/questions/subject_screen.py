"""Diffs, commands and plans as large as the screen, where no line of a diff or an output is cut."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.text.phrases import counted
from acp_tui.session.tools.patches import change_verb, diffs_of
from acp_tui.ui.changes.line_rows import LineSpot
from acp_tui.ui.changes.line_view import READ
from acp_tui.ui.changes.review_pane import ReadMarks, ReviewPane
from acp_tui.ui.changes.review_session import ReviewActions
from acp_tui.ui.entries.diff_units import FileHead, HunkUnit, Layout, LazyDiffs, diff_units, has_sides
from acp_tui.ui.entries.tool_output import OutputUnit, TerminalTail
from acp_tui.ui.kit.base_screens import Overlay
from acp_tui.ui.kit.list_panel import KeyedWidget, PanelKey, PanelKeys
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import MUTED, Hint, HintLine, turning
from acp_tui.ui.questions.docked_panel import LOUD, LOW
from acp_tui.ui.questions.permission_subject import INDENT, Words
from acp_tui.ui.render.diff import FileDiff
from acp_tui.ui.render.text import cut_path, sanitise_line
from acp_tui.ui.render.wrap import Unit

Units = Callable[[Layout], Sequence[Unit]]
WAITING = "△"  # before what the agent waits for
BESIDE = 4  # cells beside all
EDGES = 6  # cells beside the title


class SubjectScreen(Overlay[Layout], KeyedWidget):
    """Units in either layout; the result is the layout that was shown last.

    Without a `pane` lines are not commented. `leaving` is the word for Esc. `open_list` shows all comments; it calls
    its arguments when they are put into the prompt, and when they are not. Where there is none the comments go with
    an answer.
    """

    DEFAULT_CSS = """
    SubjectScreen { background: $background; }
    SubjectScreen > Vertical { padding: 1 2; }
    SubjectScreen #full-title { height: 1; padding: 0 1; margin: 0 0 1 0; }
    SubjectScreen.-low #full-title { margin: 0; }
    SubjectScreen #full-hints { height: 1; margin: 1 0 0 1; }
    SubjectScreen.-low > Vertical { padding: 0 2; }
    SubjectScreen.-low #full-hints { margin: 0 0 0 1; }
    """
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW + 1, "-high")]
    KEYS: ClassVar[PanelKeys] = (
        PanelKey("C", lambda full: counted(full.pane.count, "comment"), "open_list", lambda full: full.lists_comments),
        PanelKey("s", lambda full: turning(full.shown)[1], "turn", lambda full: full.has_sides),
        PanelKey(
            "right_square_bracket", "hunk", lambda full: full.go_to_hunk(1), lambda full: full.hunks > 1, label="] ["
        ),
        PanelKey("left_square_bracket", act=lambda full: full.go_to_hunk(-1)),
        PanelKey("space", act="page_down"),
        PanelKey("escape", lambda full: full.leaving, "step_back", rank=1),
        PanelKey("ctrl+c,ctrl+q,q,v", act="leave"),
    )

    def __init__(
        self,
        units: Units,
        layout: Layout,
        pane: ReviewPane | None = None,
        leaving: str = "back",
        open_list: Callable[..., object] | None = None,
    ) -> None:
        super().__init__()
        self._units, self.shown, self.pane = units, layout, pane or ReviewPane(None, ReadMarks(), "")
        self.leaving, self._open_list = leaving, open_list
        self.has_sides = False
        self._hints, self._title = HintLine(id="full-hints"), Static(id="full-title")
        self._heads: list[FileHead] = []
        self._named = False

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._title
            yield self.pane
            yield from self.below()
            yield self._hints

    def below(self) -> Sequence[Widget]:
        """What stands between the units and the hints."""
        return ()

    def on_mount(self) -> None:
        self.pane.lines.rows_moved.subscribe(self.show_title)
        self._show()

    def on_resize(self) -> None:
        if self._named is not self.names_all(self.size.width - EDGES):
            self._show()
        self.show_title()

    def _show(self) -> None:
        units = list(whole_units(self._units(self.shown)))
        self.has_sides = has_sides(units)
        self._heads = [unit for unit in units if isinstance(unit, FileHead)]
        self._named = self.names_all(self.size.width - EDGES)
        if self._named:
            units.remove(self._heads[0])
        self._title.display = bool(self._heads) or self.waits
        self.pane.show(units)
        self.show_hints()

    @property
    def waits(self) -> bool:
        """Whether the agent waits for an answer to this."""
        return False

    def names_all(self, room: int) -> bool:
        """Whether in so many cells the title has all that the head of the only file has."""
        files = [head.file for head in self._heads]
        title = self.title_line(room) if files else Content("")
        name = f" {sanitise_line(files[0].path, 1_000)}  " if len(files) == 1 else None
        return title.cell_length <= room and name is not None and name in title.plain

    def title_line(self, room: int) -> Content:
        """The file that the cursor is in, its changed lines, and the line of its diff: in so many cells."""
        spot = self.pane.lines.spot_in_sight
        files = [head.file for head in self._heads]
        at = next((n for n, file in enumerate(files) if spot and any(h.lines is spot.group for h in file.hunks)), 0)
        marks = [READ] * self.pane.is_read(self._heads[at]) + [WAITING] * self.waits
        lead = " ".join([*marks, self._heads[at].verb or "Edit", ""])
        added, removed = (f"+{files[at].added:,}", "$success"), (f" −{files[at].removed:,}", "$error")
        notes = (f"  {' · '.join(sanitise_line(note, 200) for note in self._heads[at].notes)}".rstrip(), MUTED)
        counts = Content.assemble("  ", added, *[removed] * bool(files[at].removed or not files[at].added), notes)
        places = place_words(files, at, spot)
        least = min(map(cell_len, places))
        name = cut_path(sanitise_line(files[at].path, 1_000), max(1, room - len(lead) - counts.cell_length - least))
        left = room - cell_len(lead + name) - counts.cell_length
        told = next((words for words in places if cell_len(words) <= left), "")
        return Content.assemble((lead + name, LOUD if self.waits else "bold"), counts, (told, MUTED))

    def show_title(self) -> None:
        if self._heads:
            self._title.update(self.title_line(self.size.width - EDGES))

    @property
    def lists_comments(self) -> bool:
        return bool(self.pane.count and self._open_list)

    @property
    def hunks(self) -> int:
        return self.pane.lines.hunk_number[1]

    @on(ReviewPane.Changed)
    def show_hints(self) -> None:
        """Show what the keys do now; what one finds alone goes first where there is little room."""
        self.show_title()
        self._hints.show([] if self.pane.commenting.writing else self.hints())

    def hints(self) -> list[Hint]:
        *own, leaving = super().hints()
        most_wanted, *others = self.pane.hints() or [("", "")]
        return [most_wanted, *own, *others, leaving]

    def go_to_hunk(self, step: int) -> None:
        self.pane.lines.hunk(step)

    def action_step_back(self) -> None:
        if not self.pane.lines.stop_selecting():
            self.action_leave()

    def action_leave(self) -> None:
        self.dismiss(self.shown)

    def action_turn(self) -> None:
        self.shown = "split" if self.shown == "unified" else "unified"
        self._show()

    def action_page_down(self) -> None:
        self.pane.lines.action_page(1)

    def action_open_list(self) -> None:
        if self._open_list is not None:
            self._open_list(self.action_leave, self.pane.draw_again)


def whole_units(units: Sequence[Unit]) -> Iterator[Unit]:
    """The units, with those that cut something, or take few rows, exchanged for others that do not."""
    for unit in units:
        yield from unit.whole() if isinstance(unit, (HunkUnit, OutputUnit, TerminalTail, Words)) else (unit,)


def place_words(files: Sequence[FileDiff], at: int, spot: LineSpot | None) -> list[str]:
    """Which line of which file's diff a spot shows, the longest words first."""
    lines = [line for hunk in files[at].hunks for line in hunk.lines]
    own = (spot.new or spot.old)[:1] if spot else ()
    number = next((n for n, line in enumerate(lines, 1) if own and line is own[0]), 0)
    file = f" · file {at + 1} of {len(files)}" if len(files) > 1 else ""
    if not number or len(lines) == 1:
        return [file]
    line, short = f" · line {number:,} of {len(lines):,}", f" · {number:,}/{len(lines):,}"
    return [file + line, line, short]


class DiffActions:
    """Shows the diffs of a tool call as large as the screen."""

    def __init__(self, view: SessionView, review: ReviewActions) -> None:
        self._view, self._review = view, review

    def show(self, entry: Entry | None) -> None:
        found = diffs_of(entry) if isinstance(entry, ToolCallEntry) else []
        if not isinstance(entry, ToolCallEntry) or not found:
            self._view.say("No diff here")
            return
        diffs = LazyDiffs(found, self._view.session.cwd, entry.locations)
        units = partial(diff_units, diffs, INDENT, verb=change_verb(entry.kind, found, entry.title))
        self._view.open(SubjectScreen(units, "unified", self._review.pane(), "close", self._review.open))
