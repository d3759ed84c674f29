"""What taking back would do, with the disk as it is now. It blocks: call it in a thread."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from acp_tui.errors import Fault, UserFault, reason_of
from acp_tui.host.services.files import open_regular
from acp_tui.host.services.request_fault import RequestFault
from acp_tui.host.services.roots import Roots
from acp_tui.host.snapshots.states import PathChange, PathState, Who
from acp_tui.host.take_back.disk import LeftAlone, Store, at, digest_of, folds_case, found_at
from acp_tui.host.take_back.plan import Plan, listed
from acp_tui.host.take_back.steps import Found, Key, LineSpan, Preview, Step, TakenBack, undoing
from acp_tui.session.text.line_diff import CONTEXT, Span, line_diff, lines_of


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


def of_hunk(change: PathChange, span: LineSpan, roots: Roots, store: Store) -> Preview:
    """What it would do to take one hunk of a file back. Raises `UserFault` where that cannot be told."""
    here = found_at(*change.key, roots)
    if here.trouble or here.way:
        raise _no_hunk(change, here.trouble or f"Its folder {here.way} is none any more.")
    before, after = (_text(state, store, change) for state in (change.before, change.after))
    data = without_hunk(before, after, text_now(change, here.state, roots), span)
    if data is None:
        raise _no_hunk(change, "Its lines are no longer there as they were, or there more than once.")
    if (not data and change.before.kind == "absent") or here.state.kind == "absent":
        return of_changes(change.path, [change], roots, store).pointed()  # it is the only hunk
    target = PathState("file", here.state.mode, len(data), digest_of(data))
    step = Step(change, "write", here.state, target, content=data)
    return Preview(change.path, [step], losses([step], {change.key: here}))


def text_now(change: PathChange, now: PathState, roots: Roots) -> bytes:
    """What the file of a change holds, while it is as it was found (`now`). Raises `UserFault` where it is not."""
    if now.kind == "absent":
        return b""
    if now.kind != "file" or now.size > HUNKS_AT_MOST:
        raise _no_hunk(change, "There is no such file now, or it is too large.")
    try:
        with at(*change.key, roots) as place, open_regular(place.path, place) as file:
            data = file.read()
    except (LeftAlone, OSError, RequestFault) as error:
        raise _no_hunk(change, reason_of(error)) from error
    if digest_of(data) != now.digest:
        raise _no_hunk(change, "The file is being written just now.")
    return data


def _text(state: PathState, store: Store, change: PathChange) -> bytes:
    if state.kind == "absent":
        return b""
    if state.kind != "file" or not store.has(state.digest):
        raise _no_hunk(change, f"Not kept: {state.reason}." if state.reason else "Its bytes are not kept.")
    if state.size > HUNKS_AT_MOST:
        raise _no_hunk(change, f"The file has more than {HUNKS_AT_MOST >> 20} MiB.")
    return b"".join(store.pieces(state.digest))


def _no_hunk(change: PathChange, reason: str) -> UserFault:
    return UserFault("This hunk cannot be undone", f"{change.path}: {reason}", "Undo the whole file instead.")


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
