"""A diff or a plan under review: the current line, comments below lines, marks on hunks that were read."""

import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.message import Message

from acp_tui.ui.diff_view.line_rows import Spot
from acp_tui.ui.diff_view.line_view import LineView
from acp_tui.ui.entries.tool_calls.diff_units import FileHead, HunkUnit
from acp_tui.ui.kit.theme import MOVE, SCROLL, Hint
from acp_tui.ui.render.diff import FileDiff, Hunk
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.review.commenting import Commenting
from acp_tui.ui.review.comments import Comments


def hunk_key(path: str, hunk: Hunk) -> str:
    """What names a hunk: its file and all its lines, wherever in the file they stand."""
    told = blake2b(path.encode("utf-8", "surrogatepass"), digest_size=16)
    for line in hunk.lines:
        told.update(f"\0{line.sign}{line.text}{line.ending}".encode("utf-8", "surrogatepass"))
    return told.hexdigest()


def file_keys(path: str, file: FileDiff) -> list[str]:
    """Those of all hunks of a file; of one without hunks what is said of it."""
    if not file.hunks:
        return [blake2b(f"{path}\0{file.notes}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()]
    return [hunk_key(path, hunk) for hunk in file.hunks]


def bytes_key(path: str, before: str, after: str) -> str:
    """What names a file by its bytes before and after, as digests."""
    return f"{path}\0{before}\0{after}"


class ReadMarks:
    """The keys of what was read."""

    def __init__(self) -> None:
        self._read: set[str] = set()

    def are_read(self, keys: Iterable[str]) -> bool:
        """Whether all of these are read, and there are any."""
        wanted = set(keys)
        return bool(wanted) and wanted <= self._read

    def toggle(self, keys: Iterable[str]) -> bool:
        """Mark them as read, or as not read where all of them are; whether they are read now."""
        wanted = set(keys)
        if self.are_read(wanted):
            self._read -= wanted
            return False
        self._read |= wanted
        return bool(wanted)

    def put(self, keys: Iterable[str], *, read: bool) -> None:
        """Mark them as read, or as not read."""
        self._read = self._read | set(keys) if read else self._read - set(keys)


class ReviewPane(Container):
    """`comments` belong to the session or to one request, None where lines are looked at only.

    `cwd` is what the paths that are shown are relative to.
    """

    DEFAULT_CSS = """
    ReviewPane { height: 1fr; overflow: hidden hidden; }
    ReviewPane > LineView { height: 100%; }
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

    def __init__(self, comments: Comments | None, marks: ReadMarks, cwd: str) -> None:
        super().__init__()
        self._commented, self._marks, self._cwd = comments is not None, marks, cwd
        self.commenting = Commenting(comments or Comments(), self._path_of, self.draw_again)
        self.lines = LineView(lambda _number, spot: self.commenting.below(spot), self._is_read)

    def compose(self) -> ComposeResult:
        yield self.lines

    def on_mount(self) -> None:
        self.lines.focus()

    def on_unmount(self) -> None:
        """What is being written when the screen goes away is kept."""
        self.commenting.close()

    def show(self, units: Sequence[Unit]) -> None:
        self.lines.show(units)

    @property
    def count(self) -> int:
        return len(self.commenting.comments.all)

    @property
    def hints(self) -> list[Hint]:
        """What its keys do now, the most wanted first; nothing while the box tells its own."""
        spot = self.lines.spot
        if self.commenting.writing:
            return []
        if spot is None:
            return [SCROLL]
        own = self.commenting.comment_at(spot)
        found: list[Hint] = [("c", "edit" if own else "comment")] if self._commented else []
        found += [("d", "delete")] if own else []
        found += [] if spot.plan else [("m", "mark read")]
        return [*found, ("V", "select"), MOVE]

    def _path_of(self, spot: Spot) -> str:
        return spot.path if spot.plan else self._absolute(spot.path)

    def _absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._cwd, os.path.expanduser(path)))  # noqa: PTH111, PTH118 (a text)

    def action_comment(self) -> None:
        if self._commented:
            self.commenting.write(self.lines, self)
            self.post_message(self.Changed())

    def action_delete(self) -> None:
        self.commenting.delete(self.lines.spot)

    def action_undo(self) -> None:
        self.commenting.undo()

    def action_mark(self, whole: bool = False) -> None:
        """Mark the hunk of the current line as read, or its `whole` file; again: as not read."""
        unit = self.lines.unit
        if unit is not None:
            path = self._absolute(unit.file.path)
            self._marks.toggle(file_keys(path, unit.file) if whole else [hunk_key(path, unit.hunk)])
            self.draw_again()

    def _is_read(self, unit: Unit) -> bool:
        """A file has its mark above its hunks; with one hunk it is the only one."""
        if isinstance(unit, FileHead):
            return self._marks.are_read(file_keys(self._absolute(unit.file.path), unit.file))
        if not isinstance(unit, HunkUnit) or not unit.is_first or len(unit.file.hunks) == 1:
            return False
        return self._marks.are_read([hunk_key(self._absolute(unit.file.path), unit.hunk)])

    def draw_again(self) -> None:
        self.lines.draw_again()
        self.post_message(self.Changed())

    @on(LineView.Moved)
    def _moved(self) -> None:
        self.post_message(self.Changed())
