"""Comments and marks in the changes screen, by what it lets other rooms add."""

from textual.css.query import NoMatches
from textual.widget import Widget

from acp_tui.host.snapshots.states import PathChange
from acp_tui.session.text.words import counted
from acp_tui.ui.changes.extensions import ChangesExtension, ExtraKey, Extras, Here
from acp_tui.ui.diff_view.line_rows import Spot
from acp_tui.ui.diff_view.line_view import READ, LineView
from acp_tui.ui.entries.tool_calls.diff_units import HunkUnit
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.review.commenting import Commenting
from acp_tui.ui.review.pane import bytes_key, file_keys, hunk_key
from acp_tui.ui.review.review_actions import ReviewActions


class ReviewInChanges(ChangesExtension):
    """`screen` is the one on top; it is the changes screen whenever one of these keys is pressed."""

    def __init__(self, review: ReviewActions, extras: Extras) -> None:
        self._review, self._extras = review, extras
        self._file: PathChange | None = None
        self._followed: dict[str, str] = {}  # the digest of each file that the comments were moved for
        self._commenting = Commenting(review.comments, lambda _spot: self._path, self._look)
        self.keys = [
            ExtraKey(("c",), ("c", "comment"), self._write, self._can_write),
            ExtraKey(("m",), ("m", "mark read"), self._mark_hunk, _on_file, lesser=True),
            ExtraKey(("M",), ("M", "mark file"), self._mark_file, _on_lines, lesser=True),
            ExtraKey(("C",), ("C", "comments"), self._list, self._has_any, lesser=True),
            ExtraKey(("d", "delete"), ("d", "delete comment"), self._delete, self._has_comment, lesser=True),
            ExtraKey(("z",), ("z", "undo delete"), self._bring_back, self._can_undo, lesser=True),
        ]

    def _can_write(self, here: Here) -> bool:
        return bool(here.lines) and not self._commenting.writing

    def _can_undo(self, _here: Here) -> bool:
        return self._review.comments.can_undo

    def _bring_back(self, _here: Here) -> None:
        self._commenting.undo()

    def _has_any(self, _here: Here) -> bool:
        return bool(self._review.comments.all)

    @property
    def _lines(self) -> LineView | None:
        try:
            return self._review.view.app.screen.query_one(LineView)
        except NoMatches:
            return None

    @property
    def _path(self) -> str:
        return self._file.absolute if self._file is not None else ""

    def _look(self) -> None:
        self._extras.changed.publish()

    def left(self) -> None:
        self._commenting.close()

    # Comments

    def below(self, file: PathChange, spot: Spot) -> list[Unit]:
        """What stands below a line; where the file has other bytes than before, its comments are moved first."""
        self._file = file
        self._follow(file)
        return self._commenting.below(spot)

    def _follow(self, file: PathChange) -> None:
        path = file.absolute
        if self.comments(file) and self._followed.get(path) != file.after.digest:
            self._followed[path] = file.after.digest
            self._review.view.run(self._followed_all())

    async def _followed_all(self) -> None:
        before = list(self._review.comments.all)
        await self._review.follow()
        if before != self._review.comments.all:
            self._look()

    def _write(self, here: Here) -> None:
        lines = self._lines
        if lines is not None and isinstance(lines.parent, Widget):
            self._file = here.file
            self._commenting.write(lines, lines.parent)

    def _has_comment(self, here: Here) -> bool:
        lines = self._lines if here.lines else None
        self._file = here.file
        return lines is not None and self._commenting.comment_at(lines.spot) is not None

    def _delete(self, _here: Here) -> None:
        if self._lines is not None:
            self._commenting.delete(self._lines.spot)

    def _list(self, _here: Here) -> None:
        screen = self._review.view.app.screen
        self._review.open(lambda: screen.dismiss(None), self._look)

    def comments(self, file: PathChange) -> int:
        path = file.absolute
        return sum(each.path == path for each in self._review.comments.all)

    def note(self) -> str:
        count = len(self._review.comments.all)
        return f"{counted(count, 'comment')}: C lists them" if count else ""

    # Marks

    def mark(self, file: PathChange) -> str:
        return READ if self._review.marks.are_read([_key(file)]) else ""

    def is_read(self, file: PathChange, unit: Unit) -> bool:
        if not isinstance(unit, HunkUnit) or not unit.is_first:
            return False
        return self._review.marks.are_read([hunk_key(file.absolute, unit.hunk)])

    def _mark_hunk(self, here: Here) -> None:
        """The hunk with the cursor, and its file once all are read; in the list of files the file."""
        lines, marks = self._lines, self._review.marks
        if not here.lines or lines is None or lines.unit is None or here.file is None:
            self._mark_file(here)
            return
        path = here.file.absolute
        marks.toggle([hunk_key(path, lines.unit.hunk)])
        marks.put([_key(here.file)], read=marks.are_read(file_keys(path, lines.unit.file)))
        self._look()

    def _mark_file(self, here: Here) -> None:
        lines, marks = self._lines, self._review.marks
        if here.file is None:
            return
        read = marks.toggle([_key(here.file)])
        if lines is not None and lines.unit is not None:
            marks.put(file_keys(here.file.absolute, lines.unit.file), read=read)
        self._look()


def _on_lines(here: Here) -> bool:
    return bool(here.lines)


def _on_file(here: Here) -> bool:
    return here.file is not None


def _key(file: PathChange) -> str:
    return bytes_key(file.absolute, file.before.digest, file.after.digest)
