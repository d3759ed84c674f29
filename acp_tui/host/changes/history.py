"""What is known of a session's snapshots: its points, what its turns changed, and what was taken back."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from acp_tui.frozen import Frozen
from acp_tui.host.changes.points import Point
from acp_tui.host.changes.who import Key
from acp_tui.host.snapshots.states import PathState, Who
from acp_tui.host.take_back.steps import TakenBack


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
        """Who changed a path, which had one of these names."""
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
        """The snapshots of its points, by root."""
        needed: dict[str, set[str]] = {}
        for point in self.points:
            for root, tree in point.trees.items():
                needed.setdefault(root, set()).add(tree)
        return needed
