"""Which hunks and files were read: known by what they hold, so that a change of it takes the mark away."""

from collections.abc import Iterable
from hashlib import blake2b

from acp_tui.ui.render.diff import FileDiff, Hunk


def hunk_key(path: str, hunk: Hunk) -> str:
    """What names a hunk: its file and all its lines, wherever in the file they stand."""
    told = blake2b(path.encode("utf-8", "surrogatepass"), digest_size=16)
    for line in hunk.lines:
        told.update(f"\0{line.sign}{line.text}{line.ending}".encode("utf-8", "surrogatepass"))
    return told.hexdigest()


def file_keys(path: str, file: FileDiff) -> list[str]:
    """Those of all hunks of a file; of one without hunks what is said of it."""
    if not file.hunks:
        return [blake2b(f"{path}\0{file.notes}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()]
    return [hunk_key(path, hunk) for hunk in file.hunks]


def bytes_key(path: str, before: str, after: str) -> str:
    """What names a file by its bytes before and after, as digests."""
    return f"{path}\0{before}\0{after}"


class ReadMarks:
    """The keys of what was read."""

    def __init__(self) -> None:
        self._read: set[str] = set()

    def are_read(self, keys: Iterable[str]) -> bool:
        """Whether all of these are read, and there are any."""
        wanted = set(keys)
        return bool(wanted) and wanted <= self._read

    def toggle(self, keys: Iterable[str]) -> bool:
        """Mark them as read, or as not read where all of them are; whether they are read now."""
        wanted = set(keys)
        if self.are_read(wanted):
            self._read -= wanted
            return False
        self._read |= wanted
        return bool(wanted)

    def put(self, keys: Iterable[str], *, read: bool) -> None:
        """Mark them as read, or as not read."""
        self._read = self._read | set(keys) if read else self._read - set(keys)
