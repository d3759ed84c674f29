"""The plan of taking changes back, path by path: from what is known of each (before, after and now), which is pure
(`Plan`), and with the disk as it is now, which blocks: call that in a thread.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from acp_tui.errors import Fault, UserFault, reason_of
from acp_tui.host.revert.disk_state import EXTRAS, ContentStore, LeftAlone, at, digest_of, folds_case, found_at
from acp_tui.host.revert.steps import Act, DiskState, Key, LineSpan, Preview, Step, TakenBack, depth, undoing
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, Who, same, status_of
from acp_tui.host.system.sandbox_paths import RequestFault, SandboxRoots
from acp_tui.host.system.workspace_files import open_regular
from acp_tui.session.text.line_diff import CONTEXT, Span, line_diff, lines_of

CHOSEN: Collection[Who] = ("agent", "command")  # whose changes go unless the user says otherwise
NAMED_AT_MOST = 3  # names in one sentence

_NOT_KEPT = {
    "ignored": "Git ignored it at that time, so it may already have existed",
    "too large": "Too large to save",
    "not readable": "Not readable at that time",
    "saved too late to undo": "Saved too late to undo",
    "changed while it was read": "Changed while it was saved",
    "special file": "Was a pipe, socket or device",
    "nested repository": "In a nested repository, which is skipped",
}


class Plan:
    """Steps from what is `found` at paths and old paths, and whether the store `has` a digest.

    `chain`: who changed a path in each interval in which it did change, the oldest first, where there are several.
    `folding`: roots in which names that differ only in case are one. `since`: a moment, in words.
    """

    def __init__(
        self,
        found: Mapping[Key, DiskState],
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

    def _old(self, change: PathChange) -> DiskState:
        return self._found[change.root, change.old_path]

    def _is_back(self, change: PathChange, here: DiskState) -> bool:
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

    def _refusals(self, change: PathChange, here: DiskState) -> Iterator[tuple[str, bool]]:
        """Words, and whether a user may say that it is done all the same."""
        before, chain = change.before, self._chain.get(change.key, ())
        if here.trouble:
            yield here.trouble, False
        if before.kind == "unknown":
            yield _NOT_KEPT.get(before.reason, f"Not saved: {before.reason or 'reason unknown'}"), False
        if before.digest and before.digest != here.state.digest and not self._has(before.digest):
            yield "Its content is no longer saved", False
        if here.state.kind == "unknown":
            yield _in_the_way(here.state.reason), False
        if change.status == "renamed":
            yield from ((words, False) for words in _refusals_of_rename(change, self._old(change)))
        if not same(here.state, change.after):
            yield _changed_since(change, here.state, self._since), True
        if "outside" in chain and len(set(chain)) > 1:
            yield "Also changed between turns; those edits would be lost", True

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
                    by_key[step.change.key] = _refused(step, f"{way} is no longer a folder", forcible=forcible)
        return list(by_key.values())

    def _folders_emptied(self, steps: Sequence[Step]) -> list[Step]:
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


def _refusals_of_rename(change: PathChange, old: DiskState) -> Iterator[str]:
    if change.before.kind not in ("file", "link"):
        yield "Undo of a renamed folder restores only its files"
    if old.trouble:
        yield old.trouble
    elif old.state != ABSENT and not same(old.state, change.before):
        yield f"Its old name {change.old_path} is taken"


def _in_the_way(reason: str) -> str:
    words = {"special file": "A pipe, socket or device has taken its place", "not readable": "Not readable now"}
    return words.get(reason, f"Cannot be saved now: {reason}")


def _changed_since(change: PathChange, now: PathState, moment: str) -> str:
    if change.after.kind == "unknown":
        return f"May have changed since {moment}: {change.after.reason or 'not saved'}"
    if now.kind == "absent":
        return f"Deleted since {moment}"
    if change.after.kind == now.kind and change.after.digest == now.digest:
        return f"Its mode changed since {moment}"
    return f"Changed since {moment}"


def _if_emptied(step: Step, inside: Mapping[str, Step | None]) -> Step:
    leaving = {name: each for name, each in inside.items() if each is not None and _leaves(each)}
    if strange := sorted(inside.keys() - leaving.keys()):
        return _refused(step, f"Contains files that are not undone: {listed(strange)}")
    if left := sorted(name for name, each in leaving.items() if each.refusal):
        forcible = all(leaving[name].forcible for name in left)
        return _refused(step, f"Contains skipped files: {listed(left)}", forcible=forcible)
    return step if all(each.chosen for each in leaving.values()) else replace(step, chosen=False)


def _leaves(step: Step) -> bool:
    return step.act == "move" or (step.act == "delete" and step.now.kind != "absent")


def listed(names: Sequence[str]) -> str:
    """Some names, and how many there are more."""
    more = len(names) - NAMED_AT_MOST
    return ", ".join(names[:NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")


def _refused(step: Step, words: str, *, forcible: bool = False) -> Step:
    if step.refusal and (not step.forcible or forcible):
        return step
    return replace(step, refusal=words, forcible=forcible, chosen=False)


def without_hunk(before: bytes, after: bytes, now: bytes, span: LineSpan) -> bytes | None:
    """What is there `now` with one hunk as it was `before`; None where its place cannot be told.

    `span` counts the lines of `lines_of`.
    """
    old, new, there = lines_of(before), lines_of(after), lines_of(now)
    if not (_within(span.old, old) and _within(span.new, new)):
        return None
    size = span.new[1] - span.new[0]
    found = set[bytes]()
    for place in _places(old, new, there, span):
        lines = [*there[:place], *old[slice(*span.old)], *there[place + size :]]
        if not all(line.endswith(b"\n") for line in lines[:-1]):
            return None  # two lines would become one
        found.add(b"".join(lines))
    return found.pop() if len(found) == 1 else None


def _within(bounds: tuple[int, int], lines: Sequence[bytes]) -> bool:
    return 0 <= bounds[0] <= bounds[1] <= len(lines)


def _places(old: Sequence[bytes], new: Sequence[bytes], there: Sequence[bytes], span: LineSpan) -> set[int]:
    """Where the hunk begins now: by the surest of three ways that finds a place."""
    if there == new:
        return {span.new[0]}
    return _among_hunks(old, new, there, span) or _by_context(new, there, span)


def _among_hunks(old: Sequence[bytes], new: Sequence[bytes], there: Sequence[bytes], span: LineSpan) -> set[int]:
    """The places at which all that is there is the text after, but for other hunks that are as they were before."""
    (old_first, old_end), (new_first, new_end) = span.old, span.new
    spans = line_diff(old, new).spans
    above = [each for each in spans if each[1] <= old_first and each[3] <= new_first]
    below = [each for each in spans if each[0] >= old_end and each[2] >= new_end]
    first = _ends(_parts(old, new, [(0, 0, 0, 0), *above, (old_first, old_first, new_first, new_first)]), there, {0})
    block = new[new_first:new_end]
    rest = list(_parts(old, new, [(0, old_end, 0, new_end), *below, (len(old), len(old), len(new), len(new))]))
    fitting = {at for at in first if there[at : at + len(block)] == block}
    return {at for at in fitting if len(there) in _ends(rest, there, {at + len(block)})}


def _parts(old: Sequence[bytes], new: Sequence[bytes], spans: Sequence[Span]) -> Iterator[Sequence[Sequence[bytes]]]:
    """The texts from the end of the first span on, cut where they differ: what may be there instead of each piece."""
    for (_, old_at, _, new_at), (old_first, old_end, new_first, new_end) in pairwise(spans):
        yield old[old_at:old_first], new[new_at:new_first]
        yield old[old_first:old_end], new[new_first:new_end]


def _ends(parts: Iterable[Sequence[Sequence[bytes]]], there: Sequence[bytes], begins: set[int]) -> set[int]:
    """Where these pieces end, one after the other, each in one of its two forms."""
    at = begins
    for forms in parts:
        at = {begin + len(form) for begin in at for form in forms if there[begin : begin + len(form)] == form}
    return at


def _by_context(new: Sequence[bytes], there: Sequence[bytes], span: LineSpan) -> set[int]:
    """The one place where the lines are with as many of their neighbours as can be found; none if there are more."""
    first, end = span.new
    for context in range(CONTEXT, -1, -1):
        begin, stop = max(first - context, 0), min(end + context, len(new))
        wanted = new[begin:stop]
        if not wanted or (not context and first == end):
            return set()
        found = [at for at in range(len(there) - len(wanted) + 1) if there[at : at + len(wanted)] == wanted]
        if found:
            return {found[0] + first - begin} if len(found) == 1 else set()
    return set()


HUNKS_AT_MOST = 64 << 20  # bytes of a file out of which a hunk is taken
OUTSIDE = "Changes that commands made outside this folder can't be undone"
FRESH = "Restored files lose extended attributes and ACLs"
FRESH_ROOT = "Restored files belong to root and lose extended attributes and ACLs"
RECASED = "The old capitalization of {} is not restored"
_LOST = {
    "hard links": "Other hard links to {} are not changed",
    "setuid": "The setuid or setgid bit of {} is not restored",
    "attributes of the system": "System attributes of {} are not restored",
}


def plan_revert(
    words: str,
    files: Sequence[PathChange],
    roots: SandboxRoots,
    store: ContentStore,
    *,
    chain: Mapping[Key, Sequence[Who]] | None = None,
    notes: Sequence[str] = (),
    since: str = "the turn ended",
    plain: Collection[Key] = (),
) -> Preview:
    """What it would do to take files back to how they were `before`.

    `chain`: where these are the changes of several intervals, whose each path was in every one in which it changed.
    Files that are `plain` had nothing but their bytes and mode when they were deleted.
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
    steps = [
        replace(step, plain=step.target.kind == "absent" and EXTRAS not in found[step.change.key].lost)
        for step in plan.steps(files)
    ]
    recased = [RECASED.format(listed(plan.recased))] if plan.recased else []
    return Preview(words, steps, (*notes, *losses(steps, found, plain), *recased))


