"""What taking changes back would do to each path, and what it did."""

from collections.abc import Sequence
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.states import PathChange, PathState

NO_TURNS = range(0)
Act = Literal["write", "delete", "move", "mode", "link", "folder", "nothing"]


class LineSpan(Frozen):
    """A hunk: the lines `old` of the text before and `new` of the text after, from 0; the second bound is not in it."""

    old: tuple[int, int]
    new: tuple[int, int]


class Step(Frozen):
    """What happens to one path: it is `now` so and comes to be as `target`.

    `act` in one word: `write` a file (new or over another), `delete`, `move` back from `change.path` to
    `change.old_path`, only the `mode`, make a `link`, make a `folder`; `nothing` where it is as it was already.
    `refusal` says in words for the user why it is left alone; `forcible`: it is done all the same for a user who says
    so for this path. `chosen` beforehand: not what is refused, and not what nobody knows who did.
    `content`: the bytes, where they are in no snapshot (a hunk was taken out of a file).
    """

    change: PathChange
    act: Act
    now: PathState
    target: PathState
    refusal: str = ""
    forcible: bool = False
    chosen: bool = True
    content: bytes | None = None


class Preview(Frozen):
    """What would happen, `words` for what it is all about (`Turn 3`), and what has to be said before: one idea each.

    `undoes` is the number of what was taken back before, where this undoes that. `turns` are those whose changes it is
    about; `whole`: about all of their changes.
    """

    words: str
    steps: Sequence[Step]
    notes: Sequence[str] = ()
    undoes: int | None = None
    turns: range = NO_TURNS
    whole: bool = False

    @property
    def is_as_it_was(self) -> bool:
        """Whether there are paths, and each is as it was already; one that cannot come back is not."""
        return bool(self.steps) and all(step.act == "nothing" and not step.refusal for step in self.steps)


class Outcome(Frozen):
    """What came of one step; `said` in words where it was not `done`, or only a part of it."""

    path: str
    done: bool
    said: str = ""


class TakenBack(Frozen):
    """What was taken back; `number` counts from 1 in the session. `undone`: it was undone since. `time`: Unix seconds.

    `steps` are those that were done, with what was there before as `now`: enough to undo them. `turns` and `whole` are
    those of its preview: it goes back to the prompt of the first of them. `at` is the turn after which it was done. One
    that is not `finished` was only meant: nobody knows yet which of its steps were done.
    """

    number: int
    time: float
    words: str
    outcomes: Sequence[Outcome]
    steps: Sequence[Step] = ()
    undone: bool = False
    undoes: int | None = None
    turns: range = NO_TURNS
    whole: bool = False
    at: int = 0
    finished: bool = True
