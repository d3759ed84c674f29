"""Diffs, or the whole subject of a permission, on the full screen, with comments on their lines."""

from collections.abc import Callable, Sequence
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content

from acp_tui.protocol.vocabulary.tool_calls import PermissionOption
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.text.phrases import counted
from acp_tui.session.tools.patches import diffs_of
from acp_tui.ui.entries.tool_calls.diff_units import Layout, LazyDiffs, diff_units
from acp_tui.ui.kit.base_screens import Overlay
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import MUTED, HintLine, turning
from acp_tui.ui.questions.permission.subject import INDENT
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.review.comments import Comment, Comments
from acp_tui.ui.review.review_pane import ReadMarks, ReviewPane
from acp_tui.ui.review.review_session import ReviewActions, prompt_of

Units = Callable[[Layout], Sequence[Unit]]
REJECTS = ("reject_once", "reject_always")


class SubjectScreen(Overlay[Layout]):
    """Shows units in either layout; leaves with the layout that was shown last.

    Without a `pane` lines are not commented. `leaving` says what Esc does. `open_list` shows all comments; it calls
    its arguments when they are put into the prompt, and when they are not. Where there is none the comments go with
    an answer.
    """

    DEFAULT_CSS = """
    SubjectScreen { background: $background; }
    SubjectScreen > Vertical { padding: 1 2; }
    SubjectScreen #full-hints { height: 1; margin: 1 0 0 1; }
    """
    BINDINGS = [
        Binding("escape", "step_back", show=False),
        Binding("ctrl+c,ctrl+q,q,v", "leave", show=False),
        Binding("s", "turn", show=False),
        Binding("space", "page_down", show=False),
        Binding("C", "open_list", show=False),
    ]

    def __init__(
        self,
        units: Units,
        layout: Layout,
        pane: ReviewPane | None = None,
        leaving: str = "back",
        open_list: Callable[..., object] | None = None,
    ) -> None:
        super().__init__()
        self._units, self._shown, self._pane = units, layout, pane or ReviewPane(None, ReadMarks(), "")
        self._leaving, self._open_list = leaving, open_list
        self._hints = HintLine(id="full-hints")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._pane
            yield self._hints

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        self._pane.show(self._units(self._shown))
        self._look()

    @on(ReviewPane.Changed)
    def _look(self) -> None:
        """Say what the keys do now; what one finds alone goes first where there is little room."""
        if self._pane.commenting.writing:
            self._hints.show([])
            return
        count = self._pane.count
        listed = [("C", counted(count, "comment"))] if count and self._open_list else []
        own = self._pane.hints()
        self._hints.show([*own[:1], *listed, turning(self._shown), *own[1:], ("esc", self._leaving)])

    def action_step_back(self) -> None:
        if not self._pane.lines.stop_selecting():
            self.action_leave()

    def action_leave(self) -> None:
        self.dismiss(self._shown)

    def action_turn(self) -> None:
        self._shown = "split" if self._shown == "unified" else "unified"
        self._show()

    def action_page_down(self) -> None:
        self._pane.lines.action_page(1)

    def action_open_list(self) -> None:
        if self._open_list is not None:
            self._open_list(self.action_leave, self._pane.draw_again)


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


class RequestReview:
    """The comments on the request that the panel shows: they go with its rejection, or stay with the session.

    `kept` gets those that went with no rejection.
    """

    def __init__(self, kept: Callable[[Sequence[Comment]], object]) -> None:
        self.comments, self.marks, self._kept = Comments(), ReadMarks(), kept

    @property
    def count(self) -> int:
        return len(self.comments.all)

    def full_screen(self, units: Units, layout: Layout, cwd: str) -> SubjectScreen:
        return SubjectScreen(units, layout, ReviewPane(self.comments, self.marks, cwd), "back to answer")

    def told(self, line: Content, room: int) -> Content:
        """The line with how many comments there are, and in so many cells when they go."""
        if not self.count:
            return line
        short = Content.assemble(line, (f"  {counted(self.count, 'comment')}", "$user"))
        long = Content.assemble(short, (" · sent if rejected", MUTED))
        return long if long.cell_length <= room else short

    def end(self) -> None:
        """The request is answered otherwise, or gone: what was said of it is kept."""
        left, self.comments = self.comments.all, Comments()
        if left:
            self._kept(left)

    def reason(self, option: PermissionOption | None, typed: str, cwd: str) -> str:
        """What is said to the agent with an answer: the comments and what was typed, where it rejects."""
        rejects = option is None or option.kind in REJECTS
        finished = self.comments.finished if rejects else []
        self.comments.sent([each.number for each in finished])
        self.end()
        return "\n\n".join(filter(None, (prompt_of(finished, cwd), sanitise(typed).strip())))
