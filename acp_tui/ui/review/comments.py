"""Comments on lines of diffs and plans, and where they stand once the text has changed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.session.text.line_diff import Sign
from acp_tui.ui.render.diff import DiffLine
from acp_tui.ui.review.anchoring import Anchor, moved

Side = Literal["old", "new"]


class Quoted(Frozen):
    """A line as it was when it was commented; the sign tells whether the change added or removed it."""

    sign: Sign
    text: str


class Comment(Frozen):
    """What the user says about the lines `first` to `last` (from 1) of one side of a file.

    `path` is absolute where that is known, or names a plan (`plan`). `before` and `after` are the lines around it on
    its side, which find it again. `written` is what `last` was at first. `gone`: its lines are not in the file any
    more. A `draft` was begun and left. `number` names it in its list; 0: it is in none yet.
    """

    path: str
    side: Side
    first: int
    last: int
    quote: Sequence[Quoted]
    text: str = ""
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    written: int = 0
    gone: bool = False
    draft: bool = False
    plan: bool = False
    number: int = 0

    @property
    def lines(self) -> list[str]:
        """The quoted lines of its own side."""
        other = "-" if self.side == "new" else "+"
        return [line.text for line in self.quote if line.sign != other]

    def stands_at(self, line: DiffLine) -> bool:
        """Whether it belongs below this line: its last one, where it is now or where it was written."""
        number = line.new if self.side == "new" else line.old
        own = self.lines
        return number is not None and number in (self.last, self.written) and own[-1:] == [line.text]


def comment_on(path: str, lines: Sequence[DiffLine], around: Sequence[DiffLine], *, plan: bool = False) -> Comment:
    """An empty comment on these lines, which are not none; `around` are all lines of their hunk.

    It is on the new side if one of the lines is there, else on the old one.
    """
    new = any(line.new is not None for line in lines)
    side: Side = "new" if new else "old"
    numbers = [number for line in lines if (number := line.new if new else line.old) is not None]
    first, last = min(numbers), max(numbers)
    beside = {number: line.text for line in around if (number := line.new if new else line.old) is not None}
    return Comment(
        path,
        side,
        first,
        last,
        tuple(Quoted(line.sign, line.text) for line in lines),
        before=_run(beside, range(first - 1, first - 4, -1))[::-1],
        after=_run(beside, range(last + 1, last + 4)),
        written=last,
        plan=plan,
    )


def _run(lines: dict[int, str], numbers: range) -> tuple[str, ...]:
    found: list[str] = []
    for number in numbers:
        if number not in lines:
            break
        found.append(lines[number])
    return tuple(found)


class Comments:
    """A list of comments; `changed` is called after each change of it."""

    def __init__(self, changed: Callable[[], object] = lambda: None) -> None:
        self.all: list[Comment] = []
        self.changed = changed
        self._deleted: list[tuple[int, Comment]] = []
        self._texts: dict[str, Sequence[str]] = {}  # of files, as they were looked at last
        self._count = 0

    @property
    def ordered(self) -> list[Comment]:
        """As they stand in their files, these in the order in which they were commented."""
        paths = list(dict.fromkeys(each.path for each in self.all))
        return sorted(self.all, key=lambda each: (paths.index(each.path), each.last, each.first))

    @property
    def finished(self) -> list[Comment]:
        """Those that are no drafts, in the same order."""
        return [each for each in self.ordered if not each.draft]

    def keep(self, comment: Comment) -> Comment:
        """Add a comment, or put it in the place of the one with its number; an empty one is deleted."""
        at = next((at for at, each in enumerate(self.all) if each.number == comment.number), None)
        if not comment.text.strip():
            if at is not None:
                self.delete(comment.number)
            return comment
        if at is None:
            self._count += 1
            comment = replace(comment, number=self._count)
            self.all.append(comment)
        else:
            self.all[at] = comment
        self.changed()
        return comment

    def delete(self, number: int) -> bool:
        at = next((at for at, each in enumerate(self.all) if each.number == number), None)
        if at is None:
            return False
        self._deleted.append((at, self.all.pop(at)))
        self.changed()
        return True

    @property
    def can_undo(self) -> bool:
        return bool(self._deleted)

    def undo(self) -> Comment | None:
        """Bring back the comment that was deleted last, if any."""
        if not self._deleted:
            return None
        at, comment = self._deleted.pop()
        self.all.insert(at, comment)
        self.changed()
        return comment

    def take(self, comments: Sequence[Comment]) -> None:
        """Take over comments of another list."""
        for each in comments:
            self.keep(replace(each, number=0))

    def sent(self, numbers: Sequence[int]) -> None:
        """These are with the agent: they are not kept, nor brought back."""
        self.all = [each for each in self.all if each.number not in numbers]
        self.changed()

    def follow(self, path: str, lines: Sequence[str] | None) -> None:
        """The new side of a file has these lines now (None: there is no such file): move what is on it."""
        before = self._texts.get(path)
        for at, each in enumerate(self.all):
            if each.path == path and each.side == "new" and not each.plan:
                self.all[at] = followed(each, before, lines)
        if lines is None:
            self._texts.pop(path, None)
        else:
            self._texts[path] = lines
        self.changed()


def followed(comment: Comment, before: Sequence[str] | None, lines: Sequence[str] | None) -> Comment:
    """The comment where its lines are now. `before`: all lines as they were when its place was told last, if known."""
    if lines is None:
        return replace(comment, gone=True)
    anchor = Anchor(comment.first, comment.lines, comment.before, comment.after)
    first = moved(anchor, None if comment.gone else before, lines)
    if first is None:
        return replace(comment, gone=True)
    return replace(comment, first=first, last=first + comment.last - comment.first, gone=False)
