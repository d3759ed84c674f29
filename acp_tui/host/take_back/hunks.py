"""One hunk taken out of a file that may have changed since: exactly there, or not at all.

Lines end with a line feed and nothing else, as in Git: a carriage return before it belongs to the line.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.services.file_reading import open_regular
from acp_tui.host.services.request_fault import RequestFault
from acp_tui.host.services.roots import Roots
from acp_tui.host.snapshots.states import PathChange, PathState
from acp_tui.host.take_back import previews
from acp_tui.host.take_back.disk import LeftAlone, Store, at, digest_of, found_at
from acp_tui.host.take_back.steps import LineSpan, Preview, Step

HUNKS_AT_MOST = 64 << 20  # bytes of a file out of which a hunk is taken
CONTEXT = 3  # lines on each side by which a place is found again
COMPARED_AT_MOST = 20_000  # lines; above that other hunks are not told apart, which takes a second and more


def preview_hunk(change: PathChange, span: LineSpan, roots: Roots, store: Store) -> Preview:
    """What it would do to take one hunk of a file back. Raises `UserFault` where that cannot be told."""
    here = found_at(*change.key, roots)
    if here.trouble or here.way:
        raise _no_hunk(change, here.trouble or f"Its folder {here.way} is none any more.")
    before, after = (_text(state, store, change) for state in (change.before, change.after))
    data = without_hunk(before, after, text_now(change, here.state, roots), span)
    if data is None:
        raise _no_hunk(change, "Its lines are no longer there as they were, or there more than once.")
    if (not data and change.before.kind == "absent") or here.state.kind == "absent":
        return previews.of_changes(change.path, [change], roots, store).pointed()  # it is the only hunk
    target = PathState("file", here.state.mode, len(data), digest_of(data))
    step = Step(change, "write", here.state, target, content=data)
    return Preview(change.path, [step], previews.losses([step], {change.key: here}))


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


def lines_of(data: bytes) -> list[bytes]:
    """The lines with their ends; the last one may have none. Together they are `data`."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


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
    if len(old) + len(new) <= 2 * COMPARED_AT_MOST and (places := _among_hunks(old, new, there, span)):
        return places
    return _by_context(new, there, span)


def _among_hunks(old: Sequence[bytes], new: Sequence[bytes], there: Sequence[bytes], span: LineSpan) -> set[int]:
    """The places at which all that is there is the text after, but for other hunks that are as they were before."""
    first = _ends(list(_parts(old[: span.old[0]], new[: span.new[0]])), there, {0})
    block = new[slice(*span.new)]
    rest = list(_parts(old[span.old[1] :], new[span.new[1] :]))
    fitting = {at for at in first if there[at : at + len(block)] == block}
    return {at for at in fitting if len(there) in _ends(rest, there, {at + len(block)})}


def _parts(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[Sequence[bytes], Sequence[bytes]]]:
    """A text cut where it differs from another one: what may be there instead of each piece."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for _, old_first, old_end, new_first, new_end in matcher.get_opcodes():
        yield old[old_first:old_end], new[new_first:new_end]


def _ends(
    parts: Sequence[tuple[Sequence[bytes], Sequence[bytes]]], there: Sequence[bytes], begins: set[int]
) -> set[int]:
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
