"""Folders that only came or went with what is in them: no rows of a preview, they follow what is chosen below them."""

from collections.abc import Mapping, Sequence

from acp_tui.host.snapshots.states import PathChange, folders_above
from acp_tui.host.take_back.steps import Step

CAME_OR_WENT = {"folder", "absent"}


def with_its_folders(file: PathChange, changes: Sequence[PathChange]) -> list[PathChange]:
    """A file and, of all changes, the folders that came with it alone, or that went with it."""
    around = set(folders_above(file))
    beside = {key for each in changes if each.key not in around | {file.key} for key in folders_above(each)}
    folders = [each for each in changes if each.key in around and {each.before.kind, each.after.kind} == CAME_OR_WENT]
    return [file, *(each for each in folders if each.after.kind == "absent" or each.key not in beside)]


def implied_folders(steps: Sequence[Step]) -> dict[int, list[int]]:
    """The numbers of these folders' steps, and of the steps below each. One that is refused is not among them."""
    own = {step.change.key: at for at, step in enumerate(steps) if _comes_or_goes(step)}
    below: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        for key in folders_above(step.change):
            if key in own:
                below.setdefault(own[key], []).append(at)
    return below


def with_folders(chosen: Sequence[bool], steps: Sequence[Step], below: Mapping[int, Sequence[int]]) -> list[bool]:
    """What is chosen, and the folders: made where anything below is chosen, deleted where nothing below is left."""
    found = list(chosen)
    for at, numbers in below.items():
        own = [number for number in numbers if number not in below]
        gone = all(chosen[number] or steps[number].act == "nothing" for number in own)
        found[at] = any(chosen[number] for number in own) and (steps[at].act == "folder" or gone)
    return found


def _comes_or_goes(step: Step) -> bool:
    made = step.act == "folder" and step.now.kind == "absent"
    return not step.refusal and (made or (step.act == "delete" and step.now.kind == "folder"))
