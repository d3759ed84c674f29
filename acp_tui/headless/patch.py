"""Changes of files as a patch in Git's format: `git apply` makes of the bytes before exactly the bytes after.

Git's format knows files with and without the x bit, and links. It knows no folders and no other modes.
"""

import os
import zlib
from base64 import b85encode
from collections.abc import Iterator, Sequence
from hashlib import sha1

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.path_state import PathChange, PathState
from acp_tui.session.text.line_diff import LineDiff, line_diff, lines_of_text, unified
from acp_tui.views.changed_files import mode_words

BINARY_CAP = 32 * 1024 * 1024  # bytes of a binary file, before or after; larger ones are named, not written
_NOTHING = b"0" * 40
_LINE = 52  # bytes in a line of a binary patch
_SPELLED = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}
_SHARE = 100  # of what is alike: all of it


class PatchSide(Frozen):
    """A file or a link as Git has it: `mode` as it writes it (`100644`), and its bytes."""

    path: bytes
    mode: bytes
    data: bytes

    @property
    def id(self) -> bytes:
        return sha1(b"blob %d\0" % len(self.data) + self.data, usedforsecurity=False).hexdigest().encode()


def patch_of(change: PathChange, before: bytes | None, after: bytes | None, prefix: str = "") -> bytes:
    """The patch of one change; empty where Git's format cannot tell it (see `untold`).

    `before` and `after` are the bytes of a file, or the path that a link holds; `prefix` goes before each path.
    """
    if _unkept(change, before, after):
        return b""
    old = _side(prefix + (change.old_path or change.path), change.before, before)
    new = _side(prefix + change.path, change.after, after)
    if old is not None and new is not None and old.mode[:2] != new.mode[:2]:  # a link for a file
        return b"".join((*_sections(old, None), *_sections(None, new)))
    return b"".join(_sections(old, new))


def untold(change: PathChange, before: bytes | None, after: bytes | None) -> str:
    """What `patch_of` leaves out of a change, in words behind its path; empty where nothing is."""
    if words := _unkept(change, before, after):
        return words
    datas = [data for data in (before, after) if data is not None]
    if any(b"\0" in data for data in datas) and any(len(data) > BINARY_CAP for data in datas):
        return f"binary and larger than {BINARY_CAP // 1024 // 1024} MB"
    if {change.before.kind, change.after.kind} == {"folder"}:
        return f"folder {mode_words(change.before, change.after)}"
    modes = [each.mode for each in (change.before, change.after) if each.kind == "file"]
    if len(modes) == 2 and modes[0] != modes[1] and _mode(change.before) == _mode(change.after):
        return mode_words(change.before, change.after)
    return ""


def _unkept(change: PathChange, before: bytes | None, after: bytes | None) -> str:
    """Why one of the two sides is not known, which must not look as if there had been nothing; empty if both are."""
    for state, data in ((change.before, before), (change.after, after)):
        if state.kind == "unknown" or (state.kind in ("file", "link") and data is None):
            return f"no saved copy ({state.reason})" if state.reason else "no saved copy"
    return ""


def _side(path: str, state: PathState, data: bytes | None) -> PatchSide | None:
    if state.kind not in ("file", "link") or data is None:
        return None
    return PatchSide(os.fsencode(path), _mode(state), data)


def _mode(state: PathState) -> bytes:
    if state.kind == "link":
        return b"120000"
    return b"100755" if state.mode & 0o100 else b"100644"


def _sections(old: PatchSide | None, new: PatchSide | None) -> Iterator[bytes]:
    """The lines for one path of the patch; nothing where both are the same to Git."""
    known = [side for side in (old, new) if side is not None]
    if not known:
        return
    first, last = known[0], known[-1]
    if (first.path, first.mode, first.data) == (last.path, last.mode, last.data) and len(known) == 2:
        return
    binary = any(b"\0" in side.data for side in known)
    if binary and any(len(side.data) > BINARY_CAP for side in known):
        return
    texts = [lines_of_text("" if side is None else side.data.decode("latin-1")) for side in (old, new)]  # byte by byte
    diff = LineDiff(()) if binary else line_diff(*texts)
    yield b"diff --git %s %s\n" % (_quoted(b"a/" + first.path), _quoted(b"b/" + last.path))
    yield from _modes(old, new)
    if old is not None and new is not None and old.path != new.path:
        if (share := _likeness(old, new, texts[0], diff, binary=binary)) is not None:
            yield b"similarity index %d%%\n" % share
        yield b"rename from %s\nrename to %s\n" % (_quoted(old.path), _quoted(new.path))
    if old is not None and new is not None and old.data == new.data:
        return
    ids = [_NOTHING if side is None else side.id for side in (old, new)]
    kept = b" " + first.mode if len(known) == 2 and first.mode == last.mode else b""
    yield b"index %s..%s%s\n" % (*ids, kept)
    if binary:
        yield b"GIT binary patch\n"
        yield from (part for side in (new, old) for part in _literal(b"" if side is None else side.data))
    elif diff.spans:
        yield b"--- %s\n" % (b"/dev/null" if old is None else _named(b"a/" + old.path))
        yield b"+++ %s\n" % (b"/dev/null" if new is None else _named(b"b/" + new.path))
        yield "".join(unified(texts[0], texts[1], diff.spans)).encode("latin-1")


def _modes(old: PatchSide | None, new: PatchSide | None) -> Iterator[bytes]:
    if old is None and new is not None:
        yield b"new file mode %s\n" % new.mode
    elif new is None and old is not None:
        yield b"deleted file mode %s\n" % old.mode
    elif old is not None and new is not None and old.mode != new.mode:
        yield b"old mode %s\nnew mode %s\n" % (old.mode, new.mode)


def _likeness(old: PatchSide, new: PatchSide, lines: Sequence[str], diff: LineDiff, *, binary: bool) -> int | None:
    """How much of a file went along to its new place, in hundredths; None where that is not known."""
    if old.data == new.data:
        return _SHARE
    if binary:
        return None
    gone = sum(len(line) for span in diff.spans for line in lines[span[0] : span[1]])
    return min(_SHARE - 1, (len(old.data) - gone) * _SHARE // max(len(old.data), len(new.data)))


def _literal(data: bytes) -> Iterator[bytes]:
    """The bytes, deflated, in base85; each line begins with a letter for how many bytes it has."""
    yield b"literal %d\n" % len(data)
    packed = zlib.compress(data, 1)  # as Git does
    for at in range(0, len(packed), _LINE):
        piece = packed[at : at + _LINE]
        letter = len(piece) + (ord("A") - 1 if len(piece) <= 26 else ord("a") - 27)
        yield bytes([letter]) + b85encode(piece, pad=True) + b"\n"
    yield b"\n"


def _named(path: bytes) -> bytes:
    """A path in the two lines above hunks, where a tab ends one with blanks."""
    quoted = _quoted(path)
    return quoted + b"\t" if b" " in quoted and not quoted.startswith(b'"') else quoted


def _quoted(path: bytes) -> bytes:
    """A path as Git writes it: in quotes where it has control characters, quotes, backslashes or no ASCII."""
    if all(32 <= byte < 127 and byte not in _SPELLED for byte in path):
        return path
    return b'"' + b"".join(_SPELLED.get(byte) or _spelled(byte) for byte in path) + b'"'


def _spelled(byte: int) -> bytes:
    return bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte
