"""Backup before undo: steps are done only once what they replace is kept; on a full disk, those that lose nothing.

Then only the paths whose present bytes no snapshot has are left alone. First go files of which one has the bytes: on
the same disk that makes room, and the rest is kept after all.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import field, replace
from typing import NamedTuple

from acp_tui.frozen import Frozen
from acp_tui.host.services.roots import Roots
from acp_tui.host.snapshots.states import told_changes
from acp_tui.host.take_back import writing
from acp_tui.host.take_back.disk import Store
from acp_tui.host.take_back.plan import Key
from acp_tui.host.take_back.preview import Outcome, Preview, Step


class Backup(Frozen):
    """What is kept of what will be replaced: `trouble`, why not all, in words; `digests`: which no pruning takes."""

    digests: Collection[str] = field(default_factory=frozenset)
    trouble: str = ""


class StepWriter(NamedTuple):
    """Does steps: below these roots, from this store, checked between two of them, and counted."""

    roots: Roots
    store: Store
    check: Callable[[], None]
    progress: "FileProgress"

    def write(self, preview: Preview, steps: Sequence[Step]) -> tuple[list[Outcome], list[Step]]:
        return writing.take_back(preview, steps, self.roots, self.store, self.check, self.progress.add)


class FileProgress:
    """How many files are through, of how many: the thread that writes counts, others look at it."""

    def __init__(self) -> None:
        self.done = self.of = 0
        self._left = set[Key]()

    def begin(self, steps: Sequence[Step]) -> None:
        """Folders that only come or go with what is in them do not count, as nowhere else."""
        self._left = {change.key for change in told_changes([step.change for step in steps])}
        self.done, self.of = 0, len(self._left)

    def add(self, step: Step) -> None:
        """A step is through, whatever came of it."""
        if step.change.key in self._left:
            self._left.discard(step.change.key)
            self.done += 1


def possible(chosen: Sequence[Step], backup: Backup, store: Store) -> list[Step]:
    """The steps that may be done, for nothing is lost by them."""
    steps = [step for step in chosen if not step.refusal or step.forcible]
    return [step for step in steps if not backup.trouble or step.now.digest in backup.digests or _is_held(step, store)]


def take_back(
    preview: Preview, chosen: Sequence[Step], backup: Backup, again: Callable[[], Backup], writer: StepWriter
) -> tuple[list[Outcome], list[Step]]:
    """As `writing.take_back`, where `backup` says what is kept; `again` keeps once more, when there may be room."""
    writer.progress.begin(chosen)
    free = {step.change.key for step in possible(chosen, backup, writer.store)}
    gone = list[Step]()
    if backup.trouble:
        first = [step for step in chosen if step.change.key in free and step.act == "delete" and step.now.digest]
        _, gone = writer.write(preview, first)
        backup = again() if gone else backup
        free |= {step.change.key for step in possible(chosen, backup, writer.store)}
    steps = [_or_left(step, backup.trouble, safe=step.change.key in free) for step in preview.steps]
    away = {step.change.key for step in gone}
    before = [Outcome(step.change.path, True) for step in gone]
    try:
        rest = [step for step in chosen if step.change.key not in away]
        outcomes, done = writer.write(replace(preview, steps=steps), rest)
    except writing.Interrupted as stopped:
        raise writing.Interrupted([*before, *stopped.outcomes], [*gone, *stopped.steps]) from stopped
    return [*before, *outcomes], [*gone, *done]


def _is_held(step: Step, store: Store) -> bool:
    """Whether nothing goes that no snapshot has: there are no bytes, or they are those of the turn's end and kept."""
    if step.now.kind not in ("file", "link") or step.act in ("mode", "nothing"):
        return True
    return step.now.digest == step.change.after.digest and store.has(step.now.digest)


def _or_left(step: Step, trouble: str, *, safe: bool) -> Step:
    if safe or (step.refusal and not step.forcible):
        return step
    return replace(step, refusal=trouble, forcible=False)
