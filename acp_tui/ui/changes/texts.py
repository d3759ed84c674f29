"""A changed file as it is shown: its diff where it has one, and in words what a diff does not show."""

import os
from collections.abc import Sequence

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.states import PathChange, PathState
from acp_tui.host.take_back.steps import LineSpan
from acp_tui.ui.render.diff import CARRIAGE, CRLF, FileDiff, Hunk, compare
from acp_tui.views.formatting import byte_size

MOST_COMPARED = 4_000_000  # bytes of a text; a larger one would hold all the rest up for seconds
MOST_COLOURED = 6_000  # lines of a diff; the colours of more would take seconds as well
_SAID_ELSEWHERE = ("new file", "now empty", "no changes")
_CUT = "not shown"
_KINDS = {"link": "a link", "folder": "a folder", "file": "a file"}


class ShownFile(Frozen):
    """`said` has one idea each, which stands above the hunks. `change` is what was read, None for nothing at all."""

    change: PathChange | None = None
    diff: FileDiff = FileDiff("")
    said: Sequence[str] = ()

    def span(self, hunk: Hunk | None) -> LineSpan | None:
        """The lines of a hunk without those around; None where the rest of the diff is cut, and for no hunk."""
        cut = any(note.endswith(_CUT) for note in self.diff.notes)
        if hunk is None or (cut and hunk is self.diff.hunks[-1]):
            return None
        return span_of(hunk)


def shown_file(change: PathChange, before: bytes | None, after: bytes | None) -> ShownFile:
    """The file with what it held before and after; it takes a while for large texts."""
    said = [*_kind_words(change), *_link_words(change, before, after)]
    is_text = "file" in (change.before.kind, change.after.kind) and "link" not in (
        change.before.kind,
        change.after.kind,
    )
    if not is_text or change.status == "mode":
        return ShownFile(change, FileDiff(change.path), said)
    missing = [*_missing("before", change.before, before), *_missing("now", change.after, after)]
    if missing:
        return ShownFile(change, FileDiff(change.path), [*said, *missing])
    texts = [_text(before), _text(after)]
    if any(text is None for text in texts):
        return ShownFile(change, FileDiff(change.path), [*said, f"binary file: {_sizes(change)}"])
    if max(change.before.size, change.after.size) > MOST_COMPARED:
        return ShownFile(change, FileDiff(change.path), [*said, f"too large to compare: {_sizes(change)}"])
    old, new = (text or "" for text in texts)
    diff = compare(change.path, old, new)
    lines = sum(len(hunk.lines) for hunk in diff.hunks)
    if lines > MOST_COLOURED:
        diff = FileDiff("", diff.hunks, diff.notes, diff.added, diff.removed)
        said.append(f"no syntax colours: more than {MOST_COLOURED:,} lines")
    said += (note for note in diff.notes if note not in _SAID_ELSEWHERE)
    said += _encoding_words(old, new)
    if not diff.hunks:
        said.append("empty" if not (old or new) else "the text is the same")
    return ShownFile(change, diff, said)


def span_of(hunk: Hunk) -> LineSpan:
    """Which lines of both texts a hunk replaces, without the unchanged ones around it."""
    first, *_ = hunk.lines
    old, new = ((first.old or 1) - 1, (first.new or 1) - 1) if first.sign == " " else (0, 0)
    changed: list[tuple[int, int, int, int]] = []
    for line in hunk.lines:
        ends = old + (line.sign != "+"), new + (line.sign != "-")
        if line.sign != " ":
            changed.append((old, new, *ends))
        old, new = ends
    if not changed:
        return LineSpan((old, old), (new, new))
    return LineSpan((changed[0][0], changed[-1][2]), (changed[0][1], changed[-1][3]))


def patch_of(path: str, old_path: str, diff: FileDiff) -> str:
    """The diff as a unified patch of text, without the lines that are cut."""
    lines = [f"--- a/{old_path or path}", f"+++ b/{path}"]
    everywhere = CRLF in diff.notes
    for hunk in diff.hunks:
        olds = [line.old for line in hunk.lines if line.old is not None]
        news = [line.new for line in hunk.lines if line.new is not None]
        lines.append(f"@@ -{_range(olds)} +{_range(news)} @@")
        for line in hunk.lines:
            carriage = line.ending == CARRIAGE or (everywhere and not line.ending)
            lines.append(line.sign + line.text + ("\r" if carriage else ""))
            if line.ending.startswith("⏎"):
                lines.append("\\ No newline at end of file")
    return "\n".join(lines) + "\n"


def _range(numbers: Sequence[int]) -> str:
    return f"{numbers[0]},{len(numbers)}" if numbers else "0,0"


def _text(data: bytes | None) -> str | None:
    """The text that bytes are, each byte that is none as a character of its own; None for what is no text."""
    if data is None:
        return ""
    return None if b"\0" in data else data.decode("utf-8", "surrogateescape")


def _encoding_words(old: str, new: str) -> list[str]:
    odd = any("\udc80" <= character <= "\udcff" for text in (old, new) if not text.isascii() for character in text)
    return ["not UTF-8: other bytes are shown as �"] if odd else []


def _kind_words(change: PathChange) -> list[str]:
    """What became of the path itself."""
    before, after, said = change.before, change.after, list[str]()
    if change.status == "renamed":
        said.append(f"renamed from {change.old_path}")
    if change.status == "kind" and before.kind in _KINDS and after.kind in _KINDS:
        said.append(f"was {_KINDS[before.kind]}, is {_KINDS[after.kind]} now")
    elif "folder" in (before.kind, after.kind):
        said.append({"new": "new folder", "deleted": "folder deleted"}.get(change.status, "folder"))
    kinds = {before.kind, after.kind}
    if before.mode != after.mode and len(kinds) == 1 and kinds & {"file", "folder"}:
        said.append(_mode_words(before.mode, after.mode))
    return said


def _mode_words(before: int, after: int) -> str:
    added, removed = after & ~before & 0o111, before & ~after & 0o111
    meaning = " (executable now)" if added and not before & 0o111 else ""
    meaning = " (no longer executable)" if removed and not after & 0o111 else meaning
    return f"mode {before:04o} → {after:04o}{meaning}"


def _link_words(change: PathChange, before: bytes | None, after: bytes | None) -> list[str]:
    sides = ((change.before, before, "linked to"), (change.after, after, "links to"))
    return [f"{word} {os.fsdecode(data)}" for state, data, word in sides if state.kind == "link" and data is not None]


def _missing(when: str, state: PathState, data: bytes | None) -> list[str]:
    if state.kind in ("absent", "folder") or data is not None:
        return []
    reason = f": {state.reason}" if state.reason else ""
    size = f" ({byte_size(state.size)})" if state.size else ""
    return [f"what it held {when} is not kept{reason}{size}"]


def _sizes(change: PathChange) -> str:
    sizes = [byte_size(state.size) for state in (change.before, change.after) if state.kind == "file"]
    return " → ".join(sizes)