def plan_redo(taken: TakenBack, roots: SandboxRoots, store: ContentStore) -> Preview:
    """What it would do to undo what was taken back, or to do again what was undone."""
    files = [undoing(step) for step in taken.steps]
    plain = {change.key for change, step in zip(files, taken.steps, strict=True) if step.plain}
    preview = plan_revert(taken.words, files, roots, store, since="the undo", plain=plain)
    who = {change.key: step.change.who for change, step in zip(files, taken.steps, strict=True)}
    steps = [replace(step, change=replace(step.change, who=who[step.change.key])) for step in preview.steps]
    return replace(preview, steps=steps, undoes=taken.number)


def plan_hunk_revert(change: PathChange, span: LineSpan, roots: SandboxRoots, store: ContentStore) -> Preview:
    """What it would do to take one hunk of a file back. Raises `UserFault` where that cannot be told."""
    here = found_at(*change.key, roots)
    if here.trouble or here.way:
        raise _no_hunk(change, here.trouble or f"{here.way} is no longer a folder.")
    before, after = (_text(state, store, change) for state in (change.before, change.after))
    data = without_hunk(before, after, text_now(change, here.state, roots), span)
    if data is None:
        raise _no_hunk(change, "Its lines have changed, or appear more than once.")
    if (not data and change.before.kind == "absent") or here.state.kind == "absent":
        return plan_revert(change.path, [change], roots, store).pointed()  # it is the only hunk
    target = PathState("file", here.state.mode, len(data), digest_of(data))
    step = Step(change, "write", here.state, target, content=data)
    return Preview(change.path, [step], losses([step], {change.key: here}))


