"""What the turns of one session changed in its folders, and taking that back."""

from collections.abc import Callable, Collection, Sequence

from acp_tui.host.changes.points import Changes, Point, Progress
from acp_tui.host.snapshots.states import PathChange
from acp_tui.host.take_back.preview import LineSpan, Preview, Step, TakenBack


class SessionChanges:
    """Everything that takes time is awaited, and raises `UserFault`; the loop waits for nothing.

    `off` says why no snapshots are taken, empty if they are. `progress`: of the first one, while it is made. `points`
    are those of the session, earlier runs and what its branch began with among them, in order. `taken_back`: in order,
    undone ones too.
    """

    off: str
    progress: Progress | None
    points: Sequence[Point]
    taken_back: Sequence[TakenBack]

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` in the loop when an attribute here has another value; the result ends that."""
        raise NotImplementedError

    async def look(self) -> Point:
        """How it is now: a point that is in no list."""
        raise NotImplementedError

    async def between(self, since: Point, until: Point) -> Changes:
        """What changed from one point to a later one; a path that is as it was is not in it."""
        raise NotImplementedError

    async def texts(self, change: PathChange) -> tuple[bytes | None, bytes | None]:
        """What a file held before and after; None where there was none, it is not kept, or it is a folder."""
        raise NotImplementedError

    async def preview(self, words: str, changes: Changes, files: Sequence[PathChange]) -> Preview:
        """What it would do to take these files of `changes` back to how they were at `changes.since`."""
        raise NotImplementedError

    async def preview_hunk(self, change: PathChange, span: LineSpan) -> Preview:
        """What it would do to take one hunk of a file back."""
        raise NotImplementedError

    async def preview_undo(self, taken: TakenBack) -> Preview:
        """What it would do to undo that; an undone one is done again."""
        raise NotImplementedError

    async def take_back(self, preview: Preview, steps: Collection[Step]) -> TakenBack:
        """Do these steps of a preview, refused ones only where they are `forcible`; the rest is left as it is."""
        raise NotImplementedError

    def last_turn(self) -> tuple[Point, Point] | None:
        """The last turn that changed files which are not all taken back: from its prompt to its end, or to now."""
        raise NotImplementedError

    def before(self, prompts: int, words: str) -> Point | None:
        """The point at which the user's message number `prompts`, from 0, that begins with `words` went out."""
        raise NotImplementedError
