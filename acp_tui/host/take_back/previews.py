"""What taking back would do, with the disk as it is now. It blocks: call it in a thread."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from acp_tui.errors import Fault
from acp_tui.host.services.roots import Roots
from acp_tui.host.snapshots.states import PathChange, Who
from acp_tui.host.take_back.disk import Store, folds_case, found_at
from acp_tui.host.take_back.plan import Plan, listed
from acp_tui.host.take_back.steps import Found, Key, Preview, Step, TakenBack, undoing

OUTSIDE = "Commands may have changed things outside of this folder: undo does not reach them"
FRESH = "Deleted files come back without extended attributes and ACLs"
FRESH_ROOT = "Deleted files come back owned by root, without extended attributes and ACLs"
RECASED = "The case of the name of {} does not come back"
_LOST = {
    "hard links": "Other hard links of {} keep what they hold now",
    "setuid": "The setuid or setgid bit of {} does not come back",
    "attributes of the system": "System attributes of {} do not come back",
}


def of_changes(
    words: str,
    files: Sequence[PathChange],
    roots: Roots,
    store: Store,
    *,
    chain: Mapping[Key, Sequence[Who]] | None = None,
    notes: Sequence[str] = (),
    since: str = "the turn ended",
) -> Preview:
    """What it would do to take files back to how they were `before`.

    `chain`: where these are the changes of several intervals, whose each path was in every one in which it changed.
    """
    old_names = [(change.root, change.old_path) for change in files if change.status == "renamed"]
    found = {key: found_at(*key, roots) for key in {*old_names, *(change.key for change in files)}}
    folding = [root for root in {change.root for change in files} if folds_case(root)]

    def has(digest: str) -> bool:
        try:
            return store.has(digest)
        except (ValueError, OSError, Fault):  # such as the digest of a journal that somebody changed
            return False

    plan = Plan(found, has, chain or {}, folding, since)
    steps = plan.steps(files)
    recased = [RECASED.format(listed(plan.recased))] if plan.recased else []
    return Preview(words, steps, (*notes, *losses(steps, found), *recased))


def of_undo(taken: TakenBack, roots: Roots, store: Store) -> Preview:
    """What it would do to undo what was taken back, or to do again what was undone."""
    files = [undoing(step) for step in taken.steps]
    preview = of_changes(taken.words, files, roots, store, since="the undo")
    who = {change.key: step.change.who for change, step in zip(files, taken.steps, strict=True)}
    steps = [replace(step, change=replace(step.change, who=who[step.change.key])) for step in preview.steps]
    return replace(preview, steps=steps, undoes=taken.number)


def losses(steps: Sequence[Step], found: Mapping[Key, Found]) -> list[str]:
    """What does not come along when files are replaced, or come back that are gone."""
    lost: dict[str, list[str]] = {}
    for step in [step for step in steps if step.act != "nothing"]:
        for what in found[step.change.key].lost if step.act in ("write", "link", "move") else ():
            if what != "setuid":
                lost.setdefault(what, []).append(step.change.path)
        if step.target.kind == "file" and step.target.mode & 0o6000:
            lost.setdefault("setuid", []).append(step.change.path)
    notes = [words.format(listed(lost[what])) for what, words in _LOST.items() if what in lost]
    if any(step.act == "write" and step.now.kind == "absent" for step in steps):
        notes.append(FRESH_ROOT if hasattr(os, "geteuid") and os.geteuid() == 0 else FRESH)
    return notes
