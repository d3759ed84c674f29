"""The comments of a session as a list, of which Enter makes one prompt."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.session.text.words import counted
from acp_tui.ui.kit.filtered_list import words_row
from acp_tui.ui.kit.hints import CLOSE, MOVE, HintLine
from acp_tui.ui.kit.overlay import Overlay
from acp_tui.ui.kit.row_list import ListRow, RowList
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import cut_path, sanitise_line
from acp_tui.ui.review.comments import Comment, Comments
from acp_tui.ui.review.prompt import notes_of, place_of


class CommentList(Overlay[Literal["prompt"]]):
    """Leaves with "prompt" where one is to be made; without it for other reasons."""

    DEFAULT_CSS = "CommentList RowList { height: auto; }"
    BINDINGS = [
        Binding("up,k,ctrl+p", "move(-1)", show=False),
        Binding("down,j,ctrl+n", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("enter", "prompt", show=False),
        Binding("d,delete", "delete", show=False),
        Binding("z", "undo", show=False),
        Binding("q,C", "dismiss", show=False),
    ]

    def __init__(self, comments: Comments, cwd: str) -> None:
        super().__init__(classes="picker")
        self._comments, self._cwd = comments, cwd
        self._title, self._rows = Static(classes="picker-title"), RowList[Comment]()
        self._hints = HintLine(classes="picker-hints")

    def compose(self) -> ComposeResult:
        with Vertical(classes="picker-panel"):
            yield self._title
            yield self._rows
            yield self._hints

    def on_mount(self) -> None:
        self._show(0)

    def on_resize(self) -> None:
        self._rows.styles.height = min(max(1, 2 * len(self._comments.all)), self.list_rows())

    def _show(self, at: int) -> None:
        comments = self._comments.ordered
        self._title.update(Content.styled("Review comments", "bold"))
        rows = [ListRow(partial(_words, each, self._cwd), each, 2) for each in comments]
        nothing = [words_row("No comments", f"{MUTED} italic")]
        self._rows.fill(rows or nothing, min(at, len(rows) - 1) if rows else None)
        count = len(self._comments.finished)
        sending = [("enter", f"prompt of {counted(count, 'comment')}")] if count else []
        own = [("d", "delete"), MOVE] if comments else []
        self._hints.show([*sending, *own, CLOSE])
        self.on_resize()

    def action_move(self, step: int) -> None:
        self._rows.move(step)

    def action_page(self, step: int) -> None:
        self._rows.page(step)

    def action_prompt(self) -> None:
        if self._comments.finished:
            self.dismiss("prompt")

    def action_delete(self) -> None:
        comment, at = self._rows.value, self._rows.highlighted or 0
        if comment is not None and self._comments.delete(comment.number):
            self._show(at)

    def action_undo(self) -> None:
        back = self._comments.undo()
        if back is not None:
            self._show(self._comments.ordered.index(back))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()


def _words(comment: Comment, cwd: str, width: int) -> Content:
    """Where it stands and what is to be said of that; below it how it begins."""
    notes = [*notes_of(comment), *(["draft: not sent"] if comment.draft else [])]
    told = f"  {' · '.join(notes)}" if notes else ""
    path, _, lines = place_of(comment, cwd).rpartition(":")
    place = cut_path(sanitise_line(path, 1_000), max(1, width - len(told) - len(lines) - 1))
    said = sanitise_line(comment.text, max(1, width - 2))
    return Content.assemble((f"{place}:{lines}", "$user"), (told, MUTED), f"\n  {said}")


def paths_of(comments: Sequence[Comment]) -> list[str]:
    """The files whose lines may have moved."""
    return list(dict.fromkeys(each.path for each in comments if each.side == "new" and not each.plan))
