"""What one step would change in its file: how it is now beside how it comes to be."""

from dataclasses import replace
from functools import cached_property

from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.snapshots.states import ABSENT
from acp_tui.host.take_back.steps import Step
from acp_tui.ui.entries.tool_calls.diff import LazyDiffs
from acp_tui.ui.render.diff import FileDiff, compare

NOT_KEPT = "What is there now cannot be shown"


class StepDiff(LazyDiffs):
    """Compared when first drawn."""

    def __init__(self, step: Step, now: bytes | None, target: bytes | None) -> None:
        super().__init__(())
        self._step, self._now, self._target = step, now, target

    @cached_property
    def files(self) -> list[FileDiff]:
        step, now, target = self._step, self._now, self._target
        path = step.change.path
        notes = []
        if step.act == "move":
            notes.append(f"moved to {step.change.old_path}")
        if step.now.mode != step.target.mode and "absent" not in (step.now.kind, step.target.kind):
            notes.append(f"mode {step.now.mode:04o} → {step.target.mode:04o}")
        if now is None and step.now.kind in ("file", "link"):
            return [FileDiff(path, notes=(*notes, NOT_KEPT))]
        file = compare(path, None if now is None else _text(now), _text(target or b""))
        if step.target.kind == "absent":
            file = replace(file, notes=("deleted",))
        return [replace(file, notes=(*file.notes, *notes))]


async def diff_of(step: Step, changes: SessionChanges) -> StepDiff:
    """Raises `UserFault`."""
    target = step.content
    if target is None:
        target, _ = await changes.texts(replace(step.change, before=step.target, after=ABSENT))
    return StepDiff(step, await changes.text_now(step), target)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")  # bytes that are no text differ, too
