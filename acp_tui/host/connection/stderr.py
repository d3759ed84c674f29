"""The last of what the agent wrote to standard error: agents log there without measure, so only the end is kept."""

DEFAULT_CAP = 256 * 1024


class StderrRing:
    """The last bytes of a stream, to be looked at as lines."""

    def __init__(self, cap: int = DEFAULT_CAP) -> None:
        self._cap = cap
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes at the end; the oldest go when there are more than the cap."""
        self._data += data
        del self._data[: -self._cap]

    def tail(self, lines: int) -> list[str]:
        """The last lines, decoded, without their ends, escapes and all; blank lines at the end do not count."""
        text = self._data.decode("utf-8", "replace").rstrip()
        return [line.rstrip("\r") for line in text.split("\n")][-lines:] if text and lines > 0 else []
