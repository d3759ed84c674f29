"""The history of a session's snapshots: its points, what its turns changed, and what was taken back."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.host.changes.attribution import Key
from acp_tui.host.revert.steps import TakenBack
from acp_tui.host.snapshots.path_state import PathChange, PathState, Who, told_changes
from acp_tui.safe_text import one_line
from acp_tui.session.text.phrases import counted

PointKind = Literal["opened", "prompt", "ended", "taken_back", "now", "head"]


class Point(Frozen):
    """One moment: the session opened, a prompt went out, its turn ended, files were taken back, or now.

    `number` counts the points of a session in order, from 0; that of `now` is behind all of them. `turn` counts
    prompts from 1; 0 before the first. `words` is how the prompt begins. `time`: Unix seconds. `trees`: the manifest in
    the store, by the root that it is of. `gaps`: what is not kept in it, one idea each, for the user.
    `head`: what Git's HEAD was, by root. `message`: which of the user's messages the prompt is, from 0. `takings`: how
    many had been taken back in the session when this was looked at.
    One of the kind `head` is no moment of the session, but what is committed.
    """

    number: int
    kind: PointKind
    turn: int
    time: float
    words: str = ""
    trees: Mapping[str, str] = field(default_factory=dict)
    gaps: Sequence[str] = ()
    head: Mapping[str, str] = field(default_factory=dict)
    message: int | None = None
    takings: int = 0


class Changes(Frozen):
    """What changed between two points, by path; `notes` is what has to be said of it, one idea each."""

    since: Point
    until: Point
    files: Sequence[PathChange] = ()
    notes: Sequence[str] = ()


class Progress(Frozen):
    """How far a snapshot is: files read, of how many (0: not known yet)."""

    read: int
    of: int

    @property
    def words(self) -> str:
        """`12,000 of 50,000 files`."""
        return f"{self.read:,} of {counted(self.of, 'file')}" if self.of else counted(self.read, "file")


def own_words(own: Sequence[PathChange]) -> str:
    """Changes to an agent's own state: `3 files in .agent`; empty where a user is told of none."""
    told = told_changes(own)
    tops = sorted({each.path.partition("/")[0] for each in told})
    return f"{counted(len(told), 'file')} in {one_line(', '.join(tops))}" if told else ""


class TurnFiles(Frozen):
    """Which files changed in a turn, by who changed them.

    `calls`: a call of its own names them, with its id; those `afterwards` also changed after the last call.
    `by_command`: while one of its commands ran. `others`: those of another session. `own`: the agent's own state, which
    is no work. `commands`: the agent ran some, which may have done more.
    """

    calls: Mapping[Key, str] = field(default_factory=dict)
    others: frozenset[Key] = frozenset()
    unknown: frozenset[Key] = frozenset()
    notes: tuple[str, ...] = ()
    commands: bool = False
    by_command: frozenset[Key] = frozenset()
    afterwards: frozenset[Key] = frozenset()
    own: frozenset[Key] = frozenset()

    @property
    def keys(self) -> set[Key]:
        """All but the agent's own."""
        return {*self.calls, *self.others, *self.unknown, *self.by_command}

    def who(self, keys: Sequence[Key]) -> Who:
        sets: tuple[tuple[Container[Key], Who], ...] = (
            (self.afterwards, "afterwards"),
            (self.calls, "agent"),
            (self.own, "own"),
            (self.others, "session"),
            (self.by_command, "command"),
        )
        return next((who for found, who in sets if any(key in found for key in keys)), "unknown")


@dataclass(slots=True)
class History:
    """What is known of a session's snapshots, from its `runs`, by their names. `early` and `files` are by turn.

    `early` is how paths were before the agent wrote them, that were not kept when the prompt went out. `named` is what
    the calls of a turn named whose end is not compared, by turn.
    """

    points: list[Point] = field(default_factory=list)
    early: dict[int, dict[Key, PathState]] = field(default_factory=dict)
    files: dict[int, TurnFiles] = field(default_factory=dict)
    taken_back: list[TakenBack] = field(default_factory=list)
    named: dict[int, dict[Key, str]] = field(default_factory=dict)
    runs: list[str] = field(default_factory=list)

    @property
    def turns(self) -> int:
        return max((point.turn for point in self.points), default=0)

    @property
    def own_folders(self) -> set[str]:
        """The folders at the top that were found to be the agent's own, in two turns: one may be a coincidence."""
        found = Counter(
            top for files in self.files.values() for top in {path.partition("/")[0] for _, path in files.own}
        )
        return {top for top, turns in found.items() if turns > 1}

    @property
    def next_number(self) -> int:
        return self.points[-1].number + 1 if self.points else 0

    def follow(self, later: "History") -> None:
        """Have what came later behind this: its points, turns and takings-back count on."""
        numbers, turns, taken = self.next_number, self.turns, len(self.taken_back)
        self.points += [
            replace(each, number=each.number + numbers, turn=each.turn + turns, takings=each.takings + taken)
            for each in later.points
        ]
        self.early |= {turn + turns: rows for turn, rows in later.early.items()}
        self.files |= {turn + turns: rows for turn, rows in later.files.items()}
        self.named |= {turn + turns: rows for turn, rows in later.named.items()}
        for each in later.taken_back:
            undoes = None if each.undoes is None else each.undoes + taken
            of = range(each.turns.start + turns, each.turns.stop + turns)
            to = None if each.back_to is None else each.back_to + numbers
            self.add_taken(
                replace(each, number=each.number + taken, undoes=undoes, turns=of, at=each.at + turns, back_to=to)
            )
        self.runs += later.runs

    def add_taken(self, taken: TakenBack) -> None:
        """What was taken back, in the place of what was only about to be."""
        self.taken_back[:] = [
            replace(each, undone=True) if each.number == taken.undoes else each
            for each in self.taken_back
            if each.number != taken.number
        ]
        self.taken_back.append(taken)

    def until(self, end: Point | None) -> "History":
        """The same as far as it was known before a point; all of it for None."""
        points = [each for each in self.points if end is None or each.number < end.number]
        turns = max((each.turn for each in points), default=0)
        return History(
            points,
            {turn: dict(rows) for turn, rows in self.early.items() if turn <= turns},
            {turn: rows for turn, rows in self.files.items() if turn <= turns},
            [each for each in self.taken_back if end is None or each.at < end.turn],
            {turn: rows for turn, rows in self.named.items() if turn <= turns},
            [*self.runs],
        )

    def void(self, turn: int) -> None:
        """That turn was none."""
        self.points[:] = [each for each in self.points if each.turn != turn or each.kind != "prompt"]

    def needed(self) -> dict[str, set[str]]:
        needed: dict[str, set[str]] = {}
        for point in self.points:
            for root, tree in point.trees.items():
                needed.setdefault(root, set()).add(tree)
        return needed
