"""The last of what the agent wrote to standard error; must not know who reads it.

Agents log there without measure, so only the end is kept.
"""

from collections import deque

DEFAULT_CAP = 256 * 1024


class StderrRing:
    """The last bytes of a stream, to be looked at as lines; `dropped` counts the bytes that are gone."""

    def __init__(self, cap: int = DEFAULT_CAP) -> None:
        self._cap = cap
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self.dropped = 0

    def feed(self, data: bytes) -> None:
        """Add bytes at the end; the oldest go when there are more than the cap."""
        self._chunks.append(data)
        self._size += len(data)
        while (excess := self._size - self._cap) > 0:
            oldest = self._chunks.popleft()
            if len(oldest) > excess:
                self._chunks.appendleft(oldest[excess:])
            gone = min(excess, len(oldest))
            self._size -= gone
            self.dropped += gone

    def tail(self, lines: int) -> list[str]:
        """The last lines, decoded, without their ends, escapes and all; blank lines at the end do not count."""
        text = b"".join(self._chunks).decode("utf-8", "replace").rstrip()
        return [line.rstrip("\r") for line in text.split("\n")][-lines:] if text and lines > 0 else []
