"""Points and changes of a session whose folder is a dictionary: path → bytes."""

import time
from collections.abc import Awaitable, Callable, Collection, Container, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.snapshot_history import Changes, Point, PointKind
from acp_tui.host.revert.apply import FileProgress
from acp_tui.host.revert.steps import Act, LineSpan, Outcome, Preview, Step, TakenBack
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, Status, Who
from acp_tui.session.text.line_diff import count_lines

ROOT = "/home/someone/project"


async def _at_once(_progress: FileProgress) -> None:
    """Nothing is waited for."""


class FakeChanges(SessionChanges):
    """`files` is how the folder is now; `mark` adds a point at which it is so. `who`: whose a path is at each turn.

    `writing` is waited for before files are taken back. `begun`: how often a prompt was begun.
    """

    def __init__(self) -> None:
        self.off, self.progress = "", None
        self.points: list[Point] = []
        self.taken_back: list[TakenBack] = []
        self.files: dict[str, bytes] = {}
        self.clock = time.time
        self.who: dict[str, Who] = {}
        self.refused: dict[str, str] = {}
        self.failing: dict[str, str] = {}
        self.writing: Callable[[FileProgress], Awaitable[None]] = _at_once
        self.begun = 0
        self._trees: dict[int, dict[str, bytes]] = {}
        self._bytes: dict[str, bytes] = {}

    def mark(self, kind: PointKind, turn: int, words: str = "", gaps: Sequence[str] = ()) -> Point:
        point = Point(len(self.points), kind, turn, self.clock(), words, gaps=gaps)
        self.points.append(point)
        self._trees[point.number] = dict(self.files)
        self.changed()
        return point

    def turn(self, words: str, after: Mapping[str, bytes | None], who: Who = "agent") -> None:
        """A turn that leaves these files so; None: deleted."""
        number = sum(point.kind == "prompt" for point in self.points) + 1
        self.mark("prompt", number, words)
        for path, data in after.items():
            self.who.setdefault(path, who)
            if data is None:
                self.files.pop(path, None)
            else:
                self.files[path] = data
        self.mark("ended", number, words)

    @property
    def turn_number(self) -> int:
        return sum(point.kind == "prompt" for point in self.points)

    def typed(self) -> None:
        self.begun += 1

    def changed(self) -> None:
        self.publish()

    def reach(self, roots: Sequence[str]) -> None:
        """Another folder changes nothing here: there is one."""

    async def look(self, since: Point | None = None) -> Point:
        turn = self.points[-1].turn if self.points else 0
        return Point(len(self.points), "now", turn, self.clock())

    async def between(self, since: Point, until: Point) -> Changes:
        before, after = self._tree(since), self._tree(until)
        paths = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
        found = [self._change(path, before.get(path), after.get(path)) for path in paths]
        return Changes(since, until, found, (*since.gaps, *until.gaps))

    async def texts(self, change: PathChange) -> tuple[bytes | None, bytes | None]:
        return self._bytes.get(change.before.digest), self._bytes.get(change.after.digest)

    async def text_now(self, step: Step) -> bytes | None:
        return self._bytes.get(step.now.digest)

    async def preview(
        self, words: str, changes: Changes, files: Sequence[PathChange], *, pointed: bool = False
    ) -> Preview:
        steps = [self._step(each) for each in files if pointed or each.who != "own"]
        turns = range(changes.since.turn, changes.until.turn + 1)
        return Preview(words, [replace(each, chosen=each.chosen or pointed) for each in steps], turns=turns)

    async def preview_hunk(self, change: PathChange, span: LineSpan) -> Preview:
        before, after = await self.texts(change)
        old, new = ((each or b"").splitlines(keepends=True) for each in (before, after))
        data = b"".join([*new[: span.new[0]], *old[slice(*span.old)], *new[span.new[1] :]])
        return Preview(change.path, [replace(self._step(change), target=self._state(data), content=data)])

    async def preview_undo(self, taken: TakenBack) -> Preview:
        steps = [
            replace(step, now=step.target, target=step.now, act="delete" if step.now == ABSENT else "write")
            for step in taken.steps
        ]
        return Preview(taken.words, steps, undoes=taken.number)

    async def take_back(
        self, preview: Preview, steps: Collection[Step], progress: FileProgress | None = None
    ) -> TakenBack:
        if progress is not None:
            progress.begin([*steps])
            await self.writing(progress)
        done = [step for step in preview.steps if step in steps and step.change.path not in self.failing]
        for step in done:
            data = self._bytes.get(step.target.digest)
            if data is None:
                self.files.pop(step.change.path, None)
            else:
                self.files[step.change.path] = data
        outcomes = [
            Outcome(each.change.path, each in done, self.failing.get(each.change.path, each.refusal))
            for each in preview.steps
        ]
        number = len(self.taken_back) + 1
        about = preview.words, done, (), preview.undoes, preview.turns
        taken = TakenBack(*about, number=number, time=self.clock(), outcomes=outcomes)
        self.taken_back = [replace(each, undone=each.undone or each.number == taken.undoes) for each in self.taken_back]
        self.taken_back.append(taken)
        self.mark("taken_back", self.points[-1].turn, preview.words)
        return taken

    def last_turn(self, passed: Container[int] = ()) -> tuple[Point, Point] | None:
        gone = {each.turns for each in self.taken_back if each.undoes is None and not each.undone}
        for prompt in reversed([point for point in self.points if point.kind == "prompt"]):
            ended = [point for point in self.points if point.kind == "ended" and point.turn == prompt.turn]
            if range(prompt.turn, prompt.turn + 1) not in gone and prompt.turn not in passed and ended:
                return prompt, ended[-1]
        return None

    def files_from(self) -> dict[int, int]:
        return {
            point.turn: len({path for path, _ in {*self._trees[point.number].items()} ^ {*self.files.items()}})
            for point in self.points
            if point.kind == "prompt"
        }

    def before(self, prompts: int, words: str) -> Point | None:
        found = [point for point in self.points if point.kind == "prompt"]
        return found[prompts] if prompts < len(found) and found[prompts].words in words else None

    def _tree(self, point: Point) -> dict[str, bytes]:
        return self.files if point.kind == "now" else self._trees[point.number]

    def _state(self, data: bytes | None) -> PathState:
        if data is None:
            return ABSENT
        digest = blake2b(data, digest_size=20).hexdigest()
        self._bytes[digest] = data
        return PathState("file", 0o644, len(data), digest)

    def _change(self, path: str, before: bytes | None, after: bytes | None) -> PathChange:
        status: Status = "new" if before is None else "deleted" if after is None else "changed"
        states = self._state(before), self._state(after)
        counts = count_lines(before or b"", after or b"")
        return PathChange(ROOT, path, status, *states, "", *counts, self.who.get(path, "outside"))

    def _step(self, change: PathChange) -> Step:
        refusal = self.refused.get(change.path, "")
        act: Act = "delete" if change.before == ABSENT else "write"
        now = self._state(self.files.get(change.path))
        chosen = not refusal and change.who == "agent"
        return Step(change, act, now, change.before, refusal, bool(refusal), chosen)
