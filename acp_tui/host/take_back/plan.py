"""What taking changes back would do, path by path, from what is known of each: before, after and now. Pure."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState, Status, Who
from acp_tui.host.take_back.order import depth
from acp_tui.host.take_back.preview import Act, Step

Key = tuple[str, str]  # a root, and a path relative to it
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


class Found(Frozen):
    """How a path is on the disk now.

    `way`: the folder of the path, relative to the root, that is none any more, or is a link; empty if the way is free.
    `trouble`: why the path cannot be gone to at all, in words. `holds`: the names in a folder. `node`: device and
    number of a file, by which names of one file are known. `lost`: what would not come along if it was replaced.
    """

    state: PathState
    way: str = ""
    trouble: str = ""
    holds: Sequence[str] = ()
    node: tuple[int, int] | None = None
    lost: Sequence[str] = ()


class Known(Frozen):
    """What a plan is made from: what is `found` at paths and old paths, and whether the store `has` a digest.

    `chain`: who changed a path in each interval in which it did change, the oldest first, where there are several.
    `folding`: roots in which names that differ only in case are one. `since`: a moment, in words.
    """

    found: Mapping[Key, Found]
    has: Callable[[str], bool]
    chain: Mapping[Key, Sequence[Who]] = field(default_factory=dict)
    folding: Collection[str] = ()
    since: str = "the turn ended"


class _Refusal(Frozen):
    words: str
    forcible: bool = False


def same(one: PathState, other: PathState) -> bool:
    """Whether two states are the same thing, byte by byte and mode by mode; what is not known is like nothing."""
    if one.kind == "unknown" or one.kind != other.kind:
        return False
    return one.digest == other.digest and (one.kind in ("absent", "link") or one.mode == other.mode)


def plan(changes: Sequence[PathChange], known: Known) -> list[Step]:
    """A step for each change, in their order, that takes it back to how it was before."""
    steps = [_step(change, known) for change in _paired(changes, known)]
    steps = _one_name_each(steps, known)
    steps = _ways_freed(steps, known)
    return _folders_emptied(steps, known)


def _step(change: PathChange, known: Known) -> Step:
    here = known.found[change.key]
    if _is_back(change, known):
        return Step(change, "nothing", here.state, here.state, chosen=False)
    act = _act(change, here.state)
    who = behind(known.chain.get(change.key, ()), change.who)
    found = list(_refusals(change, known))
    refusal = next((each for each in found if not each.forcible), found[0] if found else _Refusal("", True))
    step = Step(change, act, here.state, change.before, refusal.words)
    return replace(step, forcible=bool(refusal.words) and refusal.forcible, chosen=not found and who in CHOSEN)


def _is_back(change: PathChange, known: Known) -> bool:
    here = known.found[change.key]
    if here.trouble:
        return False
    if change.status == "renamed":
        return here.state == ABSENT and same(_old(change, known).state, change.before)
    return same(here.state, change.before)


def _old(change: PathChange, known: Known) -> Found:
    return known.found[change.root, change.old_path]


def _act(change: PathChange, now: PathState) -> Act:
    before = change.before
    if change.status == "renamed":
        return "move"
    if before.kind == "absent":
        return "delete"
    if before.kind == now.kind and before.digest == now.digest and before.kind in ("file", "folder"):
        return "mode"
    acts: dict[str, Act] = {"file": "write", "link": "link", "folder": "folder"}
    return acts.get(before.kind, "nothing")


def behind(chain: Sequence[Who], unless: Who) -> Who:
    """Who is behind all that became of a path, that one of whom the least is known first; `unless` there is a chain."""
    order: tuple[Who, ...] = ("outside", "session", "unknown", "afterwards", "command", "agent", "own")
    return next((who for who in order if who in chain), unless)


def _refusals(change: PathChange, known: Known) -> Iterable[_Refusal]:
    here, before = known.found[change.key], change.before
    if here.trouble:
        yield _Refusal(here.trouble)
    if before.kind == "unknown":
        yield _Refusal(_NOT_KEPT.get(before.reason, f"Not kept: {before.reason or 'no reason is known'}"))
    if before.digest and before.digest != here.state.digest and not known.has(before.digest):
        yield _Refusal("Its bytes are no longer kept")
    if here.state.kind == "unknown":
        yield _Refusal(_in_the_way(here.state.reason))
    if change.status == "renamed":
        yield from _refusals_of_rename(change, known)
    if not same(here.state, change.after):
        yield _Refusal(_since(change, here.state, known.since), forcible=True)
    chain = known.chain.get(change.key, ())
    if "outside" in chain and len(set(chain)) > 1:
        yield _Refusal("Also changed between turns: those edits would go too", forcible=True)


def _refusals_of_rename(change: PathChange, known: Known) -> Iterable[_Refusal]:
    here, old = known.found[change.key], _old(change, known)
    if change.before.kind not in ("file", "link"):
        yield _Refusal("A renamed folder comes back with its files only")
    if old.trouble:
        yield _Refusal(old.trouble)
    elif old.state != ABSENT and not _one_file(change, here, old, known):
        yield _Refusal(f"Its old name {change.old_path} is in use again")


def _one_file(change: PathChange, here: Found, old: Found, known: Known) -> bool:
    """Whether both names are one file, because case does not count there."""
    folds = change.root in known.folding and change.path.casefold() == change.old_path.casefold()
    return folds and here.node is not None and here.node == old.node


def _in_the_way(reason: str) -> str:
    words = {"special file": "A pipe, socket or device is in its place", "not readable": "Cannot be read now"}
    return words.get(reason, f"Cannot be kept now: {reason}")


def _since(change: PathChange, now: PathState, moment: str) -> str:
    if change.after.kind == "unknown":
        return f"Not known whether it changed since {moment}: {change.after.reason or 'not kept'}"
    if now.kind == "absent":
        return f"Deleted since {moment}"
    if change.after.kind == now.kind and change.after.digest == now.digest:
        return f"Its mode changed since {moment}"
    return f"Changed since {moment}"


def _paired(changes: Sequence[PathChange], known: Known) -> list[PathChange]:
    """Where case does not count, a name that is gone and another way to write it that is new are one rename."""
    gone = {
        (each.root, each.path.casefold()): each
        for each in changes
        if each.root in known.folding and each.status == "deleted" and each.before.kind in ("file", "link")
    }
    paired: dict[Key, PathChange] = {}
    for each in changes:
        other = gone.get((each.root, each.path.casefold())) if each.status == "new" else None
        if other is not None and _one_file(replace(each, old_path=other.path), *_both(each, other, known), known):
            renamed = replace(each, status="renamed", old_path=other.path, before=other.before)
            paired |= {each.key: renamed, other.key: renamed}
    return list({(change := paired.get(each.key, each)).key: change for each in changes}.values())


def _both(one: PathChange, other: PathChange, known: Known) -> tuple[Found, Found]:
    return known.found[one.key], known.found[other.key]


def comes_to(step: Step) -> str:
    """The path at which the target of a step comes to be."""
    return step.change.old_path if step.act == "move" else step.change.path


def _one_name_each(steps: Sequence[Step], known: Known) -> list[Step]:
    """Of steps that would write to one name the first one may."""
    taken: dict[Key, Step] = {}
    return [_if_free(step, taken, known) for step in steps]


def _if_free(step: Step, taken: dict[Key, Step], known: Known) -> Step:
    if step.target.kind in ("absent", "unknown") or step.act == "nothing":
        return step
    root, path = step.change.root, comes_to(step)
    other = taken.setdefault((root, path.casefold() if root in known.folding else path), step)
    if other is step:
        return step
    same_name = comes_to(other) == path
    words = "Another file comes back to this name" if same_name else f"Only its case differs from {comes_to(other)}"
    return _refused(step, _Refusal(words))


def _ways_freed(steps: Sequence[Step], known: Known) -> list[Step]:
    """What was in a folder that is none now comes back only after the folder."""
    told = {step.change.key: step for step in steps}
    for step in sorted(steps, key=lambda each: depth(comes_to(each))):
        root, path = step.change.root, comes_to(step)
        way = known.found[root, path].way
        if way and step.act not in ("nothing", "delete"):
            folder = told.get((root, way))
            if folder is None or folder.target.kind != "folder" or folder.refusal:
                forcible = folder is not None and folder.target.kind == "folder" and folder.forcible
                told[step.change.key] = _refused(step, _Refusal(f"Its folder {way} is none any more", forcible))
    return [told[step.change.key] for step in steps]


def _folders_emptied(steps: Sequence[Step], known: Known) -> list[Step]:
    """A folder goes only with all that it holds."""
    told = {step.change.key: step for step in steps}
    for step in sorted(steps, key=lambda each: -depth(each.change.path)):
        if step.now.kind == "folder" and step.act in ("delete", "write", "link"):
            holds = known.found[step.change.key].holds
            told[step.change.key] = _if_emptied(step, {name: told.get(_inside(step, name)) for name in holds})
    return [told[step.change.key] for step in steps]


def _if_emptied(step: Step, inside: Mapping[str, Step | None]) -> Step:
    leaving = {name: each for name, each in inside.items() if each is not None and _leaves(each)}
    if strange := sorted(inside.keys() - leaving.keys()):
        return _refused(step, _Refusal(f"Holds what is not undone: {listed(strange)}"))
    if left := sorted(name for name, each in leaving.items() if each.refusal):
        forcible = all(leaving[name].forcible for name in left)
        return _refused(step, _Refusal(f"Holds what is left alone: {listed(left)}", forcible))
    return step if all(each.chosen for each in leaving.values()) else replace(step, chosen=False)


def _inside(step: Step, name: str) -> Key:
    return step.change.root, f"{step.change.path}/{name}"


def _leaves(step: Step) -> bool:
    return step.act == "move" or (step.act == "delete" and step.now.kind != "absent")


def listed(names: Sequence[str]) -> str:
    """Some names, and how many there are more."""
    more = len(names) - NAMED_AT_MOST
    return ", ".join(names[:NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")


def _refused(step: Step, refusal: _Refusal) -> Step:
    """With another refusal; what is not forcible stays so."""
    if step.refusal and (not step.forcible or refusal.forcible):
        return step
    return replace(step, refusal=refusal.words, forcible=refusal.forcible, chosen=False)


def undoing(step: Step) -> PathChange:
    """The change that a step made, to be taken back in its turn."""
    change, now, then = step.change, step.now, step.target
    if step.act == "move":
        return replace(change, path=change.old_path, old_path=change.path, before=now, after=then, who="agent")
    made = replace(change, before=now, after=then, old_path="", added=None, removed=None, who="agent")
    return replace(made, status=_status(now, then))


def _status(before: PathState, after: PathState) -> Status:
    if before.kind == "absent":
        return "new"
    if after.kind == "absent":
        return "deleted"
    if before.kind != after.kind:
        return "kind"
    return "mode" if before.digest == after.digest else "changed"
