"""Diffs, commands and plans as large as the screen."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.text.phrases import counted
from acp_tui.session.tools.patches import diffs_of
from acp_tui.ui.changes.review_pane import ReadMarks, ReviewPane
from acp_tui.ui.changes.review_session import ReviewActions
from acp_tui.ui.entries.diff_units import HunkUnit, Layout, LazyDiffs, diff_units
from acp_tui.ui.kit.base_screens import Overlay
from acp_tui.ui.kit.list_panel import KeyedWidget, PanelKey, PanelKeys
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import Hint, HintLine, turning
from acp_tui.ui.questions.docked_panel import LOW
from acp_tui.ui.questions.permission_subject import INDENT
from acp_tui.ui.render.wrap import Unit

Units = Callable[[Layout], Sequence[Unit]]


class SubjectScreen(Overlay[Layout], KeyedWidget):
    """Units in either layout; the result is the layout that was shown last.

    Without a `pane` lines are not commented. `leaving` is the word for Esc. `open_list` shows all comments; it calls
    its arguments when they are put into the prompt, and when they are not. Where there is none the comments go with
    an answer.
    """

    DEFAULT_CSS = """
    SubjectScreen { background: $background; }
    SubjectScreen > Vertical { padding: 1 2; }
    SubjectScreen #full-hints { height: 1; margin: 1 0 0 1; }
    SubjectScreen.-low > Vertical { padding: 0 2; }
    SubjectScreen.-low #full-hints { margin: 0 0 0 1; }
    """
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW + 1, "-high")]
    KEYS: ClassVar[PanelKeys] = (
        PanelKey("C", lambda full: counted(full.pane.count, "comment"), "open_list", lambda full: full.lists_comments),
        PanelKey("s", lambda full: turning(full.shown)[1], "turn", lambda full: full.has_diff),
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
        self.has_diff = False
        self._hints = HintLine(id="full-hints")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield from self.above()
            yield self.pane
            yield from self.below()
            yield self._hints

    def above(self) -> Sequence[Widget]:
        return ()

    def below(self) -> Sequence[Widget]:
        """What stands between the units and the hints."""
        return ()

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        units = self._units(self.shown)
        self.has_diff = any(isinstance(unit, HunkUnit) for unit in units)
        self.pane.show(units)
        self.show_hints()

    @property
    def lists_comments(self) -> bool:
        return bool(self.pane.count and self._open_list)

    @property
    def hunks(self) -> int:
        return self.pane.lines.hunk_number[1]

    @on(ReviewPane.Changed)
    def show_hints(self) -> None:
        """Show what the keys do now; what one finds alone goes first where there is little room."""
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


class DiffActions:
    """Shows the diffs of a tool call as large as the screen."""

    def __init__(self, view: SessionView, review: ReviewActions) -> None:
        self._view, self._review = view, review

    def show(self, entry: Entry | None) -> None:
        found = diffs_of(entry) if isinstance(entry, ToolCallEntry) else []
        if not isinstance(entry, ToolCallEntry) or not found:
            self._view.say("No diff here")
            return
        units = partial(diff_units, LazyDiffs(found, self._view.session.cwd, entry.locations), INDENT)
        self._view.open(SubjectScreen(units, "unified", self._review.pane(), "close", self._review.open))
