"""The review of a session: its comments as text for the agent, their list, and what it adds to the changes screen."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import Literal

from textual.content import Content
from textual.css.query import NoMatches
from textual.widget import Widget

from acp_tui.host.prompts.mentions import lines_of_file
from acp_tui.host.snapshots.path_state import PathChange
from acp_tui.session.text.mentions import mentions_in
from acp_tui.session.text.phrases import counted
from acp_tui.session.tools.subject import short_path
from acp_tui.ui.changes.comments import Comment, Comments
from acp_tui.ui.changes.extensions import FIRST, ChangesExtension, Extras, Here
from acp_tui.ui.changes.line_rows import LineSpot
from acp_tui.ui.changes.line_view import READ, LineView
from acp_tui.ui.changes.review_pane import CommentEditor, ReadMarks, ReviewPane, bytes_key, file_keys, hunk_key
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.entries.diff_units import HunkUnit
from acp_tui.ui.kit.list_panel import ListPanel, PanelKey
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import CLOSE, MOVE, MUTED
from acp_tui.ui.prompt.banners import Banners, banner_of
from acp_tui.ui.prompt.draft import Draft, clean_paste, unlabelled
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import cut_path, sanitise_line
from acp_tui.ui.render.wrap import Unit

_TICKS = re.compile(r"`+")
GONE = "line no longer exists"
BEFORE = "old version"
_NO_MARK = "Nothing to mark as read"


def place_of(comment: Comment, cwd: str) -> str:
    """`src/a.py:10-14`, relative to the session's folder."""
    lines = f"{comment.first}" if comment.first == comment.last else f"{comment.first}-{comment.last}"
    path = comment.path if comment.plan else short_path(comment.path, None, cwd)
    return f"{path}:{lines}"


def notes_of(comment: Comment) -> list[str]:
    """What the numbers do not tell."""
    before = comment.side == "old" and not comment.plan
    return [*([BEFORE] if before else []), *([GONE] if comment.gone else [])]


def heading_of(comment: Comment, cwd: str) -> str:
    """The first line of what is sent about a comment; a path that looks like Markdown or a command is none."""
    place = clean_paste(place_of(comment, cwd)).replace("\n", " ").replace("`", "'")
    notes = ", ".join(notes_of(comment))
    return f"`{place}` ({notes})" if notes else f"`{place}`"


def text_of(comment: Comment, cwd: str) -> str:
    """One comment: its heading, the quote in a fence that nothing in it ends, and the comment."""
    changed = any(line.sign != " " for line in comment.quote)
    rows = [f"{line.sign if changed else ''}{line.text}" for line in comment.quote]
    quote = clean_paste("\n".join(rows))
    longest = max((len(ticks) for ticks in _TICKS.findall(quote)), default=0)
    fence = "`" * max(3, longest + 1)
    tag = "diff" if changed else "markdown" if comment.plan else _language(comment.path)
    return f"{heading_of(comment, cwd)}\n{fence}{tag}\n{quote}\n{fence}\n{clean_paste(comment.text).strip()}"


def prompt_of(comments: Sequence[Comment], cwd: str) -> str:
    return "\n\n".join(text_of(each, cwd) for each in comments)


def _language(path: str) -> str:
    ending = PurePath(path).suffix.removeprefix(".")
    return ending if ending.isascii() and ending.isalnum() else ""


