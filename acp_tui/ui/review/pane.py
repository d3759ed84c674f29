"""A diff or a plan under review: the current line, comments below lines, marks on hunks that were read."""

import os
from collections.abc import Sequence
from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.geometry import Offset
from textual.message import Message

from acp_tui.ui.diff_view.line_rows import Place
from acp_tui.ui.diff_view.line_view import LineView
from acp_tui.ui.diff_view.spots import Spot
from acp_tui.ui.entries.tool_calls.diff import FileHead, HunkUnit
from acp_tui.ui.kit.hints import MOVE, SCROLL, Hint
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.review.comment_box import CommentBox
from acp_tui.ui.review.comment_unit import INDENT, CommentUnit
from acp_tui.ui.review.comments import Comment, Comments, comment_on
from acp_tui.ui.review.marks import ReadMarks, file_keys, hunk_key


class ReviewPane(Container):
    """`comments` belong to the session or to one request; `cwd` is what the paths shown are relative to."""

    DEFAULT_CSS = """
    ReviewPane { height: 1fr; layers: lines box; overflow: hidden hidden; }
    ReviewPane > LineView { layer: lines; height: 100%; }
    ReviewPane > CommentBox { layer: box; position: absolute; }
    """
    BINDINGS = [
        Binding("c", "comment", show=False),
        Binding("d,delete", "delete", show=False),
        Binding("z", "undo", show=False),
        Binding("m", "mark", show=False),
        Binding("M", "mark(True)", show=False),
    ]

    class Changed(Message):
        """The cursor moved, or comments or marks are others: other keys may do something."""

    def __init__(self, comments: Comments, marks: ReadMarks, cwd: str) -> None:
        super().__init__()
        self.comments, self._marks, self._cwd = comments, marks, cwd
        self.lines = LineView(self._below, self._is_read)
        self._box: CommentBox | None = None
        self._at = 0  # the spot below which the box is
        self._edited: Comment | None = None
        self._place = Place(0)

    def compose(self) -> ComposeResult:
        yield self.lines

    def on_mount(self) -> None:
        self.lines.focus()

    def on_unmount(self) -> None:
        """What is being written when the screen goes away is kept."""
        self._leave(keep=False)

    def show(self, units: Sequence[Unit]) -> None:
        self.lines.show(units)

    @property
    def writing(self) -> bool:
        return self._box is not None

    @property
    def hints(self) -> list[Hint]:
        """What its keys do now, the most wanted first."""
        spot = self.lines.spot
        if self._box is not None:
            return []
        if spot is None:
            return [SCROLL]
        own = self._comment_at(spot)
        found: list[Hint] = [("c", "edit" if own else "comment")]
        found += [("d", "delete")] if own else []
        found += [] if spot.plan else [("m", "mark as read")]
        return [*found, ("V", "select"), MOVE]

    # What stands below lines

    def _below(self, number: int, spot: Spot) -> list[Unit]:
        found: list[Unit] = [CommentUnit(each) for each in self._all_at(spot) if each != self._edited]
        return [*found, self._place] if self._box is not None and number == self._at else found

    def _all_at(self, spot: Spot) -> list[Comment]:
        if not self.comments.all:
            return []
        path, lines = self._path_of(spot), dict.fromkeys((*spot.old, *spot.new))
        own = (each for each in self.comments.all if each.path == path and each.plan == spot.plan)
        return [each for each in own if any(each.stands_at(line) for line in lines)]

    def _comment_at(self, spot: Spot) -> Comment | None:
        return next(iter(self._all_at(spot)), None)

    def _path_of(self, spot: Spot) -> str:
        if spot.plan:
            return spot.path
        return os.path.normpath(os.path.join(self._cwd, os.path.expanduser(spot.path)))  # noqa: PTH111, PTH118 (text)

    # Writing

    def action_comment(self) -> None:
        """Write on the current line or the selection, or go on with what stands there."""
        spots, spot = self.lines.selected, self.lines.spot
        if spot is None or self._box is not None:
            return
        self._at = self.lines.chosen[-1]
        own = self._comment_at(spots[-1])
        if own is None:
            old = self.lines.old
            lines = [line for each in spots for line in each.lines(old=old)]
            own = comment_on(self._path_of(spot), lines, spot.group, plan=spot.plan)
        self._edited = own
        self._box = box = CommentBox(own.text)
        self._place = Place(box.rows_needed)
        self.lines.draw_again()
        self.mount(box)
        self._put_box()
        self.post_message(self.Changed())

    @on(CommentBox.Resized)
    def _resized(self, event: CommentBox.Resized) -> None:
        event.stop()
        if self._box is not None:
            self._place.height = self._box.rows_needed
            self.lines.draw_again()
            self._put_box()

    def _put_box(self) -> None:
        """The box lies over the rows that are left free for it, which are brought into sight."""
        top = self.lines.place
        if top is not None:
            self.lines.bring(range(top - 1, top + self._place.height))
        self._scrolled()

    @on(LineView.Scrolled)
    def _scrolled(self) -> None:
        if self._box is not None and self.lines.place is not None:
            left = self.lines.MARGIN + INDENT
            self._box.styles.width = max(10, self.lines.scrollable_content_region.width - left - 1)
            self._box.styles.offset = Offset(left, self.lines.place - int(self.lines.scroll_y))

    @on(CommentBox.Left)
    def _left(self, event: CommentBox.Left) -> None:
        event.stop()
        self._leave(keep=event.kept)
        self.lines.stop_selecting()
        self.lines.draw_again()
        self.lines.focus()
        self.post_message(self.Changed())

    def _leave(self, *, keep: bool) -> None:
        """Close the box; unless its text is to be kept it is a draft, or nothing where nothing was changed."""
        box, edited = self._box, self._edited
        self._box = self._edited = None
        if box is None or edited is None:
            return
        text = box.text.strip("\n")
        if keep or (text.strip() and text != edited.text):
            self.comments.keep(replace(edited, text=text, draft=not keep))
        box.remove()

    def action_delete(self) -> None:
        spot = self.lines.spot
        own = self._comment_at(spot) if spot is not None else None
        if own is not None:
            self.comments.delete(own.number)
            self._drawn_again()

    def action_undo(self) -> None:
        """Bring back what was deleted last."""
        if self.comments.undo() is not None:
            self._drawn_again()

    # Marks

    def action_mark(self, whole: bool = False) -> None:
        """Mark the hunk of the current line as read, or its `whole` file; again: as not read."""
        unit = self.lines.unit
        if unit is not None:
            keys = file_keys(unit.file.path, unit.file) if whole else [hunk_key(unit.file.path, unit.hunk)]
            self._marks.toggle(keys)
            self._drawn_again()

    def _is_read(self, unit: Unit) -> bool:
        """A file has its mark above its hunks; with one hunk it is the only one."""
        if isinstance(unit, FileHead):
            return self._marks.are_read(file_keys(unit.file.path, unit.file))
        if not isinstance(unit, HunkUnit) or not unit.is_first or len(unit.file.hunks) == 1:
            return False
        return self._marks.are_read([hunk_key(unit.file.path, unit.hunk)])

    def _drawn_again(self) -> None:
        self.lines.draw_again()
        self.post_message(self.Changed())

    @on(LineView.Moved)
    def _moved(self) -> None:
        self.post_message(self.Changed())
