"""What is said in a session of files that changed, or were taken back."""

from collections.abc import Sequence

from acp_tui.host.changes.history import TurnFiles
from acp_tui.host.changes.points import Point
from acp_tui.host.changes.who import Key
from acp_tui.host.snapshots.states import PathChange, told_changes
from acp_tui.host.take_back.steps import Step, TakenBack
from acp_tui.safe_text import one_line
from acp_tui.session.facts import FilesChanged, FilesTakenBack, Noticed
from acp_tui.session.text.words import counted

NAMES = 5  # files that are named


def files_changed(since: Point, until: Point, changed: Sequence[PathChange], files: TurnFiles) -> FilesChanged:
    """Of a turn, from its prompt to its end."""
    told = told_changes(changed)
    yours = files.unknown | files.afterwards
    names = sorted(told, key=lambda each: (each.key in yours, each.key in files.others, each.path))
    return FilesChanged(
        since.turn,
        len(told),
        sum(each.added or 0 for each in changed),
        sum(each.removed or 0 for each in changed),
        tuple(each.path for each in names[:NAMES]),
        sum(each.key in yours for each in told),
        tuple(dict.fromkeys((*since.gaps, *until.gaps, *files.notes))),
    )


def files_taken_back(taken: TakenBack) -> FilesTakenBack:
    told = told_changes([step.change for step in taken.steps if step.act != "nothing"])
    done = [change.path for change in told]
    left = sum(not outcome.done for outcome in taken.outcomes)
    return FilesTakenBack(taken.words, len(done), left, tuple(done[:NAMES]), undone=taken.undoes is not None)


def not_written(trouble: str) -> Noticed:
    """Of an undo or redo of which nothing could be written down."""
    return Noticed("warning", "This undo is not written down", trouble, "When acp-tui ends, it may be forgotten.")


def chosen_names(step: Step) -> list[Key]:
    """The paths that a step is about."""
    root, change = step.change.root, step.change
    return [(root, path) for path in (change.path, change.old_path) if path]


def own_notes(own: Sequence[PathChange]) -> list[str]:
    """What has to be said of changes to an agent's own state, which stays as it is: one idea for all of it."""
    told = told_changes(own)
    tops = sorted({each.path.partition("/")[0] for each in told})
    named = one_line(", ".join(tops))
    return [f"The agent's own state is left alone: {counted(len(told), 'file')} in {named}"] if told else []
