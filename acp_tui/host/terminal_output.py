"""The output of a command as an agent reads it: plain text, its end if there is too much; must not know processes."""

import codecs

from acp_tui.session.escapes import EscapeStripper

DEFAULT_LIMIT = 1024 * 1024  # bytes of UTF-8 kept when the agent gives no limit
MAX_LIMIT = 16 * 1024 * 1024  # and the most that it can ask for


class TerminalOutput:
    """Decoded output without escapes, cut at its beginning at a character boundary."""

    def __init__(self, limit: int | None = None) -> None:
        """Keep at most `limit` bytes of UTF-8."""
        self.limit = DEFAULT_LIMIT if limit is None else min(limit, MAX_LIMIT)
        self._kept = bytearray()
        self._cut = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stripper = EscapeStripper()

    def feed(self, data: bytes, final: bool = False) -> None:
        """Add raw output; characters and escapes may be split anywhere. `final` gives up on what is unfinished."""
        self._kept += self._stripper.feed(self._decoder.decode(data, final)).encode()
        excess = len(self._kept) - self.limit
        if excess > 0:
            del self._kept[: _boundary(self._kept, excess)]
            self._cut = True

    def read(self) -> tuple[str, bool]:
        """The end of the output, and whether there was more before it."""
        kept = self._kept + self._stripper.tail.encode()
        excess = len(kept) - self.limit
        if excess <= 0:
            return kept.decode(), self._cut
        return kept[_boundary(kept, excess) :].decode(), True


def _boundary(data: bytearray, at: int) -> int:
    """The first place from `at` on where a character begins (or the data ends)."""
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at
