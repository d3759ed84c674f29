"""Comments on the lines of one view: shown below them, written in a box that lies over it, deleted, brought back."""

from collections.abc import Callable
from dataclasses import replace

from textual.geometry import Offset
from textual.widget import Widget

from acp_tui.ui.diff_view.line_rows import Place
from acp_tui.ui.diff_view.line_view import LineView
from acp_tui.ui.diff_view.spots import Spot
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.review.comment_box import CommentBox
from acp_tui.ui.review.comment_unit import INDENT, CommentUnit
from acp_tui.ui.review.comments import Comment, Comments, comment_on


class Commenting:
    """`lines` is the view; `path_of` tells the file of a spot; `changed` is called when comments are others."""

    def __init__(self, comments: Comments, path_of: Callable[[Spot], str], changed: Callable[[], object]) -> None:
        self.comments, self._path_of, self._changed = comments, path_of, changed
        self._lines: LineView | None = None
        self._box: CommentBox | None = None
        self._spot: Spot | None = None  # below which the box is
        self._edited: Comment | None = None
        self._place = Place(0)
        self._stay: Callable[[], None] | None = None  # ends that the box moves with the rows

    @property
    def writing(self) -> bool:
        return self._box is not None

    def below(self, spot: Spot) -> list[Unit]:
        """The comments on a spot, and the rows over which the box lies."""
        found: list[Unit] = [CommentUnit(each) for each in self._all_at(spot) if each != self._edited]
        own = self._spot
        is_own = own is not None and (spot.path, spot.old, spot.new) == (own.path, own.old, own.new)
        return [*found, self._place] if self._box is not None and is_own else found

    def _all_at(self, spot: Spot) -> list[Comment]:
        if not self.comments.all:
            return []
        path, lines = self._path_of(spot), dict.fromkeys((*spot.old, *spot.new))
        own = (each for each in self.comments.all if each.path == path and each.plan == spot.plan)
        return [each for each in own if any(each.stands_at(line) for line in lines)]

    def comment_at(self, spot: Spot | None) -> Comment | None:
        return next(iter(self._all_at(spot)), None) if spot is not None else None

    def write(self, lines: LineView, parent: Widget) -> None:
        """Write on the current line or the selection, or go on with what stands there; the box is in the `parent`."""
        spots, spot = lines.selected, lines.spot
        if spot is None or self._box is not None:
            return
        self._spot, self._lines = spots[-1], lines
        own = self.comment_at(spots[-1])
        if own is None:
            written = [line for each in spots for line in each.lines(old=lines.old)]
            own = comment_on(self._path_of(spot), written, spot.group, plan=spot.plan)
        self._edited = own
        self._box = box = CommentBox(own.text, self._resized, self._left)
        self._place = Place(box.rows_needed)
        self._stay = lines.rows_moved.subscribe(self._move_box)
        lines.draw_again()
        parent.mount(box)
        box.screen.set_focus(box, scroll_visible=False)  # at once: what is typed behind the key is the comment
        self._show_box()

    def _resized(self) -> None:
        if self._box is not None and self._lines is not None:
            self._place.height = self._box.rows_needed
            self._lines.draw_again()
            self._show_box()

    def _show_box(self) -> None:
        """Bring the rows that are left free for the box into sight, with the line above."""
        lines = self._lines
        if lines is not None and lines.place is not None:
            lines.bring(range(lines.place - 1, lines.place + self._place.height))
        self._move_box()

    def _move_box(self) -> None:
        lines, box = self._lines, self._box
        if lines is None or box is None or lines.place is None or not isinstance(lines.parent, Widget):
            return
        left, above = lines.MARGIN + INDENT, lines.region.y - lines.parent.region.y
        box.styles.width = max(10, lines.scrollable_content_region.width - left - 1)
        box.styles.offset = Offset(left, above + lines.place - int(lines.scroll_y))

    def _left(self, *, kept: bool) -> None:
        lines = self._lines
        self.close(keep=kept)
        if lines is not None:
            lines.stop_selecting()
            lines.draw_again()
            if lines.can_focus:
                lines.focus()
            else:
                lines.screen.set_focus(None)
        self._changed()

    def close(self, *, keep: bool = False) -> None:
        """Close the box; unless its text is to be kept it is a draft, or nothing where nothing was changed."""
        box, edited = self._box, self._edited
        self._box = self._edited = self._spot = None
        if box is None or edited is None:
            return
        if self._stay is not None:
            self._stay()
        text = box.text.strip("\n")
        if keep or (text.strip() and text != edited.text):
            self.comments.keep(replace(edited, text=text, draft=not keep))
        box.remove()

    def delete(self, spot: Spot | None) -> None:
        own = self.comment_at(spot)
        if own is not None:
            self.comments.delete(own.number)
            self._changed()

    def undo(self) -> None:
        """Bring back what was deleted last."""
        if self.comments.undo() is not None:
            self._changed()
