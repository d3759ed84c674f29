"""Comments on what one permission request is about: they go with its rejection, or stay with the session."""

from collections.abc import Callable, Sequence

from textual.content import Content

from acp_tui.protocol.vocabulary.permissions import PermissionOption
from acp_tui.session.text.words import counted
from acp_tui.ui.entries.tool_calls.diff import Layout
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.questions.permission.full_screen import SubjectScreen, Units
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.review.comments import Comment, Comments
from acp_tui.ui.review.marks import ReadMarks
from acp_tui.ui.review.pane import ReviewPane
from acp_tui.ui.review.prompt import prompt_of

REJECTS = ("reject_once", "reject_always")


class RequestReview:
    """The comments on the request that the panel shows. `kept` gets those that went with no rejection."""

    def __init__(self) -> None:
        self.comments, self.marks = Comments(), ReadMarks()
        self.kept: Callable[[Sequence[Comment]], object] = lambda _comments: None

    @property
    def count(self) -> int:
        return len(self.comments.all)

    def full_screen(self, units: Units, layout: Layout, cwd: str) -> SubjectScreen:
        """The subject, whose lines can be commented."""
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
            self.kept(left)

    def reason(self, option: PermissionOption | None, typed: str, cwd: str) -> str:
        """What is said to the agent with an answer: the comments and what was typed, where it rejects."""
        rejects = option is None or option.kind in REJECTS
        finished = self.comments.finished if rejects else []
        self.comments.sent([each.number for each in finished])
        self.end()
        return "\n\n".join(filter(None, (prompt_of(finished, cwd), sanitise(typed).strip())))
