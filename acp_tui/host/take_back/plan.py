"""What taking changes back would do, path by path, from what is known of each: before, after and now. Pure."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState, Who, same, status_of
from acp_tui.host.take_back.steps import Act, Found, Key, Step, depth

CHOSEN: Collection[Who] = ("agent", "command")  # whose changes go unless the user says otherwise
NAMED_AT_MOST = 3  # names in one sentence

_NOT_KEPT = {
    "ignored": "Ignored at that time: not known whether it existed",
    "too large": "Too large to be kept",
    "not readable": "Could not be read at that time",
    "saved too late to undo": "Saved too late to undo",
    "changed while it was read": "Changed while it was kept",
    "special file": "Was a pipe, socket or device",
    "nested checkout": "In a checkout of its own, which is left alone",
}


class Plan:
    """Steps from what is `found` at paths and old paths, and whether the store `has` a digest.

    `chain`: who changed a path in each interval in which it did change, the oldest first, where there are several.
    `folding`: roots in which names that differ only in case are one. `since`: a moment, in words.
    """

    def __init__(
        self,
        found: Mapping[Key, Found],
        has: Callable[[str], bool],
        chain: Mapping[Key, Sequence[Who]],
        folding: Collection[str],
        since: str,
    ) -> None:
        self._found, self._has, self._chain, self._folding, self._since = found, has, chain, folding, since
        self.recased: list[str] = []  # names whose case is not taken back

    def steps(self, changes: Sequence[PathChange]) -> list[Step]:
        """A step for each change, in their order, that takes it back to how it was before."""
        steps = [self._step(change) for change in self._of_one_name(changes)]
        return self._folders_emptied(self._ways_freed(steps))

    def _step(self, change: PathChange) -> Step:
        here = self._found[change.key]
        if self._is_back(change, here):
            return Step(change, "nothing", here.state, here.state, chosen=False)
        act, who = self._act(change, here.state), behind(self._chain.get(change.key, ()), change.who)
        refusals = sorted(self._refusals(change, here), key=lambda each: each[1])
        words, forcible = refusals[0] if refusals else ("", False)
        target = ABSENT if act == "delete" else change.before
        return Step(change, act, here.state, target, words, forcible, chosen=not refusals and who in CHOSEN)

    def _old(self, change: PathChange) -> Found:
        return self._found[change.root, change.old_path]

    def _is_back(self, change: PathChange, here: Found) -> bool:
        if change.status == "renamed":
            return not here.trouble and here.state == ABSENT and same(self._old(change).state, change.before)
        return not here.trouble and same(here.state, change.before)

    def _act(self, change: PathChange, now: PathState) -> Act:
        before = change.before
        if change.status == "renamed":
            return "delete" if same(self._old(change).state, before) else "move"
        if before.kind == now.kind and before.digest == now.digest and before.kind in ("file", "folder"):
            return "mode"
        acts: dict[str, Act] = {"absent": "delete", "file": "write", "link": "link", "folder": "folder"}
        return acts.get(before.kind, "nothing")

    def _refusals(self, change: PathChange, here: Found) -> Iterator[tuple[str, bool]]:
        """Words, and whether a user may say that it is done all the same."""
        before, chain = change.before, self._chain.get(change.key, ())
        if here.trouble:
            yield here.trouble, False
        if before.kind == "unknown":
            yield _NOT_KEPT.get(before.reason, f"Not kept: {before.reason or 'no reason is known'}"), False
        if before.digest and before.digest != here.state.digest and not self._has(before.digest):
            yield "Its bytes are no longer kept", False
        if here.state.kind == "unknown":
            yield _in_the_way(here.state.reason), False
        if change.status == "renamed":
            yield from ((words, False) for words in _refusals_of_rename(change, self._old(change)))
        if not same(here.state, change.after):
            yield _changed_since(change, here.state, self._since), True
        if "outside" in chain and len(set(chain)) > 1:
            yield "Also changed between turns: those edits would go too", True

    def _of_one_name(self, changes: Sequence[PathChange]) -> list[PathChange]:
        """Where case does not count, a file that got a name of another case is one that changed, and keeps that name.

        To write the one and to delete the other would delete the only file that there is.
        """
        found = {change.key: change for change in changes}
        gone = {self._folded(*each.key): each for each in changes if each.status == "deleted"}
        for new in changes:
            old = new if new.status == "renamed" else gone.get(self._folded(*new.key)) if new.status == "new" else None
            if old is not None and self._is_one_name(new.root, old.old_path or old.path, new.path):
                if old is not new:
                    del found[old.key]
                found[new.key] = replace(new, status=status_of(old.before, new.after), before=old.before, old_path="")
                self.recased.append(new.path)
        return list(found.values())

    def _is_one_name(self, root: str, old: str, new: str) -> bool:
        one_node = self._found[root, old].node == self._found[root, new].node
        return old != new and one_node and self._folded(root, old) == self._folded(root, new)

    def _folded(self, root: str, path: str) -> Key:
        return root, path.casefold() if root in self._folding else path

    def _ways_freed(self, steps: Iterable[Step]) -> list[Step]:
        """What was in a folder that is none now comes back only after the folder."""
        by_key = {step.change.key: step for step in steps}
        for step in sorted(by_key.values(), key=lambda each: depth(each.place)):
            way = self._found[step.change.root, step.place].way
            if way and step.act not in ("nothing", "delete"):
                folder = by_key.get((step.change.root, way))
                comes = folder is not None and folder.target.kind == "folder"
                if folder is None or not comes or folder.refusal:
                    forcible = folder is not None and comes and folder.forcible
                    by_key[step.change.key] = _refused(step, f"Its folder {way} is none any more", forcible=forcible)
        return list(by_key.values())

    def _folders_emptied(self, steps: Sequence[Step]) -> list[Step]:
        """A folder goes only with all that it holds."""
        by_key = {step.change.key: step for step in steps}
        for step in sorted(steps, key=lambda each: -depth(each.change.path)):
            if step.now.kind == "folder" and step.act in ("delete", "write", "link"):
                (root, path), holds = step.change.key, self._found[step.change.key].holds
                by_key[root, path] = _if_emptied(step, {name: by_key.get((root, f"{path}/{name}")) for name in holds})
        return list(by_key.values())


def behind(chain: Sequence[Who], unless: Who) -> Who:
    """Who is behind all that became of a path, that one of whom the least is known first; `unless` there is a chain."""
    order: tuple[Who, ...] = ("outside", "session", "unknown", "afterwards", "command", "agent", "own")
    return next((who for who in order if who in chain), unless)


def _refusals_of_rename(change: PathChange, old: Found) -> Iterator[str]:
    if change.before.kind not in ("file", "link"):
        yield "A renamed folder comes back with its files only"
    if old.trouble:
        yield old.trouble
    elif old.state != ABSENT and not same(old.state, change.before):
        yield f"Its old name {change.old_path} is in use again"


def _in_the_way(reason: str) -> str:
    words = {"special file": "A pipe, socket or device is in its place", "not readable": "Cannot be read now"}
    return words.get(reason, f"Cannot be kept now: {reason}")


def _changed_since(change: PathChange, now: PathState, moment: str) -> str:
    if change.after.kind == "unknown":
        return f"Not known whether it changed since {moment}: {change.after.reason or 'not kept'}"
    if now.kind == "absent":
        return f"Deleted since {moment}"
    if change.after.kind == now.kind and change.after.digest == now.digest:
        return f"Its mode changed since {moment}"
    return f"Changed since {moment}"


def _if_emptied(step: Step, inside: Mapping[str, Step | None]) -> Step:
    leaving = {name: each for name, each in inside.items() if each is not None and _leaves(each)}
    if strange := sorted(inside.keys() - leaving.keys()):
        return _refused(step, f"Holds what is not undone: {listed(strange)}")
    if left := sorted(name for name, each in leaving.items() if each.refusal):
        forcible = all(leaving[name].forcible for name in left)
        return _refused(step, f"Holds what is left alone: {listed(left)}", forcible=forcible)
    return step if all(each.chosen for each in leaving.values()) else replace(step, chosen=False)


def _leaves(step: Step) -> bool:
    return step.act == "move" or (step.act == "delete" and step.now.kind != "absent")


def listed(names: Sequence[str]) -> str:
    """Some names, and how many there are more."""
    more = len(names) - NAMED_AT_MOST
    return ", ".join(names[:NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")


def _refused(step: Step, words: str, *, forcible: bool = False) -> Step:
    """With another refusal; what is not forcible stays so."""
    if step.refusal and (not step.forcible or forcible):
        return step
    return replace(step, refusal=words, forcible=forcible, chosen=False)
