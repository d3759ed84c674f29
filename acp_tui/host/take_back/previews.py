"""What taking back would do, with the disk as it is now. It blocks: call it in a thread."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from acp_tui.errors import Fault, UserFault, reason_of
from acp_tui.host.services.file_reading import open_regular
from acp_tui.host.services.request_fault import RequestFault
from acp_tui.host.services.roots import Roots
from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState, Who
from acp_tui.host.take_back.disk import NoWay, Store, at, digest_of, folds_case, found_at
from acp_tui.host.take_back.hunks import without_hunk
from acp_tui.host.take_back.plan import Key, Known, plan, same, undoing
from acp_tui.host.take_back.preview import LineSpan, Preview, Step, TakenBack
from acp_tui.host.take_back.words import losses

HUNKS_AT_MOST = 64 << 20  # bytes of a file out of which a hunk is taken


def of_changes(
    words: str,
    files: Sequence[PathChange],
    roots: Roots,
    store: Store,
    *,
    chain: Mapping[Key, Sequence[Who]] | None = None,
    notes: Sequence[str] = (),
) -> Preview:
    """What it would do to take files back to how they were `before`.

    `chain`: where these are the changes of several intervals, whose each path was in every one in which it changed.
    """
    return _preview(words, files, notes, _known(files, roots, store, chain or {}, "the turn ended"))


def of_undo(taken: TakenBack, roots: Roots, store: Store) -> Preview:
    """What it would do to undo what was taken back, or to do again what was undone."""
    files = [undoing(step) for step in taken.steps]
    preview = _preview(taken.words, files, (), _known(files, roots, store, {}, "the undo"))
    who = {change.key: step.change.who for change, step in zip(files, taken.steps, strict=True)}
    steps = [replace(step, change=replace(step.change, who=who[step.change.key])) for step in preview.steps]
    return replace(preview, steps=steps, undoes=taken.number)


def is_done(step: Step, roots: Roots) -> bool:
    """Whether the disk is as a step makes it."""
    here = found_at(*step.change.key, roots)
    if step.act == "move":
        old = found_at(step.change.root, step.change.old_path, roots)
        return here.state == ABSENT and same(old.state, step.target)
    return not here.trouble and same(here.state, step.target)


def of_hunk(change: PathChange, span: LineSpan, roots: Roots, store: Store) -> Preview:
    """What it would do to take one hunk of a file back. Raises `UserFault` where that cannot be told."""
    known = _known([change], roots, store, {}, "the turn ended")
    here = known.found[change.key]
    if here.trouble or here.way:
        raise _no_hunk(change, here.trouble or f"Its folder {here.way} is none any more.")
    before, after = (_text(state, store, change) for state in (change.before, change.after))
    data = without_hunk(before, after, text_now(change, here.state, roots), span)
    if data is None:
        raise _no_hunk(change, "Its lines are no longer there as they were, or there more than once.")
    if (not data and change.before.kind == "absent") or here.state.kind == "absent":
        whole = _preview(change.path, [change], (), known)  # of a new or deleted file it is the only hunk
        return replace(whole, steps=[replace(step, chosen=not step.refusal) for step in whole.steps])
    target = PathState("file", here.state.mode, len(data), digest_of(data))
    step = Step(change, "write", here.state, target, content=data)  # which the user pointed at
    return Preview(change.path, [step], losses([step], known.found, privileged=_privileged()))


def _preview(words: str, files: Sequence[PathChange], notes: Sequence[str], known: Known) -> Preview:
    steps = plan(files, known)
    return Preview(words, steps, (*notes, *losses(steps, known.found, privileged=_privileged())))


def _known(
    files: Sequence[PathChange], roots: Roots, store: Store, chain: Mapping[Key, Sequence[Who]], since: str
) -> Known:
    keys = {change.key for change in files}
    keys |= {(change.root, change.old_path) for change in files if change.status == "renamed"}
    found = {key: found_at(*key, roots) for key in keys}
    folding = [root for root in {change.root for change in files} if folds_case(root)]

    def has(digest: str) -> bool:
        try:
            return store.has(digest)
        except (ValueError, OSError, Fault):  # such as the digest of a journal that somebody changed
            return False

    return Known(found, has, chain, folding, since)


def _text(state: PathState, store: Store, change: PathChange) -> bytes:
    if state.kind == "absent":
        return b""
    if state.kind != "file" or not store.has(state.digest):
        raise _no_hunk(change, f"Not kept: {state.reason}." if state.reason else "Its bytes are not kept.")
    if state.size > HUNKS_AT_MOST:
        raise _no_hunk(change, f"The file has more than {HUNKS_AT_MOST >> 20} MiB.")
    return b"".join(store.pieces(state.digest))


def text_now(change: PathChange, now: PathState, roots: Roots) -> bytes:
    """What the file of a change holds, while it is as it was found (`now`). Raises `UserFault` where it is not."""
    if now.kind == "absent":
        return b""
    if now.kind != "file" or now.size > HUNKS_AT_MOST:
        raise _no_hunk(change, "There is no such file now, or it is too large.")
    try:
        with at(*change.key, roots) as place, open_regular(place.path, place) as file:
            data = file.read()
    except (NoWay, OSError, RequestFault) as error:
        raise _no_hunk(change, reason_of(error)) from error
    if digest_of(data) != now.digest:
        raise _no_hunk(change, "The file is being written just now.")
    return data


def _no_hunk(change: PathChange, reason: str) -> UserFault:
    return UserFault("This hunk cannot be undone", f"{change.path}: {reason}", "Undo the whole file instead.")


def _privileged() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