def text_now(change: PathChange, now: PathState, roots: SandboxRoots) -> bytes:
    """What the file of a change holds, while it is as it was found (`now`). Raises `UserFault` where it is not."""
    if now.kind == "absent":
        return b""
    if now.kind != "file" or now.size > HUNKS_AT_MOST:
        raise _no_hunk(change, "The file is gone or too large.")
    try:
        with at(*change.key, roots) as place, open_regular(place.path, place) as file:
            data = file.read()
    except (LeftAlone, OSError, RequestFault) as error:
        raise _no_hunk(change, reason_of(error)) from error
    if digest_of(data) != now.digest:
        raise _no_hunk(change, "The file is being written.")
    return data


def _text(state: PathState, store: ContentStore, change: PathChange) -> bytes:
    if state.kind == "absent":
        return b""
    if state.kind != "file" or not store.has(state.digest):
        raise _no_hunk(change, f"Not saved: {state.reason}." if state.reason else "Its content was not saved.")
    if state.size > HUNKS_AT_MOST:
        raise _no_hunk(change, f"The file is larger than {HUNKS_AT_MOST >> 20} MB.")
    return b"".join(store.pieces(state.digest))


def _no_hunk(change: PathChange, reason: str) -> UserFault:
    return UserFault("This hunk cannot be undone", f"{change.path}: {reason}", "Undo the whole file instead.")


def losses(steps: Sequence[Step], found: Mapping[Key, DiskState], plain: Collection[Key] = ()) -> list[str]:
    """What does not come along when files are replaced, or come back that are gone; `plain` ones lose nothing."""
    lost: dict[str, list[str]] = {}
    for step in [step for step in steps if step.act != "nothing"]:
        for what in found[step.change.key].lost if step.act in ("write", "link", "move") else ():
            if what != "setuid":
                lost.setdefault(what, []).append(step.change.path)
        if step.target.kind == "file" and step.target.mode & 0o6000:
            lost.setdefault("setuid", []).append(step.change.path)
    notes = [words.format(listed(lost[what])) for what, words in _LOST.items() if what in lost]
    if any(step.act == "write" and step.now.kind == "absent" and step.change.key not in plain for step in steps):
        notes.append(FRESH_ROOT if hasattr(os, "geteuid") and os.geteuid() == 0 else FRESH)
    return notes
