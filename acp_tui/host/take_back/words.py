"""What has to be said before changes are taken back: one idea each."""

from collections.abc import Mapping, Sequence

from acp_tui.frozen import Frozen
from acp_tui.host.take_back.plan import Found, Key, listed
from acp_tui.host.take_back.preview import Step

OUTSIDE = "Commands may have changed things outside of this folder: undo does not reach them"
FRESH = "Deleted files come back without extended attributes and ACLs"
FRESH_ROOT = "Deleted files come back owned by root, without extended attributes and ACLs"
_LOST = {
    "hard links": "Other hard links of {} keep what they hold now",
    "setuid": "The setuid or setgid bit of {} does not come back",
    "attributes of the system": "System attributes of {} do not come back",
}


class Head(Frozen):
    """Where a checkout is: its branch (empty: none), its commit (hex) and the newest stash (hex); empty: unknown."""

    branch: str = ""
    commit: str = ""
    stash: str = ""


def head_notes(before: Head, after: Head, who: str = "The agent") -> list[str]:
    """What became of a checkout's refs between two points; none of it is taken back."""
    notes = []
    if before.branch != after.branch and before.commit and after.commit:
        names = f"{before.branch or before.commit[:7]} → {after.branch or after.commit[:7]}"
        notes.append(f"{who} switched branches ({names}): the branch stays, only files come back")
    elif before.commit != after.commit and before.commit and after.commit:
        branch = f"{after.branch} " if after.branch else ""
        moved = f"{branch}{before.commit[:7]} → {after.commit[:7]}"
        notes.append(f"{who} committed ({moved}): commits stay, only files come back")
    if after.stash and before.stash != after.stash:
        notes.append(f"{who} stashed ({after.stash[:7]}): the stash stays, only files come back")
    elif before.stash and not after.stash:
        notes.append(f"{who} dropped or applied a stash ({before.stash[:7]}): it does not come back")
    return notes


def losses(steps: Sequence[Step], found: Mapping[Key, Found], *, privileged: bool) -> list[str]:
    """What does not come along when files are replaced, or come back that are gone."""
    lost: dict[str, list[str]] = {}
    for step in steps:
        if step.act == "nothing" or (step.act == "move" and step.now.digest == step.target.digest):
            continue
        replaced = step.act in ("write", "link", "move")
        for what in found[step.change.key].lost:
            if replaced and what != "setuid":
                lost.setdefault(what, []).append(step.change.path)
        if step.target.kind == "file" and step.target.mode & 0o6000:
            lost.setdefault("setuid", []).append(step.change.path)
    notes = [words.format(listed(lost[what])) for what, words in _LOST.items() if what in lost]
    if any(step.act == "write" and step.now.kind == "absent" for step in steps):
        notes.append(FRESH_ROOT if privileged else FRESH)
    return notes
