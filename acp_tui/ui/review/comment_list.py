"""The comments of a session as a list, of which Enter makes one prompt."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from textual.content import Content

from acp_tui.session.text.words import counted
from acp_tui.ui.kit.hints import CLOSE, MOVE
from acp_tui.ui.kit.list_panel import ListPanel, PanelKey
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import cut_path, sanitise_line
from acp_tui.ui.review.comments import Comment, Comments
from acp_tui.ui.review.prompt import notes_of, place_of


class CommentList(ListPanel[Comment, Literal["prompt"]]):
    """Leaves with "prompt" where one is to be made; without it for other reasons."""

    TITLE, nothing = "Review comments", "No comments"
    KEYS = (
        PanelKey(
            "enter",
            lambda panel: f"prompt of {counted(len(panel.comments.finished), 'comment')}",
            "dismiss('prompt')",
            lambda panel: panel.comments.finished,
        ),
        PanelKey("d,delete", "delete", "delete", lambda panel: panel.list.value),
        PanelKey("z", "", "undo"),
        PanelKey("q,C", "", "dismiss"),
        MOVE,
        CLOSE,
    )

    def __init__(self, comments: Comments, cwd: str) -> None:
        super().__init__()
        self.comments, self._cwd = comments, cwd

    def listed(self) -> list[ListRow[Comment]]:
        return [ListRow(partial(_words, each, self._cwd), each, 2) for each in self.comments.ordered]

    def choose(self, value: Comment) -> None:
        """A click highlights only."""

    def action_delete(self) -> None:
        if self.list.value is not None and self.comments.delete(self.list.value.number):
            self.fill()

    def action_undo(self) -> None:
        if (back := self.comments.undo()) is not None:
            self.fill(lambda comment: comment is back)


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