class CommentList(ListPanel[Comment, Literal["prompt"]]):
    """Leaves with "prompt" where one is to be made; without it for other reasons."""

    TITLE, nothing = "Review comments", "No comments"
    KEYS = (
        PanelKey(
            "enter",
            lambda panel: f"add {counted(len(panel.comments.finished), 'comment')} to the prompt",
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
        return [ListRow(partial(_words, each, self._cwd), each, 2 + bool(each.quote)) for each in self.comments.ordered]

    def choose(self, value: Comment) -> None:
        """A click highlights only."""

    def action_delete(self) -> None:
        if self.list.value is not None and self.comments.delete(self.list.value.number):
            self.fill()

    def action_undo(self) -> None:
        if (back := self.comments.undo()) is not None:
            self.fill(lambda comment: comment is back)


def _words(comment: Comment, cwd: str, width: int) -> Content:
    notes = [*notes_of(comment), *(["draft, not sent"] if comment.draft else [])]
    told = f"  {' · '.join(notes)}" if notes else ""
    path, _, lines = place_of(comment, cwd).rpartition(":")
    place = cut_path(sanitise_line(path, 1_000), max(1, width - len(told) - len(lines) - 1))
    quoted = [f"{line.sign} {line.text}" for line in comment.quote[-1:]]
    quote, said = (
        "".join(f"\n  {sanitise_line(text, max(1, width - 2))}" for text in texts) for texts in (quoted, [comment.text])
    )
    return Content.assemble((f"{place}:{lines}", "$user"), (told, MUTED), (quote, MUTED), said)


def paths_of(comments: Sequence[Comment]) -> list[str]:
    """The files whose lines may have moved."""
    return list(dict.fromkeys(each.path for each in comments if each.side == "new" and not each.plan))


NOTHING = "No comments yet. Press c on a line of a diff."


def _nothing() -> None:
    pass


class ReviewActions:
    """The comments and the marks of one session; they last as long as the program runs."""

    def __init__(
        self, view: SessionView, editor: PromptEditor, banners: Banners, show_changes: Callable[[], object]
    ) -> None:
        self.view, self._editor, self._banners, self._show_changes = view, editor, banners, show_changes
        self.comments, self.marks = Comments(self._put_banner), ReadMarks()
        self._written: dict[int, str] = {}  # of the comments that were put into the prompt: the heading, by number
        self._quoted: set[str] = set()  # mentions that are none: they stand in quotes

    @property
    def _cwd(self) -> str:
        return self.view.session.cwd

    def pane(self) -> ReviewPane:
        return ReviewPane(self.comments, self.marks, self._cwd)

    def open(self, writes: Callable[[], object] = _nothing, closed: Callable[[], object] = _nothing) -> None:
        """List the comments where their lines are now.

        `writes` is called before they are put into the prompt, `closed` where they are not.
        """
        if self.comments.all:
            self.view.run(self._open(writes, closed))
        else:
            self.view.say(NOTHING)

    async def _open(self, writes: Callable[[], object], closed: Callable[[], object]) -> None:
        await self.follow()
        if await self.view.ask(CommentList(self.comments, self._cwd)) == "prompt":
            writes()
            self._write(self.comments.finished)
        else:
            closed()

    def _put_banner(self) -> None:
        """What is written and not sent has a row beside the prompt."""
        said = f"{counted(len(self.comments.all), 'review comment')} not sent"
        hint = (first_way("show_changes"), "review")
        self._banners.put("review", *[banner_of(said, self._show_changes, hint)] * bool(self.comments.all))

    async def follow(self) -> None:
        """Look where the lines are in the files by now. What cannot be read stays where it was told."""
        roots = self.view.client.roots(self.view.session)
        for path in paths_of(self.comments.all):
            lines = await lines_of_file(path, roots)
            if lines is not None:
                self.comments.follow(path, lines)

    def _write(self, comments: Sequence[Comment]) -> None:
        """Put them in front of what is written in the prompt, in place of those that are there already."""
        text = unlabelled(prompt_of(comments, self._cwd))
        self._written = {each.number: heading_of(each, self._cwd) for each in comments}
        quotes = (line.text for each in comments for line in each.quote)
        said = _named(each.text for each in comments)
        self._quoted = _named(quotes) - said
        self._editor.give_back(f"{text}\n")
        self.view.focus_prompt()
        self.view.say("Edit the comments, then press Enter to send them", 5)

    def take(self, comments: Sequence[Comment]) -> None:
        """Comments that went with no answer: they are kept with those of the session."""
        self.comments.take(comments)
        if comments:
            self.view.say(
                f'{counted(len(comments), "comment")} saved. To list them, choose "Review comments" in the palette', 5
            )

    def without_mentions(self, draft: Draft) -> Draft:
        """A draft without the mentions that quoted lines have: they attach no files."""
        if not self._written or not draft.mentions or not self._numbers_in(draft.text):
            return draft
        return replace(draft, mentions=tuple(each for each in draft.mentions if each.name not in self._quoted))

    def leaves(self, draft: Draft) -> Draft:
        """A draft is on its way to the agent: comments that are in it are done with."""
        numbers = self._numbers_in(draft.text)
        if numbers:
            self.comments.sent(numbers)
            self._written = {number: each for number, each in self._written.items() if number not in numbers}
        return draft

    def _numbers_in(self, text: str) -> list[int]:
        return [number for number, heading in self._written.items() if f"{heading}\n" in text]


def _named(texts: Iterable[str]) -> set[str]:
    return {mention.name for text in texts for mention in mentions_in(text)}


class ReviewInChanges(ChangesExtension):
    """`screen` is the one on top; it is the changes screen whenever one of these keys is pressed."""

    def __init__(self, review: ReviewActions, extras: Extras) -> None:
        self._review, self._extras = review, extras
        self._file: PathChange | None = None
        self._followed: dict[str, str] = {}  # the digest of each file that the comments were moved for
        self._editor = CommentEditor(review.comments, lambda _spot: self._path, self._look)
        self.keys = [
            PanelKey("c", "comment", self._write, self._can_write, rank=FIRST, missing="No line to comment on"),
            PanelKey("m", "mark read", self._mark_hunk, lambda here: here.file, missing=_NO_MARK),
            PanelKey("M", "mark file read", self._mark_file, lambda here: here.lines, missing=_NO_MARK),
            PanelKey(
                "C",
                self._review_words,
                self._list,
                lambda _here: review.comments.all,
                rank=FIRST - 1,
                missing="No comments to review",
            ),
            PanelKey("d,delete", "delete comment", self._delete, self._has_comment, missing="No comment to delete"),
            PanelKey(
                "z",
                "restore comment",
                lambda _here: self._editor.undo(),
                lambda _here: review.comments.can_undo,
                missing="No comment to restore",
            ),
        ]

    def _can_write(self, here: Here) -> bool:
        return bool(here.lines) and not self._editor.writing

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
        self._editor.close()

    # Comments

    def below(self, file: PathChange, spot: LineSpot) -> list[Unit]:
        """What stands below a line; where the file has other bytes than before, its comments are moved first."""
        self._file = file
        self._follow(file)
        return self._editor.below(spot)

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
            self._editor.write(lines, lines.parent)

    def _has_comment(self, here: Here) -> bool:
        lines = self._lines if here.lines else None
        self._file = here.file
        return lines is not None and self._editor.comment_at(lines.spot) is not None

    def _delete(self, _here: Here) -> None:
        if self._lines is not None:
            self._editor.delete(self._lines.spot)

    def _list(self, _here: Here) -> None:
        screen = self._review.view.app.screen
        self._review.open(lambda: screen.dismiss(None), self._look)

    def comments(self, file: PathChange) -> int:
        path = file.absolute
        return sum(each.path == path for each in self._review.comments.all)

    def _review_words(self, _here: Here) -> str:
        count = len(self._review.comments.all)
        return f"review {counted(count, 'comment')}" if count else "review comments"

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


def _key(file: PathChange) -> str:
    return bytes_key(file.absolute, file.before.digest, file.after.digest)
