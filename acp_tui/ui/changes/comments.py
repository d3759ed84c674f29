"""Comments on lines of diffs and plans, and where they stand once the text has changed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.session.text.line_diff import Sign, line_diff
from acp_tui.ui.render.diff import DiffLine
from acp_tui.ui.render.text import common_start

LEAST = 4  # letters and digits of lines that are known again without their neighbours


class CommentAnchor(Frozen):
    """Lines from number `first` (from 1) on, with the lines before and after them."""

    first: int
    lines: Sequence[str]
    before: Sequence[str] = ()
    after: Sequence[str] = ()


def moved(anchor: CommentAnchor, before: Sequence[str] | None, now: Sequence[str]) -> int | None:
    """The first line of the same lines in `now`, None where they are gone.

    Where the whole text `before` is known and has them at their place, what changed since tells where they went; lines
    cut out and put in elsewhere are found by their neighbours, or because there are no others like them.
    """
    if not anchor.lines:
        return None
    if before is not None and _has(before, anchor.first - 1, anchor.lines):
        at = _shifted(before, now, anchor.first - 1, anchor.first - 1 + len(anchor.lines))
        return _put_elsewhere(anchor, before, now) if at is None else at + 1
    if _has(now, anchor.first - 1, anchor.lines) and (_score(anchor, now, anchor.first - 1) or _bare(anchor)):
        return anchor.first
    return _found(anchor, now)


def _has(text: Sequence[str], at: int, lines: Sequence[str]) -> bool:
    return list(text[at : at + len(lines)]) == list(lines)


def _bare(anchor: CommentAnchor) -> bool:
    return not any(line.strip() for line in (*anchor.before, *anchor.after))


def _shifted(before: Sequence[str], now: Sequence[str], start: int, end: int) -> int | None:
    """Where the lines from `start` to before `end` stand in the new text, if nothing among them changed."""
    at = start
    for old, old_end, _, new_end in line_diff(before, now).spans:
        if old < end and old_end > start:
            return None
        if old_end <= start:
            at = start + new_end - old_end
    return at


def _places(anchor: CommentAnchor, now: Sequence[str]) -> list[int]:
    first = anchor.lines[0]
    return [at for at, line in enumerate(now) if line == first and _has(now, at, anchor.lines)]


def _score(anchor: CommentAnchor, now: Sequence[str], at: int) -> int:
    above = anchor.before[::-1], now[max(0, at - len(anchor.before)) : at][::-1]
    below = anchor.after, now[at + len(anchor.lines) :]
    return sum(bool(line.strip()) for one, other in (above, below) for line in one[: common_start(one, other)])


def _nearest(anchor: CommentAnchor, now: Sequence[str], places: Sequence[int]) -> int | None:
    ranked = sorted(places, key=lambda at: (-_score(anchor, now, at), abs(at - anchor.first + 1)))
    return ranked[0] + 1 if ranked else None


def _put_elsewhere(anchor: CommentAnchor, before: Sequence[str], now: Sequence[str]) -> int | None:
    """With neighbours of theirs, or like no others before and now: an equal line elsewhere need not be theirs."""
    places = _places(anchor, now)
    if len(places) == 1 and _tells(anchor) and len(_places(anchor, before)) == 1:
        return places[0] + 1
    return _nearest(anchor, now, [at for at in places if _score(anchor, now, at) > 1])


def _found(anchor: CommentAnchor, now: Sequence[str]) -> int | None:
    places = _places(anchor, now)
    known = [at for at in places if _score(anchor, now, at)]
    if known:
        return _nearest(anchor, now, known)
    return places[0] + 1 if len(places) == 1 and _tells(anchor) else None


def _tells(anchor: CommentAnchor) -> bool:
    return sum(character.isalnum() for line in anchor.lines for character in line) >= LEAST


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
    anchor = CommentAnchor(comment.first, comment.lines, comment.before, comment.after)
    first = moved(anchor, None if comment.gone else before, lines)
    if first is None:
        return replace(comment, gone=True)
    return replace(comment, first=first, last=first + comment.last - comment.first, gone=False)
