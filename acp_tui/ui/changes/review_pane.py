"""A diff or a plan under review: comments below its lines, the box they are written in, marks on what was read."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.geometry import Offset
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TextArea

from acp_tui.ui.changes.comments import Comment, Comments, comment_on
from acp_tui.ui.changes.line_rows import LineSpot, ReservedRows
from acp_tui.ui.changes.line_view import LineView
from acp_tui.ui.entries.base_units import FixedUnit
from acp_tui.ui.entries.diff_units import FileHead, HunkUnit
from acp_tui.ui.kit.line_editor import SafeTextArea
from acp_tui.ui.kit.list_panel import KeyedWidget, PanelKey
from acp_tui.ui.kit.theme import MOVE, SCROLL, Hint, HintLine
from acp_tui.ui.prompt.draft import clean_paste
from acp_tui.ui.render.diff import FileDiff, Hunk
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.render.wrap import Line, Row, Run, Unit, edge, expand_tabs, rows_of

INDENT = 2
BAR = "▌"


class CommentUnit(FixedUnit):
    """The user's words behind the user's bar, below their side of the line; first what that line does not tell."""

    def __init__(self, comment: Comment, indent: int = INDENT) -> None:
        self._comment, self._indent = comment, indent

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        wash = palette.user_background
        bar: list[Run] = [(" " * self._indent, palette.text), (BAR, palette.user + wash), (" ", wash)]
        texts = [expand_tabs(line) for line in sanitise(self._comment.text).strip("\n").split("\n")]
        lines: list[Line] = []
        for index, text in enumerate(texts):
            sign, label = ("✎ ", label_of(self._comment)) if index == 0 else ("  ", "")
            runs = [(sign, palette.user + wash), *([(f"{label}  ", palette.muted + wash)] if label else [])]
            lines.append(Line([*runs, (text, palette.text + wash)], bar, bar, wash, wide=True))
        return rows_of(lines, edge(width))


def indent_of(comment: Comment | None, spot: LineSpot | None) -> int:
    """Cells before a comment on this line, which stands below its side."""
    return INDENT + (spot.starts[comment is None or comment.side == "new"] if spot is not None else 0)


def label_of(comment: Comment) -> str:
    """`lines 3–5`, `draft`."""
    lines = f"lines {comment.first}–{comment.last}" if comment.first != comment.last else ""
    return " · ".join(filter(None, (lines, "draft" if comment.draft else "")))


MOST_ROWS = 8  # of text; more are scrolled
BESIDE = 1  # rows that are no text
NEW_LINE = ("ctrl+j", "shift+enter", "alt+enter")


class CommentArea(SafeTextArea):
    """Enter keeps what is written, Esc leaves it."""

    def __init__(self, text: str, left: Callable[..., object]) -> None:
        self._left = left
        super().__init__(
            text, soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True, placeholder="Comment"
        )
        self.cursor_blink = False
        self.highlight_cursor_line = False

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("enter", "escape"):
            event.stop().prevent_default()
            self._left(kept=event.key == "enter")
        elif event.key in NEW_LINE:
            event.stop().prevent_default()
            self.insert("\n")
        else:
            await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop().prevent_default()
        if result := self._replace_via_keyboard(clean_paste(event.text), *self.selection):
            self.move_cursor(result.end_location)


class CommentBox(Vertical, can_focus=True):
    """The editor with its keys below it. It has the focus until its editor can have it, and hands keys on to that."""

    DEFAULT_CSS = """
    CommentBox {
        height: auto; position: absolute; background: $surface; border-left: outer $primary; padding: 0 0 0 1;
    }
    CommentBox > CommentArea { height: 1; background: $surface; border: none; padding: 0; }
    CommentBox > HintLine { height: 1; }
    """

    def __init__(self, text: str, resized: Callable[[], object], left: Callable[..., object]) -> None:
        """`resized`: it needs another number of rows. `left`: the comment is to be `kept`, or is a draft."""
        self._resized = resized
        self.area = CommentArea(text, left)
        self.rows_needed = 1 + BESIDE
        super().__init__(self.area)

    def compose(self) -> ComposeResult:
        yield HintLine((("ctrl+j", "new line"), ("enter", "save"), ("esc", "cancel")))

    @property
    def text(self) -> str:
        return self.area.text

    def on_mount(self) -> None:
        self.area.move_cursor(self.area.document.end)
        self.call_later(self._hand_over)

    def _hand_over(self) -> None:
        if self.has_focus:
            self.screen.set_focus(self.area, scroll_visible=False)
        self.can_focus = False

    def on_key(self, event: events.Key) -> None:
        if self.has_focus or self.can_focus:
            event.stop()
            self.area.post_message(event)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.look()

    def look(self) -> None:
        """Have as many rows as the text, up to the limit."""
        rows = max(1, min(self.area.wrapped_document.height, MOST_ROWS))
        leaving = "save a draft" if self.text.strip() else "cancel"
        self.query_one(HintLine).show((("ctrl+j", "new line"), ("enter", "save"), ("esc", leaving)))
        if rows + BESIDE != self.rows_needed:
            self.rows_needed = rows + BESIDE
            self.area.styles.height = rows
            self._resized()


class CommentEditor:
    """`lines` is the view; `path_of` tells the file of a spot; `changed` is called when comments are others."""

    def __init__(self, comments: Comments, path_of: Callable[[LineSpot], str], changed: Callable[[], object]) -> None:
        self.comments, self._path_of, self._changed = comments, path_of, changed
        self._lines: LineView | None = None
        self._box: CommentBox | None = None
        self._spot: LineSpot | None = None  # below which the box is
        self._edited: Comment | None = None
        self._place = ReservedRows(0)
        self._stay: Callable[[], None] | None = None  # ends that the box moves with the rows

    @property
    def writing(self) -> bool:
        return self._box is not None

    def below(self, spot: LineSpot) -> list[Unit]:
        """The comments on a spot, and the rows over which the box lies."""
        others = (each for each in self._all_at(spot) if each != self._edited)
        found: list[Unit] = [CommentUnit(each, indent_of(each, spot)) for each in others]
        own = self._spot
        is_own = own is not None and (spot.path, spot.old, spot.new) == (own.path, own.old, own.new)
        if is_own:
            self._spot = spot  # at another width its sides begin elsewhere
        return [*found, self._place] if self._box is not None and is_own else found

    def _all_at(self, spot: LineSpot) -> list[Comment]:
        if not self.comments.all:
            return []
        path, lines = self._path_of(spot), dict.fromkeys((*spot.old, *spot.new))
        own = (each for each in self.comments.all if each.path == path and each.plan == spot.plan)
        return [each for each in own if any(each.stands_at(line) for line in lines)]

    def comment_at(self, spot: LineSpot | None) -> Comment | None:
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
        self._place = ReservedRows(box.rows_needed)
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
        lines = self._lines
        if lines is not None and lines.place is not None:
            lines.bring(range(lines.place - 1, lines.place + self._place.height))
        self._move_box()

    def _move_box(self) -> None:
        lines, box = self._lines, self._box
        if lines is None or box is None or lines.place is None or not isinstance(lines.parent, Widget):
            return
        left, above = lines.MARGIN + indent_of(self._edited, self._spot), lines.region.y - lines.parent.region.y
        box.styles.width = max(10, edge(lines.scrollable_content_region.width) - left)
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

    def delete(self, spot: LineSpot | None) -> None:
        own = self.comment_at(spot)
        if own is not None:
            self.comments.delete(own.number)
            self._changed()

    def undo(self) -> None:
        if self.comments.undo() is not None:
            self._changed()


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
        self._read = self._read | set(keys) if read else self._read - set(keys)


class ReviewPane(Container, KeyedWidget):
    """`comments` belong to the session or to one request, None where lines are looked at only.

    `cwd` is what the paths that are shown are relative to.
    """

    DEFAULT_CSS = """
    ReviewPane { height: 1fr; overflow: hidden hidden; }
    ReviewPane > LineView { height: 100%; }
    """
    KEYS = (
        PanelKey(
            "c", lambda pane: "edit" if pane.own_comment else "comment", "comment", lambda pane: pane.is_commented
        ),
        PanelKey("d,delete", "delete", "delete", lambda pane: pane.own_comment),
        PanelKey("m", lambda pane: "" if pane.lines.spot.plan else "mark read", "mark"),
        PanelKey("M", act="mark(True)"),
        PanelKey("z", act="undo"),
        ("V", "select"),
        MOVE,
    )

    class Changed(Message):
        """The cursor moved, or comments or marks are others: other keys may do something."""

    def __init__(self, comments: Comments | None, marks: ReadMarks, cwd: str) -> None:
        super().__init__()
        self.is_commented, self._marks, self._cwd = comments is not None, marks, cwd
        self.commenting = CommentEditor(comments or Comments(), self._path_of, self.draw_again)
        self.lines = LineView(lambda _number, spot: self.commenting.below(spot), self.is_read)

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
    def own_comment(self) -> Comment | None:
        return self.commenting.comment_at(self.lines.spot)

    def hints(self) -> list[Hint]:
        """What its keys do now, the most wanted first; nothing while the box tells its own."""
        if self.commenting.writing:
            return []
        return super().hints() if self.lines.spot is not None else [SCROLL]

    def _path_of(self, spot: LineSpot) -> str:
        return spot.path if spot.plan else self._absolute(spot.path)

    def _absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._cwd, os.path.expanduser(path)))  # noqa: PTH111, PTH118 (a text)

    def action_comment(self) -> None:
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

    def is_read(self, unit: Unit) -> bool:
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
